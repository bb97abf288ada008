// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias of f16 and bf16, NHWC, by WGMMA: OC × pixels times pixels × columns,
// where a column is an input channel under a tap. K are the pixels: both operands lie across it, as channels of a pixel
// are contiguous. A slice of K is a box of pixels, which tensor maps (TMA) copy to a ring of STAGES stages
// (clh/conv_weights_boxes.h); consumer warps multiply tiles of 64·BLOCKS_M channels × 64·BLOCKS_N columns. A block of 64
// columns lies under one tap.
//
// The boxes are split over work-groups (y): partial sums go to the scratchpad, and conv_backward_weights_wgmma_sum adds
// them in a fixed order. The groups of the first column of tiles sum the bias beside it.
//
//   sizes          an ocl_conv_backward_weights_boxes_t
//   src, src_off   [N, in…, G·IC] by strides, SRC_T; IC and strides multiples of 8 elements
//   dst, dst_off   diff_dst, [N, out…, G·OC] by strides, DST_T, the type of src; OC and strides multiples of 8
//   wei, wei_off   diff_weights by strides, WEI_T; written if there are no splits
//   bia, bia_off   diff_bias [G·OC], BIA_T; if HAS_BIAS
//   partial, partial_off   f32, [split][npartial]: [tile][BN/8][consumer][4], then [G·OC] if HAS_BIAS; written if there
//                  are splits
//   maps, maps_off bytes: 256 for each group, and 127 more
// Starts need not be aligned; unaligned elements are copied one by one.
// Grid: x = G · tiles of channels · tiles of columns, y = splits, in work-groups of 128·GROUPS_M·GROUPS_N + 32 work-items;
//   conv_backward_weights_wgmma_sum: npartial / 4 / LANES work-groups of LANES·PARTS work-items.
// Local memory: STAGES·128·WGMMA_BLOCK_STEPS·(BLOCKS_M + BLOCKS_N) and 1 to 3 KiB.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own) over the pixels of a
//   split; splits are added in a fixed order. A copy that times out gives NaN.
// -D: SRC, DST, WEI, BIA, HAS_BIAS; GROUPS_M × GROUPS_N warp groups, of 64 channels × BN columns each;
//   WGMMA_BLOCK_STEPS: pixels of a stage, a multiple of 16; STAGES; LANES, PARTS; those of clh/wgmma.h with -DSRC_ALONG_K=0 and
//   -DWEI_ALONG_K=0.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DSRC_ALONG_K=0 -DWEI_ALONG_K=0 -DMMA_ACROSS_BYTES=128 -DGROUPS_M=2 -DGROUPS_N=1 -DBN=192 -DWGMMA_BLOCK_STEPS=112 -DSTAGES=3 -DLANES=32 -DPARTS=4 -DSRC_DT=1 -DSRC_T=f16_t -DDST_DT=1 -DDST_T=f16_t -DWEI_DT=1 -DWEI_T=f16_t -DWEI_STORE=store_f16 -DBIA_DT=3 -DBIA_T=float -DBIA_STORE=store_f32 -DHAS_BIAS=1
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT) || !defined(HAS_BIAS)
#error "ocl_conv_backward_weights_wgmma needs SRC, WEI, BIA, DST, HAS_BIAS"
#endif
#if !defined(GROUPS_M) || !defined(GROUPS_N) || !defined(BN) || !defined(STAGES) || !defined(WGMMA_BLOCK_STEPS)
#error "ocl_conv_backward_weights_wgmma needs GROUPS_M, GROUPS_N, BN, STAGES, WGMMA_BLOCK_STEPS"
#endif
#if !defined(LANES) || !defined(PARTS)
#error "ocl_conv_backward_weights_wgmma needs LANES, PARTS"
#endif
#if SRC_ALONG_K != 0 || WEI_ALONG_K != 0 || WGMMA_BLOCK_STEPS % 16 != 0 || STAGES < 2
#error "SRC_ALONG_K, WEI_ALONG_K, WGMMA_BLOCK_STEPS or STAGES do not suit"
#endif

#include "clh/conv_weights_boxes.h"
#include "clh/io.h"
#include "clh/mma_tile.h"
#include "clh/wgmma.h"
#include "clh/wgmma_ring.h"

#define CONSUMERS (GROUPS_M * GROUPS_N * 128)
#define ITEMS (CONSUMERS + 32)
#define STEPS (WGMMA_BLOCK_STEPS / 16)
#define AT_ONCE 8 // splits whose sums are loaded together
#define TILE_FOURS (CONSUMERS * BN / 8) // float4 of a tile's sums

// Local memory: the stages, their barriers, two tensor maps, sizes, sums of the bias.
#define MAPS_AT (BARRIERS_AT + (STAGES * 16 + 127) / 128 * 128)
#define SIZES_AT (MAPS_AT + 256)
#define BIAS_AT (SIZES_AT + (int)(sizeof(ocl_conv_backward_weights_boxes_t) + 15) / 16 * 16)
#define MEMORY_BYTES (BIAS_AT + (HAS_BIAS ? GROUPS_M * 512 : 0))

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
#if MMA_TYPE == DT_BF16
        sum += as_float((uint)bits << 16);
#else
        sum += vload_half(0, (const half *)&bits);
#endif
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

// Two neighbours of a row to diff_weights, `step` apart.
ALWAYS_INLINE void put_pair(__global WEI_T *wei, long off, long step, float x, float y)
{
#if WEI_DT == DT_F16 || WEI_DT == DT_BF16
    if (step == 1 && ((ulong)(wei + off) & 3) == 0) {
        *(__global uint *)(wei + off) = wgmma_pack_pair(x, y, WEI_DT == DT_BF16);
        return;
    }
#endif
    WEI_STORE(wei, off, x);
    WEI_STORE(wei, off + step, y);
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
                put_pair(wei, at + r * base->wei_o + c * step, step, d[b * 32 + e * 2], d[b * 32 + e * 2 + 1]);
        }
    }
}

// Each channel has two work-items. `partial`: null without splits.
ALWAYS_INLINE void put_bias(float sum, __local float *sums, boxes_t data, const tile_t *tile,
        __global float *partial, __global BIA_T *bia, bool has_bias, int item)
{
    if (has_bias && item % 128 >= 64) sums[item] = sum;
    RING_PART_BARRIER(1, CONSUMERS);
    const int m = tile->m + item / 128 * 64 + item % 128;
    if (!has_bias || item % 128 >= 64 || m >= data->base.oc) return;
    const int channel = tile->g * data->base.oc + m;
    sum += sums[item + 64];
    if (partial)
        partial[channel] = sum;
    else
        BIA_STORE(bia, channel, sum);
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_backward_weights_wgmma(
        __global const uint *sizes, __global const SRC_T *src, long src_off,
        __global const DST_T *dst, long dst_off, __global WEI_T *wei, long wei_off, __global BIA_T *bia,
        long bia_off, __global float *partial, long partial_off, __global uchar *maps, long maps_off)
{
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
        producer_start(&producer, data, &tile, (__global const ushort *)src + src_off,
                (__global const ushort *)dst + dst_off, maps, (__local uint *)(memory + MAPS_AT / 16),
                place, place + MAPS_AT, item - CONSUMERS);
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
    if (data->base.nsplits > 1) {
        partial += partial_off + get_group_id(1) * data->base.npartial;
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
}

// Adds the splits' sums of four elements, in PARTS interleaved chains and then those. `nfours`: of a split.
__attribute__((reqd_work_group_size(LANES * PARTS, 1, 1))) __kernel void conv_backward_weights_wgmma_sum(
        __global const uint *sizes, __global const float *partial, long partial_off, __global WEI_T *wei,
        long wei_off, __global BIA_T *bia, long bia_off, int nsplits, int nfours)
{
    __local ocl_conv_backward_weights_boxes_t data;
    __local float4 sums[LANES * PARTS];
    const int item = (int)get_local_id(0), lane = item % LANES, four = (int)get_group_id(0) * LANES + lane;
    fetch_boxes((__local uint *)&data, sizes, item, LANES * PARTS);
    __global const float4 *from = (__global const float4 *)(partial + partial_off) + min(four, nfours - 1);
    float4 sum = 0.0f;
#pragma unroll 1
    for (int s = item / LANES; s < nsplits; s += AT_ONCE * PARTS) {
        // All loads of a batch are on their way before the first is waited for.
        float4 x[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i)
            x[i] = s + i * PARTS < nsplits ? from[(long)(s + i * PARTS) * nfours] : (float4)(0.0f);
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) sum += x[i];
    }
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= LANES || four >= nfours) return;
#pragma unroll
    for (int p = 1; p < PARTS; ++p) sum += sums[p * LANES + lane];
    int rest = four;
    const int consumer = split(&rest, CONSUMERS), block = split(&rest, BN / 8);
    const int ntiles = data.base.ngroups * data.base.ntiles_m.n * data.base.ntiles_n.n;
#if HAS_BIAS
    if (rest >= ntiles) {
        const int channel = (four - ntiles * TILE_FOURS) * 4;
        BIA_STORE(bia, bia_off + channel, sum.s0);
        BIA_STORE(bia, bia_off + channel + 1, sum.s1);
        BIA_STORE(bia, bia_off + channel + 2, sum.s2);
        BIA_STORE(bia, bia_off + channel + 3, sum.s3);
        return;
    }
#endif
    const tile_t tile = tile_of(&data, rest, 0);
    const place_t place = place_of(&tile, consumer);
    const int c = place.c + block % 8 * 8;
    if (rest >= ntiles || place.block + block / 8 >= data.blocks_c * data.ntaps) return;
    const column_block_t column = column_block_of(&data, place.block + block / 8);
    if (column.c + c >= data.ic) return;
    const long at = weights_at(&data.base, tile.g, place.m, &column), step = data.base.wei_i;
    wei += wei_off + at + (column.c + c) * step;
    if (place.m < data.base.oc) put_pair(wei, 0, step, sum.s0, sum.s1);
    if (place.m + 8 < data.base.oc) put_pair(wei, 8 * data.base.wei_o, step, sum.s2, sum.s3);
}
