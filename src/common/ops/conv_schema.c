// SPDX-License-Identifier: Apache-2.0
// The forward pass of convolution, with groups, dilation and padding.
// doc/primitives/convolution.md has the rules in words.
#include "conv_rules.h"

enum { SRC, WEI, BIA, DST, NTENSORS };

static prim_status_t check(const shapes_t *shapes)
{
    return prim__conv_check(
            shapes, &(const conv_roles_t){.src = SRC, .wei = WEI, .bia = BIA, .dst = DST});
}

static const tensor_rule_t tensors[] = {
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
                .scales = MASK_COMMON | MASK_OUTPUTS,
                .zero_points = MASK_COMMON},
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
                .scales = MASK_COMMON | MASK_CHANNELS,
                .zero_points = MASK_COMMON | MASK_CHANNELS},
        {0},
};

extern const impl_t *const *const prim__conv_forward_lists[];

const op_schema_t prim__conv_forward_schema = {
        .kind = PRIM_CONVOLUTION,
        .direction = FORWARD,
        .name = "convolution",
        .driver = "conv",
        .sums_products = true,
        .has_prop_kind = true,
        .alg_is_choice = true,
        .algs = prim__conv_algs,
        .tensors = tensors,
        .params = prim__conv_params,
        .post_ops = ALLOW_CHAIN,
        .check = check,
        .repro = prim__conv_repro,
        .lists = prim__conv_forward_lists,
};

prim_status_t prim_convolution_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *bias_md,
        const prim_memory_desc_t *dst_md, const prim_dim_t *strides, const prim_dim_t *dilates,
        const prim_dim_t *pad_l, const prim_dim_t *pad_r, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(strides);
    CHECK_NOT_NULL(pad_l);
    const prim_memory_desc_t *const mds[NTENSORS] = {
            [SRC] = src_md, [WEI] = wei_md, [BIA] = bias_md, [DST] = dst_md};
    const window_arrays_t arrays = {
            .strides = strides, .dilates = dilates, .pad_l = pad_l, .pad_r = pad_r};
    op_desc_t op = {.kind = PRIM_CONVOLUTION, .prop_kind = prop_kind, .alg_kind = alg};
    prim__window_take(&op.u.spatial, &arrays, src_md);
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__conv_forward_schema, &op, &request);
}
