// SPDX-License-Identifier: Apache-2.0
// Gradients of a depthwise convolution's weights and bias on GPUs, limited by the bandwidth of src and diff_dst. A
// work-item goes through strips of TH rows of one column of diff_dst, for VEC channels: it keeps a strip in registers
// and slides down the rows of src under it, so that all taps use what was loaded. Neighbouring work-items take
// neighbouring columns (NCHW) or, if CHANNELS_RUN, channels (NHWC), so that accesses are coalesced; CLANES·VEC
// channels are a work-group's, whose work-items add their sums in local memory, in a fixed order.
//
// Of windows with more taps than registers hold sums, a work-group takes KH rows (z). The strips are split over
// work-groups (y): partial sums go to the scratchpad, and conv_backward_weights_sum adds them in a fixed order.
//
//   data           sizes and strides
//   src, src_off   [N, C, H, W] by strides, SRC_T
//   dst, dst_off   diff_dst, [N, C, OH, OW] by strides, DST_T
//   wei, wei_off   diff_weights [C, WINDOW_H, KW] by strides, WEI_T; written if data->nsplits is 1
//   bia, bia_off   diff_bias [C], BIA_T; if HAS_BIAS
//   partial, partial_off   [split][data->npartial]: [C][WINDOW_H·KW], then [C], f32; written if there are splits
// Grid: (ceil(C / (CLANES·VEC)), splits, ceil(WINDOW_H / KH)) work-groups of ITEMS work-items along x. Local memory:
//   4·VEC·ITEMS·(KH·KW + 1) bytes.
// Numerics: f32 fma along the strips of a work-item; then a binary tree, then the splits in a fixed order.
// -D: SRC, DST, WEI, BIA, HAS_BIAS, WINDOW_H, KH, KW, SH, SW, DH, DW (registers are addressed by them, so they are
//   constants), TH, CHANNELS_RUN, VEC (above 1 only with CHANNELS_RUN; channels, and strides but those of channels are
//   multiples of it), ITEMS, CLANES (powers of two), those of clh/conv_backward_weights.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_backward_weights_depthwise needs SRC, WEI, BIA, DST"
#endif
#if !defined(WINDOW_H) || !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(DH) || !defined(DW)
#error "ocl_conv_backward_weights_depthwise needs the window"
#endif
#if !defined(TH) || !defined(CHANNELS_RUN) || !defined(VEC) || !defined(ITEMS) || !defined(CLANES) || \
        !defined(HAS_BIAS)
#error "ocl_conv_backward_weights_depthwise lacks an option"
#endif
#if VEC > 1 && !CHANNELS_RUN
#error "vectors of channels need channels side by side"
#endif

#include "clh/always_inline.h"
#include "clh/conv_backward_weights.h"
#include "clh/shared/conv_backward_weights_depthwise_data.h"
#include "clh/vec.h"

#define TAPS (KH * KW)
#define WINDOW_TAPS (WINDOW_H * KW)
#define NSUMS (TAPS + HAS_BIAS)
#define ROWS ((TH - 1) * SH + (KH - 1) * DH + 1) // of src under a strip
#define PLANES (ITEMS / CLANES)                  // work-items with the same channels

typedef __constant const ocl_conv_backward_weights_depthwise_data_t *data_t;

// Adds what row r of src under the strip gives: x, its elements under the taps of a row.
ALWAYS_INLINE void add_row(floatv *sums, const floatv x[KW], const floatv y[TH], const int r)
{
#pragma unroll
    for (int kh = 0; kh < KH; ++kh) {
        const int h = (r - kh * DH) / SH;
        if (r < kh * DH || (r - kh * DH) % SH != 0 || h >= TH) continue;
#pragma unroll
        for (int kw = 0; kw < KW; ++kw) sums[kh * KW + kw] = fma(x[kw], y[h], sums[kh * KW + kw]);
    }
}

ALWAYS_INLINE floatv load_src(__global const SRC_T *p, const bool is_aligned)
{
    return is_aligned ? SRC_LOADV(AS_ALIGNED(SRC_T, VEC, p), 0) : SRC_LOADV(p, 0);
}

ALWAYS_INLINE floatv load_dst(__global const DST_T *p, const bool is_aligned)
{
    return is_aligned ? DST_LOADV(AS_ALIGNED(DST_T, VEC, p), 0) : DST_LOADV(p, 0);
}

// One strip, under the rows of the window from `kh` on. All loads are unconditional, so that they are in flight
// together.
ALWAYS_INLINE void add_strip(floatv *sums, data_t data, __global const SRC_T *src, __global const DST_T *dst,
        int strip, int kh, const bool is_aligned)
{
    sizes_t sizes = &data->sizes;
    const int w = divide_off(&strip, sizes->out[2]), h = divide_off(&strip, data->bands) * TH;
    const int h0 = h * SH - sizes->pad[1] + kh * DH, w0 = w * SW - sizes->pad[2];
    const int height = sizes->in[1], width = sizes->in[2];
    dst += strip * sizes->dst_n + w * sizes->dst_s[2];
    src += strip * sizes->src_n;
    floatv y[TH];
#pragma unroll
    for (int i = 0; i < TH; ++i) {
        const floatv loaded = load_dst(dst + min(h + i, data->height - 1) * sizes->dst_s[1], is_aligned);
        y[i] = h + i < data->height ? loaded : (floatv)(0.0f);
        if (HAS_BIAS) sums[NSUMS - 1] += y[i];
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int row = clamp(h0 + r, 0, height - 1);
        floatv x[KW];
#pragma unroll
        for (int kw = 0; kw < KW; ++kw) {
            const int col = clamp(w0 + kw * DW, 0, width - 1);
            const floatv loaded = load_src(src + (row * sizes->src_s[1] + col * sizes->src_s[2]), is_aligned);
            x[kw] = row == h0 + r && col == w0 + kw * DW ? loaded : (floatv)(0.0f);
        }
        add_row(sums, x, y, r);
    }
}

ALWAYS_INLINE void add_strips(floatv *sums, data_t data, __global const SRC_T *src, __global const DST_T *dst,
        int first, int past, int kh, const bool is_aligned)
{
#pragma unroll 1
    for (int strip = first; strip < past; strip += PLANES)
        add_strip(sums, data, src, dst, strip, kh, is_aligned);
}

// Sums of all work-items to those of the first CLANES.
ALWAYS_INLINE void add_items(__local floatv *all, int item)
{
#pragma unroll 1
    for (int n = ITEMS / 2; n >= CLANES; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < NSUMS && item < n; ++k) all[k * ITEMS + item] += all[k * ITEMS + item + n];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_backward_weights_depthwise(
        data_t data, __global const SRC_T *src, long src_off, __global const DST_T *dst, long dst_off,
        __global WEI_T *wei, long wei_off, __global BIA_T *bia, long bia_off, __global float *partial,
        long partial_off)
{
    __local floatv all[NSUMS * ITEMS];
    sizes_t sizes = &data->sizes;
    const int item = (int)get_local_id(0), y = (int)get_group_id(1), kh = (int)get_group_id(2) * KH;
    const int channel = ((int)get_group_id(0) * CLANES + item % CLANES) * VEC, own = min(channel, sizes->ngroups - VEC);
    const int start = y * sizes->split_pixels, past = min(start + sizes->split_pixels, sizes->npixels);
    src += src_off + own * sizes->src_g;
    dst += dst_off + own * sizes->dst_g;
    floatv sums[NSUMS];
#pragma unroll
    for (int k = 0; k < NSUMS; ++k) sums[k] = 0.0f;
    const bool is_src = ARE_ALIGNED(SRC_T, VEC, src, 0), is_dst = ARE_ALIGNED(DST_T, VEC, dst, 0);
    if (is_src && is_dst)
        add_strips(sums, data, src, dst, start + item / CLANES, past, kh, true);
    else
        add_strips(sums, data, src, dst, start + item / CLANES, past, kh, false);
#pragma unroll
    for (int k = 0; k < NSUMS; ++k) all[k * ITEMS + item] = sums[k];
    add_items(all, item);
    partial = sizes->nsplits > 1 ? partial + partial_off + y * sizes->npartial : 0;
    // A work-item for each sum of each channel.
    __local const float *values = (__local const float *)all;
#pragma unroll 1
    for (int i = item; i < NSUMS * CLANES * VEC; i += ITEMS) {
        const int lane = i / NSUMS, k = i % NSUMS, c = (int)get_group_id(0) * CLANES * VEC + lane;
        const int tap = kh * KW + k;
        if (c >= sizes->ngroups) continue;
        const float sum = values[k * ITEMS * VEC + lane];
        if (k == TAPS) {
#if HAS_BIAS
            if (kh != 0) continue; // each part has this sum
            if (partial)
                partial[sizes->ngroups * WINDOW_TAPS + c] = sum;
            else
                BIA_STORE(bia, bia_off + c, sum);
#endif
        } else if (tap >= WINDOW_TAPS) { // the last part may be lower
            continue;
        } else if (partial) {
            partial[c * WINDOW_TAPS + tap] = sum;
        } else {
            WEI_STORE(wei, wei_off + weight_off(sizes, c, 0, tap), sum);
        }
    }
}
