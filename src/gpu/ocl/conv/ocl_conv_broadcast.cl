// SPDX-License-Identifier: Apache-2.0
// Convolution for CPU-type devices, where a work-item owns a core and its vector registers. A work-item
// keeps TP output pixels × TV vectors of output channels in registers; for each input channel and tap it
// multiplies a vector of weights by each pixel's src value, which is broadcast.
//
// The src values of a tile are first gathered into a buffer of private memory, CHUNK channels of one tap at
// a time. The gather resolves layout, type, padding, stride and dilation, so that in the product loop a
// pixel is a constant offset. BY_ROWS: a row of taps that is contiguous in src and in the weights counts as
// one tap with all their channels, which pays where there are few input channels.
//
//   data           sizes and strides
//   src, src_off   [N, G·IC, in…], SRC_T; SRC_IS_LAST: 16 consecutive channels are contiguous
//   wei, wei_off   [G, ceil(OC/16), kernel…, IC, 16], WEI_T, by strides; padding of OC is 0.
//                  Weights in another plain order are copied to it first by conv_broadcast_pack.
//   bia, bia_off   [G·OC], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, G·OC, out…], DST_T; DST_IS_LAST: 16 consecutive channels are contiguous
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: (ceil(tiles / data->tiles_per_item), G·blocks of TV·VL output channels), work-groups of 1.
// Numerics: f32 fma over taps, then channels. SUM_INT: products of 8-bit integers, exact: sums of
// up to 256 of them in f32, those in s32; IS_EXACT: so is all that follows.
// -D: SRC, WEI, BIA, DST (prim__ocl_options_type()), VL 4, 8 or 16, TP, TV, SRC_IS_LAST,
// DST_IS_LAST, BY_ROWS, HAS_BIAS, HAS_QUANT, SUM_INT, IS_EXACT, and those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_broadcast needs SRC, WEI, BIA, DST"
#endif
#if !defined(VL) || !defined(TP) || !defined(TV) || !defined(SRC_IS_LAST) ||                       \
        !defined(DST_IS_LAST) || !defined(HAS_BIAS) || !defined(HAS_QUANT) || !defined(SUM_INT) || \
        !defined(IS_EXACT) || !defined(BY_ROWS)
#error "ocl_conv_broadcast lacks an option"
#endif
#if BY_ROWS && !SRC_IS_LAST
#error "BY_ROWS needs SRC_IS_LAST"
#endif
#if TP < 1 || TP > 16
#error "TP is not 1..16"
#endif

#include "clh/conv.h"
#include "clh/group_size.h"
#include "clh/io_vec.h"
#include "clh/post_ops.h"
#include "clh/shared/conv_broadcast_data.h"

#define BLOCK 16 // channels gathered at a time, and channels of a block of weights
#define OC_TILE (TV * VL)
#define CHUNK (BY_ROWS ? 64 : BLOCK) // channels multiplied at a time
#define FLUSH_CHUNKS (256 / CHUNK)   // 256 products of at most 255·255 stay below 2²⁴

#if VL == 4
typedef float4 vec_t;
#define WEI_LOAD_VEC WEI_LOAD4
#define DST_STORE_VEC DST_STORE4
#define VEC_LOAD vload4
#define VEC_STORE vstore4
#define VEC_TO_INT convert_int4
#elif VL == 8
typedef float8 vec_t;
#define WEI_LOAD_VEC WEI_LOAD8
#define DST_STORE_VEC DST_STORE8
#define VEC_LOAD vload8
#define VEC_STORE vstore8
#define VEC_TO_INT convert_int8
#elif VL == 16
typedef float16 vec_t;
#define WEI_LOAD_VEC WEI_LOAD16
#define DST_STORE_VEC DST_STORE16
#define VEC_LOAD vload16
#define VEC_STORE vstore16
#define VEC_TO_INT convert_int16
#else
#error "VL is not 4, 8 or 16"
#endif

// The pixels of a tile: where their windows start, and where they are stored.
typedef struct {
    int n[TP], at[NSPATIAL][TP];
} pixels_t;

// The source elements that a tap shows to the pixels.
typedef struct {
    long off[TP];
    int is_inside[BLOCK];    // −1 or 0; 0 from TP on
    int first[TP], past[TP]; // BY_ROWS: the channels that are no padding, first … past − 1
    bool is_row;             // off[p] = off[0] + p
    int ninside;
} view_t;

static void find_pixels(pixels_t *pixels, __constant const ocl_conv_broadcast_data_t *data, long first)
{
    long rest = first;
    int at[NSPATIAL];
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        const long quotient = div_long(rest, data->geo.out[s]);
        at[s] = (int)(rest - quotient * data->geo.out[s]);
        rest = quotient;
    }
    int n = (int)rest;
    for (int p = 0; p < TP; ++p) {
        const bool is_past = first + p >= data->npixels; // repeats the last pixel, never stored
        pixels->n[p] = is_past ? pixels->n[p - 1] : n;
        for (int s = 0; s < NSPATIAL; ++s)
            pixels->at[s][p] = is_past ? pixels->at[s][p - 1] : at[s];
        if (++at[2] < data->geo.out[2]) continue;
        at[2] = 0;
        if (++at[1] < data->geo.out[1]) continue;
        at[1] = 0;
        if (++at[0] < data->geo.out[0]) continue;
        at[0] = 0;
        ++n;
    }
}

static void look(
        view_t *view, __constant const ocl_conv_broadcast_data_t *data, const pixels_t *pixels, const int *tap)
{
    view->is_row = true;
    view->ninside = 0;
    for (int p = 0; p < TP; ++p) {
        long off = pixels->n[p] * data->geo.src_n;
        bool is_inside = true;
        for (int s = 0; s < NSPATIAL; ++s) {
            const int at = pixels->at[s][p] * data->geo.stride[s] + tap[s] * data->geo.dilation[s] -
                           data->geo.pad[s];
            off += at * data->geo.src_s[s];
#if BY_ROWS
            if (s == NSPATIAL - 1) {
                view->first[p] = clamp(-at, 0, data->geo.taps[s]) * data->geo.ic;
                view->past[p] = clamp(data->geo.in[s] - at, 0, data->geo.taps[s]) * data->geo.ic;
                is_inside = is_inside && view->first[p] < view->past[p];
                continue;
            }
#endif
            is_inside = is_inside && at >= 0 && at < data->geo.in[s];
        }
        view->off[p] = off;
        view->is_inside[p] = is_inside ? -1 : 0;
        view->is_row = view->is_row && off == view->off[0] + p;
        view->ninside += is_inside;
    }
    for (int p = TP; p < BLOCK; ++p) view->is_inside[p] = 0;
}

// The window holds pixel p's value of channel i at WINDOW_AT(p, i).
#if SRC_IS_LAST

#define WINDOW_AT(p, i) ((p)*CHUNK + (i))

#if BY_ROWS

static void gather(float *window, __constant const ocl_conv_broadcast_data_t *data, const view_t *view,
        __global const SRC_T *src, int c0, int nc)
{
    src += c0;
    for (int p = 0; p < TP; ++p) {
        const int first = view->first[p] - c0, past = view->past[p] - c0;
        const long off = view->off[p];
        float *to = window + WINDOW_AT(p, 0);
        if (!view->is_inside[p]) {
            vstore16((float16)(0.0f), 0, to);
            // Elements beyond the last channel may be read if they exist; nobody reads them.
        } else if (first <= 0 && past >= nc && off + c0 + BLOCK <= data->geo.src_span) {
            vstore16(SRC_LOAD16(src, off), 0, to);
        } else {
            for (int i = 0; i < nc; ++i)
                to[i] = i >= first && i < past ? SRC_LOAD(src, off + i) : 0.0f;
        }
    }
}

#else

static void gather(float *window, __constant const ocl_conv_broadcast_data_t *data, const view_t *view,
        __global const SRC_T *src, int c0, int nc)
{
    src += (c0 / BLOCK) * data->geo.src_c + c0 % BLOCK;
    if (nc == BLOCK) {
#pragma unroll
        for (int p = 0; p < TP; ++p) {
            const float16 x = view->is_inside[p] ? SRC_LOAD16(src, view->off[p]) : (float16)(0.0f);
            vstore16(x, 0, window + p * BLOCK);
        }
        return;
    }
    for (int p = 0; p < TP; ++p) {
        for (int i = 0; i < nc; ++i)
            window[WINDOW_AT(p, i)] = view->is_inside[p] ? SRC_LOAD(src, view->off[p] + i) : 0.0f;
    }
}

#endif

#else

#define WINDOW_AT(p, i) ((i)*BLOCK + (p))

static void gather(float *window, __constant const ocl_conv_broadcast_data_t *data, const view_t *view,
        __global const SRC_T *src, int c0, int nc)
{
    // A row of 16 elements may be read even where some are no part of it, if they exist at all.
    const long low = c0 * data->geo.src_c + view->off[0];
    const long high = low + (nc - 1) * data->geo.src_c + BLOCK;
    const bool is_fast = view->is_row && low >= 0 && high <= data->geo.src_span;
    const int16 mask = vload16(0, view->is_inside);
    for (int i = 0; i < nc; ++i) {
        const long off = (c0 + i) * data->geo.src_c;
        if (is_fast) {
            const float16 x = SRC_LOAD16(src, off + view->off[0]);
            vstore16(view->ninside == TP ? x : select((float16)(0.0f), x, mask), 0,
                    window + i * BLOCK);
            continue;
        }
        for (int p = 0; p < TP; ++p)
            window[WINDOW_AT(p, i)] = view->is_inside[p] ? SRC_LOAD(src, off + view->off[p]) : 0.0f;
    }
}

#endif

// acc += window × weights for nc channels.
static void multiply(vec_t acc[TP][TV], const float *window, __global const WEI_T *const *wei,
        long wei_off, long wei_i, int nc)
{
    for (int i = 0; i < nc; ++i, wei_off += wei_i) {
        vec_t w[TV];
#pragma unroll
        for (int v = 0; v < TV; ++v) w[v] = WEI_LOAD_VEC(wei[v], wei_off);
#pragma unroll
        for (int p = 0; p < TP; ++p) {
            const vec_t x = (vec_t)(window[WINDOW_AT(p, i)]);
#pragma unroll
            for (int v = 0; v < TV; ++v) acc[p][v] = fma(x, w[v], acc[p][v]);
        }
    }
}

// The sums of a tile, pixel p and channel o at p·OC_TILE + o.
#if SUM_INT
typedef int sum_t;

static void flush(sum_t *sums, vec_t acc[TP][TV])
{
#pragma unroll
    for (int p = 0; p < TP; ++p) {
#pragma unroll
        for (int v = 0; v < TV; ++v) {
            sum_t *at = sums + (p * TV + v) * VL;
            VEC_STORE(VEC_LOAD(0, at) + VEC_TO_INT(acc[p][v]), 0, at);
            acc[p][v] = (vec_t)(0.0f);
        }
    }
}
#else
typedef float sum_t;

static void flush(sum_t *sums, vec_t acc[TP][TV])
{
#pragma unroll
    for (int p = 0; p < TP; ++p) {
#pragma unroll
        for (int v = 0; v < TV; ++v) VEC_STORE(acc[p][v], 0, sums + (p * TV + v) * VL);
    }
}
#endif

static void sum_products(sum_t *sums, __constant const ocl_conv_broadcast_data_t *data, const pixels_t *pixels,
        __global const SRC_T *src, __global const WEI_T *const *wei, int first_channel)
{
    vec_t acc[TP][TV];
    __attribute__((aligned(64))) float window[CHUNK * BLOCK];
    view_t view;
    int tap[NSPATIAL];
#pragma unroll
    for (int p = 0; p < TP; ++p) {
#pragma unroll
        for (int v = 0; v < TV; ++v) acc[p][v] = (vec_t)(0.0f);
    }
#if SUM_INT
    int nchunks = 0;
    for (int i = 0; i < TP * OC_TILE; ++i) sums[i] = 0;
#endif
    for (tap[0] = 0; tap[0] < data->geo.taps[0]; ++tap[0]) {
        for (tap[1] = 0; tap[1] < data->geo.taps[1]; ++tap[1]) {
            for (tap[2] = 0; tap[2] < data->nacross; ++tap[2]) {
                look(&view, data, pixels, tap);
                if (view.ninside == 0) continue;
                const long wei_off =
                        tap[0] * data->wei_s[0] + tap[1] * data->wei_s[1] + tap[2] * data->wei_s[2];
                for (int c = 0; c < data->depth; c += CHUNK) {
                    const int nc = min(CHUNK, data->depth - c);
                    for (int i = 0; i < nc; i += BLOCK) {
                        gather(window + WINDOW_AT(0, i), data, &view, src, first_channel + c + i,
                                min(BLOCK, nc - i));
                    }
                    multiply(acc, window, wei, wei_off + c * data->wei_i, data->wei_i, nc);
#if SUM_INT
                    if (++nchunks % FLUSH_CHUNKS == 0) flush(sums, acc);
#endif
                }
            }
        }
    }
    flush(sums, acc);
}

// What dst holds: sums of integers that nothing else touches, or floats.
#if IS_EXACT
typedef long value_t;
#define DST_PUT DST_STORE_INT
#define BIA_GET BIA_LOAD_INT
#else
typedef float value_t;
#define DST_PUT DST_STORE
#define BIA_GET BIA_LOAD
#endif

// Offset of channel c of all, relative to channel 0 of the same position.
#if DST_IS_LAST
#define DST_CHANNEL(data, c) ((c) / BLOCK * (data)->geo.dst_c + (c) % BLOCK)
#else
#define DST_CHANNEL(data, c) ((c) * (data)->geo.dst_c)
#endif

// How the sums of the work-item's channels become values: x·factor + shift, and later x/divisor + zero.
typedef struct {
    float factor[OC_TILE], divisor[OC_TILE], zero[OC_TILE];
    value_t shift[OC_TILE];
} steps_t;

static void scale_and_shift(value_t *row, const sum_t *sums, const steps_t *steps)
{
    for (int o = 0; o < OC_TILE; ++o) {
        value_t x = (value_t)sums[o];
#if HAS_QUANT
        x *= steps->factor[o];
#endif
#if HAS_BIAS
        x += steps->shift[o];
#endif
        row[o] = x;
    }
}

// Where pixel p lies in dst: its offset; and its position, but for the channel.
static long locate(long *pos, __constant const ocl_conv_broadcast_data_t *data, const pixels_t *pixels, int p)
{
    long off = pixels->n[p] * data->geo.dst_n;
    pos[0] = pixels->n[p];
    for (int s = 0; s < NSPATIAL; ++s) {
        const int dim = s - (NSPATIAL - data->geo.nspatial);
        if (dim >= 0) pos[2 + dim] = pixels->at[s][p];
        off += pixels->at[s][p] * data->geo.dst_s[s];
    }
    return off;
}

#if DST_IS_LAST

// Stores the n channels from c0 on of each pixel.
static void store_tile(__global DST_T *dst, __constant const ocl_conv_broadcast_data_t *data, const long *dst_at,
        const value_t *values, int np, int c0, int n)
{
    for (int p = 0; p < np; ++p) {
        const value_t *row = values + p * OC_TILE;
        int o = 0;
#if !IS_EXACT
        for (; o + VL <= n; o += VL)
            DST_STORE_VEC(dst, dst_at[p] + DST_CHANNEL(data, c0 + o), VEC_LOAD(0, row + o));
#endif
        for (; o < n; ++o) DST_PUT(dst, dst_at[p] + DST_CHANNEL(data, c0 + o), row[o]);
    }
}

#else

static void store_tile(__global DST_T *dst, __constant const ocl_conv_broadcast_data_t *data, const long *dst_at,
        const value_t *values, int np, int c0, int n)
{
    for (int o = 0; o < n; ++o) {
        for (int p = 0; p < np; ++p)
            DST_PUT(dst, dst_at[p] + DST_CHANNEL(data, c0 + o), values[p * OC_TILE + o]);
    }
}

#endif

#if REGISTERS_SUFFICE(1)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(1, 1, 1)))
#endif

GROUP_SIZE __kernel void conv_broadcast(
        __constant const ocl_conv_broadcast_data_t *data, __global const SRC_T *src, long src_off,
        __global const WEI_T *wei, long wei_off, __global const BIA_T *bia, long bia_off,
        __global DST_T *dst, long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const int g = (int)get_global_id(1) / data->nocs;
    const int o0 = (int)get_global_id(1) % data->nocs * OC_TILE;
    const int c0 = g * data->geo.oc + o0;
    const int n = clamp(data->geo.oc - o0, 0, OC_TILE);
    const int n_padded = min(OC_TILE, data->geo.oc_padded - o0);
    CONV_QUANT_DECLARE(&data->quant);
    steps_t steps;
    for (int o = 0; o < OC_TILE; ++o) {
#if HAS_BIAS
        steps.shift[o] = o < n ? BIA_GET(bia, bia_off + c0 + o) : 0;
#endif
#if HAS_QUANT
        steps.factor[o] = o < n ? conv_factor(&conv_quant, c0 + o) : 1.0f;
        steps.divisor[o] = o < n ? conv_divisor(&conv_quant, c0 + o) : 1.0f;
        steps.zero[o] = o < n ? conv_zero(&conv_quant, c0 + o) : 0.0f;
#endif
    }
    __global const WEI_T *wei_v[TV];
    for (int v = 0; v < TV; ++v) {
        const int block = min((o0 + v * VL) / BLOCK, data->nblocks_o - 1);
        wei_v[v] = wei + wei_off + g * data->wei_g + block * data->wei_o + (o0 + v * VL) % BLOCK;
    }
    dst += dst_off;
    const long first_tile = (long)get_global_id(0) * data->tiles_per_item;
    const long past_tile = min(first_tile + data->tiles_per_item, data->ntiles);
    for (long tile = first_tile; tile < past_tile; ++tile) {
        pixels_t pixels;
        sum_t sums[TP * OC_TILE];
        value_t values[TP * OC_TILE];
        long dst_at[TP], pos[2 + NSPATIAL];
        find_pixels(&pixels, data, tile * TP);
        sum_products(sums, data, &pixels, src + src_off, wei_v, g * data->geo.ic);
        const int np = (int)min((long)TP, data->npixels - tile * TP);
        for (int p = 0; p < np; ++p) {
            value_t *row = values + p * OC_TILE;
            scale_and_shift(row, sums + p * OC_TILE, &steps);
            dst_at[p] = locate(pos, data, &pixels, p);
#if WITH_POST_OPS
            for (int o = 0; o < n; ++o) {
                pos[1] = c0 + o;
                row[o] = POST_OPS_APPLY(row[o], pos, dst, dst_at[p] + DST_CHANNEL(data, c0 + o));
            }
#endif
#if HAS_QUANT
            for (int o = 0; o < n; ++o) row[o] = row[o] / steps.divisor[o] + steps.zero[o];
#endif
            for (int o = n; o < n_padded; ++o) row[o] = 0;
        }
        store_tile(dst, data, dst_at, values, np, c0, n_padded);
    }
}

// Copies weights of any plain layout to the order that conv_broadcast reads, dense.
//   wei, wei_off   [G, OC, IC, kernel…] by data->pack_…
//   packed, packed_off  [G, nblocks_o, kernel…, IC, 16]
// Grid: (IC, nblocks_o, G).
__kernel void conv_broadcast_pack(__constant const ocl_conv_broadcast_data_t *data, __global const WEI_T *wei,
        long wei_off, __global WEI_T *packed, long packed_off)
{
    const long i = get_global_id(0), block = get_global_id(1), g = get_global_id(2);
    if (i >= data->geo.ic) return;
    const int n = min(BLOCK, data->geo.oc - (int)block * BLOCK);
    wei += wei_off + g * data->pack_g + block * BLOCK * data->pack_o + i * data->pack_i;
    packed += packed_off + g * data->wei_g + block * data->wei_o + i * data->wei_i;
    for (int d = 0; d < data->geo.taps[0]; ++d) {
        for (int h = 0; h < data->geo.taps[1]; ++h) {
            for (int w = 0; w < data->geo.taps[2]; ++w) {
                const long from = d * data->pack_s[0] + h * data->pack_s[1] + w * data->pack_s[2];
                const long to = d * data->wei_s[0] + h * data->wei_s[1] + w * data->wei_s[2];
                for (int o = 0; o < BLOCK; ++o)
                    packed[to + o] = o < n ? wei[from + o * data->pack_o] : 0;
            }
        }
    }
}
