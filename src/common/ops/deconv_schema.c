// SPDX-License-Identifier: Apache-2.0
// Deconvolution: convolution's transpose, with groups, dilation and padding.
// doc/primitives/deconvolution.md has the rules in words.
#include "conv_rules.h"

enum { SRC, WEI, BIA, DST, NTENSORS };

static prim_status_t check_forward(const shapes_t *shapes)
{
    static const conv_roles_t roles = {SRC, WEI, BIA, DST, .is_transposed = true};
    return prim__conv_check(shapes, &roles);
}

static prim_status_t check_data(const shapes_t *shapes)
{
    return prim__conv_check_data(shapes, true);
}

static prim_status_t check_weights(const shapes_t *shapes)
{
    return prim__conv_check_weights(shapes, true);
}

static const tensor_rule_t forward_tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_COMMON,
                .zero_points = MASK_COMMON | MASK_CHANNELS},
        [WEI] = {.arg = PRIM_ARG_WEIGHTS,
                .name = "weights",
                .log_name = "wei",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .scales = MASK_COMMON | MASK_OUTPUTS},
        [BIA] = {.arg = PRIM_ARG_BIAS,
                .name = "bias",
                .log_name = "bia",
                .flags = TENSOR_INPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .query_index = 1},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_DST_MD,
                .scales = MASK_COMMON,
                .zero_points = MASK_COMMON | MASK_CHANNELS},
        {0},
};

static const prim_alg_kind_t algs[] = {
        PRIM_DECONVOLUTION_DIRECT, PRIM_DECONVOLUTION_WINOGRAD, PRIM_ALG_UNDEF};

extern const impl_t *const *const prim__deconv_forward_lists[];
extern const impl_t *const *const prim__deconv_backward_data_lists[];
extern const impl_t *const *const prim__deconv_backward_weights_lists[];

const op_schema_t prim__deconv_forward_schema = {
        .kind = PRIM_DECONVOLUTION,
        .direction = FORWARD,
        .name = "deconvolution",
        .driver = "deconv",
        .sums_products = true,
        .has_prop_kind = true,
        .algs = algs,
        .tensors = forward_tensors,
        .params = prim__conv_params,
        .post_ops = ALLOW_CHAIN,
        .check = check_forward,
        .repro = prim__conv_repro,
        .lists = prim__deconv_forward_lists,
};

const op_schema_t prim__deconv_backward_data_schema = {
        .kind = PRIM_DECONVOLUTION,
        .direction = BACKWARD,
        .name = "deconvolution backward data",
        .driver = "deconv",
        .sums_products = true,
        .has_prop_kind = true,
        .algs = algs,
        .tensors = prim__product_data_tensors,
        .params = prim__conv_params,
        .check = check_data,
        .repro = prim__conv_repro,
        .lists = prim__deconv_backward_data_lists,
};

const op_schema_t prim__deconv_backward_weights_schema = {
        .kind = PRIM_DECONVOLUTION,
        .direction = BACKWARD_WEIGHTS,
        .name = "deconvolution backward weights",
        .driver = "deconv",
        .sums_products = true,
        .has_prop_kind = true,
        .algs = algs,
        .tensors = prim__product_weights_tensors,
        .params = prim__conv_params,
        .check = check_weights,
        .repro = prim__conv_repro,
        .lists = prim__deconv_backward_weights_lists,
};

prim_status_t prim_deconvolution_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *bias_md,
        const prim_memory_desc_t *dst_md, const prim_dim_t *strides, const prim_dim_t *dilates,
        const prim_dim_t *pad_l, const prim_dim_t *pad_r, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {
            [SRC] = src_md, [WEI] = wei_md, [BIA] = bias_md, [DST] = dst_md};
    const conv_call_t call = {.prop_kind = prop_kind,
            .alg_kind = alg,
            .src = src_md,
            .windows = {.strides = strides, .dilates = dilates, .pad_l = pad_l, .pad_r = pad_r}};
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__conv_create(pd, &prim__deconv_forward_schema, &call, &request);
}

prim_status_t prim_deconvolution_backward_data_desc_create(prim_desc_t **pd, prim_engine_t *engine,
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
    return prim__conv_create(pd, &prim__deconv_backward_data_schema, &call, &request);
}

prim_status_t prim_deconvolution_backward_weights_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
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
    return prim__conv_create(pd, &prim__deconv_backward_weights_schema, &call, &request);
}
