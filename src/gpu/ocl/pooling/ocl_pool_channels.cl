// SPDX-License-Identifier: Apache-2.0
// Pooling where channels lie innermost (NHWC, nChw16c): vectors of VEC channels, a piece of an
// output row an item.
//
//   data           shapes and strides
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src; padded channels hold zeros
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst; padded channels become 0
//   ws, ws_off     the same shape of WS_T, winners' indices in the kernel; null unless WITH_WS
//   POST_OPS       eltwise, binary
// Every window has an element of src. Grid: x ≥ data->nitems. Numerics: f32; rows of a window are
// added up before their sum.
// -D: SRC, DST, WS (prim__ocl_options_type()), VEC, ALG = POOL_…, WITH_WS, those of clh/post_ops.h;
// KH, KW: height and width of a small kernel without dilation, SH: its stride along the height: then an
// item takes ROWS rows of windows and loads what they share once, and all loads are unconditional, so
// that they are in flight together. KH 0: any kernel, ROWS 1.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(WITH_WS) \
        || !defined(WS_DT)
#error "ocl_pool_channels needs SRC, DST, WS, ALG, VEC, WITH_WS"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(ROWS) || (KH == 0 && ROWS != 1)
#error "ocl_pool_channels needs KH, KW, SH, ROWS"
#endif

#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/post_ops.h"

typedef struct {
    channels_t src, dst, ws;
    axis_t axes[3];
    int nspatial, nitems;
    int run_vecs, nblocks;    // vectors in a run of dst, runs of an image
    int piece_elems, npieces; // of an output row
    float volume;             // of the kernel
    int src_elems;            // not used here
    int nbands;               // of ROWS output rows
} pool_data_t;

typedef struct {
    int n, c, d, h;
    taps_t kd, kh;
} row_t;

#if WITH_WS

// Row-major over the window; the first tap gives the index until something is greater.
static floatv reduce(__constant const pool_data_t *data, __global const SRC_T *src, const row_t *row,
        taps_t kw, intv *winner)
{
    const int area = data->axes[1].taps * data->axes[2].taps;
    floatv acc = POOL_IDENTITY;
    *winner = row->kd.begin * area + row->kh.begin * data->axes[2].taps + kw.begin;
    for (int kd = row->kd.begin; kd < row->kd.end; ++kd) {
        const int d_off = (row->kd.start + kd * data->axes[0].jump) * data->src.d;
        for (int kh = row->kh.begin; kh < row->kh.end; ++kh) {
            const int h_off = d_off + (row->kh.start + kh * data->axes[1].jump) * data->src.h;
            for (int k = kw.begin; k < kw.end; ++k) {
                const int w = kw.start + k * data->axes[2].jump;
                const floatv x = SRC_LOADV(src, h_off + w * data->src.w);
                const intv index = kd * area + kh * data->axes[2].taps + k;
                *winner = x > acc ? index : *winner;
                acc = x > acc ? x : acc;
            }
        }
    }
    return acc;
}

#elif KH > 0

// One row of src under a window, the identity where it is not there; what is not there is loaded from
// its nearest neighbour.
__attribute__((always_inline)) static inline floatv reduce_row(__constant const pool_data_t *data,
        __global const SRC_T *src, int h, taps_t kw, bool is_aligned)
{
    const int height = data->axes[1].in, width = data->axes[2].in;
    const int h_off = clamp(h, 0, height - 1) * data->src.h;
    floatv x[KW], acc = POOL_IDENTITY;
    for (int k = 0; k < KW; ++k) {
        const int off = h_off + clamp(kw.start + k, 0, width - 1) * data->src.w;
        x[k] = is_aligned ? SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + off), 0) : SRC_LOADV(src, off);
    }
    for (int k = 0; k < KW; ++k) {
        const bool is_there = k >= kw.begin && k < kw.end;
        acc = pool_take(acc, is_there ? x[k] : (floatv)POOL_IDENTITY);
    }
    return h >= 0 && h < height ? acc : (floatv)POOL_IDENTITY;
}

__attribute__((always_inline)) static inline void reduce_plane(floatv *acc,
        __constant const pool_data_t *data, __global const SRC_T *src, int h, taps_t kw,
        bool is_aligned)
{
#pragma unroll
    for (int i = 0; i < (ROWS - 1) * SH + KH; ++i) {
        const floatv x = reduce_row(data, src, h + i, kw, is_aligned);
        for (int r = 0; r < ROWS; ++r)
            if (i >= r * SH && i < r * SH + KH) acc[r] = pool_take(acc[r], x);
    }
}

// The windows of ROWS rows.
static inline void reduce(floatv *acc, __constant const pool_data_t *data,
        __global const SRC_T *src, const row_t *row, taps_t kw)
{
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, data->src.d | data->src.h | data->src.w);
    for (int r = 0; r < ROWS; ++r) acc[r] = POOL_IDENTITY;
    for (int kd = row->kd.begin; kd < row->kd.end; ++kd) {
        __global const SRC_T *plane = src + (row->kd.start + kd * data->axes[0].jump) * data->src.d;
        if (is_aligned)
            reduce_plane(acc, data, plane, row->kh.start, kw, true);
        else
            reduce_plane(acc, data, plane, row->kh.start, kw, false);
    }
}

#else

// Loads of this many columns come before the first is used.
#define AT_ONCE 8

static inline floatv reduce_row(
        floatv acc, __global const SRC_T *src, int step, int count, bool is_aligned)
{
    int k = 0;
    if (is_aligned) {
        for (; k + AT_ONCE <= count; k += AT_ONCE) {
            floatv x[AT_ONCE];
            for (int i = 0; i < AT_ONCE; ++i)
                x[i] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + (k + i) * step), 0);
            for (int i = 0; i < AT_ONCE; ++i) acc = pool_take(acc, x[i]);
        }
    }
    for (; k < count; ++k) acc = pool_take(acc, SRC_LOADV(src, k * step));
    return acc;
}

static floatv reduce(
        __constant const pool_data_t *data, __global const SRC_T *src, const row_t *row, taps_t kw)
{
    const int step = data->axes[2].jump * data->src.w;
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, data->src.d | data->src.h | data->src.w);
    floatv acc = POOL_IDENTITY;
    for (int kd = row->kd.begin; kd < row->kd.end; ++kd) {
        const int d_off = (row->kd.start + kd * data->axes[0].jump) * data->src.d;
        for (int kh = row->kh.begin; kh < row->kh.end; ++kh) {
            int off = d_off + (row->kh.start + kh * data->axes[1].jump) * data->src.h;
            off += (kw.start + kw.begin * data->axes[2].jump) * data->src.w;
            acc = pool_take(acc, reduce_row(POOL_IDENTITY, src + off, step, kw.end - kw.begin,
                                         is_aligned));
        }
    }
    return acc;
}

#endif

static floatv divide(
        __constant const pool_data_t *data, floatv x, const row_t *row, taps_t kw)
{
#if ALG == POOL_AVG_INCLUDE
    return x / data->volume;
#elif ALG == POOL_AVG_EXCLUDE
    const int ntaps = (row->kd.end - row->kd.begin) * (row->kh.end - row->kh.begin)
            * (kw.end - kw.begin);
    return x / (float)ntaps;
#else
    return x;
#endif
}

#if WITH_POST_OPS
#define APPLY_POST_OPS(x, row, w, off) apply_post_ops(&po, data, x, row, w, dst, off)

static floatv apply_post_ops(const post_ops_t *po, __constant const pool_data_t *data, floatv x,
        const row_t *row, int w, __global DST_T *dst, long off)
{
    const int at[5] = {row->n, row->c, row->d, row->h, w};
    long pos[MAX_NDIMS];
    pos[0] = row->n;
    for (int d = 2; d < 2 + data->nspatial; ++d) pos[d] = at[d + 3 - data->nspatial];
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC && row->c + i < data->dst.channels; ++i) {
        pos[1] = row->c + i;
        values[i] = post_ops_apply(po, values[i], pos, dst, off + i);
    }
    return vloadv(values);
}
#else
#define APPLY_POST_OPS(x, row, w, off) (x)
#endif

__kernel void pool_channels(__constant const pool_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, __global WS_T *ws,
        long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int vec_of_run = take_digit(&index, data->run_vecs);
    const int piece = take_digit(&index, data->npieces);
    row_t row;
    row.h = take_digit(&index, data->nbands) * ROWS;
    row.d = take_digit(&index, data->axes[0].out);
    row.c = take_digit(&index, data->nblocks) * data->dst.run + vec_of_run * VEC;
    row.n = index;
    row.kd = taps_at(&data->axes[0], row.d);
    row.kh = taps_at(&data->axes[1], row.h);
    src += src_off + channels_offset(&data->src, row.n, row.c);
    dst_off += channels_offset(&data->dst, row.n, row.c) + row.d * data->dst.d
            + row.h * data->dst.h;
#if WITH_WS
    ws_off += channels_offset(&data->ws, row.n, row.c) + row.d * data->ws.d + row.h * data->ws.h;
#endif

    const intv is_real = lanes + row.c < data->dst.channels;
    const bool has_padding = row.c + VEC > data->dst.channels;
    const int end = min((piece + 1) * data->piece_elems, data->axes[2].out);
    for (int w = piece * data->piece_elems; w < end; ++w) {
        const taps_t kw = taps_at(&data->axes[2], w);
        floatv acc[ROWS];
#if WITH_WS
        intv winner;
        acc[0] = reduce(data, src, &row, kw, &winner);
        if (has_padding) winner = select((intv)0, winner, is_real);
        WS_STOREV(ws, ws_off + w * data->ws.w, to_floatv(winner));
#elif KH > 0
        reduce(acc, data, src, &row, kw);
#else
        acc[0] = reduce(data, src, &row, kw);
#endif
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            row_t at = row;
            at.h += r;
            if (r > 0 && at.h >= data->axes[1].out) continue;
            if (r > 0) at.kh = taps_at(&data->axes[1], at.h);
            const long off = dst_off + r * data->dst.h + w * data->dst.w;
            floatv x = WITH_WS ? acc[r] : divide(data, acc[r], &at, kw);
            x = APPLY_POST_OPS(x, &at, w, off);
            if (has_padding) x = select((floatv)0.0f, x, is_real);
            DST_STOREV(dst, off, x);
        }
    }
}
