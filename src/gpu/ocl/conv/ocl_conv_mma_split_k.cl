// SPDX-License-Identifier: Apache-2.0
// Convolution of f16 and bf16, NHWC, by `mma.sync`, for few pixels and large K. A work-group computes a
// small tile of TM pixels × TN output channels; its WARPS warps split K among them in blocks of 32 (K runs
// over taps and, within a tap, input channels) and reduce their partial sums through local memory, in a
// fixed order.
//
// Operands go from global memory straight to the registers of the matrix unit, 16 bytes at a time,
// prefetched BATCH blocks ahead: no staging in local memory, no barrier in the loop, one kernel, no
// scratchpad.
//
//   sizes          WINDOW_PARAMS(), with src, wei, dst; channels count elements, not blocks
//   src, src_off   [N, in…, IC] by strides, SRC_T; IC and strides multiples of 8
//   wei, wei_off   [OC, kernel…, IC] by strides, SRC_T; strides multiples of 8
//   dst, dst_off   [N, out…, OC] by strides, DST_T
//   bia, bia_off   [OC], BIA_T; if HAS_BIAS
//   quant          if HAS_QUANT, and then CONV_QUANT, scales and zero points of clh/conv.h
//   POST_OPS       any
// Starts need not be aligned; unaligned elements are loaded one by one.
// Grid: x = tiles of pixels · tiles of outputs, in work-groups of 32·WARPS work-items.
// Local memory: 4·WARPS·TM·(TN + 8) bytes, 256 for taps, 16·TM.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own); then
//   the partial sums of the warps are added in a fixed order.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), TM and TN: multiples of 16 and
// 8, WARPS, BATCH, those of clh/mma.h (MMA 0: plain C instead of the unit), of clh/async_copy.h,
// of clh/conv_window.h with -DMAX_TAPS=32, of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_mma_split_k needs SRC, WEI, BIA, DST"
#endif
#if !defined(TM) || !defined(TN) || !defined(WARPS) || !defined(BATCH) || !defined(HAS_BIAS)
#error "ocl_conv_mma_split_k needs TM, TN, WARPS, BATCH, HAS_BIAS"
#endif

#include "clh/async_copy.h"
#include "clh/conv_epilogue.h"
#include "clh/conv_window.h"
#include "clh/divide.h"
#include "clh/mma.h"
#include "clh/nv/nv_global.h"

#define ITEMS (32 * WARPS)
#define BLOCK 32                // elements of K
#define PITCH (TN + 8)          // of sums
#define ROWS (TM / 8)           // of src that a work-item loads, and columns of weights
#define COLS (TN / 8)

#if MMA

// A work-item's 8 elements of a row of a block: for the unit they are two neighbours of each half of two
// steps. In which order K is summed does not matter where both operands agree.
typedef uint4 part_t;
typedef uint4 part_b_t;

// Prefetches the weights of a tile into the L2 cache: its work-groups share the lines.
ALWAYS_INLINE void fetch_weights(
        const ocl_conv_mma_split_k_data_t *data, __global const WEI_T *wei, int column, int tile,
        int item)
{
    const int ncolumns = min(data->window.geo.oc - column, TN), nlines = data->filter_lines * TN;
#pragma unroll 1
    for (int i = tile * ITEMS + item; i < nlines; i += data->ntiles_m * ITEMS) {
        __global const WEI_T *at = wei + (column + i % TN) * data->window.wei_o + i / TN * 64;
        if (i % TN < ncolumns) nv_prefetch_l2(at);
    }
}

ALWAYS_INLINE uint4 load_part(__global const ushort *from, uint is_wanted, const bool is_aligned)
{
    uint4 x = (uint4)(0);
    if (is_aligned) {
        x = nv_load_16_or_0(from, is_wanted);
    } else if (is_wanted) {
        x = (uint4)(from[0] | (uint)from[1] << 16, from[2] | (uint)from[3] << 16,
                from[4] | (uint)from[5] << 16, from[6] | (uint)from[7] << 16);
    }
    return x;
}

// `from`: the row's first element of the block, which has `room` channels.
ALWAYS_INLINE part_t load_src(
        __global const SRC_T *from, uint is_wanted, int room, int lane, const bool is_aligned)
{
    return load_part((__global const ushort *)from + lane % 4 * 8,
            is_wanted & (lane % 4 * 8 < room), is_aligned);
}

// Of 8 columns, wei_o apart but for the last.
ALWAYS_INLINE part_b_t load_weights(__global const WEI_T *from, long wei_o, int last, uint is_wanted,
        int room, int lane, const bool is_aligned)
{
    return load_part((__global const ushort *)from + min(lane / 4, last) * wei_o + lane % 4 * 8,
            is_wanted & (lane % 4 * 8 < room), is_aligned);
}

// acc[4] += 16 rows × 8 columns; rows: lane / 4 and lane / 4 + 8.
ALWAYS_INLINE void multiply(float *acc, const part_t *low, const part_t *high, const part_b_t *b)
{
    const mma_a_t first = {{low->s0, high->s0, low->s1, high->s1}};
    const mma_a_t second = {{low->s2, high->s2, low->s3, high->s3}};
    mma_multiply_8(acc, &first, b->s0, b->s1);
    mma_multiply_8(acc, &second, b->s2, b->s3);
}

#else

typedef struct {
    float x[BLOCK];
} part_t;
typedef struct {
    float x[2][BLOCK]; // the work-item's two columns
} part_b_t;

static inline part_t load_src(
        __global const SRC_T *from, uint is_wanted, int room, int lane, const bool is_aligned)
{
    part_t part;
    for (int k = 0; k < BLOCK; ++k) part.x[k] = is_wanted && k < room ? SRC_LOAD(from, k) : 0;
    return part;
}

static inline part_b_t load_weights(__global const WEI_T *from, long wei_o, int last,
        uint is_wanted, int room, int lane, const bool is_aligned)
{
    part_b_t part;
    for (int e = 0; e < 2; ++e) {
        __global const WEI_T *column = from + min(lane % 4 * 2 + e, last) * wei_o;
        for (int k = 0; k < BLOCK; ++k)
            part.x[e][k] = is_wanted && k < room ? WEI_LOAD(column, k) : 0;
    }
    return part;
}

static inline void multiply(
        float *acc, const part_t *low, const part_t *high, const part_b_t *b)
{
    for (int e = 0; e < 4; ++e) {
        const part_t *row = e < 2 ? low : high;
        for (int k = 0; k < BLOCK; ++k) acc[e] = fma(row->x[k], b->x[e % 2][k], acc[e]);
    }
}

#endif

// Where a warp stands in K.
typedef struct {
    int tap, block; // of the tap's channels
} cursor_t;

static inline cursor_t cursor_at(const ocl_conv_mma_split_k_data_t *data, int warp)
{
    cursor_t cursor = {warp, 0};
    cursor.block = divide_off(&cursor.tap, data->blocks_c);
    return cursor;
}

ALWAYS_INLINE void cursor_advance(cursor_t *cursor, const ocl_conv_mma_split_k_data_t *data)
{
    cursor->tap += data->taps_left;
    cursor->block += data->blocks_c_left;
    if (cursor->block >= data->blocks_c.n) {
        cursor->block -= data->blocks_c.n;
        ++cursor->tap;
    }
}

// The blocks of a warp: its sums of the tile.
ALWAYS_INLINE void multiply_blocks(float *acc, const ocl_conv_mma_split_k_data_t *data,
        __local const row_t *rows, __local const int2 *taps, __global const SRC_T *src,
        __global const WEI_T *wei, int column, int item, const bool is_aligned)
{
    const int lane = item % 32, ntaps = data->window.ntaps;
    const int last = data->window.geo.oc - 1 - column, channels = data->window.geo.ic;
    const long wei_o = data->window.wei_o;
    cursor_t cursor = cursor_at(data, item / 32);
    int src_off[ROWS];
    uint inside[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        src_off[r] = rows[r * 8 + lane / 4].src_off;
        inside[r] = rows[r * 8 + lane / 4].taps;
    }
    wei += column * wei_o;
#pragma unroll 1
    while (cursor.tap < ntaps) {
        part_t a[BATCH][ROWS];
        part_b_t b[BATCH][COLS];
        const cursor_t first = cursor;
#pragma unroll
        for (int u = 0; u < BATCH; ++u) {
            const uint is_deep = cursor.tap < ntaps;
            const int tap = is_deep ? cursor.tap : 0, c = cursor.block * BLOCK;
            const int off = taps[tap].s0 + c;
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                a[u][r] = load_src(src + src_off[r] + off, is_deep & (inside[r] >> tap),
                        channels - c, lane, is_aligned);
            cursor_advance(&cursor, data);
        }
        cursor = first;
#pragma unroll
        for (int u = 0; u < BATCH; ++u) {
            const uint is_deep = cursor.tap < ntaps;
            const int tap = is_deep ? cursor.tap : 0, c = cursor.block * BLOCK;
            const int off = taps[tap].s1 + c;
#pragma unroll
            for (int i = 0; i < COLS; ++i)
                b[u][i] = load_weights(wei + i * 8 * wei_o + off, wei_o, last - i * 8,
                        is_deep & (last >= i * 8), channels - c, lane, is_aligned);
            cursor_advance(&cursor, data);
        }
#pragma unroll
        for (int u = 0; u < BATCH; ++u)
#pragma unroll
            for (int r = 0; r < ROWS; r += 2)
#pragma unroll
                for (int i = 0; i < COLS; ++i)
                    multiply(acc + (r / 2 * COLS + i) * 4, &a[u][r], &a[u][r + 1], &b[u][i]);
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_mma_split_k(
        WINDOW_PARAMS(ocl_conv_mma_split_k_data_t) CONV_EPILOGUE_PARAMS)
{
    WINDOW_DECLARE(ocl_conv_mma_split_k_data_t);
    CONV_EPILOGUE_DECLARE(epilogue, quant, CONV_BIA_START, dst);
    __local float sums[WARPS * TM * PITCH] __attribute__((aligned(16)));
    __local row_t rows[TM];
    __local int2 taps[MAX_TAPS];
    const ocl_conv_mma_split_k_data_t *data = &sizes;
    const int item = (int)get_local_id(0), lane = item % 32;
    int tile = (int)get_group_id(0);
    const int column = divide_off(&tile, sizes.ntiles_n) * TN, pixel = tile * TM;
    src += src_off;
    wei += wei_off;
#if MMA
    fetch_weights(data, wei, column, tile, item);
#endif
    const bool is_aligned = (((ulong)src | (ulong)wei) & 15) == 0;
    const int tap = item - (ITEMS - sizes.window.ntaps);
    if (item < TM) {
        row_t row;
        find_row(&row, &data->window, pixel + item);
        rows[item] = row;
    }
    if (tap >= 0) taps[tap] = find_tap(&data->window, tap);
    barrier(CLK_LOCAL_MEM_FENCE);

    float acc[ROWS / 2 * COLS * 4];
#pragma unroll
    for (int i = 0; i < ROWS / 2 * COLS * 4; ++i) acc[i] = 0;
    if (is_aligned)
        multiply_blocks(acc, data, rows, taps, src, wei, column, item, true);
    else
        multiply_blocks(acc, data, rows, taps, src, wei, column, item, false);

    __local float *own = sums + item / 32 * (TM * PITCH) + lane / 4 * PITCH + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < ROWS / 2 * COLS * 4; i += 2) {
        const int at = (i / 4 / COLS * 16 + i % 4 * 4) * PITCH + i / 4 % COLS * 8;
        *(__local float2 *)(own + at) = (float2)(acc[i], acc[i + 1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < TM * TN / 4; i += ITEMS) {
        const int r = i / (TN / 4), c = i % (TN / 4) * 4;
        const row_t row = rows[r];
        if (!row.is_inside || column + c >= sizes.window.geo.oc) continue;
        float4 sum = vload4(0, sums + r * PITCH + c);
#pragma unroll
        for (int w = 1; w < WARPS; ++w) sum += vload4(0, sums + w * (TM * PITCH) + r * PITCH + c);
        float x[4];
        vstore4(sum, 0, x);
        put_four(&epilogue, &sizes.window, &row, pixel + r, x, 0, column + c, dst_off);
    }
}
