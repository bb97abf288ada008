// SPDX-License-Identifier: Apache-2.0
// Pooling of NCHW by small windows that overlap, for GPUs: a work-item computes a tile of ROWS × VEC adjacent windows
// and loads what they share once. No load depends on a condition, so all of them are in flight together.
//
//   data           shapes and strides; rows have stride 1
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst
//   ws, ws_off     the same of WS_T by data->ws: index of the maximum in the window; null unless WITH_WS
// Every window has an element of src. Grid: x ≥ data->nitems, work-item [n, c, d, band, piece]. Numerics:
// f32; means add up the columns of a row before the rows.
//
// Beyond a border the nearest element of src is loaded, which lies in the same window: a maximum may take it
// twice, a sum takes 0 instead, and a maximum whose index is wanted -INFINITY.
//
// One path for nearly all work-items keeps register use low (with a second path of equal weight for rows that are
// not aligned, max pooling took 0.124 ms instead of 0.09 on an NVIDIA H200): the host says whether rows are aligned,
// and the rare work-item that differs takes a slow path.
// -D: SRC, DST, WS (prim__ocl_options_type()), ALG = POOL_…, VEC = 2, 4 or 8, ROWS, KW, KH (window, 1
// to 7), SW, SH (strides, 1 or 2), PW (padding on the left), PH (most rows of a tile that lie before src),
// OVERHANGS (some lie behind it), RAGGED (rows are no multiple of MIDDLE = SW·VEC elements, so that vectors
// would not be aligned), HAS_DEPTH (some depth is above 1), those of clh/pool_byte_rows.h, SIZES_BY_VALUE,
// WITH_WS (of maxima, without words of bytes).
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(ROWS)
#error "ocl_pool_nchw_tile needs SRC, DST, ALG, VEC, ROWS"
#endif
#if !defined(KW) || !defined(KH) || !defined(SW) || !defined(SH) || !defined(PW)
#error "ocl_pool_nchw_tile needs KW, KH, SW, SH, PW"
#endif
#if !defined(PH) || !defined(OVERHANGS) || !defined(RAGGED) || !defined(HAS_DEPTH) || !defined(WS_DT) || \
        !defined(WITH_WS)
#error "ocl_pool_nchw_tile needs PH, OVERHANGS, RAGGED, HAS_DEPTH, WS, WITH_WS"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/pool_byte_rows.h"
#include "clh/pool_winners.h"
#include "clh/window_columns.h"

#define SRC_ROWS ((ROWS - 1) * SH + KH)
#if BYTE_WORDS
// On every device, for words have to be aligned.
#define ROWS_ARE_ALIGNED(p, steps) ((((size_t)(p) | (size_t)(steps)) & (MIDDLE - 1)) == 0)
#define VECTORS_ARE_ALIGNED(p, step) ((((size_t)(p) | (size_t)(step)) & (VEC - 1)) == 0)
#else
#define ROWS_ARE_ALIGNED(p, steps) ARE_ALIGNED(SRC_T, MIDDLE, p, steps)
#define VECTORS_ARE_ALIGNED(p, step) ARE_ALIGNED(DST_T, VEC, p, step)
#endif
// Every SW-th element of a private array.
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

// Elements of src under the windows of a work-item; the first row and the first column of MIDDLE, rows and
// columns may be outside.
typedef struct {
    taps_t kd;
    int h, col;
} place_t;

// VEC windows of one row of src.
ALWAYS_INLINE floatv reduce_row(
        __global const SRC_T *row, int col, int width)
{
    float x[WINDOW_COLUMNS];
    load_columns(x, row, col, width, ALG == POOL_MAX);
    floatv acc = TAKE(x);
    for (int k = 1; k < KW; ++k) acc = pool_join(acc, TAKE(x + k));
    return acc;
}

// What a row of src is to the windows, and what they become.
#if WITH_WS
typedef winners_t row_t; // with the tap of a row
typedef winners_t pooled_t; // with that of the kernel

ALWAYS_INLINE void load_row(
        winners_t *y, __global const SRC_T *row, int col, int width, bool is_there)
{
    float x[WINDOW_COLUMNS];
    load_columns(x, row, col, width, false);
    y->x = (floatv)(-INFINITY);
    y->winner = (intv)(0);
#pragma unroll
    for (int k = 0; k < KW; ++k) take_winner(y, TAKE(x + k), (intv)(k));
    if (!is_there) y->x = (floatv)(-INFINITY);
}
#elif BYTE_SUMS
typedef bytes_t row_t;
typedef sums_t pooled_t;
#define pooled_none() no_sums()
#define ADD_ROW(acc, x, is_first) add_row(&(acc), (x).words)

ALWAYS_INLINE void load_row(
        bytes_t *x, __global const SRC_T *row, int col, int width, bool is_there)
{
    load_words(x->words, row, col, width);
    for (int i = 0; i < BYTE_WORDS; ++i) x->words[i] = is_there ? x->words[i] : 0u;
}
#endif
#if !WITH_WS && !BYTE_SUMS
#define ADD_ROW(acc, x, is_first) ((acc) = (is_first) ? (x) : pooled_join(acc, x))
#if BYTE_WORDS
typedef pairs_t row_t;
typedef pairs_t pooled_t;
#define pooled_none() no_pairs()
#define pooled_join join_pairs

ALWAYS_INLINE void load_row(
        pairs_t *x, __global const SRC_T *row, int col, int width, bool is_there)
{
    uint words[BYTE_WORDS];
    load_words(words, row, col, width);
    *x = pairs_of(words);
}
#else
typedef floatv row_t;
typedef floatv pooled_t;
#define pooled_none() ((floatv)POOL_IDENTITY)
#define pooled_join pool_join

ALWAYS_INLINE void load_row(
        floatv *x, __global const SRC_T *row, int col, int width, bool is_there)
{
    const floatv y = reduce_row(row, col, width);
    *x = ALG == POOL_MAX || is_there ? y : (floatv)(0.0f);
}
#endif
#endif

// The row of src that begins window row r; there is none where a plane adds to another.
#if HAS_DEPTH
#define FIRST_ROW(r) (-1)
#else
#define FIRST_ROW(r) ((r) * SH)
#endif

#if WITH_WS
// Row i of the work-item's in plane kd, to the windows of row r.
#define TAKE_ROW(acc, y, kd, i, r) \
    take_winner(&(acc), (y).x, (y).winner + ((kd) * KH + (i) - (r) * SH) * KW)
#else
#define TAKE_ROW(acc, y, kd, i, r) ADD_ROW(acc, y, i == FIRST_ROW(r))
#endif

ALWAYS_INLINE void reduce_plane(pooled_t *acc,
        SIZES_SPACE const ocl_pool_data_t *data, __global const SRC_T *src, const place_t *place, int kd)
{
#pragma unroll
    for (int i = 0; i < SRC_ROWS; ++i) {
        const int h = into_axis(place->h + i, data->axes[1].in, i < PH, OVERHANGS && i > 0);
        row_t x;
        load_row(&x, src + h * data->src.h, place->col, data->axes[2].in, h == place->h + i);
        for (int r = 0; r < ROWS; ++r)
            if (i >= r * SH && i < r * SH + KH) TAKE_ROW(acc[r], x, kd, i, r);
    }
}

// Elements of src in the windows of a row that has `nrows` of them.
static inline int count_one(SIZES_SPACE const ocl_pool_data_t *data, int col, int nrows)
{
    return (min(col + KW, data->axes[2].in) - max(col, 0)) * nrows;
}

static inline floatv divide(SIZES_SPACE const ocl_pool_data_t *data, floatv x, int col, int nrows)
{
#if ALG == POOL_AVG_EXCLUDE
    float y[VEC];
    vstorev(x, y);
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
        if (IS_INNER(v))
            y[v] = pool_mean_of_one(y[v], (float)(KW * nrows));
        else
            y[v] = pool_mean_of_one(y[v], (float)count_one(data, col + v * SW, nrows));
    }
    return vloadv(y);
#elif ALG == POOL_AVG_INCLUDE
    return pool_mean(x, data->volume);
#else
    return fmax(x, POOL_IDENTITY); // of nothing but NaNs
#endif
}

// Rows of src under row r of a work-item's windows, over all planes.
static inline int count_rows(SIZES_SPACE const ocl_pool_data_t *data, const place_t *place, int r)
{
    const int begin = place->h + r * SH;
    return (min(begin + KH, data->axes[1].in) - max(begin, 0)) * (place->kd.end - place->kd.begin);
}

#if !RAGGED
// Window v of row r, tap by tap; of a maximum its index.
static float reduce_one(SIZES_SPACE const ocl_pool_data_t *data, __global const SRC_T *src,
        const place_t *place, int r, int v, int *winner)
{
    const int h0 = place->h + r * SH, col = place->col - PW + v * SW;
    float acc = POOL_IDENTITY;
    *winner = (place->kd.begin * KH + max(-h0, 0)) * KW + max(-col, 0);
#pragma unroll 1
    for (int k = place->kd.begin; k < place->kd.end; ++k)
#pragma unroll 1
        for (int h = max(h0, 0); h < min(h0 + KH, data->axes[1].in); ++h)
#pragma unroll 1
            for (int w = max(col, 0); w < min(col + KW, data->axes[2].in); ++w) {
                const int d = place->kd.start + k * data->axes[0].jump;
                const float x = SRC_LOAD(src, d * data->src.d + h * data->src.h + w);
                if (ALG == POOL_MAX && x > acc) *winner = (k * KH + h - h0) * KW + w - col;
                acc = ALG == POOL_MAX ? fmax(acc, x) : acc + x;
            }
    if (ALG == POOL_AVG_INCLUDE) acc = pool_mean_of_one(acc, data->volume);
    if (ALG == POOL_AVG_EXCLUDE)
        acc = pool_mean_of_one(acc, (float)count_one(data, col, count_rows(data, place, r)));
    return acc;
}
#endif

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

#if BYTE_WORDS
static inline void store_bytes(__global DST_T *dst, uint2 x, int count, bool is_aligned)
{
    if (is_aligned) {
        *(__global uint2 *)dst = x;
        return;
    }
    const uint words[] = {x.s0, x.s1};
#pragma unroll
    for (int i = 0; i < VEC; ++i)
        if (i < count) dst[i] = (DST_T)(words[i / 4] >> (8 * (i % 4)));
}
#endif

#if WITH_WS
static inline void store_winners(__global WS_T *ws, intv winner, int count)
{
    int values[VEC];
    vstorev(winner, values);
    if (count >= VEC) {
        WS_STOREV(ws, 0, to_floatv(winner));
        return;
    }
#pragma unroll
    for (int i = 0; i < VEC; ++i)
        if (i < count) WS_STORE_INT(ws, i, values[i]);
}
#endif

#if !RAGGED
// The tile's windows, of which `width` × `height` are there, without vectors.
static void store_one_by_one(SIZES_SPACE const ocl_pool_data_t *data, __global const SRC_T *src,
        const place_t *place, __global DST_T *dst, __global WS_T *ws, int width, int height)
{
#pragma unroll 1
    for (int i = 0; i < ROWS * VEC; ++i) {
        const int r = i / VEC, v = i % VEC;
        int winner;
        if (r >= height || v >= width) continue;
        DST_STORE(dst, r * data->dst.h + v, reduce_one(data, src, place, r, v, &winner));
#if WITH_WS
        WS_STORE_INT(ws, r * data->ws.h + v, winner);
#endif
    }
}
#endif

__kernel void pool_nchw_tile(SIZES(ocl_pool_data_t), __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, __global WS_T *ws, long ws_off)
{
    SIZES_OF(ocl_pool_data_t, data);
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int w = split_digit(&index, &data->by_pieces) * VEC;
    const int h = split_digit(&index, &data->by_bands) * ROWS;
    const int d = HAS_DEPTH ? split_digit(&index, &data->by_depth) : 0;
    const int c = split_digit(&index, &data->by_blocks), n = index;
    src += src_off + (n * data->src.n + c * data->src.block);
    dst += dst_off + (n * data->dst.n + c * data->dst.block + d * data->dst.d + h * data->dst.h + w);
    place_t place = {{0, 0, 1}, h * SH - data->axes[1].pad, w * SW};
    if (HAS_DEPTH) place.kd = taps_at(&data->axes[0], d);
    const int width = data->axes[2].out - w, height = data->axes[1].out - h;
#if WITH_WS
    ws += ws_off + (n * data->ws.n + c * data->ws.block + d * data->ws.d + h * data->ws.h + w);
#endif
#if !RAGGED
    const bool is_whole = place.col + MIDDLE <= data->axes[2].in
            && ROWS_ARE_ALIGNED(src, data->src.d | data->src.h);
    if (!is_whole) {
        store_one_by_one(data, src, &place, dst, ws, width, height);
        return;
    }
#endif
    pooled_t acc[ROWS];
#if WITH_WS
    for (int r = 0; r < ROWS; ++r) acc[r] = first_winners(place.kd.begin, place.h + r * SH, place.col - PW + lanes * SW);
#else
    for (int r = 0; r < ROWS; ++r) acc[r] = pooled_none();
#endif
#if HAS_DEPTH
    for (int k = place.kd.begin; k < place.kd.end; ++k) {
        const int plane = place.kd.start + k * data->axes[0].jump;
        reduce_plane(acc, data, src + plane * data->src.d, &place, k);
    }
#else
    reduce_plane(acc, data, src, &place, 0);
#endif
    const bool is_aligned = width >= VEC && VECTORS_ARE_ALIGNED(dst, data->dst.h);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (r >= height) continue;
#if WITH_WS
        store_row(dst + r * data->dst.h, acc[r].x, width, is_aligned);
        store_winners(ws + r * data->ws.h, acc[r].winner, width);
#elif BYTE_WORDS
        const int nrows = count_rows(data, &place, r);
        const uint2 x =
                finish_row(&acc[r], place.col - PW, data->axes[2].in, nrows, data->volume);
        store_bytes(dst + r * data->dst.h, x, width, is_aligned);
#else
        const floatv x = divide(data, acc[r], place.col - PW, count_rows(data, &place, r));
        store_row(dst + r * data->dst.h, x, width, is_aligned);
#endif
    }
}
