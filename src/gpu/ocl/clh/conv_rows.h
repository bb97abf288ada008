// SPDX-License-Identifier: Apache-2.0
// Operands of a convolution whose window is a few rows of neighbouring elements, for matrix units that
// take pixels × depth from registers and depth × outputs from local memory. The depth runs over the
// NROWS rows of the window, ROW_CHUNKS chunks of 8 elements each: `lead` elements in front (0 or 1),
// the row's taps with their channels, and what is left of the chunks. Weights there are zeros, and so is
// what meets them: src may hold NaN beside a row.
//
//     weights_fill(…)    the items of a group: a block of BN filters
//     window_of(…)       where a pixel's window lies, and which of it is inside
//     window_load(…)     an item's words of it
//     rows_multiply(…)   16 elements of the depth: sums of 64 pixels × 64 filters
//
// Needs clh/wgmma.h, clh/mma_tile.h, clh/conv_wgmma.h; NROWS, ROW_CHUNKS; PAIRS (elements can be read by
// twos: all rows start at even, or all at odd distances).
#ifndef CLH_CONV_ROWS_H
#define CLH_CONV_ROWS_H

#define DEPTH_CHUNKS (NROWS * ROW_CHUNKS)
#define DEPTH_STEPS ((DEPTH_CHUNKS + 1) / 2) // of 16 elements
#define SLICES ((DEPTH_STEPS + 3) / 4)       // of 64
#define SLICE_BYTES (BN * MMA_ROW_BYTES)

// Twin of ocl_conv_rows_data_t.
typedef struct {
    conv_data_t base;       // boxes: unsimplified, one tile
    long wei_c, wei_s[2];   // strides of channels and taps: width, height
    int row_elems, reserved; // taps of a row with their channels
} rows_data_t;

// An element from global memory that nobody writes, or zero.
ALWAYS_INLINE uint load_element(__global const ushort *from, uint is_wanted)
{
    ushort x;
    __asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q, %2, 0;\n\tmov.u16 %0, 0;\n\t"
                   "@q ld.global.nc.u16 %0, [%1];\n\t}"
                   : "=&h"(x)
                   : "l"(from), "r"(is_wanted));
    return x;
}

ALWAYS_INLINE uint load_word(__global const ushort *from, uint is_wanted)
{
    uint x;
    __asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q, %2, 0;\n\tmov.u32 %0, 0;\n\t"
                   "@q ld.global.nc.u32 %0, [%1];\n\t}"
                   : "=&r"(x)
                   : "l"(from), "r"(is_wanted));
    return x;
}

// Offset of element k of the depth in a filter, or −1 where it is no tap.
ALWAYS_INLINE int weights_offset(__local const rows_data_t *data, int k, int lead)
{
    const int row = k / (ROW_CHUNKS * CHUNK), j = k % (ROW_CHUNKS * CHUNK) - lead;
    if (row >= NROWS || j < 0 || j >= data->row_elems) return -1;
    const int channels = data->base.geo.ic, tap = j / channels;
    return row * (int)data->wei_s[1] + tap * (int)data->wei_s[0] +
           (j - tap * channels) * (int)data->wei_c;
}

// The filters from `first` on as `wgmma` reads them. A warp takes BN/4 filters, an item two elements of
// them at a time: its loads run together.
ALWAYS_INLINE void weights_fill(__local ushort *to, __local const rows_data_t *data,
        __global const ushort *wei, int first, int lead, int item)
{
    const int lane = item % 32, own = item / 32 * (BN / 4);
    wei += (long)(first + own) * data->base.wei_o;
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

// What an item knows of the window of a pixel: it reads two elements of every chunk.
typedef struct {
    __global const ushort *first; // the item's of the first row
    uint rows;                    // bit r: row r is inside
    uint masks[ROW_CHUNKS];       // which bits of a chunk's word are
} window_t;

// `lane_first`: 2·(lane % 4). Pixel: of dst; none where its image is outside.
ALWAYS_INLINE window_t window_of(__local const rows_data_t *data, __global const ushort *src,
        int3 pixel, int lead, int lane_first)
{
    __local const conv_boxes_t *sizes = &data->base.boxes;
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

// The item's two elements of a chunk of the depth. A word that holds an element of src may be read: an
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

#if BN == 64
#define ROWS_CODE \
    "wgmma.mma_async.sync.aligned.m64n64" WGMMA_TYPES " {" WGMMA_R32 \
    "}, {%32, %33, %34, %35}, %36, p, 1, 1, 0;"
#define ROWS_ONE "%37"
#else
#error "clh/conv_rows.h needs BN=64"
#endif

// a: rows r and r + 8 of the first chunk, then of the second; they stay until wgmma_wait_all().
ALWAYS_INLINE void rows_multiply(float *d, const uint *a, ulong b)
{
    __asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " ROWS_ONE ", 0;" WGMMA_MARK ROWS_CODE
                   "\n\t}"
                   : WGMMA_ALL
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1)
                   : "memory");
}

// Registers that a multiplication reads are not used for anything else before here.
ALWAYS_INLINE void rows_keep(const uint *a)
{
    __asm volatile("" : : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]) : "memory");
}

#endif
