// SPDX-License-Identifier: Apache-2.0
// Graphs: what each operation's primitive is and takes.
#include "graph_internal.h"

#include <string.h>

static prim_status_t create_conv(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_window_t *const w = &p->node->params.window;
    return prim_convolution_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_AUTO, p->mds[0], p->mds[1], p->mds[2], p->dst_md, w->strides,
            w->dilates, w->pads_l, w->pads_r, p->attr);
}

static prim_status_t create_deconv(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_window_t *const w = &p->node->params.window;
    return prim_deconvolution_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE,
            PRIM_DECONVOLUTION_DIRECT, p->mds[0], p->mds[1], p->mds[2], p->dst_md, w->strides,
            w->dilates, w->pads_l, w->pads_r, p->attr);
}

static prim_status_t create_matmul(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_matmul_desc_create(
            pd, p->engine, p->mds[0], p->mds[1], p->mds[2], p->dst_md, p->attr);
}

static prim_status_t create_inner_product(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_inner_product_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE, p->mds[0],
            p->mds[1], p->mds[2], p->dst_md, p->attr);
}

static prim_status_t create_pool(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    const graph_window_t *const w = &params->window;
    return prim_pooling_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE, params->alg,
            p->mds[0], p->dst_md, w->strides, params->kernel, w->dilates, w->pads_l, w->pads_r,
            p->attr);
}

static prim_status_t create_eltwise(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    return prim_eltwise_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE, params->alg,
            p->mds[0], p->dst_md, params->alpha, params->beta, p->attr);
}

static prim_status_t create_binary(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_binary_desc_create(
            pd, p->engine, p->node->params.alg, p->mds[0], p->mds[1], NULL, p->dst_md, p->attr);
}

static prim_status_t create_select(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_binary_desc_create(
            pd, p->engine, PRIM_BINARY_SELECT, p->mds[0], p->mds[1], p->mds[2], p->dst_md, p->attr);
}

static prim_status_t create_lrn(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    return prim_lrn_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE, params->alg,
            p->mds[0], p->dst_md, params->groups, params->alpha, params->beta, params->k, p->attr);
}

static prim_status_t create_prelu(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_prelu_forward_desc_create(
            pd, p->engine, PRIM_FORWARD_INFERENCE, p->mds[0], p->mds[1], p->dst_md, p->attr);
}

static prim_status_t create_softmax(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    return prim_softmax_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE, params->alg,
            p->mds[0], p->dst_md, params->axis, p->attr);
}

static prim_status_t create_batch_norm(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    return prim_batch_normalization_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE,
            p->mds[0], p->dst_md, params->alpha, params->flags, p->attr);
}

static prim_status_t create_layer_norm(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    return prim_layer_normalization_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE,
            p->mds[0], p->dst_md, NULL, PRIM_F32, params->alpha, params->flags, p->attr);
}

static prim_status_t create_group_norm(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    return prim_group_normalization_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE,
            p->mds[0], p->dst_md, params->groups, params->alpha, params->flags, p->attr);
}

static prim_status_t create_reduction(prim_desc_t **pd, const graph_problem_t *p)
{
    const graph_params_t *const params = &p->node->params;
    return prim_reduction_desc_create(
            pd, p->engine, params->alg, p->mds[0], p->dst_md, params->alpha, params->beta, p->attr);
}

static prim_status_t create_resampling(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_resampling_forward_desc_create(pd, p->engine, PRIM_FORWARD_INFERENCE,
            p->node->params.alg, NULL, p->mds[0], p->dst_md, p->attr);
}

static prim_status_t create_concat(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_concat_desc_create(
            pd, p->engine, p->dst_md, p->node->ninputs, p->node->params.axis, p->mds, p->attr);
}

static prim_status_t create_convert(prim_desc_t **pd, const graph_problem_t *p)
{
    return prim_reorder_desc_create(pd, p->mds[0], p->engine, p->dst_md, p->engine, p->attr);
}

const graph_op_info_t graph__ops[GRAPH_NOPS] = {
        [GRAPH_CONV] = {"convolution", POST_OPS_ALL,
                {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS},
                {LAYOUT_ANY, LAYOUT_ANY, LAYOUT_ANY}, create_conv},
        [GRAPH_DECONV] = {"deconvolution", POST_OPS_ALL,
                {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS},
                {LAYOUT_ANY, LAYOUT_ANY, LAYOUT_ANY}, create_deconv},
        [GRAPH_MATMUL] = {"product", POST_OPS_ALL, {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS},
                {LAYOUT_KEEP, LAYOUT_ANY_IF_CONSTANT, LAYOUT_PLAIN}, create_matmul},
        [GRAPH_INNER_PRODUCT] = {"inner product", POST_OPS_ALL,
                {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS},
                {LAYOUT_ANY, LAYOUT_ANY, LAYOUT_ANY}, create_inner_product},
        [GRAPH_POOL] = {"pooling", POST_OPS_ALL, {PRIM_ARG_SRC}, {LAYOUT_KEEP}, create_pool},
        [GRAPH_ELTWISE] = {"element-wise function", POST_OPS_BINARY, {PRIM_ARG_SRC}, {LAYOUT_KEEP},
                create_eltwise},
        [GRAPH_BINARY] = {"binary operation", POST_OPS_ALL, {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1},
                {LAYOUT_KEEP, LAYOUT_KEEP}, create_binary},
        [GRAPH_SELECT] = {"selection", POST_OPS_NONE,
                {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1, PRIM_ARG_SRC_2},
                {LAYOUT_PLAIN, LAYOUT_PLAIN, LAYOUT_PLAIN}, create_select},
        [GRAPH_LRN] = {"local response normalisation", POST_OPS_NONE, {PRIM_ARG_SRC}, {LAYOUT_KEEP},
                create_lrn},
        [GRAPH_PRELU] = {"PReLU", POST_OPS_NONE, {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS},
                {LAYOUT_KEEP, LAYOUT_KEEP}, create_prelu},
        [GRAPH_SOFTMAX] = {"softmax", POST_OPS_ALL, {PRIM_ARG_SRC}, {LAYOUT_KEEP}, create_softmax},
        [GRAPH_BATCH_NORM] = {"batch normalisation", POST_OPS_RELU,
                {PRIM_ARG_SRC, PRIM_ARG_SCALE, PRIM_ARG_SHIFT, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE},
                {LAYOUT_KEEP, LAYOUT_PLAIN, LAYOUT_PLAIN, LAYOUT_PLAIN, LAYOUT_PLAIN},
                create_batch_norm},
        [GRAPH_LAYER_NORM] = {"layer normalisation", POST_OPS_ALL,
                {PRIM_ARG_SRC, PRIM_ARG_SCALE, PRIM_ARG_SHIFT},
                {LAYOUT_KEEP, LAYOUT_PLAIN, LAYOUT_PLAIN}, create_layer_norm},
        [GRAPH_GROUP_NORM] = {"group normalisation", POST_OPS_ALL,
                {PRIM_ARG_SRC, PRIM_ARG_SCALE, PRIM_ARG_SHIFT},
                {LAYOUT_KEEP, LAYOUT_PLAIN, LAYOUT_PLAIN}, create_group_norm},
        [GRAPH_REDUCTION] = {"reduction", POST_OPS_ALL, {PRIM_ARG_SRC}, {LAYOUT_KEEP},
                create_reduction},
        [GRAPH_RESAMPLING] = {"resampling", POST_OPS_ALL, {PRIM_ARG_SRC}, {LAYOUT_KEEP},
                create_resampling},
        [GRAPH_CONCAT] = {"concat", POST_OPS_NONE, {PRIM_ARG_MULTIPLE_SRC}, {LAYOUT_KEEP},
                create_concat},
        [GRAPH_CONVERT] = {"conversion", POST_OPS_NONE, {PRIM_ARG_FROM}, {LAYOUT_KEEP},
                create_convert},
        [GRAPH_RESHAPE] = {"reshape", POST_OPS_NONE, {PRIM_ARG_UNDEF}, {LAYOUT_KEEP}, NULL},
        [GRAPH_TRANSPOSE] = {"transposition", POST_OPS_NONE, {PRIM_ARG_UNDEF}, {LAYOUT_KEEP}, NULL},
        [GRAPH_SLICE] = {"slice", POST_OPS_NONE, {PRIM_ARG_UNDEF}, {LAYOUT_KEEP}, NULL},
};
