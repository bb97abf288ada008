// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution. A work-item computes vectors of outputs that are contiguous in src and dst:
//   IS_LAST   V channels of TW adjacent pixels of a row (NHWC). With a compile-time kernel width KW and
//             stride SW each src vector is loaded once for all the pixels whose windows contain it.
//   else      V pixels of a row of one channel (NCHW).
//
//   data           sizes and strides
//   src, src_off   [N, C, in…], SRC_T; IS_LAST: 16 consecutive channels are contiguous
//   wei, wei_off   [kernel…, C] by strides, WEI_T; IS_LAST: channels contiguous. Weights in another
//                  order are copied to that by conv_depthwise_pack first
//   bia, bia_off   [C], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, C, out…], DST_T; IS_LAST: 16 consecutive channels are contiguous
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: x ≥ data->nitems. Numerics: f32 fma over the taps; exact for 8-bit integers and at most 256
// taps.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), V 4, 8 or 16, IS_LAST,
// TW, KW (0: run time), SW (0: run time; KW goes with SW and dilation 1), those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_depthwise needs SRC, WEI, BIA, DST"
#endif
#if !defined(V) || !defined(IS_LAST) || !defined(TW) || !defined(KW) || !defined(SW) || \
        !defined(HAS_BIAS)
#error "ocl_conv_depthwise lacks an option"
#endif
#if KW > 0 && SW == 0
#error "KW needs SW"
#endif

#include "clh/conv.h"
#include "clh/io_vec.h"
#include "clh/post_ops.h"
#include "clh/shared/conv_depthwise_data.h"

#define BLOCK 16
#define HAS_LANE_STEPS (HAS_QUANT || WITH_POST_OPS) // a sum is not yet what dst holds

#if V == 4
typedef float4 vec_t;
typedef int4 ivec_t;
#define LANES (int4)(0, 1, 2, 3)
#define SRC_LOAD_VEC SRC_LOAD4
#define WEI_LOAD_VEC WEI_LOAD4
#define BIA_LOAD_VEC BIA_LOAD4
#define DST_STORE_VEC DST_STORE4
#define VEC_LOAD vload4
#define VEC_STORE vstore4
#elif V == 8
typedef float8 vec_t;
typedef int8 ivec_t;
#define LANES (int8)(0, 1, 2, 3, 4, 5, 6, 7)
#define SRC_LOAD_VEC SRC_LOAD8
#define WEI_LOAD_VEC WEI_LOAD8
#define BIA_LOAD_VEC BIA_LOAD8
#define DST_STORE_VEC DST_STORE8
#define VEC_LOAD vload8
#define VEC_STORE vstore8
#elif V == 16
typedef float16 vec_t;
typedef int16 ivec_t;
#define LANES (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define SRC_LOAD_VEC SRC_LOAD16
#define WEI_LOAD_VEC WEI_LOAD16
#define BIA_LOAD_VEC BIA_LOAD16
#define DST_STORE_VEC DST_STORE16
#define VEC_LOAD vload16
#define VEC_STORE vstore16
#else
#error "V is not 4, 8 or 16"
#endif

// What a work-item computes: V·TW or V elements of dst from here on.
typedef struct {
    long n;
    int c, d, h, w;
} place_t;

static place_t find_place(__constant const ocl_conv_depthwise_data_t *data, long item)
{
    place_t place;
    long rest = item;
#if IS_LAST
    const long vector = rest % data->nchannels;
    rest = div_long(rest, data->nchannels);
    place.c = (int)vector * V;
#endif
    long next = div_long(rest, data->ncolumns);
    place.w = (int)(rest - next * data->ncolumns) * (IS_LAST ? TW : V);
    rest = next;
    next = div_long(rest, data->geo.out[1]);
    place.h = (int)(rest - next * data->geo.out[1]);
    rest = next;
    next = div_long(rest, data->geo.out[0]);
    place.d = (int)(rest - next * data->geo.out[0]);
    rest = next;
#if !IS_LAST
    next = div_long(rest, data->nchannels);
    place.c = (int)(rest - next * data->nchannels);
    rest = next;
#endif
    place.n = rest;
    return place;
}

// The input index under a tap of a spatial dimension; outside 0..in in the padding.
static int meet(__constant const ocl_conv_depthwise_data_t *data, int s, int out, int tap)
{
    return out * data->geo.stride[s] + tap * data->geo.dilation[s] - data->geo.pad[s];
}

#if IS_LAST

#define NSUMS TW
#define CHANNEL(stride, c) ((c) / BLOCK * (stride) + (c) % BLOCK)

static vec_t load_source(__global const SRC_T *src, long off, int n)
{
    if (n == V) return SRC_LOAD_VEC(src, off);
    float x[V];
    for (int i = 0; i < V; ++i) x[i] = i < n ? SRC_LOAD(src, off + i) : 0.0f;
    return VEC_LOAD(0, x);
}

static vec_t load_weights(__global const WEI_T *wei, long off, int n)
{
    if (n == V) return WEI_LOAD_VEC(wei, off);
    float x[V];
    for (int i = 0; i < V; ++i) x[i] = i < n ? WEI_LOAD(wei, off + i) : 0.0f;
    return VEC_LOAD(0, x);
}

// Adds one kernel row; `src` is channel place->c of the row of src, `wei` its weights.
static void add_row(vec_t sums[NSUMS], __constant const ocl_conv_depthwise_data_t *data, const place_t *place,
        __global const SRC_T *src, __global const WEI_T *wei)
{
    const int n = min(V, data->channels - place->c);
#if KW > 0
    vec_t w[KW];
#pragma unroll
    for (int k = 0; k < KW; ++k) w[k] = load_weights(wei, k * data->wei_s[2], n);
    const int first = place->w * SW - data->geo.pad[2];
#pragma unroll
    for (int j = 0; j < (TW - 1) * SW + KW; ++j) {
        const int at = first + j;
        if (at < 0 || at >= data->geo.in[2]) continue;
        const vec_t x = load_source(src, at * data->geo.src_s[2], n);
#pragma unroll
        for (int k = 0; k < KW; ++k) {
            if (j >= k && (j - k) % SW == 0 && (j - k) / SW < TW)
                sums[(j - k) / SW] = fma(x, w[k], sums[(j - k) / SW]);
        }
    }
#else
    for (int k = 0; k < data->geo.taps[2]; ++k) {
        const vec_t w = load_weights(wei, k * data->wei_s[2], n);
#pragma unroll
        for (int p = 0; p < TW; ++p) {
            const int at = meet(data, 2, place->w + p, k);
            if (at < 0 || at >= data->geo.in[2]) continue;
            sums[p] = fma(load_source(src, at * data->geo.src_s[2], n), w, sums[p]);
        }
    }
#endif
}

#else

#define NSUMS 1
#define CHANNEL(stride, c) ((c) * (stride))

// V elements of a row of src, SW apart; `low` and `high` bound the offsets that exist.
static vec_t load_row(__global const SRC_T *src, __constant const ocl_conv_depthwise_data_t *data, int first,
        long low, long high)
{
    const int step = SW ? SW : data->geo.stride[2];
#if SW == 1 || SW == 2
    if (first >= low && first + V * SW <= high) {
#if SW == 1
        const vec_t x = SRC_LOAD_VEC(src, first);
#else
        const vec_t x = (vec_t)(SRC_LOAD_VEC(src, first).even, SRC_LOAD_VEC(src, first + V).even);
#endif
        if (first >= 0 && first + V * SW <= data->geo.in[2]) return x;
        const ivec_t at = first + LANES * SW;
        return select((vec_t)(0.0f), x, at >= 0 && at < data->geo.in[2]);
    }
#endif
    float x[V];
    for (int i = 0; i < V; ++i) {
        const int at = first + i * step;
        x[i] = at >= 0 && at < data->geo.in[2] ? SRC_LOAD(src, at) : 0.0f;
    }
    return VEC_LOAD(0, x);
}

// Adds one kernel row; `src` is the row of src, `row_off` its offset in the tensor.
static void add_row(vec_t sums[NSUMS], __constant const ocl_conv_depthwise_data_t *data, const place_t *place,
        __global const SRC_T *src, long row_off, __global const WEI_T *wei)
{
    for (int k = 0; k < data->geo.taps[2]; ++k) {
        const int first = meet(data, 2, place->w, k);
        const vec_t x = load_row(src, data, first, -row_off, data->geo.src_span - row_off);
        sums[0] = fma(x, (vec_t)(WEI_LOAD(wei, k * data->wei_s[2])), sums[0]);
    }
}

#endif

static void sum_taps(vec_t sums[NSUMS], __constant const ocl_conv_depthwise_data_t *data, const place_t *place,
        __global const SRC_T *src, __global const WEI_T *wei)
{
    for (int d = 0; d < data->geo.taps[0]; ++d) {
        const int id = meet(data, 0, place->d, d);
        if (id < 0 || id >= data->geo.in[0]) continue;
        for (int h = 0; h < data->geo.taps[1]; ++h) {
            const int ih = meet(data, 1, place->h, h);
            if (ih < 0 || ih >= data->geo.in[1]) continue;
            const long off = place->n * data->geo.src_n + CHANNEL(data->geo.src_c, place->c) +
                             id * data->geo.src_s[0] + ih * data->geo.src_s[1];
            __global const WEI_T *w =
                    wei + place->c * data->wei_c + d * data->wei_s[0] + h * data->wei_s[1];
#if IS_LAST
            add_row(sums, data, place, src + off, w);
#else
            add_row(sums, data, place, src + off, off, w);
#endif
        }
    }
}

// Position of lane i of sum p in dst.
static void locate(
        long *pos, __constant const ocl_conv_depthwise_data_t *data, const place_t *place, int p, int i)
{
    const int at[NSPATIAL] = {place->d, place->h, place->w + (IS_LAST ? p : i)};
    pos[0] = place->n;
    pos[1] = place->c + (IS_LAST ? i : 0);
    for (int s = NSPATIAL - data->geo.nspatial; s < NSPATIAL; ++s)
        pos[2 + s - (NSPATIAL - data->geo.nspatial)] = at[s];
}

// What every sum starts from: the bias, unless scales come before it.
static vec_t load_start(__global const BIA_T *bia, const place_t *place, int nchannels)
{
#if !HAS_BIAS || HAS_QUANT
    return (vec_t)(0.0f);
#elif IS_LAST
    float x[V];
    if (place->c + V <= nchannels) return BIA_LOAD_VEC(bia, place->c);
    for (int i = 0; i < V; ++i)
        x[i] = place->c + i < nchannels ? BIA_LOAD(bia, place->c + i) : 0.0f;
    return VEC_LOAD(0, x);
#else
    return (vec_t)(BIA_LOAD(bia, place->c));
#endif
}

__kernel void conv_depthwise(__constant const ocl_conv_depthwise_data_t *data, __global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global const BIA_T *bia,
        long bia_off, __global DST_T *dst, long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    CONV_QUANT_DECLARE(&data->quant);
    if ((long)get_global_id(0) >= data->nitems) return;
    const place_t place = find_place(data, get_global_id(0));
    vec_t sums[NSUMS];
    const vec_t start = load_start(bia + bia_off, &place, data->channels);
    for (int p = 0; p < NSUMS; ++p) sums[p] = start;
    sum_taps(sums, data, &place, src + src_off, wei + wei_off);

    // Elements of dst in a vector: n are computed, n_padded stored.
    const int n = IS_LAST ? min(V, data->channels - place.c) : min(V, data->geo.out[2] - place.w);
    const int n_padded = IS_LAST ? min(V, data->channels_padded - place.c) : n;
    const int nsums = IS_LAST ? min(TW, data->geo.out[2] - place.w) : 1;
    for (int p = 0; p < nsums; ++p) {
        const long off = dst_off + place.n * data->geo.dst_n + CHANNEL(data->geo.dst_c, place.c) +
                         place.d * data->geo.dst_s[0] + place.h * data->geo.dst_s[1] +
                         (place.w + (IS_LAST ? p : 0)) * data->geo.dst_s[2];
#if !HAS_LANE_STEPS
        if (n_padded == V) {
            DST_STORE_VEC(dst, off, sums[p]);
            continue;
        }
#endif
        float x[V];
        VEC_STORE(sums[p], 0, x);
        for (int i = 0; i < n; ++i) {
            long pos[2 + NSPATIAL];
            locate(pos, data, &place, p, i);
#if HAS_QUANT
            x[i] *= conv_factor(&conv_quant, pos[1]);
#if HAS_BIAS
            x[i] += BIA_LOAD(bia, bia_off + pos[1]);
#endif
#endif
            x[i] = POST_OPS_APPLY(x[i], pos, dst, off + i);
#if HAS_QUANT
            x[i] = x[i] / conv_divisor(&conv_quant, pos[1]) + conv_zero(&conv_quant, pos[1]);
#endif
        }
        for (int i = n; i < n_padded; ++i) x[i] = 0.0f;
        if (n_padded == V)
            DST_STORE_VEC(dst, off, VEC_LOAD(0, x));
        else
            for (int i = 0; i < n_padded; ++i) DST_STORE(dst, off + i, x[i]);
    }
}

// Copies weights of any plain layout to the order that IS_LAST reads, dense.
//   wei, wei_off   [C, kernel…] by data->pack_…
//   packed, packed_off  [kernel…, C]
// Grid: x ≥ C.
__kernel void conv_depthwise_pack(__constant const ocl_conv_depthwise_data_t *data, __global const WEI_T *wei,
        long wei_off, __global WEI_T *packed, long packed_off)
{
    const long c = get_global_id(0);
    if (c >= data->channels) return;
    for (int d = 0; d < data->geo.taps[0]; ++d) {
        for (int h = 0; h < data->geo.taps[1]; ++h) {
            for (int w = 0; w < data->geo.taps[2]; ++w) {
                const long from = d * data->pack_s[0] + h * data->pack_s[1] + w * data->pack_s[2];
                const long to = d * data->wei_s[0] + h * data->wei_s[1] + w * data->wei_s[2];
                packed[packed_off + to + c] = wei[wei_off + from + c * data->pack_c];
            }
        }
    }
}
