// SPDX-License-Identifier: Apache-2.0
// simd:pool:row_vector: maxima and means in vectors of neighbouring results, along channels (NHWC)
// or along a row of pixels (NCHW); along channels, too, where rows of NCHW are short: their
// elements are gathered. What is not f32 is converted row by row of src.
#include <math.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/pool_shape.h"
#include "simd_chain.h"
#include "simd_pool.h"
#include "simd_pool_pixels.h"
#include "simd_rows.h"

extern const impl_t prim__simd_pool_row_vector;

enum { DST, SRC, WORKSPACE, OPERANDS }; // without a workspace dst stands in
enum { CHANNELS = 1, WIDTH = 4, NDIMS = SIMD_NCDHW };
enum {
    NRESULTS = 512,    ///< of a row that is computed at once
    NTAPS = 32,        ///< that are met at once
    NROOM = 8192,      ///< converted elements that are kept for them
    NPLANES = 256,     ///< short planes that are pooled together
    FEW_CHANNELS = 96, ///< up to which pixels of NHWC are pooled together; half, if they are sorted
    SHORT_TAPS = 96,   ///< elements that the windows of a short row have together
    CHUNK_TAPS = 16384, ///< elements that pay for a thread
};

typedef struct {
    prim_desc_t base;
    bool is_last; ///< channels are innermost: rows go along them
    bool has_workspace;
    prim_dim_t nresults; ///< of a row that are computed at once
    int ntensors;
    prim_dim_t strides[SIMD_NEST_TENSORS][NDIMS];
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

static prim_status_t require_tensors(pool_pd_t *pd, const prim_memory_desc_t *const *tensors)
{
    for (int t = 0; t < pd->ntensors; ++t) {
        REQUIRE(&pd->base, prim__md_is_plain(tensors[t]) && !prim__md_is_padded(tensors[t]),
                "a tensor is blocked or padded");
        REQUIRE(&pd->base, !prim__md_has_runtime(tensors[t]),
                "a dimension is known only at execution");
        prim__simd_ncdhw_strides(pd->strides[t], tensors[t]);
        // One channel has any stride: with this one channels continue in the next image.
        if (tensors[DST]->dims[1] == 1) pd->strides[t][1] = pd->strides[t][0];
    }
    for (int t = DST; t <= SRC; ++t)
        REQUIRE(&pd->base, prim__simd_takes_type(tensors[t]->data_type),
                "src or dst is not f32, f16, bf16, s8 or u8");
    return PRIM_SUCCESS;
}

static bool is_contiguous(const pool_pd_t *pd, int dim)
{
    return pd->strides[DST][dim] == 1 && pd->strides[SRC][dim] == 1;
}

/// Pixels of a row that n windows reach over, when their number is rounded up.
static prim_dim_t pixels_under(const pool_axis_t *axis, prim_dim_t n)
{
    return (prim__round_up(n, SIMD_POOL_STEP) - 1) * axis->stride +
           (axis->kernel - 1) * axis->step + 1;
}

/// Results that are computed at once: their pixels have room.
static prim_dim_t results_of_room(const pool_axis_t *axis)
{
    prim_dim_t n = NRESULTS;
    while (n > 0 && pixels_under(axis, n) > NROOM) n -= SIMD_POOL_STEP;
    return n;
}

static prim_status_t choose_row(pool_pd_t *pd, const pool_axis_t *axis)
{
    prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    pd->is_last = is_contiguous(pd, 1);
    pd->nresults = NRESULTS;
    if (pd->is_last) return PRIM_SUCCESS;
    pd->nresults = results_of_room(axis);
    REQUIRE(base, pd->nresults > 0, "stride or kernel lead over more than %d pixels of a row",
            NROOM);
    REQUIRE(base, pd->strides[SRC][4] == 1 || axis->in == 1,
            "neither channels nor rows of src are contiguous, or those of dst are not, too");
    REQUIRE(base, pd->strides[DST][4] <= 1, "rows of dst are not contiguous");
    REQUIRE(base, src->data_type == PRIM_F32 || axis->in <= NROOM,
            "src has rows of %lld elements to convert, more than %d", (long long)axis->in, NROOM);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    pool_axis_t axes[3];
    REQUIRE(base, !prim__md_is_empty(prim__pd_md(base, PRIM_ARG_DST)), "dst has no elements");
    REQUIRE(base, !prim__pooling_has_hollow_window(base), "a window lies in the padding");
    TRY(prim__pooling_resolve(base));
    prim__pooling_axes(axes, base);
    REQUIRE(base, axes[0].kernel * axes[1].kernel * axes[2].kernel <= 1 << 15,
            "the window has more than 32768 elements");
    pd->has_workspace = prim__pooling_has_workspace(base);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {dst, src, dst};
    if (pd->has_workspace) tensors[WORKSPACE] = prim__pd_md(base, PRIM_ARG_WORKSPACE);
    REQUIRE(base, !pd->has_workspace || tensors[WORKSPACE]->data_type == PRIM_U8,
            "the workspace is not u8: the window has more than 255 elements");
    pd->ntensors = OPERANDS;
    TRY(prim__simd_chain_add(base, tensors, &pd->ntensors));
    TRY(require_tensors(pd, tensors));
    return choose_row(pd, &axes[2]);
}

/// One execution.
typedef struct {
    const pool_pd_t *pd;
    prim_alg_kind_t alg;
    pool_axis_t axes[3];
    prim_dim_t nchannels;
    bool is_global;         ///< windows cover rows of pixels
    bool is_wide;           ///< rows go along pixels and channels of NHWC
    bool is_short;          ///< rows of NCHW are short: channels are gathered
    int axis;               ///< that rows of results go along: CHANNELS or WIDTH
    float volume;           ///< of the window
    prim_dim_t nrows;       ///< of results for an image
    prim_dim_t row_results; ///< the whole row
    prim_dim_t nresults;    ///< of it that are computed at once
    const simd_convert_code_t *convert;
    const simd_pool_code_t *code;
    const simd_rows_code_t *rows;
    simd_array_t dst, src, workspace;
    simd_chain_t chain;
} run_t;

/// n results from `at` on; along the row's axis `at` is that of the first.
typedef struct {
    const run_t *run;
    prim_dim_t at[NDIMS]; ///< n, c, d, h, w of dst
    prim_dim_t n;
    float acc[NRESULTS], winners[NRESULTS];
    simd_tap_t taps[NTAPS];
    int ntaps;
    float room[NROOM];
    prim_dim_t nroom; ///< elements of it in use
} row_t;

/// What the taps so far add to the results.
static void meet_taps(row_t *row)
{
    const run_t *const run = row->run;
    const prim_dim_t stride = run->axis == CHANNELS || run->is_wide ? 1 : run->axes[2].stride;
    if (run->alg == PRIM_POOLING_MAX)
        run->code->max(row->acc, run->pd->has_workspace ? row->winners : NULL, row->taps,
                row->ntaps, row->n, stride);
    else
        run->code->sum(row->acc, row->taps, row->ntaps, row->n, stride);
    row->ntaps = 0;
}

/// n ≤ NROOM elements of room that stay as they are until taps are met.
static float *take_room(row_t *row, prim_dim_t n)
{
    if (row->nroom + n > NROOM) {
        meet_taps(row);
        row->nroom = 0;
    }
    float *const room = row->room + row->nroom;
    row->nroom += n;
    return room;
}

/// n elements of src, `stride` apart, as f32.
static const float *read_src(row_t *row, prim_dim_t offset, prim_dim_t stride, prim_dim_t n)
{
    const run_t *const run = row->run;
    float *const room = run->src.dt == PRIM_F32 && stride == 1 ? NULL : take_room(row, n);
    return prim__simd_read(run->convert, room, &run->src, offset, stride, n);
}

static void add_tap(row_t *row, const float *x, prim_dim_t index)
{
    if (row->ntaps == NTAPS) meet_taps(row);
    row->taps[row->ntaps++] = (simd_tap_t){x, (float)index};
}

/// The pixels of src's row at `offset` that the results meet, with what changes nothing around
/// them, so that every tap is a whole row.
static const float *pad_pixels(row_t *row, prim_dim_t offset)
{
    const run_t *const run = row->run;
    const pool_axis_t *const axis = &run->axes[2];
    const prim_dim_t start = row->at[4] * axis->stride - axis->pad;
    const prim_dim_t n = pixels_under(axis, row->n);
    const prim_dim_t begin = prim__min(prim__max(-start, 0), n);
    const prim_dim_t end = prim__max(prim__min(axis->in - start, n), begin);
    float *const room = take_room(row, n);
    const float outside = run->alg == PRIM_POOLING_MAX ? -INFINITY : 0;
    for (prim_dim_t i = 0; i < begin; ++i) room[i] = outside;
    run->convert->load(room + begin, prim__simd_at(&run->src, offset + start + begin), run->src.dt,
            end - begin);
    for (prim_dim_t i = end; i < n; ++i) room[i] = outside;
    return room;
}

/// Windows over whole rows: every channel takes its row of pixels at once.
static void reduce_pixels(row_t *row, prim_dim_t offset)
{
    const run_t *const run = row->run;
    for (prim_dim_t c = 0; c < row->n; ++c) {
        row->nroom = 0;
        const float *const x =
                read_src(row, offset + c * run->pd->strides[SRC][1], 1, run->axes[2].in);
        if (run->alg == PRIM_POOLING_MAX) {
            const float max = run->rows->max(x, run->axes[2].in);
            row->acc[c] = max > row->acc[c] ? max : row->acc[c];
        } else {
            row->acc[c] += run->rows->sum(x, run->axes[2].in);
        }
    }
}

/// The taps of one row of the window over rows of pixels: src's row lies at `offset`.
static void add_pixels(row_t *row, prim_dim_t offset, prim_dim_t first_index)
{
    const pool_axis_t *const axis = &row->run->axes[2];
    const float *const x = pad_pixels(row, offset);
    for (prim_dim_t k = 0; k < axis->kernel; ++k) add_tap(row, x + k * axis->step, first_index + k);
}

/// The taps of one row of the window over vectors of channels.
static void add_channels(row_t *row, prim_dim_t offset, prim_dim_t first_index)
{
    const run_t *const run = row->run;
    const prim_dim_t *const strides = run->pd->strides[SRC];
    const pool_axis_t *const axis = &run->axes[2];
    for (prim_dim_t k = 0; k < axis->kernel; ++k) {
        const prim_dim_t w = row->at[4] * axis->stride - axis->pad + k * axis->step;
        if (w < 0 || w >= axis->in) continue;
        const prim_dim_t stride = run->is_short ? strides[1] : 1;
        add_tap(row, read_src(row, offset + w * strides[4], stride, row->n), first_index + k);
    }
}

/// The taps of one row of the window over pixels with all their channels.
static void add_wide_pixels(row_t *row, prim_dim_t offset, prim_dim_t first_index)
{
    const run_t *const run = row->run;
    const pool_axis_t *const axis = &run->axes[2];
    simd_pixels_t pixels =
            prim__simd_pixels_under(axis, run->nchannels, row->at[4], row->n / run->nchannels);
    pixels.outside = run->alg == PRIM_POOLING_MAX ? -INFINITY : 0;
    const prim_dim_t nphase = prim__simd_pixels_of_phase(&pixels);
    float *const room = take_room(row, prim__simd_pixels_room(&pixels));
    prim__simd_pixels_read(room, &pixels, run->convert, &run->src, offset);
    for (prim_dim_t k = 0; k < axis->kernel; ++k) {
        const prim_dim_t at = k * axis->step;
        const prim_dim_t pixel = at % axis->stride * nphase + at / axis->stride;
        add_tap(row, room + pixel * run->nchannels, first_index + k);
    }
}

static void gather_taps(row_t *row)
{
    const run_t *const run = row->run;
    const prim_dim_t *const strides = run->pd->strides[SRC];
    const pool_axis_t *const axes = run->axes;
    const prim_dim_t image = row->at[0] * strides[0] + row->at[1] * strides[1];
    for (prim_dim_t kd = 0; kd < axes[0].kernel; ++kd) {
        const prim_dim_t d = row->at[2] * axes[0].stride - axes[0].pad + kd * axes[0].step;
        if (d < 0 || d >= axes[0].in) continue;
        for (prim_dim_t kh = 0; kh < axes[1].kernel; ++kh) {
            const prim_dim_t h = row->at[3] * axes[1].stride - axes[1].pad + kh * axes[1].step;
            if (h < 0 || h >= axes[1].in) continue;
            const prim_dim_t offset = image + d * strides[2] + h * strides[3];
            const prim_dim_t index = (kd * axes[1].kernel + kh) * axes[2].kernel;
            if (run->is_global)
                reduce_pixels(row, offset);
            else if (run->is_wide)
                add_wide_pixels(row, offset, index);
            else if (run->pd->is_last || run->is_short)
                add_channels(row, offset, index);
            else
                add_pixels(row, offset, index);
        }
    }
    meet_taps(row);
}

/// The place along the width of result i's window.
static prim_dim_t window_of(const row_t *row, prim_dim_t i)
{
    const run_t *const run = row->run;
    if (run->is_wide) return row->at[4] + i / run->nchannels;
    return row->at[4] + (run->axis == CHANNELS ? 0 : i);
}

/// Sums become means.
static void divide(row_t *row)
{
    const run_t *const run = row->run;
    const simd_operand_t sums = {row->acc, false};
    if (run->alg == PRIM_POOLING_AVG_INCLUDE_PADDING || run->axis == CHANNELS) {
        float by = run->volume;
        if (run->alg == PRIM_POOLING_AVG_EXCLUDE_PADDING) {
            by = 1;
            for (int a = 0; a < 3; ++a)
                by *= (float)prim__pooling_count_taps(&run->axes[a], row->at[2 + a]);
        }
        run->chain.binary->compute(
                PRIM_BINARY_DIV, row->acc, &sums, &(simd_operand_t){&by, true}, row->n);
        return;
    }
    float counts[NRESULTS];
    float area = 1;
    for (int a = 0; a < 2; ++a)
        area *= (float)prim__pooling_count_taps(&run->axes[a], row->at[2 + a]);
    for (prim_dim_t i = 0; i < row->n; ++i)
        counts[i] = area * (float)prim__pooling_count_taps(&run->axes[2], window_of(row, i));
    run->chain.binary->compute(
            PRIM_BINARY_DIV, row->acc, &sums, &(simd_operand_t){counts, false}, row->n);
}

/// The first tap inside src along an axis.
static prim_dim_t first_tap(const pool_axis_t *axis, prim_dim_t window)
{
    const prim_dim_t start = window * axis->stride - axis->pad;
    return start < 0 ? prim__ceil_div(-start, axis->step) : 0;
}

/// A window's first element is its maximum until something is greater.
static void start_row(row_t *row)
{
    const run_t *const run = row->run;
    const pool_axis_t *const axes = run->axes;
    const prim_dim_t n = prim__round_up(row->n, SIMD_POOL_STEP);
    const float empty = run->alg == PRIM_POOLING_MAX ? -INFINITY : 0;
    for (prim_dim_t i = 0; i < n; ++i) row->acc[i] = empty;
    row->ntaps = 0;
    row->nroom = 0;
    if (!run->pd->has_workspace) return;
    const prim_dim_t kd = first_tap(&axes[0], row->at[2]), kh = first_tap(&axes[1], row->at[3]);
    const prim_dim_t index = (kd * axes[1].kernel + kh) * axes[2].kernel;
    for (prim_dim_t i = 0; i < n; ++i) {
        row->winners[i] = (float)(index + first_tap(&axes[2], window_of(row, i)));
    }
}

static void pool_row(row_t *row)
{
    const run_t *const run = row->run;
    const pool_pd_t *const pd = run->pd;
    const bool is_max = run->alg == PRIM_POOLING_MAX;
    start_row(row);
    gather_taps(row);
    if (!is_max) divide(row);
    prim_dim_t offsets[SIMD_NEST_TENSORS], strides[SIMD_NEST_TENSORS];
    for (int t = 0; t < pd->ntensors; ++t) {
        strides[t] = run->is_wide ? 1 : pd->strides[t][run->axis];
        offsets[t] = 0;
        for (int d = 0; d < NDIMS; ++d) offsets[t] += row->at[d] * pd->strides[t][d];
    }
    prim__simd_chain_row(&run->chain, row->acc, offsets, strides, row->n);
    prim__simd_write(run->convert, &run->dst, offsets[DST], strides[DST], row->acc, row->n);
    if (pd->has_workspace)
        prim__simd_write(run->convert, &run->workspace, offsets[WORKSPACE], strides[WORKSPACE],
                row->winners, row->n);
}

/// The first of the results of row `index`.
static void place_row(row_t *row, prim_dim_t index)
{
    const run_t *const run = row->run;
    const pool_axis_t *const axes = run->axes;
    const bool along_channels = run->axis == CHANNELS;
    prim_dim_t rest = index;
    row->at[4] = 0;
    if (along_channels) {
        row->at[4] = rest % axes[2].out;
        rest /= axes[2].out;
    }
    row->at[3] = rest % axes[1].out;
    rest /= axes[1].out;
    row->at[2] = rest % axes[0].out;
    rest /= axes[0].out;
    const prim_dim_t nchannels = along_channels || run->is_wide ? 1 : run->nchannels;
    row->at[1] = rest % nchannels;
    row->at[0] = rest / nchannels;
}

/// Pieces of rows, split over threads. All results of some short planes follow each other.
static void pool_pieces(int ithr, int nthr, void *arg)
{
    row_t row = {.run = arg};
    const run_t *const run = row.run;
    const prim_dim_t npieces = prim__ceil_div(run->row_results, run->nresults);
    prim_dim_t start, end;
    prim__balance211(run->nrows * npieces, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        const prim_dim_t piece = run->is_short ? i / run->nrows : i % npieces;
        place_row(&row, run->is_short ? i % run->nrows : i / npieces);
        const prim_dim_t first = piece * run->nresults;
        row.at[run->axis] = run->is_wide ? first / run->nchannels : first;
        row.n = prim__min(run->row_results - first, run->nresults);
        pool_row(&row);
    }
}

/// Whether windows cover their rows of pixels, so that results go along channels all the same. Rows
/// of a plane that it covers are joined.
static bool take_whole_rows(run_t *run)
{
    pool_axis_t *const h = &run->axes[1], *const w = &run->axes[2];
    const prim_dim_t area = h->in * w->in;
    const bool covers_row = w->out == 1 && w->pad == 0 && w->kernel == w->in && w->step == 1;
    const bool covers_plane = h->out == 1 && h->pad == 0 && h->kernel == h->in && h->step == 1;
    if (run->pd->is_last || run->pd->has_workspace || !covers_row) return false;
    if (!covers_plane || (h->in > 1 && run->pd->strides[SRC][3] != w->in)) return true;
    if (run->src.dt != PRIM_F32 && area > NROOM) return true;
    w->in = w->kernel = area;
    h->in = h->kernel = 1;
    return true;
}

/// Whether rows of NCHW are short: results go along channels, of all images if those continue.
static bool take_short_rows(run_t *run, prim_dim_t nimages)
{
    const pool_pd_t *const pd = run->pd;
    const pool_axis_t *const axes = run->axes;
    const prim_dim_t ntaps = axes[0].kernel * axes[1].kernel * axes[2].kernel;
    if (pd->is_last || run->is_global || axes[2].out * ntaps > SHORT_TAPS) return false;
    bool continues = true;
    for (int t = 0; t < pd->ntensors; ++t)
        if (pd->strides[t][0] != run->nchannels * pd->strides[t][1]) continues = false;
    if (continues) run->nchannels *= nimages;
    return run->nchannels >= 16;
}

/// Whether pixels of NHWC have so few channels that rows go along several of them, and then how
/// many results are computed at once: their pixels have room.
static prim_dim_t take_wide_rows(const run_t *run)
{
    const pool_pd_t *const pd = run->pd;
    const prim_dim_t nchannels = run->nchannels;
    const prim_dim_t most = run->axes[2].stride == 1 ? FEW_CHANNELS : FEW_CHANNELS / 2;
    if (!pd->is_last || nchannels > most || run->axes[2].out == 1) return 0;
    for (int t = 0; t < pd->ntensors; ++t)
        if (pd->strides[t][4] != nchannels || (pd->strides[t][1] != 1 && nchannels > 1)) return 0;
    const prim_dim_t nwindows =
            prim__simd_pixels_windows(&run->axes[2], nchannels, NRESULTS / nchannels, NROOM);
    return nwindows > 1 ? nwindows * nchannels : 0;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    run_t run = {.pd = pd,
            .alg = base->op.alg_kind,
            .nchannels = dst->dims[1],
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .code = SIMD_CHOOSE(prim__simd_pool_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .dst = prim__simd_array(base, ctx, PRIM_ARG_DST),
            .src = prim__simd_array(base, ctx, PRIM_ARG_SRC)};
    if (pd->has_workspace) run.workspace = prim__simd_array(base, ctx, PRIM_ARG_WORKSPACE);
    prim__pooling_axes(run.axes, base);
    const prim_dim_t ntaps = run.axes[0].kernel * run.axes[1].kernel * run.axes[2].kernel;
    run.volume = (float)ntaps;
    run.is_global = take_whole_rows(&run);
    run.is_short = take_short_rows(&run, dst->dims[0]);
    run.axis = pd->is_last || run.is_global || run.is_short ? CHANNELS : WIDTH;
    run.nresults = run.is_short ? NPLANES : pd->nresults;
    const prim_dim_t nwide = take_wide_rows(&run);
    if (nwide > 0) {
        run.is_wide = true;
        run.axis = WIDTH;
        run.nresults = nwide;
    }
    run.row_results = run.axis == CHANNELS ? run.nchannels : run.axes[2].out;
    if (run.is_wide) run.row_results *= run.nchannels;
    run.nrows = prim__md_nelems(dst) / run.row_results;
    prim__simd_chain_init(&run.chain, base, ctx, OPERANDS);
    const prim_dim_t nchunks = prim__md_nelems(dst) * ntaps / CHUNK_TAPS + 1;
    prim__parallel((int)prim__min(nchunks, prim__max_threads()), pool_pieces, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_pool_row_vector = {
        .name = "simd:pool:row_vector",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
