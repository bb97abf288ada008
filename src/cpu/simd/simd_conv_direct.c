// SPDX-License-Identifier: Apache-2.0
// simd:conv:direct: direct convolution over padded planes. Vectors run along pixels, several rows
// of dst at a time; blocks of output channels share what they load of src.
#include <stdatomic.h>
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/post_ops_check.h"
#include "cpu/ref/ref_row.h"
#include "simd_conv_borders.h"
#include "simd_conv_cost.h"
#include "simd_conv_finish.h"
#include "simd_conv_planes.h"
#include "simd_direct.h"
#include "simd_float_rows.h"
#include "simd_gemm.h"
#include "simd_gemm_levels.h"
#include "simd_matmul_finish.h"
#include "simd_rows.h"

extern const impl_t prim__simd_conv_direct;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    simd_conv_planes_t planes;
    bool is_row_chain;  ///< what comes after the sums works on rows of f32
    bool has_borders;   ///< windows that reach beyond src
    prim_dim_t nstrips; ///< of the rows of a plane of dst
    prim_dim_t nblocks; ///< of output channels of a group
    int nthr;
    size_t thread_bytes, scratch_offset, tables_offset, weights_offset,
            taps_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t set_layouts(prim_desc_t *pd)
{
    TRY(prim__conv_set_channels_last(pd));
    TRY(prim__conv_set_row_major(pd)); // weights and bias are left
    REQUIRE(pd,
            prim__md_is_plain(prim__pd_md(pd, PRIM_ARG_SRC)) &&
                    prim__md_is_plain(prim__pd_md(pd, PRIM_ARG_DST)) &&
                    prim__md_is_plain(prim__pd_md(pd, PRIM_ARG_WEIGHTS)),
            "src, dst or weights have a blocked layout");
    return PRIM_SUCCESS;
}

static prim_status_t check_problem(prim_desc_t *pd)
{
    TRY(prim__simd_conv_require_types(pd));
    REQUIRE(pd, !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_SRC)), "src has no elements");
    REQUIRE(pd, !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_DST)), "dst has no elements");
    return PRIM_SUCCESS;
}

/// Rows of dst in a strip: the planes they meet stay in the L2 cache, and threads have strips.
static prim_status_t choose_strips(conv_pd_t *pd, const conv_shape_t *s)
{
    enum { PLANES_ELEMS = 1 << 16 };
    const prim_dim_t nrows = s->out[CONV_H];
    simd_conv_planes_t one, two;
    prim__simd_conv_planes_init(&one, s, 1);
    prim__simd_conv_planes_init(&two, s, 2);
    const prim_dim_t nplanes = s->ic * s->kernel[CONV_D];
    REQUIRE(&pd->base, one.plane_elems <= PLANES_ELEMS / nplanes,
            "src under a row of dst has %lld planes of %lld elements, more than %d in all",
            (long long)nplanes, (long long)one.plane_elems, PLANES_ELEMS);
    const prim_dim_t row_elems = two.plane_elems - one.plane_elems;
    const prim_dim_t most = 1 + (PLANES_ELEMS / nplanes - one.plane_elems) / row_elems;
    const prim_dim_t nparts = s->mb * s->g * s->out[CONV_D];
    const prim_dim_t wanted = prim__ceil_div(2 * (prim_dim_t)pd->nthr, nparts);
    const prim_dim_t rows = prim__min(most, prim__ceil_div(nrows, prim__min(wanted, nrows)));
    pd->nstrips = prim__ceil_div(nrows, rows);
    prim__simd_conv_planes_init(&pd->planes, s, prim__ceil_div(nrows, pd->nstrips));
    return PRIM_SUCCESS;
}

/// Depthwise with channels last has vectors of channels, if they are enough.
static prim_status_t prefer_the_cheapest(prim_desc_t *pd, const conv_shape_t *s)
{
    enum { VECTOR = 16 };
    const bool is_last = prim__pd_md(pd, PRIM_ARG_SRC)->strides[1] == 1 &&
                         prim__pd_md(pd, PRIM_ARG_DST)->strides[1] == 1;
    if (s->has_groups && s->ic == 1 && s->oc == 1) {
        PREFER_OTHER_UNLESS(pd, !is_last || s->g < VECTOR,
                "%lld channels of a depthwise convolution are contiguous, and fill vectors",
                (long long)s->g);
        return PRIM_SUCCESS;
    }
    const double direct = prim__simd_conv_direct_cycles(pd, s);
    const double gemm = prim__simd_conv_gemm_cycles(pd, s);
    PREFER_OTHER_UNLESS(pd, direct < gemm,
            "a matrix product is expected to take %.0f cycles an image, this variant %.0f", gemm,
            direct);
    return PRIM_SUCCESS;
}

static prim_dim_t sums_row(const simd_conv_planes_t *planes)
{
    return prim__round_up(planes->rows * planes->width, SIMD_DIRECT_SLACK) + SIMD_DIRECT_SLACK;
}

static prim_dim_t source_elems(const conv_pd_t *pd)
{
    return prim__round_up(
            prim__simd_conv_planes_elems(&pd->planes, pd->planes.shape.ic), SIMD_DIRECT_SLACK);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(check_problem(base));
    TRY(set_layouts(base));
    pd->nthr = prim__planned_threads();
    TRY(choose_strips(pd, &s));
    TRY(prefer_the_cheapest(base, &s));
    pd->nblocks = prim__ceil_div(s.oc, SIMD_DIRECT_CHANNELS);
    pd->has_borders = prim__simd_conv_has_borders(base);
    pd->is_row_chain = prim__pd_md(base, PRIM_ARG_DST)->data_type == PRIM_F32 &&
                       prim__simd_matmul_is_row_chain(&base->attr) &&
                       !prim__post_ops_find_sum(&base->attr.post_ops);
    const prim_dim_t elems = source_elems(pd) + SIMD_DIRECT_CHANNELS * sums_row(&pd->planes);
    pd->thread_bytes = (size_t)elems * sizeof(float);
    pd->scratch_offset = prim__pd_book_scratchpad(base, pd->thread_bytes * (size_t)pd->nthr);
    pd->tables_offset = prim__simd_conv_book_finish(base);
    const prim_dim_t nweights = s.g * s.oc * s.ic * prim__conv_taps(&s);
    pd->weights_offset = prim__pd_book_scratchpad(base, (size_t)nweights * sizeof(float));
    const prim_dim_t ntaps = s.kernel[CONV_H] * s.kernel[CONV_W];
    pd->taps_offset = prim__pd_book_scratchpad(base, (size_t)ntaps * sizeof(prim_dim_t));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    const simd_direct_code_t *code;
    simd_conv_source_t src;
    simd_conv_finish_t finish;
    float *dst; ///< with offset0, if is_row_chain
    prim_dim_t dst_strides[5];
    bool has_runs;              ///< rows of a channel are contiguous in dst
    atomic_bool has_infinities; ///< or NaN, in the weights
    bool mends;                 ///< sums that became NaN by the padding
    simd_conv_borders_t borders;
    float *wei;             ///< [groups·blocks][input channels][taps][channels of the block]
    const prim_dim_t *taps; ///< where a plane has what each shows, of a tap along the depth
    char *scratch;
    simd_array_t from; ///< the weights
    prim_dim_t wei_strides[6];
} run_t;

/// Output channels of a block.
static int block_channels(const conv_shape_t *s, prim_dim_t block)
{
    return (int)prim__min(s->oc - block * SIMD_DIRECT_CHANNELS, SIMD_DIRECT_CHANNELS);
}

/// The weights of one output channel under one plane: taps `step` elements apart.
static void copy_taps(const run_t *run, prim_dim_t offset, float *to, int step)
{
    enum { CHUNK = 16 };
    const conv_shape_t *const s = &run->pd->planes.shape;
    const prim_dim_t *const w = run->wei_strides;
    for (prim_dim_t kh = 0; kh < s->kernel[CONV_H]; ++kh) {
        for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; kw += CHUNK) {
            float room[CHUNK];
            const prim_dim_t n = prim__min(s->kernel[CONV_W] - kw, CHUNK);
            prim__simd_load_row(
                    room, run->from.base, run->from.dt, offset + kh * w[4] + kw * w[5], w[5], n);
            for (prim_dim_t i = 0; i < n; ++i, to += step) *to = room[i];
        }
    }
}

/// The weights of a block of output channels.
static void copy_weights(prim_dim_t index, void *arg)
{
    run_t *const run = arg;
    const conv_shape_t *const s = &run->pd->planes.shape;
    const prim_dim_t *const w = run->wei_strides;
    const prim_dim_t group = index / run->pd->nblocks, block = index % run->pd->nblocks;
    const prim_dim_t ntaps = s->kernel[CONV_H] * s->kernel[CONV_W];
    const prim_dim_t nplanes = s->ic * s->kernel[CONV_D], o0 = block * SIMD_DIRECT_CHANNELS;
    const int n = block_channels(s, block);
    float *const to = run->wei + (group * s->oc + o0) * nplanes * ntaps;
    for (int o = 0; o < n; ++o) {
        const prim_dim_t offset = group * w[0] + (o0 + o) * w[1];
        for (prim_dim_t i = 0; i < nplanes; ++i)
            copy_taps(run, offset + i / s->kernel[CONV_D] * w[2] + i % s->kernel[CONV_D] * w[3],
                    to + i * ntaps * n + o, n);
    }
    if (!SIMD_CHOOSE(prim__simd_rows_code)->all_finite(to, nplanes * ntaps * n))
        atomic_store(&run->has_infinities, true);
}

/// A strip under work: rows oh..oh+nrows of a plane of dst.
typedef struct {
    const run_t *run;
    prim_dim_t group;
    simd_conv_strip_t at;
    prim_dim_t nrows;
} strip_t;

/// The position in dst of a pixel of the strip.
static void locate(prim_dim_t *position, const strip_t *strip, prim_dim_t channel, prim_dim_t pixel)
{
    const conv_shape_t *const s = &strip->run->pd->planes.shape;
    const prim_dim_t out[CONV_NSPATIAL] = {
            strip->at.od, strip->at.oh + pixel / s->out[CONV_W], pixel % s->out[CONV_W]};
    position[0] = strip->at.image;
    position[1] = channel;
    for (int d = 0; d < s->nspatial; ++d) position[2 + d] = out[CONV_NSPATIAL - s->nspatial + d];
}

/// Post-ops on the sums themselves, then rows to f32 of dst.
static void finish_rows_in_place(const strip_t *strip, float *sums, prim_dim_t channel)
{
    const run_t *const run = strip->run;
    const simd_conv_planes_t *const planes = &run->pd->planes;
    const prim_dim_t width = planes->shape.out[CONV_W], n = strip->nrows * planes->width;
    const prim_dim_t *const strides = run->dst_strides;
    const prim_dims_t position = {strip->at.image, channel};
    const int last = run->finish.ref.dst_md->ndims - 1;
    for (prim_dim_t i = 0; i < n && !run->finish.is_empty; i += REF_ROW_ELEMS)
        prim__simd_conv_finish_row(
                &run->finish, sums + i, position, last, prim__min(n - i, REF_ROW_ELEMS));
    float *to = run->dst + strip->at.image * strides[0] + channel * strides[1] +
                strip->at.od * strides[2] + strip->at.oh * strides[3];
    for (prim_dim_t r = 0; r < strip->nrows; ++r, to += strides[3], sums += planes->width) {
        if (strides[4] == 1)
            memcpy(to, sums, (size_t)width * sizeof *to);
        else
            for (prim_dim_t i = 0; i < width; ++i) to[i * strides[4]] = sums[i];
    }
}

/// The same for every other dst: rows are made neighbours before where dst has them so.
static void finish_rows(const strip_t *strip, float *sums, prim_dim_t channel)
{
    const run_t *const run = strip->run;
    const simd_conv_planes_t *const planes = &run->pd->planes;
    const prim_dim_t width = planes->shape.out[CONV_W], npixels = strip->nrows * width;
    const int last = run->finish.ref.dst_md->ndims - 1;
    for (prim_dim_t r = 1; r < strip->nrows && planes->width > width; ++r)
        memmove(sums + r * width, sums + r * planes->width, (size_t)width * sizeof *sums);
    for (prim_dim_t i = 0, n; i < npixels; i += n) {
        prim_dims_t position;
        locate(position, strip, channel, i);
        const prim_dim_t rest = run->has_runs ? npixels - i : width - i % width;
        n = prim__min(rest, REF_ROW_ELEMS);
        if (run->has_runs)
            prim__simd_conv_finish_run(&run->finish, sums + i, position, n);
        else
            prim__simd_conv_finish_row(&run->finish, sums + i, position, last, n);
    }
}

/// The sums of a channel, while rows are still as far apart as in the planes.
static void mend_rows(const strip_t *strip, float *sums, prim_dim_t channel)
{
    const run_t *const run = strip->run;
    const simd_conv_planes_t *const planes = &run->pd->planes;
    const prim_dim_t width = planes->shape.out[CONV_W];
    const int last = run->finish.ref.dst_md->ndims - 1;
    for (prim_dim_t r = 0; r < strip->nrows; ++r) {
        prim_dims_t first;
        locate(first, strip, channel, r * width);
        prim__simd_conv_borders_mend(&run->borders, sums + r * planes->width, first, last, width);
    }
}

static void compute_strip(const strip_t *strip, float *scratch)
{
    const run_t *const run = strip->run;
    const simd_conv_planes_t *const planes = &run->pd->planes;
    const conv_shape_t *const s = &planes->shape;
    simd_direct_t product = {.x = scratch,
            .nplanes = s->ic * s->kernel[CONV_D],
            .plane_elems = planes->plane_elems,
            .taps = run->taps,
            .ntaps = s->kernel[CONV_H] * s->kernel[CONV_W],
            .sums = scratch + source_elems(run->pd),
            .sums_row = sums_row(planes),
            .n = (strip->nrows - 1) * planes->width + s->out[CONV_W]};
    prim__simd_conv_copy_planes(planes, &run->src, &strip->at, s->ic, scratch);
    for (prim_dim_t block = 0; block < run->pd->nblocks; ++block) {
        const prim_dim_t channel = strip->group * s->oc + block * SIMD_DIRECT_CHANNELS;
        const int n = block_channels(s, block);
        product.wei = run->wei + channel * product.nplanes * product.ntaps;
        run->code->multiply(&product, n);
        for (int o = 0; o < n && run->mends; ++o)
            mend_rows(strip, product.sums + o * product.sums_row, channel + o);
        for (int o = 0; o < n; ++o)
            (run->pd->is_row_chain ? finish_rows_in_place : finish_rows)(
                    strip, product.sums + o * product.sums_row, channel + o);
    }
}

/// Strips of all planes of dst, one after the other.
static void work_on_strips(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->pd->planes.shape;
    const prim_dim_t nstrips = run->pd->nstrips, ndepths = s->out[CONV_D];
    char *const scratch = run->scratch + (size_t)ithr * run->pd->thread_bytes;
    prim_dim_t start, end;
    prim__balance211(s->mb * s->g * ndepths * nstrips, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        strip_t strip = {.run = run, .group = i / nstrips / ndepths % s->g};
        strip.at.image = i / nstrips / ndepths / s->g;
        strip.at.channel = strip.group * s->ic;
        strip.at.od = i / nstrips % ndepths;
        strip.at.oh = i % nstrips * run->pd->planes.rows;
        strip.nrows = prim__min(run->pd->planes.rows, s->out[CONV_H] - strip.at.oh);
        compute_strip(&strip, (float *)(void *)scratch);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->planes.shape;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    prim_dim_t *const taps = (prim_dim_t *)(void *)(scratchpad + pd->taps_offset);
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_direct_code),
            .src = {.array = prim__simd_array(base, ctx, PRIM_ARG_SRC)},
            .wei = (float *)(void *)(scratchpad + pd->weights_offset),
            .taps = taps,
            .scratch = scratchpad + pd->scratch_offset,
            .from = prim__simd_array(base, ctx, PRIM_ARG_WEIGHTS)};
    prim__conv_data_strides(run.src.strides, prim__pd_md(base, PRIM_ARG_SRC));
    prim__conv_weights_strides(run.wei_strides, prim__pd_md(base, PRIM_ARG_WEIGHTS), s->has_groups);
    prim__simd_conv_planes_taps(&pd->planes, taps);
    prim__conv_data_strides(run.dst_strides, prim__pd_md(base, PRIM_ARG_DST));
    if (pd->is_row_chain) run.dst = prim__simd_tensor(base, ctx, PRIM_ARG_DST);
    prim__simd_conv_finish_init(&run.finish, base, ctx, pd->tables_offset, pd->is_row_chain, false);
    run.has_runs = prim__simd_conv_has_channel_runs(&run.finish);
    prim__parallel_for(s->g * pd->nblocks, copy_weights, &run);
    run.mends = pd->has_borders && atomic_load(&run.has_infinities);
    if (run.mends) prim__simd_conv_borders_init(&run.borders, base, ctx);
    prim__parallel(pd->nthr, work_on_strips, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_direct = {
        .name = "simd:conv:direct",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
