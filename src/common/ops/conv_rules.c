// SPDX-License-Identifier: Apache-2.0
// What the directions of convolution and deconvolution have in common: parameters, algorithms, the
// words of benchdnn, and the rules of shapes and windows.
#include "conv_rules.h"

#include "common/conv_shape.h"
#include "common/data_type.h"

const param_rule_t prim__conv_params[] = {
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

const prim_alg_kind_t prim__conv_algs[] = {
        PRIM_CONVOLUTION_DIRECT, PRIM_CONVOLUTION_WINOGRAD, PRIM_CONVOLUTION_AUTO, PRIM_ALG_UNDEF};

static const repro_alg_t alg_words[] = {{PRIM_CONVOLUTION_DIRECT, "direct"},
        {PRIM_CONVOLUTION_WINOGRAD, "wino"}, {PRIM_CONVOLUTION_AUTO, "auto"},
        {PRIM_DECONVOLUTION_DIRECT, "direct"}, {PRIM_DECONVOLUTION_WINOGRAD, "wino"}, {0}};

static void add_groups(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const prim_memory_desc_t *const wei = prim__conv_md(pd, word->arg);
    const bool has_groups = wei->ndims > prim__conv_md(pd, PRIM_ARG_SRC)->ndims;
    prim__text_add(out, "%s", word->text);
    if (has_groups) prim__text_add(out, "g%lld", (long long)wei->dims[0]);
}

static void add_windows(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const prim_memory_desc_t *const wei = prim__conv_md(pd, word->arg);
    const int with_groups = wei->ndims > prim__conv_md(pd, PRIM_ARG_SRC)->ndims;
    prim__repro_add_windows(out, pd, &wei->dims[with_groups + 2]);
}

static const int strided[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST, PRIM_ARG_UNDEF};

const repro_word_t prim__conv_repro[] = {
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

/// The tensors by the part that they play, and their names in sentences.
typedef struct {
    const char *op;
    const prim_memory_desc_t *src, *wei, *bia, *dst; ///< bia NULL: none
    const char *src_name, *wei_name, *bia_name, *dst_name;
} conv_tensors_t;

static void take_tensors(conv_tensors_t *t, const shapes_t *shapes, const conv_roles_t *roles)
{
    const tensor_rule_t *const rules = shapes->schema->tensors;
    *t = (conv_tensors_t){
            .op = shapes->schema->name,
            .src = shapes->mds[roles->src],
            .wei = shapes->mds[roles->wei],
            .dst = shapes->mds[roles->dst],
            .src_name = rules[roles->src].name,
            .wei_name = rules[roles->wei].name,
            .dst_name = rules[roles->dst].name,
    };
    if (roles->bia == NO_BIAS_RULE) return;
    t->bia = shapes->mds[roles->bia];
    t->bia_name = rules[roles->bia].name;
}

static prim_status_t check_ranks(const conv_tensors_t *t)
{
    CHECK(t->src->ndims >= 3 && t->src->ndims <= 5, "%s %s has %d dimensions, not 3, 4 or 5", t->op,
            t->src_name, t->src->ndims);
    CHECK(t->dst->ndims == t->src->ndims, "%s %s has %d dimensions, %s has %d", t->op, t->dst_name,
            t->dst->ndims, t->src_name, t->src->ndims);
    CHECK(t->wei->ndims == t->src->ndims || t->wei->ndims == t->src->ndims + 1,
            "%s %s have %d dimensions, not %d or, with groups, %d", t->op, t->wei_name,
            t->wei->ndims, t->src->ndims, t->src->ndims + 1);
    CHECK(!t->bia || t->bia->ndims == 1, "%s %s has %d dimensions, not 1", t->op, t->bia_name,
            t->bia->ndims);
    return PRIM_SUCCESS;
}

static prim_status_t check_channels(const conv_tensors_t *t)
{
    const int with_groups = t->wei->ndims - t->src->ndims;
    const prim_dim_t g = with_groups ? t->wei->dims[0] : 1;
    const prim_dim_t oc = g * t->wei->dims[with_groups], ic = g * t->wei->dims[with_groups + 1];
    CHECK(!prim__md_is_empty(t->wei), "%s %s have a dimension of 0", t->op, t->wei_name);
    CHECK(t->src->dims[0] == t->dst->dims[0], "%s %s has %lld images, %s has %lld", t->op,
            t->dst_name, (long long)t->dst->dims[0], t->src_name, (long long)t->src->dims[0]);
    CHECK(t->src->dims[1] == ic, "%s %s has %lld channels, %s have %lld", t->op, t->src_name,
            (long long)t->src->dims[1], t->wei_name, (long long)ic);
    CHECK(t->dst->dims[1] == oc, "%s %s has %lld channels, %s make %lld", t->op, t->dst_name,
            (long long)t->dst->dims[1], t->wei_name, (long long)oc);
    CHECK(!t->bia || t->bia->dims[0] == oc, "%s %s has %lld elements, %s has %lld channels", t->op,
            t->bia_name, (long long)t->bia->dims[0], t->dst_name, (long long)oc);
    return PRIM_SUCCESS;
}

static prim_status_t check_window(
        const char *op, const spatial_params_t *p, int i, prim_dim_t kernel)
{
    CHECK(p->strides[i] >= 1 && p->strides[i] <= WINDOW_LIMIT,
            "%s stride %lld is not positive or too large", op, (long long)p->strides[i]);
    CHECK(kernel <= WINDOW_LIMIT && p->dilates[i] >= 0 && p->dilates[i] <= WINDOW_LIMIT / kernel,
            "%s dilation %lld is negative or too large", op, (long long)p->dilates[i]);
    CHECK(p->pad_l[i] >= 0 && p->pad_l[i] <= WINDOW_LIMIT,
            "%s padding %lld in front is negative or too large", op, (long long)p->pad_l[i]);
    CHECK(p->pad_r[i] > -p->strides[i] && p->pad_r[i] <= WINDOW_LIMIT,
            "%s padding %lld behind is not above -stride or too large", op, (long long)p->pad_r[i]);
    return PRIM_SUCCESS;
}

/// Spatial dimension `i`: the tensor on which the windows lie gives the size of the other one.
static prim_status_t check_size(
        const conv_tensors_t *t, const spatial_params_t *p, int i, bool is_transposed)
{
    const prim_dim_t kernel = t->wei->dims[t->wei->ndims - t->src->ndims + 2 + i];
    TRY(check_window(t->op, p, i, kernel));
    const prim_dim_t src = t->src->dims[2 + i], dst = t->dst->dims[2 + i];
    const prim_dim_t expected = prim__window_out(p, i, kernel, is_transposed ? dst : src);
    const prim_dim_t actual = is_transposed ? src : dst;
    CHECK(actual == expected, "%s %s has spatial size %lld where %s, kernel and padding give %lld",
            t->op, is_transposed ? t->src_name : t->dst_name, (long long)actual,
            is_transposed ? t->dst_name : t->src_name, (long long)expected);
    return PRIM_SUCCESS;
}

prim_status_t prim__conv_check(const shapes_t *shapes, const conv_roles_t *roles)
{
    conv_tensors_t t;
    take_tensors(&t, shapes, roles);
    TRY(check_ranks(&t));
    TRY(check_channels(&t));
    const spatial_params_t *const p = &shapes->op->u.spatial;
    for (int i = 0; i < t.src->ndims - 2; ++i) TRY(check_size(&t, p, i, roles->is_transposed));
    return PRIM_SUCCESS;
}

prim_status_t prim__conv_check_data(const shapes_t *shapes, bool is_transposed)
{
    const conv_roles_t roles = {.src = PRODUCT_DATA_DIFF_SRC,
            .wei = PRODUCT_DATA_WEI,
            .bia = NO_BIAS_RULE,
            .dst = PRODUCT_DATA_DIFF_DST,
            .is_transposed = is_transposed};
    TRY(prim__conv_check(shapes, &roles));
    return prim__product_check_floats(shapes);
}

prim_status_t prim__conv_check_weights(const shapes_t *shapes, bool is_transposed)
{
    const conv_roles_t roles = {.src = PRODUCT_WEIGHTS_SRC,
            .wei = PRODUCT_WEIGHTS_DIFF_WEI,
            .bia = PRODUCT_WEIGHTS_DIFF_BIA,
            .dst = PRODUCT_WEIGHTS_DIFF_DST,
            .is_transposed = is_transposed};
    TRY(prim__conv_check(shapes, &roles));
    return prim__product_check_floats(shapes);
}

prim_status_t prim__conv_create(prim_desc_t **pd, const op_schema_t *schema,
        const conv_call_t *call, const request_t *request)
{
    CHECK(call->windows.strides, "strides is NULL");
    CHECK(call->windows.pad_l, "pad_l is NULL");
    op_desc_t op = {.kind = schema->kind, .prop_kind = call->prop_kind, .alg_kind = call->alg_kind};
    if (call->src) prim__window_take(&op.u.spatial, &call->windows, call->src);
    return prim__op_create(pd, schema, &op, request);
}
