// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias of f16 and bf16, NHWC, by WGMMA: OC × pixels times pixels × columns,
// where a column is an input channel under a tap. K are the pixels: both operands lie across it, as channels of a pixel
// are contiguous. A slice of K is a box of pixels, which tensor maps (TMA) copy to a ring of STAGES stages
// (clh/conv_weights_boxes.h); consumer warps multiply tiles of 64·BLOCKS_M channels × 64·BLOCKS_N columns. A block of 64
// columns lies under one tap.
//
// The boxes are split over work-groups (y): partial sums go to the scratchpad and are added in a fixed order, by the same
// groups (clh/split_team.h) or by a second kernel, conv_backward_weights_wgmma_sum, with the same bits. The groups of the
// first column of tiles sum the bias beside it.
//
//   sizes          an ocl_conv_backward_weights_boxes_t
//   src, src_off   [N, in…, G·IC] by strides, SRC_T; strides multiples of 8 elements
//   dst, dst_off   diff_dst, [N, out…, G·OC] by strides, DST_T, the type of src; strides multiples of 8
//                  (tensors that are not so are copied first, channels padded: ocl_conv_pack_chunks.cl)
//   wei, wei_off   diff_weights by strides, WEI_T; written if there are no splits
//   bia, bia_off   diff_bias [G·OC], BIA_T; if HAS_BIAS
//   partial, partial_off   f32, [split][npartial]: [tile][BN/8][consumer][4], then [G][OC, whole fours] if HAS_BIAS; written if there
//                  are splits
//   maps, maps_off bytes: 256 for each group, and 127 more
//   slots, slots_off, max_polls, ticket   those of clh/split_team.h, [tile][split] slots; ticket 0: groups do not add
// Starts need not be aligned; unaligned elements are copied one by one.
// Grid: x = G · tiles of channels · tiles of columns, y = splits, in work-groups of 128·GROUPS_M·GROUPS_N + 32 work-items;
//   conv_backward_weights_wgmma_sum: x = the same tiles, y = shares of a tile, in work-groups of 128·GROUPS_M·GROUPS_N.
// Local memory: STAGES·128·WGMMA_BLOCK_STEPS·(BLOCKS_M + BLOCKS_N) and 1 to 3 KiB.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own) over the pixels of a
//   split; splits are added in a fixed order. A copy that times out gives NaN.
// -D: SRC, DST, WEI, BIA, HAS_BIAS; GROUPS_M × GROUPS_N warp groups, of 64 channels × BN columns each;
//   WGMMA_BLOCK_STEPS: pixels of a stage, a multiple of 16; STAGES; PARTS: chains in which splits are added;
//   AT_ONCE: their splits whose sums are loaded together; PACKED_SRC, PACKED_DST: the tensor is such a copy; those of clh/split_team.h; those of clh/wgmma.h with
//   -DSRC_ALONG_K=0 and -DWEI_ALONG_K=0.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DSRC_ALONG_K=0 -DWEI_ALONG_K=0 -DMMA_ACROSS_BYTES=128 -DGROUPS_M=2 -DGROUPS_N=1 -DBN=192 -DWGMMA_BLOCK_STEPS=112 -DSTAGES=3 -DPARTS=4 -DAT_ONCE=8 -DPACKED_SRC=1 -DPACKED_DST=1 -DRELAXED_ATOMICS=1 -DLANE_SHUFFLE=1 -DSRC_DT=1 -DSRC_T=f16_t -DDST_DT=1 -DDST_T=f16_t -DWEI_DT=1 -DWEI_T=f16_t -DWEI_STORE=store_f16 -DBIA_DT=3 -DBIA_T=float -DBIA_STORE=store_f32 -DHAS_BIAS=1
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT) || !defined(HAS_BIAS)
#error "ocl_conv_backward_weights_wgmma needs SRC, WEI, BIA, DST, HAS_BIAS"
#endif
#if !defined(GROUPS_M) || !defined(GROUPS_N) || !defined(BN) || !defined(STAGES) || !defined(WGMMA_BLOCK_STEPS)
#error "ocl_conv_backward_weights_wgmma needs GROUPS_M, GROUPS_N, BN, STAGES, WGMMA_BLOCK_STEPS"
#endif
#if !defined(PARTS) || !defined(AT_ONCE) || !defined(PACKED_SRC) || !defined(PACKED_DST)
#error "ocl_conv_backward_weights_wgmma needs PARTS, AT_ONCE, PACKED_SRC, PACKED_DST"
#endif
#if SRC_ALONG_K != 0 || WEI_ALONG_K != 0 || WGMMA_BLOCK_STEPS % 16 != 0 || STAGES < 2
#error "SRC_ALONG_K, WEI_ALONG_K, WGMMA_BLOCK_STEPS or STAGES do not suit"
#endif

#include "clh/conv_weights_boxes.h"
#include "clh/io.h"
#include "clh/mma_tile.h"
#include "clh/nv/nv_retarget.h"
#include "clh/packed_start.h"
#include "clh/split_team.h"
#include "clh/wgmma.h"
#include "clh/wgmma_ring.h"

#define CONSUMERS (GROUPS_M * GROUPS_N * 128)
#define ITEMS (CONSUMERS + 32)
#define STEPS (WGMMA_BLOCK_STEPS / 16)
#define TILE_FOURS (CONSUMERS * BN / 8) // float4 of a tile's sums
#define BIAS_FOURS (HAS_BIAS ? GROUPS_M * 16 : 0)
#define ADDERS (CONSUMERS / PARTS) // work-items of a chain
#define FOURS (8 / AT_ONCE)       // that a work-item adds at a time
#define SHARE (ADDERS * FOURS)     // fours of a share of the second kernel

// Where splits are added, the stages hold whose shares are this group's, then the sums of chains.
#define MINE_BYTES 4112
#if STAGES * STAGE < MINE_BYTES + (PARTS > 1) * CONSUMERS * FOURS * 16 || CONSUMERS % PARTS != 0
#error "PARTS or AT_ONCE do not suit"
#endif

// Local memory: the stages, their barriers, two tensor maps, sizes, sums of the bias.
#define MAPS_AT (BARRIERS_AT + (STAGES * 16 + 127) / 128 * 128)
#define SIZES_AT (MAPS_AT + 256)
#define BIAS_AT (SIZES_AT + (int)(sizeof(ocl_conv_backward_weights_boxes_t) + 15) / 16 * 16)
#define MEMORY_BYTES (BIAS_AT + (HAS_BIAS ? GROUPS_M * 512 : 0))

// Of the work-items that hold sums; what they wrote is seen.
#if RETARGET
#define split_barrier() RING_PART_BARRIER(1, CONSUMERS)
#else
#define split_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

ALWAYS_INLINE void start_barriers(wgmma_place_t place)
{
#pragma unroll
    for (int s = 0; s < STAGES; ++s) {
        ring_init(place + BARRIERS_AT + s * 8, 1);
        ring_init(place + BARRIERS_AT + (STAGES + s) * 8, CONSUMERS / 32);
    }
    ring_publish();
}

// Sizes are read from local memory, and come there from global memory: constant memory that is not cached yet costs a
// wait for each of its lines.
ALWAYS_INLINE void fetch_boxes(__local uint *to, __global const uint *from, int item, const int nitems)
{
    for (int i = item; i < (int)(sizeof(ocl_conv_backward_weights_boxes_t) / 4); i += nitems) to[i] = from[i];
}

// Rows of a stage that boxes do not fill: their products must be zeros.
ALWAYS_INLINE void clear_rests(__local uint4 *memory, int npixels, int item)
{
    const int rest = (WGMMA_BLOCK_STEPS - npixels) * 8;
    if (rest == 0) return;
#pragma unroll 1
    for (int i = item; i < STAGES * (BLOCKS_M + BLOCKS_N) * rest; i += CONSUMERS)
        memory[i / rest * (BLOCK_BYTES / 16) + npixels * 8 + i % rest] = (uint4)(0);
}

ALWAYS_INLINE __global const ushort *operand_start(__global const void *tensor, long off, bool is_packed)
{
    __global const ushort *start = (__global const ushort *)tensor + off;
    return is_packed ? start + packed_shift(start) : start;
}

ALWAYS_INLINE tile_t tile_of(boxes_t data, int g, int part)
{
    const int m = split(&g, data->base.ntiles_m.n), n = split(&g, data->base.ntiles_n.n);
    const int first = part * data->base.split_pixels;
    const int nboxes = data->nboxes[0] * data->nboxes[1] * data->nboxes[2];
    const tile_t tile = {g, m * (64 * BLOCKS_M), n * BLOCKS_N, first,
            min(first + data->base.split_pixels, nboxes)};
    return tile;
}

// What a work-item adds to the bias of its channel: every second pixel.
ALWAYS_INLINE float sum_channel(__local const uchar *block, int item)
{
    const int c = item % 64;
    float sum = 0.0f;
#pragma unroll 8
    for (int p = item / 64; p < WGMMA_BLOCK_STEPS; p += 2) {
        const ushort bits = *(__local const ushort *)(block + mma_place(p, c / 8) + c % 8 * 2);
        sum += mma_float_of(bits);
    }
    return sum;
}

// Multiplies a tile's slices as they come; false where one never came. Without units the work-items that copy come
// along, and bring each slice.
ALWAYS_INLINE bool multiply_tile(float *d, float *bias, bool has_bias, int nslices, wgmma_place_t place,
        __local const uchar *memory, producer_t *producer, int item)
{
    const wgmma_place_t full = place + BARRIERS_AT, empty = full + STAGES * 8;
    const int block_m = item / 128 % GROUPS_M, block_n = BLOCKS_M + item / 128 / GROUPS_M * (BN / 64);
    const wgmma_operand_t a0 = wgmma_across(place + block_m * BLOCK_BYTES);
    const wgmma_operand_t b0 = wgmma_across(place + block_n * BLOCK_BYTES);
    pipeline_state_t state = {0, 0};
    bool is_whole = true;
    int before = -1;
#pragma unroll 1
    for (int slice = 0; slice < nslices; ++slice) {
        if (!RETARGET && item >= CONSUMERS) producer_slice(producer, item - CONSUMERS);
        is_whole &= ring_wait(full + state.stage * 8, state.phase);
        const ulong at = (ulong)(uint)(state.stage * (STAGE >> 4));
        wgmma_begin();
        if (RETARGET || item < CONSUMERS) {
#pragma unroll
            for (int p = 0; p < STEPS; ++p) wgmma_multiply_step(d, a0 + at, b0 + at, p);
        }
        wgmma_close();
        if (has_bias) *bias += sum_channel(memory + state.stage * STAGE + block_m * BLOCK_BYTES, item % 128);
        wgmma_wait_but_one();
        if (before >= 0 && item % 32 == 0) ring_arrive(empty + before * 8);
        before = state.stage;
        pipeline_advance(&state);
    }
    wgmma_wait_all(d);
    return is_whole;
}

// Sums as they lie in registers; `to`: the work-item's first.
ALWAYS_INLINE void put_partial(const float *d, __global float4 *to)
{
#pragma unroll
    for (int i = 0; i < BN / 8; ++i)
        to[i * CONSUMERS] = (float4)(d[i * 4], d[i * 4 + 1], d[i * 4 + 2], d[i * 4 + 3]);
}

// Two neighbours of a row to diff_weights, `step` apart; the second, if it `has_second`.
ALWAYS_INLINE void put_pair(__global WEI_T *wei, long off, long step, float x, float y, bool has_second)
{
#if WEI_DT == DT_F16 || WEI_DT == DT_BF16
    if (has_second && step == 1 && ((ulong)(wei + off) & 3) == 0) {
        *(__global uint *)(wei + off) = short_pair(x, y, WEI_DT == DT_BF16);
        return;
    }
#endif
    WEI_STORE(wei, off, x);
    if (has_second) WEI_STORE(wei, off + step, y);
}

// Where a consumer's sums of a tile are.
typedef struct {
    int m, block, c; // first row and block of columns; c: first column in each block
} place_t;

ALWAYS_INLINE place_t place_of(const tile_t *tile, int item)
{
    const int group = item / 128, lane = item % 32;
    const place_t place = {tile->m + group % GROUPS_M * 64 + item % 128 / 32 * 16 + lane / 4,
            tile->block + group / GROUPS_M * (BN / 64), lane % 4 * 2};
    return place;
}

// Offset in diff_weights of a row of a tap.
ALWAYS_INLINE long weights_at(__local const ocl_conv_backward_weights_data_t *base, int g, int m,
        const column_block_t *column)
{
    return g * base->wei_g + m * base->wei_o + column->y * base->wei_s[1] + column->x * base->wei_s[2];
}

// The consumer's sums, straight from registers.
ALWAYS_INLINE void put_sums(const float *d, boxes_t data, const tile_t *tile, __global WEI_T *wei, int item)
{
    __local const ocl_conv_backward_weights_data_t *base = &data->base;
    const place_t place = place_of(tile, item);
    const long step = base->wei_i;
#pragma unroll
    for (int b = 0; b < BN / 64; ++b) {
        if (place.block + b >= data->blocks_c * data->ntaps) continue;
        const column_block_t column = column_block_of(data, place.block + b);
        const long at = weights_at(base, tile->g, place.m, &column);
#pragma unroll
        for (int e = 0; e < 16; ++e) {
            const int c = column.c + e / 2 * 8 + place.c, r = e % 2 * 8;
            if (c < data->ic && place.m + r < base->oc)
                put_pair(wei, at + r * base->wei_o + c * step, step, d[b * 32 + e * 2], d[b * 32 + e * 2 + 1],
                        c + 1 < data->ic);
        }
    }
}

// Sums of a group's bias in a split: fours.
ALWAYS_INLINE int bias_pitch(boxes_t data)
{
    return (data->base.oc + 3) / 4 * 4;
}

// Each channel has two work-items. `partial`: null without splits.
ALWAYS_INLINE void put_bias(float sum, __local float *sums, boxes_t data, const tile_t *tile,
        __global float *partial, __global BIA_T *bia, bool has_bias, int item)
{
    if (has_bias && item % 128 >= 64) sums[item] = sum;
    RING_PART_BARRIER(1, CONSUMERS);
    const int m = tile->m + item / 128 * 64 + item % 128;
    if (!has_bias || item % 128 >= 64 || m >= data->base.oc) return;
    sum += sums[item + 64];
    if (partial)
        partial[tile->g * bias_pitch(data) + m] = sum;
    else
        BIA_STORE(bia, tile->g * data->base.oc + m, sum);
}

// Four `four` of a tile, of those of a split in fours; -1: there is none. Behind the tile's own are those of its bias.
ALWAYS_INLINE long four_at(boxes_t data, const tile_t *tile, int at_tile, int ntiles, int four)
{
    if (four < TILE_FOURS) return (long)at_tile * TILE_FOURS + four;
    const int m = tile->m + (four - TILE_FOURS) * 4;
    if (tile->block != 0 || m >= data->base.oc) return -1;
    return (long)ntiles * TILE_FOURS + (tile->g * bias_pitch(data) + m) / 4;
}

ALWAYS_INLINE void put_four(float4 sum, boxes_t data, const tile_t *tile, int four, __global WEI_T *wei,
        __global BIA_T *bia)
{
#if HAS_BIAS
    if (four >= TILE_FOURS) {
        const int m = tile->m + (four - TILE_FOURS) * 4, rest = data->base.oc - m;
        bia += tile->g * data->base.oc + m;
        BIA_STORE(bia, 0, sum.s0);
        if (rest > 1) BIA_STORE(bia, 1, sum.s1);
        if (rest > 2) BIA_STORE(bia, 2, sum.s2);
        if (rest > 3) BIA_STORE(bia, 3, sum.s3);
        return;
    }
#endif
    const place_t place = place_of(tile, four % CONSUMERS);
    const int i = four / CONSUMERS, c = place.c + i % 8 * 8;
    if (place.block + i / 8 >= data->blocks_c * data->ntaps) return;
    const column_block_t column = column_block_of(data, place.block + i / 8);
    if (column.c + c >= data->ic) return;
    const long step = data->base.wei_i;
    wei += weights_at(&data->base, tile->g, place.m, &column) + (column.c + c) * step;
    const bool has_second = column.c + c + 1 < data->ic;
    if (place.m < data->base.oc) put_pair(wei, 0, step, sum.s0, sum.s1, has_second);
    if (place.m + 8 < data->base.oc) put_pair(wei, 8 * data->base.wei_o, step, sum.s2, sum.s3, has_second);
}

// Adds the splits of fours first … past − 1 of a tile, in PARTS interleaved chains and then those. By CONSUMERS
// work-items; others may call. `sums`: FOURS for each of them.
ALWAYS_INLINE void add_splits(boxes_t data, const tile_t *tile, int at_tile, int ntiles, int first, int past,
        __global const float4 *partial, __local float4 *sums, __global WEI_T *wei, __global BIA_T *bia, int item)
{
    const int part = item / ADDERS, nsplits = part < PARTS ? data->base.nsplits : 0;
    const long pitch = data->base.npartial / 4;
    for (int four = first + item % ADDERS; four - item % ADDERS < past; four += SHARE) {
        float4 sum[FOURS];
        long at[FOURS];
#pragma unroll
        for (int k = 0; k < FOURS; ++k) {
            sum[k] = 0.0f;
            at[k] = four + k * ADDERS < past ? four_at(data, tile, at_tile, ntiles, four + k * ADDERS) : -1;
        }
#pragma unroll 1
        for (int s = part; s < nsplits; s += AT_ONCE * PARTS) {
            // All loads of a batch are on their way before the first is waited for.
            float4 x[FOURS * AT_ONCE];
#pragma unroll
            for (int i = 0; i < FOURS * AT_ONCE; ++i) {
                const int split = s + i % AT_ONCE * PARTS;
                x[i] = at[i / AT_ONCE] >= 0 && split < nsplits ? partial[split * pitch + at[i / AT_ONCE]]
                                                               : (float4)(0.0f);
            }
#pragma unroll
            for (int i = 0; i < FOURS * AT_ONCE; ++i) sum[i / AT_ONCE] += x[i];
        }
#if PARTS > 1
#pragma unroll
        for (int k = 0; k < FOURS; ++k) {
            if (part < PARTS) sums[k * CONSUMERS + item] = sum[k];
        }
        RING_PART_BARRIER(1, CONSUMERS);
#pragma unroll
        for (int k = 0; k < FOURS; ++k) {
            for (int p = 1; p < PARTS && part == 0; ++p) sum[k] += sums[k * CONSUMERS + p * ADDERS + item];
        }
        RING_PART_BARRIER(1, CONSUMERS);
#endif
#pragma unroll
        for (int k = 0; k < FOURS; ++k) {
            if (part == 0 && at[k] >= 0) put_four(sum[k], data, tile, four + k * ADDERS, wei, bia);
        }
    }
}

// The group's part in adding its tile's splits.
ALWAYS_INLINE void add_as_team(const split_team_t *team, boxes_t data, const tile_t *tile,
        __global const float4 *partial, __local uint4 *memory, __global WEI_T *wei, __global BIA_T *bia, int item)
{
    __local uint *is_mine = (__local uint *)memory;
    // All sums of the group are stored, and its stages no longer read.
    split_barrier();
    if (item < SPLIT_POLLERS) split_claim(team, item, is_mine);
    split_barrier();
    const int nfours = TILE_FOURS + (tile->block == 0 ? BIAS_FOURS : 0), n = team->ngroups;
    // Whole lines of the cache.
    const int share = ((nfours + n - 1) / n + 7) / 8 * 8;
    const bool is_alone = is_mine[n] == 0;
    const int from = is_alone ? team->own : 0, to = is_alone ? from + 1 : n;
#pragma unroll 1
    for (int i = from; i < to; ++i) {
        const int first = min(i * share, nfours);
        add_splits(data, tile, (int)get_group_id(0), (int)get_num_groups(0), first,
                is_mine[i] ? min(first + share, nfours) : first, partial,
                (__local float4 *)(memory + MINE_BYTES / 16), wei, bia, item);
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_backward_weights_wgmma(
        __global const uint *sizes, __global const SRC_T *src, long src_off,
        __global const DST_T *dst, long dst_off, __global WEI_T *wei, long wei_off, __global BIA_T *bia,
        long bia_off, __global float *partial, long partial_off, __global uchar *maps, long maps_off,
        __global uint *slots, long slots_off, int max_polls, ulong ticket)
{
    NV_RETARGET_BEGIN;
    __local uint4 memory[MEMORY_BYTES / 16] __attribute__((aligned(1024)));
    boxes_t data = (boxes_t)(memory + SIZES_AT / 16);
    const int item = (int)get_local_id(0);
    const wgmma_place_t place = wgmma_place(memory);
    fetch_boxes((__local uint *)(memory + SIZES_AT / 16), sizes, item, ITEMS);
    if (item == 0) start_barriers(place);
    barrier(CLK_LOCAL_MEM_FENCE);
    const tile_t tile = tile_of(data, (int)get_group_id(0), (int)get_group_id(1));
    producer_t producer;
    if (item >= CONSUMERS) {
        maps += maps_off;
        maps += -(ulong)maps & 127;
        maps += (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 256;
        producer_start(&producer, data, &tile, operand_start(src, src_off, PACKED_SRC),
                operand_start(dst, dst_off, PACKED_DST), maps, (__local uint *)(memory + MAPS_AT / 16), place,
                place + MAPS_AT, item - CONSUMERS);
    } else {
        clear_rests(memory, data->box[0] * data->box[1] * data->box[2], item);
    }
    ring_see();
    barrier(CLK_LOCAL_MEM_FENCE);
#if RETARGET
    if (item >= CONSUMERS) {
#pragma unroll 1
        for (int box = tile.box; box < tile.past; ++box) producer_slice(&producer, item - CONSUMERS);
        return;
    }
#endif
    const bool has_bias = HAS_BIAS && tile.block == 0 && item < GROUPS_M * 128;
    float d[BN / 2], bias_sum = 0.0f;
#pragma unroll
    for (int i = 0; i < BN / 2; ++i) d[i] = 0;
    if (!multiply_tile(d, &bias_sum, has_bias, tile.past - tile.box, place, (__local const uchar *)memory,
                &producer, item)) {
#pragma unroll
        for (int i = 0; i < BN / 2; ++i) d[i] = NAN;
        bias_sum = NAN;
    }
    const int ntiles = (int)get_num_groups(0);
    partial += partial_off;
    __global const float4 *all_splits = (__global const float4 *)partial;
    if (data->base.nsplits > 1) {
        partial += get_group_id(1) * data->base.npartial;
        if (RETARGET || item < CONSUMERS)
            put_partial(d, (__global float4 *)partial + (long)get_group_id(0) * TILE_FOURS + item);
        partial += (long)ntiles * (TILE_FOURS * 4);
    } else {
        partial = 0;
        if (RETARGET || item < CONSUMERS) put_sums(d, data, &tile, wei + wei_off, item);
    }
#if HAS_BIAS
    put_bias(bias_sum, (__local float *)(memory + BIAS_AT / 16), data, &tile, partial, bia + bia_off, has_bias,
            item);
#endif
    if (data->base.nsplits == 1 || ticket == 0) return;
    const split_team_t team = {slots + slots_off + get_group_id(0) * data->base.nsplits * SPLIT_SLOT_WORDS,
            data->base.nsplits, (int)get_group_id(1), as_uint2(ticket), max_polls};
    add_as_team(&team, data, &tile, all_splits, memory, wei + wei_off, bia + bia_off, item);
}

// Adds the splits of a share of a tile.
__attribute__((reqd_work_group_size(CONSUMERS, 1, 1))) __kernel void conv_backward_weights_wgmma_sum(
        __global const uint *sizes, __global const float *partial, long partial_off, __global WEI_T *wei,
        long wei_off, __global BIA_T *bia, long bia_off)
{
    __local uint4 memory[((int)sizeof(ocl_conv_backward_weights_boxes_t) + 15) / 16];
    __local float4 sums[CONSUMERS * FOURS];
    boxes_t data = (boxes_t)memory;
    const int item = (int)get_local_id(0), at_tile = (int)get_group_id(0);
    fetch_boxes((__local uint *)memory, sizes, item, CONSUMERS);
    barrier(CLK_LOCAL_MEM_FENCE);
    const tile_t tile = tile_of(data, at_tile, 0);
    const int first = (int)get_group_id(1) * SHARE;
    const int past = min(first + SHARE, TILE_FOURS + (tile.block == 0 ? BIAS_FOURS : 0));
    add_splits(data, &tile, at_tile, (int)get_num_groups(0), first, past,
            (__global const float4 *)(partial + partial_off), sums, wei + wei_off, bia + bia_off, item);
}

NV_RETARGET_END
