// SPDX-License-Identifier: Apache-2.0
// Pooling: checks of the arguments and the problem they make. doc/primitives/pooling.md has the
// rules in words.
#include "pooling_desc.h"

#include <string.h>

static prim_status_t check_tensors(const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    TRY(prim__md_check(src, "src"));
    TRY(prim__md_check(dst, "dst"));
    CHECK(src->ndims >= 3 && src->ndims <= 5, "pooling src has %d dimensions, not 3, 4 or 5",
            src->ndims);
    CHECK(dst->ndims == src->ndims, "pooling dst has %d dimensions, src has %d", dst->ndims,
            src->ndims);
    CHECK(!prim__md_is_any(src), "pooling src has layout any; it must be known");
    if (prim__md_has_runtime(src) || prim__md_has_runtime(dst))
        return prim__fail(PRIM_UNIMPLEMENTED, "pooling takes no run-time dimensions");
    for (int d = 0; d < 2; ++d)
        CHECK(dst->dims[d] == src->dims[d], "pooling dst has %lld in dimension %d, src has %lld",
                (long long)dst->dims[d], d, (long long)src->dims[d]);
    return PRIM_SUCCESS;
}

// The largest value a window parameter may have: sums of a few of them stay far from overflow.
static const prim_dim_t limit = (prim_dim_t)1 << 40;

static prim_status_t check_window(const spatial_params_t *p, int i)
{
    CHECK(p->strides[i] >= 1 && p->strides[i] <= limit, "pooling stride %lld is not positive",
            (long long)p->strides[i]);
    CHECK(p->kernel[i] >= 1 && p->kernel[i] <= limit, "pooling kernel %lld is not positive",
            (long long)p->kernel[i]);
    CHECK(p->dilates[i] >= 0 && p->dilates[i] <= limit / p->kernel[i],
            "pooling dilation %lld is negative or too large", (long long)p->dilates[i]);
    CHECK(p->pad_l[i] >= 0 && p->pad_l[i] <= limit,
            "pooling padding %lld in front is negative or too large", (long long)p->pad_l[i]);
    CHECK(p->pad_r[i] >= -p->strides[i] && p->pad_r[i] <= limit,
            "pooling padding %lld behind is below -stride or too large", (long long)p->pad_r[i]);
    return PRIM_SUCCESS;
}

// Elements a window spans, from its first tap to its last.
static prim_dim_t window_extent(const spatial_params_t *p, int i)
{
    return (p->kernel[i] - 1) * (p->dilates[i] + 1) + 1;
}

static prim_status_t check_size(const spatial_params_t *p, int i, prim_dim_t in, prim_dim_t out)
{
    const prim_dim_t room = in - window_extent(p, i) + p->pad_l[i] + p->pad_r[i];
    const prim_dim_t expected = room < 0 ? 0 : room / p->strides[i] + 1;
    CHECK(out == expected, "pooling dst has spatial size %lld where src and window give %lld",
            (long long)out, (long long)expected);
    return PRIM_SUCCESS;
}

// Whether some window of this dimension has all its taps in the padding. Only windows that start in
// the front padding can skip over src (when the dilation does); all others are told by their ends.
static bool has_hollow_window(const spatial_params_t *p, int i, prim_dim_t in, prim_dim_t out)
{
    if (out == 0) return false;
    if (in == 0 || p->pad_l[i] >= window_extent(p, i)) return true;
    if ((out - 1) * p->strides[i] - p->pad_l[i] >= in) return true;
    const prim_dim_t step = p->dilates[i] + 1;
    if (step <= in) return false;
    for (prim_dim_t o = 0; o < out; ++o) {
        const prim_dim_t before = p->pad_l[i] - o * p->strides[i];
        if (before <= 0) break;
        const prim_dim_t taps = (before + step - 1) / step;
        if (taps >= p->kernel[i] || taps * step - before >= in) return true;
    }
    return false;
}

static bool any_is_hollow(
        const spatial_params_t *p, const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    for (int i = 0; i < src->ndims - 2; ++i)
        if (has_hollow_window(p, i, src->dims[2 + i], dst->dims[2 + i])) return true;
    return false;
}

static prim_status_t check_all_windows(
        const op_desc_t *op, const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    const spatial_params_t *const p = &op->u.spatial;
    for (int i = 0; i < src->ndims - 2; ++i) {
        TRY(check_window(p, i));
        TRY(check_size(p, i, src->dims[2 + i], dst->dims[2 + i]));
    }
    if (op->alg_kind != PRIM_POOLING_AVG_EXCLUDE_PADDING || prim__md_is_empty(dst))
        return PRIM_SUCCESS;
    for (int i = 0; i < src->ndims - 2; ++i)
        CHECK(!has_hollow_window(p, i, src->dims[2 + i], dst->dims[2 + i]),
                "a pooling window lies wholly in the padding, where the mean without padding has "
                "no "
                "value");
    return PRIM_SUCCESS;
}

prim_status_t prim_pooling_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, const prim_dim_t *strides, const prim_dim_t *kernel,
        const prim_dim_t *dilation, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(dst_md);
    CHECK_NOT_NULL(strides);
    CHECK_NOT_NULL(kernel);
    CHECK_NOT_NULL(pad_l);
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "pooling prop kind %d is not a forward one", (int)prop_kind);
    CHECK(alg == PRIM_POOLING_MAX || alg == PRIM_POOLING_AVG_INCLUDE_PADDING ||
                    alg == PRIM_POOLING_AVG_EXCLUDE_PADDING,
            "algorithm %#x is not one of pooling", (unsigned)alg);
    TRY(check_tensors(src_md, dst_md));

    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_POOLING;
    op.prop_kind = prop_kind;
    op.alg_kind = alg;
    for (int i = 0; i < src_md->ndims - 2; ++i) {
        op.u.spatial.strides[i] = strides[i];
        op.u.spatial.kernel[i] = kernel[i];
        op.u.spatial.dilates[i] = dilation ? dilation[i] : 0;
        op.u.spatial.pad_l[i] = pad_l[i];
        op.u.spatial.pad_r[i] = pad_r ? pad_r[i] : pad_l[i];
    }
    TRY(check_all_windows(&op, src_md, dst_md));
    if (attr) TRY(prim__attr_check_kinds(attr, "pooling", ALLOW_ELTWISE | ALLOW_BINARY));

    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md},
    };
    return prim__desc_create(pd, engine, NULL, &op, tensors, 2, attr);
}

void prim__pooling_axes(pool_axis_t axes[3], const prim_desc_t *pd)
{
    const spatial_params_t *const p = &pd->op.u.spatial;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const int nspatial = src->ndims - 2;
    for (int a = 0; a < 3; ++a) {
        const int i = a - (3 - nspatial);
        if (i < 0) {
            axes[a] = (pool_axis_t){.in = 1, .out = 1, .kernel = 1, .stride = 1, .step = 1};
            continue;
        }
        axes[a] = (pool_axis_t){.in = src->dims[2 + i],
                .out = dst->dims[2 + i],
                .kernel = p->kernel[i],
                .stride = p->strides[i],
                .pad = p->pad_l[i],
                .step = p->dilates[i] + 1};
    }
}

bool prim__pooling_has_hollow_window(const prim_desc_t *pd)
{
    return any_is_hollow(
            &pd->op.u.spatial, prim__pd_md(pd, PRIM_ARG_SRC), prim__pd_md(pd, PRIM_ARG_DST));
}

bool prim__pooling_has_workspace(const prim_desc_t *pd)
{
    return pd->op.alg_kind == PRIM_POOLING_MAX && pd->op.prop_kind == PRIM_FORWARD_TRAINING;
}

prim_status_t prim__pooling_resolve(prim_desc_t *pd)
{
    prim_memory_desc_t *const dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    TRY(prim__md_set_like_if_any(dst, prim__pd_md(pd, PRIM_ARG_SRC)));
    if (!prim__pooling_has_workspace(pd)) return PRIM_SUCCESS;

    double taps = 1.;
    for (int i = 0; i < dst->ndims - 2; ++i) taps *= (double)pd->op.u.spatial.kernel[i];
    REQUIRE(pd, taps <= INT32_MAX, "indices inside the kernel do not fit the workspace's s32");
    prim_memory_desc_t workspace;
    TRY(prim_memory_desc_init_by_tag(&workspace, dst->ndims, dst->dims,
            taps <= UINT8_MAX ? PRIM_U8 : PRIM_S32, PRIM_FORMAT_ANY));
    TRY(prim__md_set_like_if_any(&workspace, dst));
    return prim__pd_add_output(pd, PRIM_ARG_WORKSPACE, &workspace);
}
