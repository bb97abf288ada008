// SPDX-License-Identifier: Apache-2.0
// Matrix product of f16 or bf16 with so little K that all of it lies in local memory at once (f32 accumulators of
// `mma.sync`): limited by the stores of dst. Work-groups are persistent: each takes its share of the tiles, along the
// rows of dst, so that neighbouring tiles store whole sectors of memory together (clh/short_rows.h). While one group waits for its
// operands, the others of the compute unit store. Operands and dst may begin and end anywhere.
//
//   src, src_off   of 16-bit elements; element (i, p) at i·src_stride + p with SRC_ALONG_K, else p·src_stride + i
//   wei, wei_off   element (p, j) at p + j·wei_stride with WEI_ALONG_K, else p·wei_stride + j
//   dst, dst_off   of type dst_dt
//   the rest       clh/gemm_tile.h (one split), clh/gemm.h
// Grid: x = any number of work-groups of ITEMS work-items.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own).
// -D: those of clh/gemm.h, of clh/mma.h (MMA 0: plain C instead of the unit), of clh/async_copy.h; SRC_ALONG_K,
//   WEI_ALONG_K; that of clh/limited_group.h; BM = 64; STEPS: 1, 2 or 4, K has at most 16 · STEPS; BN: 64 or 128; SHORT_DT: f16 or bf16 where sums go out
//   as that, contiguous along columns, and nothing else is done to them; else 0.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DMMA=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DASYNC_COPY=1 -DCOPY_16_KEEPS=1 -DMMA_ACROSS_BYTES=128 -DMMA_ROWS_ACROSS_BYTES=128 -DBM=64 -DBN=128 -DSTEPS=2 -DSHORT_DT=1 -DSRC_ALONG_K=1 -DWEI_ALONG_K=0 -DREGISTERS=80 -DRELAXED_ATOMICS=1 -DSPLITS=0 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0 -DGEMM_DST_DT=1 -DGEMM_BIA_DT=0
#if !defined(STEPS) || !defined(BN) || !defined(SHORT_DT) || !defined(SRC_ALONG_K) || !defined(WEI_ALONG_K)
#error "ocl_matmul_mma_whole_k needs STEPS, BN, SHORT_DT, SRC_ALONG_K, WEI_ALONG_K"
#endif

#if !defined(BM) || BM != 64 || MMA_ACROSS_BYTES != 128 || MMA_ROWS_ACROSS_BYTES != 128
#error "ocl_matmul_mma_whole_k needs BM = 64, and 128 bytes across K"
#endif

#include "clh/always_inline.h"
#include "clh/async_copy.h"
#include "clh/copy_rows.h"
#include "clh/gemm.h"
#include "clh/gemm_tile.h"
#include "clh/limited_group.h"
#include "clh/mma.h"
#include "clh/short_rows.h"

// A warp has 16 rows and half of the columns of the tile.
#define WARPS 8
#define ITEMS (32 * WARPS)
#define WARP_COLS (BN / 2)
#define WARP_SUMS (WARP_COLS / 2)
#define GROUP_ITEMS ITEMS
#define ES 2
// Local memory holds 64 indices of K of weights, then of src, then sums.
#define DEPTH 64
#define DEPTH_USED (16 * STEPS) // what is loaded and multiplied
#define PANEL_A (BM * DEPTH * ES)
#define PANEL_B (BN * DEPTH * ES)
#define SRC_AT PANEL_B
#define SUMS_AT (SRC_AT + PANEL_A)
#define PITCH (BN + 8) // of f32 sums: 32 bytes longer, for their banks
#if SHORT_DT
#define SUMS_BYTES (BM * SHORT_PITCH * 4 + 2 * BM * 32)
#define CARRY_AT (SUMS_AT + BM * SHORT_PITCH * 4) // two in turns, of 32 bytes for each row
#else
#define SUMS_BYTES (BM * PITCH * 4)
#endif

// Sums of the unit are to stay in registers; plain C compiles faster in loops.
#if MMA
#define MULTIPLY_UNROLL 8
#define LOAD_UNROLL 2 // in flight together
#else
#define MULTIPLY_UNROLL 1
#define LOAD_UNROLL 1
#endif

// Where operands lie; strides in bytes.
typedef struct {
    __global const uchar *src, *wei;
    long src_stride, wei_stride;
    int m, n, k;
    copy_place_t memory;
} loader_t;

// `width` rows or columns of an operand of `count`, from number `first` on, to local memory: as many vectors for a
// work-item as there are steps of K, by asynchronous copies where all of them are aligned. What does not exist
// becomes zeros.
ALWAYS_INLINE void load_panel(__global const uchar *x, long stride, const int along_k, int first, int count, int k,
        const int width, copy_place_t to, int item)
{
    // Along K a row has `parts` vectors; across K an index of K has.
    const int parts = along_k ? 2 * STEPS : width / 8;
    const int nrows = along_k ? count - first : k, nelems = along_k ? k : count - first;
    const bool is_aligned = copy_unit(x, stride) == 16;
    x += along_k ? first * stride : (long)first * ES;
#pragma unroll LOAD_UNROLL
    for (int v = item; v < width * 2 * STEPS; v += ITEMS) {
        const int r = v / parts, part = v % parts, nbytes = r < nrows ? clamp((nelems - part * 8) * ES, 0, 16) : 0;
        const int place = mma_place(r, part % 8) + part / 8 * (DEPTH_USED * 128);
        __global const uchar *from = nbytes > 0 ? x + r * stride + part * 16 : x;
        if (is_aligned) {
            copy_16_part(to + place, from, (uint)nbytes);
        } else {
            unaligned_t loads;
            load_unaligned(&loads, from, max(nbytes, 1));
            copy_put(to + place, copy_cut(unaligned_bytes(&loads, from), nbytes));
        }
    }
}

ALWAYS_INLINE void load_src(const loader_t *l, __global const uchar *src, int row, int item)
{
    load_panel(src, l->src_stride, SRC_ALONG_K, row, l->m, l->k, BM, l->memory + SRC_AT, item);
}

ALWAYS_INLINE void load_wei(const loader_t *l, __global const uchar *wei, int col, int item)
{
    load_panel(wei, l->wei_stride, WEI_ALONG_K, col, l->n, l->k, BN, l->memory, item);
}

// The sums of a warp, from row `row` and column `col` of the tile on.
ALWAYS_INLINE void multiply(sum_t d[WARP_SUMS], const loader_t *l, int row, int col, int lane)
{
    const copy_place_t src = l->memory + SRC_AT;
#pragma unroll
    for (int i = 0; i < WARP_SUMS; ++i) d[i] = 0;
#pragma unroll MULTIPLY_UNROLL
    for (int s = 0; s < STEPS; ++s) {
        mma_a_t a;
        if (SRC_ALONG_K)
            mma_load_a(&a, src, row, s, lane);
        else
            mma_load_a_across(&a, src, row, s, lane);
#pragma unroll MULTIPLY_UNROLL
        for (int j = col; j < col + WARP_COLS; j += 16) {
            mma_b_t b;
            if (WEI_ALONG_K)
                mma_load_b(&b, l->memory, j, s, lane);
            else
                mma_load_b_across(&b, l->memory + j / 64 * (DEPTH_USED * 128), j % 64, s, lane);
            mma_multiply(d + (j - col) / 2, &a, &b);
        }
    }
}

// Whether a tile is the first and the last of a row of tiles that a group takes, and the turn of what is carried.
typedef struct {
    bool is_first, is_last;
    int turn, n; // n: columns of dst
} walk_t;

// The sums of a tile go to dst; those of the warp from row `row` and column `col` on. All have multiplied when the first
// stores.
#if SHORT_DT
ALWAYS_INLINE void put_tile(const gemm_t *gemm, const target_t *to, const tile_t *t, const sum_t *d, int row,
        int col, const walk_t *walk, __local uint4 *memory, int item, __global void *dst)
{
    __local uint *sums = (__local uint *)(memory + SUMS_AT / 16);
    __local uint4 *carry = memory + CARRY_AT / 16;
    const int lane = item % 32, first = item / 32 * (BM / WARPS), place = first * 2, i = t->row + first;
    __global uchar *base;
    long row_bytes;
    int dt;
    (void)is_plain_target(gemm, to, t->col, dst, &base, &row_bytes, &dt);
    short_keep(d, WARP_SUMS, sums + row * SHORT_PITCH + col / 2, lane, SHORT_DT == DT_BF16);
    barrier(CLK_LOCAL_MEM_FENCE);
    // A range of tiles may end between neighbours: whether rows are aligned is the same for all of them.
    const bool is_aligned = (((ulong)base | (ulong)row_bytes) & 15) == 0 && walk->n % 8 == 0;
    const short_part_t part = {base + i * row_bytes, row_bytes, to->row_end - i, to->col_end - t->col, is_aligned,
            walk->is_first, walk->is_last};
    short_put(sums + first * SHORT_PITCH, carry + walk->turn * (BM * 2) + place,
            carry + (walk->turn ^ 1) * (BM * 2) + place, BM / WARPS, lane, &part);
}
#else
ALWAYS_INLINE void put_tile(const gemm_t *gemm, const target_t *to, const tile_t *t, const sum_t *d, int row,
        int col, const walk_t *walk, __local uint4 *memory, int item, __global void *dst)
{
    __local sum_t *sums = (__local sum_t *)(memory + SUMS_AT / 16);
    row += item % 32 / 4;
    col += item % 4 * 2;
#pragma unroll
    for (int i = 0; i < WARP_SUMS; ++i) sums[(row + (i & 2 ? 8 : 0)) * PITCH + col + i / 4 * 8 + (i & 1)] = d[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    put_rows(gemm, to, sums, BM, PITCH, t->row, BM, 0, t->col, item, ITEMS, dst);
}
#endif

// Tiles of a product, one row of tiles behind the other.
ALWAYS_INLINE void place_init(tile_t *t, long number, int m, int n, int k)
{
    const long down = (m + BM - 1) / BM, across = (n + BN - 1) / BN;
    const long row = div_long(number, across);
    t->product = div_long(row, down);
    t->row = (int)(row - t->product * down) * BM;
    t->col = (int)(number - row * across) * BN;
    t->k_first = 0;
    t->k_end = k;
}

ALWAYS_INLINE void place_next(tile_t *t, int m, int n)
{
    t->col += BN;
    if (t->col < n) return;
    t->col = 0;
    t->row += BM;
    if (t->row < m) return;
    t->row = 0;
    ++t->product;
}

// clang-format off
#define SRC_OF(t) (src + batch_offset(gemm_batch, src_batch, (t).product) * ES)
#define WEI_OF(t) (wei + batch_offset(gemm_batch, wei_batch, (t).product) * ES)
// clang-format on

GROUP_SIZE __kernel void matmul_mma_whole_k(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global void *dst, long dst_off, long src_stride,
        long wei_stride, ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local uint4 memory[(SUMS_AT + SUMS_BYTES) / 16] __attribute__((aligned(1024)));
    const int m = (int)gemm_m;
    const long group = (long)get_group_id(0), ngroups = (long)get_num_groups(0);
    const long down = (m + BM - 1) / BM, across = (n + BN - 1) / BN;
    const long ntiles = gemm_batch.x * gemm_batch.y * gemm_batch.z * down * across;
    const long first = div_long(ntiles * group, ngroups), end = div_long(ntiles * (group + 1), ngroups);
    src += src_off * ES;
    wei += wei_off * ES;
    const loader_t loader = {src, wei, src_stride * ES, wei_stride * ES, m, n, k, copy_place(memory)};
    tile_t t;
    place_init(&t, first, m, n, k);
    bool has_src = false, has_wei = false;
#pragma unroll 1
    for (long number = first; number < end; ++number) {
        // Else the compiler would keep all that it computes of it in registers, from one tile to the next.
        const int item = copy_hide((int)get_local_id(0));
        // All have multiplied the tile before; those that still store it need the sums alone.
        if (!has_wei) load_wei(&loader, WEI_OF(t), t.col, item);
        if (!has_src) load_src(&loader, SRC_OF(t), t.row, item);
        copy_close();
        copy_wait(0);
        const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial, partial_off,
                nsplits, 0);
        const walk_t walk = {number == first || t.col == 0, number + 1 == end || t.col + BN >= n,
                (int)(number - first) & 1, n};
        barrier(CLK_LOCAL_MEM_FENCE); // operands are there, and the tile before is stored
        const int row = item / 32 % 4 * 16, col = item / 128 * WARP_COLS;
        sum_t d[WARP_SUMS];
        multiply(d, &loader, row, col, item % 32);
        put_tile(&gemm, &to, &t, d, row, col, &walk, memory, item, dst);
        const tile_t last = t;
        place_next(&t, m, n);
        has_src = t.row == last.row && t.product == last.product;
        has_wei = t.col == last.col && t.product == last.product;
    }
}
