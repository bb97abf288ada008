// SPDX-License-Identifier: Apache-2.0
// Products with few rows, which is as fast as weights come from memory: an item multiplies 4 columns
// of weights, straight from global memory, by BM rows of src, which lie in local memory; the items
// of a group are BN / 4 along the columns and DEEP along k, whose sums they add up in the end.
//
//   src, src_off   SRC_T; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   WEI_T; element (p, j) at p·wei_k + j
//   dst, dst_off   of type dst_dt
//   the rest       clh/gemm_tile.h
// Grid: clh/gemm_tile.h; groups of BN / 4 · DEEP items.
// Numerics: sums in f32 or s32 (IS_INT), over every DEEP-th step of k, then of these; always in the
//   same order.
// -D: those of clh/gemm.h; SRC, WEI (prim__ocl_options_type()); BM = 1, 2 or 4; BN, 4 columns an item;
//   DEEP; AHEAD: loads of weights on their way; WEI_VEC: 1 where every 4 columns of weights start at a multiple of the size of 4, else 0.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BM) || !defined(BN) || !defined(WEI_VEC)
#error "ocl_matmul_skinny needs SRC, WEI, BM, BN, WEI_VEC"
#endif
#if !defined(AHEAD)
#error "ocl_matmul_skinny needs AHEAD"
#endif
#if BN % 4 != 0 || BN > 128 || !defined(DEEP)
#error "BN is not 4 columns of up to 32 items, or DEEP is missing"
#endif
#if BM != 1 && BM != 2 && BM != 4
#error "BM is not 1, 2 or 4"
#endif

#include "clh/gemm.h"
#include "clh/gemm_tile.h"

#define LANES (BN / 4)
#define ITEMS (LANES * DEEP)
#define CHUNK (2 * AHEAD * DEEP)           // steps of k of src in local memory
#define LOCAL_ELEMS (ITEMS * 4 * BM > CHUNK * BM ? ITEMS * 4 * BM : CHUNK * BM)

#define INLINE static inline __attribute__((always_inline))

#if IS_INT
#define SRC_GET SRC_LOAD_INT
#define WEI_GET WEI_LOAD_INT
#else
#define SRC_GET SRC_LOAD
#define WEI_GET WEI_LOAD
#endif

// Four weights of one step of k as they lie in memory.
#if WEI_DT == DT_F32
typedef float4 quad_t;
#elif WEI_DT == DT_F16 || WEI_DT == DT_BF16
typedef ushort4 quad_t;
#elif WEI_DT == DT_S8
typedef char4 quad_t;
#elif WEI_DT == DT_U8
typedef uchar4 quad_t;
#else
#error "WEI is not f32, f16, bf16, s8 or u8"
#endif

// An item's columns: neighbours in memory or, where these do not start at such multiples, LANES apart,
// so that neighbouring items read neighbours.
#define COL_OF(lane, c) (WEI_VEC ? (lane) * 4 + (c) : (lane) + (c) * LANES)

typedef struct {
    __global const WEI_T *wei;
    long stride;
    int lane, width; // columns from the tile's first one that exist
} columns_t;

INLINE quad_t load_quad(const columns_t *cols, int p, int depth)
{
    quad_t q = (quad_t)(0);
    if (p >= depth) return q;
    __global const WEI_T *at = cols->wei + p * cols->stride;
#if WEI_VEC
    if (cols->lane * 4 + 3 < cols->width) return *(__global const quad_t *)(at + cols->lane * 4);
#endif
    if (COL_OF(cols->lane, 0) < cols->width) q.x = at[COL_OF(cols->lane, 0)];
    if (COL_OF(cols->lane, 1) < cols->width) q.y = at[COL_OF(cols->lane, 1)];
    if (COL_OF(cols->lane, 2) < cols->width) q.z = at[COL_OF(cols->lane, 2)];
    if (COL_OF(cols->lane, 3) < cols->width) q.w = at[COL_OF(cols->lane, 3)];
    return q;
}

#if WEI_DT == DT_F32
#define VALUE(x) (x)
#elif WEI_DT == DT_F16
INLINE float value_of(ushort bits)
{
    return vload_half(0, (const half *)&bits);
}
#define VALUE(x) value_of(x)
#elif WEI_DT == DT_BF16
#define VALUE(x) as_float((uint)(x) << 16)
#else
#define VALUE(x) ((sum_t)(x))
#endif

INLINE sum_t mad_sum(sum_t a, sum_t b, sum_t c)
{
#if IS_INT
    return a * b + c;
#else
    return fma(a, b, c);
#endif
}

// One step of k: `a` holds its BM elements of src.
INLINE void multiply_step(__local const sum_t *a, quad_t q, sum_t acc[BM][4])
{
    const sum_t w[4] = {VALUE(q.x), VALUE(q.y), VALUE(q.z), VALUE(q.w)};
#pragma unroll
    for (int r = 0; r < BM; ++r) {
        const sum_t x = a[r];
#pragma unroll
        for (int c = 0; c < 4; ++c) acc[r][c] = mad_sum(x, w[c], acc[r][c]);
    }
}

// `depth` steps of src from step p0 on, [p][row], zeros where there is none.
INLINE void load_rows(__global const SRC_T *src, long off, long src_m, long src_k, int nrows, int p0,
        int depth, __local sum_t *a, int item)
{
#pragma unroll 4
    for (int e = item; e < BM * CHUNK; e += ITEMS) {
        const int r = e / CHUNK, p = e % CHUNK;
        sum_t x = 0;
        if (r < nrows && p < depth) x = SRC_GET(src, off + r * src_m + (p0 + p) * src_k);
        a[p * BM + r] = x;
    }
}

// Adds up what the items along k have, and takes it to dst.
INLINE void put_sums(const gemm_t *gemm, const target_t *to, sum_t acc[BM][4], __local sum_t *sums,
        const tile_t *t, int item, __global void *dst)
{
    const int lane = item % LANES, slice = item / LANES;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int r = 0; r < BM; ++r) {
#pragma unroll
        for (int c = 0; c < 4; ++c) sums[(slice * BM + r) * BN + COL_OF(lane, c)] = acc[r][c];
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

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void skinny(__global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global void *dst, long dst_off,
        long src_m, long src_k, long wei_k, long4 src_batch, long4 wei_batch
        GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local sum_t tile[LOCAL_ELEMS] __attribute__((aligned(16)));
    const int item = (int)get_local_id(0), lane = item % LANES, slice = item / LANES;
    const tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), (int)gemm_m, n, k, split_k);
    const int depth = t.k_end - t.k_first, nrows = (int)gemm_m - t.row;
    const columns_t cols = {wei + wei_off + batch_offset(gemm_batch, wei_batch, t.product) +
                                    t.k_first * wei_k + t.col,
            wei_k, lane, n - t.col};
    src_off += batch_offset(gemm_batch, src_batch, t.product) + t.row * src_m;

    sum_t acc[BM][4];
#pragma unroll
    for (int r = 0; r < BM; ++r) {
#pragma unroll
        for (int c = 0; c < 4; ++c) acc[r][c] = 0;
    }
    quad_t next[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; ++u) next[u] = load_quad(&cols, slice + u * DEEP, depth);
    for (int p0 = 0; p0 < depth; p0 += CHUNK) {
        barrier(CLK_LOCAL_MEM_FENCE);
        load_rows(src, src_off, src_m, src_k, nrows, t.k_first + p0, depth - p0, tile, item);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int p = slice; p < min(CHUNK, depth - p0); p += AHEAD * DEEP) {
            quad_t now[AHEAD];
#pragma unroll
            for (int u = 0; u < AHEAD; ++u) {
                now[u] = next[u];
                next[u] = load_quad(&cols, p0 + p + (AHEAD + u) * DEEP, depth);
            }
#pragma unroll
            for (int u = 0; u < AHEAD; ++u)
                multiply_step(tile + (p + u * DEEP) * BM, now[u], acc);
        }
    }
    const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial,
            partial_off, nsplits, (int)get_group_id(1));
    put_sums(&gemm, &to, acc, tile, &t, item, dst);
}
