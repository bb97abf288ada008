// SPDX-License-Identifier: Apache-2.0
// Convolution of f16 and bf16, NHWC, as an implicit matrix product by WGMMA: pixels × K times K × OC, where
// K runs over taps and, within a tap, input channels, in slices of 64. COPIERS producer work-items of a
// work-group bring slices of both operands into a ring of STAGES pipeline stages, by tensor maps (TMA,
// clh/conv_boxes.h) or by gathering rows with `cp.async` (clh/conv_gather.h); the consumer warps multiply
// tiles of BM pixels × BN channels.
//
// Work-groups are persistent: each goes on to further tiles, and its producers run ahead while the epilogue
// stores sums. Where tiles are too few to fill the device, K is split (split-K): partial sums go to the
// scratchpad, and conv_wgmma_sum adds them in a fixed order.
//
//   sizes          an ocl_conv_wgmma_data_t; channels count elements, not blocks
//   starts         elements or bytes at which the following tensors start
//   src            [N, in…, G·IC] by strides, SRC_T; IC and strides multiples of 8
//   wei            [G, OC, kernel…, IC], SRC_T; filters dense, their distances multiples of 8
//                  (tensors that are not so are copied first, channels padded: ocl_conv_pack_chunks.cl)
//   dst            [N, out…, G·OC] by strides, DST_T
//   scratch        bytes; starts.partial: f32, [split][tile][BN/8][BM/64·128][4], written if nsplits > 1;
//                  starts.maps: 256 for each group, and 127 more, read if MAPS
//   bia, bia_off   [G·OC], BIA_T; if HAS_BIAS
//   quant          if HAS_QUANT, and then CONV_QUANT, scales and zero points of clh/conv.h
//   POST_OPS       any
// Starts need not be aligned.
// With PHASES the gradient by src (ocl:conv:backward_data_wgmma): sizes is an ocl_conv_phases_data_t, src is diff_dst,
// dst is diff_src, wei [OC, kernel…, IC] as in the forward pass, read across K with taps in reverse order. Tiles of all
// phases of the strides are one grid; those of phases without taps are zeros.
// Grid: as many work-groups as run at once, or fewer, of BM/64·128 + COPIERS work-items. conv_wgmma_sum:
//   x ≥ tiles·BM·BN/4.
// Local memory: STAGES·128·(BM + BN) + 1 KiB bytes, 16·BM if !MAPS, and 272·BM or, if HAS_WORDS, 152·BM
//   unless the epilogue stores straight from registers (IS_SHORT).
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own);
//   with splits partial sums are added in a fixed order. A copy that times out gives NaN.
// -D: SRC, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), BM, BN, STAGES, COPIERS, MAPS,
// PACKED_SRC, PACKED_WEI (the tensor is a copy of ocl_conv_pack_chunks.cl), PHASES (with MAPS, without packed tensors),
// HAS_SHORT_EPILOGUE (post-ops are none or a few instructions), DST_CHUNKS (channels of a group and distances
// of pixels in dst are multiples of 16 bytes), those of clh/wgmma.h with -DWEI_ALONG_K=!PHASES, of
// clh/async_copy.h, of clh/post_ops.h, of clh/eltwise_short.h with SLOPES = 0; REAL_WIDTH = 4: a chain that is not short is
// for vectors (clh/conv_wgmma_memory.h); ADDS_SPLITS: 1: the program has conv_wgmma_sum, 0: conv_wgmma.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMMA_ACROSS_BYTES=128 -DBM=128 -DBN=128 -DSTAGES=4 -DADDS_SPLITS=0 -DCOPIERS=128 -DMAPS=0 -DPACKED_SRC=0 -DPACKED_WEI=0 -DPHASES=0 -DSRC_DT=1 -DSRC_T=f16_t -DBIA_DT=3 -DBIA_T=float -DBIA_LOAD=load_f32 -DDST_DT=1 -DDST_T=f16_t -DDST_STORE=store_f16 -DDST_STORE4=store4_f16 -DHAS_BIAS=1 -DHAS_QUANT=0 -DHAS_SHORT_EPILOGUE=0 -DDST_CHUNKS=0 -DWITH_POST_OPS=0 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMMA_ACROSS_BYTES=128 -DBM=128 -DBN=128 -DSTAGES=4 -DADDS_SPLITS=0 -DCOPIERS=32 -DMAPS=1 -DPACKED_SRC=1 -DPACKED_WEI=1 -DPHASES=0 -DSRC_DT=1 -DSRC_T=f16_t -DBIA_DT=3 -DBIA_T=float -DBIA_LOAD=load_f32 -DDST_DT=1 -DDST_T=f16_t -DDST_STORE=store_f16 -DDST_STORE4=store4_f16 -DHAS_BIAS=1 -DHAS_QUANT=0 -DHAS_SHORT_EPILOGUE=1 -DDST_CHUNKS=0 -DWITH_POST_OPS=0 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=0 -DMMA_ACROSS_BYTES=128 -DBM=128 -DBN=128 -DSTAGES=4 -DADDS_SPLITS=0 -DCOPIERS=32 -DMAPS=1 -DPACKED_SRC=0 -DPACKED_WEI=0 -DPHASES=1 -DSRC_DT=1 -DSRC_T=f16_t -DBIA_DT=3 -DBIA_T=float -DBIA_LOAD=load_f32 -DDST_DT=1 -DDST_T=f16_t -DDST_STORE=store_f16 -DDST_STORE4=store4_f16 -DHAS_BIAS=0 -DHAS_QUANT=0 -DHAS_SHORT_EPILOGUE=1 -DDST_CHUNKS=1 -DWITH_POST_OPS=0 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=0 -DMMA_ACROSS_BYTES=128 -DBM=128 -DBN=128 -DSTAGES=4 -DADDS_SPLITS=0 -DCOPIERS=32 -DMAPS=1 -DPACKED_SRC=1 -DPACKED_WEI=1 -DPHASES=2 -DSRC_DT=1 -DSRC_T=f16_t -DBIA_DT=3 -DBIA_T=float -DBIA_LOAD=load_f32 -DDST_DT=1 -DDST_T=f16_t -DDST_STORE=store_f16 -DDST_STORE4=store4_f16 -DHAS_BIAS=0 -DHAS_QUANT=0 -DHAS_SHORT_EPILOGUE=1 -DDST_CHUNKS=0 -DWITH_POST_OPS=0 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMMA_ACROSS_BYTES=128 -DBM=128 -DBN=128 -DSTAGES=4 -DADDS_SPLITS=1 -DCOPIERS=128 -DMAPS=0 -DPACKED_SRC=0 -DPACKED_WEI=0 -DPHASES=0 -DSRC_DT=1 -DSRC_T=f16_t -DBIA_DT=3 -DBIA_T=float -DBIA_LOAD=load_f32 -DDST_DT=1 -DDST_T=f16_t -DDST_STORE=store_f16 -DDST_STORE4=store4_f16 -DHAS_BIAS=1 -DHAS_QUANT=0 -DHAS_SHORT_EPILOGUE=0 -DDST_CHUNKS=0 -DWITH_POST_OPS=0 -DFAST_EXP2=0 -DSLOPES=0
#if !defined(SRC_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_wgmma needs SRC, BIA, DST"
#endif
#if !defined(BM) || !defined(BN) || !defined(STAGES) || !defined(COPIERS)
#error "ocl_conv_wgmma needs BM, BN, STAGES, COPIERS"
#endif
#if !defined(HAS_BIAS) || !defined(HAS_SHORT_EPILOGUE) || !defined(DST_CHUNKS) || !defined(MAPS) || !defined(PACKED_SRC) || \
        !defined(PACKED_WEI) || !defined(PHASES) || !defined(ADDS_SPLITS)
#error "ocl_conv_wgmma lacks an option"
#endif
#if PHASES && (!MAPS || WEI_ALONG_K)
#error "gradients by src read weights by tensor maps, across K"
#endif
#if BM % 64 != 0 || STAGES < 2 || (MAPS ? COPIERS != 32 : COPIERS % 64 != 0)
#error "BM, STAGES or COPIERS do not suit"
#endif

#include "clh/eltwise_short.h"
#include "clh/load_reals.h"

#include "clh/conv_epilogue.h"
#include "clh/io.h"
#include "clh/mma_tile.h"
#include "clh/nv/nv_retarget.h"
#include "clh/packed_start.h"
#include "clh/wgmma.h"
#include "clh/wgmma_ring.h"

#include "clh/conv_wgmma.h"
#include "clh/conv_wgmma_epilogue.h"
#include "clh/conv_wgmma_memory.h"

#if MAPS
#include "clh/conv_boxes.h"
#else
#include "clh/async_copy.h"
#include "clh/conv_gather.h"
#endif

#define MULTIPLIERS (BM / 64 * 128)
#define ITEMS (MULTIPLIERS + COPIERS)
#define STEPS (MMA_ROW_BYTES / 32)

// Local memory: the stages, their barriers, what copies need (pixels or two tensor maps), sizes, sums, words
// that work-items exchange.
#define COPY_AT (BARRIERS_AT + (STAGES * 16 + 127) / 128 * 128)
#define SIZES_AT (COPY_AT + (MAPS ? 256 : BM * 16))
#define OWN_AT (SIZES_AT + (int)(sizeof(sizes_data_t) + 15) / 16 * 16)
#if RETARGET
#define OWN_WARPS (MULTIPLIERS / 32)
#define LANES_BYTES 0
#else
#define OWN_WARPS (ITEMS / 32)
#define LANES_BYTES (ITEMS * 16)
#endif
#define LANES_AT (OWN_AT + OWN_WARPS * OWN_BYTES)
#define MEMORY_BYTES (LANES_AT + LANES_BYTES)

ALWAYS_INLINE void start_barriers(wgmma_place_t place)
{
#pragma unroll
    for (int s = 0; s < STAGES; ++s) {
        ring_init(place + BARRIERS_AT + s * 8, MAPS ? 1 : COPIERS);
        ring_init(place + BARRIERS_AT + (STAGES + s) * 8, MULTIPLIERS / 32);
    }
    ring_publish();
}

// Multiplies a tile's slices as they come; false where one never came. Without units the work-items that copy
// come along, and bring each slice.
ALWAYS_INLINE bool multiply_tile(
        float *d, int nslices, wgmma_place_t place, pipeline_state_t *state, int item,
        producer_t *producer)
{
    const wgmma_place_t full = place + BARRIERS_AT, empty = full + STAGES * 8;
    const wgmma_operand_t a0 = wgmma_along(place + item / 128 * (64 * MMA_ROW_BYTES));
#if WEI_ALONG_K
    const wgmma_operand_t b0 = wgmma_along(place + TILE_A);
#else
    const wgmma_operand_t b0 = wgmma_across(place + TILE_A);
#endif
    bool is_whole = true;
    int before = -1;
#pragma unroll 1
    for (int slice = 0; slice < nslices; ++slice) {
        if (!RETARGET && item >= MULTIPLIERS) producer_slice(producer, item - MULTIPLIERS);
        is_whole &= ring_wait(full + state->stage * 8, state->phase);
        if (!MAPS) ring_see();
        const ulong at = (ulong)(uint)(state->stage * (STAGE >> 4));
        wgmma_begin();
        if (RETARGET || item < MULTIPLIERS) {
#pragma unroll
            for (int p = 0; p < STEPS; ++p) wgmma_multiply_step(d, a0 + at, b0 + at, p);
        }
        wgmma_close();
        wgmma_wait_but_one();
        if (before >= 0 && item % 32 == 0) ring_arrive(empty + before * 8);
        before = state->stage;
        pipeline_advance(state);
    }
    wgmma_wait_all(d);
    if ((!PHASES || before >= 0) && item % 32 == 0) ring_arrive(empty + before * 8);
    return is_whole;
}

ALWAYS_INLINE void set_sums(float *d, float x)
{
#pragma unroll
    for (int i = 0; i < BN / 2; ++i) d[i] = x;
}

// Sums as they lie in registers; `to`: the work-item's first.
ALWAYS_INLINE void put_partial(const float *d, __global float4 *to)
{
#pragma unroll
    for (int i = 0; i < BN / 8; ++i)
        to[i * MULTIPLIERS] = (float4)(d[i * 4], d[i * 4 + 1], d[i * 4 + 2], d[i * 4 + 3]);
}

// What the work-items that copy start with.
ALWAYS_INLINE void start_producer(producer_t *producer, __local const ocl_conv_wgmma_data_t *data,
        __global SRC_T *src,
        __global SRC_T *wei, __local uint4 *memory, wgmma_place_t place, __global uchar *maps,
        int item)
{
#if PACKED_SRC
    src = packed_start(src);
#endif
#if PACKED_WEI
    wei = packed_start(wei);
#endif
#if MAPS
    maps += -(ulong)maps & 127;
    maps += get_group_id(0) * 256;
    producer_start(producer, data, src, wei, maps, (__local uint *)(memory + COPY_AT / 16), place,
            place + COPY_AT, item);
#else
    producer_start(producer, data, src, wei, (__local int4 *)(memory + COPY_AT / 16), place);
#endif
}

#if !RETARGET
// The work-items that copy go on to a tile; nobody reads the tile before any more.
ALWAYS_INLINE void go_on(producer_t *producer, const tile_t *tile, int item)
{
#if MAPS
    if (item >= MULTIPLIERS) producer_tile(producer, tile);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= MULTIPLIERS) producer_pixels(producer, tile, item - MULTIPLIERS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= MULTIPLIERS) producer_tile(producer, tile, item - MULTIPLIERS);
#endif
}
#endif

// Where sums of rows go; those of work-items that copy nowhere.
ALWAYS_INLINE row_t row_from(const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, PLACE_T at, long dst_off, int item)
{
    row_t row = row_of(epilogue, data, tile, at, dst_off);
    if (!RETARGET && item >= MULTIPLIERS) row.is_inside = false;
    return row;
}

#if IS_SHORT
// The work-item's two rows of a tile.
ALWAYS_INLINE void rows_from(row_t *rows, const conv_epilogue_t *epilogue,
        __local const ocl_conv_wgmma_data_t *data, const tile_t *tile, const PLACE_T *places, long dst_off, int item)
{
    rows[0] = row_from(epilogue, data, tile, places[0], dst_off, item);
    rows[1] = row_from(epilogue, data, tile, places[1], dst_off, item);
}

// What the tile reads beside its sums is asked for while the tile before it is stored.
ALWAYS_INLINE void ask_tile(const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, const PLACE_T *places, long dst_off, int item)
{
    row_t rows[2];
    rows_from(rows, epilogue, data, tile, places, dst_off, item);
    ask_beside(rows, data, tile, item % 32);
}

ALWAYS_INLINE void ask_next(const conv_epilogue_t *epilogue, __local const ocl_conv_wgmma_data_t *data,
        const tile_t *tile, const tile_t *way, const PLACE_T *places, long dst_off, int item)
{
    tile_t next = *tile;
    tile_on(&next, way, data);
    ask_tile(epilogue, data, &next, places, dst_off, item);
}
#endif

#if !ADDS_SPLITS

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_wgmma(
        __global const uint *sizes, const ocl_conv_starts_t starts, __global SRC_T *src,
        __global SRC_T *wei,
        __global DST_T *dst, __global uchar *scratch CONV_EPILOGUE_PARAMS)
{
    NV_RETARGET_BEGIN;
    CONV_EPILOGUE_DECLARE(epilogue, quant, CONV_BIA_START, dst);
    __local uint4 memory[MEMORY_BYTES / 16] __attribute__((aligned(1024)));
    __local ocl_conv_wgmma_data_t *data = (__local ocl_conv_wgmma_data_t *)(memory + SIZES_AT / 16);
    const int item = (int)get_local_id(0), lane = item % 32;
    fetch_sizes((__local sizes_data_t *)data, sizes, item, ITEMS);
    const wgmma_place_t place = wgmma_place(memory);
    if (item == 0) start_barriers(place);
    barrier(CLK_LOCAL_MEM_FENCE);
    producer_t producer;
    if (item >= MULTIPLIERS) {
        start_producer(&producer, data, src + starts.src, wei + starts.wei, memory, place,
                scratch + starts.maps, item - MULTIPLIERS);
#if RETARGET
        producer_run(&producer, item - MULTIPLIERS);
        return;
#endif
    }
    pipeline_state_t state = {0, 0};
    const int nworks = data->ntiles * data->nsplits, row_first = item / 32 * 16;
    tile_t tile = tile_of(data, (int)get_group_id(0));
    const tile_t way = tile_of(data, (int)get_num_groups(0));
#if IS_SHORT
    const PLACE_T places[2] = {
            ROW_PLACE(row_first + lane / 4), ROW_PLACE(row_first + lane / 4 + 8)};
    if (PO_BESIDE_DST && (int)get_group_id(0) < nworks && data->nsplits == 1)
        ask_tile(&epilogue, data, &tile, places, starts.dst, item);
#endif
#pragma unroll 1
    for (int work = (int)get_group_id(0); work < nworks; work += (int)get_num_groups(0)) {
        float d[BN / 2];
        set_sums(d, 0);
        const int nslices = past_slice(data, &tile) - first_slice(data, &tile);
#if !RETARGET
        go_on(&producer, &tile, item);
#endif
        if (!multiply_tile(d, nslices, place, &state, item, &producer)) set_sums(d, NAN);
        if (data->nsplits > 1) {
            if (RETARGET || item < MULTIPLIERS)
                put_partial(d, (__global float4 *)(scratch + starts.partial) +
                                       (long)work * (BM * BN / 4) + item);
            tile_on(&tile, &way, data);
            continue;
        }
#if IS_SHORT
        if (PO_BESIDE_DST && work + (int)get_num_groups(0) < nworks)
            ask_next(&epilogue, data, &tile, &way, places, starts.dst, item);
        row_t rows[2];
        rows_from(rows, &epilogue, data, &tile, places, starts.dst, item);
        put_sums(&epilogue, data, &tile, d, rows, lane,
                memory + (HAS_WORDS ? OWN_AT / 16 + item / 32 * (OWN_BYTES / 16) : LANES_AT / 16));
#else
        put_sums_by_memory(&epilogue, data, &tile, d,
                (__local float *)(memory + OWN_AT / 16) + item / 32 * (16 * PITCH), row_first,
                RETARGET || item < MULTIPLIERS, lane, starts.dst);
#endif
        tile_on(&tile, &way, data);
    }
}

#else

// Adds the partial sums of four elements in the order of the splits, finishes and stores them.
__kernel void conv_wgmma_sum(__global const uint *sizes, __global const uchar *scratch,
        long partial_off, __global DST_T *dst, long dst_off CONV_EPILOGUE_PARAMS)
{
    NV_RETARGET_BEGIN;
    CONV_EPILOGUE_DECLARE(epilogue, quant, CONV_BIA_START, dst);
    __local sizes_data_t memory;
    __local const ocl_conv_wgmma_data_t *data = (__local const ocl_conv_wgmma_data_t *)&memory;
    fetch_sizes(&memory, sizes, (int)get_local_id(0), (int)get_local_size(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    const int four = (int)get_global_id(0);
    int index = four;
    const int item = split(&index, MULTIPLIERS), block = split(&index, BN / 8), lane = item % 32;
    if (index >= data->ntiles) return;
    const tile_t tile = tile_of(data, index);
    const int c = tile_channel(&tile) + block * 8 + lane % 4 * 2;
    if (c >= data->geo.oc) return;
    __global const float4 *from = (__global const float4 *)(scratch + partial_off) + four;
    float4 sum = from[0];
#pragma unroll 4
    for (int s = 1; s < data->nsplits; ++s) sum += from[(long)s * data->ntiles * (BM * BN / 4)];
    const float x[4] = {sum.s0, sum.s1, sum.s2, sum.s3};
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const row_t row = row_of(
                &epilogue, data, &tile, ROW_PLACE(item / 32 * 16 + lane / 4 + r * 8), dst_off);
        if (!row.is_inside) continue;
#if REAL_WIDTH > 1
        const int count = min(data->geo.oc - c, 2);
        const float4 y = finish_four(
                &epilogue, data, &tile, (float4)(x[r * 2], x[r * 2 + 1], 0.0f, 0.0f), &row, c, count, false);
        DST_STORE(dst, row.off + c, y.s0);
        if (count == 2) DST_STORE(dst, row.off + c + 1, y.s1);
#else
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            if (c + e < data->geo.oc)
                DST_STORE(dst, row.off + c + e,
                        finish(&epilogue, data, &tile, x[r * 2 + e], &row, c + e));
        }
#endif
    }
}

#endif

NV_RETARGET_END
