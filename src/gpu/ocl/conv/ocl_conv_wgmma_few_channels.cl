// SPDX-License-Identifier: Apache-2.0
// Convolution of f16 and bf16 with few input channels (such as the first layer of a network), NHWC, by
// WGMMA. A row of the window is contiguous in src, so K is the rows of the window one after another, each
// padded to chunks of 8 elements. Work-items load the words of src that the matrix unit takes from
// registers straight from global memory (clh/conv_rows.h). A work-group packs its 64 filters into local
// memory once, and goes on to further tiles of 64 pixels (persistent).
//
//   sizes          an ocl_conv_rows_data_t, by value, with the starts of src, wei, dst
//   src            [N, in…, IC] by strides, SRC_T; pixels of a row dense
//   wei            [OC, kernel…, IC] by any strides, SRC_T
//   dst            [N, out…, OC] by strides, DST_T
//   bia, bia_off   [OC], BIA_T; if HAS_BIAS
//   quant          if HAS_QUANT, and then CONV_QUANT, scales and zero points of clh/conv.h
//   POST_OPS       any
// Starts need not be aligned. The buffers of src and wei have whole words.
// Grid: a multiple of ntiles_n work-groups of 128 work-items; as many as run at once, or fewer.
// Local memory: 8 KiB for every 64 elements of K, as much for the filters as stored (SPREADS), and
// 17 KiB unless the epilogue stores straight from registers (IS_SHORT).
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own).
// -D: SRC, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), NROWS ≤ 32 (of the window),
// ROW_CHUNKS, PAIRS, SPREADS (dense filters are first copied to local memory as stored), HAS_SHORT_EPILOGUE
// (post-ops are none or a few instructions), DST_CHUNKS (as in ocl_conv_wgmma.cl), those of clh/wgmma.h with -DWEI_ALONG_K=1, of
// clh/post_ops.h, of clh/eltwise_short.h with SLOPES = 0; REAL_WIDTH as in
// ocl_conv_wgmma.cl. BM=64, BN=64, STAGES=1, MAPS=1: pixels are of one box, all of dst.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMMA_ACROSS_BYTES=128 -DBM=64 -DBN=64 -DSTAGES=1 -DMAPS=1 -DPHASES=0 -DNROWS=7 -DROW_CHUNKS=3 -DPAIRS=1 -DSPREADS=1 -DSRC_DT=1 -DSRC_T=f16_t -DBIA_DT=3 -DBIA_T=float -DBIA_LOAD=load_f32 -DDST_DT=1 -DDST_T=f16_t -DDST_STORE=store_f16 -DDST_STORE4=store4_f16 -DHAS_BIAS=1 -DHAS_QUANT=0 -DHAS_SHORT_EPILOGUE=1 -DDST_CHUNKS=1 -DWITH_POST_OPS=0 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DWEI_ALONG_K=1 -DMMA_ACROSS_BYTES=128 -DBM=64 -DBN=64 -DSTAGES=1 -DMAPS=1 -DPHASES=0 -DNROWS=11 -DROW_CHUNKS=5 -DPAIRS=0 -DSPREADS=0 -DSRC_DT=1 -DSRC_T=f16_t -DBIA_DT=3 -DBIA_T=float -DBIA_LOAD=load_f32 -DDST_DT=1 -DDST_T=f16_t -DDST_STORE=store_f16 -DDST_STORE4=store4_f16 -DHAS_BIAS=0 -DHAS_QUANT=0 -DHAS_SHORT_EPILOGUE=0 -DDST_CHUNKS=0 -DWITH_POST_OPS=0 -DFAST_EXP2=0 -DSLOPES=0
#if !defined(SRC_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_wgmma_few_channels needs SRC, BIA, DST"
#endif
#if !defined(NROWS) || !defined(ROW_CHUNKS) || !defined(PAIRS) || !defined(SPREADS)
#error "ocl_conv_wgmma_few_channels needs NROWS, ROW_CHUNKS, PAIRS, SPREADS"
#endif
#if !defined(HAS_BIAS) || !defined(HAS_SHORT_EPILOGUE) || !defined(DST_CHUNKS)
#error "ocl_conv_wgmma_few_channels lacks an option"
#endif
#if BM != 64 || BN != 64 || !MAPS
#error "BM, BN or MAPS do not suit"
#endif

#include "clh/eltwise_short.h"
#include "clh/load_reals.h"

#include "clh/conv_epilogue.h"
#include "clh/io.h"
#include "clh/mma_tile.h"
#include "clh/nv/nv_retarget.h"
#include "clh/wgmma.h"
#include "clh/wgmma_ring.h"

#include "clh/conv_wgmma.h"
#include "clh/conv_wgmma_epilogue.h"
#include "clh/conv_wgmma_memory.h"

#include "clh/conv_rows.h"

#define ITEMS ROWS_ITEMS
#define BATCH_STEPS 12 // whose words a work-item holds at a time
#define SIZES_AT (SLICES * SLICE_BYTES)
#define OWN_AT (SIZES_AT + (int)(sizeof(ocl_conv_wgmma_data_t) + 15) / 16 * 16)
#define RAW_AT (OWN_AT + ITEMS / 32 * OWN_BYTES)
#define LANES_AT ((RAW_AT + (SPREADS ? RAW_BYTES : 0) + 15) / 16 * 16)
#define MEMORY_BYTES (LANES_AT + (RETARGET ? 0 : ITEMS * 16)) // words that work-items exchange

static inline int3 pixel_of(const ocl_conv_boxes_t *sizes, int index)
{
    const int x = split(&index, sizes->dst_size[0]), y = split(&index, sizes->dst_size[1]);
    return (int3)(x, y, index);
}

static inline int3 pixel_on(const ocl_conv_boxes_t *sizes, int3 pixel, int3 way)
{
    pixel += way;
    if (pixel.s0 >= sizes->dst_size[0]) {
        pixel.s0 -= sizes->dst_size[0];
        ++pixel.s1;
    }
    if (pixel.s1 >= sizes->dst_size[1]) {
        pixel.s1 -= sizes->dst_size[1];
        ++pixel.s2;
    }
    return pixel;
}

// Sums of a tile; `pixels`: the two rows of the work-item.
ALWAYS_INLINE void multiply_windows(float *d, const ocl_conv_rows_data_t *data,
        __global const ushort *src,
        const int3 *pixels, int lead, wgmma_place_t place, int lane, __local uint *lanes)
{
    const window_t windows[2] = {window_of(data, src, pixels[0], lead, lane % 4 * 2),
            window_of(data, src, pixels[1], lead, lane % 4 * 2)};
    const long row_step = data->base.boxes.tap_step[1] * (data->base.boxes.src_s[1] / 2);
    const wgmma_operand_t b0 = wgmma_along(place);
#pragma unroll
    for (int first = 0; first < DEPTH_STEPS; first += BATCH_STEPS) {
        uint a[BATCH_STEPS * 4];
#pragma unroll
        for (int i = 0; i < BATCH_STEPS * 4; ++i)
            a[i] = window_load(&windows[i % 2], row_step, first * 2 + i / 2);
        wgmma_begin();
#pragma unroll
        for (int p = 0; p < BATCH_STEPS; ++p) {
            const int step = first + p;
            if (step < DEPTH_STEPS)
                rows_multiply(d, a + p * 4,
                        b0 + (ulong)(step / 4 * (SLICE_BYTES >> 4)), step % 4, lanes);
        }
        wgmma_close();
        wgmma_wait_all(d);
#pragma unroll
        for (int p = 0; p < BATCH_STEPS; ++p) rows_keep(a + p * 4);
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_wgmma_few_channels(
        const ocl_conv_rows_data_t sizes, __global const SRC_T *src, __global const SRC_T *wei,
        __global DST_T *dst CONV_EPILOGUE_PARAMS)
{
    NV_RETARGET_BEGIN;
    CONV_EPILOGUE_DECLARE(epilogue, quant, CONV_BIA_START, dst);
    __local uint4 memory[MEMORY_BYTES / 16] __attribute__((aligned(1024)));
    __local uchar *raw = (__local uchar *)memory + RAW_AT;
    __local ocl_conv_wgmma_data_t *data = (__local ocl_conv_wgmma_data_t *)(memory + SIZES_AT / 16);
    const ocl_conv_boxes_t *boxes = &sizes.base.boxes;
    const int item = (int)get_local_id(0), lane = item % 32, row_first = item / 32 * 16;
    const long dst_off = sizes.starts[2];
    __local uint *lanes = (__local uint *)(memory + LANES_AT / 16);
    const wgmma_place_t place = wgmma_place(memory);
    const int nblocks = sizes.base.ntiles_n, step = (int)get_num_groups(0) / nblocks;
    const tile_t tile = {{(int)get_group_id(0) % nblocks}};
    src += sizes.starts[0];
    wei += sizes.starts[1] + tile_channel(&tile) * sizes.base.wei_o;
    const bool is_dense = SPREADS && are_dense(&sizes, wei);
    if (is_dense) weights_copy(raw, &sizes, wei, tile_channel(&tile), item);
    const int lead = PAIRS ? (int)(((ulong)src / 2 + (ulong)(boxes->pad[0] * sizes.base.geo.ic)) & 1)
                           : 0;
    int at = (int)get_group_id(0) / nblocks;
    int3 pixels[2] = {pixel_of(boxes, at * BM + row_first + lane / 4),
            pixel_of(boxes, at * BM + row_first + lane / 4 + 8)};
    windows_fetch(&sizes, src, pixels, lane);
    // The epilogue reads its sizes from local memory.
    if (item == ITEMS - 1) *data = sizes.base;
    if (is_dense) {
        weights_wait();
        barrier(CLK_LOCAL_MEM_FENCE);
        weights_spread((__local uint *)memory, raw, &sizes, lead, item);
    } else {
        weights_fill((__local ushort *)memory, &sizes, wei, tile_channel(&tile), lead, item);
    }
    ring_see();
    barrier(CLK_LOCAL_MEM_FENCE);

    const int3 way = pixel_of(boxes, step * BM);
#pragma unroll 1
    for (; at < sizes.base.ntiles; at += step) {
        float d[BN / 2];
#pragma unroll
        for (int i = 0; i < BN / 2; ++i) d[i] = 0;
        multiply_windows(d, &sizes, src, pixels, lead, place, lane, lanes);
#if IS_SHORT
        const row_t rows[2] = {row_of(&epilogue, data, &tile, pixels[0], dst_off),
                row_of(&epilogue, data, &tile, pixels[1], dst_off)};
        put_sums(&epilogue, data, &tile, d, rows, lane,
                memory + (HAS_WORDS ? OWN_AT / 16 + item / 32 * (OWN_BYTES / 16) : LANES_AT / 16));
#else
        put_sums_by_memory(&epilogue, data, &tile, d,
                (__local float *)(memory + OWN_AT / 16) + item / 32 * (16 * PITCH),
                at * BM + row_first, true, lane, dst_off);
#endif
#pragma unroll
        for (int r = 0; r < 2; ++r) pixels[r] = pixel_on(boxes, pixels[r], way);
    }
}

NV_RETARGET_END
