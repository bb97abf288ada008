// SPDX-License-Identifier: Apache-2.0
// Windows of pixels for convolutions by `mma.sync`: where they start in src, which of
// their taps are inside, and the epilogue to dst. src and dst are NHWC.
//
//     find_row(&row, &sizes, pixel);           // once for a pixel of a tile
//     int2 tap = find_tap(&sizes, t);          // once for a tap
//     … src[row.src_off + tap.s0 + c] where row.taps >> t & 1 …
//     put_four(&epilogue, &sizes, &row, pixel, x, first, c, dst_off);
// -D: MAX_TAPS, 32 or 64; IS_EXACT: integer sums stay integers to the end; MMA_TYPE; SIZES_BY_VALUE.
#ifndef CLH_CONV_WINDOW_H
#define CLH_CONV_WINDOW_H

#if !defined(MAX_TAPS) || !defined(IS_EXACT) || !defined(MMA_TYPE) || !defined(SIZES_BY_VALUE)
#error "clh/conv_window.h needs MAX_TAPS, IS_EXACT, MMA_TYPE, SIZES_BY_VALUE"
#endif

#include "clh/always_inline.h"
#include "clh/conv_epilogue.h"
#include "clh/divide.h"
#include "clh/mma.h"
#include "clh/shared/conv_window_data.h"

// A kernel's first parameters: a struct of sizes, whose first member is `ocl_conv_window_t window`, and src,
// wei, dst; the kernel has `sizes`, src_off, wei_off and dst_off then. With -DSIZES_BY_VALUE=1 the struct
// is an argument and holds the starts, too: no load precedes its first use, and each parameter costs time at every launch.
// Else it lies in a buffer (ocl_device.h, keeps_structs).
#if SIZES_BY_VALUE
#define WINDOW_PARAMS(type)                                                          \
    const type sizes, __global const SRC_T *src, __global const WEI_T *wei, __global DST_T *dst
#define WINDOW_DECLARE(type)                                                         \
    const long src_off = sizes.window.starts[0], wei_off = sizes.window.starts[1],   \
               dst_off = sizes.window.starts[2]
#else
#define WINDOW_PARAMS(type)                                                          \
    __constant const type *sizes_from, __global const SRC_T *src, long src_off,      \
            __global const WEI_T *wei, long wei_off, __global DST_T *dst, long dst_off
#define WINDOW_DECLARE(type) const type sizes = *sizes_from
#endif

#if MAX_TAPS == 64
typedef ulong taps_t;
#else
typedef uint taps_t;
#endif

// A pixel of dst: where its window starts in src, which taps are inside, where it goes.
typedef struct {
    taps_t taps;
    int src_off, dst_off; // of the first group's channels
    int is_inside;
} row_t;

// By pointer: an inlined function that returns a struct is an intrinsic Oclgrind does not know.
ALWAYS_INLINE void find_row(row_t *row, const ocl_conv_window_t *window, int pixel)
{
    const ocl_conv_geo_t *geo = &window->geo;
    int src_off = 0, dst_off = 0, width = 1;
    taps_t taps = 1;
    row->is_inside = pixel < window->npixels;
    pixel = min(pixel, window->npixels - 1);
#pragma unroll
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        const int out = divide_off(&pixel, window->out[s]);
        const int at = out * geo->stride[s] - geo->pad[s];
        taps_t wider = 0;
        src_off += at * (int)geo->src_s[s];
        dst_off += out * (int)geo->dst_s[s];
        for (int t = 0; t < geo->taps[s]; ++t) {
            const int in = at + t * geo->dilation[s];
            wider |= (uint)in < (uint)geo->in[s] ? taps << t * width : 0;
        }
        taps = wider;
        width *= geo->taps[s];
    }
    row->taps = row->is_inside ? taps : 0;
    row->src_off = src_off + pixel * (int)geo->src_n;
    row->dst_off = dst_off + pixel * (int)geo->dst_n;
}

// What a tap adds to offsets in src and weights.
ALWAYS_INLINE int2 find_tap(const ocl_conv_window_t *window, int tap)
{
    int src_off = 0, wei_off = 0;
#pragma unroll
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        const int at = divide_off(&tap, window->taps[s]);
        src_off += at * window->geo.dilation[s] * (int)window->geo.src_s[s];
        wei_off += at * (int)window->wei_s[s];
    }
    return (int2)(src_off, wei_off);
}

#if IS_EXACT

// Of integers that nothing but integers follow.
ALWAYS_INLINE void put_four(const conv_epilogue_t *epilogue, const ocl_conv_window_t *window,
        const row_t *row,
        int pixel, const sum_t *x, int first, int c, long dst_off)
{
    const long off = dst_off + row->dst_off + first + c;
    for (int e = 0; e < min(window->geo.oc - c, 4); ++e) {
        long sum = x[e];
#if HAS_BIAS
        sum += BIA_LOAD_INT(epilogue->bia, first + c + e);
#endif
        DST_STORE_INT(epilogue->dst, off + e, sum);
    }
}

#else

// Finishes and stores the sums of channels c … c + 3 of a group whose first channel is `first`; of
// those that there are.
ALWAYS_INLINE void put_four(const conv_epilogue_t *epilogue, const ocl_conv_window_t *window,
        const row_t *row,
        int pixel, const sum_t *sums, int first, int c, long dst_off)
{
    long pos[2 + NSPATIAL];
    float x[4];
    if (PO_NEEDS_POSITION) {
        const int missing = NSPATIAL - window->geo.nspatial;
#pragma unroll
        for (int s = NSPATIAL - 1; s >= 0; --s) {
            const int at = divide_off(&pixel, window->out[s]);
            if (s >= missing) pos[2 + s - missing] = at;
        }
        pos[0] = pixel;
    }
    const long off = dst_off + row->dst_off + first + c;
    const int n = min(window->geo.oc - c, 4);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        x[e] = (float)sums[e];
        pos[1] = first + min(c + e, window->geo.oc - 1);
        if (e < n) x[e] = conv_finish(epilogue, x[e], pos, off + e);
    }
    if (n == 4) {
        conv_store4(epilogue->dst, off, vload4(0, x));
        return;
    }
    for (int e = 0; e < n; ++e) DST_STORE(epilogue->dst, off + e, x[e]);
}

#endif

#endif
