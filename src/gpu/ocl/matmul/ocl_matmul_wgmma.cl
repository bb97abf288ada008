// SPDX-License-Identifier: Apache-2.0
// Matrix product of f16, bf16 (f32 accumulators) and 8-bit integers (s32) by WGMMA: a work-group computes a
// BM × BN tile of dst. Tiles of both operands, 128 bytes of K, go through STAGES pipeline stages in local
// memory. MAPS: the device copies them by tensor maps (TMA) that each work-group builds for its product;
// else the work-items copy them (clh/gemm_ring.h).
//
//   src, src_off   bytes of elements; element (i, p) at i·src_stride + p
//   wei, wei_off   the same of weights; element (p, j) at j·wei_stride + p (WEI_ALONG_K) or
//                  p·wei_stride + j. MAPS: strides and starts are multiples of 16 bytes
//   dst, dst_off   of type dst_dt
//   maps, maps_off MAPS: 256 bytes for each group, and 127 more
//   from_src … copy_polls   ALIGNS: the tensors, whose rows the groups copy to `copies` first, where src, wei or
//                  both are then read (clh/align_rows.h)
//   the rest       clh/gemm_tile.h, clh/gemm.h
// Grid: clh/gemm_tile.h; work-groups of BM/64 · 128 work-items. With MAPS, one product and no splits, x may
//   be fewer, persistent work-groups; then SHORT_DT is given, and dst as is_raw_target() says.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own) or
//   exact in s32; with splits partial sums are added in a fixed order. A copy that times out gives
//   NaN, or the least s32.
// -D: those of clh/gemm.h, clh/wgmma.h, clh/copy_rows.h, clh/row_sums.h (WITH_ZPS: 1 if src or weights,
//   then of bytes, have zero points); MAPS; ALIGNS, 1 with MAPS alone; BM = 64, 128 or 192, STAGES; SHORT_DT: f16 or bf16
//   where sums go out as that, contiguous along columns, without splits and anything else; else 0. Each way out is in
//   programs of its own: the compiler takes most of its time for them. REAL_WIDTH=4: bias and post-ops are for vectors
//   (clh/gemm_vectors.h); PO_SHORT, FAST_EXP2 (both for a dst of 16 bits), SLOPES = 0: clh/eltwise_short.h.
//   RETARGET=0: plain C.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DMAPS=1 -DALIGNS=1 -DRELAXED_ATOMICS=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DBM=128 -DBN=256 -DSTAGES=4 -DSPLITS=0 -DSHORT_DT=1 -DWEI_ALONG_K=0 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0 -DWITH_ZPS=0 -DINT_DOT=0 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DMAPS=0 -DALIGNS=0 -DRELAXED_ATOMICS=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DBM=128 -DBN=256 -DSTAGES=4 -DSPLITS=0 -DSHORT_DT=0 -DWEI_ALONG_K=0 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0 -DWITH_ZPS=0 -DINT_DOT=0 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0 -DMMA_ACROSS_BYTES=128 -DMAPS=1 -DALIGNS=0 -DRELAXED_ATOMICS=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DBM=128 -DBN=256 -DSTAGES=4 -DSPLITS=1 -DSHORT_DT=0 -DGEMM_DST_DT=1 -DGEMM_BIA_DT=3 -DWEI_ALONG_K=0 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0 -DWITH_ZPS=0 -DINT_DOT=0 -DFAST_EXP2=0 -DSLOPES=0
#if !defined(BM) || !defined(BN) || !defined(STAGES)
#error "ocl_matmul_wgmma needs BM, BN, STAGES"
#endif
#if !defined(ALIGNS) || (ALIGNS && !MAPS)
#error "ocl_matmul_wgmma needs ALIGNS, which needs MAPS"
#endif
#if !defined(SHORT_DT) || !defined(SPLITS) || (SHORT_DT && (SPLITS || IS_INT))
#error "ocl_matmul_wgmma needs SPLITS and SHORT_DT, of which one at most is given, and SHORT_DT not with integers"
#endif
#if BM % 64 != 0 || STAGES < 3
#error "BM is no multiple of 64, or STAGES is less than 3"
#endif

#include "clh/align_rows.h"
#include "clh/always_inline.h"
#include "clh/eltwise_short.h"
#include "clh/load_reals.h"

#include "clh/gemm.h"
#include "clh/gemm_tile.h"
#include "clh/copy_rows.h"
#include "clh/nv/nv_retarget.h"
#include "clh/row_sums.h"
#include "clh/wgmma.h"
#include "clh/wgmma_out.h"
#include "clh/wgmma_ring.h"

#include "clh/gemm_ring.h"

#define STEPS (ROW_BYTES / 32)
// Where one group fills a compute unit; smaller tiles need their registers for a second group, larger
// ones for their sums. Plain C does it for tests.
#define TAKES_SEVERAL (MAPS && SHORT_DT && (!RETARGET || (BM == 128 && BN == 256)))
#define MEMORY_BYTES (STAGES * STAGE + 512 + (RETARGET ? 0 : ITEMS * 16))
#define LANES_AT (STAGES * STAGE + 512) // words that work-items exchange
#define PITCH (BN + 8) // rows of sums in the epilogue, 32 bytes longer, for their banks

#if IS_INT
#define LOST INT_MIN
#else
#define LOST NAN
#endif

// What a work-item finds out while others make tensor maps: the group's first tile, and where sums go out as 16
// bits, if they do.
typedef struct {
    tile_t tile;
    int has_copies; // aligned rows are there
#if SHORT_DT
    __global uchar *base; // of the tile's first column in row 0
    long row_bytes;
    int is_aligned; // 16 bytes at a time
#endif
} plan_t;

#if SHORT_DT
ALWAYS_INLINE void make_plan(__local plan_t *plan, const gemm_t *gemm, const tile_t *tile,
        const target_t *to, __global void *dst)
{
    __global uchar *base;
    long row_bytes;
    int dt;
    (void)is_plain_target(gemm, to, tile->col, dst, &base, &row_bytes, &dt);
    plan->base = base;
    plan->row_bytes = row_bytes;
    plan->is_aligned = is_aligned_target(to, tile->col, base, row_bytes, SHORT_DT);
}
#endif

#if WITH_ZPS
// Local memory is free.
ALWAYS_INLINE void apply_zero_points(const gemm_t *gemm, const row_sums_t *rows, sum_t *d, const tile_t *t,
        int n, __local int *values, int item)
{
    keep_rows(gemm, rows, t->row, t->col, n, t->k_end - t->k_first, values, item, ITEMS);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int row = item / 32 * 16 + item % 32 / 4, col = item % 4 * 2;
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i)
        d[i] -= row_correction(values, row + (i & 2 ? 8 : 0), i / 4 * 8 + col + (i & 1));
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#if WITH_ZPS
#define ROW_PARAMS , row_sums_t *rows, __local const uint4 *memory
#define ROW_ARGS , &rows, memory
#else
#define ROW_PARAMS
#define ROW_ARGS
#endif

// Starts the multiplications of the tiles in a stage.
ALWAYS_INLINE void multiply_stage(sum_t *d, wgmma_place_t memory, int stage, int item)
{
    const wgmma_operand_t a =
            wgmma_along(memory + item / 128 * (64 * ROW_BYTES)) + stage * (STAGE >> 4);
#if WEI_ALONG_K
    const wgmma_operand_t b = wgmma_along(memory + TILE_A) + stage * (STAGE >> 4);
#else
    const wgmma_operand_t b = wgmma_across(memory + TILE_A) + stage * (STAGE >> 4);
#endif
    wgmma_begin();
#pragma unroll
    for (int p = 0; p < STEPS; ++p) wgmma_multiply_step(d, a, b, p);
    wgmma_close();
}

// Multiplies the `ntiles` tiles of an output tile, of which the first `nfilled` are in flight, or
// as many as the ring says.
// Each stage is filled again once its tile is multiplied: with this output tile's, then, if there is
// one, with those of the next. False where a copy never came.
ALWAYS_INLINE bool multiply_tiles(sum_t *d, ring_t *ring, const loader_t *l, int row, int col,
        bool has_next, int next_row, int next_col, int ntiles, int nfilled ROW_PARAMS, int item)
{
    bool is_lost = false;
#pragma unroll 1
    for (int s = 0; s < ntiles; ++s) {
        if (!wait_stage(ring, l)) is_lost = true;
        multiply_stage(d, l->memory, ring->stage, item);
#if WITH_ZPS
        add_rows(rows, memory + ring->stage * (STAGE / 16), item, ITEMS);
#endif
        if (++ring->stage == STAGES) {
            ring->stage = 0;
            ring->phase ^= 1;
        }
        // The multiplications of the tile before are done in all work-items: its stage is free.
        wgmma_wait_but_one();
        for (; MAPS && ring->nstarted < nfilled; ++ring->nstarted)
            fill_stage(ring, l, row, col, ring->nstarted, item);
        if (s >= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const int tile = s - 1 + nfilled;
            if (tile < ntiles)
                fill_stage(ring, l, row, col, tile, item);
            else if (has_next)
                fill_stage(ring, l, next_row, next_col, tile - ntiles, item);
        }
    }
    wgmma_wait_all(d);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (has_next) fill_stage(ring, l, next_row, next_col, nfilled - 1, item);
    return !is_lost;
}

#if IS_INT
typedef int2 sum2_t;
#else
typedef float2 sum2_t;
#endif

#if SPLITS
// Partial sums straight from registers: four lanes store 32 bytes of a row. Rows have room for whole vectors.
ALWAYS_INLINE void put_tile(const gemm_t *gemm, const target_t *to, __local const plan_t *plan, const tile_t *t,
        const sum_t *d, __local uint4 *memory, bool is_busy, int item, __global void *dst)
{
    const int lane = item % 32, row = t->row + item / 32 * 16 + lane / 4, col = t->col + lane % 4 * 2;
#pragma unroll
    for (int half_rows = 0; half_rows < 2; ++half_rows) {
        const int i = row + half_rows * 8;
        __global sum_t *at = to->partial + to->partial_off + i * to->partial_m + col;
#pragma unroll
        for (int block = 0; block < BN / 8; ++block) {
            const int first = block * 4 + half_rows * 2;
            if (i < to->row_end && col + block * 8 < to->col_end)
                *(__global sum2_t *)(at + block * 8) = (sum2_t)(d[first], d[first + 1]);
        }
    }
}
#elif SHORT_DT
// As 16 bits. `is_busy`: local memory takes another tile.
ALWAYS_INLINE void put_tile(const gemm_t *gemm, const target_t *to, __local const plan_t *plan, const tile_t *t,
        const sum_t *d, __local uint4 *memory, bool is_busy, int item, __global void *dst)
{
    __global uchar *const base = plan->base + (long)(t->col - plan->tile.col) * 2;
    const int width = min(to->col_end - t->col, BN);
    if (TAKES_SEVERAL && is_busy)
        put_short_direct(d, item, t->row, to->row_end, width, base, plan->row_bytes, SHORT_DT == DT_BF16,
                memory + LANES_AT / 16);
    else
        put_short(d, (__local uint *)memory, item, t->row, to->row_end, width, base, plan->row_bytes,
                SHORT_DT == DT_BF16, plan->is_aligned);
}
#else
// By way of local memory, where no tiles are any more.
ALWAYS_INLINE void put_tile(const gemm_t *gemm, const target_t *to, __local const plan_t *plan, const tile_t *t,
        const sum_t *d, __local uint4 *memory, bool is_busy, int item, __global void *dst)
{
    const int lane = item % 32;
    __local sum_t *sums = (__local sum_t *)memory;
    const int row = item / 32 * 16 + lane / 4, col = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i)
        sums[(row + (i & 2 ? 8 : 0)) * PITCH + i / 4 * 8 + col + (i & 1)] = d[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    put_rows(gemm, to, sums, BM, PITCH, t->row, BM, 0, t->col, item, ITEMS, dst);
}
#endif

ALWAYS_INLINE void set_sums(sum_t *d, sum_t x)
{
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = x;
}

// clang-format off
#define TARGET_OF(tile) \
    target_of(&gemm, &(tile), n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial, partial_off, \
            nsplits, (int)get_group_id(1))
// clang-format on

#if MAPS
#define MAPS_PARAMS , __global uchar *maps, long maps_off
#define MAPS_OF_GROUP maps_of_group(maps + maps_off)
#else
#define MAPS_PARAMS
#define MAPS_OF_GROUP 0
#endif

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void matmul_wgmma(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global void *dst, long dst_off,
        long src_stride, long wei_stride, ocl_gemm_batch_t src_batch,
        ocl_gemm_batch_t wei_batch MAPS_PARAMS ALIGN_PARAMS GEMM_TILE_PARAMS GEMM_PARAMS)
{
    NV_RETARGET_BEGIN;
    GEMM_DECLARE;
    __local uint4 memory[MEMORY_BYTES / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), m = (int)gemm_m;
    const long product = product_of(get_group_id(0), m, n);
    src += (src_off + batch_offset(gemm_batch, src_batch, product)) * ES;
    wei += (wei_off + batch_offset(gemm_batch, wei_batch, product)) * ES;
    const loader_t loader = {wgmma_place(memory), src, wei, src_stride * ES, wei_stride * ES, m, n, k,
            (int)get_group_id(1) * split_k, MAPS_OF_GROUP};
    __local plan_t *const plan = (__local plan_t *)((__local uchar *)memory + PLAN_AT);
    ALIGN_SHARE(item, ITEMS, 96); // the first three warps make tensor maps and barriers
    prepare(&loader, memory, item);
    if (item == 96) {
        const tile_t own = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
        plan->tile = own;
#if SHORT_DT
        const target_t to = TARGET_OF(own);
        make_plan(plan, &gemm, &own, &to, dst);
#endif
        plan->has_copies = ALIGN_AWAIT;
    }
    // Without a copy engine, tensor maps in global memory are data like others.
    barrier(RETARGET ? CLK_LOCAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    ALIGN_REST(plan->has_copies, item, ITEMS);
    tile_t t = plan->tile;
    const int ntiles = (t.k_end - t.k_first + DEPTH - 1) / DEPTH;

    // A group has one tile or, where the host finds that sums go out from registers, several.
    const int total = (int)(gemm_batch.x * gemm_batch.y * gemm_batch.z) * ((m + BM - 1) / BM) *
                      ((n + BN - 1) / BN);
    const int nfilled = min(ntiles, STAGES);
    ring_t ring = {0, 0, 0, 0};
    start_ring(&ring, &loader, t.row, t.col, nfilled, item);
    int group = (int)get_group_id(0);
    tile_t next = t;
#pragma unroll 1
    for (;; t = next) {
        group += (int)get_num_groups(0);
        const bool has_next = TAKES_SEVERAL && group < total;
        if (has_next) next = tile_of(group, 0, m, n, k, split_k);
        sum_t d[WGMMA_SUMS];
        set_sums(d, 0);
#if WITH_ZPS
        row_sums_t rows = {gemm.wei_zps.dt != DT_UNDEF, gemm.src_zps.dt != DT_UNDEF, {0}};
#endif
        const bool is_whole = multiply_tiles(d, &ring, &loader, t.row, t.col, has_next, next.row,
                next.col, ntiles, nfilled ROW_ARGS, item);
#if WITH_ZPS
        apply_zero_points(&gemm, &rows, d, &t, n, (__local int *)memory, item);
#endif
        if (!is_whole) set_sums(d, LOST);
        const int late_item = wgmma_hide(item);
        const target_t to = TARGET_OF(t);
        put_tile(&gemm, &to, plan, &t, d, memory, has_next, late_item, dst);
        FINISH_SPLITS(to, (__local uint *)memory, late_item, ITEMS);
        if (!has_next) break;
    }
}

NV_RETARGET_END
