// SPDX-License-Identifier: Apache-2.0
// x64:conv:depthwise: depthwise convolution. Vectors run along the contiguous dimension of dst:
// channels (NHWC) or pixels of a row (NCHW).
#include <string.h>

#include "common/data_type.h"
#include "common/parallel.h"
#include "cpu/cpu_isa.h"
#include "cpu/ref/ref_row.h"
#include "cpu/simd/simd_depthwise.h"
#include "x64_conv_finish.h"
#include "x64_convert.h"
#include "x64_matmul_finish.h"

extern const impl_t prim__x64_conv_depthwise;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    bool is_last;      ///< channels are contiguous; else the pixels of a row
    bool is_row_chain; ///< what comes after the sums works on rows of f32
    size_t tables_offset, weights_offset, zeros_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t check_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->has_groups && s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    if (!prim__x64_conv_has_bytes(pd)) return prim__x64_conv_require_types(pd);
    REQUIRE(pd, prim__conv_taps(s) <= X64_CONV_BYTES_DEPTH,
            "sums of %lld products of bytes are not exact in f32", (long long)prim__conv_taps(s));
    return prim__x64_conv_require_bytes(pd);
}

static prim_status_t set_layouts(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    TRY(prim__conv_set_channels_last(pd));
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
    pd->is_row_chain = dst->data_type == PRIM_F32 && prim__x64_matmul_is_row_chain(attr) &&
                       !((has_scales || has_zero) && prim__post_ops_find_sum(&attr->post_ops));
    pd->tables_offset = prim__x64_conv_book_finish(base);
    pd->weights_offset =
            prim__pd_book_scratchpad(base, (size_t)(s.g * prim__conv_taps(&s)) * sizeof(float));
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
    x64_conv_finish_t finish;
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
    prim__x64_load_row(room, run->src, run->src_dt, offset, *step, n);
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

enum { OUTSIDE = -1 };

/// Where the row of src under a tap starts.
static prim_dim_t input_row(const run_t *run, prim_dim_t image, const prim_dim_t out[CONV_NSPATIAL],
        prim_dim_t kd, prim_dim_t kh)
{
    const prim_dim_t id = input_index(&run->shape, CONV_D, out[CONV_D], kd);
    const prim_dim_t ih = input_index(&run->shape, CONV_H, out[CONV_H], kh);
    if (id < 0 || ih < 0) return OUTSIDE;
    return image * run->src_strides[0] + id * run->src_strides[2] + ih * run->src_strides[3];
}

/// Taps of a pixel that wait for their products to be added.
typedef struct {
    const void *x[SIMD_DEPTHWISE_TAPS];
    const float *w[SIMD_DEPTHWISE_TAPS];
    int n;
} taps_t;

static void add_waiting_taps(const run_t *run, taps_t *taps, float *sums, prim_dim_t n)
{
    run->code->add_taps(sums, taps->x, run->src_dt, taps->w, taps->n, n);
    taps->n = 0;
}

/// Takes the taps of one kernel row for the sums of n channels of a pixel; `src` is where the row
/// of src starts, OUTSIDE in the padding, `tap` the first tap.
static void add_row_to_channels(const run_t *run, taps_t *taps, float *sums, prim_dim_t ow,
        prim_dim_t src, prim_dim_t tap, prim_dim_t channel, prim_dim_t n)
{
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t bytes = (prim_dim_t)prim__dt_bytes(run->src_dt);
    for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; ++kw) {
        const prim_dim_t iw = src == OUTSIDE ? -1 : input_index(s, CONV_W, ow, kw);
        if (iw < 0 && !run->zeros) continue;
        if (taps->n == SIMD_DEPTHWISE_TAPS) add_waiting_taps(run, taps, sums, n);
        taps->x[taps->n] = iw < 0 ? (const char *)run->padding
                                  : (const char *)run->src +
                                            (src + channel + iw * run->src_strides[4]) * bytes;
        taps->w[taps->n++] = run->wei + (tap + kw) * s->g + channel;
    }
}

/// Adds them to the sums of n pixels of a row from `ow` on, of one channel.
static void add_row_to_pixels(const run_t *run, float *sums, prim_dim_t ow, prim_dim_t src,
        prim_dim_t tap, prim_dim_t channel, prim_dim_t n)
{
    const conv_shape_t *const s = &run->shape;
    const float *const wei = run->wei + channel * prim__conv_taps(s) + tap;
    float room[REF_ROW_ELEMS];
    for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; ++kw) {
        prim_dim_t first, past, step = s->stride[CONV_W];
        prim__conv_valid_range(s, CONV_W, kw, &first, &past);
        if (first < ow) first = ow;
        if (past > ow + n) past = ow + n;
        if (first >= past) continue;
        const prim_dim_t offset = src + channel * run->src_strides[1] + first * step +
                                  kw * s->dilation[CONV_W] - s->pad[CONV_W];
        const float *const x = read_source(run, offset, &step, past - first, room);
        run->add_scaled(sums + (first - ow), x, step, wei[kw], past - first);
    }
}

/// Adds all taps to the sums of n neighbours of dst from `channel` and `out` on.
static void add_taps(const run_t *run, float *sums, prim_dim_t image, prim_dim_t channel,
        const prim_dim_t out[CONV_NSPATIAL], prim_dim_t n)
{
    const conv_shape_t *const s = &run->shape;
    taps_t taps;
    taps.n = 0;
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd) {
        for (prim_dim_t kh = 0; kh < s->kernel[CONV_H]; ++kh) {
            const prim_dim_t src = input_row(run, image, out, kd, kh);
            if (src == OUTSIDE && !run->zeros) continue;
            const prim_dim_t tap = (kd * s->kernel[CONV_H] + kh) * s->kernel[CONV_W];
            if (run->pd->is_last)
                add_row_to_channels(run, &taps, sums, out[CONV_W], src, tap, channel, n);
            else
                add_row_to_pixels(run, sums, out[CONV_W], src, tap, channel, n);
        }
    }
    if (taps.n > 0) add_waiting_taps(run, &taps, sums, n);
    for (prim_dim_t i = 0; i < n && run->zeros; ++i) sums[i] -= run->zeros[channel + i];
}

/// Sums and finishes n elements along a dimension of dst from `position` on.
static void compute_row(const run_t *run, const prim_dim_t *position,
        const prim_dim_t out[CONV_NSPATIAL], prim_dim_t n)
{
    float sums[REF_ROW_ELEMS];
    const prim_dim_t at = position[0] * run->dst_strides[0] + position[1] * run->dst_strides[1] +
                          out[CONV_D] * run->dst_strides[2] + out[CONV_H] * run->dst_strides[3] +
                          out[CONV_W] * run->dst_strides[4];
    float *const dst = run->dst ? run->dst + at : NULL;
    const float scale = run->sum ? run->sum->scale : 0;
    for (prim_dim_t i = 0; i < n; ++i)
        sums[i] = run->sum ? scale * (dst[i] - (float)run->sum->zero_point) : 0.0F;
    add_taps(run, sums, position[0], position[1], out, n);
    const int dim = run->pd->is_last ? 1 : run->finish.ref.dst_md->ndims - 1;
    prim__x64_conv_finish_row(&run->finish, sums, position, dim, n);
    if (run->pd->is_row_chain) memcpy(dst, sums, (size_t)n * sizeof *dst);
}

/// One pixel with all its channels, or one row of one channel.
static void compute_line(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->shape;
    const bool is_last = run->pd->is_last;
    prim_dim_t out[CONV_NSPATIAL] = {0}, rest = index;
    for (int d = is_last ? CONV_W : CONV_H; d >= CONV_D; --d) {
        out[d] = rest % s->out[d];
        rest /= s->out[d];
    }
    const prim_dim_t channel = is_last ? 0 : rest % s->g;
    prim_dims_t position = {is_last ? rest : rest / s->g, channel};
    const prim_dim_t total = is_last ? s->g : s->out[CONV_W];
    for (prim_dim_t i = 0; i < total; i += REF_ROW_ELEMS) {
        if (is_last)
            position[1] = i;
        else
            out[CONV_W] = i;
        for (int d = 0; d < s->nspatial; ++d)
            position[2 + d] = out[CONV_NSPATIAL - s->nspatial + d];
        compute_row(run, position, out, total - i < REF_ROW_ELEMS ? total - i : REF_ROW_ELEMS);
    }
}

/// The weights as f32, taps outermost if the channels of a pixel are summed together.
static void copy_weights(float *to, const conv_shape_t *s, const void *wei,
        const prim_memory_desc_t *md, bool is_last)
{
    const prim_dim_t ntaps = prim__conv_taps(s);
    prim_dim_t strides[6];
    prim__conv_weights_strides(strides, md, true);
    for (prim_dim_t tap = 0; tap < ntaps; ++tap) {
        prim_dim_t offset = md->offset0, rest = tap;
        for (int d = CONV_W; d >= CONV_D; --d) {
            offset += rest % s->kernel[d] * strides[3 + d];
            rest /= s->kernel[d];
        }
        if (is_last) {
            prim__x64_load_row(to + tap * s->g, wei, md->data_type, offset, strides[0], s->g);
            continue;
        }
        for (prim_dim_t c = 0; c < s->g; ++c)
            prim__x64_load_row(
                    to + c * ntaps + tap, wei, md->data_type, offset + c * strides[0], 1, 1);
    }
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
    copy_weights(wei, &run.shape, prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS),
            prim__pd_md(base, PRIM_ARG_WEIGHTS), pd->is_last);
    run.src_zero = prim__x64_conv_source_zero(base, ctx);
    if (run.src_zero != 0 && pd->is_last)
        subtract_zero(&run, (float *)(void *)(scratchpad + pd->zeros_offset));
    prim__x64_conv_finish_init(
            &run.finish, base, ctx, pd->tables_offset, pd->is_row_chain, run.sum != NULL);
    const prim_dim_t nlines = pd->is_last ? run.shape.mb * prim__conv_out_elems(&run.shape)
                                          : run.shape.mb * run.shape.g * run.shape.out[CONV_D] *
                                                    run.shape.out[CONV_H];
    prim__parallel_for(nlines, compute_line, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__x64_conv_depthwise = {
        .name = "x64:conv:depthwise",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
