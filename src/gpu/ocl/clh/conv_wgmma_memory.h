// SPDX-License-Identifier: Apache-2.0
// The epilogue of clh/conv_wgmma_epilogue.h where post-ops are not short: sums go 64 columns at a time through 16·PITCH
// floats of local memory of a warp, where four neighbouring channels of a row are finished at once.
//
//     put_sums_by_memory(…)   has_sums: the warp's are stored to dst
//
// REAL_WIDTH=4: a chain is for vectors of four channels (PO_STEPS = 1 of clh/post_ops.h; without HAS_QUANT and PHASES).
// Needs clh/conv_wgmma_epilogue.h and, for vectors, clh/load_reals.h.
#ifndef CLH_CONV_WGMMA_MEMORY_H
#define CLH_CONV_WGMMA_MEMORY_H

#include "clh/row_words.h"

#if REAL_WIDTH > 1
// Channels c … c + count − 1 of the group, with their bias; behind them anything. `is_aligned`, a constant: all vectors of
// dst, bias and operands are whole and lie at multiples of their size.
ALWAYS_INLINE float4 finish_four(const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, float4 x, const row_t *row, int c, int count, const bool is_aligned)
{
    conv_epilogue_t own = *epilogue;
    long pos[2 + NSPATIAL];
    for (int d = 0; PO_NEEDS_POSITION && d < 2 + NSPATIAL; ++d) pos[d] = row->pos[d];
    pos[1] = tile_group(tile) * data->geo.oc + c;
    own.chain.count = count;
    own.chain.is_aligned = is_aligned;
    float4 bias = 0.0f;
#if HAS_BIAS
    bias = is_aligned ? load_reals(own.bia, pos[1], BIA_DT) : load_reals_part(own.bia, pos[1], 1, count, BIA_DT);
#endif
    return conv_finish_biased(&own, x, bias, 0.0f, pos, row->off + c);
}

// Whether finish_four() may take all vectors as aligned; `dst_off`: where dst starts.
ALWAYS_INLINE bool fours_are_aligned(const conv_epilogue_t *epilogue, long dst_off)
{
    bool are = DST_CHUNKS && ((ulong)(epilogue->dst + dst_off) & (4 * sizeof(DST_T) - 1)) == 0;
#if HAS_BIAS
    are = are && ((ulong)epilogue->bia & (4 * sizeof(BIA_T) - 1)) == 0;
#endif
    return are && post_ops_are_aligned(&epilogue->chain);
}
#endif

#if !IS_SHORT

#if REAL_WIDTH == 1

// Finishes and stores 64 columns of a warp's rows, from local memory, four neighbours at a time.
static inline void put_columns(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, __local const float *own, int row_first, int column, int lane,
        long dst_off)
{
#pragma unroll 1
    for (int p = lane; p < 16 * 16; p += 32) {
        const row_t row = row_of(epilogue, data, tile, ROW_PLACE(row_first + p / 16), dst_off);
        const int c = tile_channel(tile) + column + p % 16 * 4;
        if (!row.is_inside || c >= data->geo.oc) continue;
        float x[4];
#pragma unroll 1
        for (int e = 0; e < 4; ++e)
            x[e] = finish(epilogue, data, tile, own[p / 16 * PITCH + p % 16 * 4 + e], &row, c + e);
        if (c + 4 <= data->geo.oc) {
            conv_store4(epilogue->dst, row.off + c, vload4(0, x));
            continue;
        }
        for (int e = 0; c + e < data->geo.oc; ++e) DST_STORE(epilogue->dst, row.off + c + e, x[e]);
    }
}

#else

#define FOURS_AT_ONCE (RETARGET ? 4 : 1) // all loads before the first store

// What is known of a row, behind its sums: image, or −1 if it is outside; pixel, of three dimensions depth and height in
// one; offset in dst.
ALWAYS_INLINE void keep_row(__local float *own, const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data, const tile_t *tile, int row_first, int lane, long dst_off)
{
    if (lane >= 16) return;
    const row_t row = row_of(epilogue, data, tile, ROW_PLACE(row_first + lane), dst_off);
    const bool is_volume = data->geo.nspatial == 3, is_there = PO_NEEDS_POSITION && row.is_inside;
    const int x = is_there ? (int)row.pos[2] : 0, y = is_there && data->geo.nspatial > 1 ? (int)row.pos[3] : 0;
    __local int *const to = (__local int *)(own + lane * PITCH + 64);
    to[0] = !row.is_inside ? -1 : is_there ? (int)row.pos[0] : 0;
    to[1] = is_volume ? x * data->geo.out[NSPATIAL - 2] + y : x;
    to[2] = is_volume ? (is_there ? (int)row.pos[4] : 0) : y;
    to[3] = row.is_inside ? (int)(row.off - dst_off - tile_group(tile) * data->dst_g) : 0;
}

// One outside has the place of the first pixel.
ALWAYS_INLINE void kept_row(row_t *row, __local const float *own, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, int r, long dst_off)
{
    __local const int *const from = (__local const int *)(own + r * PITCH + 64);
    row->is_inside = from[0] >= 0;
    row->off = dst_off + tile_group(tile) * data->dst_g + from[3];
#if PO_NEEDS_POSITION
    const bool is_volume = data->geo.nspatial == 3;
    const int high = data->geo.out[NSPATIAL - 2], x = from[1], depth = is_volume ? x / high : x;
    row->pos[0] = max(from[0], 0);
    row->pos[2] = depth;
    row->pos[3] = is_volume ? x - depth * high : from[2];
    row->pos[4] = is_volume ? from[2] : 0;
#endif
}

// Finishes 64 columns of a warp's rows, four neighbours at a time, and stores them; unless `is_aligned` they take the
// place of the sums.
ALWAYS_INLINE void put_fours(const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, __local float *own, int column, int lane, long dst_off, const bool is_aligned)
{
    const int c = tile_channel(tile) + column + lane % 16 * 4, count = is_aligned ? 4 : min(data->geo.oc - c, 4);
    if (c >= data->geo.oc) return;
#pragma unroll 1
    for (int r = lane / 16; r < 16; r += 2 * FOURS_AT_ONCE) {
        float4 x[FOURS_AT_ONCE];
        row_t rows[FOURS_AT_ONCE];
#pragma unroll
        for (int n = 0; n < FOURS_AT_ONCE; ++n) {
            kept_row(&rows[n], own, data, tile, r + 2 * n, dst_off);
            const float4 sums = *(__local const float4 *)(own + (r + 2 * n) * PITCH + lane % 16 * 4);
            x[n] = finish_four(epilogue, data, tile, sums, &rows[n], c, count, is_aligned);
        }
#pragma unroll
        for (int n = 0; n < FOURS_AT_ONCE; ++n) {
            if (!is_aligned)
                *(__local float4 *)(own + (r + 2 * n) * PITCH + lane % 16 * 4) = x[n];
            else if (rows[n].is_inside)
                conv_store4(epilogue->dst, rows[n].off + c, x[n]);
        }
    }
}

// The finished values of 64 columns.
ALWAYS_INLINE void put_row_parts(const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, __local const float *own, int column, int lane, long dst_off)
{
    const int c = tile_channel(tile) + column;
#pragma unroll 1
    for (int r = 0; r < 16; ++r) {
        row_t row;
        kept_row(&row, own, data, tile, r, dst_off);
        if (!row.is_inside) continue;
        put_row_words(own + r * PITCH, (__global uchar *)(epilogue->dst + row.off + c), 0, min(data->geo.oc - c, 64), 64,
                DST_DT, lane, 32);
    }
}

#endif

ALWAYS_INLINE void put_sums_by_memory(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, const float *d, __local float *own, int row_first, bool has_sums,
        int lane, long dst_off)
{
#if REAL_WIDTH > 1
    const bool are_aligned = fours_are_aligned(epilogue, dst_off);
    wgmma_warps_barrier();
    keep_row(own, epilogue, data, tile, row_first, lane, dst_off);
#endif
#pragma unroll
    for (int part = 0; part < BN / 64; ++part) {
        wgmma_warps_barrier();
#pragma unroll
        for (int i = 0; i < 32; ++i)
            own[(lane / 4 + (i & 2 ? 8 : 0)) * PITCH + i / 4 * 8 + lane % 4 * 2 + (i & 1)] =
                    d[part * 32 + i];
        wgmma_warps_barrier();
#if REAL_WIDTH > 1
        if (has_sums && are_aligned) put_fours(epilogue, data, tile, own, part * 64, lane, dst_off, true);
        if (has_sums && !are_aligned) put_fours(epilogue, data, tile, own, part * 64, lane, dst_off, false);
        wgmma_warps_barrier();
        if (has_sums && !are_aligned) put_row_parts(epilogue, data, tile, own, part * 64, lane, dst_off);
#else
        if (has_sums) put_columns(epilogue, data, tile, own, row_first, part * 64, lane, dst_off);
#endif
    }
}

#endif

#endif
