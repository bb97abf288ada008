// SPDX-License-Identifier: Apache-2.0
// The forward pass of convolution, with groups, dilation and padding.
// doc/primitives/convolution.md has the rules in words.
#include "conv_rules.h"

enum { SRC, WEI, BIA, DST, NTENSORS, DW_WEI = NTENSORS, DW_BIA };

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
        [DW_WEI] = {.arg = PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS,
                .name = "depthwise weights",
                .log_name = "attr_post_op_dw_wei",
                .flags = TENSOR_INPUT,
                .maker = MADE_BY_POST_OP,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .query_index = 2,
                .scales = MASK_COMMON | MASK_OUTPUTS},
        [DW_BIA] = {.arg = PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_BIAS,
                .name = "depthwise bias",
                .log_name = "attr_post_op_dw_bia",
                .flags = TENSOR_INPUT,
                .maker = MADE_BY_POST_OP,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .query_index = 3},
        {0},
};

/// Its weights and bias, and dst in the order of dimensions that the caller's dst has.
static prim_status_t make_depthwise(
        depthwise_t *made, const shapes_t *shapes, const post_op_t *step)
{
    const prim_memory_desc_t *const between = shapes->mds[DST];
    const prim_dim_t channels = between->dims[1];
    const prim_dim_t wei_dims[] = {channels, 1, 1, step->kernel, step->kernel};
    prim_dim_t dims[] = {between->dims[0], channels, 0, 0};
    for (int d = 2; d < 4; ++d) {
        const prim_dim_t room = between->dims[d] + 2 * step->padding - step->kernel;
        CHECK(step->kernel <= WINDOW_LIMIT && step->stride <= WINDOW_LIMIT && room >= 0,
                "convolution: a depthwise window of %lld is larger than %lld rows or columns with "
                "padding %lld, or too large",
                (long long)step->kernel, (long long)between->dims[d], (long long)step->padding);
        dims[d] = room / step->stride + 1;
    }
    made->bia = (prim_memory_desc_t){0};
    if (step->bias_type != PRIM_DATA_TYPE_UNDEF)
        TRY(prim_memory_desc_init_by_tag(
                &made->bia, 1, &channels, step->bias_type, PRIM_FORMAT_ANY));
    TRY(prim_memory_desc_init_by_tag(&made->wei, 5, wei_dims, step->weights_type, PRIM_FORMAT_ANY));
    TRY(prim_memory_desc_init_by_tag(&made->dst, 4, dims, step->data_type, PRIM_FORMAT_ANY));
    if (prim__md_is_any(between)) return PRIM_SUCCESS;
    return prim__md_set_like_if_any(&made->dst, between);
}

static prim_status_t fuse(
        depthwise_t *made, const shapes_t *shapes, const prim_post_ops_t *post_ops, int index)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const wei = shapes->mds[WEI];
    bool is_pointwise = src->ndims == 4;
    for (int d = wei->ndims - 2; d < wei->ndims; ++d)
        is_pointwise = is_pointwise && wei->dims[d] == 1;
    if (!is_pointwise)
        return prim__fail(PRIM_UNIMPLEMENTED,
                "convolution takes a depthwise post-op (entry %d) behind 1×1 windows on images of "
                "two dimensions alone",
                index);
    for (int i = 0; i < post_ops->len; ++i) {
        const prim_primitive_kind_t kind = post_ops->entries[i].kind;
        if (kind == PRIM_CONVOLUTION && i != index)
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "convolution takes one depthwise post-op, not two (entries %d and %d)", index,
                    i);
        if (kind == PRIM_SUM && i < index)
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "sum (entry %d) before a depthwise post-op would read a tensor that only this "
                    "execution knows",
                    i);
    }
    return make_depthwise(made, shapes, &post_ops->entries[index]);
}

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
        .post_ops = ALLOW_CHAIN | ALLOW_DEPTHWISE,
        .check = check,
        .fuse = fuse,
        .repro = prim__conv_repro,
        .lists = prim__conv_forward_lists,
};

prim_status_t prim_convolution_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
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
    return prim__conv_create(pd, &prim__conv_forward_schema, &call, &request);
}
