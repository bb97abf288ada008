// SPDX-License-Identifier: Apache-2.0
// simd:conv:depthwise: depthwise convolution. Vectors run along the contiguous dimension of dst:
// channels (NHWC) or pixels of a row (NCHW).
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/post_ops_check.h"
#include "cpu/cpu_isa.h"
#include "cpu/ref/ref_row.h"
#include "simd_conv_finish.h"
#include "simd_depthwise.h"
#include "simd_float_rows.h"
#include "simd_matmul_finish.h"

extern const impl_t prim__simd_conv_depthwise;

/// Columns of dst.
typedef struct {
    prim_dim_t first, past;
} range_t;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    bool is_last;      ///< channels are contiguous; else the pixels of a row
    bool is_row_chain; ///< what comes after the sums works on rows of f32
    size_t tables_offset, weights_offset, zeros_offset, ranges_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t check_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->has_groups && s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    if (!prim__simd_conv_has_bytes(pd)) return prim__simd_conv_require_types(pd);
    REQUIRE(pd, prim__conv_taps(s) <= SIMD_CONV_BYTES_DEPTH,
            "sums of %lld products of bytes are not exact in f32", (long long)prim__conv_taps(s));
    return prim__simd_conv_require_bytes(pd);
}

static prim_status_t set_layouts(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    TRY(prim__conv_set_channels_last(pd));
    // Channels of a tap are neighbours where vectors run along them.
    static const char *const tags[] = {"dbca", "debca", "defbca"};
    if (src->strides[1] == 1 && dst->strides[1] == 1)
        TRY(prim__md_set_tag_if_any(wei, tags[src->ndims - 3]));
    TRY(prim__md_set_row_major_if_any(wei));
    if (prim__pd_has(pd, PRIM_ARG_BIAS))
        TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS)));
    REQUIRE(pd, prim__md_is_plain(src) && prim__md_is_plain(dst) && prim__md_is_plain(wei),
            "src, dst or weights have a blocked layout");
    const int last = dst->ndims - 1;
    REQUIRE(pd,
            (src->strides[1] == 1 && dst->strides[1] == 1) ||
                    (src->strides[last] == 1 && dst->strides[last] == 1),
            "src and dst are contiguous neither along channels (NHWC) nor along rows (NCHW)");
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const prim_attr_t *const attr = &base->attr;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(check_problem(base, &s));
    TRY(set_layouts(base));
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    pd->is_last = dst->strides[1] == 1 && prim__pd_md(base, PRIM_ARG_SRC)->strides[1] == 1;
    const bool has_scales =
            prim__attr_scale(attr, PRIM_ARG_SRC) || prim__attr_scale(attr, PRIM_ARG_WEIGHTS);
    const bool has_zero = prim__attr_zero_point(attr, PRIM_ARG_SRC) != NULL;
    // A sum at the head of the chain is where the sums start, before they are scaled. With a zero
    // point sums of integers cancel: they stay exact on their own alone.
    pd->is_row_chain = dst->data_type == PRIM_F32 && prim__simd_matmul_is_row_chain(attr) &&
                       !((has_scales || has_zero) && prim__post_ops_find_sum(&attr->post_ops));
    pd->tables_offset = prim__simd_conv_book_finish(base);
    pd->weights_offset =
            prim__pd_book_scratchpad(base, (size_t)(s.g * prim__conv_taps(&s)) * sizeof(float));
    if (!pd->is_last)
        pd->ranges_offset =
                prim__pd_book_scratchpad(base, (size_t)s.kernel[CONV_W] * sizeof(range_t));
    if (has_zero && pd->is_last)
        pd->zeros_offset = prim__pd_book_scratchpad(base, (size_t)s.g * sizeof(float));
    return PRIM_SUCCESS;
}

/// sums[i] += x[i·step]·w
typedef void (*add_scaled_t)(float *sums, const float *x, prim_dim_t step, float w, prim_dim_t n);

X64_INLINE void add_scaled(
        float *restrict sums, const float *restrict x, prim_dim_t step, float w, prim_dim_t n)
{
    if (step == 1) {
        for (prim_dim_t i = 0; i < n; ++i) sums[i] += x[i] * w;
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) sums[i] += x[i * step] * w;
}

static void add_scaled_portable(float *sums, const float *x, prim_dim_t step, float w, prim_dim_t n)
{
    add_scaled(sums, x, step, w, n);
}

#if PRIM_X64
X64_AVX2 static void add_scaled_avx2(
        float *sums, const float *x, prim_dim_t step, float w, prim_dim_t n)
{
    add_scaled(sums, x, step, w, n);
}

X64_AVX512 static void add_scaled_avx512(
        float *sums, const float *x, prim_dim_t step, float w, prim_dim_t n)
{
    add_scaled(sums, x, step, w, n);
}
#endif

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    conv_shape_t shape;
    const simd_depthwise_code_t *code;
    add_scaled_t add_scaled;
    const void *src; ///< offset0 added
    prim_data_type_t src_dt;
    prim_dim_t src_strides[5], dst_strides[5];
    float *dst;           ///< with offset0, if is_row_chain
    const post_op_t *sum; ///< at the head of a row chain, or NULL
    const float *wei;     ///< [taps][channels] if is_last, else [channels][taps]
    int src_zero;         ///< zero point
    /// If it is not 0 and is_last: src_zero · sum of the weights of each channel, for pixels whose
    /// taps in the padding read the bytes `padding`.
    const float *zeros;
    uint8_t padding[REF_ROW_ELEMS];
    const range_t *ranges; ///< where each tap of a kernel row is inside src if !is_last
    prim_dim_t piece;      ///< pixels of a row that are computed together
    prim_dim_t channels;   ///< of each of them if is_last
    prim_dim_t inner_first, inner_past; ///< columns of dst whose taps are all between src's edges
    bool has_window;                    ///< taps make 3×3 windows, whose sums begin with them
    bool has_pixel_rows;                ///< whole pixels are contiguous in dst and finished as such
    simd_conv_finish_t finish;
} run_t;

static void choose_code(run_t *run)
{
    run->code = SIMD_CHOOSE(prim__simd_depthwise_code);
    run->add_scaled = add_scaled_portable;
#if PRIM_X64
    const cpu_isa_t isa = prim__cpu_isa();
    if (isa == CPU_ISA_PORTABLE) return;
    run->add_scaled = isa >= CPU_ISA_AVX512 ? add_scaled_avx512 : add_scaled_avx2;
#endif
}

/// n elements of src from `offset` on, `step` apart: where they are, or as f32 without their zero
/// point in `room`, 1 apart.
static const float *read_source(
        const run_t *run, prim_dim_t offset, prim_dim_t *step, prim_dim_t n, float *room)
{
    if (run->src_dt == PRIM_F32) return (const float *)run->src + offset;
    prim__simd_load_row(room, run->src, run->src_dt, offset, *step, n);
    const float zero = (float)run->src_zero;
    if (run->src_zero != 0)
        for (prim_dim_t i = 0; i < n; ++i) room[i] -= zero;
    *step = 1;
    return room;
}

/// The input index under a tap of a spatial dimension, −1 in the padding.
static prim_dim_t input_index(const conv_shape_t *s, int d, prim_dim_t out, prim_dim_t tap)
{
    const prim_dim_t at = out * s->stride[d] + tap * s->dilation[d] - s->pad[d];
    return at < s->in[d] ? at : -1;
}

enum {
    OUTSIDE = -1,
    SUMS = 4 * REF_ROW_ELEMS, ///< of a block: four pixels of many channels
};

/// Where the row of src under a tap starts.
static prim_dim_t input_row(const run_t *run, prim_dim_t image, const prim_dim_t out[CONV_NSPATIAL],
        prim_dim_t kd, prim_dim_t kh)
{
    const prim_dim_t id = input_index(&run->shape, CONV_D, out[CONV_D], kd);
    const prim_dim_t ih = input_index(&run->shape, CONV_H, out[CONV_H], kh);
    if (id < 0 || ih < 0) return OUTSIDE;
    return image * run->src_strides[0] + id * run->src_strides[2] + ih * run->src_strides[3];
}

/// Sums under work: n channels of npixels pixels that have the same taps inside, or n pixels of one
/// channel.
typedef struct {
    float *sums;
    prim_dim_t npixels, channel, n;
    bool has_sums;              ///< else the first taps begin them
    simd_depthwise_taps_t taps; ///< those that wait for their products to be added
} block_t;

static void add_waiting_taps(const run_t *run, block_t *block)
{
    block->taps.starts = !block->has_sums;
    block->has_sums = true;
    run->code->add_taps(block->sums, &block->taps, run->src_dt, block->npixels, block->n);
    block->taps.n = 0;
}

/// Takes the taps of one kernel row; `src` is where the row of src starts, OUTSIDE in the padding,
/// `tap` the first tap.
static void add_row_to_channels(
        const run_t *run, block_t *block, prim_dim_t ow, prim_dim_t src, prim_dim_t tap)
{
    simd_depthwise_taps_t *const taps = &block->taps;
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t bytes = (prim_dim_t)prim__dt_bytes(run->src_dt);
    const prim_dim_t step = s->stride[CONV_W] * run->src_strides[4] * bytes;
    for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; ++kw) {
        const prim_dim_t iw = src == OUTSIDE ? -1 : input_index(s, CONV_W, ow, kw);
        if (iw < 0 && !run->zeros) continue;
        if (taps->n == SIMD_DEPTHWISE_TAPS) add_waiting_taps(run, block);
        taps->step[taps->n] = iw < 0 ? 0 : (size_t)step;
        taps->x[taps->n] =
                iw < 0 ? (const char *)run->padding
                       : (const char *)run->src +
                                 (src + block->channel + iw * run->src_strides[4]) * bytes;
        taps->w[taps->n++] = run->wei + (tap + kw) * s->g + block->channel;
    }
}

/// Adds them to the sums of pixels of a row from `ow` on, of one channel.
static void add_row_to_pixels(
        const run_t *run, block_t *block, prim_dim_t ow, prim_dim_t src, prim_dim_t tap)
{
    const prim_dim_t channel = block->channel, n = block->n;
    const conv_shape_t *const s = &run->shape;
    const float *const wei = run->wei + channel * prim__conv_taps(s) + tap;
    float room[REF_ROW_ELEMS];
    for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; ++kw) {
        prim_dim_t step = s->stride[CONV_W];
        const prim_dim_t first = prim__max(run->ranges[kw].first, ow);
        const prim_dim_t past = prim__min(run->ranges[kw].past, ow + n);
        if (first >= past) continue;
        const prim_dim_t offset = src + channel * run->src_strides[1] + first * step +
                                  kw * s->dilation[CONV_W] - s->pad[CONV_W];
        const float *const x = read_source(run, offset, &step, past - first, room);
        run->add_scaled(block->sums + (first - ow), x, step, wei[kw], past - first);
    }
}

/// Adds all taps to the sums of a block of dst from `out` on.
static void add_taps(
        const run_t *run, block_t *block, prim_dim_t image, const prim_dim_t out[CONV_NSPATIAL])
{
    const conv_shape_t *const s = &run->shape;
    block->taps.n = 0;
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd) {
        for (prim_dim_t kh = 0; kh < s->kernel[CONV_H]; ++kh) {
            const prim_dim_t src = input_row(run, image, out, kd, kh);
            if (src == OUTSIDE && !run->zeros) continue;
            const prim_dim_t tap = (kd * s->kernel[CONV_H] + kh) * s->kernel[CONV_W];
            if (run->pd->is_last)
                add_row_to_channels(run, block, out[CONV_W], src, tap);
            else
                add_row_to_pixels(run, block, out[CONV_W], src, tap);
        }
    }
    if (block->taps.n > 0) add_waiting_taps(run, block);
    if (!block->has_sums)
        memset(block->sums, 0, (size_t)(block->npixels * block->n) * sizeof *block->sums);
    for (prim_dim_t p = 0; p < block->npixels && run->zeros; ++p)
        for (prim_dim_t i = 0; i < block->n; ++i)
            block->sums[p * block->n + i] -= run->zeros[block->channel + i];
}

/// The sums of pixels of a row by windows; false: they are too few.
static bool add_window(const run_t *run, float *sums, const prim_dim_t *position,
        const prim_dim_t out[CONV_NSPATIAL], prim_dim_t npixels, prim_dim_t n)
{
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t bytes = (prim_dim_t)prim__dt_bytes(run->src_dt), stride = s->stride[CONV_W];
    simd_depthwise_window_t window = {.first = out[CONV_W] * stride - s->pad[CONV_W],
            .column = (size_t)(run->src_strides[4] * bytes),
            .stride = (int)stride};
    window.lacks_first = window.first < 0;
    window.lacks_last = window.first + (npixels - 1) * stride + 2 >= s->in[CONV_W];
    for (int t = 0; t < SIMD_DEPTHWISE_WINDOW; ++t) {
        const prim_dim_t row = input_row(run, position[0], out, 0, t / 3);
        if (row != OUTSIDE) window.x[t / 3] = (const char *)run->src + (row + position[1]) * bytes;
        window.w[t] = run->wei + t * s->g + position[1];
    }
    return run->code->add_window(sums, &window, run->src_dt, npixels, n);
}

/// The same for pixels of a row one after the other: together where all their taps are inside.
static void add_taps_of_pixels(const run_t *run, float *sums, const prim_dim_t *position,
        const prim_dim_t out[CONV_NSPATIAL], prim_dim_t npixels, prim_dim_t n)
{
    if (run->has_window && add_window(run, sums, position, out, npixels, n)) return;
    block_t block = {.channel = position[1], .n = n};
    for (prim_dim_t p = 0; p < npixels; p += block.npixels) {
        const prim_dim_t at[CONV_NSPATIAL] = {out[CONV_D], out[CONV_H], out[CONV_W] + p};
        const bool is_inner = at[CONV_W] >= run->inner_first && at[CONV_W] < run->inner_past;
        block.sums = sums + p * n;
        block.has_sums = run->sum || !run->pd->is_last;
        block.npixels = is_inner ? prim__min(npixels - p, run->inner_past - at[CONV_W]) : 1;
        add_taps(run, &block, position[0], at);
    }
}

/// What the products are added to: zeros, which those of channels need not be told, or of a sum at
/// the head of a row chain what dst holds.
static void start_sums(const run_t *run, float *sums, const float *dst, prim_dim_t n)
{
    if (!run->sum) {
        if (run->pd->is_last) return;
        memset(sums, 0, (size_t)n * sizeof *sums);
        return;
    }
    const float scale = run->sum->scale, zero = (float)run->sum->zero_point;
    for (prim_dim_t i = 0; i < n; ++i) sums[i] = scale * (dst[i] - zero);
}

/// `position` is that of the first pixel, and of the one behind the last in the end.
static void finish_sums(
        const run_t *run, float *sums, prim_dim_t *position, prim_dim_t npixels, prim_dim_t n)
{
    const int last = run->finish.ref.dst_md->ndims - 1;
    const bool is_whole = run->has_pixel_rows && n == run->shape.g;
    const prim_dim_t most = is_whole ? SIMD_ROW / n : 1;
    for (prim_dim_t p = 0; p < npixels; p += most, position[last] += most) {
        if (is_whole)
            prim__simd_conv_finish_pixels(
                    &run->finish, sums + p * n, position, prim__min(npixels - p, most));
        else
            prim__simd_conv_finish_row(
                    &run->finish, sums + p * n, position, run->pd->is_last ? 1 : last, n);
    }
}

/// In one pass: n channels of each pixel, or n pixels, that are contiguous in dst.
static bool finish_by_epilogue(const run_t *run, float *sums, prim_dim_t at, prim_dim_t channel,
        prim_dim_t npixels, prim_dim_t n)
{
    const bool is_last = run->pd->is_last;
    if (!run->finish.has_epilogue || (!is_last && run->dst_strides[4] != 1)) return false;
    const simd_epilogue_rows_t rows = {.sums = sums,
            .sums_row = n,
            .nrows = npixels,
            .n = n,
            .at = at,
            .dst_row = run->dst_strides[4]};
    prim__simd_conv_finish_rows(&run->finish, &rows, channel, !is_last);
    return true;
}

/// Sums and finishes elements of dst from `out` on: n channels of npixels pixels of a row, or n
/// pixels of a channel.
static void compute_block(const run_t *run, prim_dim_t *position,
        const prim_dim_t out[CONV_NSPATIAL], prim_dim_t npixels, prim_dim_t n)
{
    float sums[SUMS];
    const prim_dim_t *const strides = run->dst_strides;
    const prim_dim_t at = position[0] * strides[0] + position[1] * strides[1] +
                          out[CONV_D] * strides[2] + out[CONV_H] * strides[3] +
                          out[CONV_W] * strides[4];
    float *const dst = run->dst ? run->dst + at : NULL;
    // Pixels that are neighbours in dst make one run.
    const prim_dim_t run_pixels = strides[4] == n ? npixels : 1;
    for (prim_dim_t p = 0; p < npixels; p += run_pixels)
        start_sums(run, sums + p * n, dst ? dst + p * strides[4] : NULL, run_pixels * n);
    add_taps_of_pixels(run, sums, position, out, npixels, n);
    if (finish_by_epilogue(run, sums, at, position[1], npixels, n)) return;
    finish_sums(run, sums, position, npixels, n);
    for (prim_dim_t p = 0; p < npixels && run->pd->is_row_chain; p += run_pixels)
        memcpy(dst + p * strides[4], sums + p * n, (size_t)(run_pixels * n) * sizeof *dst);
}

/// A piece of a row of pixels with all their channels, or one row of one channel.
static void compute_line(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->shape;
    const bool is_last = run->pd->is_last;
    const prim_dim_t npieces = is_last ? prim__ceil_div(s->out[CONV_W], run->piece) : 1;
    const prim_dim_t first = is_last ? index % npieces * run->piece : 0;
    prim_dim_t out[CONV_NSPATIAL] = {0}, rest = index / npieces;
    for (int d = CONV_H; d >= CONV_D; --d) {
        out[d] = rest % s->out[d];
        rest /= s->out[d];
    }
    const prim_dim_t image = is_last ? rest : rest / s->g;
    const prim_dim_t npixels = is_last ? prim__min(run->piece, s->out[CONV_W] - first) : 1;
    const prim_dim_t total = is_last ? s->g : s->out[CONV_W];
    const prim_dim_t step = is_last ? run->channels : REF_ROW_ELEMS;
    for (prim_dim_t i = 0; i < total; i += step) {
        prim_dims_t position = {image, is_last ? i : rest % s->g};
        out[CONV_W] = is_last ? first : i;
        for (int d = 0; d < s->nspatial; ++d)
            position[2 + d] = out[CONV_NSPATIAL - s->nspatial + d];
        compute_block(run, position, out, npixels, prim__min(total - i, step));
    }
}

static const range_t *find_ranges(range_t *ranges, const conv_shape_t *s)
{
    for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; ++kw)
        prim__conv_valid_range(s, CONV_W, kw, &ranges[kw].first, &ranges[kw].past);
    return ranges;
}

/// Takes the zero point of src out of the sums of channels.
static void subtract_zero(run_t *run, float *zeros)
{
    const prim_dim_t nchannels = run->shape.g, ntaps = prim__conv_taps(&run->shape);
    memset(run->padding, run->src_zero, sizeof run->padding);
    memset(zeros, 0, (size_t)nchannels * sizeof *zeros);
    for (prim_dim_t i = 0; i < ntaps * nchannels; ++i)
        zeros[i % nchannels] += (float)run->src_zero * run->wei[i];
    run->zeros = zeros;
}

/// Channels that are summed together: all, or about as many as leave room for a row of pixels, or
/// for several of those that share what taps show.
static prim_dim_t choose_channels(const conv_shape_t *s)
{
    enum { PIXELS = 16, LINE = 16, LEAST = 64 };
    const prim_dim_t most = prim__max(SUMS / prim__min(s->out[CONV_W], PIXELS), LEAST);
    if (s->g <= prim__min(most + most / 2, REF_ROW_ELEMS)) return s->g;
    const prim_dim_t nblocks = prim__ceil_div(s->g, prim__min(most, REF_ROW_ELEMS));
    return prim__round_up(prim__ceil_div(s->g, nblocks), LINE);
}

/// The number of lines, each of them work for one thread.
static prim_dim_t cut_lines(run_t *run)
{
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t nrows = s->mb * s->out[CONV_D] * s->out[CONV_H];
    if (!run->pd->is_last) return nrows * s->g;
    prim_dim_t end;
    prim__conv_valid_range(s, CONV_W, 0, &run->inner_first, &end);
    prim__conv_valid_range(s, CONV_W, s->kernel[CONV_W] - 1, &end, &run->inner_past);
    run->channels = choose_channels(s);
    run->piece = prim__min(s->out[CONV_W], SUMS / run->channels);
    run->has_pixel_rows = prim__simd_conv_has_pixel_rows(&run->finish);
    return nrows * prim__ceil_div(s->out[CONV_W], run->piece);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    float *const wei = (float *)(void *)(scratchpad + pd->weights_offset);
    run_t run = {.pd = pd, .src_dt = src->data_type, .wei = wei};
    prim__conv_shape(&run.shape, base);
    if (prim__md_is_empty(dst)) return PRIM_SUCCESS;
    choose_code(&run);
    run.src = (const char *)prim__ref_pointer(ctx, PRIM_ARG_SRC) +
              (size_t)src->offset0 * prim__dt_bytes(src->data_type);
    prim__conv_data_strides(run.src_strides, src);
    prim__conv_data_strides(run.dst_strides, dst);
    run.sum = pd->is_row_chain ? prim__post_ops_find_sum(&base->attr.post_ops) : NULL;
    if (pd->is_row_chain) run.dst = (float *)prim__ref_pointer(ctx, PRIM_ARG_DST) + dst->offset0;
    prim__simd_depthwise_weights(wei, &run.shape, prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS),
            prim__pd_md(base, PRIM_ARG_WEIGHTS), pd->is_last);
    if (!pd->is_last)
        run.ranges = find_ranges((range_t *)(void *)(scratchpad + pd->ranges_offset), &run.shape);
    run.src_zero = prim__simd_conv_source_zero(base, ctx);
    if (run.src_zero != 0 && pd->is_last)
        subtract_zero(&run, (float *)(void *)(scratchpad + pd->zeros_offset));
    run.has_window =
            pd->is_last && !run.sum && !run.zeros && prim__simd_depthwise_has_window(&run.shape);
    prim__simd_conv_finish_init(
            &run.finish, base, ctx, pd->tables_offset, pd->is_row_chain, run.sum != NULL);
    prim__parallel_for(cut_lines(&run), compute_line, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_depthwise = {
        .name = "simd:conv:depthwise",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
