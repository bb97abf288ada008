// SPDX-License-Identifier: Apache-2.0
// Reduction on the CPU: in double for any type, layout, dimensions and post-op. The elements behind
// an element of dst are dealt to slices, whose results are joined in order: how many there are
// depends on the shapes alone.
#include <math.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_row.h"

/// A slice has so many elements at least; there are so many of them at most.
enum { SLICE_ELEMS = 4096, MOST_SLICES = 256 };

typedef struct {
    prim_alg_kind_t alg;
    double p;
    int dim; ///< of the rows
    const void *src;
    const prim_memory_desc_t *src_md;
    /// The pieces of rows that an element of dst is made of: 1 along dimensions that stay, along
    /// `dim` the number of pieces.
    prim_dims_t walk;
    prim_dim_t npieces, piece_elems, nslices;
    double *slices; ///< [elements of dst, nslices]
    ref_finish_t finish;
} reduction_t;

static bool is_reduced(const prim_memory_desc_t *src, const prim_memory_desc_t *dst, int d)
{
    return dst->dims[d] != src->dims[d];
}

static prim_dim_t count_slices(const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    const prim_dim_t ndst = prim__md_nelems(dst);
    if (ndst == 0) return 1;
    const prim_dim_t fit = MOST_SLICES / ndst, useful = prim__md_nelems(src) / ndst / SLICE_ELEMS;
    const prim_dim_t n = fit < useful ? fit : useful;
    return n < 1 ? 1 : n;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const prim_dim_t nslices = count_slices(src, dst);
    if (nslices > 1) {
        const size_t n = (size_t)(nslices * prim__md_nelems(dst));
        (void)prim__pd_book_scratchpad(pd, n * sizeof(double));
    }
    return prim__pd_follow(pd);
}

static double start_value(prim_alg_kind_t alg)
{
    switch (alg) {
    case PRIM_REDUCTION_MAX: return (double)-INFINITY;
    case PRIM_REDUCTION_MIN: return (double)INFINITY;
    case PRIM_REDUCTION_MUL: return 1;
    default: return 0;
    }
}

/// What an element adds: itself, or |x|^p.
static double term(const reduction_t *r, double x)
{
    if (r->alg < PRIM_REDUCTION_NORM_LP_MAX) return x;
    return r->p == 1 ? fabs(x) : r->p == 2 ? x * x : pow(fabs(x), r->p);
}

static double join(prim_alg_kind_t alg, double a, double b)
{
    switch (alg) {
    case PRIM_REDUCTION_MAX: return b > a || isnan(b) ? b : a;
    case PRIM_REDUCTION_MIN: return b < a || isnan(b) ? b : a;
    case PRIM_REDUCTION_MUL: return a * b;
    default: return a + b;
    }
}

/// The pieces `start` to `end` of the element of dst at `position`.
static double reduce_pieces(
        const reduction_t *r, const prim_dim_t *position, prim_dim_t start, prim_dim_t end)
{
    const int ndims = r->src_md->ndims;
    double result = start_value(r->alg), row[REF_ROW_ELEMS];
    prim_dims_t at;
    for (prim_dim_t piece = start; piece < end; ++piece) {
        prim__position(at, ndims, r->walk, piece);
        const prim_dim_t first = at[r->dim] * r->piece_elems;
        const prim_dim_t left = r->src_md->dims[r->dim] - first;
        const prim_dim_t n = left < r->piece_elems ? left : r->piece_elems;
        at[r->dim] = first;
        for (int d = 0; d < ndims; ++d) at[d] += position[d];
        prim__ref_load_at(row, r->src, r->src_md, at, r->dim, n);
        for (prim_dim_t i = 0; i < n; ++i) result = join(r->alg, result, term(r, row[i]));
    }
    return result;
}

static double last_step(const reduction_t *r, const reduction_params_t *params, double x)
{
    const double eps = (double)params->eps;
    const prim_dim_t ndst = prim__md_nelems(r->finish.dst_md);
    switch (r->alg) {
    case PRIM_REDUCTION_MEAN: return x / (double)(prim__md_nelems(r->src_md) / ndst);
    case PRIM_REDUCTION_NORM_LP_MAX: return pow(join(PRIM_REDUCTION_MAX, eps, x), 1 / r->p);
    case PRIM_REDUCTION_NORM_LP_SUM: return pow(x + eps, 1 / r->p);
    case PRIM_REDUCTION_NORM_LP_POWER_P_MAX: return join(PRIM_REDUCTION_MAX, eps, x);
    case PRIM_REDUCTION_NORM_LP_POWER_P_SUM: return x + eps;
    default: return x;
    }
}

typedef struct {
    reduction_t r;
    const reduction_params_t *params;
} work_t;

static void reduce_slice(prim_dim_t i, void *arg)
{
    const reduction_t *const r = &((const work_t *)arg)->r;
    const prim_memory_desc_t *const dst = r->finish.dst_md;
    prim_dims_t position;
    prim_dim_t start, end;
    prim__position(position, dst->ndims, dst->dims, i / r->nslices);
    prim__balance211(r->npieces, (int)r->nslices, (int)(i % r->nslices), &start, &end);
    r->slices[i] = reduce_pieces(r, position, start, end);
}

static void reduce_element(prim_dim_t i, void *arg)
{
    const work_t *const work = arg;
    const reduction_t *const r = &work->r;
    prim_dims_t position;
    double x;
    prim__position(position, r->finish.dst_md->ndims, r->finish.dst_md->dims, i);
    if (r->nslices == 1) {
        x = reduce_pieces(r, position, 0, r->npieces);
    } else {
        const double *const slices = &r->slices[i * r->nslices];
        x = slices[0];
        for (prim_dim_t s = 1; s < r->nslices; ++s) x = join(r->alg, x, slices[s]);
    }
    prim__ref_finish_store(&r->finish, last_step(r, work->params, x), position);
}

/// Rows lie along the last reduced dimension.
static void set_walk(reduction_t *r)
{
    const prim_memory_desc_t *const src = r->src_md, *const dst = r->finish.dst_md;
    for (int d = 0; d < src->ndims; ++d)
        if (is_reduced(src, dst, d)) r->dim = d;
    r->piece_elems = prim__md_is_cut(src, r->dim) ? 1 : REF_ROW_ELEMS;
    r->npieces = 1;
    for (int d = 0; d < src->ndims; ++d) {
        r->walk[d] = is_reduced(src, dst, d) ? src->dims[d] : 1;
        if (d == r->dim) r->walk[d] = prim__ceil_div(src->dims[d], r->piece_elems);
        r->npieces *= r->walk[d];
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    work_t work = {.r = {.alg = pd->op.alg_kind,
                           .p = (double)pd->op.u.reduction.p,
                           .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
                           .src_md = prim__pd_md(pd, PRIM_ARG_SRC)},
            .params = &pd->op.u.reduction};
    reduction_t *const r = &work.r;
    prim__ref_finish_init(&r->finish, pd, ctx);
    const prim_memory_desc_t *const dst = r->finish.dst_md;
    set_walk(r);
    r->nslices = count_slices(r->src_md, dst);
    if (r->nslices > 1) {
        r->slices = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
        prim__parallel_for(prim__md_nelems(dst) * r->nslices, reduce_slice, &work);
    }
    prim__parallel_for(prim__md_nelems(dst), reduce_element, &work);
    prim__ref_clear_padding(r->finish.dst, dst);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_reduction_any = {
        .name = "ref:reduction:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
