// SPDX-License-Identifier: Apache-2.0
// simd:pool:backward_nchw_vector: the gradient of pooling, plane by plane. Rows of diff_src are
// added up in f32: maxima are scattered to the winners that the workspace names; of averages the
// sums of the rows of quotients over a row of diff_src are spread over it.
#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "common/pool_shape.h"
#include "cpu/ref/ref_finish.h"
#include "simd_binary.h"
#include "simd_convert.h"
#include "simd_nest.h"
#include "simd_pool.h"

extern const impl_t prim__simd_pool_backward_nchw_vector;

enum { DIFF_SRC, DIFF_DST, WORKSPACE, NTENSORS };
enum { NDIMS = SIMD_NCDHW, WIDTH = 4 };
enum {
    BAND_ELEMS = 8192, ///< of a plane that are added up at once, whole rows of it
    PIECE = 512,       ///< windows of a row
};

/// Where a tap lies in its window, in elements of src.
typedef struct {
    prim_dim_t x[3];
} tap_t;

typedef struct {
    prim_desc_t base;
    bool has_workspace;
    prim_dim_t band_rows;
    size_t counts_at; ///< in the scratchpad, behind the taps
    prim_dim_t strides[NTENSORS][NDIMS];
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

static const int args[NTENSORS] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_WORKSPACE};

static prim_dim_t count_taps(const pool_axis_t *axes)
{
    return axes[0].kernel * axes[1].kernel * axes[2].kernel;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    TRY(prim__pd_follow_gradients(base));
    pd->has_workspace = base->op.alg_kind == PRIM_POOLING_MAX;
    for (int t = 0; t < NTENSORS - !pd->has_workspace; ++t) {
        const prim_memory_desc_t *const md = prim__pd_md(base, args[t]);
        REQUIRE(base, t == WORKSPACE || prim__simd_takes_type(md->data_type),
                "diff_src or diff_dst is not f32, f16 or bf16");
        REQUIRE(base, prim__md_is_plain(md) && !prim__md_is_padded(md),
                "a tensor is blocked or padded");
        REQUIRE(base, !prim__md_is_empty(md), "a tensor has no elements");
        prim__simd_ncdhw_strides(pd->strides[t], md);
    }
    pool_axis_t axes[3];
    prim__pooling_axes(axes, base);
    REQUIRE(base, axes[2].in <= BAND_ELEMS, "diff_src has rows of %lld elements, more than %d",
            (long long)axes[2].in, BAND_ELEMS);
    pd->band_rows = prim__min(BAND_ELEMS / axes[2].in, axes[1].in);
    const size_t ntaps = pd->has_workspace ? (size_t)count_taps(axes) : 0;
    pd->counts_at = ntaps * sizeof(tap_t);
    (void)prim__pd_book_scratchpad(base, pd->counts_at + (size_t)axes[2].out * sizeof(float));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const pool_pd_t *pd;
    prim_alg_kind_t alg;
    pool_axis_t axes[3];
    prim_dim_t nchannels, ntaps, nbands; ///< of a plane
    tap_t *taps;
    float *counts; ///< taps of the windows of a row, along the width
    const simd_convert_code_t *convert;
    const simd_binary_code_t *binary;
    const simd_pool_code_t *code;
    simd_array_t arrays[NTENSORS];
} run_t;

/// Rows of a plane of diff_src, and their sums.
typedef struct {
    const run_t *run;
    prim_dim_t depth, first, past; ///< rows of the plane
    prim_dim_t offsets[NTENSORS];  ///< of the image and channel
    float *sums;
    float *quotients; ///< [PIECE], of rows of windows begin..past_window−1
    prim_dim_t begin, past_window;
} band_t;

/// The offset of window `at` of a row of diff_dst or the workspace.
static prim_dim_t offset_of(const band_t *band, int tensor, const prim_dim_t *window, prim_dim_t at)
{
    const prim_dim_t *const strides = band->run->pd->strides[tensor];
    return band->offsets[tensor] + window[0] * strides[2] + window[1] * strides[3] +
           at * strides[WIDTH];
}

static const float *read_gradients(
        const band_t *band, float *room, const prim_dim_t *window, prim_dim_t at, prim_dim_t n)
{
    const run_t *const run = band->run;
    return prim__simd_read(run->convert, room, &run->arrays[DIFF_DST],
            offset_of(band, DIFF_DST, window, at), run->pd->strides[DIFF_DST][WIDTH], n);
}

/// Where a row of windows lies, counted from the band's depth and first row.
typedef struct {
    prim_dim_t depth, row, nrows, width;
    const tap_t *taps;
    prim_dim_t ntaps;
} origin_t;

/// Adds y to the tap that wins, if it lies in the band. Nothing is written beyond it, whatever the
/// workspace holds.
static inline void add_winner(float *sums, const origin_t *o, prim_dim_t x, int winner, float y)
{
    if (winner < 0 || winner >= o->ntaps) return;
    const tap_t *const tap = &o->taps[winner];
    const prim_dim_t row = o->row + tap->x[1], column = x + tap->x[2];
    // As unsigned numbers, those below 0 are too large.
    if ((uint64_t)row >= (uint64_t)o->nrows || (uint64_t)column >= (uint64_t)o->width) return;
    if (o->depth + tap->x[0] == 0) sums[row * o->width + column] += y;
}

static void scatter_row(band_t *band, const prim_dim_t *window)
{
    const run_t *const run = band->run;
    const pool_axis_t *const axes = run->axes;
    const simd_array_t *const workspace = &run->arrays[WORKSPACE];
    const prim_dim_t stride = run->pd->strides[WORKSPACE][WIDTH], step = axes[2].stride;
    const origin_t origin = {.depth = window[0] * axes[0].stride - axes[0].pad - band->depth,
            .row = window[1] * axes[1].stride - axes[1].pad - band->first,
            .nrows = band->past - band->first,
            .width = axes[2].in,
            .taps = run->taps,
            .ntaps = run->ntaps};
    for (prim_dim_t first = 0; first < axes[2].out; first += PIECE) {
        float room[PIECE];
        const prim_dim_t n = prim__min(axes[2].out - first, PIECE);
        const prim_dim_t x = first * step - axes[2].pad;
        const void *const at = prim__simd_at(workspace, offset_of(band, WORKSPACE, window, first));
        const float *const y = read_gradients(band, room, window, first, n);
        if (workspace->dt == PRIM_U8) {
            const uint8_t *const winners = at;
            for (prim_dim_t i = 0; i < n; ++i)
                add_winner(band->sums, &origin, x + i * step, winners[i * stride], y[i]);
        } else {
            const int32_t *const winners = at;
            for (prim_dim_t i = 0; i < n; ++i)
                add_winner(band->sums, &origin, x + i * step, winners[i * stride], y[i]);
        }
    }
}

static bool meets(const pool_axis_t *axis, prim_dim_t window, prim_dim_t at)
{
    return (at + axis->pad - window * axis->stride) % axis->step == 0;
}

/// The band's quotients += the row of windows over its divisors, windows at..at+n−1.
static void add_quotients(const band_t *band, const prim_dim_t *window, prim_dim_t at, prim_dim_t n)
{
    const run_t *const run = band->run;
    float room[PIECE], row[PIECE];
    float divisor = (float)run->ntaps;
    const simd_operand_t y = {read_gradients(band, room, window, at, n), false};
    const simd_operand_t sums = {band->quotients, false}, terms = {row, false};
    if (run->alg == PRIM_POOLING_AVG_INCLUDE_PADDING) {
        run->binary->compute(PRIM_BINARY_DIV, row, &y, &(simd_operand_t){&divisor, true}, n);
    } else {
        divisor = (float)(prim__pooling_count_taps(&run->axes[0], window[0]) *
                          prim__pooling_count_taps(&run->axes[1], window[1]));
        const simd_operand_t counts = {run->counts + at, false};
        run->binary->compute(PRIM_BINARY_DIV, row, &y, &counts, n);
        run->binary->compute(PRIM_BINARY_DIV, row, &terms, &(simd_operand_t){&divisor, true}, n);
    }
    run->binary->compute(PRIM_BINARY_ADD, band->quotients, &sums, &terms, n);
}

/// The sums of the quotients of windows at..at+n−1 of the rows of windows over a row of diff_src.
static void sum_windows(band_t *band, prim_dim_t row, prim_dim_t at, prim_dim_t n)
{
    const pool_axis_t *const axes = band->run->axes;
    prim_dim_t begin[2], past[2], window[2];
    prim__pooling_windows(&axes[0], band->depth, &begin[0], &past[0]);
    prim__pooling_windows(&axes[1], row, &begin[1], &past[1]);
    // Those of the row before are there; dilation would step over some of them.
    const bool is_known = at == 0 && n == axes[2].out && axes[1].step == 1 && row > band->first &&
                          begin[1] == band->begin && past[1] == band->past_window;
    band->begin = begin[1];
    band->past_window = past[1];
    if (is_known) return;
    memset(band->quotients, 0, (size_t)n * sizeof *band->quotients);
    for (window[0] = begin[0]; window[0] < past[0]; ++window[0]) {
        if (!meets(&axes[0], window[0], band->depth)) continue;
        for (window[1] = begin[1]; window[1] < past[1]; ++window[1])
            if (meets(&axes[1], window[1], row)) add_quotients(band, window, at, n);
    }
}

/// A row of diff_src: the windows over it are summed, then spread along the width.
static void spread_row(band_t *band, prim_dim_t row)
{
    const run_t *const run = band->run;
    const pool_axis_t *const w = &run->axes[2];
    for (prim_dim_t at = 0; at < w->out; at += PIECE) {
        const prim_dim_t n = prim__min(w->out - at, PIECE);
        const simd_spread_t spread = {.width = w->in,
                .first = at * w->stride - w->pad,
                .stride = w->stride,
                .step = w->step,
                .ntaps = w->kernel};
        sum_windows(band, row, at, n);
        run->code->spread(band->sums + (row - band->first) * w->in, band->quotients, &spread, n);
    }
}

static void scatter_windows(band_t *band)
{
    const pool_axis_t *const axes = band->run->axes;
    prim_dim_t begin[3], past[3], other, window[2];
    prim__pooling_windows(&axes[0], band->depth, &begin[0], &past[0]);
    prim__pooling_windows(&axes[1], band->first, &begin[1], &other);
    prim__pooling_windows(&axes[1], band->past - 1, &other, &past[1]);
    for (window[0] = begin[0]; window[0] < past[0]; ++window[0])
        for (window[1] = begin[1]; window[1] < past[1]; ++window[1]) scatter_row(band, window);
}

static void differentiate_band(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const pool_pd_t *const pd = run->pd;
    const prim_dim_t height = run->axes[1].in, width = run->axes[2].in;
    const prim_dim_t plane = index / run->nbands, channel = plane / run->axes[0].in;
    float sums[BAND_ELEMS], quotients[PIECE]; // only those of the band are cleared
    band_t band = {.run = run,
            .sums = sums,
            .quotients = quotients,
            .depth = plane % run->axes[0].in,
            .first = index % run->nbands * pd->band_rows};
    band.past = prim__min(band.first + pd->band_rows, height);
    memset(sums, 0, (size_t)((band.past - band.first) * width) * sizeof *sums);
    for (int t = 0; t < NTENSORS; ++t)
        band.offsets[t] = channel / run->nchannels * pd->strides[t][0] +
                          channel % run->nchannels * pd->strides[t][1];
    if (pd->has_workspace) {
        scatter_windows(&band);
    } else {
        for (prim_dim_t row = band.first; row < band.past; ++row) spread_row(&band, row);
    }
    const prim_dim_t *const strides = pd->strides[DIFF_SRC];
    for (prim_dim_t row = band.first; row < band.past; ++row)
        prim__simd_write(run->convert, &run->arrays[DIFF_SRC],
                band.offsets[DIFF_SRC] + band.depth * strides[2] + row * strides[3], strides[WIDTH],
                band.sums + (row - band.first) * width, width);
}

/// Takes a contiguous plane under one window for a row.
static void join_rows(run_t *run)
{
    pool_axis_t *const h = &run->axes[1], *const w = &run->axes[2];
    const bool covers_plane = h->out == 1 && h->pad == 0 && h->kernel == h->in && h->step == 1 &&
                              w->out == 1 && w->pad == 0 && w->kernel == w->in && w->step == 1;
    const prim_dim_t *const strides = run->pd->strides[DIFF_SRC];
    if (!covers_plane || run->pd->has_workspace || h->in * w->in > BAND_ELEMS) return;
    if (strides[WIDTH] != 1 || strides[WIDTH - 1] != w->in) return;
    w->in = w->kernel = h->in * w->in;
    h->in = h->kernel = 1;
}

static void fill_tables(run_t *run)
{
    const pool_axis_t *const axes = run->axes;
    for (prim_dim_t i = 0; i < axes[2].out; ++i)
        run->counts[i] = (float)prim__pooling_count_taps(&axes[2], i);
    for (prim_dim_t tap = 0; tap < run->ntaps && run->pd->has_workspace; ++tap) {
        prim_dim_t rest = tap;
        for (int a = 2; a >= 0; --a) {
            run->taps[tap].x[a] = rest % axes[a].kernel * axes[a].step;
            rest /= axes[a].kernel;
        }
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *const diff_src = prim__pd_md(base, PRIM_ARG_DIFF_SRC);
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    void *const counts = scratchpad + pd->counts_at, *const taps = scratchpad;
    run_t run = {.pd = pd,
            .alg = base->op.alg_kind,
            .nchannels = diff_src->dims[1],
            .taps = taps,
            .counts = counts,
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .binary = SIMD_CHOOSE(prim__simd_binary_code),
            .code = SIMD_CHOOSE(prim__simd_pool_code)};
    for (int t = 0; t < NTENSORS - !pd->has_workspace; ++t)
        run.arrays[t] = prim__simd_array(base, ctx, args[t]);
    prim__pooling_axes(run.axes, base);
    run.ntaps = count_taps(run.axes);
    join_rows(&run);
    run.nbands = prim__ceil_div(run.axes[1].in, pd->band_rows);
    fill_tables(&run);
    prim__parallel_for(diff_src->dims[0] * run.nchannels * run.axes[0].in * run.nbands,
            differentiate_band, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_pool_backward_nchw_vector = {
        .name = "simd:pool:backward_nchw_vector",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
