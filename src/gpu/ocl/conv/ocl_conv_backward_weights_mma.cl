// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias of f16 and bf16, NHWC, as an implicit matrix product by `mma.sync`:
// OC × pixels times pixels × columns (clh/conv_backward_weights.h). A work-group computes a tile of BM channels × BN
// columns. Slices of both operands, DEPTH pixels, go through STAGES pipeline stages in local memory as they lie in
// global memory, channels side by side, and are read across; each warp multiplies a WM × WN part by the
// micro-kernel of clh/mma.h. Where the pixels of a slice lie is found once for the work-group, one slice before
// they are copied.
//
// The pixels are split over work-groups (y): partial sums go to the scratchpad, and conv_backward_weights_sum adds
// them in a fixed order. The groups of the first column of tiles sum the bias beside it.
//
//   data           sizes and strides
//   src, src_off   [N, in…, G·IC] by strides, SRC_T; strides multiples of 8 elements, as is IC unless SRC_CHUNKS is 0
//   dst, dst_off   diff_dst, [N, out…, G·OC] by strides, DST_T, the type of src; strides and OC multiples of 8
//   wei, wei_off   diff_weights by strides, WEI_T; written if data->nsplits is 1
//   bia, bia_off   diff_bias [G·OC], BIA_T; if HAS_BIAS
//   partial, partial_off   [split][data->npartial]: [G][OC][columns], then [G·OC], f32; written if there are splits
// Starts need not be aligned; unaligned elements are copied one by one.
// Grid: x = tiles of channels · tiles of columns · G, y = splits, in work-groups of BM/WM · BN/WN · 32 work-items.
// Local memory: STAGES·128·(BM + BN) bytes or 4·BM·(BN + 8), and 2·20·DEPTH.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own) over the pixels of a
//   split; splits are added in a fixed order.
// -D: SRC, DST, WEI, BIA, HAS_BIAS, SRC_CHUNKS (eight columns from a multiple of eight on are channels side by side),
//   those of clh/conv_backward_weights.h with BY_TAP=1, of clh/mma.h (MMA 0: plain C instead of the unit) and
//   clh/mma_warp.h with WEI_ALONG_K=0 and MMA_ROWS_ACROSS_BYTES, of clh/async_copy.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_backward_weights_mma needs SRC, WEI, BIA, DST"
#endif
#if !defined(HAS_BIAS) || !defined(SRC_CHUNKS) || WEI_ALONG_K != 0 || !defined(MMA_ROWS_ACROSS_BYTES)
#error "ocl_conv_backward_weights_mma lacks an option"
#endif

#include "clh/async_copy.h"
#include "clh/conv_backward_weights.h"
#include "clh/io.h"
#include "clh/mma.h"
#include "clh/mma_warp.h"

// Chunks of 16 bytes; the work-items that copy a pixel's, and how many pixels they go through.
#define CHUNK 8
#define A_LANES (BM / CHUNK)
#define B_LANES (BN / CHUNK)
#define A_STEP (ITEMS / A_LANES)
#define B_STEP (ITEMS / B_LANES)
#define NA (DEPTH / A_STEP)
#define NB (DEPTH / B_STEP)

#if NA * A_STEP != DEPTH || NB * B_STEP != DEPTH || ITEMS < DEPTH || ITEMS < BM
#error "items do not share the slices evenly"
#endif

// Plain C in the place of the unit is as long as it is: unrolled it takes a minute to compile.
#if MMA
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("unroll 1")
#endif

// Where the pixels of a slice lie: offset in diff_dst, −1 if there is none, offset and position in src.
typedef struct {
    int4 pixels[DEPTH];
    int depths[HAS_DEPTH ? DEPTH : 1];
} table_t;

// What a work-item copies: a chunk of channels of diff_dst and one of columns, of several pixels.
typedef struct {
    __global const ushort *src, *dst;
    int m, past;        // its first channel; the split's end: slices are whole but the last of all
    bool has_channels, is_aligned;
    int a_k, b_k;       // its first pixels of a slice
    int a_place, b_place;
#if SRC_CHUNKS
    column_t column;
#else
    int offs[CHUNK], ats[CHUNK]; // of columns: depth, height and width in 10 bits each
#endif
} loader_t;

ALWAYS_INLINE void loader_init(loader_t *f, sizes_t data, int m, int n, int item)
{
    const int a = item % A_LANES, b = item % B_LANES;
    f->a_k = item / A_LANES;
    f->b_k = item / B_LANES;
    f->m = m + a * CHUNK;
    f->has_channels = f->m < data->oc;
    f->a_place = mma_place_rows_across(f->a_k, a);
    f->b_place = TILE_A + mma_place_across(f->b_k, b);
    f->is_aligned = (((ulong)f->src | (ulong)f->dst) & 15) == 0;
    // Columns behind the last are multiplied, but not stored.
    n += b * CHUNK;
#if SRC_CHUNKS
    f->column = column_at(data, min(n, data->ncolumns - CHUNK));
#else
    UNROLL
    for (int e = 0; e < CHUNK; ++e) {
        const column_t column = column_at(data, min(n + e, data->ncolumns - 1));
        f->offs[e] = column.off;
        f->ats[e] = column.at[0] << 20 | column.at[1] << 10 | column.at[2];
    }
#endif
}

// The pixels from k on; a barrier must follow.
ALWAYS_INLINE void find_pixels(__local table_t *table, sizes_t data, int k, int item)
{
    if (item >= DEPTH) return;
    const pixel_t pixel = pixel_at(data, k + item);
    table->pixels[item] =
            (int4)(pixel.exists ? pixel.dst_off : -1, pixel.src_off, pixel.at[1], pixel.at[2]);
    if (HAS_DEPTH) table->depths[item] = pixel.at[0];
}

ALWAYS_INLINE pixel_t pixel_of(__local const table_t *table, int i)
{
    const int4 found = table->pixels[i];
    const pixel_t pixel = {found.s0, found.s1, {HAS_DEPTH ? table->depths[HAS_DEPTH ? i : 0] : 0, found.s2, found.s3},
            found.s0 >= 0};
    return pixel;
}

// Eight elements side by side, or zeros.
ALWAYS_INLINE void copy_chunk(__local uchar *memory, int to, __global const ushort *from, bool exists,
        bool is_aligned)
{
    if (is_aligned) {
        copy_16_part(copy_place(memory + to), from, exists ? 16 : 0);
        return;
    }
#pragma unroll 1
    for (int i = 0; i < CHUNK; ++i)
        *(__local ushort *)(memory + to + i * 2) = exists ? from[i] : (ushort)0;
}

#if !SRC_CHUNKS

// Eight columns of a pixel that are under several taps.
ALWAYS_INLINE void gather_chunk(__local uchar *memory, int to, const loader_t *f, sizes_t data,
        const pixel_t *pixel)
{
    uint x[CHUNK];
    UNROLL
    for (int e = 0; e < CHUNK; ++e) {
        const column_t column = {
                f->offs[e], {f->ats[e] >> 20, f->ats[e] >> 10 & 1023, f->ats[e] & 1023}};
        x[e] = meets(data, pixel, &column) ? f->src[pixel->src_off + column.off] : 0;
    }
    *(__local uint4 *)(memory + to) = (uint4)(x[0] | x[1] << 16, x[2] | x[3] << 16, x[4] | x[5] << 16,
            x[6] | x[7] << 16);
}

#endif

// The work-item's part of a slice to the stage `stage` bytes behind the first.
ALWAYS_INLINE void load_slice(const loader_t *f, sizes_t data, __local const table_t *table,
        __local uchar *memory, int stage)
{
    UNROLL
    for (int e = 0; e < NA; ++e) {
        const int off = table->pixels[f->a_k + e * A_STEP].s0;
        const bool exists = off >= 0 && f->has_channels;
        copy_chunk(memory, stage + f->a_place + e * (A_STEP * MMA_ROWS_ACROSS_BYTES),
                f->dst + (exists ? off + f->m : 0), exists, f->is_aligned);
    }
    UNROLL
    for (int e = 0; e < NB; ++e) {
        const pixel_t pixel = pixel_of(table, f->b_k + e * B_STEP);
        const int to = stage + f->b_place + e * (B_STEP * MMA_ACROSS_BYTES);
#if SRC_CHUNKS
        const bool exists = meets(data, &pixel, &f->column);
        copy_chunk(memory, to, f->src + (exists ? pixel.src_off + f->column.off : 0), exists, f->is_aligned);
#else
        gather_chunk(memory, to, f, data, &pixel);
#endif
    }
}

// What channel `item` of the tile adds to the bias.
ALWAYS_INLINE float sum_channel(__local const uchar *stage, int item)
{
    float sum = 0.0f;
    for (int p = 0; p < DEPTH; ++p) {
        const ushort bits = *(__local const ushort *)(stage + mma_place_rows_across(p, item / 8) + item % 8 * 2);
        sum += mma_float_of(bits);
    }
    return sum;
}

// Slices of pixels [k, past); row, col: of the warp in the tile.
ALWAYS_INLINE void multiply_slices(sum_t acc[BLOCKS_M][BLOCKS_N][8], float *bias, loader_t *f, sizes_t data,
        __local table_t *tables, __local uchar *memory, int k, bool has_bias, int row, int col, int item)
{
    const copy_place_t place = copy_place(memory);
    const int nslices = (f->past - k + DEPTH - 1) / DEPTH, lane = item % 32;
    mma_a_t as[2][BLOCKS_M];
    mma_b_t bs[2][BLOCKS_N];
    int read = 0, write = (STAGES - 1) * STAGE;
    find_pixels(&tables[0], data, k, item);
#pragma unroll 1
    for (int s = 0; s < STAGES - 1; ++s) {
        barrier(CLK_LOCAL_MEM_FENCE);
        find_pixels(&tables[(s + 1) & 1], data, k + (s + 1) * DEPTH, item);
        if (s < nslices) load_slice(f, data, &tables[s & 1], memory, s * STAGE);
        copy_close();
    }
#pragma unroll 1
    for (int s = 0; s < nslices; ++s) {
        const int next = s + STAGES - 1;
        // The slice has arrived, and no work-item reads the one before any more.
        copy_wait(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        warp_read(as[0], bs[0], place + read, row, col, 0, lane);
        if (next < nslices) load_slice(f, data, &tables[next & 1], memory, write);
        copy_close();
        find_pixels(&tables[(next + 1) & 1], data, k + (next + 1) * DEPTH, item);
        UNROLL
        for (int p = 0; p < STEPS; ++p) {
            if (p + 1 < STEPS)
                warp_read(as[(p + 1) & 1], bs[(p + 1) & 1], place + read, row, col, p + 1, lane);
            warp_multiply(acc, as[p & 1], bs[p & 1]);
        }
        if (has_bias) *bias += sum_channel(memory + read, item);
        read = read + STAGE == STAGES * STAGE ? 0 : read + STAGE;
        write = write + STAGE == STAGES * STAGE ? 0 : write + STAGE;
    }
}

// Four columns from n on of a channel to the partial sums, or to diff_weights.
ALWAYS_INLINE void put_four(sizes_t data, __local const sum_t *x, int g, int m, int n,
        __global float *partial, __global WEI_T *wei)
{
    if (partial) {
        partial += (long)(g * data->oc + m) * data->ncolumns + n;
        if (n + 4 <= data->ncolumns && ((ulong)partial & 15) == 0) {
            *(__global float4 *)partial = *(__local const float4 *)x;
            return;
        }
    }
#pragma unroll 1
    for (int e = 0; e < 4 && n + e < data->ncolumns; ++e) {
        if (partial)
            partial[e] = x[e];
        else
            WEI_STORE(wei, weight_off(data, g, m, n + e), x[e]);
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_backward_weights_mma(
        sizes_t data, __global const SRC_T *src, long src_off, __global const DST_T *dst, long dst_off,
        __global WEI_T *wei, long wei_off, __global BIA_T *bia, long bia_off, __global float *partial,
        long partial_off)
{
    __local uint4 memory[LOCAL_BYTES / 16] __attribute__((aligned(1024)));
    __local table_t tables[2];
    const int item = (int)get_local_id(0), lane = item % 32, warp = item / 32;
    const int y = (int)get_group_id(1), first = y * data->split_pixels;
    int g = (int)get_group_id(0);
    const int m = divide_off(&g, data->ntiles_m) * BM, n = divide_off(&g, data->ntiles_n) * BN;
    const bool has_bias = HAS_BIAS && n == 0 && item < BM;
    loader_t loader;
    loader.src = (__global const ushort *)src + src_off + g * data->src_g;
    loader.dst = (__global const ushort *)dst + dst_off + g * data->dst_g;
    loader.past = min(first + data->split_pixels, data->npixels);
    loader_init(&loader, data, m, n, item);
    const int row = warp % WARPS_M * WM, col = warp / WARPS_M * WN;
    sum_t acc[BLOCKS_M][BLOCKS_N][8];
    float bias_sum = 0.0f;
    warp_clear(acc);
    multiply_slices(acc, &bias_sum, &loader, data, tables, (__local uchar *)memory, first, has_bias, row, col, item);

    __local sum_t *sums = (__local sum_t *)memory;
    partial = data->nsplits > 1 ? partial + partial_off + y * data->npartial : 0;
    copy_wait(0);
    barrier(CLK_LOCAL_MEM_FENCE); // no work-item reads slices there any more
    warp_keep(acc, sums, row, col, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (int i = item; i < BM * BN / 4; i += ITEMS) {
        const int r = i / (BN / 4), c = i % (BN / 4) * 4;
        if (m + r < data->oc && n + c < data->ncolumns)
            put_four(data, sums + r * PITCH + c, g, m + r, n + c, partial, wei + wei_off);
    }
#if HAS_BIAS
    const int channel = g * data->oc + m + item;
    if (!has_bias || m + item >= data->oc) return;
    if (partial)
        partial[(long)data->ngroups * data->oc * data->ncolumns + channel] = bias_sum;
    else
        BIA_STORE(bia, bia_off + channel, bias_sum);
#endif
}
