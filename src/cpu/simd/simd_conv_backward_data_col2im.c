// SPDX-License-Identifier: Apache-2.0
// simd:conv:backward_data_col2im: the gradient by src as a product over the output channels, (input
// channels × taps) × pixels, whose rows are added to diff_src where their taps see it.
#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_conv_finish.h"
#include "simd_float_rows.h"
#include "simd_gemm.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack.h"

extern const impl_t prim__simd_conv_backward_data_col2im;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    prim_dim_t ntaps;
    prim_dim_t block, nblocks; ///< input channels that are computed together
    prim_dim_t rows, npixels;  ///< rows of diff_dst that are multiplied at once, and their pixels
    prim_dim_t pixel;          ///< elements from a pixel of diff_dst to the next
    int nthr;
    prim_dim_t image_elems;                              ///< of a block, in f32
    size_t thread_bytes, scratch_offset, weights_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t check_problem(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_DST};
    TRY(prim__conv_take_direct(pd));
    TRY(prim__conv_require_no_bias(pd));
    TRY(prim__conv_set_channels_last(pd));
    TRY(prim__conv_set_row_major(pd)); // weights are left
    REQUIRE(pd, prim__attr_is_plain(&pd->attr), "attributes are set");
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, prim__simd_takes_float(md->data_type), "a tensor is not f32, f16 or bf16");
        REQUIRE(pd, prim__md_is_plain(md), "a tensor has a blocked layout");
        REQUIRE(pd, !prim__md_is_empty(md), "a tensor has no elements");
    }
    return PRIM_SUCCESS;
}

/// Pixels of diff_dst follow each other at one distance.
static bool find_pixel(prim_dim_t *pixel, const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, prim__pd_md(pd, PRIM_ARG_DIFF_DST));
    prim_dim_t expected = -1;
    *pixel = 1;
    for (int d = CONV_W; d >= CONV_D; --d) {
        if (s->out[d] == 1) continue;
        if (expected < 0) *pixel = expected = strides[2 + d];
        if (strides[2 + d] != expected) return false;
        expected *= s->out[d];
    }
    return true;
}

/// As many rows at once as leave the products in the L2 cache; as many channels as share the
/// threads.
static void choose_blocks(conv_pd_t *pd)
{
    enum { PRODUCTS = 1 << 16 };
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t nimages = s->mb * s->g;
    const prim_dim_t wanted = prim__ceil_div(2 * (prim_dim_t)pd->nthr, nimages);
    pd->block = pd->nthr == 1 ? s->ic : prim__ceil_div(s->ic, prim__min(wanted, s->ic));
    pd->nblocks = prim__ceil_div(s->ic, pd->block);
    const prim_dim_t row = pd->block * pd->ntaps * s->out[CONV_W];
    const prim_dim_t nrows = s->out[CONV_D] * s->out[CONV_H];
    pd->rows = prim__min(prim__max(PRODUCTS / row, 1), nrows);
    pd->npixels = pd->rows * s->out[CONV_W];
    pd->image_elems = pd->block * s->in[CONV_D] * s->in[CONV_H] * s->in[CONV_W];
}

/// Phases of the strides, at most: simd:conv:backward_data_polyphase takes 8.
static prim_dim_t count_phases(const conv_shape_t *s)
{
    prim_dim_t n = 1;
    for (int d = 0; d < CONV_NSPATIAL; ++d) n *= prim__min(s->stride[d], s->kernel[d]);
    return n;
}

/// Where the other variant gathers diff_dst for each tap of each phase, and finds few products to
/// do with it: what both took of problems drawn at random, with vectors of 16 lanes.
static prim_status_t prefer_others(conv_pd_t *pd)
{
    enum {
        FEW = 8,
        DEEP = 24,
        DEEP_WITHOUT = 64,
        SOME = 3,
        TAPS = 2,
        THREADS = 4,
        MOST_PHASES = 8
    };
    const conv_shape_t *const s = &pd->shape;
    if (count_phases(s) > MOST_PHASES) return PRIM_SUCCESS;
    const bool is_f32 = prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST)->data_type == PRIM_F32;
    const prim_dim_t strides = s->stride[CONV_D] * s->stride[CONV_H] * s->stride[CONV_W];
    const bool is_few = s->ic <= FEW && s->oc >= (strides > 1 ? DEEP : DEEP_WITHOUT);
    // With strides and few taps the other variant has few products for what it gathers.
    const bool is_sparse =
            is_f32 && strides > 1 && s->oc >= SOME && s->ic >= SOME && pd->ntaps <= TAPS * strides;
    PREFER_OTHER_UNLESS(&pd->base, pd->ntaps > 1 && (is_few || is_sparse),
            "%lld input and %lld output channels, %lld taps: this variant is for few and many, or "
            "for "
            "strides and few taps",
            (long long)s->ic, (long long)s->oc, (long long)pd->ntaps);
    PREFER_OTHER_UNLESS(&pd->base, THREADS * s->mb * s->g * pd->nblocks >= pd->nthr,
            "%lld parts for %d threads", (long long)(s->mb * s->g * pd->nblocks), pd->nthr);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    enum { MOST_IMAGE_ELEMS = 1 << 22 };
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t *const s = &pd->shape;
    prim__conv_shape(s, base);
    TRY(check_problem(base));
    REQUIRE(base, find_pixel(&pd->pixel, base, s), "pixels of diff_dst lie at several distances");
    pd->ntaps = prim__conv_taps(s);
    pd->nthr = prim__planned_threads();
    choose_blocks(pd);
    REQUIRE(base, pd->image_elems <= MOST_IMAGE_ELEMS,
            "%lld elements of diff_src are added up at once", (long long)pd->image_elems);
    TRY(prefer_others(pd));
    const prim_dim_t m = pd->block * pd->ntaps;
    const size_t gemm = prim__simd_gemm_scratch_bytes(SIMD_WORD_F32, m, pd->npixels, s->oc);
    const prim_dim_t elems =
            prim__round_up(m * pd->npixels, 16) + prim__round_up(pd->image_elems, 16);
    pd->thread_bytes = (gemm + (size_t)elems * sizeof(float) + 63) / 64 * 64;
    pd->scratch_offset = prim__pd_book_scratchpad(base, pd->thread_bytes * (size_t)pd->nthr);
    const prim_dim_t nweights = s->g * s->ic * pd->ntaps * s->oc;
    pd->weights_offset = prim__pd_book_scratchpad(base, (size_t)nweights * sizeof(float));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    simd_array_t diff_src, wei, diff_dst;
    prim_dim_t src_strides[5], dst_strides[5], wei_strides[6];
    float *weights; ///< [group][input channel][tap][output channel]
    char *scratch;
} run_t;

static void copy_weights(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->pd->shape;
    const prim_dim_t *const w = run->wei_strides;
    float *row = run->weights + index * run->pd->ntaps * s->oc;
    const prim_dim_t at = index / s->ic * w[0] + index % s->ic * w[2];
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd)
        for (prim_dim_t kh = 0; kh < s->kernel[CONV_H]; ++kh)
            for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; ++kw, row += s->oc)
                prim__simd_load_row(row, run->wei.base, run->wei.dt,
                        at + kd * w[3] + kh * w[4] + kw * w[5], w[1], s->oc);
}

static void pack_pixels(
        const void *arg, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const simd_gemm_operand_t *const operand = arg;
    prim__simd_gemm_pack(operand, j0, nj, p0, np, prim__simd_gemm_shape(SIMD_WORD_F32)->nr, panels);
}

/// sums[row][pixel], rows are the channels of a block with their taps.
static void multiply(const run_t *run, const float *weights, prim_dim_t nrows, prim_dim_t at,
        prim_dim_t npixels, float *sums, void *scratch)
{
    const conv_pd_t *const pd = run->pd;
    const simd_gemm_operand_t operand = {
            prim__simd_at(&run->diff_dst, at), run->diff_dst.dt, pd->pixel, run->dst_strides[1]};
    simd_gemm_t gemm = {.m = nrows,
            .n = npixels,
            .k = pd->shape.oc,
            .word = SIMD_WORD_F32,
            .a = weights,
            .a_row = pd->shape.oc,
            .a_col = 1,
            .c = sums,
            .c_row = pd->npixels,
            .pack_arg = &operand};
    if (run->diff_dst.dt == PRIM_F32) {
        gemm.b = operand.data;
        gemm.b_row = operand.down;
        gemm.b_col = operand.along;
    } else {
        gemm.pack_b = pack_pixels;
    }
    prim__simd_gemm_serial(&gemm, scratch);
}

/// Adds a row of diff_dst's width, the sums of one tap, to a row of an image.
static void add_row(const conv_shape_t *s, prim_dim_t kw, const float *sums, float *row)
{
    prim_dim_t first, last;
    prim__conv_valid_range(s, CONV_W, kw, &first, &last);
    const prim_dim_t step = s->stride[CONV_W];
    float *const to = row + kw * s->dilation[CONV_W] - s->pad[CONV_W];
    if (step == 1)
        for (prim_dim_t x = first; x < last; ++x) to[x] += sums[x];
    else
        for (prim_dim_t x = first; x < last; ++x) to[x * step] += sums[x];
}

/// The element of src that a tap of a dimension sees, −1 in the padding.
static prim_dim_t seen(const conv_shape_t *s, int dim, prim_dim_t out, prim_dim_t tap)
{
    const prim_dim_t in = out * s->stride[dim] + tap * s->dilation[dim] - s->pad[dim];
    return in >= 0 && in < s->in[dim] ? in : -1;
}

/// Adds the products of the rows y0..y0+ny of diff_dst, of one channel, to its image.
static void add_channel(
        const conv_pd_t *pd, const float *sums, prim_dim_t y0, prim_dim_t ny, float *image)
{
    const conv_shape_t *const s = &pd->shape;
    for (prim_dim_t tap = 0; tap < pd->ntaps; ++tap, sums += pd->npixels) {
        const prim_dim_t kw = tap % s->kernel[CONV_W];
        const prim_dim_t kh = tap / s->kernel[CONV_W] % s->kernel[CONV_H];
        const prim_dim_t kd = tap / s->kernel[CONV_W] / s->kernel[CONV_H];
        for (prim_dim_t y = 0; y < ny; ++y) {
            const prim_dim_t id = seen(s, CONV_D, (y0 + y) / s->out[CONV_H], kd);
            const prim_dim_t ih = seen(s, CONV_H, (y0 + y) % s->out[CONV_H], kh);
            if (id < 0 || ih < 0) continue;
            add_row(s, kw, sums + y * s->out[CONV_W],
                    image + (id * s->in[CONV_H] + ih) * s->in[CONV_W]);
        }
    }
}

/// The image of one channel to diff_src, whose channel begins at offset `at`.
static void store_channel(const run_t *run, const float *image, prim_dim_t at)
{
    const conv_shape_t *const s = &run->pd->shape;
    const simd_convert_code_t *const convert = SIMD_CHOOSE(prim__simd_convert_code);
    const prim_dim_t *const to = run->src_strides;
    for (prim_dim_t d = 0; d < s->in[CONV_D]; ++d)
        for (prim_dim_t h = 0; h < s->in[CONV_H]; ++h, image += s->in[CONV_W])
            prim__simd_write(convert, &run->diff_src, at + d * to[2] + h * to[3], to[4], image,
                    s->in[CONV_W]);
}

/// A block of channels of one image and group.
static void compute_block(const run_t *run, prim_dim_t index, char *scratch)
{
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t first = index % pd->nblocks * pd->block, group = index / pd->nblocks % s->g;
    const prim_dim_t image = index / pd->nblocks / s->g, n = prim__min(s->ic - first, pd->block);
    const prim_dim_t plane = pd->image_elems / pd->block, nrows = s->out[CONV_D] * s->out[CONV_H];
    float *const sums = (float *)(void *)scratch;
    float *const planes = sums + prim__round_up(pd->block * pd->ntaps * pd->npixels, 16);
    void *const room = planes + prim__round_up(pd->image_elems, 16);
    const float *const weights = run->weights + (group * s->ic + first) * pd->ntaps * s->oc;
    memset(planes, 0, (size_t)(n * plane) * sizeof *planes);
    for (prim_dim_t y = 0; y < nrows; y += pd->rows) {
        const prim_dim_t ny = prim__min(nrows - y, pd->rows);
        const prim_dim_t at = image * run->dst_strides[0] + group * s->oc * run->dst_strides[1] +
                              y * s->out[CONV_W] * pd->pixel;
        multiply(run, weights, n * pd->ntaps, at, ny * s->out[CONV_W], sums, room);
        for (prim_dim_t i = 0; i < n; ++i)
            add_channel(pd, sums + i * pd->ntaps * pd->npixels, y, ny, planes + i * plane);
    }
    for (prim_dim_t i = 0; i < n; ++i)
        store_channel(run, planes + i * plane,
                image * run->src_strides[0] + (group * s->ic + first + i) * run->src_strides[1]);
}

static void work_on_blocks(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    char *const scratch = run->scratch + (size_t)ithr * pd->thread_bytes;
    prim_dim_t start, end;
    prim__balance211(pd->shape.mb * pd->shape.g * pd->nblocks, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) compute_block(run, i, scratch);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.pd = pd,
            .diff_src = prim__simd_array(base, ctx, PRIM_ARG_DIFF_SRC),
            .wei = prim__simd_array(base, ctx, PRIM_ARG_WEIGHTS),
            .diff_dst = prim__simd_array(base, ctx, PRIM_ARG_DIFF_DST),
            .weights = (float *)(void *)(scratchpad + pd->weights_offset),
            .scratch = scratchpad + pd->scratch_offset};
    prim__conv_data_strides(run.src_strides, prim__pd_md(base, PRIM_ARG_DIFF_SRC));
    prim__conv_data_strides(run.dst_strides, prim__pd_md(base, PRIM_ARG_DIFF_DST));
    prim__conv_weights_strides(
            run.wei_strides, prim__pd_md(base, PRIM_ARG_WEIGHTS), pd->shape.has_groups);
    prim__parallel_for(pd->shape.g * pd->shape.ic, copy_weights, &run);
    prim__parallel(pd->nthr, work_on_blocks, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_backward_data_col2im = {
        .name = "simd:conv:backward_data_col2im",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
