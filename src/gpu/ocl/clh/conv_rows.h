// SPDX-License-Identifier: Apache-2.0
// Operands of a convolution with few input channels for WGMMA, which takes pixels × K from registers and K × outputs
// from local memory. A row of the window is a contiguous run of src, so K is the NROWS rows of the window, ROW_CHUNKS
// chunks of 8 elements each: `lead` elements in front (0 or 1), the row's taps with their channels, and padding to
// full chunks. In the padding weights are zero, and src is replaced by zeros too, as it may be NaN beside a row.
//
//     weights_copy(…)    the work-items of a group: a block of BN filters to local memory, as stored,
//     weights_spread(…)  and in the layout of `wgmma`
//     weights_fill(…)    both for filters of any strides
//     window_of(…)       where a pixel's window lies, and which of it is inside
//     window_load(…)     a work-item's words of it
//     rows_multiply(…)   16 indices of K: sums of 64 pixels × 64 filters
//
// Needs clh/wgmma.h, clh/mma_tile.h, clh/conv_wgmma.h; NROWS, ROW_CHUNKS; PAIRS (elements can be read in pairs: the
// offsets of all rows are even, or all are odd).
#ifndef CLH_CONV_ROWS_H
#define CLH_CONV_ROWS_H

#include "clh/always_inline.h"
#include "clh/nv/nv_cp_async.h"
#include "clh/nv/nv_global.h"
#include "clh/nv/nv_opaque.h"
#include "clh/nv/nv_wgmma.h"
#include "clh/prefetch_l2.h"

#define DEPTH_CHUNKS (NROWS * ROW_CHUNKS)
#define DEPTH_STEPS ((DEPTH_CHUNKS + 1) / 2) // of 16 elements
#define SLICES ((DEPTH_STEPS + 3) / 4)       // of 64
#define SLICE_BYTES (BN * MMA_ROW_BYTES)
#define ROWS_ITEMS 128 // of a group
#define RAW_LEAD 16    // bytes in front of filters: a word from the element before them on is read
#define RAW_BYTES (RAW_LEAD + BN * DEPTH_CHUNKS * 16 + 16)

#if RETARGET

// An element of read-only global memory, or zero.
#define load_element nv_load_2_or_0
#define load_word nv_load_4_or_0

#else

ALWAYS_INLINE uint load_element(__global const ushort *from, uint is_wanted)
{
    return is_wanted ? *from : 0;
}

// What a device would fault on is NaN.
ALWAYS_INLINE uint load_word(__global const ushort *from, uint is_wanted)
{
    if (!is_wanted) return 0;
    return ((ulong)from & 3) == 0 ? *(__global const uint *)from : 0xffffffffu;
}

#endif

// Offset of element k of K in a filter, or −1 where it is no tap.
ALWAYS_INLINE int weights_offset(const ocl_conv_rows_data_t *data, int k, int lead)
{
    const int row = k / (ROW_CHUNKS * CHUNK), j = k % (ROW_CHUNKS * CHUNK) - lead;
    if (row >= NROWS || j < 0 || j >= data->row_elems) return -1;
    const int channels = data->base.geo.ic, tap = j / channels;
    return row * (int)data->wei_s[1] + tap * (int)data->wei_s[0] +
           (j - tap * channels) * (int)data->wei_c;
}

// The filters from `first` on as `wgmma` reads them, of any strides. A warp takes BN/4 filters, a work-item
// two elements of them at a time: its loads run together.
ALWAYS_INLINE void weights_fill(__local ushort *to, const ocl_conv_rows_data_t *data,
        __global const ushort *wei, int first, int lead, int item)
{
    const int lane = item % 32, own = item / 32 * (BN / 4);
    wei += own * data->base.wei_o;
    const int nfilters = data->base.geo.oc - first - own;
#pragma unroll 1
    for (int k = lane; k < SLICES * DEPTH; k += 64) {
        const int offs[2] = {weights_offset(data, k, lead), weights_offset(data, k + 32, lead)};
        ushort x[2][BN / 4];
#pragma unroll
        for (int i = 0; i < BN / 2; ++i)
            x[i % 2][i / 2] = (ushort)load_element(wei + offs[i % 2] + i / 2 * data->base.wei_o,
                    offs[i % 2] >= 0 && i / 2 < nfilters);
#pragma unroll
        for (int i = 0; i < BN / 2; ++i) {
            const int at = k % DEPTH + i % 2 * 32;
            to[(k / DEPTH * SLICE_BYTES + mma_place(own + i / 2, at / CHUNK)) / 2 + at % CHUNK] =
                    x[i % 2][i / 2];
        }
    }
}

// Whether filters are pieces of memory that follow each other, from a multiple of 16 bytes on.
ALWAYS_INLINE bool are_dense(const ocl_conv_rows_data_t *data, __global const ushort *wei)
{
    return (NROWS == 1 || data->wei_s[1] == data->row_elems) && data->wei_c == 1 &&
           data->wei_s[0] == data->base.geo.ic && data->base.wei_o == NROWS * data->row_elems &&
           ((ulong)wei & 15) == 0;
}

// Such filters as they are, by asynchronous copies; they start RAW_LEAD bytes behind `raw`.
ALWAYS_INLINE void weights_copy(
        __local uchar *raw, const ocl_conv_rows_data_t *data, __global const ushort *wei,
        int first, int item)
{
    const int nbytes = min(data->base.geo.oc - first, BN) * (int)data->base.wei_o * 2;
#if RETARGET
    const uint to = wgmma_place(raw) + RAW_LEAD;
#pragma unroll 1
    for (int at = item * 16; at < nbytes; at += ROWS_ITEMS * 16)
        nv_cp_async_16_zfill(
                to + at, (__global const uchar *)wei + at, (uint)min(nbytes - at, 16));
#else
    const int whole = (nbytes + 15) / 16 * 16; // what is left of the last 16 bytes becomes zeros
    for (int at = item; at < whole; at += ROWS_ITEMS)
        raw[RAW_LEAD + at] = at < nbytes ? ((__global const uchar *)wei)[at] : (uchar)0;
#endif
}

ALWAYS_INLINE void weights_wait(void)
{
#if RETARGET
    nv_cp_async_wait_all();
#endif
}

#define SPREAD_BATCH 8 // filters whose words are read before any is stored

// What weights_copy() brought, as `wgmma` reads it: a warp takes every fourth filter, a work-item words. What
// stands in the place of missing filters is multiplied, and nobody stores it.
ALWAYS_INLINE void weights_spread(__local uint *to, __local const uchar *raw,
        const ocl_conv_rows_data_t *data, int lead, int item)
{
    const int lane = item % 32, warp = item / 32, wei_o = (int)data->base.wei_o;
#pragma unroll
    for (int s = 0; s < SLICES; ++s) {
        const int k = s * 32 + lane, chunk = k / 4, row = min(chunk / ROW_CHUNKS, NROWS - 1);
        const int j = chunk % ROW_CHUNKS * CHUNK + k % 4 * 2 - lead;
        const int from = warp * wei_o + row * data->row_elems + j + RAW_LEAD / 2;
        const uint shift = from % 2 * 16;
        const uint span = chunk < DEPTH_CHUNKS ? (uint)data->row_elems : 0;
        const uint mask =
                ((uint)j < span ? 0xffffu : 0) | ((uint)(j + 1) < span ? 0xffff0000u : 0);
        __local const uint *words = (__local const uint *)raw + from / 2;
        // Filters f and f + 8 state their chunks alike.
        __local uint *const places[2] = {to + (mma_place(warp, chunk % 8) + k % 4 * 4) / 4,
                to + (mma_place(warp + 4, chunk % 8) + k % 4 * 4) / 4};
#pragma unroll
        for (int f = 0; f < BN; f += 4 * SPREAD_BATCH) {
            uint low[SPREAD_BATCH], high[SPREAD_BATCH];
#pragma unroll
            for (int i = 0; i < SPREAD_BATCH; ++i) {
                low[i] = words[(f / 4 + i) * 2 * wei_o];
                high[i] = words[(f / 4 + i) * 2 * wei_o + 1];
            }
#pragma unroll
            for (int i = 0; i < SPREAD_BATCH; ++i)
                places[i % 2][(s * SLICE_BYTES + (f / 8 + i / 2) * 8 * MMA_ROW_BYTES) / 4] =
                        (uint)((low[i] | (ulong)high[i] << 32) >> shift) & mask;
        }
    }
}

// What a work-item knows of the window of a pixel: it reads two elements of every chunk.
typedef struct {
    __global const ushort *first; // the work-item's of the first row
    uint rows;                    // bit r: row r is inside
    uint masks[ROW_CHUNKS];       // which bits of a chunk's word are
} window_t;

// `lane_first`: 2·(lane % 4). Pixel: of dst; none where its image is outside.
ALWAYS_INLINE window_t window_of(const ocl_conv_rows_data_t *data, __global const ushort *src,
        int3 pixel, int lead, int lane_first)
{
    const ocl_conv_boxes_t *sizes = &data->base.boxes;
    const int channels = data->base.geo.ic;
    const int x = pixel.s0 * sizes->step[0] - sizes->pad[0];
    const int y = pixel.s1 * sizes->step[1] - sizes->pad[1];
    const int left = lead + max(-x, 0) * channels;
    const int right = lead + min((sizes->src_size[0] - x) * channels, data->row_elems);
    const uint span = pixel.s2 < sizes->src_size[2] ? (uint)max(right - left, 0) : 0;
    window_t window;
    window.first = src + pixel.s2 * (sizes->src_s[2] / 2) + y * (sizes->src_s[1] / 2) +
                   (x * channels - lead + lane_first);
    window.rows = 0;
#pragma unroll
    for (int r = 0; r < NROWS; ++r)
        window.rows |= (uint)(y + r * sizes->tap_step[1]) < (uint)sizes->src_size[1] ? 1u << r : 0;
#pragma unroll
    for (int q = 0; q < ROW_CHUNKS; ++q) {
        const int j = q * CHUNK + lane_first - left;
        window.masks[q] = ((uint)j < span ? 0xffffu : 0) | ((uint)(j + 1) < span ? 0xffff0000u : 0);
    }
    return window;
}

// Prefetches the windows of a work-item's two pixels into the L2 cache; four work-items share them.
ALWAYS_INLINE void windows_fetch(
        const ocl_conv_rows_data_t *data, __global const ushort *src, const int3 *pixels, int lane)
{
    const ocl_conv_boxes_t *sizes = &data->base.boxes;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int x = max(pixels[i].s0 * sizes->step[0] - sizes->pad[0], 0);
        const int y = pixels[i].s1 * sizes->step[1] - sizes->pad[1], image = pixels[i].s2;
        __global const ushort *first =
                src + (image * (sizes->src_s[2] / 2) + x * data->base.geo.ic);
        const bool is_inside = x < sizes->src_size[0] && image < sizes->src_size[2];
#pragma unroll
        for (int r = 0; r < NROWS; r += 4) {
            const int row = y + (r + lane % 4) * sizes->tap_step[1];
            if ((uint)row < (uint)sizes->src_size[1] && r + lane % 4 < NROWS && is_inside)
                prefetch_l2(first + row * (sizes->src_s[1] / 2));
        }
    }
}

// The work-item's two elements of a chunk of K. A word that holds an element of src may be read: an
// allocation is whole words.
ALWAYS_INLINE uint window_load(const window_t *window, long row_step, const int chunk)
{
    if (chunk >= DEPTH_CHUNKS) return 0;
    const int row = chunk / ROW_CHUNKS, q = chunk % ROW_CHUNKS;
    const uint mask = window->rows & 1u << row ? window->masks[q] : 0;
    __global const ushort *from = window->first + row * row_step + q * CHUNK;
#if PAIRS
    return load_word(from, mask) & mask;
#else
    return load_element(from, mask & 1) | load_element(from + 1, mask >> 16) << 16;
#endif
}

#if RETARGET

#if BN != 64
#error "clh/conv_rows.h needs BN=64"
#endif

// Step `p` of a slice of K. a: rows r and r + 8 of the first chunk, then of the second; they
// stay until wgmma_wait_all(). lanes: four words for each work-item of the group.
ALWAYS_INLINE void rows_multiply(
        float *d, const uint *a, wgmma_operand_t b, const int p, __local uint *lanes)
{
    (void)lanes;
    nv_wgmma_registers(d, a, b + p * 2);
}

// Registers that a multiplication reads are not used for anything else before here.
#define rows_keep nv_keep_4

#else

// Element q of the 16 of a step in row `row` of the warp's 16, as the work-items hold them.
static inline float rows_element(__local const uint *lanes, int row, int q)
{
    const int owner = (int)get_local_id(0) / 32 * 32 + row % 8 * 4 + q % 8 / 2;
    const uint word = lanes[owner * 4 + q / 8 * 2 + row / 8];
    const ushort bits = (ushort)(q % 2 ? word >> 16 : word);
#if MMA_TYPE == DT_BF16
    return as_float((uint)bits << 16);
#else
    return vload_half(0, (const half *)&bits);
#endif
}

ALWAYS_INLINE void rows_multiply(
        float *d, const uint *a, wgmma_operand_t b, const int p, __local uint *lanes)
{
    const int item = (int)get_local_id(0), lane = item % 32;
    for (int i = 0; i < 4; ++i) lanes[item * 4 + i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (int i = 0; i < WGMMA_SUMS; ++i) {
        const int row = lane / 4 + (i & 2 ? 8 : 0), col = i / 4 * 8 + lane % 4 * 2 + (i & 1);
        float sum = d[i];
#pragma unroll 1
        for (int q = 0; q < 16; ++q)
            sum += rows_element(lanes, row, q) * wgmma_element(b, col, p * 16 + q, 0);
        d[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

ALWAYS_INLINE void rows_keep(const uint *a)
{
    (void)a;
}

#endif

#endif
