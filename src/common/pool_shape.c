// SPDX-License-Identifier: Apache-2.0
// Properties of a pooling problem that every implementation needs: axes, windows in the padding,
// workspace.
#include "pool_shape.h"

#include "common/int_math.h"
#include "common/ops/window.h"

void prim__pooling_axes(pool_axis_t axes[3], const prim_desc_t *pd)
{
    const spatial_params_t *const p = &pd->op.u.spatial;
    const bool is_backward = prim__pd_has(pd, PRIM_ARG_DIFF_DST);
    const prim_memory_desc_t *const src =
            prim__pd_md(pd, is_backward ? PRIM_ARG_DIFF_SRC : PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst =
            prim__pd_md(pd, is_backward ? PRIM_ARG_DIFF_DST : PRIM_ARG_DST);
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

void prim__pooling_windows(
        const pool_axis_t *axis, prim_dim_t at, prim_dim_t *begin, prim_dim_t *end)
{
    const prim_dim_t from_first = at + axis->pad - (axis->kernel - 1) * axis->step;
    const prim_dim_t last = (at + axis->pad) / axis->stride;
    *begin = from_first > 0 ? prim__ceil_div(from_first, axis->stride) : 0;
    *end = last < axis->out ? last + 1 : axis->out;
}

prim_dim_t prim__pooling_count_taps(const pool_axis_t *axis, prim_dim_t window)
{
    const prim_dim_t start = window * axis->stride - axis->pad;
    const prim_dim_t first = start < 0 ? prim__ceil_div(-start, axis->step) : 0;
    const prim_dim_t inside = prim__ceil_div(axis->in - start, axis->step);
    return prim__min(inside, axis->kernel) - first;
}

bool prim__pooling_has_hollow_window(const prim_desc_t *pd)
{
    return prim__window_is_hollow(
            &pd->op.u.spatial, prim__pd_md(pd, PRIM_ARG_SRC), prim__pd_md(pd, PRIM_ARG_DST));
}

bool prim__pooling_has_workspace(const prim_desc_t *pd)
{
    return pd->op.alg_kind == PRIM_POOLING_MAX && pd->op.prop_kind == PRIM_FORWARD_TRAINING;
}

prim_status_t prim__pooling_resolve(prim_desc_t *pd)
{
    TRY(prim__pd_follow(pd));
    if (!prim__pooling_has_workspace(pd)) return PRIM_SUCCESS;

    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    double taps = 1.;
    for (int i = 0; i < dst->ndims - 2; ++i) taps *= (double)pd->op.u.spatial.kernel[i];
    REQUIRE(pd, taps <= INT32_MAX,
            "the window has %lld elements: their indices do not fit the workspace's s32",
            (long long)taps);
    prim_memory_desc_t workspace;
    TRY(prim_memory_desc_init_by_tag(&workspace, dst->ndims, dst->dims,
            taps <= UINT8_MAX ? PRIM_U8 : PRIM_S32, PRIM_FORMAT_ANY));
    TRY(prim__md_set_like_if_any(&workspace, dst));
    return prim__pd_add_output(pd, PRIM_ARG_WORKSPACE, &workspace);
}
