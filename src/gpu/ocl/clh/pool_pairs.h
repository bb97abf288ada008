// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima in f16 or bf16 as they are stored, two elements in a word: what windows pass on is selected and
// added two elements at a time, without a conversion where an element has one or two windows.
//
//   pair_of_bytes(bytes, k)   the k-th of the two pairs of winners, 16 bits each, in a word of bytes
//   pair_of(x)                of two neighbours in an array of 16 bits
//   pair_mask(winners, tap)   ones where a pair of winners is `tap`
//   no_pairs(count), add_pair(&sum, x), pair_of_sum(&sum)   a sum of `count` pairs, a constant, in f32 and in their
//                             order; two are added and rounded once
//   gather_element(…)         one element by itself
//   COUNT_TAPS_H(r), COUNT_TAPS_W(c)   how many windows reach over a row or a column of a tile
// -D: DIFF_DST = DIFF_SRC (prim__ocl_options_type()): f16 or bf16; WS: u8; ALG = POOL_MAX; HAS_DEPTH = 0; VEC = 1, for
// what is done element by element; those of clh/pool_backward_tile.h; PACKED_MAX: 1 where the device compares and adds
// pairs (OCL_FEATURE_PACKED_MAX).
#ifndef CLH_POOL_PAIRS_H
#define CLH_POOL_PAIRS_H

#include "clh/always_inline.h"
#include "clh/pool_backward_tile.h"

#ifndef PACKED_MAX
#error "clh/pool_pairs.h needs PACKED_MAX"
#endif
#if DIFF_DST_DT != DIFF_SRC_DT || (DIFF_SRC_DT != DT_F16 && DIFF_SRC_DT != DT_BF16)
#error "clh/pool_pairs.h needs DIFF_DST = DIFF_SRC of 16 bits"
#endif
#if WS_DT != DT_U8 || ALG != POOL_MAX || HAS_DEPTH || VEC != 1
#error "clh/pool_pairs.h needs WS = u8, ALG = POOL_MAX, HAS_DEPTH = 0, VEC = 1"
#endif

#include "clh/nv/nv_arith.h"

#define COUNT_TAPS_H(r) (((r) + PH) / SH - FLOOR_DIV((r) + PH - KH, SH))
#define COUNT_TAPS_W(c) (((c) + PW) / SW - FLOOR_DIV((c) + PW - KW, SW))

static inline uint pair_of_bytes(uint bytes, const int k)
{
#if PACKED_MAX
    return k == 0 ? nv_bytes_01(bytes) : nv_bytes_23(bytes);
#else
    const uint pair = bytes >> (16 * k);
    return (pair & 0xffu) | (pair & 0xff00u) << 8;
#endif
}

static inline uint pair_of(const ushort *x)
{
    return (uint)x[0] | (uint)x[1] << 16;
}

static inline uint pair_mask(uint winners, uint tap)
{
    const uint taps = tap | tap << 16;
#if PACKED_MAX
    return nv_equal_f16x2(winners, taps);
#else
    return as_uint(as_ushort2(winners) == as_ushort2(taps));
#endif
}

static inline float2 pair_to_float2(uint x)
{
#if DIFF_SRC_DT == DT_F16
    return vload_half2(0, (const half *)&x);
#else
    return (float2)(as_float(x << 16), as_float(x & 0xffff0000u));
#endif
}

static inline uint pair_of_float2(float2 x)
{
#if DIFF_SRC_DT == DT_BF16
    return as_uint(float2_to_bf16(x));
#elif PACKED_MAX
    return nv_cvt_f16x2(x.s0, x.s1);
#else
    uint y;
    vstore_half2_rte(x, 0, (half *)&y);
    return y;
#endif
}

static inline uint add_two(uint a, uint b)
{
#if PACKED_MAX && DIFF_SRC_DT == DT_F16
    return nv_add_f16x2(a, b);
#elif PACKED_MAX
    return nv_add_bf16x2(a, b);
#else
    return pair_of_float2(pair_to_float2(a) + pair_to_float2(b));
#endif
}

typedef struct {
    int count, n; // of all, of those that were added
    uint pair;
    float2 sum; // of more than two
} pair_sum_t;

static inline pair_sum_t no_pairs(const int count)
{
    const pair_sum_t y = {count, 0, 0u, (float2)(0.0f)};
    return y;
}

ALWAYS_INLINE void add_pair(pair_sum_t *to, uint x)
{
    if (to->count > 2)
        to->sum = to->n == 0 ? pair_to_float2(x) : to->sum + pair_to_float2(x);
    else
        to->pair = to->n == 0 ? x : add_two(to->pair, x);
    ++to->n;
}

static inline uint pair_of_sum(const pair_sum_t *x)
{
    return x->count > 2 ? pair_of_float2(x->sum) : x->pair;
}

// The window along an axis whose first taps but for the padding an element is.
static inline int first_window(SIZES_SPACE const ocl_pool_axis_t *axis, int at, const int stride)
{
    return (int)((uint)(at + axis->pad) / (uint)stride);
}

// The element at row r and column c of the tile that begins at [h, w], for tensors whose vectors are not aligned; the
// pointers are at position 0 of its channel.
static inline float gather_element(SIZES_SPACE const ocl_pool_backward_data_t *data,
        __global const DIFF_DST_T *diff_dst, __global const WS_T *ws, int h, int w, int r, int c)
{
    const int oh = first_window(&data->axes[1], h, SH) + FIRST_OH, ow = first_window(&data->axes[2], w, SW) + FIRST_OW;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < NOH * NOW; ++i) {
        const int kh = TAP_H(r, i / NOW), kw = TAP_W(c, i % NOW);
        const window_t row = window_at(&data->axes[1], oh + i / NOW, KH), col = window_at(&data->axes[2], ow + i % NOW, KW);
        if (!row.is_there || !col.is_there || kh < 0 || kh >= KH || kw < 0 || kw >= KW) continue;
        if (ws[row.at * data->ws.h + col.at * data->ws.w] == kh * KW + kw)
            sum += DIFF_DST_LOAD(diff_dst, row.at * data->diff_dst.h + col.at * data->diff_dst.w);
    }
    return sum;
}

#endif
