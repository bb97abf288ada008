// SPDX-License-Identifier: Apache-2.0
// simd:softmax:row_vector: vectors along the axis. Three passes over a row: its maximum; the
// exponentials and their sum; the quotients. Exponentials are kept where there is room, in dst or
// in a thread's part of the scratchpad, and computed again else.
#include <math.h>
#include <stdatomic.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_softmax.h"

extern const impl_t prim__simd_softmax_row_vector;

enum {
    KEPT_ELEMS = 16384, ///< of a row that is kept in the scratchpad
    CHUNK_ELEMS = 8192, ///< that pay for a thread, at least
    MOST_ROOMS = 64,    ///< for a row each
};

/// Fixed at creation.
typedef struct {
    simd_softmax_pd_t softmax;
    prim_dim_t room_elems; ///< of a row; 0: rows are short, or too long
    int nrooms;
    size_t rooms_offset; ///< in the scratchpad
} row_pd_t;

_Static_assert(offsetof(row_pd_t, softmax) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    enum { LINE = 16 };
    row_pd_t *const pd = (row_pd_t *)base;
    TRY(prim__simd_softmax_init_pd(&pd->softmax));
    const prim_dim_t naxis = pd->softmax.naxis;
    if (naxis > KEPT_ELEMS || (naxis <= SIMD_ROW && !pd->softmax.is_log)) return PRIM_SUCCESS;
    pd->room_elems = prim__round_up(naxis, LINE);
    pd->nrooms = (int)prim__min(prim__planned_threads(), MOST_ROOMS);
    const size_t elems = (size_t)(pd->nrooms * pd->room_elems);
    pd->rooms_offset = prim__pd_book_scratchpad(base, elems * sizeof(float));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    simd_softmax_run_t softmax;
    const row_pd_t *pd;
    float *rooms;
    _Atomic uint64_t taken; ///< a bit for each room
} rows_run_t;

/// A room that no other thread has; −1: there is none.
static int take_room(rows_run_t *run)
{
    uint64_t taken = atomic_load(&run->taken);
    for (int i = 0; i < run->pd->nrooms;) {
        const uint64_t bit = 1ULL << i;
        if (taken & bit)
            ++i;
        else if (atomic_compare_exchange_weak(&run->taken, &taken, taken | bit))
            return i;
    }
    return -1;
}

/// A row, and where its values are kept.
typedef struct {
    const simd_softmax_run_t *run;
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    simd_line_t x;
    float *room; ///< for the whole row; NULL: there is none
    float *kept; ///< the exponentials, times 2⁶⁴; NULL: not kept
    float max, sum;
} row_t;

static void find_max(row_t *row)
{
    const simd_softmax_run_t *const run = row->run;
    row->max = -INFINITY;
    for (prim_dim_t at = 0; at < run->pd->naxis; at += SIMD_ROW) {
        float room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->naxis - at, SIMD_ROW);
        const float max = run->rows->max(prim__simd_line_piece(&row->x, room, at, n), n);
        row->max = max > row->max ? max : row->max;
    }
}

/// The logarithm needs no exponentials but their sum.
static void sum_exponentials(row_t *row)
{
    const simd_softmax_run_t *const run = row->run;
    double sum = 0;
    for (prim_dim_t at = 0; at < run->pd->naxis; at += SIMD_ROW) {
        float room[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->naxis - at, SIMD_ROW);
        float *const out = row->kept && !run->pd->is_log ? row->kept + at : NULL;
        const float *const x = prim__simd_line_piece(&row->x, room, at, n);
        sum += (double)run->rows->exp(out, x, row->max, n);
    }
    row->sum = (float)sum;
}

static void write_piece(const row_t *row, prim_dim_t at, prim_dim_t n)
{
    const simd_softmax_run_t *const run = row->run;
    const simd_softmax_pd_t *const pd = run->pd;
    const prim_dim_t stride = pd->strides[SIMD_SOFTMAX_DST];
    prim_dim_t offsets[SIMD_NEST_TENSORS];
    for (int t = 0; t < pd->nest.ntensors; ++t) offsets[t] = row->offsets[t] + at * pd->strides[t];
    float room[SIMD_ROW], out_room[SIMD_ROW];
    float *const out = prim__simd_row(out_room, &run->dst, offsets[SIMD_SOFTMAX_DST], stride);
    const float factor = run->src_scale / row->sum;
    if (pd->is_log) {
        const float *const x = prim__simd_line_piece(&row->x, room, at, n);
        run->rows->shift(out, x, row->max, logf(row->sum), run->src_scale, n);
    } else if (row->kept) {
        run->rows->lower(out, row->kept + at, factor, n);
    } else {
        (void)run->rows->exp(out, prim__simd_line_piece(&row->x, room, at, n), row->max, n);
        run->rows->lower(out, out, factor, n);
    }
    prim__simd_chain_row(&run->chain, out, offsets, pd->strides, n);
    prim__simd_write(run->convert, &run->dst, offsets[SIMD_SOFTMAX_DST], stride, out, n);
}

/// A row of up to SIMD_ROW elements.
static void compute_short_row(const simd_softmax_run_t *run, const prim_dim_t *offsets)
{
    const simd_softmax_pd_t *const pd = run->pd;
    const prim_dim_t *const strides = pd->strides;
    float room[SIMD_ROW];
    float *const out =
            prim__simd_row(room, &run->dst, offsets[SIMD_SOFTMAX_DST], strides[SIMD_SOFTMAX_DST]);
    const float *const x = prim__simd_read(run->convert, room, &run->src, offsets[SIMD_SOFTMAX_SRC],
            strides[SIMD_SOFTMAX_SRC], pd->naxis);
    run->rows->softmax(out, x, run->src_scale, pd->naxis);
    prim__simd_chain_row(&run->chain, out, offsets, strides, pd->naxis);
    prim__simd_write(run->convert, &run->dst, offsets[SIMD_SOFTMAX_DST], strides[SIMD_SOFTMAX_DST],
            out, pd->naxis);
}

static void compute_row(row_t *row)
{
    const simd_softmax_run_t *const run = row->run;
    const simd_softmax_pd_t *const pd = run->pd;
    if (pd->naxis <= SIMD_ROW && !pd->is_log) {
        compute_short_row(run, row->offsets);
        return;
    }
    row->kept = NULL;
    row->x = prim__simd_line(run->convert, row->room, row->room ? pd->naxis : 0, &run->src,
            row->offsets[SIMD_SOFTMAX_SRC], pd->strides[SIMD_SOFTMAX_SRC], pd->naxis);
    if (run->dst.dt == PRIM_F32 && pd->strides[SIMD_SOFTMAX_DST] == 1)
        row->kept = prim__simd_at(&run->dst, row->offsets[SIMD_SOFTMAX_DST]);
    else
        row->kept = row->room;
    find_max(row);
    sum_exponentials(row);
    for (prim_dim_t at = 0; at < pd->naxis; at += SIMD_ROW)
        write_piece(row, at, prim__min(pd->naxis - at, SIMD_ROW));
}

static void compute_rows(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    rows_run_t *const run = arg;
    row_t row = {.run = &run->softmax};
    const int room = take_room(run);
    if (room >= 0) row.room = run->rooms + room * run->pd->room_elems;
    const simd_nest_t *const nest = &row.run->pd->nest;
    const prim_dim_t *const strides = prim__simd_nest_strides(nest);
    for (prim_dim_t i = 0; i < n; ++i) {
        for (int t = 0; t < nest->ntensors; ++t) row.offsets[t] = offsets[t] + i * strides[t];
        compute_row(&row);
    }
    if (room >= 0) atomic_fetch_and(&run->taken, ~(1ULL << room));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const row_pd_t *const row_pd = (const row_pd_t *)primitive->pd;
    const simd_softmax_pd_t *const pd = &row_pd->softmax;
    rows_run_t run = {.pd = row_pd};
    prim__simd_softmax_run_init(&run.softmax, pd, ctx);
    if (row_pd->nrooms > 0) {
        char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
        run.rooms = (float *)(void *)(scratchpad + row_pd->rooms_offset);
    }
    prim__simd_nest_walk_by(
            &pd->nest, prim__ceil_div(CHUNK_ELEMS, pd->naxis), 1, compute_rows, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_softmax_row_vector = {
        .name = "simd:softmax:row_vector",
        .pd_size = sizeof(row_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
