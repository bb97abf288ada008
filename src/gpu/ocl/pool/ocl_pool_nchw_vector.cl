// SPDX-License-Identifier: Apache-2.0
// Pooling, NCHW with contiguous rows: a work-item computes a piece of an output row in vectors of VEC adjacent
// windows.
//
//   data           shapes and strides; rows have stride 1
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src; data->src_elems may be read
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst
//   ws, ws_off     same shape of WS_T: index of the maximum in the window; null unless WITH_WS
//   POST_OPS       eltwise, binary
// Every window has an element of src. Grid: x ≥ data->nitems. Numerics: f32; means add up columns
// of a window before their sum.
//
// The height is reduced first, for all windows of the vector at once: a load of WIDTH adjacent elements serves one
// tap of stride 1, or two taps of stride 2.
// -D: SRC, DST, WS (prim__ocl_options_type()), VEC = 4 or 8, 16 for STRIDE 1, STRIDE = 1 or 2
// (of width), ALG = POOL_…, WITH_WS, those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(STRIDE) \
        || !defined(WITH_WS) || !defined(WS_DT)
#error "ocl_pool_nchw_vector needs SRC, DST, WS, ALG, VEC, STRIDE, WITH_WS"
#endif

#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/pool_row_chain.h"
#include "clh/post_ops.h"

// What WIDTH neighbours of a source row look like, and which of them are the windows' columns.
#if STRIDE == 1
#define WIDTH VEC
typedef floatv floatw;
typedef intv intw;
#define WIDE_LANES lanes
#define SRC_LOADW SRC_LOADV
#define WIDE_LOAD vloadv
#define COLUMNS(x) (x)
#elif VEC == 4
#define WIDTH 8
typedef float8 floatw;
typedef int8 intw;
#define WIDE_LANES (int8)(0, 1, 2, 3, 4, 5, 6, 7)
#define SRC_LOADW SRC_LOAD8
#define WIDE_LOAD(p) vload8(0, p)
#elif VEC == 8
#define WIDTH 16
typedef float16 floatw;
typedef int16 intw;
#define WIDE_LANES (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define SRC_LOADW SRC_LOAD16
#define WIDE_LOAD(p) vload16(0, p)
#else
#error "VEC is not 4 or 8"
#endif

// The rows of src under a row of windows.
typedef struct {
    __global const SRC_T *src; // element 0 of the tensor
    int src_elems;
    int first;   // offset of the first real row, column 0
    int nd, nh;  // real rows
    int d_step, h_step;
    int first_tap; // index in the kernel of the first real row's column 0
} rows_t;

// Columns col … col + WIDTH − 1 of the row at `off`; what lies outside the row is arbitrary, and is
// read only if it is inside src.
static floatw load_columns(const rows_t *rows, int off, int col, int width)
{
    const int from = off + col;
    if (from >= 0 && from + WIDTH <= rows->src_elems) return SRC_LOADW(rows->src, from);
    float x[WIDTH];
    for (int i = 0; i < WIDTH; ++i)
        x[i] = col + i >= 0 && col + i < width ? SRC_LOAD(rows->src, from + i) : 0.0f;
    return WIDE_LOAD(x);
}

static floatw mask_columns(floatw x, int col, int width)
{
    if (col >= 0 && col + WIDTH <= width) return x;
    const intw column = WIDE_LANES + col;
    return select((floatw)POOL_IDENTITY, x, column >= 0 && column < width);
}

#if WITH_WS

static void take_winner(floatv *acc, intv *winner, floatv x, int index)
{
    const intv wins = x > *acc;
    *winner = select(*winner, (intv)index, wins);
    *acc = select(*acc, x, wins);
}

// The maxima and their indices, row-major over the window. `col` is the first window's column 0.
static floatv reduce(
        __constant const ocl_pool_data_t *data, const rows_t *rows, int col, intv *winner)
{
    __constant const ocl_pool_axis_t *axis = &data->axes[2];
    const int area = data->axes[1].taps * axis->taps;
    const intv column = lanes * STRIDE + col;
    const intv first_tap = select((intv)0, (axis->jump - 1 - column) / axis->jump, column < 0);
    floatv acc = POOL_IDENTITY;
    *winner = rows->first_tap + first_tap;
    for (int d = 0; d < rows->nd; ++d) {
        for (int h = 0; h < rows->nh; ++h) {
            const int off = rows->first + d * rows->d_step + h * rows->h_step;
            const int row_tap = rows->first_tap + d * area + h * axis->taps;
            for (int k = 0; k < axis->taps; ++k) {
                const int at = col + k * axis->jump;
                floatw x = load_columns(rows, off, at, axis->in);
                x = mask_columns(x, at, axis->in);
#if STRIDE == 1
                take_winner(&acc, winner, x, row_tap + k);
#else
                take_winner(&acc, winner, x.even, row_tap + k);
#endif
            }
        }
    }
    return acc;
}

#else

static floatw take_wide(floatw acc, floatw x)
{
#if ALG == POOL_MAX
    return x > acc ? x : acc;
#else
    return acc + x;
#endif
}

// Columns col … col + WIDTH − 1, reduced over the rows.
static floatw reduce_rows(
        __constant const ocl_pool_data_t *data, const rows_t *rows, int col)
{
    const int width = data->axes[2].in;
    floatw acc = POOL_IDENTITY;
    for (int d = 0; d < rows->nd; ++d) {
        int off = rows->first + d * rows->d_step;
        for (int h = 0; h < rows->nh; ++h, off += rows->h_step)
            acc = take_wide(acc, load_columns(rows, off, col, width));
    }
    return mask_columns(acc, col, width);
}

// `col` is the first window's column 0.
static floatv reduce(__constant const ocl_pool_data_t *data, const rows_t *rows, int col)
{
    __constant const ocl_pool_axis_t *axis = &data->axes[2];
    floatv acc = POOL_IDENTITY;
#if STRIDE == 1
    for (int k = 0; k < axis->taps; ++k)
        acc = pool_take(acc, reduce_rows(data, rows, col + k * axis->jump));
#else
    const int pair = axis->jump == 1 ? 2 : 1;
    for (int k = 0; k < axis->taps; k += pair) {
        const floatw x = reduce_rows(data, rows, col + k * axis->jump);
        acc = pool_take(acc, x.even);
        if (pair == 2 && k + 1 < axis->taps) acc = pool_take(acc, x.odd);
    }
#endif
    return acc;
}

#endif

static floatv divide(__constant const ocl_pool_data_t *data, floatv x, const rows_t *rows, int col)
{
#if ALG == POOL_AVG_INCLUDE
    return pool_mean(x, data->volume);
#elif ALG == POOL_AVG_EXCLUDE
    __constant const ocl_pool_axis_t *axis = &data->axes[2];
    intv ntaps = 0;
    for (int k = 0; k < axis->taps; ++k) {
        const intv column = lanes * STRIDE + col + k * axis->jump;
        ntaps += select((intv)0, (intv)1, column >= 0 && column < axis->in);
    }
    return pool_mean(x, to_floatv(ntaps * (rows->nd * rows->nh)));
#else
    return x;
#endif
}

static void store_part(__global DST_T *dst, long off, floatv x, int count)
{
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC; ++i)
        if (i < count) DST_STORE(dst, off + i, values[i]);
}

#if WITH_WS
static void store_winners(__global WS_T *ws, long off, intv winner, int count)
{
    int values[VEC];
    vstorev(winner, values);
    for (int i = 0; i < VEC; ++i)
        if (i < count) WS_STORE_INT(ws, off + i, values[i]);
}
#endif

__kernel void pool_nchw_vector(__constant const ocl_pool_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, __global WS_T *ws,
        long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int piece = take_digit(&index, data->npieces);
    int at[5];
    at[3] = take_digit(&index, data->axes[1].out);
    at[2] = take_digit(&index, data->axes[0].out);
    at[1] = take_digit(&index, data->nblocks);
    at[0] = index;
    const taps_t kd = taps_at(&data->axes[0], at[2]), kh = taps_at(&data->axes[1], at[3]);
    rows_t rows;
    rows.src = src + src_off;
    rows.src_elems = data->src_elems;
    rows.first = channels_offset(&data->src, at[0], at[1])
            + (kd.start + kd.begin * data->axes[0].jump) * data->src.d
            + (kh.start + kh.begin * data->axes[1].jump) * data->src.h;
    rows.nd = kd.end - kd.begin;
    rows.nh = kh.end - kh.begin;
    rows.d_step = data->axes[0].jump * data->src.d;
    rows.h_step = data->axes[1].jump * data->src.h;
    rows.first_tap = (kd.begin * data->axes[1].taps + kh.begin) * data->axes[2].taps;
    dst_off += channels_offset(&data->dst, at[0], at[1]) + at[2] * data->dst.d
            + at[3] * data->dst.h;
#if WITH_WS
    ws_off += channels_offset(&data->ws, at[0], at[1]) + at[2] * data->ws.d + at[3] * data->ws.h;
#endif

    const int end = min((piece + 1) * data->piece_elems, data->axes[2].out);
    for (int w = piece * data->piece_elems; w < end; w += VEC) {
        const int count = min(end - w, VEC);
        const int col = w * STRIDE - data->axes[2].pad;
        const long off = dst_off + w;
        at[4] = w;
#if WITH_WS
        intv winner;
        floatv x = reduce(data, &rows, col, &winner);
        store_winners(ws, ws_off + w, winner, count);
#else
        floatv x = divide(data, reduce(data, &rows, col), &rows, col);
#endif
        x = APPLY_POST_OPS(data->nspatial, x, at, count, off);
        if (count == VEC)
            DST_STOREV(dst, off, x);
        else
            store_part(dst, off, x, count);
    }
}
