// SPDX-License-Identifier: Apache-2.0
// simd:reduction:row_vector: sums, means, extremes and norms in vectors, along rows of src that one
// element of dst is made of, or along neighbouring elements of dst, where the dimension that is
// contiguous stays or those rows are short.
#include <math.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "simd_chain.h"
#include "simd_rows.h"

extern const impl_t prim__simd_reduction_row_vector;

enum { DST, SRC, OPERANDS };
enum {
    NRESULTS = 256,     ///< that are computed together
    SHORT_ROW = 32,     ///< elements up to which rows of src fill no vectors
    NSHORT = 64,        ///< additions to an element in f32
    CHUNK_ELEMS = 8192, ///< that pay for a thread
};

typedef struct {
    prim_desc_t base;
    bool goes_along_dst;
    prim_dim_t nreduced; ///< elements of src for each of dst
    simd_nest_t kept;    ///< the loops over dst
    simd_nest_t reduced; ///< those over the elements of src behind one of dst; one tensor
} reduction_pd_t;

_Static_assert(offsetof(reduction_pd_t, base) == 0, "the base comes first");

static bool is_norm(prim_alg_kind_t alg)
{
    return alg >= PRIM_REDUCTION_NORM_LP_MAX;
}

static bool is_extreme(prim_alg_kind_t alg)
{
    return alg == PRIM_REDUCTION_MAX || alg == PRIM_REDUCTION_MIN;
}

static prim_status_t require_problem(reduction_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    REQUIRE(base, base->op.alg_kind != PRIM_REDUCTION_MUL, "products are not vectorised");
    REQUIRE(base, prim__simd_takes_type(src->data_type) && prim__simd_takes_type(dst->data_type),
            "src or dst is not f32, f16, bf16, s8 or u8");
    REQUIRE(base, !prim__md_has_runtime(src), "a dimension is known only at execution");
    REQUIRE(base, !prim__md_is_empty(src), "src has no elements");
    pd->nreduced = prim__md_nelems(src) / prim__md_nelems(dst);
    REQUIRE(base, !prim__dt_is_int8(src->data_type) || pd->nreduced <= 1 << 15,
            "%lld bytes are reduced: beyond 32768 the mean of some would be rounded twice",
            (long long)pd->nreduced);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    reduction_pd_t *const pd = (reduction_pd_t *)base;
    TRY(require_problem(pd));
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    prim_memory_desc_t kept = *src, reduced = *src;
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {dst, &kept};
    int ntensors = OPERANDS;
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    for (int t = 0; t < ntensors; ++t)
        REQUIRE(base, prim__md_is_plain(tensors[t]) && !prim__md_is_padded(tensors[t]),
                "a tensor is blocked or padded");
    for (int d = 0; d < src->ndims; ++d) {
        const bool is_reduced = dst->dims[d] != src->dims[d];
        (is_reduced ? &kept : &reduced)->dims[d] = 1;
    }
    prim__simd_nest_make(&pd->kept, tensors, ntensors);
    prim__simd_nest_make(&pd->reduced, (const prim_memory_desc_t *const[]){&reduced}, 1);
    const prim_dim_t *const strides = prim__simd_nest_strides(&pd->kept);
    const bool is_short = pd->nreduced <= SHORT_ROW && pd->kept.loops[pd->kept.nloops - 1].n >= 8;
    pd->goes_along_dst =
            is_short || (prim__simd_nest_strides(&pd->reduced)[0] != 1 && strides[SRC] == 1);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const reduction_pd_t *pd;
    prim_alg_kind_t alg;
    float power; ///< of norms
    const simd_rows_code_t *rows;
    simd_array_t dst, src;
    simd_chain_t chain;
} run_t;

/// Elements of src, or what norms add up of them.
static const float *read_terms(
        const run_t *run, float *room, prim_dim_t offset, prim_dim_t stride, prim_dim_t n)
{
    const float *const x = prim__simd_read(run->chain.convert, room, &run->src, offset, stride, n);
    if (!is_norm(run->alg)) return x;
    const simd_eltwise_t magnitude = {PRIM_ELTWISE_ABS, 0, 0}, square = {PRIM_ELTWISE_SQUARE, 0, 0};
    run->chain.eltwise->forward(run->power == 2 ? &square : &magnitude, room, x, n);
    if (run->power != 1 && run->power != 2)
        run->chain.eltwise->forward(
                &(simd_eltwise_t){PRIM_ELTWISE_POW, 1, run->power}, room, room, n);
    return room;
}

/// The offset of position `index` of the loops but the innermost.
static prim_dim_t offset_of(const simd_nest_t *nest, prim_dim_t index)
{
    prim_dim_t offset = 0;
    for (int i = nest->nloops - 2; i >= 0; --i) {
        offset += index % nest->loops[i].n * nest->loops[i].strides[0];
        index /= nest->loops[i].n;
    }
    return offset;
}

/// The element of dst whose first element of src is at `offset`.
static double reduce_rows(const run_t *run, prim_dim_t offset)
{
    const simd_nest_t *const nest = &run->pd->reduced;
    const simd_loop_t *const row = &nest->loops[nest->nloops - 1];
    const prim_dim_t nrows = run->pd->nreduced / row->n;
    double sum = 0;
    const bool is_min = run->alg == PRIM_REDUCTION_MIN;
    float extreme = is_min ? INFINITY : -INFINITY;
    for (prim_dim_t i = 0; i < nrows; ++i) {
        const prim_dim_t first = offset + offset_of(nest, i);
        for (prim_dim_t at = 0; at < row->n; at += SIMD_ROW) {
            float room[SIMD_ROW];
            const prim_dim_t n = prim__min(row->n - at, SIMD_ROW), stride = row->strides[0];
            const float *const x = read_terms(run, room, first + at * stride, stride, n);
            if (!is_extreme(run->alg)) {
                sum += (double)run->rows->sum(x, n);
                continue;
            }
            const float next = run->rows->extreme(x, is_min, n);
            if (isnan(next) || (is_min ? next < extreme : next > extreme)) extreme = next;
        }
    }
    return is_extreme(run->alg) ? (double)extreme : sum;
}

/// Adds x to acc, or takes the extremes of both.
static void meet(const run_t *run, float *acc, const float *x, prim_dim_t n)
{
    if (is_extreme(run->alg))
        run->rows->extreme_columns(acc, x, run->alg == PRIM_REDUCTION_MIN, n);
    else
        run->chain.binary->compute(PRIM_BINARY_ADD, acc, &(simd_operand_t){acc, false},
                &(simd_operand_t){x, false}, n);
}

/// Rows of n elements, contiguous one after the other, that go together as one.
static prim_dim_t rows_at_once(const run_t *run, prim_dim_t n)
{
    const simd_nest_t *const nest = &run->pd->reduced;
    const bool continues = nest->nloops == 1 && nest->loops[0].strides[0] == n &&
                           prim__simd_nest_strides(&run->pd->kept)[SRC] == 1;
    return continues ? prim__max(prim__min(NRESULTS / n, run->pd->nreduced), 1) : 1;
}

/// Adds the sums of the rows that go together to the results, or takes their extremes.
static void collect(const run_t *run, double *results, float *acc, prim_dim_t n, prim_dim_t nrows)
{
    if (is_extreme(run->alg)) {
        for (prim_dim_t r = 1; r < nrows; ++r) meet(run, acc, acc + r * n, n);
        for (prim_dim_t k = 0; k < n; ++k) results[k] = (double)acc[k];
        return;
    }
    for (prim_dim_t r = 0; r < nrows; ++r)
        for (prim_dim_t k = 0; k < n; ++k) results[k] += (double)acc[r * n + k];
    for (prim_dim_t k = 0; k < n * nrows; ++k) acc[k] = 0;
}

/// n neighbouring elements of dst, the first of whose elements of src are at `offset` and on.
static void reduce_columns(const run_t *run, double *results, prim_dim_t offset, prim_dim_t n)
{
    const simd_nest_t *const nest = &run->pd->reduced;
    const simd_loop_t *const inner = &nest->loops[nest->nloops - 1];
    const prim_dim_t stride = prim__simd_nest_strides(&run->pd->kept)[SRC];
    const prim_dim_t nreduced = run->pd->nreduced, nrows = rows_at_once(run, n);
    const float extreme = run->alg == PRIM_REDUCTION_MIN ? INFINITY : -INFINITY;
    float acc[NRESULTS];
    for (prim_dim_t k = 0; k < n * nrows; ++k) acc[k] = is_extreme(run->alg) ? extreme : 0;
    for (prim_dim_t k = 0; k < n; ++k) results[k] = 0;
    int nadded = 0;
    for (prim_dim_t i = 0; i < nreduced; i += nrows) {
        float room[NRESULTS];
        const prim_dim_t at =
                offset + offset_of(nest, i / inner->n) + i % inner->n * inner->strides[0];
        const prim_dim_t count = n * prim__min(nrows, nreduced - i);
        meet(run, acc, read_terms(run, room, at, stride, count), count);
        if (is_extreme(run->alg) || ++nadded < NSHORT) continue;
        collect(run, results, acc, n, nrows);
        nadded = 0;
    }
    collect(run, results, acc, n, nrows);
}

/// Of a norm.
static double last_step(const run_t *run, double x)
{
    const reduction_params_t *const params = &run->pd->base.op.u.reduction;
    const double eps = (double)params->eps, power = (double)params->p;
    switch (run->alg) {
    case PRIM_REDUCTION_NORM_LP_MAX: return pow(x > eps || isnan(x) ? x : eps, 1 / power);
    case PRIM_REDUCTION_NORM_LP_SUM: return pow(x + eps, 1 / power);
    case PRIM_REDUCTION_NORM_LP_POWER_P_MAX: return x > eps || isnan(x) ? x : eps;
    case PRIM_REDUCTION_NORM_LP_POWER_P_SUM: return x + eps;
    default: return x;
    }
}

/// From sums or extremes to dst.
static void finish(const run_t *run, float *row, const double *results, prim_dim_t n)
{
    if (is_norm(run->alg)) {
        for (prim_dim_t k = 0; k < n; ++k) row[k] = (float)last_step(run, results[k]);
        return;
    }
    const double count = run->alg == PRIM_REDUCTION_MEAN ? (double)run->pd->nreduced : 1;
    for (prim_dim_t k = 0; k < n; ++k) row[k] = (float)(results[k] / count);
}

static void compute_results(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t *const strides = prim__simd_nest_strides(&run->pd->kept);
    double results[NRESULTS];
    float row[NRESULTS];
    if (run->pd->goes_along_dst) {
        reduce_columns(run, results, offsets[SRC], n);
    } else {
        for (prim_dim_t k = 0; k < n; ++k)
            results[k] = reduce_rows(run, offsets[SRC] + k * strides[SRC]);
    }
    finish(run, row, results, n);
    prim__simd_chain_row(&run->chain, row, offsets, strides, n);
    prim__simd_write(run->chain.convert, &run->dst, offsets[DST], strides[DST], row, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const reduction_pd_t *const pd = (const reduction_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .alg = base->op.alg_kind,
            .power = base->op.u.reduction.p,
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .dst = prim__simd_array(base, ctx, PRIM_ARG_DST),
            .src = prim__simd_array(base, ctx, PRIM_ARG_SRC)};
    prim__simd_chain_init(&run.chain, base, ctx, OPERANDS);
    const prim_dim_t n = prim__ceil_div(CHUNK_ELEMS, pd->nreduced);
    prim__simd_nest_walk_by(&pd->kept, pd->goes_along_dst ? NRESULTS : prim__min(n, NRESULTS), 1,
            compute_results, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_reduction_row_vector = {
        .name = "simd:reduction:row_vector",
        .pd_size = sizeof(reduction_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
