// SPDX-License-Identifier: Apache-2.0
// Matrix product of f16, bf16 (f32 accumulators) and 8-bit integers (s32) by `mma.sync`: a work-group
// computes a BM × BN tile of dst. Tiles of both operands, 128 bytes of K, go through STAGES pipeline stages
// in local memory, filled by asynchronous copies. Each warp multiplies a WM × WN part by the micro-kernel
// of clh/mma.h, and loads the fragments of the next step while it multiplies one.
//
//   src, src_off   bytes of SRC_BYTES elements; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   the same of weights, (p, j) at p·wei_k + j·wei_n
//   dst, dst_off   of type dst_dt
//   src_is_aligned, wei_is_aligned   whether operands are copied 16 bytes at a time: contiguous along k
//                  (weights: along n, unless WEI_ALONG_K), rows 16-byte aligned; else element by element
//   the rest       clh/gemm_tile.h, clh/gemm.h
// Grid: clh/gemm_tile.h; work-groups of BM/WM · BN/WN · 32 work-items.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own) or
//   exact in s32; with splits partial sums are added in a fixed order.
// -D: those of clh/gemm.h, clh/mma.h, clh/mma_warp.h, clh/async_copy.h, clh/row_sums.h (WITH_ZPS: 1 if
//   src or weights, then of bytes, have zero points); EDGE: fewer than BM rows, or BN columns.
#ifndef EDGE
#error "ocl_matmul_mma needs EDGE"
#endif
#include "clh/async_copy.h"
#include "clh/gemm.h"
#include "clh/gemm_tile.h"
#include "clh/mma.h"
#include "clh/mma_warp.h"
#include "clh/row_sums.h"

// Copies of 16 bytes of a work-item. Along k, 8 neighbours take a row; across, BN · ES / 16 take a step.
#define CHUNKS_ACROSS (BN * ES / 16)
#define COPIES_A (BM * 8 / ITEMS)
#define COPIES_B (BN * 8 / ITEMS)
#define COPIES (COPIES_A + COPIES_B)

#define SHIFTS_COLS (WEI_ALONG_K == 1 && EDGE == 0)

typedef struct {
    __global const uchar *from; // the work-item's first chunk of the next tile, aligned operands
    __global const uchar *base; // element (0, first of the tile's k), any operand
    long stride;                // bytes: of rows if along k, else of k
    long along, across;         // bytes: of k, of rows or columns
    copy_place_t to;            // in stage 0
    int chunk;                  // its place in k, bytes (along) or steps (across)
    int first, limit;           // row or column of the tile, how many there are
    uint mask, bytes;           // which rows exist (along), bytes that exist (across)
} loader_t;

// By pointer: an inlined function that returns a struct is an intrinsic Oclgrind does not know.
ALWAYS_INLINE void loader_init(loader_t *f, const int along_k, const int width, const int ncopies,
        __global const uchar *x, long across, long along, int first, int limit, copy_place_t place,
        int item)
{
    f->base = x;
    f->across = across;
    f->along = along;
    f->first = first;
    f->limit = limit;
    f->mask = 0;
    f->bytes = 0;
    if (along_k) {
        const int row = item / 8, chunk = item % 8;
        f->stride = across;
        f->chunk = chunk * 16;
        f->from = x + (first + row) * across + chunk * 16;
        f->to = place + mma_place(row, chunk);
#pragma unroll
        for (int e = 0; e < ncopies && EDGE; ++e) {
            if (first + row + e * (ITEMS / 8) < limit) f->mask |= 1u << e;
        }
    } else {
        const int step = item / CHUNKS_ACROSS, chunk = item % CHUNKS_ACROSS;
        f->stride = along;
        f->chunk = step;
        f->from = x + step * along + ((long)first * ES + chunk * 16);
        f->to = place + mma_place_across(step, chunk);
        f->bytes = (uint)clamp((limit - first) * ES - chunk * 16, 0, 16);
    }
}

// Copy e of an aligned operand into the stage `stage` bytes behind the first; `left`: elements of k.
ALWAYS_INLINE void start_copy(const int along_k, const loader_t *f, const int e, int stage,
        int left)
{
    if (along_k) {
        uint bytes = (uint)clamp(left * ES - f->chunk, 0, 16);
        if (EDGE && !(f->mask >> e & 1)) bytes = 0;
        copy_16_part(f->to + (stage + e * (ITEMS / 8) * MMA_ROW_BYTES),
                f->from + e * (ITEMS / 8) * f->stride, bytes);
    } else {
        const int step = e * (ITEMS / CHUNKS_ACROSS);
        copy_16_part(f->to + (stage + step * MMA_ACROSS_BYTES), f->from + step * f->stride,
                f->chunk + step < left ? f->bytes : 0u);
    }
}

ALWAYS_INLINE void start_copy_of(int e, const loader_t *a, const loader_t *b, int stage, int left)
{
    if (e < COPIES_A)
        start_copy(1, a, e, stage, left);
    else
        start_copy(WEI_ALONG_K, b, e - COPIES_A, stage, left);
}

// A tile of an operand element by element, whatever its strides.
ALWAYS_INLINE void fill(const int along_k, const int width, const loader_t *f, __local uchar *tile,
        int left,
        int item)
{
#pragma unroll 1
    for (int t = item; t < width * DEPTH; t += ITEMS) {
        const int i = along_k ? t / DEPTH : t % width, p = along_k ? t % DEPTH : t / width;
        const bool exists = f->first + i < f->limit && p < left;
        __global const uchar *from = f->base + (f->first + i) * f->across + p * f->along;
        const int place = along_k ? mma_place(i, p * ES / 16) + p * ES % 16
                                  : mma_place_across(p, i * ES / 16) + i * ES % 16;
#if MMA_TYPE == DT_S8
        tile[place] = exists ? *from : (uchar)0;
#else
        *(__local ushort *)(tile + place) = exists ? *(__global const ushort *)from : (ushort)0;
#endif
    }
}

ALWAYS_INLINE void advance(loader_t *a, loader_t *b)
{
    a->from += MMA_ROW_BYTES;
    a->base += DEPTH * a->along;
    b->from += WEI_ALONG_K ? MMA_ROW_BYTES : DEPTH * b->stride;
    b->base += DEPTH * b->along;
}

// What belongs to step p of a tile of the copies of a tile that is `left` elements deep. They are
// spread over the steps before the last: in one piece they would stand in front of the reads of the
// next step.
ALWAYS_INLINE void load_step(const int p, bool is_aligned, int left, loader_t *a, loader_t *b,
        __local uchar *memory, int *write, int item)
{
    if (p < STEPS - 1 && left > 0 && is_aligned) {
#pragma unroll
        for (int e = 0; e < COPIES; ++e) {
            if (e % (STEPS - 1) == p) start_copy_of(e, a, b, *write, left);
        }
    } else if (p == 0 && left > 0) {
        fill(1, BM, a, memory + *write, left, item);
        fill(WEI_ALONG_K, BN, b, memory + *write + TILE_A, left, item);
    }
    if (p == STEPS - 2) {
        advance(a, b);
        copy_close();
        *write = *write + STAGE == STAGES * STAGE ? 0 : *write + STAGE;
    }
}

// The first STAGES − 1 tiles of `depth` elements of k; waits for the first.
ALWAYS_INLINE void load_first(bool is_aligned, int ntiles, int depth, loader_t *a, loader_t *b,
        __local uchar *memory, int item)
{
#pragma unroll 1
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < ntiles && is_aligned) {
#pragma unroll
            for (int e = 0; e < COPIES; ++e) start_copy_of(e, a, b, s * STAGE, depth - s * DEPTH);
        } else if (s < ntiles) {
            __local uchar *stage = memory + s * STAGE;
            fill(1, BM, a, stage, depth - s * DEPTH, item);
            fill(WEI_ALONG_K, BN, b, stage + TILE_A, depth - s * DEPTH, item);
        }
        advance(a, b);
        copy_close();
    }
    copy_wait(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
}

#if WITH_ZPS
#define ROW_PARAMS , row_sums_t *rows
#define ROW_ARGS , &rows
#if BM * PITCH + ROW_VALUES > LOCAL_BYTES / 4
#error "there is no local memory for sums of rows"
#endif

// Of the sums in local memory, behind which there is room.
ALWAYS_INLINE void apply_zero_points(const gemm_t *gemm, const row_sums_t *rows, __local sum_t *sums,
        int row, int col, int n, int depth, int item)
{
    __local int *values = sums + BM * PITCH;
    keep_rows(gemm, rows, row, col, n, depth, values, item, ITEMS);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
    for (int e = item; e < BM * BN; e += ITEMS)
        sums[e / BN * PITCH + e % BN] -= row_correction(values, e / BN, e % BN);
}
#else
#define ROW_PARAMS
#define ROW_ARGS
#endif

// All tiles; row, col: of the warp in the tile.
ALWAYS_INLINE void multiply_tiles(sum_t acc[BLOCKS_M][BLOCKS_N][8], bool is_aligned, int ntiles, int depth,
        loader_t *a, loader_t *b, __local uchar *memory, copy_place_t place, int row, int col,
        int item ROW_PARAMS)
{
    const int lane = item % 32;
    mma_a_t as[2][BLOCKS_M];
    mma_b_t bs[2][BLOCKS_N];
    int read = 0, write = (STAGES - 1) * STAGE;
    warp_read(as[0], bs[0], place, row, col, 0, lane);
#pragma unroll 1
    for (int s = 0; s < ntiles; ++s) {
        const int left = depth - (s + STAGES - 1) * DEPTH;
#if WITH_ZPS
        add_rows(rows, (__local const uint4 *)(memory + read), item, ITEMS);
#endif
#pragma unroll
        for (int p = 0; p < STEPS; ++p) {
            if (p == STEPS - 1) {
                // The next tile has arrived, and no work-item reads this one any more.
                copy_wait(STAGES - 2);
                barrier(CLK_LOCAL_MEM_FENCE);
                read = read + STAGE == STAGES * STAGE ? 0 : read + STAGE;
            }
            warp_read(as[(p + 1) & 1], bs[(p + 1) & 1], place + read, row, col, (p + 1) % STEPS,
                    lane);
            load_step(p, is_aligned, left, a, b, memory, &write, item);
            warp_multiply(acc, as[p & 1], bs[p & 1]);
        }
    }
}

// A group of a named size and little local memory makes NVIDIA's assembler keep to 96 registers, for more
// groups on a unit, and spill what chains of post-ops need; of 128 work-items any number fits.
#if MMA && WITH_POST_OPS && ITEMS == 128
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#endif

GROUP_SIZE __kernel void matmul_mma(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global void *dst, long dst_off,
        long src_m, long src_k, long wei_k, long wei_n, ocl_gemm_batch_t src_batch,
        ocl_gemm_batch_t wei_batch,
        int src_is_aligned, int wei_is_aligned GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local uint4 memory[LOCAL_BYTES / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), lane = item % 32, warp = item / 32;
    const int m = (int)gemm_m;
    const tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
    const int row0 = EDGE ? t.row : min(t.row, m - BM);
    // Columns that are copied across k keep the multiples of 16 bytes.
    const int col0 = SHIFTS_COLS ? min(t.col, n - BN) : t.col;
    const copy_place_t place = copy_place(memory);
    src_off += batch_offset(gemm_batch, src_batch, t.product) + t.k_first * src_k;
    wei_off += batch_offset(gemm_batch, wei_batch, t.product) + t.k_first * wei_k;
    loader_t a, b;
    loader_init(&a, 1, BM, COPIES_A, src + src_off * ES, src_m * ES, src_k * ES, row0, m, place,
            item);
    loader_init(&b, WEI_ALONG_K, BN, COPIES_B, wei + wei_off * ES, wei_n * ES, wei_k * ES, col0,
            n, place + TILE_A, item);
    const bool is_aligned = src_is_aligned && wei_is_aligned;
    const int depth = t.k_end - t.k_first, ntiles = max((depth + DEPTH - 1) / DEPTH, 1);

    load_first(is_aligned, ntiles, depth, &a, &b, (__local uchar *)memory, item);

    const int row = warp % WARPS_M * WM, col = warp / WARPS_M * WN;
    sum_t acc[BLOCKS_M][BLOCKS_N][8];
    warp_clear(acc);
#if WITH_ZPS
    row_sums_t rows = {gemm.wei_zps.dt != DT_UNDEF, gemm.src_zps.dt != DT_UNDEF, {0}};
#endif
    multiply_tiles(acc, is_aligned, ntiles, depth, &a, &b, (__local uchar *)memory, place, row, col,
            item ROW_ARGS);
    __local sum_t *sums = (__local sum_t *)memory;
    copy_wait(0);
    barrier(CLK_LOCAL_MEM_FENCE); // no work-item reads tiles there any more
    warp_keep(acc, sums, row, col, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
#if WITH_ZPS
    apply_zero_points(&gemm, &rows, sums, row0, col0, n, depth, item);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial,
            partial_off, nsplits, (int)get_group_id(1));
    put_rows(&gemm, &to, sums, BM, PITCH, row0, BM, 0, col0, item, ITEMS, dst);
    FINISH_SPLITS(to, (__local uint *)memory, item, ITEMS);
}
