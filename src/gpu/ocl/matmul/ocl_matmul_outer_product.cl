// SPDX-License-Identifier: Apache-2.0
// Matrix product of little depth: dst is the sum of a few outer products, and its stores take longer than all else. A
// work-group computes BM × BN elements; its panels of src and weights, BK indices of K at a time, go through local
// memory. LANES work-items have TM rows and TN · LANES columns; neighbours have neighbouring columns, a work-item two
// where elements of dst have 16 bits. So rows of dst may begin anywhere.
//
//   src, src_off   SRC_T; element (i, p) at i·src_m + p·src_k
//   wei, wei_off   WEI_T; element (p, j) at p·wei_k + j·wei_n
//   dst, dst_off   of type dst_dt; element (i, j) at i·dst_m + j·dst_n
//   n, k           the other sizes; …_batch: strides of the batch dimensions. Elements that a work-group reads of an
//                  operand are less than 2³¹ apart
// Grid: x = products · ceil(m / BM) · ceil(n / BN) work-groups of ITEMS work-items.
// Numerics: one sum in s32 (IS_INT) or f32, in the order of k.
// -D: those of clh/gemm.h, the type of dst among them; SRC, WEI (prim__ocl_options_type()); SRC_ALONG_K, WEI_ALONG_K:
//   neighbours of K are read by neighbours; BK, TM and TN: powers of 2; GROUP_ITEMS: a multiple of 32; REGISTERS of
//   clh/limited_group.h; IS_PLAIN: dst is contiguous along N, has elements of 2 or 4 bytes, and its sums have no scales
//   and zero points, and neither bias nor post-ops unless REAL_WIDTH=2: pairs of columns get these (clh/gemm_reals.h;
//   FAST_EXP2, SLOPES = 0: clh/eltwise_short.h).
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(SRC_ALONG_K) || !defined(WEI_ALONG_K)
#error "ocl_matmul_outer_product needs SRC, WEI, SRC_ALONG_K, WEI_ALONG_K"
#endif
#if !defined(BK) || !defined(TM) || !defined(TN) || !defined(GROUP_ITEMS) || !defined(IS_PLAIN)
#error "ocl_matmul_outer_product needs BK, TM, TN, GROUP_ITEMS, IS_PLAIN"
#endif

#include "clh/always_inline.h"
#include "clh/eltwise_short.h"
#include "clh/load_reals.h"

#include "clh/gemm.h"
#include "clh/gemm_reals.h"
#include "clh/limited_group.h"

#define LANES 32
#define ITEMS GROUP_ITEMS
#define WARPS (ITEMS / LANES)
#define BM (WARPS * TM)
#define BN (LANES * TN)
// Rows of the panel of src stay at multiples of 16 bytes, and begin in different banks.
#define PITCH_A (BM + 4)
// So do neighbours of K of the panel of weights, if neighbours put them there; a work-item's two columns stay neighbours.
#define PITCH_B (WEI_ALONG_K ? BN + 2 : BN)
// Loads of a work-item for the panels, and those of weights that are under way with a part of those of src.
#define LOADS_OF(width) (((width) * BK + ITEMS - 1) / ITEMS)
#define WEI_AHEAD (LOADS_OF(BN) < 8 ? LOADS_OF(BN) : 8)
#define PARTS ((LOADS_OF(BN) + WEI_AHEAD - 1) / WEI_AHEAD)
#define SRC_AHEAD ((LOADS_OF(BM) + PARTS - 1) / PARTS)

// Neighbouring columns of a work-item, and its column number c.
#if REAL_WIDTH == 2 || (IS_PLAIN && TN > 1 && (GEMM_DST_DT == DT_F16 || GEMM_DST_DT == DT_BF16))
#define RUN 2
#else
#define RUN 1
#endif
#define COLUMN(lane, c) (((c) / RUN * LANES + (lane)) * RUN + (c) % RUN)

// Where a tile lies: product, first row and column, and rows and columns that are inside.
typedef struct {
    long product, i0, j0;
    int rows, cols;
} tile_t;

static inline tile_t tile_of(const gemm_t *gemm, long group, long n)
{
    const long across = (n + BN - 1) / BN, down = (gemm->m + BM - 1) / BM;
    const long row = div_long(group, across), product = div_long(row, down);
    tile_t tile;
    tile.product = product;
    tile.i0 = (row - product * down) * BM;
    tile.j0 = (group - row * across) * BN;
    tile.rows = (int)min(gemm->m - tile.i0, (long)BM);
    tile.cols = (int)min(n - tile.j0, (long)BN);
    return tile;
}

// Row or column, and index of K, of element t of a panel: neighbours read neighbours.
#define ACROSS(t, along_k, width) ((along_k) ? (t) / BK : (t) % (width))
#define ALONG(t, along_k, width) ((along_k) ? (t) % BK : (t) / (width))

// Elements of the panel of src, BM rows and `depth` indices of K from p0 on: number `first`, and every ITEMS-th from
// there. Those outside read the last one, and its scale and zero point, so that no load waits for a comparison; what
// they read is not used.
ALWAYS_INLINE void read_src(const gemm_t *gemm, const tile_t *tile, __global const SRC_T *src, int src_m, int src_k,
        long p0, int depth, int first, sum_t x[SRC_AHEAD])
{
#pragma unroll
    for (int u = 0; u < SRC_AHEAD; ++u) {
        const int t = first + u * ITEMS;
        const int i = min(ACROSS(t, SRC_ALONG_K, BM), tile->rows - 1), p = min(ALONG(t, SRC_ALONG_K, BM), depth - 1);
        x[u] = gemm_adjust_src(gemm, SRC_GET(src, i * src_m + p * src_k), tile->i0 + i, p0 + p);
    }
}

// The same of weights and BN columns.
ALWAYS_INLINE void read_wei(const gemm_t *gemm, const tile_t *tile, __global const WEI_T *wei, int wei_k, int wei_n,
        long p0, int depth, int first, sum_t x[WEI_AHEAD])
{
#pragma unroll
    for (int u = 0; u < WEI_AHEAD; ++u) {
        const int t = first + u * ITEMS;
        const int j = min(ACROSS(t, WEI_ALONG_K, BN), tile->cols - 1), p = min(ALONG(t, WEI_ALONG_K, BN), depth - 1);
        x[u] = gemm_adjust_wei(gemm, WEI_GET(wei, p * wei_k + j * wei_n), p0 + p, tile->j0 + j);
    }
}

// What a work-item has read, to a panel of `width` rows or columns, whose indices of K are `pitch` apart.
ALWAYS_INLINE void put(const sum_t *x, const int count, const int along_k, const int width, const int pitch, int first,
        __local sum_t *panel)
{
#pragma unroll
    for (int u = 0; u < count; ++u) {
        const int t = first + u * ITEMS;
        if (t < width * BK) panel[ALONG(t, along_k, width) * pitch + ACROSS(t, along_k, width)] = x[u];
    }
}

#if TM % 4 == 0
#if IS_INT
typedef int4 quad_t;
#else
typedef float4 quad_t;
#endif
#endif

// TM rows of a column of src.
ALWAYS_INLINE void read_rows(const __local sum_t *from, sum_t a[TM])
{
#if TM % 4 == 0
#pragma unroll
    for (int r = 0; r < TM; r += 4) {
        const quad_t quad = *(const __local quad_t *)(from + r);
        a[r] = quad.x, a[r + 1] = quad.y, a[r + 2] = quad.z, a[r + 3] = quad.w;
    }
#else
#pragma unroll
    for (int r = 0; r < TM; ++r) a[r] = from[r];
#endif
}

// Adds `depth` outer products of a column of src, rows from `row` on, and a row of weights, the columns of `lane`.
ALWAYS_INLINE void accumulate(
        const __local sum_t *src, const __local sum_t *wei, int row, int lane, int depth, sum_t acc[TM][TN])
{
#pragma unroll 2
    for (int p = 0; p < depth; ++p) {
        sum_t a[TM], b[TN];
        read_rows(src + p * PITCH_A + row, a);
#pragma unroll
        for (int c = 0; c < TN; ++c) b[c] = wei[p * PITCH_B + COLUMN(lane, c)];
#pragma unroll
        for (int r = 0; r < TM; ++r) {
#pragma unroll
            for (int c = 0; c < TN; ++c) {
#if IS_INT
                acc[r][c] += a[r] * b[c];
#else
                acc[r][c] = fma(a[r], b[c], acc[r][c]);
#endif
            }
        }
    }
}

#if IS_PLAIN
#if GEMM_DST_DT == DT_F16 || GEMM_DST_DT == DT_BF16
typedef ushort bits_t;
#else
typedef uint bits_t;
#endif

// A sum as an element of dst.
ALWAYS_INLINE bits_t bits_of(sum_t sum)
{
#if GEMM_DST_DT == DT_F16
    ushort bits;
    vstore_half_rte(sum, 0, (half *)&bits);
    return bits;
#elif GEMM_DST_DT == DT_BF16
    return bf16_from_f32(sum);
#elif IS_INT
    return (uint)sum;
#else
    return as_uint(sum);
#endif
}

#if RUN == 2
// Two neighbours at a multiple of their size.
ALWAYS_INLINE void put_pair(__global bits_t *to, bits_t x, bits_t y)
{
#if GEMM_DST_DT == DT_F32
    *(__global uint2 *)to = (uint2)(x, y);
#else
    *(__global uint *)to = x | (uint)y << 16;
#endif
}
#endif

// The columns of a row in which `to` is column 0. `whole`: there are BN, so that no store waits for a comparison.
ALWAYS_INLINE void put_row(const sum_t sums[TN], int lane, int cols, __global bits_t *to, const bool whole)
{
#if RUN == 2
    const bool is_odd = ((ulong)to & sizeof(bits_t)) != 0;
#endif
#pragma unroll
    for (int c = 0; c < TN; c += RUN) {
        const int j = COLUMN(lane, c);
#if RUN == 2
        if (!is_odd && (whole || j + 1 < cols)) {
            put_pair(to + j, bits_of(sums[c]), bits_of(sums[c + 1]));
            continue;
        }
        if (whole || j + 1 < cols) to[j + 1] = bits_of(sums[c + 1]);
#endif
        if (whole || j < cols) to[j] = bits_of(sums[c]);
    }
}

#if REAL_WIDTH == 2
// Rows that are compiled one by one: all of a bias alone; a chain is compiled once.
#if WITH_POST_OPS
#define ROWS_AT_ONCE 1
#else
#define ROWS_AT_ONCE TM
#endif

// The bias of a work-item's columns in a row; those outside have that of the last inside.
ALWAYS_INLINE void load_bias(
        const gemm_t *gemm, const tile_t *tile, const gemm_row_t *row, int lane, real_t bias[TN / 2])
{
#pragma unroll
    for (int c = 0; c < TN; c += 2) {
        const int at = min(COLUMN(lane, c), tile->cols - 1);
        bias[c / 2] = gemm_bias_reals(gemm, row, tile->j0 + at, min(tile->cols - at, 2), false);
    }
}

// Rows from `first` on of a tile whose column 0 and row 0 are at `place`: all loads of a row before its stores.
// `bias`: of row 0; `is_whole`: vectors are aligned, and all rows and columns exist.
ALWAYS_INLINE void store_finished(const gemm_t *gemm, const tile_t *tile, sum_t acc[TM][TN], real_t bias[TN / 2],
        int first, int lane, __global void *dst, long place, long dst_m, const bool is_whole)
{
    gemm_row_t row;
#pragma unroll ROWS_AT_ONCE
    for (int r = 0; r < TM; ++r) {
        if (!is_whole && first + r >= tile->rows) break;
        const long to = place + (first + r) * dst_m;
        sum_t sums[TN];
        if (PO_NEEDS_POSITION || gemm->bia_m != 0) row = gemm_row(gemm, tile->product, tile->i0 + first + r);
        if (gemm->bia_m != 0) load_bias(gemm, tile, &row, lane, bias);
#pragma unroll
        for (int c = 0; c < TN; c += 2) {
            real_t x = (real_t)(acc[0][c], acc[0][c + 1]);
#pragma unroll
            for (int t = 1; t < TM; ++t) x = r == t ? (real_t)(acc[t][c], acc[t][c + 1]) : x;
            const int at = is_whole ? COLUMN(lane, c) : min(COLUMN(lane, c), tile->cols - 1);
            const int count = is_whole ? 2 : min(tile->cols - at, 2);
            x = gemm_finish_reals(gemm, &row, x + bias[c / 2], tile->j0 + at, count, dst, to + at, is_whole);
            sums[c] = x.s0, sums[c + 1] = x.s1;
        }
        put_row(sums, lane, is_whole ? BN : tile->cols, (__global bits_t *)dst + to, is_whole);
    }
}
#endif

// Rows from `first` on of a tile whose row 0 and column 0 are at `place`.
ALWAYS_INLINE void store(const tile_t *tile, sum_t acc[TM][TN], int first, int lane, __global void *dst, long place,
        long dst_m)
{
    __global bits_t *to = (__global bits_t *)dst + place + first * dst_m;
    const bool whole = tile->rows == BM && tile->cols == BN;
#pragma unroll
    for (int r = 0; r < TM; ++r, to += dst_m) {
        if (whole)
            put_row(acc[r], lane, BN, to, true);
        else if (first + r < tile->rows)
            put_row(acc[r], lane, tile->cols, to, false);
    }
}
#else
// values[at], of values that stay in registers.
ALWAYS_INLINE sum_t pick(const sum_t *values, int count, int at)
{
    sum_t x = values[0];
#pragma unroll
    for (int t = 1; t < count; ++t) x = at == t ? values[t] : x;
    return x;
}

// A long epilogue is compiled once, not for every element.
ALWAYS_INLINE void store_single(const gemm_t *gemm, const tile_t *tile, sum_t acc[TM][TN], int first, int lane,
        __global void *dst, long dst_off, long dst_m, long dst_n)
{
#pragma unroll 1
    for (int r = 0; r < TM && first + r < tile->rows; ++r) {
        const long i = tile->i0 + first + r;
        gemm_row_t row = gemm_row(gemm, tile->product, i);
        sum_t sums[TN];
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            sums[c] = acc[0][c];
#pragma unroll
            for (int t = 1; t < TM; ++t) sums[c] = r == t ? acc[t][c] : sums[c];
        }
#pragma unroll 1
        for (int c = 0; c < TN && COLUMN(lane, c) < tile->cols; ++c) {
            const long j = tile->j0 + COLUMN(lane, c);
            gemm_store(gemm, &row, pick(sums, TN, c), j, dst, dst_off + i * dst_m + j * dst_n);
        }
    }
}
#endif

GROUP_SIZE __kernel void matmul_outer_product(__global const SRC_T *src, long src_off, __global const WEI_T *wei,
        long wei_off, __global void *dst, long dst_off, long n, long k, long src_m, long src_k, long wei_k, long wei_n,
        long dst_m, long dst_n, ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch,
        ocl_gemm_batch_t dst_batch GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local sum_t panels[BK * (PITCH_A + PITCH_B)] __attribute__((aligned(16)));
    __local sum_t *const src_panel = panels, *const wei_panel = panels + BK * PITCH_A;
    const int item = (int)get_local_id(0), lane = item % LANES, row = item / LANES * TM;
    const tile_t tile = tile_of(&gemm, get_group_id(0), n);
    src += src_off + batch_offset(gemm_batch, src_batch, tile.product) + tile.i0 * src_m;
    wei += wei_off + batch_offset(gemm_batch, wei_batch, tile.product) + tile.j0 * wei_n;
    dst_off += batch_offset(gemm_batch, dst_batch, tile.product);

    sum_t acc[TM][TN];
#pragma unroll
    for (int r = 0; r < TM; ++r) {
#pragma unroll
        for (int c = 0; c < TN; ++c) acc[r][c] = 0;
    }
#if REAL_WIDTH == 2
    // Behind the products, each group would wait for it.
    real_t bias[TN / 2];
    const gemm_row_t first_row = gemm_row(&gemm, tile.product, tile.i0);
    load_bias(&gemm, &tile, &first_row, lane, bias);
#endif
    for (long p0 = 0; p0 < k; p0 += BK) {
        const int depth = (int)min(k - p0, (long)BK);
        if (p0 > 0) barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int part = 0; part < PARTS; ++part) {
            const int src_first = part * SRC_AHEAD * ITEMS + item, wei_first = part * WEI_AHEAD * ITEMS + item;
            sum_t a[SRC_AHEAD], b[WEI_AHEAD];
            read_src(&gemm, &tile, src + p0 * src_k, (int)src_m, (int)src_k, p0, depth, src_first, a);
            read_wei(&gemm, &tile, wei + p0 * wei_k, (int)wei_k, (int)wei_n, p0, depth, wei_first, b);
            put(a, SRC_AHEAD, SRC_ALONG_K, BM, PITCH_A, src_first, src_panel);
            put(b, WEI_AHEAD, WEI_ALONG_K, BN, PITCH_B, wei_first, wei_panel);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        accumulate(src_panel, wei_panel, row, lane, depth, acc);
    }
#if REAL_WIDTH == 2
    const long place = dst_off + tile.i0 * dst_m + tile.j0;
    if (tile.rows == BM && tile.cols == BN &&
            gemm_reals_are_aligned(&gemm, dst, place, dst_m))
        store_finished(&gemm, &tile, acc, bias, row, lane, dst, place, dst_m, true);
    else
        store_finished(&gemm, &tile, acc, bias, row, lane, dst, place, dst_m, false);
#elif IS_PLAIN
    store(&tile, acc, row, lane, dst, dst_off + tile.i0 * dst_m + tile.j0, dst_m);
#else
    store_single(&gemm, &tile, acc, row, lane, dst, dst_off, dst_m, dst_n);
#endif
}
