// SPDX-License-Identifier: Apache-2.0
// Matrix product for small M (1–8) and weights N×K, for GPUs, limited by the bandwidth of the weights.
// LANES neighbouring work-items stride along K through COLS columns of weights, 16 bytes each at a time,
// straight from global memory, and multiply them by BM rows of src, which come from the caches or are
// staged in local memory. At the end the work-group reduces the partial sums of its work-items.
//
//   src, src_off   SRC_T; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   WEI_T; element (p, j) at j·wei_n + p
//   dst, dst_off   of type dst_dt
//   the rest       clh/gemm_tile.h
// Grid: clh/gemm_tile.h; work-groups of BN / COLS · LANES work-items.
// Numerics: sums in f32 or s32 (IS_INT), of a work-item over every LANES-th 16 bytes of k, then over
//   the work-items, in a fixed order.
// -D: those of clh/gemm.h; SRC, WEI (prim__ocl_options_type()); INT_DOT; BM; BN; COLS; LANES;
//   AHEAD: steps whose weights are in flight; CHUNK: src is staged in local memory
//   CHUNK · 16 bytes of each row at a time, a multiple of AHEAD · LANES; 0: it is read from global memory.
//   UNALIGNED: rows of src or columns of weights start at no multiples of 16 bytes (clh/unaligned.h), else
//   they do, or elements are read one by one.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BM) || !defined(COLS)
#error "ocl_matmul_gemv_nt needs SRC, WEI, BM, COLS"
#endif
#if !defined(BN) || !defined(LANES) || !defined(AHEAD)
#error "ocl_matmul_gemv_nt needs BN, LANES, AHEAD"
#endif
#if !defined(CHUNK) || CHUNK % (AHEAD * LANES) != 0
#error "CHUNK is no multiple of AHEAD and LANES"
#endif
#ifndef UNALIGNED
#error "ocl_matmul_gemv_nt needs UNALIGNED"
#endif
#if BN % COLS != 0 || BN % 8 != 0
#error "BN is no multiple of COLS and 8"
#endif

#define TEAMS (BN / COLS)
#define ITEMS (TEAMS * LANES)

#include "clh/always_inline.h"
#include "clh/gemm.h"
#include "clh/gemm_tile.h"
#include "clh/group_size.h"
#include "clh/int_dot.h"
#include "clh/unaligned.h"

#if CHUNK
#define ROW_SPACE __local
#else
#define ROW_SPACE __global
#endif
#define SUM_BYTES (BM * BN * (LANES + 2) * 4)
#define ROW_BYTES (BM * CHUNK * 16)
#define LOCAL_BYTES (SUM_BYTES > ROW_BYTES ? SUM_BYTES : ROW_BYTES)

#define BYTES_OF(dt) ((dt) == DT_F32 ? 4 : (dt) == DT_F16 || (dt) == DT_BF16 ? 2 : 1)
#define PER_WORD (4 / BYTES_OF(WEI_DT))
#define PACK (4 * PER_WORD) // elements of 16 bytes

typedef struct {
    __global const SRC_T *rows[BM];
    __global const WEI_T *cols[COLS];
    long src_k;
} operands_t;

ALWAYS_INLINE sum_t mad_sum(sum_t a, sum_t b, sum_t c)
{
#if IS_INT
    return a * b + c;
#else
    return fma(a, b, c);
#endif
}

#if !IS_INT
// Element e of a word.
ALWAYS_INLINE float value_of(uint word, const int e, const int dt)
{
    if (dt == DT_F32) return as_float(word);
    if (dt == DT_BF16) return as_float(e ? word & 0xffff0000u : word << 16);
    if (dt == DT_F16) {
        const ushort bits = (ushort)(word >> (16 * e));
        return vload_half(0, (const half *)&bits);
    }
    if (dt == DT_S8) return (float)((int)(word << (24 - 8 * e)) >> 24);
    return (float)(word >> (8 * e) & 255);
}
#endif

// `sum` and the products of a word of src and one of weights.
ALWAYS_INLINE sum_t multiply_word(uint a, uint b, sum_t sum)
{
#if IS_INT && SRC_DT == DT_U8 && WEI_DT == DT_U8
    return dot4_uu(a, b, sum);
#elif IS_INT && SRC_DT == DT_U8
    return dot4_us(a, b, sum);
#elif IS_INT && WEI_DT == DT_U8
    return dot4_su(a, b, sum);
#elif IS_INT
    return dot4_ss(a, b, sum);
#else
#pragma unroll
    for (int e = 0; e < PER_WORD; ++e)
        sum = mad_sum(value_of(a, e, SRC_DT), value_of(b, e, WEI_DT), sum);
    return sum;
#endif
}

// 16 bytes of an operand, perhaps in flight.
#if UNALIGNED
typedef unaligned_t pack_t;
#define NO_PACK ((unaligned_t){(uint4)(0), (uint4)(0)})
#else
typedef uint4 pack_t;
#define NO_PACK (uint4)(0)
#endif

ALWAYS_INLINE void load_pack(pack_t *x, __global const void *from, int pack)
{
#if UNALIGNED
    load_unaligned(x, (__global const uchar *)from + pack * 16, 16);
#else
    *x = ((__global const uint4 *)from)[pack];
#endif
}

ALWAYS_INLINE uint4 bytes_of(const pack_t *x, __global const void *from)
{
#if UNALIGNED
    return unaligned_bytes(x, (__global const uchar *)from);
#else
    return *x;
#endif
}

typedef struct {
    pack_t cols[COLS];
} step_t;

ALWAYS_INLINE void load_step(step_t *step, const operands_t *of, int pack, int npacks)
{
#pragma unroll
    for (int c = 0; c < COLS; ++c) {
        step->cols[c] = NO_PACK;
        if (pack < npacks) load_pack(&step->cols[c], of->cols[c], pack);
    }
}

// A row's, which comes from local memory or from the caches.
ALWAYS_INLINE uint4 row_pack(ROW_SPACE const uint4 *row, int pack)
{
#if CHUNK || !UNALIGNED
    return row[pack];
#else
    pack_t x;
    load_pack(&x, row, pack);
    return bytes_of(&x, row);
#endif
}

// `pack` of the columns in `step`, and of rows.
ALWAYS_INLINE void multiply_step(ROW_SPACE const uint4 *rows[BM], const operands_t *of, const step_t *step, int pack,
        bool is_in, sum_t acc[BM][COLS])
{
    uint4 cols[COLS];
#pragma unroll
    for (int c = 0; c < COLS; ++c) cols[c] = bytes_of(&step->cols[c], of->cols[c]);
#pragma unroll
    for (int r = 0; r < BM; ++r) {
        const uint4 a = is_in ? row_pack(rows[r], pack) : (uint4)(0);
#pragma unroll
        for (int c = 0; c < COLS; ++c) {
            const uint4 b = cols[c];
            acc[r][c] = multiply_word(a.x, b.x, acc[r][c]);
            acc[r][c] = multiply_word(a.y, b.y, acc[r][c]);
            acc[r][c] = multiply_word(a.z, b.z, acc[r][c]);
            acc[r][c] = multiply_word(a.w, b.w, acc[r][c]);
        }
    }
}

#if CHUNK
// Vectors p0 to p0 + CHUNK of each row, zeros behind the last. All loads start before the first is used.
ALWAYS_INLINE void stage_rows(const operands_t *of, int p0, int npacks, __local uint4 *memory, int item)
{
#pragma unroll 1
    for (int p = item; p < CHUNK; p += ITEMS) {
        pack_t x[BM];
#pragma unroll
        for (int r = 0; r < BM; ++r) {
            x[r] = NO_PACK;
            if (p0 + p < npacks) load_pack(&x[r], of->rows[r], p0 + p);
        }
#pragma unroll
        for (int r = 0; r < BM; ++r) memory[r * CHUNK + p] = bytes_of(&x[r], of->rows[r]);
    }
}
#endif

// The first `npacks` times 16 bytes of rows and columns.
ALWAYS_INLINE void multiply_packs(const operands_t *of, int npacks, __local uint4 *memory, int item,
        sum_t acc[BM][COLS])
{
    const int lane = item % LANES;
    ROW_SPACE const uint4 *rows[BM];
#pragma unroll
    for (int r = 0; r < BM; ++r) {
#if CHUNK
        rows[r] = memory + r * CHUNK;
#else
        rows[r] = (__global const uint4 *)of->rows[r];
#endif
    }
    step_t next[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; ++u) load_step(&next[u], of, lane + u * LANES, npacks);
    const int chunk = CHUNK ? CHUNK : npacks;
#pragma unroll 1
    for (int p0 = 0; p0 < npacks; p0 += chunk) {
#if CHUNK
        barrier(CLK_LOCAL_MEM_FENCE);
        stage_rows(of, p0, npacks, memory, item);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        const int end = min(chunk, npacks - p0);
#pragma unroll 1
        for (int pack = lane; pack < end; pack += AHEAD * LANES) {
#pragma unroll
            for (int u = 0; u < AHEAD; ++u) {
                const step_t now = next[u];
                load_step(&next[u], of, p0 + pack + (AHEAD + u) * LANES, npacks);
                multiply_step(rows, of, &now, pack + u * LANES, CHUNK || pack + u * LANES < end, acc);
            }
        }
    }
}

// Steps [first, k), one by one.
ALWAYS_INLINE void multiply_elements(const operands_t *of, int first, int k, int lane,
        sum_t acc[BM][COLS])
{
#pragma unroll 1
    for (int p = first + lane; p < k; p += LANES) {
        sum_t a[BM];
#pragma unroll
        for (int r = 0; r < BM; ++r) a[r] = SRC_GET(of->rows[r], p * of->src_k);
#pragma unroll
        for (int c = 0; c < COLS; ++c) {
            const sum_t b = WEI_GET(of->cols[c], p);
#pragma unroll
            for (int r = 0; r < BM; ++r) acc[r][c] = mad_sum(a[r], b, acc[r][c]);
        }
    }
}

// Whether operands can be read by 16 bytes.
ALWAYS_INLINE bool is_aligned(__global const SRC_T *src, long src_m, long src_k, __global const WEI_T *wei,
        long wei_n, int k)
{
#if UNALIGNED
    return true;
#elif BYTES_OF(SRC_DT) == BYTES_OF(WEI_DT)
    return (((ulong)src | (ulong)wei) & 15) == 0 && ((src_m | wei_n) & (PACK - 1)) == 0 &&
           src_k == 1;
#else
    return false;
#endif
}

// Adds up what the work-items of each column have, and takes it to dst: `sums` is [BM][BN], then the
// work-items' sums, one more apart than there are for the banks.
ALWAYS_INLINE void put_sums(const gemm_t *gemm, const target_t *to, sum_t acc[BM][COLS],
        __local sum_t *sums, const tile_t *t, int item, __global void *dst)
{
    const int team = item / LANES, lane = item % LANES;
    __local sum_t *parts = sums + BM * BN;
#if CHUNK
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
    for (int r = 0; r < BM; ++r) {
#pragma unroll
        for (int c = 0; c < COLS; ++c)
            parts[(r * BN + team * COLS + c) * (LANES + 1) + lane] = acc[r][c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < BM * BN; e += ITEMS) {
        sum_t x = 0;
#pragma unroll
        for (int i = 0; i < LANES; ++i) x += parts[e * (LANES + 1) + i];
        sums[e] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    put_rows(gemm, to, sums, BM, BN, t->row, BM, 0, t->col, item, ITEMS, dst);
}

#if (WITH_POST_OPS || WITH_QUANT) && REGISTERS_SUFFICE(ITEMS)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#endif

GROUP_SIZE __kernel void matmul_gemv_nt(__global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global void *dst, long dst_off,
        long src_m, long src_k, long wei_n, ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch
        GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local uint4 memory[LOCAL_BYTES / 16];
    const int item = (int)get_local_id(0), team = item / LANES, lane = item % LANES;
    const int m = (int)gemm_m;
    const tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
    const int depth = t.k_end - t.k_first;
    src += src_off + batch_offset(gemm_batch, src_batch, t.product) + t.k_first * src_k;
    wei += wei_off + batch_offset(gemm_batch, wei_batch, t.product) + t.k_first;
    operands_t of;
    of.src_k = src_k;
    // What hangs over the edges is the last row and column again, and goes nowhere.
#pragma unroll
    for (int r = 0; r < BM; ++r) of.rows[r] = src + min(t.row + r, m - 1) * src_m;
#pragma unroll
    for (int c = 0; c < COLS; ++c) of.cols[c] = wei + min(t.col + team * COLS + c, n - 1) * wei_n;

    sum_t acc[BM][COLS];
#pragma unroll
    for (int r = 0; r < BM; ++r) {
#pragma unroll
        for (int c = 0; c < COLS; ++c) acc[r][c] = 0;
    }
    const int npacks = is_aligned(src, src_m, src_k, wei, wei_n, k) ? depth / PACK : 0;
    multiply_packs(&of, npacks, memory, item, acc);
    multiply_elements(&of, npacks * PACK, depth, lane, acc);
    const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial,
            partial_off, nsplits, (int)get_group_id(1));
    put_sums(&gemm, &to, acc, (__local sum_t *)memory, &t, item, dst);
    FINISH_SPLITS(to, (__local uint *)memory, item, ITEMS);
}
