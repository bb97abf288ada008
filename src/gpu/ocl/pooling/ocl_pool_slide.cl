// SPDX-License-Identifier: Apache-2.0
// Pooling of NCHW by small windows that overlap: an item computes ROWS × VEC neighbouring windows and
// loads what they share once. All loads are unconditional, so that they are in flight together.
//
//   data           shapes and strides; runs are of one channel and rows have stride 1
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst
// Every window has an element of src. Grid: x ≥ data->nitems, item [n, c, d, band, piece]. Numerics:
// f32; means add up the columns of a row before the rows, and are products with a reciprocal.
//
// What lies beyond a border is loaded from the element next to it, which is in the same window: a
// maximum may take it twice, a sum takes 0 instead.
// -D: SRC, DST (prim__ocl_options_type()), ALG = POOL_…, VEC = 2, 4 or 8, ROWS, KW, KH (the kernel, 1
// to 7), SW, SH (its strides, 1 or 2), PW (padding on the left).
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(ROWS)
#error "ocl_pool_slide needs SRC, DST, ALG, VEC, ROWS"
#endif
#if !defined(KW) || !defined(KH) || !defined(SW) || !defined(SH) || !defined(PW)
#error "ocl_pool_slide needs KW, KH, SW, SH, PW"
#endif

#include "clh/channels.h"
#include "clh/pool.h"

typedef struct {
    channels_t src, dst, ws;
    axis_t axes[3];
    int nspatial, nitems;
    int run_vecs, nblocks;    // not used here; channels
    int piece_elems, npieces; // VEC; of an output row
    float volume;             // of the kernel
    int src_elems;            // not used here
    int nbands;               // of ROWS output rows
    divisor_t by_vecs, by_pieces, by_bands, by_depth, by_blocks;
} slide_data_t;

// Columns under VEC windows: LEFT before the first window's stride, MIDDLE as whole vectors, RIGHT.
#define LEFT PW
#define MIDDLE (SW * VEC)
#if KW - PW - SW > 0
#define RIGHT (KW - PW - SW)
#else
#define RIGHT 0
#endif
#define COLUMNS (LEFT + MIDDLE + RIGHT)
#define SRC_ROWS ((ROWS - 1) * SH + KH)
// Vectors from and to elements of private arrays, which stay in registers by it.
#if MIDDLE == 2
#define LOAD_MIDDLE SRC_LOAD2
#define PUT(x, p) ((p)[0] = (x).s0, (p)[1] = (x).s1)
typedef float2 middle_t;
#elif MIDDLE == 4
#define LOAD_MIDDLE SRC_LOAD4
#define PUT(x, p) ((p)[0] = (x).s0, (p)[1] = (x).s1, (p)[2] = (x).s2, (p)[3] = (x).s3)
typedef float4 middle_t;
#elif MIDDLE == 8
#define LOAD_MIDDLE SRC_LOAD8
#define PUT(x, p) \
    ((p)[0] = (x).s0, (p)[1] = (x).s1, (p)[2] = (x).s2, (p)[3] = (x).s3, (p)[4] = (x).s4, \
            (p)[5] = (x).s5, (p)[6] = (x).s6, (p)[7] = (x).s7)
typedef float8 middle_t;
#elif MIDDLE == 16
#define LOAD_MIDDLE SRC_LOAD16
#define PUT(x, p) \
    ((p)[0] = (x).s0, (p)[1] = (x).s1, (p)[2] = (x).s2, (p)[3] = (x).s3, (p)[4] = (x).s4, \
            (p)[5] = (x).s5, (p)[6] = (x).s6, (p)[7] = (x).s7, (p)[8] = (x).s8, (p)[9] = (x).s9, \
            (p)[10] = (x).sa, (p)[11] = (x).sb, (p)[12] = (x).sc, (p)[13] = (x).sd, \
            (p)[14] = (x).se, (p)[15] = (x).sf)
typedef float16 middle_t;
#endif
#if VEC == 2
#define TAKE(p) ((float2)((p)[0], (p)[SW]))
#elif VEC == 4
#define TAKE(p) ((float4)((p)[0], (p)[SW], (p)[2 * SW], (p)[3 * SW]))
#elif VEC == 8
#define TAKE(p) \
    ((float8)((p)[0], (p)[SW], (p)[2 * SW], (p)[3 * SW], (p)[4 * SW], (p)[5 * SW], (p)[6 * SW], \
            (p)[7 * SW]))
#else
#error "VEC is not 2, 4 or 8"
#endif

// The rows of src under a band of windows.
typedef struct {
    __global const SRC_T *src; // row 0 of the plane
    int step, height, width;
    int h, col; // the first row, may be outside; the first column of MIDDLE
} band_t;

static inline float column(__global const SRC_T *row, int col, int width)
{
    const float x = SRC_LOAD(row, clamp(col, 0, width - 1));
    return ALG == POOL_MAX || (col >= 0 && col < width) ? x : 0.0f;
}

// VEC windows of one row of src.
__attribute__((always_inline)) static inline floatv reduce_row(
        const band_t *band, __global const SRC_T *row, bool is_whole)
{
    float x[COLUMNS];
    for (int i = 0; i < LEFT; ++i) x[i] = column(row, band->col - LEFT + i, band->width);
    if (is_whole) {
        const middle_t y = LOAD_MIDDLE(AS_ALIGNED(SRC_T, MIDDLE, row + band->col), 0);
        PUT(y, x + LEFT);
    } else {
        for (int i = 0; i < MIDDLE; ++i) x[LEFT + i] = column(row, band->col + i, band->width);
    }
    for (int i = 0; i < RIGHT; ++i)
        x[LEFT + MIDDLE + i] = column(row, band->col + MIDDLE + i, band->width);
    floatv acc = TAKE(x);
    for (int k = 1; k < KW; ++k) acc = pool_join(acc, TAKE(x + k));
    return acc;
}

// is_whole: MIDDLE is inside the rows, and aligned to vectors; is_inner: all rows are inside.
__attribute__((always_inline)) static inline void reduce_band(
        floatv *acc, const band_t *band, bool is_whole, bool is_inner)
{
#pragma unroll
    for (int i = 0; i < SRC_ROWS; ++i) {
        const int h = is_inner ? band->h + i : clamp(band->h + i, 0, band->height - 1);
        floatv x = reduce_row(band, band->src + h * band->step, is_whole);
        if (ALG != POOL_MAX && !is_inner && h != band->h + i) x = 0.0f;
        for (int r = 0; r < ROWS; ++r)
            if (i >= r * SH && i < r * SH + KH) acc[r] = pool_join(acc[r], x);
    }
}

// Elements in VEC windows of a row, of nrows rows each.
static inline floatv count(__constant const slide_data_t *data, int col, int nrows)
{
#if ALG == POOL_AVG_EXCLUDE
    const intv begin = lanes * SW + col;
    return to_floatv((min(begin + KW, data->axes[2].in) - max(begin, 0)) * nrows);
#else
    return data->volume;
#endif
}

static inline void store_row(__global DST_T *dst, floatv x, int count, bool is_aligned)
{
    if (is_aligned) {
        DST_STOREV(AS_ALIGNED(DST_T, VEC, dst), 0, x);
        return;
    }
    float values[VEC];
    vstorev(x, values);
#pragma unroll
    for (int i = 0; i < VEC; ++i)
        if (i < count) DST_STORE(dst, i, values[i]);
}

__kernel void pool_slide(__constant const slide_data_t *data, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, __global const void *ws, long ws_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int w = split_digit(&index, &data->by_pieces) * VEC;
    const int h = split_digit(&index, &data->by_bands) * ROWS;
    const int d = split_digit(&index, &data->by_depth);
    const int c = split_digit(&index, &data->by_blocks), n = index;
    const taps_t kd = taps_at(&data->axes[0], d);
    band_t band;
    band.step = data->src.h;
    band.height = data->axes[1].in;
    band.width = data->axes[2].in;
    band.h = h * SH - data->axes[1].pad;
    band.col = w * SW;
    src += src_off + (n * data->src.n + c * data->src.block);
    const bool is_inner = band.h >= 0 && band.h + SRC_ROWS <= band.height;
    floatv acc[ROWS];
    for (int r = 0; r < ROWS; ++r) acc[r] = POOL_IDENTITY;
    for (int k = kd.begin; k < kd.end; ++k) {
        band.src = src + (kd.start + k * data->axes[0].jump) * data->src.d;
        const bool is_whole = band.col + MIDDLE <= band.width
                && ARE_ALIGNED(SRC_T, MIDDLE, band.src + band.col, band.step);
        if (!is_whole)
            reduce_band(acc, &band, false, false);
        else if (ALG != POOL_MAX && is_inner)
            reduce_band(acc, &band, true, true);
        else
            reduce_band(acc, &band, true, false);
    }
    dst += dst_off + (n * data->dst.n + c * data->dst.block + d * data->dst.d + h * data->dst.h + w);
    const int depth = kd.end - kd.begin, width = data->axes[2].out - w;
    const bool is_aligned = width >= VEC && ARE_ALIGNED(DST_T, VEC, dst, data->dst.h);
    floatv share = 1.0f;
    if (ALG != POOL_MAX) share /= count(data, band.col - PW, KH * depth);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (h + r >= data->axes[1].out) continue;
        if (ALG == POOL_AVG_EXCLUDE && !is_inner) {
            const int begin = band.h + r * SH, end = min(begin + KH, band.height);
            share = 1.0f / count(data, band.col - PW, (end - max(begin, 0)) * depth);
        }
        const floatv x = ALG == POOL_MAX ? acc[r] : acc[r] * share;
        store_row(dst + r * data->dst.h, x, width, is_aligned);
    }
}
