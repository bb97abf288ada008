// SPDX-License-Identifier: Apache-2.0
// Tiles of a convolution as an implicit matrix product: which tile a work-group takes, where a work-item's TM × TN
// sums lie in it, and the epilogue, which stores the sums to dst or, with split-K, to partial sums.
//
//     __local float stages[LOCAL_ELEMS];  __local int pixel_offs[BN];   // both aligned to 16 bytes
//     const tile_t tile = tile_of(data, (int)get_group_id(0));
//     const seat_t seat = seat_of((int)get_local_id(0));
//     locate_tile(pixel_offs, data, &tile);
//     … sums over slices of K; a barrier
//     put_tile(&epilogue, data, &tile, sums, &seat, stages, pixel_offs, dst_off, partial);
//
// Needs BM, BN, TM, TN, NSLICES, UNROLL, LOCAL_ELEMS (at least BM·BN if NSLICES > 1), DST_CHANNELS_RUN,
// HAS_SHORT_EPILOGUE; ocl_conv_igemm.cl explains them.
#ifndef CLH_CONV_TILE_H
#define CLH_CONV_TILE_H

#include "clh/conv_igemm.h"
#include "clh/register_tile.h"

// How sums leave: rows of neighbours in dst, as many at a time as local memory holds.
#if DST_CHANNELS_RUN
#define NROWS BN
#define NCOLS BM
#define ITEM_ROWS TN
#define ITEM_COLS TM
#define SUM_AT(r, c) sums[c][r]
#define ROW_AT(seat, r) SEAT_N(seat, r)
#define COL_AT(seat, c) SEAT_M(seat, c)
#else
#define NROWS BM
#define NCOLS BN
#define ITEM_ROWS TM
#define ITEM_COLS TN
#define SUM_AT(r, c) sums[r][c]
#define ROW_AT(seat, r) SEAT_M(seat, r)
#define COL_AT(seat, c) SEAT_N(seat, c)
#endif
#define FOUR_AT(r, c) \
    (float4)(SUM_AT(r, c), SUM_AT(r, (c) + 1), SUM_AT(r, (c) + 2), SUM_AT(r, (c) + 3))
#define PITCH_OUT (NCOLS + 4)
#if NROWS * PITCH_OUT <= LOCAL_ELEMS
#define NPARTS 1
#elif NROWS / 2 * PITCH_OUT <= LOCAL_ELEMS
#define NPARTS 2
#else
#define NPARTS 4
#endif
#define PART_ROWS (NROWS / NPARTS)

// Whether sums are finished in the registers. Longer steps, compiled once for each sum, make the
// compiler give up unrolling, and then the sums are in memory.
#define IS_SHORT (HAS_SHORT_EPILOGUE && !HAS_QUANT && NSLICES == 1)

// Lays one part of the rows out in local memory, four neighbours of dst at a time.
static inline void lay_out(__local float *rows, float sums[TM][TN], const seat_t *seat, int part)
{
    if (seat->slice != 0) return;
#pragma unroll UNROLL
    for (int r = 0; r < ITEM_ROWS; ++r) {
        const int row = ROW_AT(seat, r) - part * PART_ROWS;
#pragma unroll UNROLL
        for (int c = 0; c < ITEM_COLS; c += 4) {
            if (row < 0 || row >= PART_ROWS) continue;
            *(__local float4 *)(rows + row * PITCH_OUT + COL_AT(seat, c)) = FOUR_AT(r, c);
        }
    }
}

typedef struct {
    int g, m, pixel; // group of channels, first channel in it, first pixel
} tile_t;

static inline tile_t tile_of(igemm_sizes_t data, int index)
{
    tile_t tile;
    tile.m = split(&index, data->ntiles_m) * BM;
    tile.pixel = split(&index, data->ntiles_n) * BN;
    tile.g = index;
    return tile;
}

// Behind the last pixel: nothing is stored. Groups that have no work take it, since some compilers for CPUs
// lose the sums of the others where a group returns before a barrier.
static inline tile_t no_tile(igemm_sizes_t data)
{
    tile_t tile = {0, 0, data->npixels};
    return tile;
}

// The slices of K, from s0 to before s1, that the group of split y sums for its tile. With PHASES a group beyond the
// phase's tiles or splits has none, and no tile.
static inline int2 slices_of(igemm_sizes_t data, int y, tile_t *tile)
{
    const int first = y * data->split_slices;
#if PHASES
    if (tile->g >= data->ngroups || y >= data->nsplits) {
        *tile = no_tile(data);
        return (int2)(first, 0);
    }
#endif
    return (int2)(first, min(first + data->split_slices, data->nslices));
}

// Finishes n ≤ 4 sums: of channels from c on of one pixel, or of pixels from `pixel` on of one channel, which lie at
// offs.s0 … s3 from `off`. Stores them at once where they are four neighbours and may be stored so (`may_run`).
static inline void put_quad(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        float4 sums, int c, int pixel, int n, long off, int4 offs, const bool may_run)
{
    float x[4];
    int at[4];
    vstore4(sums, 0, x);
    vstore4(offs, 0, at);
#pragma unroll UNROLL
    for (int e = 0; e < 4; ++e) {
        if (e < n)
            x[e] = finish(epilogue, data, x[e], DST_CHANNELS_RUN ? c + e : c,
                    DST_CHANNELS_RUN ? pixel : pixel + e, off + at[e]);
    }
    if (may_run && n == 4 && at[1] == at[0] + 1 && at[2] == at[0] + 2 && at[3] == at[0] + 3) {
        conv_store4(epilogue->dst, off + at[0], vload4(0, x));
        return;
    }
#pragma unroll UNROLL
    for (int e = 0; e < 4; ++e) {
        if (e < n) DST_STORE(epilogue->dst, off + at[e], x[e]);
    }
}

// n ≤ 4 neighbours in `partial`.
static inline void put_partial(__global float *partial, float4 sums, int n)
{
    if (n == 4 && ((ulong)partial & 15) == 0) {
        *(__global float4 *)partial = sums;
        return;
    }
    float x[4];
    vstore4(sums, 0, x);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        if (e < n) partial[e] = x[e];
    }
}

// Stores four neighbours of a row of the tile, from local position (row, column) on: partial sums,
// or finished ones if `may_finish`.
static inline void put_four(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        const tile_t *tile, float4 sums, int row, int column, __local const int *pixel_offs,
        long dst_off, __global float *partial, const bool may_finish)
{
    const int m = tile->m + (DST_CHANNELS_RUN ? column : row);
    const int pixel = tile->pixel + (DST_CHANNELS_RUN ? row : column);
    if (m >= data->geo.oc || pixel >= data->npixels) return;
    const int n = min(4, DST_CHANNELS_RUN ? data->geo.oc - m : data->npixels - pixel);
    const int c = tile->g * data->geo.oc + m;
    if (!may_finish || data->nsplits > 1) {
        put_partial(partial + (DST_CHANNELS_RUN ? (long)pixel * data->ngroups * data->geo.oc + c
                                                : (long)c * data->npixels + pixel),
                sums, n);
        return;
    }
    const int4 offs = DST_CHANNELS_RUN ? pixel_offs[row] + (int4)(0, 1, 2, 3)
                                       : *(__local const int4 *)(pixel_offs + column);
    put_quad(epilogue, data, sums, c, pixel, n,
            dst_off + tile->g * data->dst_g + m * data->geo.dst_c, offs, true);
}

#if IS_SHORT
#if DST_CHANNELS_RUN
// All sums straight from the registers, where the last steps are short.
static inline void put_sums(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        const tile_t *tile, float sums[TM][TN], const seat_t *seat, __local const int *pixel_offs,
        long dst_off, __global float *partial)
{
#pragma unroll UNROLL
    for (int r = 0; r < ITEM_ROWS; ++r) {
#pragma unroll UNROLL
        for (int c = 0; c < ITEM_COLS; c += 4)
            put_four(epilogue, data, tile, FOUR_AT(r, c), ROW_AT(seat, r), COL_AT(seat, c),
                    pixel_offs, dst_off, partial, true);
    }
}
#else
// Whether four pixels from a multiple of four on are neighbours wherever they go. All groups find the same.
static inline bool has_runs(igemm_sizes_t data, __global const float *partial)
{
    int inner = 1;
    bool is_dense = true;
#pragma unroll
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        is_dense = is_dense && (data->geo.out[s] == 1 || data->geo.dst_s[s] == inner);
        inner *= data->geo.out[s];
    }
    return inner % 4 == 0 && (data->nsplits > 1 ? ((ulong)partial & 15) == 0 : is_dense);
}

// Finishes the sums of four neighbouring pixels of channel c and stores them at off … off + 3.
static inline void put_run(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        float4 sums, int c, int pixel, long off)
{
    float4 x;
    x.s0 = finish(epilogue, data, sums.s0, c, pixel, off);
    x.s1 = finish(epilogue, data, sums.s1, c, pixel + 1, off + 1);
    x.s2 = finish(epilogue, data, sums.s2, c, pixel + 2, off + 2);
    x.s3 = finish(epilogue, data, sums.s3, c, pixel + 3, off + 3);
    conv_store4(epilogue->dst, off, x);
}

// All sums straight from the registers to rows of pixels, where these are runs of four. Others go by way of local
// memory: compiled here too, for each four of the sums, they would be more than half of the program.
static inline void put_runs(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        const tile_t *tile, float sums[TM][TN], const seat_t *seat, __local const int *pixel_offs,
        long dst_off, __global float *partial)
{
    const int m0 = tile->m + seat->m, c0 = tile->g * data->geo.oc + m0;
    const int nchannels = data->geo.oc - m0, step = (int)data->geo.dst_c;
    dst_off += tile->g * data->dst_g + (long)m0 * step;
#pragma unroll UNROLL
    for (int j = 0; j < TN; j += 4) {
        const int column = SEAT_N(seat, j), pixel = tile->pixel + column;
        if (pixel >= data->npixels) continue;
        const long off = dst_off + pixel_offs[column];
#pragma unroll UNROLL
        for (int i = 0; i < TM; ++i) {
            const int row = i / 4 * 16 + i % 4;
            if (row >= nchannels) continue;
            if (data->nsplits > 1)
                *(__global float4 *)(partial + (long)(c0 + row) * data->npixels + pixel) = FOUR_AT(i, j);
            else
                put_run(epilogue, data, FOUR_AT(i, j), c0 + row, pixel, off + row * step);
        }
    }
}
#endif
#endif

// All sums by way of local memory: the work-items share them, and the last steps are compiled once.
static inline void share_sums(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        const tile_t *tile, float sums[TM][TN], const seat_t *seat, __local float *rows,
        __local const int *pixel_offs, long dst_off, __global float *partial)
{
#pragma unroll 1
    for (int part = 0; part < NPARTS; ++part) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(rows, sums, seat, part);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int t = (int)get_local_id(0); t < PART_ROWS * (NCOLS / 4); t += NITEMS) {
            const int row = t / (NCOLS / 4), column = t % (NCOLS / 4) * 4;
            put_four(epilogue, data, tile,
        *(__local const float4 *)(rows + row * PITCH_OUT + column),
                    row + part * PART_ROWS, column, pixel_offs, dst_off, partial, true);
        }
    }
}

// Offsets in dst of the pixels of a tile; a barrier must follow.
static inline void locate_tile(
        __local int *pixel_offs, igemm_sizes_t data, const tile_t *tile)
{
    for (int j = (int)get_local_id(0); j < BN; j += NITEMS) {
        long pos[2 + NSPATIAL];
        pixel_offs[j] = locate(pos, data, min(tile->pixel + j, data->npixels - 1));
    }
}

// The epilogue of all sums of a group; `partial`: of its split.
static inline void put_tile(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        const tile_t *tile, float sums[TM][TN], const seat_t *seat, __local float *stages,
        __local const int *pixel_offs, long dst_off, __global float *partial)
{
#if IS_SHORT && DST_CHANNELS_RUN
    put_sums(epilogue, data, tile, sums, seat, pixel_offs, dst_off, partial);
#else
#if IS_SHORT
    if (has_runs(data, partial)) {
        put_runs(epilogue, data, tile, sums, seat, pixel_offs, dst_off, partial);
        return;
    }
#endif
    if (NSLICES > 1) gather_teams(sums, stages, seat, (int)get_local_id(0));
    share_sums(epilogue, data, tile, sums, seat, stages, pixel_offs, dst_off, partial);
#endif
}

#endif
