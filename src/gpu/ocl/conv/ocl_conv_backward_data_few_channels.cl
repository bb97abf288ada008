// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution by src for few channels of src (a network's first layer, or the last one of a
// decoder), limited by f32 arithmetic. A work-item computes all IC channels of BH blocks of SH × SW pixels of diff_src,
// one block below the other: a block has each phase of the strides once, so that all work-items meet the same taps. A
// work-group computes LX blocks × LY·BH blocks; it brings OCC channels of diff_dst and of the weights to local memory at
// a time, converted to f32. Each weight, read as the same address by all, is multiplied BH times.
//
//   data                     sizes and strides
//   diff_dst, diff_dst_off   [N, OC, OH, OW] by strides, DIFF_DST_T
//   wei, wei_off             [OC, IC, KH, KW] by strides, WEI_T
//   bia, bia_off             [IC], BIA_T, added to diff_src; read if HAS_BIAS
//   diff_src, diff_src_off   [N, IC, H, W] by strides, DIFF_SRC_T
// Grid: one work-group of LX·LY work-items for each image, data->tiles_h and data->tiles_w.
// Local memory: 4·OCC·(TILE + 4·NFOURS) bytes.
// Numerics: f32 fma, channel by channel of diff_dst, within it tap by tap.
// -D: DIFF_DST, WEI, DIFF_SRC, BIA, HAS_BIAS, IC, KH, KW, SH, SW, FH, FW (padding modulo strides; all these say which registers a tap
// meets, so they are constants), BH, LX, LY, OCC, CHANNELS_RUN, VEC (channels of diff_dst that are loaded together,
// a divisor of OCC; above 1 only with CHANNELS_RUN, and channels and strides of diff_dst are multiples of it).
#if !defined(DIFF_DST_DT) || !defined(WEI_DT) || !defined(DIFF_SRC_DT) || !defined(BIA_DT) || !defined(HAS_BIAS)
#error "ocl_conv_backward_data_few_channels needs DIFF_DST, WEI, DIFF_SRC, BIA, HAS_BIAS"
#endif
#if !defined(IC) || !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(FH) || !defined(FW)
#error "ocl_conv_backward_data_few_channels lacks a size of the problem"
#endif
#if !defined(BH) || !defined(LX) || !defined(LY) || !defined(OCC) || !defined(CHANNELS_RUN) || !defined(VEC)
#error "ocl_conv_backward_data_few_channels lacks a size of the tile"
#endif
#if BH * SH * SW * IC > 128 || FH >= SH || FW >= SW || OCC % VEC || (VEC > 1 && !CHANNELS_RUN)
#error "ocl_conv_backward_data_few_channels: sizes do not suit"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/shared/conv_backward_data_few_channels_data.h"
#include "clh/vec.h"

// Row y of diff_dst meets row y·S + kh − pad of diff_src. Block b has rows b·S + p, p < S, so y = b + pad / S + d where
// d = (p + F − kh) / S is whole. BEFORE: the smallest d, negated; AFTER: the largest.
#define BEFORE(k, s, f) (((k) - 1 - (f) + (s)) / (s) - 1)
#define AFTER(s, f) (((s) - 1 + (f)) / (s))
#define PHASE(tap, s, f) (((tap) + (s) - (f)) % (s))
#define PLACE(tap, k, s, f) ((PHASE(tap, s, f) + (f) - (tap)) / (s) + BEFORE(k, s, f))

#define ROWS (BH + BEFORE(KH, SH, FH) + AFTER(SH, FH)) // of diff_dst that a work-item's blocks meet
#define COLUMNS (1 + BEFORE(KW, SW, FW) + AFTER(SW, FW))
#define TILE_ROWS (LY * BH + ROWS - BH) // that a work-group's blocks meet
#define TILE_COLUMNS (LX + COLUMNS - 1)
#define ITEMS (LX * LY)
#define NWEIGHTS (KH * KW * IC) // of a channel of diff_dst
#define NFOURS ((NWEIGHTS + 3) / 4)

// Rows of the tile in local memory; blocks of BH rows are so far apart that work-items of neighbouring blocks read
// different ones of 32 banks.
#define SKEW (LX >= 32 ? 0 : (LX + 32 * BH - BH * TILE_COLUMNS % 32) % 32)
#define ROW_AT(row) ((row) * TILE_COLUMNS + (row) / BH * SKEW)
#define TILE (ROW_AT(TILE_ROWS - 1) + TILE_COLUMNS)

typedef __constant const ocl_conv_backward_data_few_channels_data_t *data_t;

// A work-group's tile: image, first block, and the first row and column of diff_dst that it meets.
typedef struct {
    int n, block_h, block_w, h, w;
} place_t;

static inline place_t place_of(data_t data, int group)
{
    place_t place;
    place.block_w = split_digit(&group, &data->tiles_w) * LX;
    place.block_h = split_digit(&group, &data->tiles_h) * (LY * BH);
    place.n = group;
    place.h = place.block_h + data->pad_h / SH - BEFORE(KH, SH, FH);
    place.w = place.block_w + data->pad_w / SW - BEFORE(KW, SW, FW);
    return place;
}

static inline floatv load_diff(__global const DIFF_DST_T *p, bool is_aligned)
{
    return is_aligned ? VEC_FORM(DIFF_DST, LOAD)(AS_ALIGNED(DIFF_DST_T, VEC, p), 0) : VEC_FORM(DIFF_DST, LOAD)(p, 0);
}

// Channels c0 … c0 + OCC − 1 of diff_dst to `tile`, zeros outside of images; what is behind the last channel is not
// used. All loads are unconditional, so that several are in flight.
ALWAYS_INLINE void fetch_tile(
        __local float *tile, data_t data, const place_t *place, __global const DIFF_DST_T *diff_dst, int c0, int item)
{
    const bool is_aligned = VEC == 1 || ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0);
#pragma unroll 4
    for (int i = item; i < OCC / VEC * TILE_ROWS * TILE_COLUMNS; i += ITEMS) {
        const int column = i % TILE_COLUMNS, row = i / TILE_COLUMNS % TILE_ROWS, v = i / (TILE_COLUMNS * TILE_ROWS);
        const int c = min(c0 + v * VEC, data->oc - VEC);
        const int h = clamp(place->h + row, 0, data->out_h - 1), w = clamp(place->w + column, 0, data->out_w - 1);
        const bool is_inside = h == place->h + row && w == place->w + column;
        const floatv loaded = load_diff(
                diff_dst + (c * (int)data->dst_c + h * (int)data->dst_h + w * (int)data->dst_w), is_aligned);
        float x[VEC];
        vstorev(loaded, x);
        __local float *const to = tile + v * VEC * TILE + ROW_AT(row) + column;
#pragma unroll
        for (int e = 0; e < VEC; ++e) to[e * TILE] = is_inside ? x[e] : 0.0f;
    }
}

// The weights of these channels, [OCC][KH][KW][IC].
ALWAYS_INLINE void fetch_weights(__local float *weights, data_t data, __global const WEI_T *wei, int c0, int item)
{
#pragma unroll 4
    for (int i = item; i < OCC * NFOURS * 4; i += ITEMS) {
        const int at = min(i % (NFOURS * 4), NWEIGHTS - 1), c = min(c0 + i / (NFOURS * 4), data->oc - 1);
        const int channel = at % IC, kw = at / IC % KW, kh = at / (IC * KW);
        weights[i] = WEI_LOAD(wei, c * data->wei_o + channel * data->wei_i + kh * data->wei_h + kw * data->wei_w);
    }
}

// One channel of diff_dst.
static inline void add_channel(
        float sums[BH][SH][SW][IC], __local const float *tile, __local const float4 *weights)
{
    float x[ROWS][COLUMNS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
#pragma unroll
        for (int column = 0; column < COLUMNS; ++column) x[row][column] = tile[ROW_AT(row) + column];
    }
#pragma unroll
    for (int four = 0; four < NFOURS; ++four) {
        float w[4];
        vstore4(weights[four], 0, w);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int at = four * 4 + e, channel = at % IC, kw = at / IC % KW, kh = at / (IC * KW);
            if (at >= NWEIGHTS) continue;
#pragma unroll
            for (int b = 0; b < BH; ++b) {
                float *const sum = &sums[b][PHASE(kh, SH, FH)][PHASE(kw, SW, FW)][channel];
                *sum = fma(x[b + PLACE(kh, KH, SH, FH)][PLACE(kw, KW, SW, FW)], w[e], *sum);
            }
        }
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_backward_data_few_channels(data_t data,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const WEI_T *wei, long wei_off,
        __global const BIA_T *bia, long bia_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    __local float tile[OCC * TILE];
    __local float4 weights[OCC * NFOURS];
    const int item = (int)get_local_id(0), x = item % LX, y = item / LX;
    const place_t place = place_of(data, (int)get_group_id(0));
    float sums[BH][SH][SW][IC];
#pragma unroll
    for (int i = 0; i < BH * SH * SW * IC; ++i) sums[i / (SH * SW * IC)][i / (SW * IC) % SH][i / IC % SW][i % IC] = 0.0f;
    for (int c0 = 0; c0 < data->oc; c0 += OCC) {
        fetch_tile(tile, data, &place, diff_dst + diff_dst_off + place.n * data->dst_n, c0, item);
        fetch_weights((__local float *)weights, data, wei + wei_off, c0, item);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int c = 0; c < min(OCC, data->oc - c0); ++c)
            add_channel(sums, tile + c * TILE + ROW_AT(y * BH) + x, weights + c * NFOURS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    diff_src += diff_src_off + place.n * data->src_n;
    float added[IC];
#pragma unroll
    for (int c = 0; c < IC; ++c) added[c] = HAS_BIAS ? BIA_LOAD(bia, bia_off + c) : 0.0f;
#pragma unroll
    for (int i = 0; i < BH * SH * SW * IC; ++i) {
        const int b = i / (SH * SW * IC), p = i / (SW * IC) % SH, q = i / IC % SW, c = i % IC;
        const int h = (place.block_h + y * BH + b) * SH + p, w = (place.block_w + x) * SW + q;
        if (h >= data->in_h || w >= data->in_w) continue;
        DIFF_SRC_STORE(diff_src, c * data->src_c + h * data->src_h + w * data->src_w, sums[b][p][q][c] + added[c]);
    }
}
