// SPDX-License-Identifier: Apache-2.0
// simd:conv:backward_weights_nhwc_direct: the gradients of a convolution's weights and bias with
// channels last, as sums over pixels of outer products: of diff_dst, and of the runs that taps show
// of src. Vectors run along the longer of the two. Strips are split, and the splits are added in
// their order, whatever the number of threads.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_conv_cost.h"
#include "simd_conv_finish.h"
#include "simd_conv_padding.h"
#include "simd_conv_pixels.h"
#include "simd_float_rows.h"
#include "simd_outer.h"

extern const impl_t prim__simd_conv_backward_weights_nhwc_direct;

enum { PIXELS = 128 }; ///< whose products are added up together

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    simd_conv_pixels_t pixels;
    bool is_turned;     ///< vectors run along src, else along diff_dst
    bool has_padding;   ///< windows reach beyond src
    prim_dim_t nstrips; ///< of the rows of a plane of diff_dst
    prim_dim_t nsums;   ///< of a split: those of weights, then of the bias
    prim_dim_t nsplits;
    int nthr;
    size_t copy_bytes, thread_bytes, scratch_offset, sums_offset,
            runs_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t check_problem(prim_desc_t *pd)
{
    TRY(prim__conv_set_channels_last(pd));
    TRY(prim__conv_set_weights_channels_last(pd));
    TRY(prim__conv_set_row_major(pd)); // the bias is left
    TRY(prim__simd_conv_require_weights_gradient(pd));
    REQUIRE(pd,
            prim__pd_md(pd, PRIM_ARG_SRC)->strides[1] == 1 &&
                    prim__pd_md(pd, PRIM_ARG_DIFF_DST)->strides[1] == 1,
            "the channels of src or diff_dst are not contiguous");
    return PRIM_SUCCESS;
}

static prim_status_t prefer_the_cheapest(conv_pd_t *conv_pd, const conv_shape_t *s)
{
    prim_desc_t *const pd = &conv_pd->base;
    const double direct = prim__simd_conv_weights_direct_cycles(pd, s);
    const double gemm = prim__simd_conv_weights_gemm_cycles(pd, s);
    const double plain = prim__simd_conv_weights_nhwc_direct_cycles(pd, s, false);
    const double turned = prim__simd_conv_weights_nhwc_direct_cycles(pd, s, true);
    conv_pd->is_turned = turned < plain;
    const double cycles = conv_pd->is_turned ? turned : plain;
    PREFER_OTHER_UNLESS(pd, 1.2 * cycles < gemm,
            "a matrix product is expected to take %.0f cycles a pixel, this variant %.0f", gemm,
            cycles);
    PREFER_OTHER_UNLESS(pd, cycles < direct,
            "planes of pixels are expected to take %.0f cycles a pixel, this variant %.0f", direct,
            cycles);
    return PRIM_SUCCESS;
}

/// Rows of diff_dst in a strip: a copy of what they meet of src stays in the L2 cache.
static prim_status_t choose_strips(conv_pd_t *pd, const conv_shape_t *s)
{
    enum { STRIP_ELEMS = 1 << 15, MOST_ELEMS = 1 << 17, MOST_SPLITS = 16 };
    enum { MOST_PARTIAL_BYTES = 1 << 24 };
    prim_dim_t rows = s->out[CONV_H], elems = prim__simd_conv_pixels_set_rows(&pd->pixels, rows);
    while (rows > 1 && elems > STRIP_ELEMS) {
        rows = prim__ceil_div(rows, 2);
        elems = prim__simd_conv_pixels_set_rows(&pd->pixels, rows);
    }
    REQUIRE(&pd->base, elems <= MOST_ELEMS,
            "src under a row of diff_dst has %lld elements, more than %d", (long long)elems,
            MOST_ELEMS);
    pd->nstrips = prim__ceil_div(s->out[CONV_H], rows);
    pd->copy_bytes = (size_t)prim__round_up(elems, 16) * sizeof(float);
    const prim_dim_t most = MOST_PARTIAL_BYTES / (pd->nsums * (prim_dim_t)sizeof(float));
    const prim_dim_t nparts = s->mb * s->out[CONV_D] * pd->nstrips;
    pd->nsplits = prim__max(prim__min(prim__min(nparts, MOST_SPLITS), most), 1);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(check_problem(base));
    TRY(prefer_the_cheapest(pd, &s));
    prim__simd_conv_pixels_init(&pd->pixels, &s, prim__pd_md(base, PRIM_ARG_SRC), PRIM_F32);
    pd->nsums = s.g * s.oc * (s.ic * prim__conv_taps(&s) + 1);
    TRY(choose_strips(pd, &s));
    pd->has_padding = prim__simd_conv_has_padding(&s);
    pd->nthr = prim__planned_threads();
    const size_t dst_bytes = (size_t)(PIXELS * s.g * s.oc) * sizeof(float);
    pd->thread_bytes = pd->copy_bytes + dst_bytes;
    pd->scratch_offset = prim__pd_book_scratchpad(base, pd->thread_bytes * (size_t)pd->nthr);
    pd->sums_offset =
            prim__pd_book_scratchpad(base, (size_t)(pd->nsplits * pd->nsums) * sizeof(float));
    const size_t runs_bytes = (size_t)pd->pixels.nruns * sizeof(prim_dim_t);
    pd->runs_offset = prim__pd_book_scratchpad(base, runs_bytes);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    const simd_outer_code_t *code;
    const simd_convert_code_t *convert;
    simd_array_t src, diff_dst;
    simd_conv_padding_t padding;
    prim_dim_t dst_strides[5];
    const prim_dim_t *runs;
    /// [split]: [group][run][element][channel], or if is_turned [group][channel][run][element];
    /// then the bias.
    float *sums;
    char *scratch;
    void *wei, *bias;
} run_t;

/// Some pixels of a strip under work: what the first tap shows them, and their rows of diff_dst.
typedef struct {
    const float *x, *y;
    prim_dim_t x_at[PIXELS], y_at[PIXELS], n;
} chunk_t;

static void add_group(const run_t *run, const chunk_t *chunk, prim_dim_t group, float *sums)
{
    const simd_conv_pixels_t *const p = &run->pd->pixels;
    const prim_dim_t ic = p->shape.ic, oc = p->shape.oc, depth = p->nruns * p->elems;
    simd_outer_t product = {.npixels = chunk->n};
    sums += group * depth * oc;
    for (prim_dim_t k = 0; k < p->nruns; ++k) {
        const float *const x = chunk->x + group * ic + run->runs[k];
        const float *const y = chunk->y + group * oc;
        const bool is_turned = run->pd->is_turned;
        product.a = is_turned ? y : x;
        product.b = is_turned ? x : y;
        product.a_at = is_turned ? chunk->y_at : chunk->x_at;
        product.b_at = is_turned ? chunk->x_at : chunk->y_at;
        product.na = is_turned ? oc : p->elems;
        product.nb = is_turned ? p->elems : oc;
        product.sums = sums + k * p->elems * (is_turned ? 1 : oc);
        product.sums_row = is_turned ? depth : oc;
        run->code->add(&product);
    }
}

/// diff_dst itself, as if multiplied by ones.
static void add_bias(const run_t *run, const chunk_t *chunk, float *sums)
{
    static const prim_dim_t origin[PIXELS] = {0};
    static const float one = 1.0F;
    const conv_shape_t *const s = &run->pd->pixels.shape;
    const simd_outer_t product = {.a = &one,
            .b = chunk->y,
            .a_at = origin,
            .b_at = chunk->y_at,
            .npixels = chunk->n,
            .na = 1,
            .nb = s->g * s->oc,
            .sums = sums,
            .sums_row = s->g * s->oc};
    run->code->add(&product);
}

/// Rows of diff_dst under work.
typedef struct {
    prim_dim_t image, od, oh;
} place_t;

/// The pixels first.. of a strip of nrows rows: their offsets, and those of diff_dst as f32.
static void read_chunk(const run_t *run, chunk_t *chunk, place_t at, prim_dim_t first, float *room)
{
    const simd_conv_pixels_t *const p = &run->pd->pixels;
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t *const d = run->dst_strides;
    const prim_dim_t channels = s->g * s->oc;
    const bool is_f32 = run->diff_dst.dt == PRIM_F32;
    const prim_dim_t from = at.image * d[0] + at.od * d[2] + at.oh * d[3];
    chunk->y = is_f32 ? prim__simd_at(&run->diff_dst, from) : room;
    for (prim_dim_t i = 0, n; i < chunk->n; i += n) {
        const prim_dim_t row = (first + i) / s->out[CONV_W], column = (first + i) % s->out[CONV_W];
        n = prim__min(chunk->n - i, s->out[CONV_W] - column);
        const prim_dim_t y = row * d[3] + column * d[4];
        for (prim_dim_t k = 0; k < n; ++k) {
            chunk->x_at[i + k] = row * s->stride[CONV_H] * p->row +
                                 (column + k) * s->stride[CONV_W] * p->channels;
            chunk->y_at[i + k] = is_f32 ? y + k * d[4] : (i + k) * channels;
        }
        if (is_f32) continue;
        const prim_dim_t together = d[4] == channels ? n : 1;
        for (prim_dim_t k = 0; k < n; k += together)
            run->convert->load(room + (i + k) * channels,
                    prim__simd_at(&run->diff_dst, from + y + k * d[4]), run->diff_dst.dt,
                    together * channels);
    }
}

static void add_strip(const run_t *run, place_t at, float *sums, char *room)
{
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->pixels.shape;
    const prim_dim_t nrows = prim__min(pd->pixels.rows, s->out[CONV_H] - at.oh);
    const prim_dim_t npixels = nrows * s->out[CONV_W];
    const prim_dim_t nweights = pd->nsums - s->g * s->oc;
    chunk_t chunk = {
            .x = prim__simd_conv_pixels_read(&pd->pixels, &run->src, at.image, at.od, at.oh, room)};
    for (prim_dim_t i = 0; i < npixels; i += PIXELS) {
        chunk.n = prim__min(npixels - i, PIXELS);
        read_chunk(run, &chunk, at, i, (float *)(void *)(room + pd->copy_bytes));
        for (prim_dim_t g = 0; g < s->g; ++g) add_group(run, &chunk, g, sums);
        if (run->bias) add_bias(run, &chunk, sums + nweights);
    }
}

/// Splits, one after the other.
static void work_on_splits(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->pixels.shape;
    char *const room = run->scratch + (size_t)ithr * pd->thread_bytes;
    prim_dim_t start, end;
    prim__balance211(pd->nsplits, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        float *const sums = run->sums + i * pd->nsums;
        memset(sums, 0, (size_t)pd->nsums * sizeof *sums);
        prim_dim_t part, past;
        prim__balance211(
                s->mb * s->out[CONV_D] * pd->nstrips, (int)pd->nsplits, (int)i, &part, &past);
        for (; part < past; ++part)
            add_strip(run,
                    (place_t){part / pd->nstrips / s->out[CONV_D],
                            part / pd->nstrips % s->out[CONV_D],
                            part % pd->nstrips * pd->pixels.rows},
                    sums, room);
    }
}

/// The sum of all splits.
static float total(const run_t *run, prim_dim_t index)
{
    float sum = run->sums[index];
    for (prim_dim_t i = 1; i < run->pd->nsplits; ++i) sum += run->sums[index + i * run->pd->nsums];
    return sum;
}

/// The gradients of an output channel of a group by the input channels of a tap.
static void store_tap(
        const run_t *run, prim_dim_t channel, prim_dim_t tap, const prim_dim_t *w, prim_dim_t at)
{
    enum { ROW = 64 };
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->pixels.shape;
    const prim_dim_t depth = pd->pixels.nruns * pd->pixels.elems;
    const prim_dim_t group = channel / s->oc, o = channel % s->oc;
    const prim_data_type_t dt = prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS)->data_type;
    const simd_array_t wei = {run->wei, dt};
    for (prim_dim_t c = 0, n; c < s->ic; c += n) {
        float row[ROW];
        n = prim__min(s->ic - c, ROW);
        for (prim_dim_t k = 0; k < n; ++k) {
            // Runs have the taps of a row one after the other, as taps are counted.
            const prim_dim_t p = tap * s->ic + c + k;
            row[k] = total(
                    run, group * depth * s->oc + (pd->is_turned ? o * depth + p : p * s->oc + o));
        }
        if (pd->has_padding) prim__simd_conv_padding_mend(&run->padding, channel, tap, c, row, n);
        prim__simd_write(run->convert, &wei, at + c * w[2], w[2], row, n);
    }
}

/// The gradients that belong to one output channel.
static void store_channel(prim_dim_t channel, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->pixels.shape;
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS);
    prim_dim_t w[6];
    prim__conv_weights_strides(w, md, s->has_groups);
    for (prim_dim_t tap = 0; tap < prim__conv_taps(s); ++tap) {
        const prim_dim_t kw = tap % s->kernel[CONV_W], rest = tap / s->kernel[CONV_W];
        store_tap(run, channel, tap, w,
                md->offset0 + channel / s->oc * w[0] + channel % s->oc * w[1] +
                        rest / s->kernel[CONV_H] * w[3] + rest % s->kernel[CONV_H] * w[4] +
                        kw * w[5]);
    }
    if (!run->bias) return;
    const prim_memory_desc_t *const bias = prim__pd_md(&pd->base, PRIM_ARG_DIFF_BIAS);
    prim__store(run->bias, bias->data_type, bias->offset0 + channel * bias->strides[0],
            (double)total(run, pd->nsums - s->g * s->oc + channel));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    prim_dim_t *const runs = (prim_dim_t *)(void *)(scratchpad + pd->runs_offset);
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_outer_code),
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .src = prim__simd_array(base, ctx, PRIM_ARG_SRC),
            .diff_dst = prim__simd_array(base, ctx, PRIM_ARG_DIFF_DST),
            .runs = runs,
            .sums = (float *)(void *)(scratchpad + pd->sums_offset),
            .scratch = scratchpad + pd->scratch_offset,
            .wei = prim__ref_pointer(ctx, PRIM_ARG_DIFF_WEIGHTS)};
    prim__conv_data_strides(run.dst_strides, prim__pd_md(base, PRIM_ARG_DIFF_DST));
    if (prim__pd_has(base, PRIM_ARG_DIFF_BIAS))
        run.bias = prim__ref_pointer(ctx, PRIM_ARG_DIFF_BIAS);
    prim__simd_conv_pixels_runs(&pd->pixels, runs);
    prim__parallel(pd->nthr, work_on_splits, &run);
    if (pd->has_padding) prim__simd_conv_padding_init(&run.padding, base, ctx);
    prim__parallel_for(pd->pixels.shape.g * pd->pixels.shape.oc, store_channel, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_backward_weights_nhwc_direct = {
        .name = "simd:conv:backward_weights_nhwc_direct",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
