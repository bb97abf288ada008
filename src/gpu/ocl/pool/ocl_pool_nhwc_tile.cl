// SPDX-License-Identifier: Apache-2.0
// Pooling by small windows where channels are innermost (NHWC, nChw16c), for GPUs: a work-item computes a tile of
// ROWS × COLS adjacent windows of one vector of channels and loads what they share once. No load depends on a
// condition, so all of them are in flight together.
//
//   data           shapes and strides
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->pool.src; padded channels hold zeros
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->pool.dst; padded channels become 0
//   ws, ws_off     the same of WS_T by data->pool.ws: index of the maximum in the window; null unless WITH_WS
//   POST_OPS       eltwise, binary
// Every window has an element of src. Grid: x ≥ data->pool.nitems, work-item
// [n, block, d, tile of bands, tile of pieces, vectors / LANES, band, piece, LANES vectors]: adjacent
// work-items are TILE × TILE tiles, so that what their windows share stays in the L1 cache.
// Numerics: f32; means add up the rows of a column before the columns.
//
// Beyond a border the nearest element of src is loaded, which lies in the same window: a maximum may take it
// twice, a sum takes 0 instead.
// -D: SRC, DST, WS (prim__ocl_options_type()), VEC, ALG = POOL_…, ROWS, COLS, TILE (a power of two), KH, KW
// (window), SH, SW (strides), PH, PW (most rows and columns of a tile that lie before src), OVERHANGS (some
// lie behind it), HAS_DEPTH (some depth is above 1), ONE_RUN (the channels of a pixel are one run, whose vectors
// belong to adjacent work-items), those of clh/pool_bytes.h (BYTE_WORDS 2 needs VEC 8) and clh/post_ops.h,
// SIZES_BY_VALUE, WITH_WS (of maxima, without words of bytes).
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_nhwc_tile needs SRC, DST, ALG, VEC"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(ROWS) || !defined(COLS)
#error "ocl_pool_nhwc_tile needs KH, KW, SH, SW, ROWS, COLS"
#endif
#if !defined(PH) || !defined(PW) || !defined(OVERHANGS)
#error "ocl_pool_nhwc_tile needs PH, PW, OVERHANGS"
#endif
#if !defined(TILE) || !defined(HAS_DEPTH) || !defined(ONE_RUN) || !defined(WS_DT) || !defined(WITH_WS)
#error "ocl_pool_nhwc_tile needs TILE, HAS_DEPTH, ONE_RUN, WS, WITH_WS"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/pool_bytes.h"
#include "clh/pool_winners.h"
#include "clh/post_ops.h"
#include "clh/unpack.h"

// The first of the windows.
typedef struct {
    int n, c, d, h, w, block;
    taps_t kd;
} place_t;

#define SRC_ROWS ((ROWS - 1) * SH + KH)
#define SRC_COLS ((COLS - 1) * SW + KW)

// What a vector is when it is loaded, 0 for a sum where it is not in src, and while windows are joined.
#if BYTE_WORDS
#if VEC != 8 || BYTE_WORDS != 2
#error "bytes need VEC 8, BYTE_WORDS 2"
#endif
typedef uint2 words_t;
// On every device, for words have to be aligned.
#define VECTORS_ARE_ALIGNED(p, steps) ((((size_t)(p) | (size_t)(steps)) & (VEC - 1)) == 0)
// What offsets count: whole vectors, whose addresses are one multiplication and addition each.
#define UNIT VEC
typedef words_t unit_t;
#if ALG == POOL_MAX
typedef pairs_t pooled_t, loaded_t;
#define pooled_none() no_pairs()
#define pooled_value pairs_value
#define pooled_join join_pairs

static inline pairs_t load_one(__global const words_t *src, int off, bool is_there)
{
    uint words[BYTE_WORDS];
    UNPACK2(src[off], words);
    return pairs_of(words);
}
#else
typedef sums_t pooled_t;
typedef bytes_t loaded_t;
#define pooled_none() no_sums()
#define pooled_value sums_value
#define ADD_COLUMN(acc, x) add_vectors(&(acc), x, KH)
#define CARRY_SAVED (KH == 3 && KW == 3)

static inline bytes_t load_one(__global const words_t *src, int off, bool is_there)
{
    words_t x = src[off];
    x = is_there ? x : (words_t)(0u);
    bytes_t y;
    UNPACK2(x, y.words);
    return y;
}
#endif
#else
#define UNIT 1
typedef SRC_T unit_t;
typedef floatv loaded_t;
#if WITH_WS
typedef winners_t pooled_t;
#else
typedef floatv pooled_t;
#define pooled_none() ((floatv)POOL_IDENTITY)
#endif
#define pooled_join pool_join
#define VECTORS_ARE_ALIGNED(p, steps) ARE_ALIGNED(SRC_T, VEC, p, steps)

#if (SRC_DT == DT_F16 || SRC_DT == DT_BF16) && defined(SPLITS_UNALIGNED) && (VEC == 4 || VEC == 8)
// Zeros are chosen before the conversion: half as many.
#if VEC == 4
typedef uint2 words_t;
#define HALVES(x) halves_to_float4(as_ushort4(x))
#define TO_UINT convert_uint4
#define AS_SHORT as_ushort4
#define AS_FLOAT as_float4
#else
typedef uint4 words_t;
#define HALVES(x) halves_to_float8(as_ushort8(x))
#define TO_UINT convert_uint8
#define AS_SHORT as_ushort8
#define AS_FLOAT as_float8
#endif

static inline floatv load_one(__global const SRC_T *src, int off, bool is_there)
{
    words_t x = *(__global const words_t *)(src + off);
    if (ALG != POOL_MAX) x = is_there ? x : (words_t)(0u);
#if SRC_DT == DT_F16
    return HALVES(x);
#else
    return AS_FLOAT(TO_UINT(AS_SHORT(x)) << 16);
#endif
}
#else
static inline floatv load_one(__global const SRC_T *src, int off, bool is_there)
{
    const floatv x = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + off), 0);
    return ALG == POOL_MAX || is_there ? x : (floatv)(0.0f);
}
#endif
#endif

#ifndef ADD_COLUMN
#define ADD_COLUMN(acc, x) ((acc) = pooled_join(acc, x))
#define CARRY_SAVED 0
#endif

// Column w + j of a plane under the windows.
static inline void load_column(loaded_t *x, SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data,
        __global const unit_t *src, int h, int w, int j)
{
    const int col = into_axis(w + j, data->pool.axes[2].in, j < PW, OVERHANGS && j > 0);
#pragma unroll
    for (int i = 0; i < SRC_ROWS; ++i) {
        const int row = into_axis(h + i, data->pool.axes[1].in, i < PH, OVERHANGS && i > 0);
        const int off = row * (data->pool.src.h / UNIT) + col * (data->pool.src.w / UNIT);
        x[i] = load_one(src, off, row == h + i && col == w + j);
    }
}

// Adds the windows' elements in a plane of src.
#if CARRY_SAVED
// Bit by bit before the dot products, which take long: three words of a column become two of weights 1
// and 2, those of three columns four of weights 1, 2, 2 and 4.
ALWAYS_INLINE void reduce_plane(pooled_t *acc,
        SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, __global const unit_t *src, int h, int w)
{
    uint ones[ROWS][BYTE_WORDS][SRC_COLS], twos[ROWS][BYTE_WORDS][SRC_COLS];
#pragma unroll
    for (int j = 0; j < SRC_COLS; ++j) {
        bytes_t x[SRC_ROWS];
        load_column(x, data, src, h, w, j);
#pragma unroll
        for (int i = 0; i < ROWS * BYTE_WORDS; ++i) {
            const int r = i / BYTE_WORDS, k = i % BYTE_WORDS;
            const bytes_t *const y = x + r * SH;
            const uint column[] = {y[0].words[k], y[1].words[k], y[2].words[k]};
            ones[r][k][j] = sum_bits(column);
            twos[r][k][j] = carry_bits(column);
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS * COLS * BYTE_WORDS; ++i) {
        const int window = i / BYTE_WORDS, k = i % BYTE_WORDS;
        const int r = window / COLS, first = window % COLS * SW;
        int *const sums = acc[window].sums + 4 * k;
        add_word(sums, sum_bits(ones[r][k] + first), 1u);
        add_word(sums, carry_bits(ones[r][k] + first), 2u);
        add_word(sums, sum_bits(twos[r][k] + first), 2u);
        add_word(sums, carry_bits(twos[r][k] + first), 4u);
    }
}
#elif !WITH_WS
ALWAYS_INLINE void reduce_plane(pooled_t *acc,
        SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, __global const unit_t *src, int h, int w)
{
#pragma unroll
    for (int j = 0; j < SRC_COLS; ++j) {
        loaded_t x[SRC_ROWS];
        load_column(x, data, src, h, w, j);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
#if BYTE_SUMS
            const bytes_t *y = x + r * SH;
#else
            pooled_t y = x[r * SH];
            for (int k = 1; k < KH; ++k) y = pooled_join(y, x[r * SH + k]);
#endif
            for (int c = 0; c < COLS; ++c)
                if (j >= c * SW && j < c * SW + KW) ADD_COLUMN(acc[r * COLS + c], y);
        }
    }
}
#endif

#if WITH_WS
// In the order of taps, for the first of equal maxima is the winner: row by row of plane kd of the windows. The loop
// over rows is not unrolled, which leaves registers for more work-items.
ALWAYS_INLINE void find_winners(pooled_t *acc, SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data,
        __global const unit_t *src, int h, int w, int kd)
{
#pragma unroll 1
    for (int i = 0; i < SRC_ROWS; ++i) {
        loaded_t x[SRC_COLS];
        const int row = into_axis(h + i, data->pool.axes[1].in, PH > 0, OVERHANGS);
#pragma unroll
        for (int j = 0; j < SRC_COLS; ++j) {
            const int col = into_axis(w + j, data->pool.axes[2].in, j < PW, OVERHANGS && j > 0);
            x[j] = load_one(src, row * data->pool.src.h + col * data->pool.src.w, true);
        }
#pragma unroll
        for (int window = 0; window < ROWS * COLS; ++window) {
            const int kh = i - window / COLS * SH, first = window % COLS * SW;
            if (kh < 0 || kh >= KH) continue;
#pragma unroll
            for (int kw = 0; kw < KW; ++kw)
                take_winner(&acc[window], x[first + kw], (intv)((kd * KH + kh) * KW + kw));
        }
    }
}
#endif

// Elements that windows which begin at `start` of an axis have there.
static inline int count(SIZES_SPACE const ocl_pool_axis_t *axis, int start, int taps)
{
    return min(start + taps, axis->in) - max(start, 0);
}

// A window that begins at row h0 and column w0, where src is not aligned to vectors.
#if WITH_WS
#define TAKE_ONE(acc, value, tap) take_winner(&(acc), value, (intv)(tap))
typedef winners_t one_t;
#else
#define TAKE_ONE(acc, value, tap) ((acc) = pool_join(acc, value))
typedef floatv one_t;
#endif

static one_t reduce_one(SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, __global const SRC_T *src, taps_t kd,
        int h0, int w0)
{
#if WITH_WS
    one_t acc = first_winners(kd.begin, h0, (intv)(w0));
#else
    one_t acc = POOL_IDENTITY;
#endif
#pragma unroll 1
    for (int k = kd.begin; k < kd.end; ++k)
#pragma unroll 1
        for (int h = max(h0, 0); h < min(h0 + KH, data->pool.axes[1].in); ++h)
#pragma unroll 1
            for (int w = max(w0, 0); w < min(w0 + KW, data->pool.axes[2].in); ++w) {
                const int d = kd.start + k * data->pool.axes[0].jump;
                const int off = d * data->pool.src.d + h * data->pool.src.h + w * data->pool.src.w;
                TAKE_ONE(acc, SRC_LOADV(src, off), (k * KH + h - h0) * KW + w - w0);
            }
    return acc;
}

#if WITH_POST_OPS
#define CHAIN_PARAM const post_ops_t *po,
#define CHAIN_ARG &po,
#define CHAIN_ON po, // from one function to the next

static floatv apply_post_ops(const post_ops_t *po, SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, floatv x,
        const place_t *place, __global DST_T *dst, long off)
{
    const int at[5] = {place->n, place->c, place->d, place->h, place->w};
    long pos[MAX_NDIMS];
    pos[0] = place->n;
    for (int d = 2; d < 2 + data->pool.nspatial; ++d) pos[d] = at[d + 3 - data->pool.nspatial];
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC && place->c + i < data->pool.dst.channels; ++i) {
        pos[1] = place->c + i;
        values[i] = post_ops_apply(po, values[i], pos, dst, off + i);
    }
    return vloadv(values);
}
#else
#define CHAIN_PARAM
#define CHAIN_ARG
#define CHAIN_ON
#endif

// Elements of src in a window.
static inline int count_all(SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, place_t place)
{
    const int nrows = count(&data->pool.axes[1], place.h * SH - data->pool.axes[1].pad, KH);
    const int ncols = count(&data->pool.axes[2], place.w * SW - data->pool.axes[2].pad, KW);
    return nrows * ncols * (place.kd.end - place.kd.begin);
}

static inline long dst_at(SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, place_t place, long dst_off)
{
    return dst_off + (place.h * data->pool.dst.h + place.w * data->pool.dst.w);
}

// From the sum or maximum of the window at `place` to dst, whose element (n, c, d, 0, 0) lies at dst_off.
static inline void finish(CHAIN_PARAM SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, floatv x, place_t place,
        __global DST_T *dst, long dst_off)
{
#if ALG == POOL_AVG_INCLUDE
    x = pool_mean(x, data->pool.volume);
#elif ALG == POOL_AVG_EXCLUDE
    x = pool_mean(x, (float)count_all(data, place));
#endif
    const long off = dst_at(data, place, dst_off);
#if WITH_POST_OPS
    x = apply_post_ops(po, data, x, &place, dst, off);
#endif
    if (place.c + VEC > data->pool.dst.channels)
        x = select((floatv)0.0f, x, lanes + place.c < data->pool.dst.channels);
    DST_STOREV(dst, off, x);
}

#if WITH_WS
static inline void store_winner(SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, intv winner, place_t place,
        __global WS_T *ws)
{
    if (place.c + VEC > data->pool.dst.channels)
        winner = select((intv)(0), winner, lanes + place.c < data->pool.dst.channels);
    WS_STOREV(ws, place.h * data->pool.ws.h + place.w * data->pool.ws.w, to_floatv(winner));
}
#elif !BYTE_WORDS
static inline void finish_pooled(CHAIN_PARAM SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data,
        const pooled_t *x, place_t place, __global DST_T *dst, long dst_off)
{
    finish(CHAIN_ON data, *x, place, dst, dst_off);
}
#elif SRC_DT == DST_DT && !WITH_POST_OPS
// Word i of a vector.
static inline uint word_of(
        SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, const pooled_t *x, place_t place, int i)
{
#if BYTE_SUMS
    const float count = ALG == POOL_AVG_INCLUDE ? data->pool.volume : (float)count_all(data, place);
    return means_of(x->sums + 4 * i, 1.0f / count);
#else
    return max_of_pairs(x->even[i], x->odd[i]);
#endif
}

static inline void finish_pooled(SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, const pooled_t *x,
        place_t place, __global DST_T *dst, long dst_off)
{
    uint words[BYTE_WORDS];
#pragma unroll
    for (int i = 0; i < BYTE_WORDS; ++i) words[i] = word_of(data, x, place, i);
    if (place.c + VEC > data->pool.dst.channels) {
#pragma unroll
        for (int i = 0; i < BYTE_WORDS; ++i) {
            const int left = data->pool.dst.channels - place.c - 4 * i;
            if (left < 4) words[i] &= left > 0 ? (1u << (8 * left)) - 1u : 0u;
        }
    }
    __global DST_T *to = dst + dst_at(data, place, dst_off);
    if (IS_ALIGNED(to, words_t)) {
        *(__global words_t *)to = vload2(0, words);
        return;
    }
    for (int i = 0; i < VEC; ++i) to[i] = (DST_T)(words[i / 4] >> (8 * (i % 4)));
}
#else
static inline void finish_pooled(CHAIN_PARAM SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data,
        const pooled_t *x, place_t place, __global DST_T *dst, long dst_off)
{
    float values[VEC];
#pragma unroll
    for (int i = 0; i < VEC; ++i) values[i] = pooled_value(x, i);
    finish(CHAIN_ON data, vloadv(values), place, dst, dst_off);
}
#endif

// The work-item's window in row r and column c.
static inline place_t place_in(place_t first, int r, int c)
{
    place_t place = first;
    place.h += r;
    place.w += c;
    return place;
}

static inline bool is_there(SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, place_t place)
{
    return place.h < data->pool.axes[1].out && place.w < data->pool.axes[2].out;
}

static inline place_t place_of(SIZES_SPACE const ocl_pool_nhwc_tile_data_t *data, int index)
{
    place_t place;
    const int lane = split_digit(&index, &data->by_lanes);
    const int col = index & (TILE - 1), row = (int)((uint)index / TILE) & (TILE - 1);
    index = (int)((uint)index / (TILE * TILE));
    const int vec =
            ONE_RUN ? lane : split_digit(&index, &data->pool.by_vecs) * data->by_lanes.n + lane;
    place.w = (split_digit(&index, &data->pool.by_pieces) * TILE + col) * COLS;
    place.h = (split_digit(&index, &data->pool.by_bands) * TILE + row) * ROWS;
    place.d = HAS_DEPTH ? split_digit(&index, &data->pool.by_depth) : 0;
    place.block = ONE_RUN ? 0 : split_digit(&index, &data->pool.by_blocks);
    place.c = place.block * data->pool.dst.run + vec * VEC;
    place.n = index;
    place.kd = (taps_t){0, 0, 1};
    if (HAS_DEPTH) place.kd = taps_at(&data->pool.axes[0], place.d);
    return place;
}

__kernel void pool_nhwc_tile(SIZES(ocl_pool_nhwc_tile_data_t), __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, __global WS_T *ws,
        long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    SIZES_OF(ocl_pool_nhwc_tile_data_t, data);
    if ((int)get_global_id(0) >= data->pool.nitems) return;
    const place_t first = place_of(data, (int)get_global_id(0));
    if (first.w >= data->pool.axes[2].out || first.h >= data->pool.axes[1].out) return;
    const int h = first.h * SH - data->pool.axes[1].pad, w = first.w * SW - data->pool.axes[2].pad;
    const int c_of_run = first.c - first.block * data->pool.dst.run;
    int src_at = first.n * data->pool.src.n + first.block * data->pool.src.block + c_of_run;
    if (data->pool.src.run != data->pool.dst.run) src_at = channels_offset(&data->pool.src, first.n, first.c);
    src += src_off + src_at;
    dst_off += first.n * data->pool.dst.n + first.block * data->pool.dst.block + c_of_run
            + first.d * data->pool.dst.d;
#if WITH_WS
    ws += ws_off + channels_offset(&data->pool.ws, first.n, first.c) + first.d * data->pool.ws.d;
#endif
    if (!VECTORS_ARE_ALIGNED(src, data->pool.src.d | data->pool.src.h | data->pool.src.w)) {
#pragma unroll 1
        for (int i = 0; i < ROWS * COLS; ++i) {
            const int r = i / COLS, c = i % COLS;
            const place_t place = place_in(first, r, c);
            if (!is_there(data, place)) continue;
            const one_t x = reduce_one(data, src, first.kd, h + r * SH, w + c * SW);
#if WITH_WS
            finish(CHAIN_ARG data, x.x, place, dst, dst_off);
            store_winner(data, x.winner, place, ws);
#else
            finish(CHAIN_ARG data, x, place, dst, dst_off);
#endif
        }
        return;
    }
    pooled_t acc[ROWS * COLS];
#if WITH_WS
    for (int i = 0; i < ROWS * COLS; ++i) acc[i] = first_winners(first.kd.begin, h + i / COLS * SH, (intv)(w + i % COLS * SW));
#define REDUCE_PLANE(src, kd) find_winners(acc, data, (__global const unit_t *)(src), h, w, kd)
#else
    for (int i = 0; i < ROWS * COLS; ++i) acc[i] = pooled_none();
#define REDUCE_PLANE(src, kd) reduce_plane(acc, data, (__global const unit_t *)(src), h, w)
#endif
#if HAS_DEPTH
    for (int k = first.kd.begin; k < first.kd.end; ++k) {
        const int plane = first.kd.start + k * data->pool.axes[0].jump;
        REDUCE_PLANE(src + plane * data->pool.src.d, k);
    }
#else
    REDUCE_PLANE(src, 0);
#endif
#pragma unroll
    for (int i = 0; i < ROWS * COLS; ++i) {
        const place_t place = place_in(first, i / COLS, i % COLS);
        if (!is_there(data, place)) continue;
#if WITH_WS
        finish(CHAIN_ARG data, acc[i].x, place, dst, dst_off);
        store_winner(data, winners_inside(acc[i].winner, h + i / COLS * SH, w + i % COLS * SW), place, ws);
#else
        finish_pooled(CHAIN_ARG data, &acc[i], place, dst, dst_off);
#endif
    }
}
