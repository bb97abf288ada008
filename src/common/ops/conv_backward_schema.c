// SPDX-License-Identifier: Apache-2.0
// The gradients of convolution by src, and by weights and bias. doc/primitives/convolution.md has
// the rules in words.
#include "conv_rules.h"

static prim_status_t check_data(const shapes_t *shapes)
{
    return prim__conv_check_data(shapes, false);
}

static prim_status_t check_weights(const shapes_t *shapes)
{
    return prim__conv_check_weights(shapes, false);
}

extern const impl_t *const *const prim__conv_backward_data_lists[];
extern const impl_t *const *const prim__conv_backward_weights_lists[];

const op_schema_t prim__conv_backward_data_schema = {
        .kind = PRIM_CONVOLUTION,
        .direction = BACKWARD,
        .name = "convolution backward data",
        .driver = "conv",
        .sums_products = true,
        .has_prop_kind = true,
        .alg_is_choice = true,
        .algs = prim__conv_algs,
        .tensors = prim__product_data_tensors,
        .params = prim__conv_params,
        .check = check_data,
        .repro = prim__conv_repro,
        .lists = prim__conv_backward_data_lists,
};

const op_schema_t prim__conv_backward_weights_schema = {
        .kind = PRIM_CONVOLUTION,
        .direction = BACKWARD_WEIGHTS,
        .name = "convolution backward weights",
        .driver = "conv",
        .sums_products = true,
        .has_prop_kind = true,
        .alg_is_choice = true,
        .algs = prim__conv_algs,
        .tensors = prim__product_weights_tensors,
        .params = prim__conv_params,
        .check = check_weights,
        .repro = prim__conv_repro,
        .lists = prim__conv_backward_weights_lists,
};

prim_status_t prim_convolution_backward_data_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *diff_dst_md,
        const prim_dim_t *strides, const prim_dim_t *dilates, const prim_dim_t *pad_l,
        const prim_dim_t *pad_r, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[PRODUCT_NDATA_TENSORS] = {
            [PRODUCT_DATA_DIFF_DST] = diff_dst_md,
            [PRODUCT_DATA_WEI] = wei_md,
            [PRODUCT_DATA_DIFF_SRC] = diff_src_md};
    const conv_call_t call = {.prop_kind = PRIM_BACKWARD_DATA,
            .alg_kind = alg,
            .src = diff_src_md,
            .windows = {.strides = strides, .dilates = dilates, .pad_l = pad_l, .pad_r = pad_r}};
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__conv_create(pd, &prim__conv_backward_data_schema, &call, &request);
}

prim_status_t prim_convolution_backward_weights_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *diff_wei_md, const prim_memory_desc_t *diff_bias_md,
        const prim_memory_desc_t *diff_dst_md, const prim_dim_t *strides, const prim_dim_t *dilates,
        const prim_dim_t *pad_l, const prim_dim_t *pad_r, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[PRODUCT_NWEIGHTS_TENSORS] = {[PRODUCT_WEIGHTS_SRC] = src_md,
            [PRODUCT_WEIGHTS_DIFF_DST] = diff_dst_md,
            [PRODUCT_WEIGHTS_DIFF_WEI] = diff_wei_md,
            [PRODUCT_WEIGHTS_DIFF_BIA] = diff_bias_md};
    const conv_call_t call = {.prop_kind = PRIM_BACKWARD_WEIGHTS,
            .alg_kind = alg,
            .src = src_md,
            .windows = {.strides = strides, .dilates = dilates, .pad_l = pad_l, .pad_r = pad_r}};
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__conv_create(pd, &prim__conv_backward_weights_schema, &call, &request);
}
