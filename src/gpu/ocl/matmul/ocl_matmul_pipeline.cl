// SPDX-License-Identifier: Apache-2.0
// Matrix product of f32 for GPUs with asynchronous copies: a work-group computes a BM × BN tile of dst.
// `cp.async` brings tiles of src and weights, BK indices of K deep, to a pipeline of STAGES stages in local
// memory, STAGES − 1 tiles ahead of the one that is multiplied. A work-item accumulates TM × TN in
// registers and loads the operands of the next index of K while it multiplies one. SLICES parts of the
// work-items split the K of a tile and add their sums at the end.
//
//   src, src_off   f32; element (i, p) at i·src_m + p·src_k; SRC_ALONG_K: src_k = 1, else src_m = 1
//   wei, wei_off   f32; element (p, j) at p·wei_k + j·wei_n; WEI_ALONG_K: wei_k = 1, else wei_n = 1
//   dst, dst_off   of type dst_dt
//   src_skip       as wei_skip, rows of src before the first
//   the rest       clh/gemm_tile.h, clh/gemm.h
// Grid: clh/gemm_tile.h; work-groups of BM/WM · BN/WN · 32 · SLICES work-items.
// Numerics: f32 sums; with SLICES or splits, partial sums are added in a fixed order.
// -D: those of clh/gemm.h (IS_INT = 0); BM, BN, BK, STAGES, SLICES; WM × WN the part of a tile that
//   32 work-items compute, TM × TN that of one; SRC_ALONG_K, WEI_ALONG_K; those of clh/async_copy.h;
//   SRC_EDGE, WEI_EDGE: fewer than BM rows, or BN columns (read where …_ALONG_K); SRC_VEC, WEI_VEC: 4
//   where rows of the operand start at multiples of 16 bytes, else 1 (read where not
//   …_ALONG_K).
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(STAGES) || !defined(SLICES)
#error "ocl_matmul_pipeline needs BM, BN, BK, STAGES, SLICES"
#endif
#if !defined(WM) || !defined(WN) || !defined(TM) || !defined(TN)
#error "ocl_matmul_pipeline needs WM, WN, TM, TN"
#endif
#if (WM / TM) * (WN / TN) != 32 || TM % 4 != 0 || TN % 4 != 0
#error "a warp does not cover WM × WN"
#endif
#if !defined(SRC_ALONG_K) || !defined(WEI_ALONG_K) || !defined(SRC_EDGE) || !defined(WEI_EDGE) || \
        !defined(SRC_VEC) || !defined(WEI_VEC)
#error "ocl_matmul_pipeline lacks an option of an operand"
#endif
#if STAGES < 2 || STAGES > 4
#error "STAGES is not 2, 3 or 4"
#endif

#include "clh/always_inline.h"
#include "clh/async_copy.h"
#include "clh/gemm.h"
#include "clh/gemm_loader.h"
#include "clh/gemm_tile.h"
#include "clh/group_size.h"
#include "clh/nv/nv_opaque.h"

#define LANES_M (WM / TM)
#define LANES_N (WN / TN)
#define DEPTH (BK / SLICES)

// An operand that lies along k is shifted at its edge.
#define SHIFTS_ROWS (SRC_ALONG_K == 1 && SRC_EDGE == 0)
#define SHIFTS_COLS (WEI_ALONG_K == 1 && WEI_EDGE == 0)

// Whether sums may go out from registers. With 128 of them and the loop of one slice NVIDIA's compiler
// then finds a slower order of the loop, by 16 % on an H200.
#define FROM_REGISTERS (SLICES > 1 || TM * TN <= 64)

// Rows of local tiles, one for each k. Those that are written across k are 16 bytes longer, so that
// the words of one copy fall into different banks.
#define PITCH_A (BM + (SRC_ALONG_K ? 4 : 0))
#define PITCH_B (BN + (WEI_ALONG_K ? 4 : 0))
#define TILE_A (BK * PITCH_A)
#define STAGE (TILE_A + BK * PITCH_B)

// Copies of a work-item for a tile, and the steps of k over which they are spread.
#define COPIES_A (BM * BK / ITEMS / (SRC_ALONG_K ? 1 : SRC_VEC))
#define COPIES_B (BN * BK / ITEMS / (WEI_ALONG_K ? 1 : WEI_VEC))
#define COPIES (COPIES_A + COPIES_B)
// One a step where a work-item has 128 sums of a whole tile, else several in each of a few: three instructions
// that do nothing go before every copy that does not follow another one. On an H200 5 % for small tiles.
#define COPY_STEPS (SLICES == 1 && TM * TN == 128 ? COPIES : 6)
#define SPREAD (COPY_STEPS < DEPTH - 1 ? COPY_STEPS : DEPTH - 1)

// The epilogue: every work-item puts ROUND of its TM rows into local memory at a time.
#define ROUND_ROWS(round) (BM / TM * (round))
#if ROUND_ROWS(4) * BN <= STAGES * STAGE
#define ROUND 4
#elif ROUND_ROWS(2) * BN <= STAGES * STAGE
#define ROUND 2
#else
#define ROUND 1
#endif
#if SLICES / 2 * BM * BN > STAGES * STAGE
#define LOCAL_ELEMS (SLICES / 2 * BM * BN)
#else
#define LOCAL_ELEMS (STAGES * STAGE)
#endif

// Whether an operand that lies across k has no edge in a tile. Copies whose size is a constant are
// faster, on an H200 by 1 % at 2048, so such tiles have a loop of their own.
ALWAYS_INLINE bool is_whole(int row, int col, int m, int n)
{
#if ASYNC_COPY && !(SRC_ALONG_K && WEI_ALONG_K)
    bool is = true;
#if !SRC_ALONG_K
    is = is && row + BM <= m;
#endif
#if !WEI_ALONG_K
    is = is && col + BN <= n;
#endif
    return is;
#else
    return false;
#endif
}

#define START_COPY_A(e, stage, is_wanted, is_short, depth, is_whole) \
    start_copy(SRC_ALONG_K, SRC_VEC, SRC_EDGE, BM, PITCH_A, COPIES_A, a, e, stage, is_wanted, is_short, \
            depth, is_whole)
#define START_COPY_B(e, stage, is_wanted, is_short, depth, is_whole) \
    start_copy(WEI_ALONG_K, WEI_VEC, WEI_EDGE, BN, PITCH_B, COPIES_B, b, e, stage, is_wanted, is_short, \
            depth, is_whole)

// The work-item's rows and columns of one step of k, in pieces of 4 that lie LANES pieces apart.
ALWAYS_INLINE void read_step(__local const float *a, __local const float *b, float as[TM], float bs[TN])
{
#pragma unroll
    for (int c = 0; c < TM / 4; ++c) {
        const float4 v = *(__local const float4 *)(a + c * 4 * LANES_M);
        as[c * 4] = v.x;
        as[c * 4 + 1] = v.y;
        as[c * 4 + 2] = v.z;
        as[c * 4 + 3] = v.w;
    }
#pragma unroll
    for (int c = 0; c < TN / 4; ++c) {
        const float4 v = *(__local const float4 *)(b + c * 4 * LANES_N);
        bs[c * 4] = v.x;
        bs[c * 4 + 1] = v.y;
        bs[c * 4 + 2] = v.z;
        bs[c * 4 + 3] = v.w;
    }
}

// The same while the step before it is multiplied.
#if FROM_REGISTERS
#define READ_NEXT read_step
#else
#define READ_NEXT read_next
ALWAYS_INLINE void read_piece(__local const float *from, float to[], const int c, const int lanes)
{
    const float4 v = *(__local const float4 *)(from + c * 4 * lanes);
    to[c * 4] = v.x;
    to[c * 4 + 1] = v.y;
    to[c * 4 + 2] = v.z;
    to[c * 4 + 3] = v.w;
}

// The large tile: digits of READ_ORDER are pieces of rows, then of columns, from the last one read to the first. What
// NVIDIA's assembler makes of the loop depends on this order and on that of products: of those tried on an H200
// (doc/performance.md) the fastest, by 2 to 8 %.
#if TM != 8 || TN != 16
#error "READ_ORDER is for 8 × 16 sums per work-item"
#endif
#define READ_ORDER 0x201354
ALWAYS_INLINE void read_next(__local const float *a, __local const float *b, float as[TM], float bs[TN])
{
#pragma unroll
    for (int q = 0; q < (TM + TN) / 4; ++q) {
        const int piece = READ_ORDER >> (q * 4) & 15;
        if (piece < TM / 4)
            read_piece(a, as, piece, LANES_M);
        else
            read_piece(b, bs, piece - TM / 4, LANES_N);
    }
}
#endif

// Columns outside, rows to and fro: of the orders tried on an H200 the fastest, by 3 to 4 %, for
// neighbouring products then share a register.
ALWAYS_INLINE void multiply_step(const float as[TM], const float bs[TN], float acc[TM][TN])
{
#pragma unroll
    for (int q = 0; q < TN; ++q) {
        const int c = FROM_REGISTERS ? q : (q + TN / 2) % TN;
#pragma unroll
        for (int r = 0; r < TM; ++r) {
            const int i = (q & 1) == FROM_REGISTERS ? TM - 1 - r : r;
            acc[i][c] = fma(as[i], bs[c], acc[i][c]);
        }
    }
}

// Adds the sums of all slices up in slice 0: the upper half of the slices to the lower, and again.
ALWAYS_INLINE void add_slices(float acc[TM][TN], __local float *sums, int item)
{
    const int slice = item / (WARPS * 32);
#pragma unroll
    for (int level = 1; level < SLICES; level *= 2) {
        const int half_slices = SLICES / 2 / level;
        __local float4 *mine = (__local float4 *)(sums + slice % half_slices * (BM * BN)) +
                               item % (WARPS * 32);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (slice / half_slices == 1) {
#pragma unroll
            for (int q = 0; q < TM * TN / 4; ++q) {
                const int r = q / (TN / 4), c = q % (TN / 4) * 4;
                mine[q * WARPS * 32] =
                        (float4)(acc[r][c], acc[r][c + 1], acc[r][c + 2], acc[r][c + 3]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (slice < half_slices) {
#pragma unroll
            for (int q = 0; q < TM * TN / 4; ++q) {
                const int r = q / (TN / 4), c = q % (TN / 4) * 4;
                const float4 v = mine[q * WARPS * 32];
                acc[r][c] += v.x;
                acc[r][c + 1] += v.y;
                acc[r][c + 2] += v.z;
                acc[r][c + 3] += v.w;
            }
        }
    }
}

// Sums that go out as they are, straight from registers: LANES_N work-items write 16 bytes each, side by
// side. `top`, `left`: the work-item's first row in the product and column in the tile, whose first is
// col0; `base` as in put_rows_raw().
ALWAYS_INLINE void put_registers(const target_t *to, float acc[TM][TN], int top, int left, int col0,
        __global uchar *base, long row_bytes)
{
#pragma unroll
    for (int r = 0; r < TM; ++r) {
        const int i = top + r / 4 * 4 * LANES_M + r % 4;
        const bool is_in = i >= to->row_first && i < to->row_end;
        __global float *row = (__global float *)(base + i * row_bytes);
#pragma unroll
        for (int c = 0; c < TN; c += 4) {
            const int j = left + c * LANES_N;
            if (is_in && j < to->col_end - col0)
                *(__global float4 *)(row + j) =
                        (float4)(acc[r][c], acc[r][c + 1], acc[r][c + 2], acc[r][c + 3]);
        }
    }
}

// A work-item's sums of rows first … first + ROUND − 1 to local memory.
ALWAYS_INLINE void keep_rows(float acc[TM][TN], const int first, __local float *at)
{
#pragma unroll
    for (int r = 0; r < ROUND; ++r) {
#pragma unroll
        for (int c = 0; c < TN; c += 4)
            *(__local float4 *)(at + r * BN + c * LANES_N) = (float4)(acc[first + r][c],
                    acc[first + r][c + 1], acc[first + r][c + 2], acc[first + r][c + 3]);
    }
}

// Those of round h. Registers have no index: an array that is read by a variable lies in memory, and so do all
// sums, before and behind the loop of products, where h is compared with the variable of an unrolled loop: NVIDIA's
// compiler puts h in its place first. So rounds are named.
#define KEEP(round) \
    if ((round) * ROUND < TM && h == (round) * ROUND) keep_rows(acc, (round) * ROUND % TM, at)

// `top`: the work-item's first row in a round; `left`: its first column; row0, col0: of the tile.
ALWAYS_INLINE void put_sums(const gemm_t *gemm, const target_t *to, float acc[TM][TN], __local float *sums,
        int top, int left, int row0, int col0, int item, __global void *dst)
{
#pragma unroll 1
    for (int h = 0; h < TM; h += ROUND) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < WARPS * 32) {
            __local float *const at = sums + top * BN + left;
            KEEP(0);
            KEEP(1);
            KEEP(2);
            KEEP(3);
            KEEP(4);
            KEEP(5);
            KEEP(6);
            KEEP(7);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // Row p of the round: item row p / ROUND of the lanes, piece h / 4.
        const int piece = h / 4 * 4 * LANES_M + h % 4;
#if ROUND == 4
        put_rows(gemm, to, sums, ROUND_ROWS(ROUND), BN, row0 + piece, 4 * LANES_M, WM, col0, item,
                ITEMS, dst);
#else
#pragma unroll 1
        for (int w = 0; w < BM / WM; ++w) {
            put_rows(gemm, to, sums + w * LANES_M * ROUND * BN, LANES_M * ROUND, BN,
                    row0 + piece + w * WM, ROUND, 4, col0, item, ITEMS, dst);
        }
#endif
    }
}

// Sums of a tile, which slice 0 has, to where they belong; `top`, `left`: its first row and column.
ALWAYS_INLINE void put_tile(const gemm_t *gemm, const target_t *to, float acc[TM][TN], __local float *sums,
        int item, int top, int left, __global void *dst)
{
    const int slice = item / (WARPS * 32), warp = item / 32 % WARPS, lane = item % 32;
    const int warp_m = warp / (BN / WN), warp_n = warp % (BN / WN);
    const int lane_m = lane / LANES_N, lane_n = lane % LANES_N;
#if FROM_REGISTERS
    __global uchar *base;
    long row_bytes;
    int dt;
    if (is_raw_target(gemm, to, left, dst, &base, &row_bytes, &dt) &&
            (dt == DT_F32 || dt == DT_UNDEF)) {
        if (slice == 0)
            put_registers(to, acc, top + warp_m * WM + lane_m * 4, warp_n * WN + lane_n * 4, left,
                    base, row_bytes);
        return;
    }
#else
    (void)slice;
#endif
    put_sums(gemm, to, acc, sums, (warp_m * LANES_M + lane_m) * ROUND, warp_n * WN + lane_n * 4, top,
            left, item, dst);
}

// The part of the next tile's copies that belongs to step p of a tile.
ALWAYS_INLINE void load_step(
        const int p, bool has_more, loader_t *a, loader_t *b, int *write, const int is_whole)
{
    if (p >= SPREAD) return;
#pragma unroll
    for (int e = 0; e < COPIES_A; ++e) {
        if (e * SPREAD / COPIES == p) START_COPY_A(e, *write, has_more, 0, BK, is_whole);
    }
#pragma unroll
    for (int e = 0; e < COPIES_B; ++e) {
        if ((e + COPIES_A) * SPREAD / COPIES == p) START_COPY_B(e, *write, has_more, 0, BK,
        is_whole);
    }
    if (p == SPREAD - 1) {
        copy_close();
        *write = *write + STAGE * 4 == STAGES * STAGE * 4 ? 0 : *write + STAGE * 4;
    }
}

// The first STAGES − 1 tiles, of which the first is `depth` steps deep; waits for it.
ALWAYS_INLINE void load_first(loader_t *a, loader_t *b, int nsteps, int depth, long src_stride,
        long wei_stride)
{
#pragma unroll
    for (int e = 0; e < COPIES_A; ++e) START_COPY_A(e, 0, true, 1, depth, 0);
#pragma unroll
    for (int e = 0; e < COPIES_B; ++e) START_COPY_B(e, 0, true, 1, depth, 0);
    copy_close();
    a->from -= (BK - depth) * (SRC_ALONG_K ? 1 : src_stride);
    b->from -= (BK - depth) * (WEI_ALONG_K ? 1 : wei_stride);
#pragma unroll
    for (int s = 1; s < STAGES - 1; ++s) {
        if (s < nsteps) {
#pragma unroll
            for (int e = 0; e < COPIES_A; ++e) START_COPY_A(e, s * STAGE * 4, true, 0, BK, 0);
#pragma unroll
            for (int e = 0; e < COPIES_B; ++e) START_COPY_B(e, s * STAGE * 4, true, 0, BK, 0);
        }
        copy_close();
    }
    copy_wait(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
}

ALWAYS_INLINE void clear_sums(float acc[TM][TN])
{
#pragma unroll
    for (int r = 0; r < TM; ++r) {
#pragma unroll
        for (int c = 0; c < TN; ++c) acc[r][c] = 0.0f;
    }
}

// All tiles; a_read, b_read: the work-item's first row and column in the first stage.
ALWAYS_INLINE void multiply_tiles(float acc[TM][TN], loader_t *a, loader_t *b, int nsteps,
        __local const float *a_read, __local const float *b_read, const int is_whole)
{
    float as[2][TM], bs[2][TN];
    int read = 0, write = (STAGES - 1) * STAGE * 4;
    read_step(a_read, b_read, as[0], bs[0]);
    for (int s = 0; s < nsteps; ++s) {
        const bool has_more = s + STAGES - 1 < nsteps;
#pragma unroll
        for (int p = 0; p < DEPTH; ++p) {
            if (p == DEPTH - 1) {
                // The next tile has arrived, and no work-item reads this one any more.
                copy_wait(STAGES - 2);
                barrier(CLK_LOCAL_MEM_FENCE);
                read = read + STAGE == STAGES * STAGE ? 0 : read + STAGE;
            }
            const int next = (p + 1) % DEPTH;
            READ_NEXT(a_read + read + next * PITCH_A, b_read + read + next * PITCH_B,
                    as[(p + 1) & 1], bs[(p + 1) & 1]);
            load_step(p, has_more, a, b, &write, is_whole);
            multiply_step(as[p & 1], bs[p & 1], acc);
        }
    }
}

#if FROM_REGISTERS && (WITH_POST_OPS || WITH_QUANT) && REGISTERS_SUFFICE(ITEMS)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#endif

GROUP_SIZE __kernel void matmul_pipeline(
        __global const float *src, long src_off, __global const float *wei, long wei_off,
        __global void *dst, long dst_off, long src_stride, long wei_stride,
        ocl_gemm_batch_t src_batch,
        ocl_gemm_batch_t wei_batch, int src_skip GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local float tiles[LOCAL_ELEMS] __attribute__((aligned(16)));
    const int item = (int)get_local_id(0);
    const int m = (int)gemm_m + src_skip;
    const tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
    // A tile that hangs over an edge starts earlier instead; its own rows and columns alone are
    // stored.
    const int row0 = SHIFTS_ROWS ? min(t.row, m - BM) : t.row;
    const int col0 = SHIFTS_COLS ? min(t.col, n - BN) : t.col;
    const copy_place_t place = copy_place(tiles);
    loader_t a, b;
    loader_init(&a, SRC_ALONG_K, SRC_VEC, SRC_EDGE, BM, PITCH_A, COPIES_A,
            src + src_off + batch_offset(gemm_batch, src_batch, t.product), src_stride, src_stride,
            row0, m, t.k_first, place, item);
    loader_init(&b, WEI_ALONG_K, WEI_VEC, WEI_EDGE, BN, PITCH_B, COPIES_B,
            wei + wei_off + batch_offset(gemm_batch, wei_batch, t.product), wei_stride, wei_stride,
            col0, n, t.k_first, place + TILE_A * 4, item);

    // The short tile is the first: then no copy in the loop looks at k.
    const int nsteps = max((t.k_end - t.k_first + BK - 1) / BK, 1);
    load_first(&a, &b, nsteps, t.k_end - t.k_first - (nsteps - 1) * BK, src_stride, wei_stride);

    const int slice = item / (WARPS * 32), warp = item / 32 % WARPS, lane = item % 32;
    const int warp_m = warp / (BN / WN), warp_n = warp % (BN / WN);
    const int lane_m = lane / LANES_N, lane_n = lane % LANES_N;
    __local const float *a_read = tiles + slice * DEPTH * PITCH_A + warp_m * WM + lane_m * 4;
    __local const float *b_read = tiles + TILE_A + slice * DEPTH * PITCH_B + warp_n * WN + lane_n * 4;
    float acc[TM][TN];
    clear_sums(acc);
    if (is_whole(row0, col0, m, n))
        multiply_tiles(acc, &a, &b, nsteps, a_read, b_read, 1);
    else
        multiply_tiles(acc, &a, &b, nsteps, a_read, b_read, 0);
    copy_wait(0);
    int own_item = item, own_m = m, own_n = n;
#if ASYNC_COPY && FROM_REGISTERS && (WITH_POST_OPS || WITH_QUANT)
    // Unknown to the compiler, which would keep them in registers all the time, and spill others.
    NV_OPAQUE_32(own_item);
    NV_OPAQUE_32(own_m);
    NV_OPAQUE_32(own_n);
#endif
    if (SLICES > 1) add_slices(acc, tiles, own_item);
#if FROM_REGISTERS
    long group = get_group_id(0);
#if ASYNC_COPY
    // So is the tile's place.
    NV_OPAQUE_64(group);
#endif
    tile_t own = tile_of(group, (int)get_group_id(1), own_m, own_n, k, split_k);
#else
    tile_t own = t;
#endif
    const int top = (SHIFTS_ROWS ? min(own.row, own_m - BM) : own.row) - src_skip;
    const int left = SHIFTS_COLS ? min(own.col, own_n - BN) : own.col;
    own.row -= src_skip;
    const target_t to = target_of(&gemm, &own, own_n, dst_off, dst_m, dst_n, dst_batch, wei_skip,
            partial, partial_off, nsplits, (int)get_group_id(1));
    put_tile(&gemm, &to, acc, tiles, own_item, top, left, dst);
    FINISH_SPLITS(to, (__local uint *)tiles, own_item, ITEMS);
}
