// SPDX-License-Identifier: Apache-2.0
// Pooling of NCHW by small windows that overlap: an item computes ROWS × VEC neighbouring windows and
// loads what they share once. All loads are unconditional, so that they are in flight together.
//
//   data           shapes and strides; runs are of one channel and rows have stride 1
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst
// Every window has an element of src. Grid: x ≥ data->nitems, item [n, c, d, band, piece]. Numerics:
// f32; means add up the columns of a row before the rows.
// -D: SRC, DST (prim__ocl_options_type()), ALG = POOL_…, VEC = 4 or 8, ROWS, KW, KH (the kernel, 1 to
// 7), SW, SH (its strides, 1 or 2), PW (padding on the left).
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
    int run_vecs, nblocks;    // not used here
    int piece_elems, npieces; // VEC; of an output row
    float volume;             // of the kernel
    int src_elems;            // not used here
    int nbands;               // of ROWS output rows
} slide_data_t;

// Columns under VEC windows: LEFT before the first window's stride, MIDDLE as whole vectors, RIGHT.
#define LEFT PW
#define MIDDLE (SW * VEC)
// Vectors from and to elements of private arrays, which stay in registers by it.
#if VEC == 4
#define PUT(x, p) ((p)[0] = (x).s0, (p)[1] = (x).s1, (p)[2] = (x).s2, (p)[3] = (x).s3)
#define TAKE(p) ((float4)((p)[0], (p)[SW], (p)[2 * SW], (p)[3 * SW]))
#elif VEC == 8
#define PUT(x, p) \
    ((p)[0] = (x).s0, (p)[1] = (x).s1, (p)[2] = (x).s2, (p)[3] = (x).s3, (p)[4] = (x).s4, \
            (p)[5] = (x).s5, (p)[6] = (x).s6, (p)[7] = (x).s7)
#define TAKE(p) \
    ((float8)((p)[0], (p)[SW], (p)[2 * SW], (p)[3 * SW], (p)[4 * SW], (p)[5 * SW], (p)[6 * SW], \
            (p)[7 * SW]))
#else
#error "VEC is not 4 or 8"
#endif
#if KW - PW - SW > 0
#define RIGHT (KW - PW - SW)
#else
#define RIGHT 0
#endif

// The rows of src under a band of windows.
typedef struct {
    __global const SRC_T *src; // row 0 of the plane
    int step, height, width;
    int h, col;    // the first row, may be outside; the first column of MIDDLE
    bool is_whole; // MIDDLE is inside the row, and aligned to vectors
} band_t;

static inline float column(__global const SRC_T *row, int col, int width)
{
    const float x = SRC_LOAD(row, clamp(col, 0, width - 1));
    return col >= 0 && col < width ? x : POOL_IDENTITY;
}

// VEC windows of one row of src; the identity for a row that is not there.
__attribute__((always_inline)) static inline floatv reduce_row(const band_t *band, int h, bool is_whole)
{
    __global const SRC_T *row = band->src + clamp(h, 0, band->height - 1) * band->step;
    float x[LEFT + MIDDLE + RIGHT];
    for (int i = 0; i < LEFT; ++i) x[i] = column(row, band->col - LEFT + i, band->width);
    if (is_whole) {
        for (int i = 0; i < SW; ++i) {
            const floatv y = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, row + band->col + i * VEC), 0);
            PUT(y, x + LEFT + i * VEC);
        }
    } else {
        for (int i = 0; i < MIDDLE; ++i) x[LEFT + i] = column(row, band->col + i, band->width);
    }
    for (int i = 0; i < RIGHT; ++i)
        x[LEFT + MIDDLE + i] = column(row, band->col + MIDDLE + i, band->width);
    floatv acc = POOL_IDENTITY;
    for (int k = 0; k < KW; ++k) acc = pool_take(acc, TAKE(x + k));
    const intv is_there = (intv)(h >= 0 && h < band->height ? -1 : 0);
    return select((floatv)POOL_IDENTITY, acc, is_there);
}

__attribute__((always_inline)) static inline void reduce_band(floatv *acc, const band_t *band, bool is_whole)
{
#pragma unroll
    for (int i = 0; i < (ROWS - 1) * SH + KH; ++i) {
        const floatv x = reduce_row(band, band->h + i, is_whole);
        for (int r = 0; r < ROWS; ++r)
            if (i >= r * SH && i < r * SH + KH) acc[r] = pool_take(acc[r], x);
    }
}

// VEC means of windows with `nrows` rows of src, `col` the first window's column 0.
static inline floatv divide(__constant const slide_data_t *data, floatv x, int col, int nrows)
{
#if ALG == POOL_AVG_EXCLUDE
    if (col < 0 || col + (VEC - 1) * SW + KW > data->axes[2].in) {
        intv ncolumns = 0;
        for (int k = 0; k < KW; ++k) {
            const intv at = lanes * SW + col + k;
            ncolumns += select((intv)0, (intv)1, at >= 0 && at < data->axes[2].in);
        }
        return x / to_floatv(ncolumns * nrows);
    }
    return x / (float)(KW * nrows);
#else
    return x / data->volume;
#endif
}

static inline void store_row(__global DST_T *dst, floatv x, int count)
{
    if (count >= VEC) {
        DST_STOREV(dst, 0, x);
        return;
    }
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC; ++i)
        if (i < count) DST_STORE(dst, i, values[i]);
}

__kernel void pool_slide(__constant const slide_data_t *data, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, __global const void *ws, long ws_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int w = take_digit(&index, data->npieces) * VEC;
    const int h = take_digit(&index, data->nbands) * ROWS;
    const int d = take_digit(&index, data->axes[0].out);
    const int c = take_digit(&index, data->dst.channels), n = index;
    const taps_t kd = taps_at(&data->axes[0], d);
    band_t band;
    band.step = data->src.h;
    band.height = data->axes[1].in;
    band.width = data->axes[2].in;
    band.h = h * SH - data->axes[1].pad;
    band.col = w * SW;
    src += src_off + channels_offset(&data->src, n, c);
    floatv acc[ROWS];
    for (int r = 0; r < ROWS; ++r) acc[r] = POOL_IDENTITY;
    for (int k = kd.begin; k < kd.end; ++k) {
        band.src = src + (kd.start + k * data->axes[0].jump) * data->src.d;
        if (band.col + MIDDLE <= band.width
                && ARE_ALIGNED(SRC_T, VEC, band.src + band.col, band.step))
            reduce_band(acc, &band, true);
        else
            reduce_band(acc, &band, false);
    }
    dst += dst_off + channels_offset(&data->dst, n, c) + d * data->dst.d + h * data->dst.h + w;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (h + r >= data->axes[1].out) continue;
        floatv x = acc[r];
#if ALG != POOL_MAX
        const taps_t kh = taps_at(&data->axes[1], h + r);
        x = divide(data, x, band.col - PW, (kd.end - kd.begin) * (kh.end - kh.begin));
#endif
        store_row(dst + r * data->dst.h, x, data->axes[2].out - w);
    }
}
