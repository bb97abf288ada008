// SPDX-License-Identifier: Apache-2.0
// Matrix product for GPUs: a work-group computes a BM × BN tile of dst through local memory, BK indices of
// K at a time; each work-item accumulates TM × TN of it in registers. The next slice is loaded from global
// memory into registers while the current one is multiplied.
//
//   src, src_off   SRC_T; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   WEI_T; element (p, j) at p·wei_k + j·wei_n
//   dst, dst_off   of type dst_dt; element (i, j) at i·dst_m + j·dst_n
//   n, k           the other sizes; …_batch: strides of the batch dimensions
// Grid: x = products · ceil(m / BM) · ceil(n / BN) work-groups of BM/TM · BN/TN work-items.
// PACK = 4: an element of a tile is four of k, of 8 bits each, and clh/int_dot.h multiplies them.
// Numerics: sums in s32 (IS_INT) or f32, in the order of k; with FOLD, partial sums of FOLD indices of K,
//   which are added up in s64 or f32.
// -D: those of clh/gemm.h; SRC, WEI (prim__ocl_options_type()); PACK = 1, or 4 where IS_INT without
//   zero points; INT_DOT of clh/int_dot.h; BM, BN, BK; TM = 1, 4 or 8; TN = 4
//   or 8; the work-items of a work-group are a multiple of BK, BM and BN; FOLD: 0, or a multiple of BK · PACK,
//   and then WIDE_SUMS = 1.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BM) || !defined(BN) || !defined(BK)
#error "ocl_matmul_tiled needs SRC, WEI, BM, BN, BK"
#endif
#if !defined(TM) || !defined(TN) || TN % 4 != 0 || (TM % 4 != 0 && TM != 1)
#error "ocl_matmul_tiled needs TM = 1, 4 or 8 and TN = 4 or 8"
#endif

#if !defined(PACK) || (PACK != 1 && PACK != 4)
#error "ocl_matmul_tiled needs PACK = 1 or 4"
#endif

#ifndef FOLD
#error "ocl_matmul_tiled needs FOLD"
#endif

#include "clh/gemm.h"
#include "clh/group_size.h"
#include "clh/int_dot.h"

#define ITEMS ((BM / TM) * (BN / TN))
#define LOADS_A (BM * BK / ITEMS)
#define LOADS_B (BN * BK / ITEMS)
// Rows of local tiles are 16 bytes longer, so that columns do not all fall into one bank.
#define PITCH_OF(width) ((width) + 4)
#define PITCH_A PITCH_OF(BM)
#define PITCH_B PITCH_OF(BN)
// A work-item's rows and columns come in pieces of PIECE, spread over the tile: neighbours read
// neighbours.
#define PIECE 4

#if BM / TM > BK
#error "BM/TM rows of sums do not fit into the tile of wei"
#endif

#if PACK == 4
#if SRC_DT == DT_U8
#define DOT4(a, b, sum) (WEI_DT == DT_U8 ? dot4_uu(a, b, sum) : dot4_us(a, b, sum))
#else
#define DOT4(a, b, sum) (WEI_DT == DT_U8 ? dot4_su(a, b, sum) : dot4_ss(a, b, sum))
#endif

// Bytes of `count` (1 … 4) steps of k, zeros in place of the rest.
static inline sum_t load_bytes(__global const uchar *at, long k_stride, int count)
{
    if (count >= 4 && k_stride == 1 && ((size_t)at & 3) == 0) return *(__global const int *)at;
    uchar4 x = (uchar4)(0);
    x.x = at[0];
    if (count > 1) x.y = at[k_stride];
    if (count > 2) x.z = at[2 * k_stride];
    if (count > 3) x.w = at[3 * k_stride];
    return as_int(x);
}
#endif

// What a work-item brings of a tile: `count` elements inside the tensor across k, element t is number
// along + t·along_step of the tile there and depth + t·depth_step along k, and goes to place
// to + t·to_step of local memory. The first is element `off` of the tensor, the others `step` apart.
// Sums and counts instead of products and limits: registers are short here.
typedef struct {
    int along, along_step, depth, depth_step, count, to, to_step;
    long first, off, step, k_stride;
} share_t;

// Neighbouring work-items take neighbours in memory: along k or across it. `first` of the tile, `width`
// of it, strides across and along k.
static inline share_t share_of(
        int item, int width, long first, long limit, long off, long stride, long k_stride)
{
    share_t s = {0, 0, 0, 0, 0, 0, 0, first, off, 0, k_stride};
    if (k_stride == 1) {
        s.depth = item % BK;
        s.along = item / BK;
        s.along_step = ITEMS / BK;
    } else {
        s.along = item % width;
        s.depth = item / width;
        s.depth_step = ITEMS / width;
    }
    const int inside = (int)min(limit - first, (long)width) - s.along;
    s.count = inside <= 0 ? 0 : s.along_step == 0 ? BK : (inside - 1) / (ITEMS / BK) + 1;
    s.to = s.depth * PITCH_OF(width) + s.along;
    s.to_step = s.depth_step * PITCH_OF(width) + s.along_step;
    s.depth *= PACK;
    s.depth_step *= PACK;
    s.off += (first + s.along) * stride + s.depth * k_stride;
    s.step = s.along_step * stride + s.depth_step * k_stride;
    return s;
}

static inline void load_src(const gemm_t *gemm, const share_t *s, __global const SRC_T *src,
        long p0, long k, sum_t next[LOADS_A])
{
    int left = (int)min(k - p0, (long)(BK * PACK)) - s->depth;
    long place = s->off + p0 * s->k_stride;
#pragma unroll
    for (int t = 0; t < LOADS_A; ++t, left -= s->depth_step, place += s->step) {
        next[t] = 0;
        if (t >= s->count || left <= 0) continue;
#if PACK == 4
        next[t] = load_bytes((__global const uchar *)src + place, s->k_stride, left);
#else
        next[t] = gemm_adjust_src(gemm, SRC_GET(src, place), s->first + s->along + t * s->along_step,
                p0 + s->depth + t * s->depth_step);
#endif
    }
}

static inline void load_wei(const gemm_t *gemm, const share_t *s, __global const WEI_T *wei,
        long p0, long k, sum_t next[LOADS_B])
{
    int left = (int)min(k - p0, (long)(BK * PACK)) - s->depth;
    long place = s->off + p0 * s->k_stride;
#pragma unroll
    for (int t = 0; t < LOADS_B; ++t, left -= s->depth_step, place += s->step) {
        next[t] = 0;
        if (t >= s->count || left <= 0) continue;
#if PACK == 4
        next[t] = load_bytes((__global const uchar *)wei + place, s->k_stride, left);
#else
        next[t] = gemm_adjust_wei(gemm, WEI_GET(wei, place), p0 + s->depth + t * s->depth_step,
                s->first + s->along + t * s->along_step);
#endif
    }
}

static inline void put(__local sum_t *tile, const share_t *s, const sum_t *next, const int count)
{
    int to = s->to;
#pragma unroll
    for (int t = 0; t < count; ++t, to += s->to_step) tile[to] = next[t];
}

// Row or column r of a work-item's TM or TN, in a tile of `width`.
static inline int place_of(int item, int r, int count, int width)
{
    if (count == 1) return item;
    return r / PIECE * (width / (count / PIECE)) + item * PIECE + r % PIECE;
}

static inline void accumulate(
        const __local sum_t *a_tile, const __local sum_t *b_tile, int x, int y, sum_t acc[TM][TN])
{
#pragma unroll 4
    for (int p = 0; p < BK; ++p) {
        sum_t as[TM], bs[TN];
#pragma unroll
        for (int r = 0; r < TM; ++r) as[r] = a_tile[p * PITCH_A + place_of(y, r, TM, BM)];
#pragma unroll
        for (int c = 0; c < TN; ++c) bs[c] = b_tile[p * PITCH_B + place_of(x, c, TN, BN)];
#pragma unroll
        for (int r = 0; r < TM; ++r) {
#pragma unroll
            for (int c = 0; c < TN; ++c) {
#if PACK == 4
                acc[r][c] = DOT4((uint)as[r], (uint)bs[c], acc[r][c]);
#elif IS_INT
                acc[r][c] += as[r] * bs[c];
#else
                acc[r][c] = fma(as[r], bs[c], acc[r][c]);
#endif
            }
        }
    }
}

// Where a tile lies: product, first row and column, and the strides of dst.
typedef struct {
    long product, i0, j0, n, dst_off, dst_m, dst_n;
} tile_t;

// Row r of every work-item through local memory, so that neighbours store neighbours.
static inline void store_rows(const gemm_t *gemm, const tile_t *tile, int r, int item,
        const __local total_t *sums, __global void *dst)
{
#pragma unroll 1
    for (int t = item; t < BM / TM * BN; t += ITEMS) {
        const long i = tile->i0 + place_of(t / BN, r, TM, BM), j = tile->j0 + t % BN;
        if (i >= gemm->m || j >= tile->n) continue;
        gemm_row_t row = gemm_row(gemm, tile->product, i);
        gemm_store(gemm, &row, sums[t], j, dst, tile->dst_off + i * tile->dst_m + j * tile->dst_n);
    }
}

#if FOLD
static inline void clear(total_t totals[TM][TN])
{
#pragma unroll
    for (int r = 0; r < TM; ++r) {
#pragma unroll
        for (int c = 0; c < TN; ++c) totals[r][c] = 0;
    }
}

// Adds the sums to the totals and starts them anew.
static inline void fold(sum_t acc[TM][TN], total_t totals[TM][TN])
{
#pragma unroll
    for (int r = 0; r < TM; ++r) {
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            totals[r][c] += acc[r][c];
            acc[r][c] = 0;
        }
    }
}
#endif

static inline tile_t tile_of(const gemm_t *gemm, long group, long n, long dst_m, long dst_n)
{
    const long ntiles_n = (n + BN - 1) / BN, ntiles_m = (gemm->m + BM - 1) / BM;
    const long row = div_long(group, ntiles_n), product = div_long(row, ntiles_m);
    tile_t tile = {product, (row - product * ntiles_m) * BM, (group - row * ntiles_n) * BN, n, 0,
            dst_m, dst_n};
    return tile;
}

#if (WITH_POST_OPS || WITH_QUANT) && REGISTERS_SUFFICE(ITEMS)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#endif

GROUP_SIZE __kernel void matmul_tiled(__global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global void *dst, long dst_off,
        long n, long k, long src_m, long src_k, long wei_k, long wei_n, long dst_m, long dst_n,
        ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch,
        ocl_gemm_batch_t dst_batch GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local sum_t a_tile[BK * PITCH_A];
    __local sum_t b_tile[BK * PITCH_B];
    const int item = (int)get_local_id(0);
    const int x = item % (BN / TN), y = item / (BN / TN);
    tile_t tile = tile_of(&gemm, get_group_id(0), n, dst_m, dst_n);
    src_off += batch_offset(gemm_batch, src_batch, tile.product);
    wei_off += batch_offset(gemm_batch, wei_batch, tile.product);
    tile.dst_off = dst_off + batch_offset(gemm_batch, dst_batch, tile.product);
    const share_t a = share_of(item, BM, tile.i0, gemm_m, src_off, src_m, src_k);
    const share_t b = share_of(item, BN, tile.j0, n, wei_off, wei_n, wei_k);

    sum_t acc[TM][TN], a_next[LOADS_A], b_next[LOADS_B];
#pragma unroll
    for (int r = 0; r < TM; ++r) {
#pragma unroll
        for (int c = 0; c < TN; ++c) acc[r][c] = 0;
    }
#if FOLD
    total_t totals[TM][TN];
    clear(totals);
    __local total_t out[BM / TM * BN];
#else
#define totals acc
#define out b_tile
#endif
    load_src(&gemm, &a, src, 0, k, a_next);
    load_wei(&gemm, &b, wei, 0, k, b_next);
    for (long p0 = 0; p0 < k; p0 += BK * PACK) {
        barrier(CLK_LOCAL_MEM_FENCE);
        put(a_tile, &a, a_next, LOADS_A);
        put(b_tile, &b, b_next, LOADS_B);
        barrier(CLK_LOCAL_MEM_FENCE);
        load_src(&gemm, &a, src, p0 + BK * PACK, k, a_next);
        load_wei(&gemm, &b, wei, p0 + BK * PACK, k, b_next);
        accumulate(a_tile, b_tile, x, y, acc);
#if FOLD
        if ((p0 + BK * PACK) % FOLD == 0) fold(acc, totals);
#endif
    }
#if FOLD
    fold(acc, totals);
#endif
    // The last steps are compiled once, not for every row.
#pragma unroll 1
    for (int r = 0; r < TM; ++r) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            total_t sum = totals[0][c];
#pragma unroll
            for (int other = 1; other < TM; ++other) sum = r == other ? totals[other][c] : sum;
            out[y * BN + place_of(x, c, TN, BN)] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        store_rows(&gemm, &tile, r, item, out, dst);
    }
}
