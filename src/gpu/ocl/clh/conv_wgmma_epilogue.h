// SPDX-License-Identifier: Apache-2.0
// Epilogue of ocl_conv_wgmma.cl: from the registers of the consumer work-items to dst. A work-item holds sums of two
// rows, r and r + 8 of its warp's 16, two adjacent ones in every 8 columns. Needs
// clh/conv_epilogue.h, clh/wgmma.h, clh/conv_wgmma.h, HAS_SHORT_EPILOGUE.
//
//     row_of(…)              where a row of a tile is stored
//     put_sums(…)            if IS_SHORT: straight from the registers, 16 bytes per work-item; if HAS_WORDS (pixels of
//                            dst, or the channels of a group, are no multiples of 16 bytes: !DST_CHUNKS) by local
//                            memory, a word
//                            else: clh/conv_wgmma_memory.h
//     ask_beside(…)          if PO_BESIDE_DST: asks the L2 cache for what a tile reads beside its sums
#ifndef CLH_CONV_WGMMA_EPILOGUE_H
#define CLH_CONV_WGMMA_EPILOGUE_H

#include "clh/beside.h"
#include "clh/prefetch_l2.h"
#include "clh/unpack.h"

// Whether sums are finished in the registers. Longer steps are compiled once, on sums in local
// memory.
#define IS_SHORT \
    (HAS_SHORT_EPILOGUE && !HAS_QUANT && (DST_DT == DT_F32 || DST_DT == DT_F16 || DST_DT == DT_BF16))
#define PITCH 68 // of a warp's 16 rows × 64 columns of sums there
// Of a warp's 16 rows × PART columns of finished words, and their offsets in dst.
#define HAS_WORDS (IS_SHORT && DST_DT != DT_F32 && !DST_CHUNKS)
#define PART (BN % 64 == 0 ? 64 : 32)
#define WORDS_PITCH 36
#define OWN_BYTES (!IS_SHORT ? 16 * PITCH * 4 : HAS_WORDS ? 16 * (WORDS_PITCH * 4 + 8) : 0)
#if RETARGET
#define UNROLL_ROWS 4
#else
#define UNROLL_ROWS 1
#endif

#if PO_BESIDE_DST && DST_DT == DT_F32
typedef float beside_t;
#else
typedef ushort beside_t;
#endif

// Offset of a pixel in dst, and its position but for the channel, where it is used.
static inline int locate(long *pos, __local const ocl_conv_wgmma_data_t *data, int pixel)
{
    int off = 0;
    const int missing = NSPATIAL - data->geo.nspatial;
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        const int at = split(&pixel, data->geo.out[s]);
        if (PO_NEEDS_POSITION && s >= missing) pos[2 + s - missing] = at;
        off += at * (int)data->geo.dst_s[s];
    }
    pos[0] = pixel;
    return off + pixel * (int)data->geo.dst_n;
}

// What a work-item knows of a row of its sums.
typedef struct {
    long pos[2 + NSPATIAL];
    __global DST_T *dst; // the row's channel 0 of the group
    long off;            // the same from the start of dst's memory
    bool is_inside;
    __global const beside_t *beside; // the same in what lies as dst does, if PO_BESIDE_DST
} row_t;

// By its offset. A row outside has a place that exists.
static inline void set_places(row_t *row, const conv_epilogue_t *epilogue, long dst_off)
{
    row->dst = epilogue->dst + row->off;
#if PO_BESIDE_DST == 1
    row->beside = (__global const beside_t *)epilogue->chain.ptrs[0] + epilogue->chain.offs[0] + (row->off - dst_off);
#else
    row->beside = (__global const beside_t *)row->dst;
#endif
}

#if MAPS
// `at`: the row in its box.
static inline row_t row_of(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, int3 at, long dst_off)
{
    __local const ocl_conv_boxes_t *boxes = &data->boxes;
    row_t r;
    const int3 pixel = corner_of(boxes, tile) + at;
#if PHASES
    __local const ocl_conv_phase_t *phase = tile_phase(data, tile);
    r.is_inside = pixel.s0 < phase->dst_size[0] && pixel.s1 < phase->dst_size[1] &&
                  pixel.s2 < boxes->dst_size[2];
    r.off = dst_off + phase->dst_off + tile_group(tile) * data->dst_g;
#else
    r.is_inside = pixel.s0 < boxes->dst_size[0] && pixel.s1 < boxes->dst_size[1] &&
                  pixel.s2 < boxes->dst_size[2];
    r.off = dst_off + tile_group(tile) * data->dst_g;
#endif
    if (r.is_inside)
        r.off += pixel.s0 * boxes->dst_s[0] + pixel.s1 * boxes->dst_s[1] +
                 pixel.s2 * boxes->dst_s[2];
    if (PO_NEEDS_POSITION && r.is_inside)
        (void)locate(r.pos, data,
                (pixel.s2 * boxes->dst_size[1] + pixel.s1) * boxes->dst_size[0] + pixel.s0);
    set_places(&r, epilogue, dst_off);
    return r;
}
#define ROW_PLACE(row) row_in_box(&data->boxes, row)
#define PLACE_T int3
#else
static inline row_t row_of(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, int at, long dst_off)
{
    row_t r;
    const int pixel = tile->digits[1] * BM + at;
    r.is_inside = pixel < data->npixels;
    r.off = dst_off + tile_group(tile) * data->dst_g +
            locate(r.pos, data, min(pixel, data->npixels - 1));
    set_places(&r, epilogue, dst_off);
    return r;
}
#define ROW_PLACE(row) (row)
#define PLACE_T int
#endif

#if REAL_WIDTH == 1
// Channel c of the group; those behind the last are finished like it, and not stored.
static inline float finish_biased(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, float x, float bias, float given, const row_t *row, int c)
{
    long pos[2 + NSPATIAL];
    if (PO_NEEDS_POSITION) {
        for (int d = 0; d < 2 + NSPATIAL; ++d) pos[d] = row->pos[d];
    }
    c = min(c, data->geo.oc - 1);
    pos[1] = tile_group(tile) * data->geo.oc + c;
    return conv_finish_biased(epilogue, x, bias, given, pos, row->off + c);
}

static inline float bias_of(const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, int c)
{
    return conv_bias(epilogue, tile_group(tile) * data->geo.oc + min(c, data->geo.oc - 1));
}

// The operand's element beside channel c of a row.
static inline float beside_at(const row_t *row, int c, int oc)
{
#if PO_BESIDE_DST
    return load_any(row->beside, min(c, oc - 1), PO_BESIDE_DT);
#else
    return 0.0f;
#endif
}

static inline float finish(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, float x, const row_t *row, int c)
{
    return finish_biased(epilogue, data, tile, x, bias_of(epilogue, data, tile, c), beside_at(row, c, data->geo.oc),
            row, c);
}

#endif

// Each four neighbouring work-items have two rows, and a line of each.
ALWAYS_INLINE void ask_beside(const row_t *rows, __local const ocl_conv_wgmma_data_t *data, const tile_t *tile,
        int lane)
{
    const int line = 128 / (int)sizeof(beside_t);
#pragma unroll
    for (int c = lane % 4 * line; c < BN; c += 4 * line) {
        if (tile_channel(tile) + c >= data->geo.oc) return;
        if (rows[0].is_inside) prefetch_l2(rows[0].beside + tile_channel(tile) + c);
        if (rows[1].is_inside) prefetch_l2(rows[1].beside + tile_channel(tile) + c);
    }
}

#if IS_SHORT

#if DST_DT == DT_F32

ALWAYS_INLINE void put_sums(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, const float *d, const row_t *rows, int lane, __local uint4 *lanes)
{
    (void)lanes;
#pragma unroll
    for (int i = 0; i < BN / 2; i += 2) {
        const row_t *row = &rows[i / 2 % 2];
        const int c = tile_channel(tile) + i / 4 * 8 + lane % 4 * 2;
        const float2 x = (float2)(finish(epilogue, data, tile, d[i], row, c),
                finish(epilogue, data, tile, d[i + 1], row, c + 1));
        __global float *to = row->dst + c;
        if (!row->is_inside || c >= data->geo.oc) continue;
        if (c + 2 <= data->geo.oc && ((ulong)to & 7) == 0) {
            *(__global float2 *)to = x;
            continue;
        }
        to[0] = x.s0;
        if (c + 1 < data->geo.oc) to[1] = x.s1;
    }
}

#elif DST_CHUNKS

// Channels c … c + 7 of a row, of which all or none exist.
ALWAYS_INLINE void put_eight(const row_t *row, int c, int oc, uint4 x)
{
    __global ushort *to = (__global ushort *)row->dst + c;
    const bool is_there = row->is_inside && c < oc, is_aligned = ((ulong)row->dst & 15) == 0;
    if (is_there && is_aligned) *(__global uint4 *)to = x;
    if (!is_there || is_aligned) return;
    // One by one, by a shift of all: unrolled, for each block of the tile, it would be most of the program.
#pragma unroll 1
    for (int e = 0; e < 8; ++e) {
        to[e] = (ushort)x.s0;
        x = (uint4)(x.s0 >> 16 | x.s1 << 16, x.s1 >> 16 | x.s2 << 16, x.s2 >> 16 | x.s3 << 16, x.s3 >> 16);
    }
}

// What the four blocks of a round read beside its sums, AHEAD rounds early: behind a store, loads would wait for the
// memory in each round. The sums of the widest tiles leave registers for one round, and of that for what comes from
// further away than the first cache; narrow tiles are several to a compute unit.
#define AHEAD (BN == 128 ? 2 : 1)
typedef struct {
    float bias[8];
    uint4 beside[2];
} ahead_t;

ALWAYS_INLINE void load_bias(ahead_t *to, const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, int c)
{
#pragma unroll
    for (int i = 0; i < 8; ++i) to->bias[i] = bias_of(epilogue, data, tile, c + i / 2 * 8 + i % 2);
}

ALWAYS_INLINE ahead_t look_ahead(const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, const row_t *rows, int c, int lane)
{
    ahead_t ahead;
#if PO_BESIDE_DST
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const int first = c + lane % 4 * 8;
        ahead.beside[r] = beside_eight(rows[r].beside + first, data->geo.oc - first);
    }
#else
    load_bias(&ahead, epilogue, data, tile, c + lane % 4 * 2);
#endif
    return ahead;
}

ALWAYS_INLINE void put_sums(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, const float *d, const row_t *rows, int lane, __local uint4 *lanes)
{
    ahead_t next[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k)
        next[k] = look_ahead(epilogue, data, tile, rows, tile_channel(tile) + k * 32, lane);
#pragma unroll
    for (int block = 0; block < BN / 8; block += 4) {
        const int first = tile_channel(tile) + block * 8, k = block / 4 % AHEAD;
        if (RETARGET && first >= data->geo.oc) continue; // of the whole group
        ahead_t now = next[k];
        if (block + 4 * AHEAD < BN / 8) next[k] = look_ahead(epilogue, data, tile, rows, first + AHEAD * 32, lane);
        if (PO_BESIDE_DST) load_bias(&now, epilogue, data, tile, first + lane % 4 * 2);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            uint x[4], y[4] = {0};
#if PO_BESIDE_DST
            const uint4 beside = wgmma_transpose(now.beside[r], lane, lanes);
            UNPACK4(beside, y);
#endif
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                const int c = first + b * 8 + lane % 4 * 2, i = (block + b) * 4 + r * 2;
                x[b] = short_pair(
                        finish_biased(epilogue, data, tile, d[i], now.bias[b * 2], beside_half(y[b], 0), &rows[r], c),
                        finish_biased(epilogue, data, tile, d[i + 1], now.bias[b * 2 + 1], beside_half(y[b], 1),
                                &rows[r], c + 1),
                        DST_DT == DT_BF16);
            }
            put_eight(&rows[r], first + lane % 4 * 8, data->geo.oc,
                    wgmma_transpose((uint4)(x[0], x[1], x[2], x[3]), lane, lanes));
        }
    }
}

#else

// Two elements that stand at a word, of which `n` exist.
ALWAYS_INLINE void put_word(__global ushort *to, uint x, int n)
{
    if (n >= 2)
        *(__global uint *)to = x;
    else if (n == 1)
        *to = (ushort)x;
}

// Columns c … c + PART − 1 of a warp's rows, which lie in `own`: a row at a time, a word per work-item. Rows that start
// between two words are shifted by one element.
ALWAYS_INLINE void put_part(
        __global ushort *dst, __local const uint *own, __local const long *offs, int c, int n, int lane)
{
#pragma unroll UNROLL_ROWS
    for (int r = 0; r < 16; ++r) {
        if (offs[r] < 0) continue;
        __global ushort *const to = dst + offs[r] + c;
        __local const uint *const from = own + r * WORDS_PITCH + lane;
        const int is_odd = (ulong)to / 2 & 1;
        if (lane < PART / 2)
            put_word(to + lane * 2 + is_odd, is_odd ? from[0] >> 16 | from[1] << 16 : from[0],
                    n - lane * 2 - is_odd);
        if (is_odd && lane == 0 && n > 0) *to = (ushort)from[0];
    }
}

// By way of OWN_BYTES of local memory of the warp: so that neighbouring work-items store neighbours, whole
// sectors of the cache, wherever rows start.
ALWAYS_INLINE void put_sums(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, const float *d, const row_t *rows, int lane, __local uint4 *memory)
{
    __local uint *const own = (__local uint *)memory;
    const int first = tile_channel(tile), noutputs = min(data->geo.oc - first, BN);
    __local long *const offs = (__local long *)(own + 16 * WORDS_PITCH);
#pragma unroll
    for (int part = 0; part < BN / PART; ++part) {
        if (RETARGET && part * PART >= noutputs) continue; // of the whole group
        wgmma_warps_barrier();
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            if (lane % 4 == 0) offs[lane / 4 + r * 8] = rows[r].is_inside ? rows[r].off + first : -1;
#pragma unroll
            for (int block = 0; block < PART / 8; ++block) {
                const int i = (part * (PART / 8) + block) * 4 + r * 2;
                const int c = first + part * PART + block * 8 + lane % 4 * 2;
                own[(lane / 4 + r * 8) * WORDS_PITCH + block * 4 + lane % 4] =
                        short_pair(finish(epilogue, data, tile, d[i], &rows[r], c),
                                finish(epilogue, data, tile, d[i + 1], &rows[r], c + 1),
                                DST_DT == DT_BF16);
            }
        }
        wgmma_warps_barrier();
        put_part((__global ushort *)epilogue->dst, own, offs, part * PART,
                min(noutputs - part * PART, PART), lane);
    }
}

#endif

#endif

#endif
