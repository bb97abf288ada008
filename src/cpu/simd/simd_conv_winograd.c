// SPDX-License-Identifier: Apache-2.0
// simd:conv:winograd: 3×3 convolution of stride 1 by Winograd's algorithm F(4×4, 3×3), channels
// last. A thread takes some tiles of dst and some of its channels: it transforms their patches of
// src, then for a few channels at a time the weights, multiplies, and transforms the products back,
// all in a scratch that its caches hold. Weights are transformed at each execution and again for
// each block of tiles, which takes as long as a few of their products: doc/decisions/0005.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_row.h"
#include "simd_conv_cost.h"
#include "simd_conv_finish.h"
#include "simd_conv_layouts.h"
#include "simd_convert.h"
#include "simd_gemm_pack.h"
#include "simd_runs.h"
#include "simd_winograd.h"

extern const impl_t prim__simd_conv_winograd;

enum {
    TILE = SIMD_WINOGRAD_TILE,
    PATCH = SIMD_WINOGRAD_PATCH,
    POINTS = SIMD_WINOGRAD_POINTS,
    KERNEL = 3,
    TAPS = KERNEL * KERNEL,
    LINE = 16,        ///< floats of a cache line
    STEP = 8,         ///< tiles that are multiplied together
    LEAST_TILES = 16, ///< of a block, if there are as many
    MOST_TILES = 64,
    RUN_TILES = 4, ///< neighbours whose pixels are finished together
    WEIGHTS = 64   ///< input channels whose weights are copied at a time
};

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool has_panels;                   ///< weights are in panels of the vectors' width
    prim_dim_t ntiles_h, ntiles_w;     ///< of an image
    prim_dim_t block;                  ///< tiles whose patches are transformed at a time
    prim_dim_t chunk;                  ///< output channels that are multiplied at a time
    prim_dim_t depth;                  ///< input channels of these
    prim_dim_t group;                  ///< those of a thread's part, a multiple of them
    prim_dim_t v_row, m_row;           ///< floats from tile to tile
    prim_dim_t v_step, m_step, u_step; ///< from point to point
    int nthr;
    size_t v_bytes, m_bytes, u_bytes, sums_bytes, zeros_bytes, room_bytes, thread_bytes;
    size_t scratch_offset, tables_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t require_window(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->nspatial == 2 && !s->has_groups, "not a 2-D convolution without groups");
    for (int d = CONV_H; d < CONV_NSPATIAL; ++d) {
        REQUIRE(pd, s->kernel[d] == KERNEL, "the kernel is %lld along a dimension, not 3",
                (long long)s->kernel[d]);
        REQUIRE(pd, s->stride[d] == 1 && s->dilation[d] == 1,
                "stride %lld and dilation %lld along a dimension are not both 1",
                (long long)s->stride[d], (long long)s->dilation[d]);
    }
    return PRIM_SUCCESS;
}

static prim_status_t set_layouts(conv_pd_t *conv_pd)
{
    prim_desc_t *const pd = &conv_pd->base;
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

static prim_status_t set_weights(conv_pd_t *conv_pd)
{
    prim_desc_t *const pd = &conv_pd->base;
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    const int lanes = SIMD_CHOOSE(prim__simd_runs_code)->lanes;
    char panels[24];
    (void)snprintf(panels, sizeof panels, "Abcd%da", lanes);
    TRY(prim__md_set_tag_if_any(wei, panels));
    TRY(prim__conv_set_row_major(pd)); // the bias is left
    conv_pd->has_panels = prim__md_matches_tag(wei, panels);
    REQUIRE(pd, conv_pd->has_panels || prim__md_is_plain(wei),
            "weights are blocked, but not in panels of %d output channels", lanes);
    return PRIM_SUCCESS;
}

/// Floats from one point to the next: points of an element fall into different sets of a cache.
static prim_dim_t point_step(prim_dim_t floats)
{
    enum { PAGE = 1024 };
    return prim__round_up(floats, PAGE) + LINE;
}

/// Rows that are a page apart meet in the same set of the L1 cache.
static prim_dim_t row_of(prim_dim_t channels)
{
    enum { BAD = 256 };
    const prim_dim_t row = prim__round_up(channels, LINE);
    return row % BAD == 0 ? row + LINE : row;
}

/// What is multiplied at a time: patches that stay in the L3 cache, and weights that stay in the L2
/// cache beside their products. The order of a sum depends on `depth`, which no thread changes.
static void choose_blocks(conv_pd_t *pd, prim_dim_t ntiles)
{
    enum { V_FLOATS = 1 << 21, U_FLOATS = 1 << 18, CHANNELS = 48 };
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t most = V_FLOATS / POINTS / s->ic / STEP * STEP;
    const prim_dim_t lanes = SIMD_CHOOSE(prim__simd_runs_code)->lanes;
    pd->block = prim__min(prim__max(most, LEAST_TILES), MOST_TILES);
    pd->block = prim__min(pd->block, prim__max(prim__ceil_div(ntiles, pd->nthr), LEAST_TILES));
    pd->chunk = prim__min(prim__round_up(s->oc, lanes), CHANNELS);
    const prim_dim_t most_deep = prim__max(U_FLOATS / POINTS / pd->chunk / LINE, 1) * LINE;
    pd->depth = prim__min(s->ic, most_deep);
}

/// Threads for which there are no blocks of tiles share the channels of one.
static void share_channels(conv_pd_t *pd, prim_dim_t ntiles)
{
    const prim_dim_t oc = pd->shape.oc, lanes = SIMD_CHOOSE(prim__simd_runs_code)->lanes;
    const prim_dim_t parts = prim__max(pd->nthr / prim__ceil_div(ntiles, pd->block), 1);
    if (prim__ceil_div(oc, pd->chunk) < parts)
        pd->chunk = prim__round_up(prim__ceil_div(oc, parts), lanes);
    pd->group = prim__ceil_div(prim__ceil_div(oc, pd->chunk), parts) * pd->chunk;
}

static size_t lines_of(prim_dim_t floats)
{
    return (size_t)prim__round_up(floats, LINE) * sizeof(float);
}

static void book(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t lanes = SIMD_CHOOSE(prim__simd_runs_code)->lanes;
    pd->v_row = row_of(s->ic);
    pd->m_row = row_of(pd->chunk);
    pd->v_step = point_step(pd->block * pd->v_row);
    pd->m_step = point_step(pd->block * pd->m_row);
    pd->u_step = point_step(prim__round_up(pd->chunk, lanes) * pd->depth);
    pd->v_bytes = lines_of(POINTS * pd->v_step);
    pd->m_bytes = lines_of(POINTS * pd->m_step);
    pd->u_bytes = lines_of(POINTS * pd->u_step);
    pd->sums_bytes = lines_of(TILE * TILE * RUN_TILES * pd->m_row);
    pd->zeros_bytes = lines_of(s->ic);
    pd->room_bytes = pd->has_panels ? 0 : lines_of(TAPS * WEIGHTS * lanes);
    pd->thread_bytes = pd->v_bytes + pd->m_bytes + pd->u_bytes + pd->sums_bytes + pd->zeros_bytes +
                       pd->room_bytes;
    pd->scratch_offset = prim__pd_book_scratchpad(&pd->base, pd->thread_bytes * (size_t)pd->nthr);
    pd->tables_offset = prim__simd_conv_book_finish(&pd->base);
}

static prim_status_t prefer_direct_sums(prim_desc_t *pd, const conv_shape_t *s)
{
    const double cycles = prim__simd_conv_winograd_cycles(pd, s);
    const double gemm = prim__simd_conv_gemm_cycles(pd, s);
    const double runs = prim__simd_conv_nhwc_direct_cycles(pd, s, NULL);
    const double direct = fmin(runs, gemm);
    PREFER_OTHER_UNLESS(pd, cycles < direct,
            "direct sums are expected to take %.0f cycles an image, this variant %.0f", direct,
            cycles);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t *const s = &pd->shape;
    prim__conv_shape(s, base);
    REQUIRE(base, base->op.alg_kind != PRIM_CONVOLUTION_DIRECT,
            "the algorithm is direct; this variant is Winograd's");
    TRY(require_window(base, s));
    TRY(prim__simd_conv_require_types(base));
    TRY(set_layouts(pd));
    if (base->op.alg_kind == PRIM_CONVOLUTION_AUTO) TRY(prefer_direct_sums(base, s));
    TRY(set_weights(pd));
    base->op.alg_kind = PRIM_CONVOLUTION_WINOGRAD;
    pd->nthr = prim__planned_threads();
    pd->ntiles_h = prim__ceil_div(s->out[CONV_H], TILE);
    pd->ntiles_w = prim__ceil_div(s->out[CONV_W], TILE);
    const prim_dim_t ntiles = s->mb * pd->ntiles_h * pd->ntiles_w;
    choose_blocks(pd, ntiles);
    share_channels(pd, ntiles);
    book(pd);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    const simd_winograd_code_t *code;
    const simd_runs_code_t *products;
    simd_array_t src, wei;
    prim_dim_t src_strides[5], wei_strides[6], dst_strides[5];
    simd_conv_finish_t finish;
    char *scratch;
} run_t;

/// One thread of it.
typedef struct {
    const run_t *run;
    float *v, *m, *u, *sums, *zeros, *room;
    prim_dim_t u_chunk;      ///< whose weights are in `u`; −1: none
    prim_dim_t first, count; ///< tiles
} part_t;

/// A tile among those of all images.
typedef struct {
    prim_dim_t image, h, w; ///< the first pixel of dst
} place_t;

static place_t place_of(const conv_pd_t *pd, prim_dim_t tile)
{
    const prim_dim_t row = tile / pd->ntiles_w;
    return (place_t){.image = row / pd->ntiles_h,
            .h = row % pd->ntiles_h * TILE,
            .w = tile % pd->ntiles_w * TILE};
}

static void transform_patch(const part_t *part, prim_dim_t index)
{
    const run_t *const run = part->run;
    const conv_shape_t *const s = &run->pd->shape;
    const place_t at = place_of(run->pd, part->first + index);
    const void *pixels[POINTS];
    for (int i = 0; i < PATCH; ++i) {
        const prim_dim_t h = at.h + i - s->pad[CONV_H];
        const bool is_row = h >= 0 && h < s->in[CONV_H];
        const prim_dim_t row = at.image * run->src_strides[0] + h * run->src_strides[3];
        for (int j = 0; j < PATCH; ++j) {
            const prim_dim_t w = at.w + j - s->pad[CONV_W];
            const bool is_inside = is_row && w >= 0 && w < s->in[CONV_W];
            pixels[i * PATCH + j] =
                    is_inside ? prim__simd_at(&run->src, row + w * run->src_strides[4])
                              : part->zeros;
        }
    }
    const simd_winograd_patch_t patch = {.pixels = pixels,
            .dt = run->src.dt,
            .n = s->ic,
            .v = part->v + index * run->pd->v_row,
            .point_step = run->pd->v_step};
    run->code->transform_patch(&patch);
}

/// A panel of weights that is in none: n input channels from i on.
static void copy_weights(const part_t *part, prim_dim_t o, prim_dim_t i, prim_dim_t n)
{
    const run_t *const run = part->run;
    const prim_dim_t *const w = run->wei_strides;
    const int lanes = run->products->lanes;
    const prim_dim_t count = prim__min(run->pd->shape.oc - o, lanes);
    for (prim_dim_t c = 0; c < n; ++c)
        for (int h = 0; h < KERNEL; ++h) {
            const prim_dim_t at = (i + c) * w[2] + h * w[4];
            const simd_gemm_operand_t op = {prim__simd_at(&run->wei, at), run->wei.dt, w[1], w[5]};
            prim__simd_gemm_pack(
                    &op, o, count, 0, KERNEL, lanes, part->room + (c * TAPS + h * KERNEL) * lanes);
        }
}

/// Weights of output channels o.. and n input channels from i on to panels of points.
static void transform_panel(const part_t *part, prim_dim_t o, prim_dim_t i, prim_dim_t n, float *u)
{
    const run_t *const run = part->run;
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t lanes = run->products->lanes;
    simd_winograd_weights_t weights = {.n = n, .dt = run->wei.dt, .u = u, .point_step = pd->u_step};
    if (pd->has_panels) {
        weights.wei = prim__simd_at(&run->wei, (o / lanes * pd->shape.ic + i) * TAPS * lanes);
        run->code->transform_weights(&weights);
        return;
    }
    weights.wei = part->room;
    weights.dt = PRIM_F32;
    for (prim_dim_t at = 0; at < n; at += WEIGHTS, weights.u += WEIGHTS * lanes) {
        weights.n = prim__min(n - at, WEIGHTS);
        copy_weights(part, o, i + at, weights.n);
        run->code->transform_weights(&weights);
    }
}

/// Input channels i..i+n.
static void multiply(const part_t *part, prim_dim_t nchannels, prim_dim_t i, prim_dim_t n)
{
    const conv_pd_t *const pd = part->run->pd;
    static const prim_dim_t no_offset = 0;
    prim_dim_t offsets[MOST_TILES];
    for (prim_dim_t t = 0; t < part->count; ++t) offsets[t] = t * pd->v_row;
    simd_runs_t product = {.pixels = offsets,
            .runs = &no_offset,
            .npixels = part->count,
            .nruns = 1,
            .elems = n,
            .wei_row = n * part->run->products->lanes,
            .sums_row = pd->m_row,
            .nchannels = nchannels,
            .accumulates = i > 0};
    for (int p = 0; p < POINTS; ++p) {
        product.x = part->v + p * pd->v_step + i;
        product.wei = part->u + p * pd->u_step;
        product.sums = part->m + p * pd->m_step;
        part->run->products->multiply(&product);
    }
}

/// The sums of n pixels of a row of dst, as many as are inside.
static void finish_row(const run_t *run, const place_t *at, prim_dim_t o, prim_dim_t nchannels,
        prim_dim_t npixels, float *sums)
{
    const prim_dim_t m_row = run->pd->m_row;
    prim_dims_t position = {at->image, o, at->h, at->w};
    if (run->finish.has_epilogue) {
        const simd_epilogue_rows_t rows = {.sums = sums,
                .sums_row = m_row,
                .nrows = npixels,
                .n = nchannels,
                .at = prim__simd_epilogue_offset(run->finish.ref.dst_md, position),
                .dst_row = run->dst_strides[4]};
        prim__simd_conv_finish_rows(&run->finish, &rows, o, false);
        return;
    }
    for (prim_dim_t i = 0; i < npixels; ++i, ++position[3], sums += m_row)
        for (prim_dim_t c = 0; c < nchannels; c += REF_ROW_ELEMS) {
            position[1] = o + c;
            prim__simd_conv_finish_row(
                    &run->finish, sums + c, position, 1, prim__min(nchannels - c, REF_ROW_ELEMS));
        }
}

/// Tiles of a block that are neighbours in a row of tiles: `count` from `index` on.
static void finish_tiles(
        const part_t *part, prim_dim_t index, prim_dim_t count, prim_dim_t o, prim_dim_t nchannels)
{
    const run_t *const run = part->run;
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t row_step = TILE * RUN_TILES * pd->m_row;
    for (prim_dim_t i = 0; i < count; ++i) {
        const simd_winograd_tile_t tile = {.m = part->m + (index + i) * pd->m_row,
                .point_step = pd->m_step,
                .n = nchannels,
                .sums = part->sums + i * TILE * pd->m_row,
                .row_step = row_step,
                .pixel_step = pd->m_row};
        run->code->transform_tile(&tile);
    }
    place_t at = place_of(pd, part->first + index);
    const prim_dim_t npixels = prim__min(count * TILE, pd->shape.out[CONV_W] - at.w);
    const prim_dim_t nrows = prim__min(TILE, pd->shape.out[CONV_H] - at.h);
    for (prim_dim_t y = 0; y < nrows; ++y, ++at.h)
        finish_row(run, &at, o, nchannels, npixels, part->sums + y * row_step);
}

static void compute_channels(part_t *part, prim_dim_t o, prim_dim_t nchannels)
{
    const conv_pd_t *const pd = part->run->pd;
    const prim_dim_t lanes = part->run->products->lanes;
    const bool is_there = pd->depth == pd->shape.ic && part->u_chunk == o;
    for (prim_dim_t i = 0; i < pd->shape.ic; i += pd->depth) {
        const prim_dim_t n = prim__min(pd->shape.ic - i, pd->depth);
        for (prim_dim_t j = 0; j < nchannels && !is_there; j += lanes)
            transform_panel(part, o + j, i, n, part->u + j * n);
        multiply(part, nchannels, i, n);
    }
    part->u_chunk = o;
    for (prim_dim_t i = 0, n; i < part->count; i += n) {
        const prim_dim_t left = pd->ntiles_w - (part->first + i) % pd->ntiles_w;
        n = prim__min(prim__min(left, RUN_TILES), part->count - i);
        finish_tiles(part, i, n, o, nchannels);
    }
}

static part_t part_of(const run_t *run, int ithr)
{
    const conv_pd_t *const pd = run->pd;
    char *const scratch = run->scratch + (size_t)ithr * pd->thread_bytes;
    char *const m = scratch + pd->v_bytes, *const u = m + pd->m_bytes;
    char *const sums = u + pd->u_bytes, *const zeros = sums + pd->sums_bytes;
    memset(zeros, 0, pd->zeros_bytes);
    return (part_t){.run = run,
            .v = (float *)(void *)scratch,
            .m = (float *)(void *)m,
            .u = (float *)(void *)u,
            .sums = (float *)(void *)sums,
            .zeros = (float *)(void *)zeros,
            .room = (float *)(void *)(zeros + pd->zeros_bytes),
            .u_chunk = -1};
}

/// Blocks of tiles and groups of channels: the blocks of a group one after the other.
static void work(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t ntiles = s->mb * pd->ntiles_h * pd->ntiles_w;
    const prim_dim_t nblocks = prim__ceil_div(ntiles, pd->block);
    part_t part = part_of(run, ithr);
    prim_dim_t start, end;
    prim__balance211(nblocks * prim__ceil_div(s->oc, pd->group), nthr, ithr, &start, &end);
    for (prim_dim_t job = start; job < end; ++job) {
        part.first = job % nblocks * pd->block;
        part.count = prim__min(pd->block, ntiles - part.first);
        for (prim_dim_t i = 0; i < part.count; ++i) transform_patch(&part, i);
        const prim_dim_t first = job / nblocks * pd->group;
        const prim_dim_t past = prim__min(first + pd->group, s->oc);
        for (prim_dim_t o = first; o < past; o += pd->chunk)
            compute_channels(&part, o, prim__min(pd->chunk, past - o));
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_winograd_code),
            .products = SIMD_CHOOSE(prim__simd_runs_code),
            .src = prim__simd_array(base, ctx, PRIM_ARG_SRC),
            .wei = prim__simd_array(base, ctx, PRIM_ARG_WEIGHTS),
            .scratch = scratchpad + pd->scratch_offset};
    prim__conv_data_strides(run.src_strides, prim__pd_md(base, PRIM_ARG_SRC));
    prim__conv_data_strides(run.dst_strides, prim__pd_md(base, PRIM_ARG_DST));
    prim__conv_weights_strides(
            run.wei_strides, prim__pd_md(base, PRIM_ARG_WEIGHTS), pd->shape.has_groups);
    prim__simd_conv_finish_init(&run.finish, base, ctx, pd->tables_offset, false, false);
    prim__parallel(pd->nthr, work, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_winograd = {
        .name = "simd:conv:winograd",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
