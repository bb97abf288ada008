// SPDX-License-Identifier: Apache-2.0
// simd:conv:nhwc_depthwise: depthwise convolution with channels last over padded planes of pixels.
// Vectors run along pixels and their channels, several rows of dst at a time.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_row.h"
#include "simd_conv_borders.h"
#include "simd_conv_finish.h"
#include "simd_conv_phases.h"
#include "simd_float_rows.h"
#include "simd_periodic.h"
#include "simd_rows.h"

extern const impl_t prim__simd_conv_nhwc_depthwise;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    simd_conv_planes_t planes;
    bool has_borders;     ///< windows that reach beyond src
    prim_dim_t block;     ///< channels whose planes are copied together
    prim_dim_t nblocks;   ///< of channels
    prim_dim_t nstrips;   ///< of the rows of a plane of dst
    prim_dim_t src_elems; ///< of a copy
    int nthr;
    size_t thread_bytes, scratch_offset, tables_offset, weights_offset,
            taps_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t check_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->has_groups && s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    TRY(prim__simd_conv_require_types(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    REQUIRE(pd, !prim__md_is_empty(src), "src has no elements");
    REQUIRE(pd, !prim__md_is_empty(dst), "dst has no elements");
    TRY(prim__conv_set_channels_last(pd));
    TRY(prim__conv_set_row_major(pd)); // weights and bias are left
    REQUIRE(pd,
            prim__md_is_plain(src) && prim__md_is_plain(dst) &&
                    prim__md_is_plain(prim__pd_md(pd, PRIM_ARG_WEIGHTS)),
            "src, dst or weights have a blocked layout");
    REQUIRE(pd, src->strides[1] == 1 && dst->strides[1] == 1,
            "the channels of src or dst are not contiguous");
    return PRIM_SUCCESS;
}

/// All channels go together while whole pixels can be stored; of more, vectors of blocks are full.
static prim_dim_t choose_block(const conv_shape_t *s)
{
    enum { MOST = 128, BLOCK = 64 };
    return s->g <= MOST ? s->g : BLOCK;
}

/// Rows of dst in a strip: the planes they meet stay in the L2 cache, and threads have strips.
static prim_status_t choose_strips(conv_pd_t *pd, const conv_shape_t *s)
{
    enum { PLANES_ELEMS = 1 << 15, MOST_ELEMS = 1 << 17 };
    const prim_dim_t depth = s->kernel[CONV_D] * pd->block, nrows = s->out[CONV_H];
    simd_conv_planes_t one, two;
    prim__simd_conv_planes_init(&one, s, 1);
    prim__simd_conv_planes_init(&two, s, 2);
    const prim_dim_t first = (one.plane_elems + one.width) * depth;
    const prim_dim_t step = (two.plane_elems - one.plane_elems + one.width) * depth;
    REQUIRE(&pd->base, first <= MOST_ELEMS,
            "src under a row of dst has %lld elements, more than a cache holds", (long long)first);
    const prim_dim_t most = 1 + prim__max(PLANES_ELEMS - first, 0) / step;
    const prim_dim_t nparts = s->mb * s->out[CONV_D] * pd->nblocks;
    const prim_dim_t wanted = prim__ceil_div(2 * (prim_dim_t)pd->nthr, nparts);
    const prim_dim_t rows = prim__min(most, prim__ceil_div(nrows, prim__min(wanted, nrows)));
    pd->nstrips = prim__ceil_div(nrows, rows);
    prim__simd_conv_planes_init(&pd->planes, s, prim__ceil_div(nrows, pd->nstrips));
    return PRIM_SUCCESS;
}

/// Words of a row of weights.
static prim_dim_t weights_row(const conv_pd_t *pd)
{
    return prim__round_up(pd->block + SIMD_PERIODIC_SLACK, SIMD_PERIODIC_SLACK);
}

/// A strip's last vector reaches beyond its pixels.
static prim_dim_t sums_elems(const conv_pd_t *pd)
{
    const prim_dim_t elems = pd->planes.rows * pd->planes.width * pd->block;
    return prim__round_up(elems, SIMD_PERIODIC_SLACK) + SIMD_PERIODIC_SLACK;
}

static void book(conv_pd_t *pd, const conv_shape_t *s)
{
    const prim_dim_t elems = pd->planes.plane_elems * s->kernel[CONV_D] * pd->block;
    pd->src_elems = prim__round_up(elems, SIMD_PERIODIC_SLACK) + SIMD_PERIODIC_SLACK;
    pd->thread_bytes = (size_t)(pd->src_elems + sums_elems(pd)) * sizeof(float);
    pd->scratch_offset = prim__pd_book_scratchpad(&pd->base, pd->thread_bytes * (size_t)pd->nthr);
    pd->tables_offset = prim__simd_conv_book_finish(&pd->base);
    const prim_dim_t ntaps = prim__conv_taps(s);
    const prim_dim_t nweights = pd->nblocks * ntaps * weights_row(pd);
    pd->weights_offset = prim__pd_book_scratchpad(&pd->base, (size_t)nweights * sizeof(float));
    pd->taps_offset = prim__pd_book_scratchpad(&pd->base, 2 * (size_t)ntaps * sizeof(prim_dim_t));
}

static prim_status_t init_pd(prim_desc_t *base)
{
    enum { VECTOR = 16 };
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(check_problem(base, &s));
    PREFER_OTHER_UNLESS(base, s.g > 1, "the rows of one channel are vectors");
    PREFER_OTHER_UNLESS(
            base, s.g < VECTOR, "%lld channels fill vectors where they are", (long long)s.g);
    pd->nthr = prim__planned_threads();
    pd->block = choose_block(&s);
    pd->nblocks = prim__ceil_div(s.g, pd->block);
    TRY(choose_strips(pd, &s));
    pd->has_borders = prim__simd_conv_has_borders(base);
    book(pd, &s);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    const simd_periodic_code_t *code;
    simd_conv_source_t src;
    simd_conv_finish_t finish;
    simd_conv_borders_t borders;
    float *wei;             ///< [blocks][taps][weights_row]
    const prim_dim_t *taps; ///< of a block, then of the last
    char *scratch;
} run_t;

/// The weights of all blocks, whose rows go on with their first channels.
static void copy_weights(const run_t *run, const simd_array_t *from, const prim_dim_t *w)
{
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->planes.shape;
    const prim_dim_t ntaps = prim__conv_taps(s), row = weights_row(pd);
    float *to = run->wei;
    for (prim_dim_t c = 0; c < s->g; c += pd->block) {
        const prim_dim_t n = prim__min(s->g - c, pd->block);
        for (prim_dim_t tap = 0; tap < ntaps; ++tap, to += row) {
            const prim_dim_t kw = tap % s->kernel[CONV_W], rest = tap / s->kernel[CONV_W];
            const prim_dim_t at = c * w[0] + rest / s->kernel[CONV_H] * w[3] +
                                  rest % s->kernel[CONV_H] * w[4] + kw * w[5];
            prim__simd_load_row(to, from->base, from->dt, at, w[0], n);
            for (prim_dim_t i = n; i < row; ++i) to[i] = to[i - n];
        }
    }
}

/// Rows of dst under work: those of a block of channels.
typedef struct {
    const run_t *run;
    simd_conv_strip_t at;
    prim_dim_t nrows, nchannels;
} strip_t;

/// The position in dst of a pixel of the strip.
static void locate(prim_dim_t *position, const strip_t *strip, prim_dim_t pixel)
{
    const conv_shape_t *const s = &strip->run->pd->planes.shape;
    const prim_dim_t out[CONV_NSPATIAL] = {
            strip->at.od, strip->at.oh + pixel / s->out[CONV_W], pixel % s->out[CONV_W]};
    position[0] = strip->at.image;
    position[1] = strip->at.channel;
    for (int d = 0; d < s->nspatial; ++d) position[2 + d] = out[CONV_NSPATIAL - s->nspatial + d];
}

static void finish_pixel(const strip_t *strip, float *sums, prim_dim_t *position)
{
    for (prim_dim_t c = 0; c < strip->nchannels; c += REF_ROW_ELEMS) {
        position[1] = strip->at.channel + c;
        prim__simd_conv_finish_row(&strip->run->finish, sums + c, position, 1,
                prim__min(strip->nchannels - c, REF_ROW_ELEMS));
    }
}

/// The sums of all pixels, one after the other.
static void finish_pixels(const strip_t *strip, float *sums)
{
    const run_t *const run = strip->run;
    const conv_shape_t *const s = &run->pd->planes.shape;
    const prim_dim_t nc = strip->nchannels, npixels = strip->nrows * s->out[CONV_W];
    const bool mends = run->pd->has_borders &&
                       !SIMD_CHOOSE(prim__simd_rows_code)->all_finite(sums, npixels * nc);
    for (prim_dim_t i = 0; i < npixels && mends; ++i) {
        prim_dims_t position;
        locate(position, strip, i);
        prim__simd_conv_borders_mend(&run->borders, sums + i * nc, position, 1, nc);
    }
    for (prim_dim_t i = 0, n; i < npixels; i += n, sums += n * nc) {
        prim_dims_t position;
        locate(position, strip, i);
        n = 1;
        if (nc == s->g)
            n = prim__simd_conv_finish_some_pixels(&run->finish, sums, position, npixels - i);
        else
            finish_pixel(strip, sums, position);
    }
}

static void compute_strip(const strip_t *strip, const float *wei, float *scratch)
{
    const run_t *const run = strip->run;
    const simd_conv_planes_t *const planes = &run->pd->planes;
    const prim_dim_t nc = strip->nchannels, width = planes->shape.out[CONV_W];
    const prim_dim_t ntaps = prim__conv_taps(&planes->shape);
    const simd_periodic_t product = {.x = scratch,
            .taps = run->taps + (nc < run->pd->block ? ntaps : 0),
            .ntaps = ntaps,
            .channels = nc,
            .wei = wei,
            .wei_row = weights_row(run->pd),
            .n = ((strip->nrows - 1) * planes->width + width) * nc,
            .sums = scratch + run->pd->src_elems};
    prim__simd_conv_copy_phases(planes, &run->src, &strip->at, nc, scratch);
    run->code->multiply(&product);
    for (prim_dim_t r = 1; r < strip->nrows && planes->width > width; ++r)
        memmove(product.sums + r * width * nc, product.sums + r * planes->width * nc,
                (size_t)(width * nc) * sizeof(float));
    finish_pixels(strip, product.sums);
}

/// Strips of all planes of dst and blocks of channels, one after the other.
static void work_on_strips(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->planes.shape;
    const prim_dim_t nstrips = pd->nstrips, ndepths = s->out[CONV_D];
    char *const scratch = run->scratch + (size_t)ithr * pd->thread_bytes;
    prim_dim_t start, end;
    prim__balance211(s->mb * ndepths * nstrips * pd->nblocks, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        const prim_dim_t block = i % pd->nblocks, part = i / pd->nblocks;
        strip_t strip = {.run = run};
        strip.at.channel = block * pd->block;
        strip.nchannels = prim__min(s->g - strip.at.channel, pd->block);
        strip.at.image = part / nstrips / ndepths;
        strip.at.od = part / nstrips % ndepths;
        strip.at.oh = part % nstrips * pd->planes.rows;
        strip.nrows = prim__min(pd->planes.rows, s->out[CONV_H] - strip.at.oh);
        compute_strip(&strip, run->wei + block * prim__conv_taps(s) * weights_row(pd),
                (float *)(void *)scratch);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    prim_dim_t *const taps = (prim_dim_t *)(void *)(scratchpad + pd->taps_offset);
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_periodic_code),
            .src = {.array = prim__simd_array(base, ctx, PRIM_ARG_SRC)},
            .wei = (float *)(void *)(scratchpad + pd->weights_offset),
            .taps = taps,
            .scratch = scratchpad + pd->scratch_offset};
    const conv_shape_t *const s = &pd->planes.shape;
    const simd_array_t wei = prim__simd_array(base, ctx, PRIM_ARG_WEIGHTS);
    prim_dim_t wei_strides[6];
    prim__conv_data_strides(run.src.strides, prim__pd_md(base, PRIM_ARG_SRC));
    prim__conv_weights_strides(wei_strides, prim__pd_md(base, PRIM_ARG_WEIGHTS), true);
    copy_weights(&run, &wei, wei_strides);
    prim__simd_conv_planes_all_taps(&pd->planes, taps, pd->block);
    prim__simd_conv_planes_all_taps(
            &pd->planes, taps + prim__conv_taps(s), s->g - (pd->nblocks - 1) * pd->block);
    prim__simd_conv_finish_init(&run.finish, base, ctx, pd->tables_offset, false, false);
    if (pd->has_borders) prim__simd_conv_borders_init(&run.borders, base, ctx);
    prim__parallel(pd->nthr, work_on_strips, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_nhwc_depthwise = {
        .name = "simd:conv:nhwc_depthwise",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
