// SPDX-License-Identifier: Apache-2.0
// Convolution: checks of the arguments and the problem they make. doc/primitives/convolution.md has
// the rules in words.
#include "impl.h"

/// The largest value of a spatial parameter: sums and products of a few of them stay far from
/// overflow.
static const prim_dim_t limit = (prim_dim_t)1 << 40;

static bool is_absent(const prim_memory_desc_t *bias)
{
    return !bias || prim__md_is_zero(bias);
}

static prim_status_t check_ranks(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bias, const prim_memory_desc_t *dst)
{
    TRY(prim__md_check(src, "src"));
    TRY(prim__md_check(wei, "weights"));
    if (!is_absent(bias)) TRY(prim__md_check(bias, "bias"));
    TRY(prim__md_check(dst, "dst"));
    CHECK(src->ndims >= 3 && src->ndims <= 5, "convolution src has %d dimensions, not 3, 4 or 5",
            src->ndims);
    CHECK(dst->ndims == src->ndims, "convolution dst has %d dimensions, src has %d", dst->ndims,
            src->ndims);
    CHECK(wei->ndims == src->ndims || wei->ndims == src->ndims + 1,
            "convolution weights have %d dimensions, not %d or, with groups, %d", wei->ndims,
            src->ndims, src->ndims + 1);
    CHECK(is_absent(bias) || bias->ndims == 1, "convolution bias has %d dimensions, not 1",
            bias->ndims);
    if (prim__md_has_runtime(src) || prim__md_has_runtime(wei) || prim__md_has_runtime(dst) ||
            (!is_absent(bias) && prim__md_has_runtime(bias)))
        return prim__fail(PRIM_UNIMPLEMENTED, "convolution takes no run-time dimensions");
    return PRIM_SUCCESS;
}

static prim_status_t check_channels(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bias, const prim_memory_desc_t *dst)
{
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
    CHECK(is_absent(bias) || bias->dims[0] == oc,
            "convolution bias has %lld elements, dst has %lld channels", (long long)bias->dims[0],
            (long long)oc);
    return PRIM_SUCCESS;
}

static prim_status_t check_window(const spatial_params_t *p, int i, prim_dim_t kernel)
{
    CHECK(p->strides[i] >= 1 && p->strides[i] <= limit,
            "convolution stride %lld is not positive or too large", (long long)p->strides[i]);
    CHECK(kernel <= limit && p->dilates[i] >= 0 && p->dilates[i] <= limit / kernel,
            "convolution dilation %lld is negative or too large", (long long)p->dilates[i]);
    CHECK(p->pad_l[i] >= 0 && p->pad_l[i] <= limit,
            "convolution padding %lld in front is negative or too large", (long long)p->pad_l[i]);
    CHECK(p->pad_r[i] > -p->strides[i] && p->pad_r[i] <= limit,
            "convolution padding %lld behind is not above -stride or too large",
            (long long)p->pad_r[i]);
    return PRIM_SUCCESS;
}

static prim_status_t check_spatial(const spatial_params_t *p, const prim_memory_desc_t *src,
        const prim_memory_desc_t *wei, const prim_memory_desc_t *dst)
{
    const int first_tap = wei->ndims - src->ndims + 2;
    for (int i = 0; i < src->ndims - 2; ++i) {
        const prim_dim_t kernel = wei->dims[first_tap + i];
        TRY(check_window(p, i, kernel));
        const prim_dim_t extent = (kernel - 1) * (p->dilates[i] + 1) + 1;
        const prim_dim_t room = src->dims[2 + i] - extent + p->pad_l[i] + p->pad_r[i];
        const prim_dim_t expected = room < 0 ? 0 : room / p->strides[i] + 1;
        CHECK(dst->dims[2 + i] == expected,
                "convolution dst has spatial size %lld where src, kernel and padding give %lld",
                (long long)dst->dims[2 + i], (long long)expected);
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_attr(const prim_attr_t *attr, bool has_groups)
{
    if (!attr) return PRIM_SUCCESS;
    const int per_oc = has_groups ? 3 : 1;
    const quant_rule_t scales[] = {
            {PRIM_ARG_SRC, 1, {0}, false},
            {PRIM_ARG_WEIGHTS, 2, {0, per_oc}, false},
            {PRIM_ARG_DST, 2, {0, 2}, false},
    };
    const quant_rule_t zero_points[] = {
            {PRIM_ARG_SRC, 2, {0, 2}, false},
            {PRIM_ARG_WEIGHTS, 1, {0}, false},
            {PRIM_ARG_DST, 2, {0, 2}, false},
    };
    TRY(prim__attr_check_kinds(
            attr, "convolution", ALLOW_SCALES | ALLOW_ZERO_POINTS | ALLOW_CHAIN));
    TRY(prim__quants_check(attr->scales, attr->nscales, "scales", "convolution", scales, 3));
    return prim__quants_check(
            attr->zero_points, attr->nzero_points, "zero points", "convolution", zero_points, 3);
}

prim_status_t prim_convolution_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *bias_md,
        const prim_memory_desc_t *dst_md, const prim_dim_t *strides, const prim_dim_t *dilates,
        const prim_dim_t *pad_l, const prim_dim_t *pad_r, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(wei_md);
    CHECK_NOT_NULL(dst_md);
    CHECK_NOT_NULL(strides);
    CHECK_NOT_NULL(pad_l);
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "convolution prop kind %d is not a forward one", (int)prop_kind);
    CHECK(alg == PRIM_CONVOLUTION_DIRECT || alg == PRIM_CONVOLUTION_WINOGRAD ||
                    alg == PRIM_CONVOLUTION_AUTO,
            "algorithm %#x is not one of convolution", (unsigned)alg);
    TRY(check_ranks(src_md, wei_md, bias_md, dst_md));
    TRY(check_channels(src_md, wei_md, bias_md, dst_md));

    op_desc_t op = {0};
    op.kind = PRIM_CONVOLUTION;
    op.prop_kind = prop_kind;
    op.alg_kind = alg;
    for (int i = 0; i < src_md->ndims - 2; ++i) {
        op.u.spatial.strides[i] = strides[i];
        op.u.spatial.dilates[i] = dilates ? dilates[i] : 0;
        op.u.spatial.pad_l[i] = pad_l[i];
        op.u.spatial.pad_r[i] = pad_r ? pad_r[i] : pad_l[i];
    }
    TRY(check_spatial(&op.u.spatial, src_md, wei_md, dst_md));
    TRY(check_attr(attr, wei_md->ndims > src_md->ndims));

    const prim_memory_desc_t none = {0};
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_WEIGHTS, .md = *wei_md},
            {.arg = PRIM_ARG_BIAS, .md = is_absent(bias_md) ? none : *bias_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md},
    };
    return prim__desc_create(pd, engine, NULL, &op, tensors, 4, attr);
}
