// SPDX-License-Identifier: Apache-2.0
// simd:conv:nhwc_direct: direct convolution with channels last. What taps show is read where it is,
// or from a copy of a few rows with zeros for the padding. Vectors run along the channels of dst
// or, where these are few, along those of src; tiles of AMX have both, and read a copy.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "simd_conv_borders.h"
#include "simd_conv_cost.h"
#include "simd_conv_finish.h"
#include "simd_conv_layouts.h"
#include "simd_conv_pixels.h"
#include "simd_float_rows.h"
#include "simd_gemm_pack.h"
#include "simd_rows.h"
#include "simd_runs.h"

extern const impl_t prim__simd_conv_nhwc_direct;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    simd_conv_pixels_t pixels;
    simd_runs_way_t way;
    bool has_columns;   ///< tiles have pixels of a column, not of a row
    bool has_panels;    ///< weights are the panels that the code takes
    bool has_borders;   ///< windows that reach beyond src
    prim_dim_t nstrips; ///< of the rows of a plane of dst
    prim_dim_t chunk;   ///< pixels whose sums are stored at a time
    prim_dim_t words;   ///< of a run
    prim_dim_t nblocks; ///< of SIMD_RUNS_LANES output channels of a group
    prim_dim_t wei_row; ///< words of one output channel, runs one after the other
    int nthr;
    size_t copy_bytes, thread_bytes, scratch_offset, tables_offset, weights_offset,
            runs_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static const simd_runs_code_t *choose_code(const conv_pd_t *pd)
{
#if PRIM_X64
    if (pd->way == SIMD_RUNS_BY_TILES)
        return pd->pixels.dt == PRIM_U8 ? &prim__simd_runs_tiles_bytes
                                        : &prim__simd_runs_tiles_bf16;
    if (pd->pixels.dt == PRIM_BF16) return &prim__simd_runs_code_bf16;
    if (pd->pixels.dt == PRIM_U8) return &prim__simd_runs_code_bytes;
#endif
    (void)pd;
    return SIMD_CHOOSE(prim__simd_runs_code);
}

static prim_status_t check_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    if (prim__simd_conv_pixels_type(pd) == PRIM_U8)
        TRY(prim__simd_conv_require_sums_of_bytes(pd, s->ic * prim__conv_taps(s)));
    else
        TRY(prim__simd_conv_require_types(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    REQUIRE(pd, !prim__md_is_empty(src), "src has no elements");
    REQUIRE(pd, !prim__md_is_empty(dst), "dst has no elements");
    TRY(prim__conv_set_channels_last(pd));
    REQUIRE(pd, prim__md_is_plain(src) && prim__md_is_plain(dst),
            "src or dst has a blocked layout");
    REQUIRE(pd, src->strides[1] == 1 && dst->strides[1] == 1,
            "the channels of src or dst are not contiguous");
    return PRIM_SUCCESS;
}

/// Elements from a pixel of a tile to the next.
static prim_dim_t tile_step(const conv_pd_t *pd)
{
    const prim_dim_t *const stride = pd->pixels.shape.stride;
    return pd->has_columns ? stride[CONV_H] * pd->pixels.row : stride[CONV_W] * pd->pixels.channels;
}

/// Rows of dst in a strip: a copy of what they meet stays in the L2 cache, and threads have strips.
static prim_status_t choose_strips(conv_pd_t *pd, const conv_shape_t *s)
{
    enum { COPY_BYTES = 1 << 17, MOST_BYTES = 1 << 19 };
    const size_t elem_bytes = prim__dt_bytes(pd->pixels.dt);
    const prim_dim_t budget = COPY_BYTES / (prim_dim_t)elem_bytes;
    const prim_dim_t one = prim__simd_conv_pixels_set_rows(&pd->pixels, 1);
    const prim_dim_t step = prim__simd_conv_pixels_set_rows(&pd->pixels, 2) - one;
    REQUIRE(&pd->base, one <= MOST_BYTES / (prim_dim_t)elem_bytes,
            "src under a row of dst has %lld elements, more than a cache holds", (long long)one);
    prim_dim_t most = s->out[CONV_H];
    if (step > 0) most = prim__min(most, 1 + prim__max(budget - one, 0) / step);
    const prim_dim_t nparts = s->mb * s->out[CONV_D], nrows = s->out[CONV_H];
    const prim_dim_t wanted = prim__ceil_div(2 * (prim_dim_t)pd->nthr, nparts);
    const prim_dim_t rows = prim__min(most, prim__ceil_div(nrows, prim__min(wanted, nrows)));
    pd->nstrips = prim__ceil_div(nrows, rows);
    const prim_dim_t elems =
            prim__simd_conv_pixels_set_rows(&pd->pixels, prim__ceil_div(nrows, pd->nstrips));
    enum { WORD_BYTES = 4 }; // the last run may end inside one
    prim_dim_t beyond = WORD_BYTES;
    if (pd->way == SIMD_RUNS_BY_TILES) {
        (void)prim__simd_conv_tiles_of_a_pixel(s, pd->pixels.rows, &pd->has_columns);
        beyond = SIMD_RUNS_PIXELS * tile_step(pd) + SIMD_RUNS_SLACK;
    }
    pd->copy_bytes = (size_t)prim__round_up(elems + beyond, 64) * elem_bytes;
    return PRIM_SUCCESS;
}

/// The layout of panels, in `tag`: none if the weights are converted, or the code has other lanes.
static bool find_panels(char *tag, size_t bytes, const conv_pd_t *pd, const conv_shape_t *s)
{
    const prim_data_type_t wei = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type;
    const int elems = 4 / (int)prim__dt_bytes(pd->pixels.dt);
    if (choose_code(pd)->lanes != SIMD_RUNS_LANES || s->ic % elems != 0 ||
            (wei != pd->pixels.dt && pd->pixels.dt != PRIM_U8))
        return false;
    prim__simd_conv_panels_tag(tag, bytes, s, SIMD_RUNS_LANES, elems);
    return true;
}

static prim_status_t set_weights(conv_pd_t *conv_pd, const conv_shape_t *s)
{
    prim_desc_t *const pd = &conv_pd->base;
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    char panels[24];
    const bool has =
            conv_pd->way != SIMD_RUNS_BY_DOTS && find_panels(panels, sizeof panels, conv_pd, s);
    if (has) TRY(prim__md_set_tag_if_any(wei, panels));
    TRY(prim__conv_set_weights_channels_last(pd));
    TRY(prim__conv_set_row_major(pd)); // the bias is left
    conv_pd->has_panels = has && prim__md_matches_tag(wei, panels);
    REQUIRE(pd, conv_pd->has_panels || prim__md_is_plain(wei),
            "weights are blocked, but not in panels of this variant");
    return PRIM_SUCCESS;
}

static prim_status_t prefer_the_cheapest(conv_pd_t *conv_pd, const conv_shape_t *s)
{
    prim_desc_t *const pd = &conv_pd->base;
    PREFER_OTHER_UNLESS(pd, s->g == 1 || s->ic > 1 || s->oc > 1,
            "vectors of a depthwise convolution are channels");
    const double cycles = prim__simd_conv_nhwc_direct_cycles(pd, s, NULL);
    const double gemm = prim__simd_conv_gemm_cycles(pd, s);
    PREFER_OTHER_UNLESS(pd, cycles < gemm,
            "a matrix product is expected to take %.0f cycles an image, this variant %.0f", gemm,
            cycles);
    const double direct = prim__simd_conv_direct_cycles(pd, s);
    PREFER_OTHER_UNLESS(pd, cycles < direct,
            "planes of pixels are expected to take %.0f cycles an image, this variant %.0f", direct,
            cycles);
    return PRIM_SUCCESS;
}

/// Pixels whose sums stay in the L1 cache: some groups of tiles, or rows of a tile's columns.
static prim_dim_t choose_chunk(const conv_pd_t *pd, prim_dim_t channels)
{
    enum { SUMS = 8192, PIXELS = 8, PIXELS_OF_TILES = 64 };
    const bool has_tiles = pd->way == SIMD_RUNS_BY_TILES;
    prim_dim_t unit = has_tiles ? PIXELS_OF_TILES : PIXELS;
    if (pd->has_columns) unit = SIMD_RUNS_PIXELS * pd->pixels.shape.out[CONV_W];
    const prim_dim_t times = prim__min(SUMS / channels, SIMD_RUNS_MOST / 2) / unit;
    return prim__max(times, 1) * unit;
}

static void book(conv_pd_t *pd, const conv_shape_t *s)
{
    const prim_dim_t channels = s->g * s->oc;
    pd->chunk = choose_chunk(pd, channels);
    pd->words = prim__ceil_div(pd->pixels.elems * (prim_dim_t)prim__dt_bytes(pd->pixels.dt), 4);
    pd->wei_row = pd->pixels.nruns * prim__round_up(pd->words, SIMD_RUNS_LANES);
    pd->nblocks = prim__ceil_div(s->oc, SIMD_RUNS_LANES);
    // Rows of weights that become panels use the room of the sums, before there are any.
    const prim_dim_t rows =
            pd->way == SIMD_RUNS_BY_DOTS || pd->has_panels ? 0 : SIMD_RUNS_LANES * pd->wei_row;
    const prim_dim_t sums = prim__max(pd->chunk * channels, rows);
    pd->thread_bytes = pd->copy_bytes + (size_t)prim__round_up(sums, 16) * sizeof(float);
    pd->scratch_offset = prim__pd_book_scratchpad(&pd->base, pd->thread_bytes * (size_t)pd->nthr);
    pd->tables_offset = prim__simd_conv_book_finish(&pd->base);
    const prim_dim_t nweights =
            pd->has_panels ? 0 : s->g * pd->nblocks * SIMD_RUNS_LANES * pd->wei_row;
    pd->weights_offset = prim__pd_book_scratchpad(&pd->base, (size_t)nweights * sizeof(float));
    const size_t runs_bytes = (size_t)pd->pixels.nruns * sizeof(prim_dim_t);
    pd->runs_offset = prim__pd_book_scratchpad(&pd->base, runs_bytes);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(check_problem(base, &s));
    pd->nthr = prim__planned_threads();
    prim__simd_conv_pixels_init(
            &pd->pixels, &s, prim__pd_md(base, PRIM_ARG_SRC), prim__simd_conv_pixels_type(base));
    (void)prim__simd_conv_nhwc_direct_cycles(base, &s, &pd->way);
    if (pd->way == SIMD_RUNS_BY_TILES) pd->pixels.copies = true;
    REQUIRE(base, pd->pixels.dt != PRIM_U8 || pd->pixels.elems % 4 == 0 || pd->pixels.copies,
            "runs of %lld bytes are no whole words, and are read where they are",
            (long long)pd->pixels.elems);
    TRY(choose_strips(pd, &s));
    TRY(prefer_the_cheapest(pd, &s));
    TRY(set_weights(pd, &s));
    pd->has_borders = prim__simd_conv_has_borders(base);
    book(pd, &s);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    const simd_runs_code_t *code;
    simd_array_t src, from; ///< from: the weights
    simd_conv_finish_t finish;
    simd_conv_borders_t borders;
    const float *wei; ///< [groups][blocks][…]
    float *copied;    ///< the room for them; NULL: they are in panels
    const prim_dim_t *runs;
    prim_dim_t wei_strides[6];
    char *scratch;
} run_t;

/// n elements of the weights of one tap, to elements `at`.. of a row.
static void copy_tap(const run_t *run, prim_dim_t offset, prim_dim_t step, prim_dim_t n, float *row,
        prim_dim_t at)
{
    if (run->pd->pixels.dt == PRIM_F32) {
        prim__simd_load_row(row + at, run->from.base, run->from.dt, offset, step, n);
        return;
    }
    const size_t bytes = prim__dt_bytes(run->from.dt);
    char *const to = (char *)row + (size_t)at * bytes;
    const char *const from = prim__simd_at(&run->from, offset);
    if (step == 1)
        memcpy(to, from, (size_t)n * bytes);
    else if (bytes == 2)
        for (prim_dim_t i = 0; i < n; ++i) memcpy(to + 2 * i, from + 2 * i * step, 2);
    else
        for (prim_dim_t i = 0; i < n; ++i) to[i] = from[i * step];
}

/// The weights of an output channel: runs one after the other, each with zeros up to a multiple of
/// SIMD_RUNS_LANES words.
static void copy_channel(const run_t *run, prim_dim_t offset, float *row)
{
    const simd_conv_pixels_t *const p = &run->pd->pixels;
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t *const w = run->wei_strides;
    const prim_dim_t ntaps = prim__conv_taps(s), in_run = p->is_merged ? s->kernel[CONV_W] : 1;
    const prim_dim_t run_words = run->pd->wei_row / p->nruns;
    memset(row, 0, (size_t)run->pd->wei_row * sizeof *row);
    for (prim_dim_t tap = 0; tap < ntaps; ++tap) {
        const prim_dim_t kw = tap % s->kernel[CONV_W], kh = tap / s->kernel[CONV_W];
        const prim_dim_t at =
                offset + kh / s->kernel[CONV_H] * w[3] + kh % s->kernel[CONV_H] * w[4] + kw * w[5];
        copy_tap(run, at, w[2], s->ic, row + tap / in_run * run_words, tap % in_run * s->ic);
    }
}

/// Rows of a block of channels become panels of the code's lanes.
static void pack_rows(const run_t *run, const float *rows, prim_dim_t n, float *panels)
{
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t run_words = pd->wei_row / pd->pixels.nruns, nruns = pd->pixels.nruns;
    const int lanes = run->code->lanes;
    for (prim_dim_t o = 0; o < n; o += lanes)
        for (prim_dim_t r = 0; r < nruns; ++r, panels += pd->words * lanes) {
            const simd_gemm_operand_t op = {
                    rows + o * pd->wei_row + r * run_words, PRIM_F32, pd->wei_row, 1};
            prim__simd_gemm_pack(&op, 0, prim__min(n - o, lanes), 0, pd->words, lanes, panels);
        }
}

/// Where the weights of a block are, from the first on.
static prim_dim_t block_offset(const run_t *run, prim_dim_t group, prim_dim_t block)
{
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t row =
            pd->way == SIMD_RUNS_BY_DOTS ? pd->wei_row : pd->words * pd->pixels.nruns;
    return (group * pd->nblocks + block) * SIMD_RUNS_LANES * row;
}

/// The weights of the blocks of all groups, one after the other.
static void copy_weights(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->pixels.shape;
    float *const room = (float *)(void *)(run->scratch + (size_t)ithr * pd->thread_bytes);
    prim_dim_t start, end;
    prim__balance211(s->g * pd->nblocks, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        const prim_dim_t group = i / pd->nblocks, o0 = i % pd->nblocks * SIMD_RUNS_LANES;
        const prim_dim_t n = prim__min(s->oc - o0, SIMD_RUNS_LANES);
        float *const to = run->copied + block_offset(run, group, i % pd->nblocks);
        float *const rows = pd->way == SIMD_RUNS_BY_DOTS ? to : room;
        for (prim_dim_t o = 0; o < n; ++o)
            copy_channel(run, group * run->wei_strides[0] + (o0 + o) * run->wei_strides[1],
                    rows + o * pd->wei_row);
        if (pd->way != SIMD_RUNS_BY_DOTS) pack_rows(run, rows, n, to);
    }
}

/// Rows oh.. of a plane of dst: of image and depth.
typedef struct {
    const run_t *run;
    prim_dim_t image, od, oh;
    const void *x; ///< what the first tap shows to the first pixel
} strip_t;

/// The position in dst of a pixel of the strip.
static void locate(prim_dim_t *position, const strip_t *strip, prim_dim_t pixel)
{
    const conv_shape_t *const s = &strip->run->pd->pixels.shape;
    const prim_dim_t out[CONV_NSPATIAL] = {
            strip->od, strip->oh + pixel / s->out[CONV_W], pixel % s->out[CONV_W]};
    position[0] = strip->image;
    position[1] = 0;
    for (int d = 0; d < s->nspatial; ++d) position[2 + d] = out[CONV_NSPATIAL - s->nspatial + d];
}

/// Pixels first.. of the strip.
static void finish_pixels(const strip_t *strip, float *sums, prim_dim_t first, prim_dim_t npixels)
{
    const run_t *const run = strip->run;
    const conv_shape_t *const s = &run->pd->pixels.shape;
    const prim_dim_t channels = s->g * s->oc;
    const bool mends = run->pd->has_borders &&
                       !SIMD_CHOOSE(prim__simd_rows_code)->all_finite(sums, npixels * channels);
    for (prim_dim_t i = 0; i < npixels && mends; ++i) {
        prim_dims_t position;
        locate(position, strip, first + i);
        prim__simd_conv_borders_mend(&run->borders, sums + i * channels, position, 1, channels);
    }
    for (prim_dim_t i = 0, n; i < npixels; i += n, sums += n * channels) {
        prim_dims_t position;
        locate(position, strip, first + i);
        n = prim__simd_conv_finish_some_pixels(&run->finish, sums, position, npixels - i);
    }
}

/// The offsets of pixels first.. of the strip.
static void find_pixels(
        prim_dim_t *offsets, const simd_conv_pixels_t *p, prim_dim_t first, prim_dim_t npixels)
{
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t step = s->stride[CONV_W] * p->channels;
    prim_dim_t row = first / s->out[CONV_W], column = first % s->out[CONV_W];
    for (prim_dim_t i = 0; i < npixels; ++i) {
        offsets[i] = row * s->stride[CONV_H] * p->row + column * step;
        if (++column < s->out[CONV_W]) continue;
        column = 0;
        ++row;
    }
}

static void compute_strip(const strip_t *strip, float *sums)
{
    const run_t *const run = strip->run;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->pixels.shape;
    const prim_dim_t nrows = prim__min(pd->pixels.rows, s->out[CONV_H] - strip->oh);
    const prim_dim_t npixels = nrows * s->out[CONV_W];
    prim_dim_t offsets[SIMD_RUNS_MOST];
    simd_runs_t product = {.pixels = offsets,
            .runs = run->runs,
            .nruns = pd->pixels.nruns,
            .elems = pd->pixels.elems,
            .wei_row = pd->way == SIMD_RUNS_BY_DOTS
                               ? pd->wei_row
                               : pd->words * run->code->lanes * pd->pixels.nruns,
            .sums_row = s->g * s->oc,
            .nchannels = s->oc,
            .keeps_integers = run->finish.are_integers,
            .next = pd->has_columns ? s->out[CONV_W] : 1,
            .step = tile_step(pd)};
    for (prim_dim_t i = 0; i < npixels; i += pd->chunk) {
        product.npixels = prim__min(npixels - i, pd->chunk);
        find_pixels(offsets, &pd->pixels, i, product.npixels);
        for (prim_dim_t group = 0; group < s->g; ++group) {
            product.x = (const char *)strip->x +
                        (size_t)(group * s->ic) * prim__dt_bytes(pd->pixels.dt);
            product.wei = run->wei + block_offset(run, group, 0);
            product.sums = sums + group * s->oc;
            (pd->way == SIMD_RUNS_BY_DOTS ? run->code->dots : run->code->multiply)(&product);
        }
        finish_pixels(strip, sums, i, product.npixels);
    }
}

/// Strips of all planes of dst, one after the other.
static void work_on_strips(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t nstrips = pd->nstrips, ndepths = pd->pixels.shape.out[CONV_D];
    char *const scratch = run->scratch + (size_t)ithr * pd->thread_bytes;
    prim_dim_t start, end;
    prim__balance211(pd->pixels.shape.mb * ndepths * nstrips, nthr, ithr, &start, &end);
    if (run->code->begin) run->code->begin(pd->pixels.elems);
    for (prim_dim_t i = start; i < end; ++i) {
        strip_t strip = {.run = run,
                .image = i / nstrips / ndepths,
                .od = i / nstrips % ndepths,
                .oh = i % nstrips * pd->pixels.rows};
        strip.x = prim__simd_conv_pixels_read(
                &pd->pixels, &run->src, strip.image, strip.od, strip.oh, scratch);
        compute_strip(&strip, (float *)(void *)(scratch + pd->copy_bytes));
    }
    if (run->code->end) run->code->end();
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    prim_dim_t *const runs = (prim_dim_t *)(void *)(scratchpad + pd->runs_offset);
    run_t run = {.pd = pd,
            .code = choose_code(pd),
            .src = prim__simd_array(base, ctx, PRIM_ARG_SRC),
            .from = prim__simd_array(base, ctx, PRIM_ARG_WEIGHTS),
            .runs = runs,
            .scratch = scratchpad + pd->scratch_offset};
    if (!pd->has_panels) run.copied = (float *)(void *)(scratchpad + pd->weights_offset);
    run.wei = pd->has_panels ? (const float *)(const void *)run.from.base : run.copied;
    prim__conv_weights_strides(
            run.wei_strides, prim__pd_md(base, PRIM_ARG_WEIGHTS), pd->pixels.shape.has_groups);
    prim__simd_conv_pixels_runs(&pd->pixels, runs);
    prim__simd_conv_finish_init(&run.finish, base, ctx, pd->tables_offset, false, false);
    run.finish.are_integers = pd->way == SIMD_RUNS_BY_TILES && pd->pixels.dt == PRIM_U8 &&
                              run.finish.has_rows_of_pixels && !pd->has_borders;
    if (pd->has_borders) prim__simd_conv_borders_init(&run.borders, base, ctx);
    if (run.copied) prim__parallel(pd->nthr, copy_weights, &run);
    prim__parallel(pd->nthr, work_on_strips, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_nhwc_direct = {
        .name = "simd:conv:nhwc_direct",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
