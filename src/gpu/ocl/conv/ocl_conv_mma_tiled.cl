// SPDX-License-Identifier: Apache-2.0
// Convolution of f16, bf16 (f32 accumulators) and 8-bit integers (s32), NHWC, as an implicit matrix product
// by `mma.sync`: pixels × K times K × OC, where K runs over taps and, within a tap, input channels. A
// work-group computes a tile of BM pixels × BN channels. Slices of both operands, 128 bytes of K, go
// through STAGES pipeline stages in local memory, filled by asynchronous copies; each warp multiplies a WM
// × WN part of the tile by the micro-kernel of clh/mma.h.
//
//   sizes          WINDOW_PARAMS(), with src, wei, dst; channels count elements, not blocks
//   src, src_off   [N, in…, G·IC] by strides, SRC_T; IC and strides multiples of 16 bytes
//   wei, wei_off   [G, OC, kernel…, IC], WEI_T; filters dense, their distances multiples of 16 bytes
//   dst, dst_off   [N, out…, G·OC] by strides, DST_T
//   bia, bia_off   [G·OC], BIA_T; if HAS_BIAS
//   quant          if HAS_QUANT, and then CONV_QUANT, scales and zero points of clh/conv.h
//   POST_OPS       any
// Starts need not be aligned; unaligned elements are copied one by one.
// Grid: x = groups of channels · tiles of pixels · tiles of outputs, in work-groups of
//   BM/WM · BN/WN · 32 work-items.
// Local memory: STAGES·128·(BM + BN) bytes or 4·BM·(BN + 8), 24·BM, 256.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own) or exact
//   in s32; IS_EXACT: and so is all that follows.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), those of clh/conv_window.h with
// -DMAX_TAPS=64, of clh/mma.h (MMA 0: plain C instead of the unit), of clh/mma_warp.h with
// -DWEI_ALONG_K=1, of clh/async_copy.h, of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_mma_tiled needs SRC, WEI, BIA, DST"
#endif
#if !defined(HAS_BIAS) || WEI_ALONG_K != 1
#error "ocl_conv_mma_tiled needs HAS_BIAS, WEI_ALONG_K=1"
#endif

#include "clh/async_copy.h"
#include "clh/conv_epilogue.h"
#include "clh/conv_window.h"
#include "clh/divide.h"
#include "clh/mma.h"
#include "clh/mma_warp.h"

#define CHUNK (16 / ES)      // elements that are copied at a time
#define ROW_STEP (ITEMS / 8) // rows between the copies of a work-item: 8 work-items copy a row
#define NA (BM / ROW_STEP)   // copies of a work-item for a slice
#define NB (BN / ROW_STEP)

// Plain C in the place of the unit is as long as it is: unrolled it takes a minute to compile.
#if MMA
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("unroll 1")
#endif

// What a work-item copies: chunks of its rows, each slice DEPTH further.
typedef struct {
    __global const uchar *src, *wei; // the group's; wei: the work-item's first row
    taps_t taps[NA];
    int offs[NA];    // of pixels in src
    int k, c, tap;   // of the work-item's chunk: in K, in its tap
    int nrows;       // of weights that there are from the work-item's first on
    int place;       // in stage 0
    bool is_aligned; // both operands, at 16 bytes
} loader_t;

ALWAYS_INLINE void copy_chunk(__local uchar *memory, int to, __global const uchar *from,
        bool is_inside, bool is_aligned)
{
    if (is_aligned) {
        copy_16_part(copy_place(memory + to), from, is_inside ? 16 : 0);
        return;
    }
#pragma unroll 1
    for (int i = 0; i < 16; i += ES) {
#if ES == 1
        memory[to + i] = is_inside ? from[i] : (uchar)0;
#else
        *(__local ushort *)(memory + to + i) =
                is_inside ? *(__global const ushort *)(from + i) : (ushort)0;
#endif
    }
}

// The work-item's part of the next slice to the stage `stage` bytes behind the first.
ALWAYS_INLINE void load_slice(
        loader_t *f, const ocl_conv_mma_tiled_data_t *data, __local const int2 *taps,
        __local uchar *memory, int stage)
{
    const bool is_deep = f->k < data->ndepth;
    const int tap = is_deep ? f->tap : 0, off = taps[tap].s0 + f->c;
    UNROLL
    for (int i = 0; i < NA; ++i) {
        const bool is_inside = is_deep && (f->taps[i] >> tap & 1) != 0;
        const int from = is_inside ? f->offs[i] + off : 0;
        copy_chunk(memory, stage + f->place + i * (ROW_STEP * MMA_ROW_BYTES), f->src + from * ES,
                is_inside, f->is_aligned);
    }
    UNROLL
    for (int i = 0; i < NB; ++i) {
        const bool is_inside = is_deep && i * ROW_STEP < f->nrows;
        const long from = is_inside ? i * ROW_STEP * data->window.wei_o + f->k : 0;
        copy_chunk(memory, stage + TILE_A + f->place + i * (ROW_STEP * MMA_ROW_BYTES),
                f->wei + from * ES, is_inside, f->is_aligned);
    }
    f->k += DEPTH;
    f->c += data->slice_rest;
    f->tap += data->slice_taps;
    if (f->c >= data->window.geo.ic) {
        f->c -= data->window.geo.ic;
        ++f->tap;
    }
}

// `column`: the first channel of the tile.
ALWAYS_INLINE void loader_init(loader_t *f, const ocl_conv_mma_tiled_data_t *data,
        __local const row_t *rows,
        __global const uchar *src, __global const uchar *wei, int column, int item)
{
    const int first = item / 8, chunk = item % 8, row = min(column + first, data->window.geo.oc - 1);
    f->src = src;
    f->wei = wei + row * data->window.wei_o * ES;
    UNROLL
    for (int i = 0; i < NA; ++i) {
        f->taps[i] = rows[first + i * ROW_STEP].taps;
        f->offs[i] = rows[first + i * ROW_STEP].src_off;
    }
    f->k = f->tap = chunk * CHUNK;
    f->c = divide_off(&f->tap, data->ic);
    f->nrows = data->window.geo.oc - column - first;
    f->place = mma_place(first, chunk); // rows of a work-item are swizzled alike
    f->is_aligned = (((ulong)src | (ulong)wei) & 15) == 0;
}

// All slices; row, col: of the warp in the tile.
ALWAYS_INLINE void multiply_slices(sum_t acc[BLOCKS_M][BLOCKS_N][8], loader_t *f,
        const ocl_conv_mma_tiled_data_t *data, __local const int2 *taps, __local uchar *memory,
        int row, int col,
        int lane)
{
    const copy_place_t place = copy_place(memory);
    const int nslices = data->nslices;
    mma_a_t as[2][BLOCKS_M];
    mma_b_t bs[2][BLOCKS_N];
    int read = 0, write = (STAGES - 1) * STAGE;
#pragma unroll 1
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < nslices) load_slice(f, data, taps, memory, s * STAGE);
        copy_close();
    }
#pragma unroll 1
    for (int s = 0; s < nslices; ++s) {
        // The slice has arrived, and no work-item reads the one before any more.
        copy_wait(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        warp_read(as[0], bs[0], place + read, row, col, 0, lane);
        if (s + STAGES - 1 < nslices) load_slice(f, data, taps, memory, write);
        copy_close();
        UNROLL
        for (int p = 0; p < STEPS; ++p) {
            if (p + 1 < STEPS)
                warp_read(as[(p + 1) & 1], bs[(p + 1) & 1], place + read, row, col, p + 1, lane);
            warp_multiply(acc, as[p & 1], bs[p & 1]);
        }
        read = read + STAGE == STAGES * STAGE ? 0 : read + STAGE;
        write = write + STAGE == STAGES * STAGE ? 0 : write + STAGE;
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_mma_tiled(
        WINDOW_PARAMS(ocl_conv_mma_tiled_data_t) CONV_EPILOGUE_PARAMS)
{
    WINDOW_DECLARE(ocl_conv_mma_tiled_data_t);
    CONV_EPILOGUE_DECLARE(epilogue, quant, CONV_BIA_START, dst);
    __local uint4 memory[LOCAL_BYTES / 16] __attribute__((aligned(1024)));
    __local row_t rows[BM];
    __local int2 taps[MAX_TAPS];
    const ocl_conv_window_t *window = &sizes.window;
    const int item = (int)get_local_id(0), lane = item % 32, warp = item / 32;
    int g = (int)get_group_id(0);
    const int column = divide_off(&g, sizes.ntiles_n) * BN;
    const int pixel = divide_off(&g, sizes.ntiles_m) * BM;
    for (int i = item; i < BM; i += ITEMS) {
        row_t row;
        find_row(&row, window, pixel + i);
        rows[i] = row;
    }
    if (item < window->ntaps) taps[item] = find_tap(window, item);
    barrier(CLK_LOCAL_MEM_FENCE);

    loader_t loader;
    loader_init(&loader, &sizes, rows, (__global const uchar *)(src + src_off + g * window->geo.ic),
            (__global const uchar *)(wei + wei_off + g * window->wei_g), column, item);
    const int row = warp % (BM / WM) * WM, col = warp / (BM / WM) * WN;
    sum_t acc[BLOCKS_M][BLOCKS_N][8];
    warp_clear(acc);
    multiply_slices(acc, &loader, &sizes, taps, (__local uchar *)memory, row, col, lane);

    __local sum_t *sums = (__local sum_t *)memory;
    copy_wait(0);
    barrier(CLK_LOCAL_MEM_FENCE); // no work-item reads slices there any more
    warp_keep(acc, sums, row, col, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (int i = item; i < BM * BN / 4; i += ITEMS) {
        const int r = i / (BN / 4), c = i % (BN / 4) * 4;
        const row_t at = rows[r];
        if (!at.is_inside || column + c >= window->geo.oc) continue;
        sum_t x[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) x[e] = sums[r * PITCH + c + e];
        put_four(&epilogue, window, &at, pixel + r, x, g * window->geo.oc, column + c, dst_off);
    }
}
