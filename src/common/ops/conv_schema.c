// SPDX-License-Identifier: Apache-2.0
// Convolution, with groups, dilation and padding. doc/primitives/convolution.md has the rules in
// words.
#include "repro.h"
#include "window.h"

enum { SRC, WEI, BIA, DST, NTENSORS };

static prim_status_t check_ranks(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const wei = shapes->mds[WEI];
    const prim_memory_desc_t *const bia = shapes->mds[BIA], *const dst = shapes->mds[DST];
    CHECK(src->ndims >= 3 && src->ndims <= 5, "convolution src has %d dimensions, not 3, 4 or 5",
            src->ndims);
    CHECK(dst->ndims == src->ndims, "convolution dst has %d dimensions, src has %d", dst->ndims,
            src->ndims);
    CHECK(wei->ndims == src->ndims || wei->ndims == src->ndims + 1,
            "convolution weights have %d dimensions, not %d or, with groups, %d", wei->ndims,
            src->ndims, src->ndims + 1);
    CHECK(!bia || bia->ndims == 1, "convolution bias has %d dimensions, not 1", bia->ndims);
    return PRIM_SUCCESS;
}

static prim_status_t check_channels(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const wei = shapes->mds[WEI];
    const prim_memory_desc_t *const bia = shapes->mds[BIA], *const dst = shapes->mds[DST];
    const int with_groups = wei->ndims - src->ndims;
    const prim_dim_t g = with_groups ? wei->dims[0] : 1;
    const prim_dim_t oc = g * wei->dims[with_groups], ic = g * wei->dims[with_groups + 1];
    CHECK(!prim__md_is_empty(wei), "convolution weights have a dimension of 0");
    CHECK(src->dims[0] == dst->dims[0], "convolution dst has %lld images, src has %lld",
            (long long)dst->dims[0], (long long)src->dims[0]);
    CHECK(src->dims[1] == ic, "convolution src has %lld channels, weights have %lld",
            (long long)src->dims[1], (long long)ic);
    CHECK(dst->dims[1] == oc, "convolution dst has %lld channels, weights make %lld",
            (long long)dst->dims[1], (long long)oc);
    CHECK(!bia || bia->dims[0] == oc, "convolution bias has %lld elements, dst has %lld channels",
            (long long)bia->dims[0], (long long)oc);
    return PRIM_SUCCESS;
}

static prim_status_t check_window(const spatial_params_t *p, int i, prim_dim_t kernel)
{
    CHECK(p->strides[i] >= 1 && p->strides[i] <= WINDOW_LIMIT,
            "convolution stride %lld is not positive or too large", (long long)p->strides[i]);
    CHECK(kernel <= WINDOW_LIMIT && p->dilates[i] >= 0 && p->dilates[i] <= WINDOW_LIMIT / kernel,
            "convolution dilation %lld is negative or too large", (long long)p->dilates[i]);
    CHECK(p->pad_l[i] >= 0 && p->pad_l[i] <= WINDOW_LIMIT,
            "convolution padding %lld in front is negative or too large", (long long)p->pad_l[i]);
    CHECK(p->pad_r[i] > -p->strides[i] && p->pad_r[i] <= WINDOW_LIMIT,
            "convolution padding %lld behind is not above -stride or too large",
            (long long)p->pad_r[i]);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    TRY(check_ranks(shapes));
    TRY(check_channels(shapes));
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const dst = shapes->mds[DST];
    const spatial_params_t *const p = &shapes->op->u.spatial;
    const int first_tap = shapes->mds[WEI]->ndims - src->ndims + 2;
    for (int i = 0; i < src->ndims - 2; ++i) {
        const prim_dim_t kernel = shapes->mds[WEI]->dims[first_tap + i];
        TRY(check_window(p, i, kernel));
        const prim_dim_t expected = prim__window_out(p, i, kernel, src->dims[2 + i]);
        CHECK(dst->dims[2 + i] == expected,
                "convolution dst has spatial size %lld where src, kernel and padding give %lld",
                (long long)dst->dims[2 + i], (long long)expected);
    }
    return PRIM_SUCCESS;
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

static const param_rule_t params[] = {
        {"strides", PARAM_DIMS, offsetof(op_desc_t, u.spatial.strides), PRIM_QUERY_STRIDES, false,
                "stride"},
        {"dilations", PARAM_DIMS, offsetof(op_desc_t, u.spatial.dilates), PRIM_QUERY_DILATIONS,
                false, "dilation"},
        {"pad_l", PARAM_DIMS, offsetof(op_desc_t, u.spatial.pad_l), PRIM_QUERY_PADDING_L, false,
                NULL},
        {"pad_r", PARAM_DIMS, offsetof(op_desc_t, u.spatial.pad_r), PRIM_QUERY_PADDING_R, false,
                NULL},
        {0},
};

static const prim_alg_kind_t algs[] = {
        PRIM_CONVOLUTION_DIRECT, PRIM_CONVOLUTION_WINOGRAD, PRIM_CONVOLUTION_AUTO, PRIM_ALG_UNDEF};

static const repro_alg_t alg_words[] = {{PRIM_CONVOLUTION_DIRECT, "direct"},
        {PRIM_CONVOLUTION_WINOGRAD, "wino"}, {PRIM_CONVOLUTION_AUTO, "auto"}, {0}};

static void add_groups(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const prim_memory_desc_t *const wei = prim__pd_md(pd, word->arg);
    const bool has_groups = wei->ndims > prim__pd_md(pd, PRIM_ARG_SRC)->ndims;
    prim__text_add(out, "%s", word->text);
    if (has_groups) prim__text_add(out, "g%lld", (long long)wei->dims[0]);
}

static void add_windows(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const prim_memory_desc_t *const wei = prim__pd_md(pd, word->arg);
    const int with_groups = wei->ndims > prim__pd_md(pd, PRIM_ARG_SRC)->ndims;
    prim__repro_add_windows(out, pd, &wei->dims[with_groups + 2]);
}

static const int strided[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST, PRIM_ARG_UNDEF};

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_DST},
        {.add = prim__repro_type, .text = " --bia-dt=", .arg = PRIM_ARG_BIAS},
        {.add = prim__repro_holes, .text = " --stag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_holes, .text = " --wtag=", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_holes, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_strides, .args = strided},
        {.add = prim__repro_alg, .text = " --alg=", .algs = alg_words},
        {.is_attr = true},
        {.add = add_groups, .text = " ", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_images, .text = "", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_outputs, .arg = PRIM_ARG_DST},
        {.add = add_windows, .arg = PRIM_ARG_WEIGHTS},
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
        .algs = algs,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_CHAIN,
        .check = check,
        .repro = repro,
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
