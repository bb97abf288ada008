// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias of floats, for CPU-type devices, where a work-item is a thread of
// the processor: an implicit matrix product, OC × pixels times pixels × columns (clh/conv_backward_weights.h), without
// local memory. A work-item computes a tile of BM channels × BN columns: of DEPTH pixels at a time it packs both
// operands into panels in private memory, which stay in the caches, and multiplies panels by ROWS × COLS sums in
// registers.
//
// The pixels are split over work-items (y): partial sums go to the scratchpad, and a second kernel,
// conv_backward_weights_sum_cpu, adds them in the order of the splits. The work-items of the first column of tiles sum
// the bias beside it.
//
//   data           sizes and strides
//   src, src_off   [N, G·IC, in…] by strides, SRC_T
//   dst, dst_off   diff_dst, [N, G·OC, out…] by strides, DST_T
//   wei, wei_off   diff_weights by strides, WEI_T; written if data->nsplits is 1
//   bia, bia_off   diff_bias [G·OC], BIA_T; if HAS_BIAS
//   partial, partial_off   [split][data->npartial]: [G][OC][columns], then [G·OC], f32; written if there are splits
// Grid: (tiles of channels · tiles of columns · G, splits), of the second kernel (the same, BM / SUM_ROWS);
//   work-groups of one work-item.
// Numerics: f32 fma along the pixels of a split; splits are added in a fixed order.
// -D: SRC, DST, WEI, BIA, HAS_BIAS, BM, BN, SUM_ROWS (channels of BM that a work-item of the second kernel adds),
//   LANES = 4, 8, 16 of a vector, DST_RUNS (channels of diff_dst are contiguous), SRC_RUNS (and of src), WEI_RUNS
//   (columns are contiguous in diff_weights), those of clh/conv_backward_weights.h with BY_TAP = SRC_RUNS.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_backward_weights_packed_cpu needs SRC, WEI, BIA, DST"
#endif
#if !defined(BM) || !defined(BN) || !defined(SUM_ROWS) || !defined(LANES) || !defined(DST_RUNS) || \
        !defined(SRC_RUNS) || !defined(WEI_RUNS) || !defined(HAS_BIAS) || BY_TAP != SRC_RUNS
#error "ocl_conv_backward_weights_packed_cpu lacks an option"
#endif

#include "clh/always_inline.h"
#include "clh/conv_backward_weights.h"
#include "clh/io_vec.h"

#define VECTORS 2
#define COLS (LANES * VECTORS)
#define ROWS (LANES == 16 ? 8 : 6) // 16 of 32 registers, or 12 of 16
#define DEPTH 128                  // panels of two vectors of 16 lanes take 16 KiB
#define PANELS_M ((BM + ROWS - 1) / ROWS)
#define PANELS_N (BN / COLS)

#if LANES == 16
typedef float16 vec_t;
#define VLOAD vload16
#define VSTORE vstore16
#define SRC_VLOAD SRC_LOAD16
#define WEI_VSTORE WEI_STORE16
#elif LANES == 8
typedef float8 vec_t;
#define VLOAD vload8
#define VSTORE vstore8
#define SRC_VLOAD SRC_LOAD8
#define WEI_VSTORE WEI_STORE8
#elif LANES == 4
typedef float4 vec_t;
#define VLOAD vload4
#define VSTORE vstore4
#define SRC_VLOAD SRC_LOAD4
#define WEI_VSTORE WEI_STORE4
#else
#error "LANES is not 4, 8 or 16"
#endif

#if BN % COLS != 0
#error "a tile has whole panels of columns"
#endif

typedef struct {
    int g, m, n;           // group of channels, first channel and column in it
    int nchannels, ncolumns; // that there are
} tile_t;

static inline tile_t tile_of(sizes_t data, int index)
{
    tile_t tile;
    tile.m = divide_off(&index, data->ntiles_m) * BM;
    tile.n = divide_off(&index, data->ntiles_n) * BN;
    tile.g = index;
    tile.nchannels = min(data->oc - tile.m, BM);
    tile.ncolumns = min(data->ncolumns - tile.n, BN);
    return tile;
}

// Channels of `depth` pixels: [panel][DEPTH][ROWS], zeros behind the last.
static void pack_rows(float *a, sizes_t data, const tile_t *tile, const pixel_t *pixels, int depth,
        __global const DST_T *dst)
{
    for (int first = 0; first < tile->nchannels; first += ROWS, a += DEPTH * ROWS) {
        const int n = min(tile->nchannels - first, ROWS);
        __global const DST_T *from = dst + (tile->m + first) * data->dst_c;
        for (int i = n; i < ROWS; ++i)
            for (int k = 0; k < depth; ++k) a[k * ROWS + i] = 0.0f;
#if DST_RUNS
        for (int k = 0; k < depth; ++k) {
            const int off = pixels[k].dst_off;
            if (ROWS == 8 && n == 8) {
                vstore8(DST_LOAD8(from, off), k, a);
            } else if (n == ROWS) {
#pragma unroll
                for (int i = 0; i < ROWS; ++i) a[k * ROWS + i] = DST_LOAD(from, off + i);
            } else {
                for (int i = 0; i < n; ++i) a[k * ROWS + i] = DST_LOAD(from, off + i);
            }
        }
#else
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < depth; ++k)
                a[k * ROWS + i] = DST_LOAD(from, pixels[k].dst_off + i * data->dst_c);
#endif
    }
}

#if SRC_RUNS

// Columns `first` on of a panel: `n` channels under one tap.
static inline void pack_run(float *b, sizes_t data, const column_t *column, int n, const pixel_t *pixels,
        int depth, __global const SRC_T *src)
{
    src += column->off;
    for (int k = 0; k < depth; ++k, b += COLS) {
        const bool exists = meets(data, &pixels[k], column);
        const int off = exists ? pixels[k].src_off : -column->off;
        if (n == COLS) {
            for (int v = 0; v < VECTORS; ++v) {
                const vec_t x = SRC_VLOAD(src, off + v * LANES);
                VSTORE(exists ? x : (vec_t)(0.0f), v, b);
            }
        } else {
            for (int j = 0; j < n; ++j) b[j] = exists ? SRC_LOAD(src, off + j) : 0.0f;
        }
    }
}

// Columns of `depth` pixels: [panel][DEPTH][COLS].
static void pack_columns(float *b, sizes_t data, const tile_t *tile, const pixel_t *pixels, int depth,
        __global const SRC_T *src)
{
    for (int panel = 0; panel < tile->ncolumns; panel += COLS, b += DEPTH * COLS) {
        const int past = min(tile->ncolumns - panel, COLS);
        for (int j = 0, n; j < past; j += n) {
            const column_t column = column_at(data, tile->n + panel + j);
            n = min(past - j, data->ic.n - parts_of(data, tile->n + panel + j).s3);
            pack_run(b + j, data, &column, n, pixels, depth, src);
        }
    }
}

#else

// One channel under a tap: `offs` are the offsets of the pixels, −1 where there is no element.
static inline void pack_column(float *b, const int *offs, int depth, __global const SRC_T *src)
{
    for (int k = 0; k < depth; ++k) {
#if INSIDE
        b[k * COLS] = SRC_LOAD(src, offs[k]);
#else
        const float x = SRC_LOAD(src, max(offs[k], 0));
        b[k * COLS] = offs[k] >= 0 ? x : 0.0f;
#endif
    }
}

// Columns of `depth` pixels: [panel][DEPTH][COLS]; the channels under a tap share offsets.
static void pack_columns(float *b, sizes_t data, const tile_t *tile, const pixel_t *pixels, int depth,
        __global const SRC_T *src)
{
    const int ntaps = data->taps[0].n * data->taps[1].n * data->taps[2].n;
    for (int first = 0; first < min(ntaps, tile->ncolumns); ++first) {
        int offs[DEPTH];
        column_t tap = column_at(data, tile->n + first);
        tap.off -= parts_of(data, tile->n + first).s3 * data->src_c;
        for (int k = 0; k < depth; ++k)
            offs[k] = meets(data, &pixels[k], &tap) ? pixels[k].src_off + tap.off : -1;
        int c = parts_of(data, tile->n + first).s3;
        for (int j = first; j < tile->ncolumns; j += ntaps, ++c)
            pack_column(b + j / COLS * (DEPTH * COLS) + j % COLS, offs, depth, src + c * data->src_c);
    }
}

#endif

// sums[i·BN + j] += Σ_p a(p, i)·b(p, j).
static inline void multiply(int depth, const float *a, const float *b, float *sums)
{
    vec_t acc[ROWS][VECTORS];
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) acc[i][v] = VLOAD(v, sums + i * BN);
    }
    for (int p = 0; p < depth; ++p, a += ROWS, b += COLS) {
        vec_t w[VECTORS];
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) w[v] = VLOAD(v, b);
#pragma unroll
        for (int i = 0; i < ROWS; ++i) {
            const vec_t x = (vec_t)(a[i]);
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) acc[i][v] = fma(x, w[v], acc[i][v]);
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) VSTORE(acc[i][v], v, sums + i * BN);
    }
}

static inline void add_bias(float *bias, const float *a, int nchannels, int depth)
{
    for (int i = 0; i < nchannels; ++i) {
        __private const float *column = a + i / ROWS * (DEPTH * ROWS) + i % ROWS;
        float sum = 0.0f;
        for (int k = 0; k < depth; ++k) sum += column[k * ROWS];
        bias[i] += sum;
    }
}

// Where the columns of a tile are in diff_weights, behind channel 0.
static inline void locate_columns(long *offs, sizes_t data, const tile_t *tile)
{
    for (int j = 0; j < tile->ncolumns; ++j) offs[j] = weight_off(data, tile->g, 0, tile->n + j);
}

// The gradients of the weights of channel i of the tile, BN sums of which its columns are stored.
static inline void put_row(const float *sums, sizes_t data, const tile_t *tile, int i, const long *offs,
        __global WEI_T *wei)
{
    const long row = (tile->m + i) * data->wei_o;
    int j = 0;
#if WEI_RUNS
    for (; j + LANES <= tile->ncolumns; j += LANES) WEI_VSTORE(wei, row + offs[0] + j, VLOAD(0, sums + j));
#endif
    for (; j < tile->ncolumns; ++j) WEI_STORE(wei, row + offs[j], sums[j]);
}

// Offset of a channel's first column of the tile in the partial sums of a split.
static inline long partial_at(sizes_t data, const tile_t *tile, int i)
{
    return (long)(tile->g * data->oc + tile->m + i) * data->ncolumns + tile->n;
}

static inline void put_partial(const float *sums, sizes_t data, const tile_t *tile, __global float *partial)
{
    for (int i = 0; i < tile->nchannels; ++i, sums += BN) {
        __global float *to = partial + partial_at(data, tile, i);
        int j = 0;
        for (; j + LANES <= tile->ncolumns; j += LANES) VSTORE(VLOAD(0, sums + j), 0, to + j);
        for (; j < tile->ncolumns; ++j) to[j] = sums[j];
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_backward_weights_packed_cpu(
        sizes_t data, __global const SRC_T *src, long src_off, __global const DST_T *dst, long dst_off,
        __global WEI_T *wei, long wei_off, __global BIA_T *bia, long bia_off, __global float *partial,
        long partial_off)
{
    const tile_t tile = tile_of(data, (int)get_global_id(0));
    const int y = (int)get_global_id(1), start = y * data->split_pixels;
    const int past = min(start + data->split_pixels, data->npixels);
    const bool has_bias = HAS_BIAS && tile.n == 0;
    __attribute__((aligned(64))) float a[PANELS_M * DEPTH * ROWS];
    __attribute__((aligned(64))) float b[PANELS_N * DEPTH * COLS];
    __attribute__((aligned(64))) float sums[PANELS_M * ROWS * BN];
    float bias[BM];
    pixel_t pixels[DEPTH];
    src += src_off + tile.g * data->src_g;
    dst += dst_off + tile.g * data->dst_g;
    for (int i = 0; i < PANELS_M * ROWS * BN; ++i) sums[i] = 0.0f;
    for (int i = 0; i < BM; ++i) bias[i] = 0.0f;
    // Columns behind the last are multiplied, but not stored.
    for (int i = 0; i < PANELS_N * DEPTH * COLS; ++i) b[i] = 0.0f;
    for (int k = start; k < past; k += DEPTH) {
        const int depth = min(past - k, DEPTH);
        for (int i = 0; i < depth; ++i) pixels[i] = pixel_at(data, k + i);
        pack_rows(a, data, &tile, pixels, depth, dst);
        pack_columns(b, data, &tile, pixels, depth, src);
        for (int q = 0; q * COLS < tile.ncolumns; ++q)
            for (int r = 0; r * ROWS < tile.nchannels; ++r)
                multiply(depth, a + r * (DEPTH * ROWS), b + q * (DEPTH * COLS),
                        sums + r * (ROWS * BN) + q * COLS);
        if (has_bias) add_bias(bias, a, tile.nchannels, depth);
    }
    partial = data->nsplits > 1 ? partial + partial_off + y * data->npartial : 0;
    if (partial) {
        put_partial(sums, data, &tile, partial);
    } else {
        long offs[BN];
        locate_columns(offs, data, &tile);
        for (int i = 0; i < tile.nchannels; ++i) put_row(sums + i * BN, data, &tile, i, offs, wei + wei_off);
    }
#if HAS_BIAS
    for (int i = 0; i < tile.nchannels && has_bias; ++i) {
        const int channel = tile.g * data->oc + tile.m + i;
        if (partial)
            partial[(long)data->ngroups * data->oc * data->ncolumns + channel] = bias[i];
        else
            BIA_STORE(bia, bia_off + channel, bias[i]);
    }
#endif
}

// The parameters are those above.
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_backward_weights_sum_cpu(sizes_t data,
        __global const float *partial, long partial_off, __global WEI_T *wei, long wei_off,
        __global BIA_T *bia, long bia_off)
{
    const tile_t tile = tile_of(data, (int)get_global_id(0));
    const int first = (int)get_global_id(1) * SUM_ROWS, past = min(first + SUM_ROWS, tile.nchannels);
    long offs[BN];
    if (first >= past) return;
    locate_columns(offs, data, &tile);
    partial += partial_off;
    for (int i = first; i < past; ++i) {
        __attribute__((aligned(64))) float sums[BN];
        __global const float *from = partial + partial_at(data, &tile, i);
        int j = 0;
        for (; j + LANES <= tile.ncolumns; j += LANES) {
            vec_t sum = VLOAD(0, from + j);
            for (int s = 1; s < data->nsplits; ++s) sum += VLOAD(0, from + s * data->npartial + j);
            VSTORE(sum, 0, sums + j);
        }
        for (; j < tile.ncolumns; ++j) {
            sums[j] = from[j];
            for (int s = 1; s < data->nsplits; ++s) sums[j] += from[s * data->npartial + j];
        }
        put_row(sums, data, &tile, i, offs, wei + wei_off);
    }
#if HAS_BIAS
    partial += (long)data->ngroups * data->oc * data->ncolumns;
    for (int i = first; i < past && tile.n == 0; ++i) {
        const int channel = tile.g * data->oc + tile.m + i;
        float sum = 0.0f;
        for (int s = 0; s < data->nsplits; ++s) sum += partial[s * data->npartial + channel];
        BIA_STORE(bia, bia_off + channel, sum);
    }
#endif
}
