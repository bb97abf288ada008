// SPDX-License-Identifier: Apache-2.0
// Matrix product for small M (1–4) and weights K×N, for GPUs, limited by the bandwidth of the weights. A
// work-item multiplies COLS columns of weights, straight from global memory, by BM rows of src, which are
// staged in local memory. The work-items of a work-group are BN / COLS along N and DEEP along K; the DEEP
// partial sums are reduced through local memory at the end.
//
//   src, src_off   SRC_T; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   WEI_T; element (p, j) at p·wei_k + j
//   dst, dst_off   of type dst_dt
//   the rest       clh/gemm_tile.h
// Grid: clh/gemm_tile.h; work-groups of BN / COLS · DEEP work-items.
// Numerics: sums in f32 or s32 (IS_INT), over every DEEP-th index of K, then of these, in a fixed order.
// -D: those of clh/gemm.h; SRC, WEI (prim__ocl_options_type()); BM = 1, 2 or 4; COLS = 4 or 8;
//   BN; DEEP; AHEAD: loads of weights in flight; WEI_VEC: 1 where every COLS columns of weights
//   are aligned to their size, else 0; UNALIGNED: 1 where they are not, and are read all the same as
//   16 bytes from any address (elements of less than 4 bytes); WIDE_LOADS: clh/unaligned.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BM) || !defined(BN)
#error "ocl_matmul_gemv_nn needs SRC, WEI, BM, BN"
#endif
#if !defined(WEI_VEC) || !defined(UNALIGNED) || WEI_VEC && UNALIGNED
#error "ocl_matmul_gemv_nn needs WEI_VEC, UNALIGNED, not both of them 1"
#endif
#if !defined(AHEAD) || !defined(DEEP)
#error "ocl_matmul_gemv_nn needs AHEAD, DEEP"
#endif
#if (COLS != 4 && COLS != 8) || BN % COLS != 0
#error "COLS is not 4 or 8, or BN no multiple of it"
#endif
#if BM != 1 && BM != 2 && BM != 4
#error "BM is not 1, 2 or 4"
#endif

#include "clh/always_inline.h"
#include "clh/gemm.h"
#include "clh/gemm_tile.h"
#include "clh/group_size.h"
#include "clh/unaligned.h"

#define LANES (BN / COLS)
#define ITEMS (LANES * DEEP)
#define TURN (AHEAD * DEEP) // steps of k between two uses of a register
// Steps of k of src in local memory: as many as there is room for, which the sums need at the end.
#define CHUNK (ITEMS * COLS / TURN * TURN)
#define LOCAL_ELEMS (ITEMS * COLS * BM)
#if CHUNK == 0
#error "local memory does not hold src for AHEAD loads"
#endif

// COLS weights of one step of k as they lie in memory: words, for vectors of shorter elements kept in
// arrays cost an H200 four times their loads.
#if WEI_DT == DT_F32
#define PER_WORD 1
#elif WEI_DT == DT_F16 || WEI_DT == DT_BF16
#define PER_WORD 2
#elif WEI_DT == DT_S8 || WEI_DT == DT_U8
#define PER_WORD 4
#else
#error "WEI is not f32, f16, bf16, s8 or u8"
#endif
#if COLS / PER_WORD == 4
typedef uint4 pack_t;
#elif COLS / PER_WORD == 2
typedef uint2 pack_t;
#else
#error "COLS weights are not 8 or 16 bytes"
#endif

// A work-item's columns: neighbours in memory or, where they are read one by one, LANES apart, so that
// neighbouring work-items read neighbours.
#define ARE_NEIGHBOURS (WEI_VEC || UNALIGNED)
#define FIRST_OF(lane) (ARE_NEIGHBOURS ? (lane) * COLS : (lane))
#define NEXT_COL (ARE_NEIGHBOURS ? 1 : LANES)
#define COL_OF(lane, c) (FIRST_OF(lane) + (c) * NEXT_COL)

// Where a work-item stands in its columns: one place that goes from step to step, for registers are short.
typedef struct {
    __global const WEI_T *at; // the work-item's first column of the step that is loaded next
    long stride;              // to the one after it
    int width;                // columns from there on that exist
} columns_t;

// Column c as a word with zeros above it.
ALWAYS_INLINE uint load_bits(const columns_t *cols, const int c)
{
    if (c * NEXT_COL >= cols->width) return 0;
    const WEI_T x = cols->at[c * NEXT_COL];
#if PER_WORD == 1
    return as_uint(x);
#elif PER_WORD == 2
    return x;
#else
    return (uint)x & 255;
#endif
}

ALWAYS_INLINE uint load_word(const columns_t *cols, const int w)
{
    uint bits = 0;
#pragma unroll
    for (int e = 0; e < PER_WORD; ++e)
        bits |= load_bits(cols, w * PER_WORD + e) << (32 / PER_WORD * e);
    return bits;
}

// COLS weights, perhaps in flight.
#if UNALIGNED
typedef unaligned_t loaded_t;
#define NOTHING ((unaligned_t){(uint4)(0), (uint4)(0)})
#else
typedef pack_t loaded_t;
#define NOTHING (pack_t)(0)
#endif

// What is read past the last column goes nowhere. Where neighbours in a warp took different branches
// here, each load would wait for the one before it.
ALWAYS_INLINE void load_columns(loaded_t *x, const columns_t *cols)
{
#if UNALIGNED
    load_unaligned(x, (__global const uchar *)cols->at, min(cols->width, COLS) * (4 / PER_WORD));
#elif WEI_VEC && WIDE_LOADS
    *x = *(__global const pack_t *)cols->at;
#else
#if WEI_VEC
    if (COLS <= cols->width) {
        *x = *(__global const pack_t *)cols->at;
        return;
    }
#endif
    x->x = load_word(cols, 0);
    x->y = load_word(cols, 1);
#if COLS / PER_WORD == 4
    x->z = load_word(cols, 2);
    x->w = load_word(cols, 3);
#endif
#endif
}

// The next step of a work-item's, zeros where there is none.
ALWAYS_INLINE void load_step(loaded_t *x, columns_t *cols, bool is_wanted)
{
    *x = NOTHING;
    if (is_wanted) load_columns(x, cols);
    cols->at += cols->stride;
}

// `from`: where the columns of `x` are.
ALWAYS_INLINE pack_t pack_of(const loaded_t *x, __global const WEI_T *from)
{
#if UNALIGNED
    const uint4 bytes = unaligned_bytes(x, (__global const uchar *)from);
#if COLS / PER_WORD == 4
    return bytes;
#else
    return bytes.xy;
#endif
#else
    return *x;
#endif
}

// Weight e of a word.
ALWAYS_INLINE sum_t value_of(uint word, const int e)
{
#if WEI_DT == DT_F32
    return as_float(word);
#elif WEI_DT == DT_BF16
    return as_float(e ? word & 0xffff0000u : word << 16);
#elif WEI_DT == DT_F16
    const ushort bits = (ushort)(word >> (16 * e));
    return vload_half(0, (const half *)&bits);
#elif WEI_DT == DT_S8
    return (sum_t)((int)(word << (24 - 8 * e)) >> 24);
#else
    return (sum_t)(word >> (8 * e) & 255);
#endif
}

ALWAYS_INLINE sum_t mad_sum(sum_t a, sum_t b, sum_t c)
{
#if IS_INT
    return a * b + c;
#else
    return fma(a, b, c);
#endif
}

// One step of k: `a` holds its BM elements of src.
ALWAYS_INLINE void multiply_step(__local const sum_t *a, pack_t q, sum_t acc[BM][COLS])
{
#if COLS / PER_WORD == 4
    const uint words[4] = {q.x, q.y, q.z, q.w};
#else
    const uint words[2] = {q.x, q.y};
#endif
#pragma unroll
    for (int c = 0; c < COLS; ++c) {
        const sum_t w = value_of(words[c / PER_WORD], c % PER_WORD);
#pragma unroll
        for (int r = 0; r < BM; ++r) acc[r][c] = mad_sum(a[r], w, acc[r][c]);
    }
}

// `depth` steps of src from step p0 on, [p][row], and zeros up to `end`. Loads start before the first is used.
#define STAGED 4
ALWAYS_INLINE void load_rows(__global const SRC_T *src, long off, long src_m, long src_k, int nrows, int p0,
        int depth, int end, __local sum_t *a, int item)
{
#pragma unroll 1
    for (int first = item; first < end; first += STAGED * ITEMS) {
        sum_t x[STAGED][BM];
#pragma unroll
        for (int s = 0; s < STAGED; ++s) {
            const int p = first + s * ITEMS;
#pragma unroll
            for (int r = 0; r < BM; ++r) {
                x[s][r] = 0;
                if (r < nrows && p < depth) x[s][r] = SRC_GET(src, off + (p0 + p) * src_k + r * src_m);
            }
        }
#pragma unroll
        for (int s = 0; s < STAGED; ++s) {
            const int p = first + s * ITEMS;
#pragma unroll
            for (int r = 0; r < BM; ++r)
                if (p < end) a[p * BM + r] = x[s][r];
        }
    }
}

// Adds up what the work-items along k have, and takes it to dst.
ALWAYS_INLINE void put_sums(const gemm_t *gemm, const target_t *to, sum_t acc[BM][COLS], __local sum_t *sums,
        const tile_t *t, int item, __global void *dst)
{
    const int lane = item % LANES, slice = item / LANES;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int r = 0; r < BM; ++r) {
#pragma unroll
        for (int c = 0; c < COLS; ++c) sums[(slice * BM + r) * BN + COL_OF(lane, c)] = acc[r][c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < BM * BN; e += ITEMS) {
        sum_t x = sums[e];
#pragma unroll 8
        for (int s = 1; s < DEEP; ++s) x += sums[s * BM * BN + e];
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

GROUP_SIZE __kernel void matmul_gemv_nn(__global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global void *dst, long dst_off,
        long src_m, long src_k, long wei_k, ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch
        GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local sum_t tile[LOCAL_ELEMS] __attribute__((aligned(16)));
    const int item = (int)get_local_id(0), lane = item % LANES, slice = item / LANES;
    const tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), (int)gemm_m, n, k, split_k);
    const int depth = t.k_end - t.k_first, nrows = (int)gemm_m - t.row;
    columns_t cols = {wei + wei_off + batch_offset(gemm_batch, wei_batch, t.product) +
                              (t.k_first + slice) * wei_k + t.col + FIRST_OF(lane),
            DEEP * wei_k, n - t.col - FIRST_OF(lane)};
    const int wanted = cols.width > 0 ? depth : 0; // steps of this work-item that exist
    __global const WEI_T *used = cols.at;          // what is multiplied next
    src_off += batch_offset(gemm_batch, src_batch, t.product) + t.row * src_m;

    sum_t acc[BM][COLS];
#pragma unroll
    for (int r = 0; r < BM; ++r) {
#pragma unroll
        for (int c = 0; c < COLS; ++c) acc[r][c] = 0;
    }
    loaded_t next[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; ++u) load_step(&next[u], &cols, slice + u * DEEP < wanted);
#pragma unroll 1
    for (int p0 = 0; p0 < depth; p0 += CHUNK) {
        const int left = min(CHUNK, depth - p0);
        barrier(CLK_LOCAL_MEM_FENCE);
        load_rows(src, src_off, src_m, src_k, nrows, t.k_first + p0, left, (left + TURN - 1) / TURN * TURN, tile,
                item);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int p = slice; p < left; p += TURN) {
#pragma unroll
            for (int u = 0; u < AHEAD; ++u) {
                const loaded_t now = next[u];
                load_step(&next[u], &cols, p0 + p + (AHEAD + u) * DEEP < wanted);
                multiply_step(tile + (p + u * DEEP) * BM, pack_of(&now, used), acc);
                used += cols.stride;
            }
        }
    }
    const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial,
            partial_off, nsplits, (int)get_group_id(1));
    put_sums(&gemm, &to, acc, tile, &t, item, dst);
    FINISH_SPLITS(to, (__local uint *)tile, item, ITEMS);
}
