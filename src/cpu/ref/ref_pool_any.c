// SPDX-License-Identifier: Apache-2.0
// Pooling on the CPU, forward: maxima and means in double for any type, layout, window and post-op.
#include <math.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/pool_shape.h"
#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pooling_resolve(pd);
}

typedef struct {
    prim_alg_kind_t alg;
    int nspatial;
    int dim; ///< of the rows
    pool_axis_t axes[3];
    double kernel_elems, lowest;
    const void *src;
    void *workspace;
    const prim_memory_desc_t *src_md, *workspace_md;
    ref_finish_t finish;
} pool_t;

/// A row of windows: windows 0..n−1 start stride·i behind the first one along the row's axis.
typedef struct {
    prim_dim_t n;
    prim_dim_t start[3];                 ///< src index of the first window's first tap
    prim_dim_t tap_begin[3], tap_end[3]; ///< the taps that some window has inside src
    double acc[REF_ROW_ELEMS];
    double winner[REF_ROW_ELEMS]; ///< flat index of the maximum in the kernel; −1: no tap yet
    double ntaps[REF_ROW_ELEMS];  ///< elements of src under the window
} windows_t;

static void init_windows(const pool_t *p, windows_t *w, const prim_dim_t *position, prim_dim_t n)
{
    w->n = n;
    for (int a = 0; a < 3; ++a) {
        const pool_axis_t *const axis = &p->axes[a];
        const int d = a + p->nspatial - 1; // its place in the tensors; below 2 for absent ones
        const prim_dim_t first = d < 2 ? 0 : position[d] * axis->stride - axis->pad;
        const prim_dim_t last = d >= 2 && d == p->dim ? first + (n - 1) * axis->stride : first;
        w->start[a] = first;
        w->tap_begin[a] = last >= 0 ? 0 : prim__ceil_div(-last, axis->step);
        w->tap_end[a] = first >= axis->in ? 0 : prim__ceil_div(axis->in - first, axis->step);
        if (w->tap_end[a] > axis->kernel) w->tap_end[a] = axis->kernel;
    }
    for (prim_dim_t i = 0; i < n; ++i) {
        w->acc[i] = p->alg == PRIM_POOLING_MAX ? -(double)INFINITY : 0;
        w->winner[i] = -1;
        w->ntaps[i] = 0;
    }
}

// NaN never wins; the first tap gives the index until something is greater.
static void take_max(windows_t *w, const double *row, prim_dim_t lo, prim_dim_t hi, double index)
{
    for (prim_dim_t i = lo; i < hi; ++i) {
        const bool wins = row[i] > w->acc[i];
        if (wins) w->acc[i] = row[i];
        if (wins || w->winner[i] < 0) w->winner[i] = index;
    }
}

static void take_sum(windows_t *w, const double *row, prim_dim_t lo, prim_dim_t hi)
{
    for (prim_dim_t i = lo; i < hi; ++i) {
        w->acc[i] += row[i];
        ++w->ntaps[i];
    }
}

// Tap `k` of all windows of the row that have it inside src.
static void take_tap(const pool_t *p, windows_t *w, const prim_dim_t *position, const prim_dim_t *k)
{
    prim_dims_t at = {position[0], position[1]};
    prim_dim_t lo = 0, hi = w->n, stride = prim__ref_row_stride(p->src_md, p->dim);
    for (int d = 2; d < 2 + p->nspatial; ++d) {
        const int a = d - p->nspatial + 1;
        const pool_axis_t *const axis = &p->axes[a];
        at[d] = w->start[a] + k[a] * axis->step;
        if (d != p->dim) continue;
        if (at[d] < 0) lo = prim__ceil_div(-at[d], axis->stride);
        const prim_dim_t inside = prim__ceil_div(axis->in - at[d], axis->stride);
        if (inside < hi) hi = inside;
        at[d] += lo * axis->stride;
        stride *= axis->stride;
    }
    if (lo >= hi) return;

    double row[REF_ROW_ELEMS];
    prim__ref_load_row(row + lo, p->src, p->src_md->data_type, prim__md_offset(p->src_md, at),
            stride, hi - lo);
    const pool_axis_t *const axes = p->axes;
    if (p->alg == PRIM_POOLING_MAX)
        take_max(w, row, lo, hi, (double)((k[0] * axes[1].kernel + k[1]) * axes[2].kernel + k[2]));
    else
        take_sum(w, row, lo, hi);
}

static void finish_windows(const pool_t *p, windows_t *w)
{
    for (prim_dim_t i = 0; i < w->n; ++i) {
        switch (p->alg) {
        case PRIM_POOLING_AVG_INCLUDE_PADDING: w->acc[i] /= p->kernel_elems; break;
        case PRIM_POOLING_AVG_EXCLUDE_PADDING: w->acc[i] /= w->ntaps[i]; break;
        default:
            if (w->winner[i] >= 0) break;
            w->winner[i] = 0; // all padding: the least number there is
            w->acc[i] = p->lowest;
            break;
        }
    }
}

static void pool_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const pool_t *p = arg;
    windows_t w;
    init_windows(p, &w, position, n);
    prim_dim_t k[3];
    for (k[0] = w.tap_begin[0]; k[0] < w.tap_end[0]; ++k[0])
        for (k[1] = w.tap_begin[1]; k[1] < w.tap_end[1]; ++k[1])
            for (k[2] = w.tap_begin[2]; k[2] < w.tap_end[2]; ++k[2]) take_tap(p, &w, position, k);
    finish_windows(p, &w);

    prim__ref_finish_store_row(&p->finish, w.acc, position, p->dim, n);
    if (!p->workspace) return;
    prim__ref_store_at(w.winner, p->workspace, p->workspace_md, position, p->dim, n);
}

// Rows follow dst; src takes part with its strides alone, as its extents are others.
static int choose_row_dim(const pool_t *p)
{
    prim_memory_desc_t src = *p->src_md;
    for (int d = 0; d < src.ndims; ++d) src.dims[d] = p->finish.dst_md->dims[d];
    return prim__ref_row_dim((const prim_memory_desc_t *const[]){p->finish.dst_md, &src}, 2);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    pool_t p = {.alg = pd->op.alg_kind,
            .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .src_md = prim__pd_md(pd, PRIM_ARG_SRC),
            .workspace_md = prim__pd_md(pd, PRIM_ARG_WORKSPACE)};
    if (prim__pooling_has_workspace(pd)) p.workspace = prim__ref_pointer(ctx, PRIM_ARG_WORKSPACE);
    prim__ref_finish_init(&p.finish, pd, ctx);
    prim__pooling_axes(p.axes, pd);
    p.nspatial = p.src_md->ndims - 2;
    p.lowest = prim__dt_lowest(p.finish.dst_md->data_type);
    p.kernel_elems = 1;
    for (int a = 0; a < 3; ++a) p.kernel_elems *= (double)p.axes[a].kernel;
    p.dim = choose_row_dim(&p);

    prim__ref_for_each_row(p.finish.dst_md, p.dim, pool_row, &p);
    prim__ref_clear_padding(p.finish.dst, p.finish.dst_md);
    if (p.workspace) prim__ref_clear_padding(p.workspace, p.workspace_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_pool_any = {
        .name = "ref:pool:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
