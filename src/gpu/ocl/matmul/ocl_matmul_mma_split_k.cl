// SPDX-License-Identifier: Apache-2.0
// Matrix product for small M (1–32), limited by the bandwidth of the weights, and for few tiles, limited by how often
// a work-group waits for memory. A work-group computes a BM × BN tile of dst; its WARPS warps split K among them and reduce their partial sums through local memory.
// Operands go from global memory straight to the registers of `mma.sync` (no staging in local memory, no
// barrier in the loop); weights are prefetched AHEAD blocks ahead. The product is transposed: weights are
// the 16-row operand, src the 8-column one.
//
//   src, src_off   MMA_TYPE; element (i, p) at i·src_stride + p with SRC_ALONG_K, else p·src_stride + i
//   wei, wei_off   MMA_TYPE; element (p, j) at p + j·wei_stride with WEI_ALONG_K, else p·wei_stride + j
//   dst, dst_off   of type dst_dt
//   src_is_aligned, wei_is_aligned   rows of src, and of weights as stored, are 16-byte aligned, and k (n,
//                  unless WEI_ALONG_K) is a multiple of so many elements; of src only with SRC_ALONG_K
//   the rest       clh/gemm_tile.h, clh/gemm.h
// Grid: clh/gemm_tile.h; work-groups of 32·WARPS work-items. Local memory: 4·WARPS·BM·(BN + 4) bytes.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own; s32);
//   then the partial sums of the warps are added in a fixed order.
// -D: those of clh/gemm.h, of clh/mma.h (MMA 0: plain C instead of the unit; SRC_IS_U8 means the
//   unit's first operand, the weights), of clh/async_copy.h; BM: a multiple of 8; BN: 16, 32 or 64; WARPS;
//   AHEAD; SRC_ALONG_K, WEI_ALONG_K; that of clh/limited_group.h.
#if !defined(BM) || !defined(BN) || !defined(WARPS) || !defined(AHEAD) || !defined(SRC_ALONG_K) || !defined(WEI_ALONG_K)
#error "ocl_matmul_mma_split_k needs BM, BN, WARPS, AHEAD, SRC_ALONG_K, WEI_ALONG_K"
#endif
#if BM % 8 != 0 || (BN != 16 && BN != 32 && BN != 64)
#error "BM is no multiple of 8, or BN not 16, 32 or 64"
#endif

#include "clh/always_inline.h"
#include "clh/async_copy.h"
#include "clh/copy_rows.h"
#include "clh/gemm.h"
#include "clh/gemm_tile.h"
#include "clh/group_size.h"
#include "clh/mma.h"
#include "clh/nv/nv_global.h"

#define ITEMS (32 * WARPS)
#define PITCH (BN + 4)               // of sums
#define ROW_TILES (BM / 8)           // of src
#define COL_TILES (BN / 16)          // of weights
#define PACK (16 / MMA_ELEM_BYTES)   // elements of 16 bytes
#define BLOCK (4 * PACK)             // of K
#define ACC (ROW_TILES * COL_TILES * 4)
// Whether a work-item loads steps of k of one column after the other: units read bytes so, wherever they lie.
#define COLUMNS_ALONG_K (WEI_ALONG_K || MMA_TYPE == DT_S8)
#if MMA_TYPE == DT_S8
typedef uchar elem_t;
#else
typedef ushort elem_t;
#endif

// Column of the group's that is row lane / 4 + 8·upper of tile t for the unit: where weights lie across k,
// a work-item's columns are neighbours.
ALWAYS_INLINE int column_of(int t, int upper, int lane)
{
#if COLUMNS_ALONG_K
    return t * 16 + upper * 8 + lane / 4;
#else
    return lane / 4 * (2 * COL_TILES) + t * 2 + upper;
#endif
}

// The part of the product that a group computes: operands start at its first row, column and step.
typedef struct {
    __global const elem_t *src, *wei;
    long src_stride, wei_stride;
    int last_row, last_col, depth;
} part_t;

#if MMA

// A work-item's words of a block. Along k: 16 bytes of each of its columns; across: COL_TILES words, two
// columns each, of 8 steps of k. The order of k within a block is the work-item's matter, where both
// operands agree: lane % 4 has 16 bytes contiguous.
typedef struct {
    uint x[COL_TILES * 8];
} wei_block_t;
typedef struct {
    uint x[ROW_TILES * 4];
} src_block_t;

ALWAYS_INLINE void put_4(uint *x, uint4 words)
{
    x[0] = words.s0, x[1] = words.s1, x[2] = words.s2, x[3] = words.s3;
}

// Rows of src stay in the first-level cache, weights pass it by and come in pairs of pieces of 64 bytes.
ALWAYS_INLINE void load_src_16(uint *x, __global const elem_t *from, bool is_wanted)
{
    put_4(x, nv_load_16_or_0(from, is_wanted));
}

ALWAYS_INLINE void load_wei_16(uint *x, __global const elem_t *from, bool is_wanted)
{
    put_4(x, nv_load_16_once_or_0(from, is_wanted));
}

ALWAYS_INLINE void load_wei_8(uint *x, __global const elem_t *from, bool is_wanted)
{
    const uint2 words = nv_load_8_once_or_0(from, is_wanted);
    x[0] = words.s0, x[1] = words.s1;
}

ALWAYS_INLINE void load_wei_4(uint *x, __global const elem_t *from, bool is_wanted)
{
    x[0] = nv_load_4_once_or_0(from, is_wanted);
}

// 16 bytes from any address, of which `nelems` elements exist. No branch: all loads of a block are in flight together,
// those of what does not exist read `start`.
ALWAYS_INLINE void load_unaligned_16(uint *x, __global const elem_t *from, __global const elem_t *start, int nelems)
{
    __global const uchar *at = (__global const uchar *)(nelems > 0 ? from : start);
    const int nbytes = clamp(nelems, 0, PACK) * MMA_ELEM_BYTES;
    unaligned_t loads;
    load_unaligned(&loads, at, max(nbytes, 1));
    put_4(x, copy_cut(unaligned_bytes(&loads, at), nbytes));
}

// `nwords` words, of which `nelems` elements exist, one by one, `step` elements apart.
ALWAYS_INLINE void load_elems(uint *x, __global const elem_t *from, long step, const int nwords, int nelems)
{
    const int per_word = 4 / MMA_ELEM_BYTES;
#pragma unroll
    for (int w = 0; w < nwords; ++w) {
        x[w] = 0;
#pragma unroll
        for (int e = 0; e < per_word; ++e)
            if (w * per_word + e < nelems) x[w] |= (uint)from[(w * per_word + e) * step] << (32 / per_word * e);
    }
}

// Where a work-item stands in its rows and columns, and how many steps of k there are from there on.
typedef struct {
    __global const elem_t *src[ROW_TILES];
    __global const elem_t *src_start, *wei_start; // of the part
    long src_step, wei_step; // from one step of k to the next
#if COLUMNS_ALONG_K
    __global const elem_t *wei[COL_TILES * 2];
#else
    __global const elem_t *wei; // of the first of 8 steps
    int width; // columns that exist from there on
#endif
    int depth;
} place_t;

ALWAYS_INLINE void place_init(place_t *at, const part_t *part, int first, int lane)
{
    first += lane % 4 * PACK;
    at->depth = part->depth - first;
    at->src_step = SRC_ALONG_K ? 1 : part->src_stride;
    const long src_m = SRC_ALONG_K ? part->src_stride : 1;
#pragma unroll
    for (int r = 0; r < ROW_TILES; ++r)
        at->src[r] = part->src + min(r * 8 + lane / 4, part->last_row) * src_m + first * at->src_step;
    at->src_start = part->src;
    at->wei_start = part->wei;
    at->wei_step = WEI_ALONG_K ? 1 : part->wei_stride;
#if COLUMNS_ALONG_K
    const long wei_n = WEI_ALONG_K ? part->wei_stride : 1;
#pragma unroll
    for (int c = 0; c < COL_TILES * 2; ++c)
        at->wei[c] = part->wei + min(column_of(c / 2, c % 2, lane), part->last_col) * wei_n +
                     first * at->wei_step;
#else
    const int col = column_of(0, 0, lane);
    at->wei = part->wei + first * at->wei_step + col;
    at->width = part->last_col + 1 - col;
#endif
}

ALWAYS_INLINE void advance(place_t *at, int steps)
{
    at->depth -= steps;
#pragma unroll
    for (int r = 0; r < ROW_TILES; ++r) at->src[r] += steps * at->src_step;
#if COLUMNS_ALONG_K
#pragma unroll
    for (int c = 0; c < COL_TILES * 2; ++c) at->wei[c] += steps * at->wei_step;
#else
    at->wei += steps * at->wei_step;
#endif
}

// The block `ahead` steps from where the work-item stands.
ALWAYS_INLINE void load_src(src_block_t *block, const place_t *at, const int ahead, const bool is_aligned)
{
#pragma unroll
    for (int r = 0; r < ROW_TILES; ++r) {
        if (!SRC_ALONG_K)
            load_elems(block->x + r * 4, at->src[r] + ahead * at->src_step, at->src_step, 4, at->depth - ahead);
        else if (is_aligned)
            load_src_16(block->x + r * 4, at->src[r] + ahead, at->depth > ahead);
        else
            load_unaligned_16(block->x + r * 4, at->src[r] + ahead, at->src_start, at->depth - ahead);
    }
}

ALWAYS_INLINE void load_wei(wei_block_t *block, const place_t *at, const int ahead, const bool is_aligned)
{
#if COLUMNS_ALONG_K
#pragma unroll
    for (int c = 0; c < COL_TILES * 2; ++c) {
        __global const elem_t *from = at->wei[c] + ahead * at->wei_step;
        if (WEI_ALONG_K && is_aligned)
            load_wei_16(block->x + c * 4, from, at->depth > ahead);
        else if (WEI_ALONG_K)
            load_unaligned_16(block->x + c * 4, from, at->wei_start, at->depth - ahead);
        else
            load_elems(block->x + c * 4, from, at->wei_step, 4, at->depth - ahead);
    }
#else
    __global const elem_t *from = at->wei + ahead * at->wei_step;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const bool is_in = ahead + i < at->depth;
        if (!is_aligned)
            load_elems(block->x + i * COL_TILES, from, 1, COL_TILES, is_in ? at->width : 0);
        else if (COL_TILES == 4)
            load_wei_16(block->x + i * COL_TILES, from, is_in & (at->width > 0));
        else if (COL_TILES == 2)
            load_wei_8(block->x + i * COL_TILES, from, is_in & (at->width > 0));
        else
            load_wei_4(block->x + i * COL_TILES, from, is_in & (at->width > 0));
        from += at->wei_step;
    }
#endif
}

// The matrix unit's operand of tile t for half h of a block.
ALWAYS_INLINE mma_a_t operand_of(const wei_block_t *block, const int t, const int h)
{
#if COLUMNS_ALONG_K
    const uint *low = block->x + t * 8 + h * 2, *high = low + 4;
    const mma_a_t a = {{low[0], high[0], low[1], high[1]}};
#else
    const uint *x = block->x + h * 4 * COL_TILES + t;
    const uint x0 = x[0], x1 = x[COL_TILES], x2 = x[2 * COL_TILES], x3 = x[3 * COL_TILES];
    const mma_a_t a = {{(x0 & 0xffff) | x1 << 16, x0 >> 16 | (x1 & 0xffff0000u),
            (x2 & 0xffff) | x3 << 16, x2 >> 16 | (x3 & 0xffff0000u)}};
#endif
    return a;
}

ALWAYS_INLINE void multiply_block(sum_t acc[ACC], const wei_block_t *wei, const src_block_t *src)
{
#pragma unroll
    for (int t = 0; t < COL_TILES; ++t) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const mma_a_t a = operand_of(wei, t, h);
#pragma unroll
            for (int r = 0; r < ROW_TILES; ++r)
                mma_multiply_8(acc + (t * ROW_TILES + r) * 4, &a, src->x[r * 4 + h * 2],
                        src->x[r * 4 + h * 2 + 1]);
        }
    }
}

// A warp's blocks: `ahead` neighbours, then those of the other warps, and so on.
ALWAYS_INLINE void multiply_part(
        sum_t acc[ACC], const part_t *part, int warp, int lane, const int ahead, const bool src_is_aligned,
        const bool wei_is_aligned)
{
    const int round = WARPS * ahead * BLOCK, first = warp * ahead * BLOCK;
    wei_block_t next[AHEAD];
    place_t at;
    place_init(&at, part, first, lane);
#pragma unroll
    for (int u = 0; u < ahead; ++u) load_wei(&next[u], &at, u * BLOCK, wei_is_aligned);
    src_block_t src;
    load_src(&src, &at, 0, src_is_aligned);
#pragma unroll 1
    for (int p = first; p < part->depth; p += round) {
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const src_block_t now = src;
            load_src(&src, &at, u + 1 < ahead ? (u + 1) * BLOCK : round, src_is_aligned);
            multiply_block(acc, &next[u], &now);
            load_wei(&next[u], &at, round + u * BLOCK, wei_is_aligned);
        }
        advance(&at, round);
    }
}

#else

ALWAYS_INLINE sum_t element_of(__global const elem_t *at, const int is_u8)
{
#if MMA_TYPE == DT_S8
    return is_u8 ? (sum_t)*at : (sum_t)(char)*at;
#elif MMA_TYPE == DT_BF16
    return as_float((uint)*at << 16);
#else
    return vload_half(0, (__global const half *)at);
#endif
}

ALWAYS_INLINE void multiply_part(
        sum_t acc[ACC], const part_t *part, int warp, int lane, const int ahead, const bool src_is_aligned,
        const bool wei_is_aligned)
{
    const long src_p = SRC_ALONG_K ? 1 : part->src_stride, src_m = SRC_ALONG_K ? part->src_stride : 1;
    const long wei_p = WEI_ALONG_K ? 1 : part->wei_stride, wei_n = WEI_ALONG_K ? part->wei_stride : 1;
    for (int first = warp * BLOCK; first < part->depth; first += WARPS * BLOCK) {
        for (int i = 0; i < ACC; ++i) {
            const int row = i / 4 % ROW_TILES * 8 + lane % 4 * 2 + i % 2;
            const int col = column_of(i / 4 / ROW_TILES, i / 2 % 2, lane);
            __global const elem_t *src = part->src + min(row, part->last_row) * src_m;
            __global const elem_t *wei = part->wei + min(col, part->last_col) * wei_n;
            for (int p = first; p < min(first + BLOCK, part->depth); ++p)
                acc[i] += element_of(src + p * src_p, WEI_IS_U8) * element_of(wei + p * wei_p, SRC_IS_U8);
        }
    }
}

#endif

// Adds up what the warps have, and takes it to dst.
ALWAYS_INLINE void put_sums(const gemm_t *gemm, const target_t *to, const sum_t acc[ACC],
        __local sum_t *sums, const tile_t *t, int item, __global void *dst)
{
    const int lane = item % 32;
    __local sum_t *own = sums + item / 32 * (BM * PITCH) + lane % 4 * 2 * PITCH;
#pragma unroll
    for (int i = 0; i < ACC; ++i) {
        const int row = i / 4 % ROW_TILES * 8 + i % 2;
        own[row * PITCH + column_of(i / 4 / ROW_TILES, i / 2 % 2, lane)] = acc[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < BM * BN; e += ITEMS) {
        __local sum_t *sum = sums + e / BN * PITCH + e % BN;
        sum_t x = sum[0];
#pragma unroll
        for (int w = 1; w < WARPS; ++w) x += sum[w * (BM * PITCH)];
        sum[0] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    put_rows(gemm, to, sums, BM, PITCH, t->row, BM, 0, t->col, item, ITEMS, dst);
}

#if (defined(REGISTERS) && REGISTERS) || REGISTERS_SUFFICE(ITEMS)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#endif

GROUP_SIZE __kernel void matmul_mma_split_k(
        __global const elem_t *src, long src_off, __global const elem_t *wei, long wei_off,
        __global void *dst, long dst_off, long src_stride, long wei_stride, ocl_gemm_batch_t src_batch,
        ocl_gemm_batch_t wei_batch, int src_is_aligned, int wei_is_aligned GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local sum_t sums[WARPS * BM * PITCH] __attribute__((aligned(16)));
    const int item = (int)get_local_id(0), m = (int)gemm_m;
    const tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
    const part_t part = {src + src_off + batch_offset(gemm_batch, src_batch, t.product) +
                                 (SRC_ALONG_K ? t.row * src_stride + t.k_first : t.k_first * src_stride + t.row),
            wei + wei_off + batch_offset(gemm_batch, wei_batch, t.product) +
                    (WEI_ALONG_K ? t.col * wei_stride + t.k_first : t.k_first * wei_stride + t.col),
            src_stride, wei_stride, m - 1 - t.row, n - 1 - t.col, t.k_end - t.k_first};
    sum_t acc[ACC];
#pragma unroll
    for (int i = 0; i < ACC; ++i) acc[i] = 0;
    if (src_is_aligned & wei_is_aligned)
        multiply_part(acc, &part, item / 32, item % 32, AHEAD, true, true);
    else if (wei_is_aligned)
        multiply_part(acc, &part, item / 32, item % 32, AHEAD, false, true);
    else
        multiply_part(acc, &part, item / 32, item % 32, 1, false, false);
    const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial,
            partial_off, nsplits, (int)get_group_id(1));
    put_sums(&gemm, &to, acc, sums, &t, item, dst);
    FINISH_SPLITS(to, (__local uint *)sums, item, ITEMS);
}
