// SPDX-License-Identifier: Apache-2.0
// Products of f16, bf16 (sums in f32) and 8-bit integers (s32) by matrix units that groups feed: a
// group computes a tile of BM × BN elements of dst; the device copies STAGES tiles of operands, 128
// bytes of k deep, to local memory by maps that each group makes for its product.
//
//   src, src_off   bytes of elements; element (i, p) at i·src_stride + p
//   wei, wei_off   the same of weights; element (p, j) at j·wei_stride + p (WEI_ALONG_K) or
//                  p·wei_stride + j; strides are multiples of 16 bytes, starts need not be
//   dst, dst_off   of type dst_dt
//   maps, maps_off 256 bytes for each group, and 127 more
//   the rest       clh/gemm_tile.h, clh/gemm.h
// Grid: clh/gemm_tile.h; groups of BM/64 · 128 items.
// Numerics: products are exact, sums are what the matrix unit makes of them (f32, its own order) or
//   exact in s32; with splits sums of sums, always in the same order. A copy that never comes gives
//   NaN, or the least s32.
// -D: those of clh/gemm.h, clh/wgmma.h; BM = 64 or 128, STAGES.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DBM=128 -DBN=256 -DSTAGES=4 -DWEI_ALONG_K=0 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0
#if !defined(BM) || !defined(BN) || !defined(STAGES)
#error "ocl_matmul_wgmma needs BM, BN, STAGES"
#endif
#if BM % 64 != 0 || STAGES < 3
#error "BM is no multiple of 64, or STAGES is less than 3"
#endif

#include "clh/gemm.h"
#include "clh/gemm_tile.h"
#include "clh/wgmma.h"

#define ITEMS (BM / 64 * 128)
#define ES WGMMA_ELEM_BYTES
#define ROW_BYTES 128
#define DEPTH (ROW_BYTES / ES)
#define STEPS (ROW_BYTES / 32)
#define TILE_A (BM * ROW_BYTES)
#define STAGE (TILE_A + BN * ROW_BYTES)
#define PITCH (BN + 8) // rows of sums on the way out, 32 bytes longer, for their banks

#if IS_INT
#define LOST INT_MIN
#else
#define LOST NAN
#endif

#define INLINE static inline __attribute__((always_inline))

// What the item that starts copies knows.
typedef struct {
    __global const uchar *maps;
    uint memory, barriers;
    int src_x, row, wei_x, wei_y;
} copier_t;

INLINE void start_copies(const copier_t *c, int stage, int tile)
{
    const uint barrier = c->barriers + stage * 8, to = c->memory + stage * STAGE;
    wgmma_barrier_expect(barrier, STAGE);
    wgmma_copy(to, c->maps, barrier, c->src_x + tile * DEPTH, c->row);
#if WEI_ALONG_K
    wgmma_copy(to + TILE_A, c->maps + 128, barrier, c->wei_x + tile * DEPTH, c->wei_y);
#else
#pragma unroll
    for (int block = 0; block < BN / 64; ++block) {
        wgmma_copy(to + TILE_A + block * (64 * ROW_BYTES), c->maps + 128, barrier,
                c->wei_x + block * 64, c->wei_y + tile * DEPTH);
    }
#endif
}

// The first warp makes the group's two maps. `src`, `wei`: addresses down to multiples of 16.
INLINE void make_maps(__global uchar *maps, uint place, __global const uchar *src, uint src_width,
        uint m, ulong src_bytes, __global const uchar *wei, uint wei_width, uint wei_height,
        ulong wei_bytes, int item)
{
    if (item == 0) {
        wgmma_map_make(place, src, src_width, m, src_bytes, DEPTH, BM);
        wgmma_map_make(place + 128, wei, wei_width, wei_height, wei_bytes,
                WEI_ALONG_K ? DEPTH : 64, WEI_ALONG_K ? BN : DEPTH);
    }
    wgmma_warp_barrier();
    wgmma_map_publish(maps, place);
    wgmma_map_publish(maps + 128, place + 128);
}

#if !IS_INT
// Two sums side by side as f16 or bf16.
INLINE uint pack_pair(float low, float high, bool is_bf16)
{
    uint bits;
    if (is_bf16)
        __asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    else
        __asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
}

// Sums that go out as 16 bits, as put_rows_raw() would: but each warp turns its own 16 rows, with
// half the traffic and without waiting for the others.
INLINE void put_short(const target_t *to, const sum_t *d, __local uint *memory, int item, int row,
        __global uchar *base, long row_bytes, bool is_bf16)
{
    const int lane = item % 32, pitch = BN / 2 + 4;
    __local uint *own = memory + item / 32 * 16 * pitch;
    row += item / 32 * 16;
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; i += 2) {
        own[(lane / 4 + (i & 2 ? 8 : 0)) * pitch + i / 4 * 4 + lane % 4] =
                pack_pair(d[i], d[i + 1], is_bf16);
    }
    wgmma_warp_barrier();
#pragma unroll 4
    for (int c = lane; c < 16 * (BN / 8); c += 32) {
        const int p = c / (BN / 8), q = c % (BN / 8);
        if (row + p >= to->row_end || to->col_first + q * 8 >= to->col_end) continue;
        *(__global uint4 *)(base + (row + p) * row_bytes + q * 16) =
                *(__local const uint4 *)(own + p * pitch + q * 4);
    }
}
#endif

// Starts the refill of a stage once its tile is multiplied; false where a copy never came.
INLINE bool multiply_tiles(sum_t *d, const copier_t *copier, int ntiles, int item)
{
    const ulong a0 = wgmma_along(copier->memory + item / 128 * (64 * ROW_BYTES));
#if WEI_ALONG_K
    const ulong b0 = wgmma_along(copier->memory + TILE_A);
#else
    const ulong b0 = wgmma_across(copier->memory + TILE_A);
#endif
    bool is_lost = false;
    int stage = 0, refill = 0;
    uint phase = 0;
#pragma unroll 1
    for (int s = 0; s < ntiles; ++s) {
        if (!wgmma_barrier_wait(copier->barriers + stage * 8, phase)) is_lost = true;
        const ulong at = (ulong)(uint)(stage * (STAGE >> 4));
        wgmma_begin();
#pragma unroll
        for (int p = 0; p < STEPS; ++p)
            wgmma_multiply(d, a0 + at + p * 2, b0 + at + p * (WEI_ALONG_K ? 2 : 128));
        wgmma_close();
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
        // The multiplications of the tile before are done in all items: its stage is free.
        wgmma_wait_but_one();
        if (s >= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item == 0 && s - 1 + STAGES < ntiles) start_copies(copier, refill, s - 1 + STAGES);
            if (++refill == STAGES) refill = 0;
        }
    }
    wgmma_wait_all(d);
    return !is_lost;
}

// All items are done with the tiles in local memory.
INLINE void put_sums(const gemm_t *gemm, const target_t *to, const tile_t *t, const sum_t *d,
        __local uint4 *memory, int item, __global void *dst)
{
    const int lane = item % 32;
#if !IS_INT
    __global uchar *base;
    long row_bytes;
    int dt;
    if (is_raw_target(gemm, to, t->col, dst, &base, &row_bytes, &dt) &&
            (dt == DT_F16 || dt == DT_BF16)) {
        put_short(to, d, (__local uint *)memory, item, t->row, base, row_bytes, dt == DT_BF16);
        return;
    }
#endif
    __local sum_t *sums = (__local sum_t *)memory;
    const int row = item / 32 * 16 + lane / 4, col = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i)
        sums[(row + (i & 2 ? 8 : 0)) * PITCH + i / 4 * 8 + col + (i & 1)] = d[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    put_rows(gemm, to, sums, BM, PITCH, t->row, BM, 0, t->col, item, ITEMS, dst);
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void wgmma(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global void *dst, long dst_off,
        long src_stride, long wei_stride, long4 src_batch, long4 wei_batch, __global uchar *maps,
        long maps_off GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local uint4 memory[(STAGES * STAGE + 512) / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), m = (int)gemm_m;
    const tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
    const int ntiles = (t.k_end - t.k_first + DEPTH - 1) / DEPTH;
    const uint place = wgmma_place((__local const void *)memory);
    const uint barriers = place + STAGES * STAGE, map = barriers + 128;
    if (item < 32) ((__local ulong *)memory)[(STAGES * STAGE + 128) / 8 + item] = 0;
    if (item == 0) {
#pragma unroll
        for (int s = 0; s < STAGES; ++s) wgmma_barrier_init(barriers + s * 8);
        wgmma_barrier_publish();
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    maps += maps_off;
    maps += -(ulong)maps & 127;
    maps += (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 256;
    src += (src_off + batch_offset(gemm_batch, src_batch, t.product)) * ES;
    wei += (wei_off + batch_offset(gemm_batch, wei_batch, t.product)) * ES;
    // Elements between the multiple of 16 bytes and the tensor's first.
    const int src_skip = (int)((ulong)src & 15) / ES, skip = (int)((ulong)wei & 15) / ES;
    const copier_t copier = {maps, place, barriers, src_skip + t.k_first, t.row,
            skip + (WEI_ALONG_K ? t.k_first : t.col), WEI_ALONG_K ? t.col : t.k_first};
    if (item < 32) {
        make_maps(maps, map, src - src_skip * ES, (uint)(k + src_skip), (uint)m,
                (ulong)src_stride * ES, wei - skip * ES, (uint)((WEI_ALONG_K ? k : n) + skip),
                (uint)(WEI_ALONG_K ? n : k), (ulong)wei_stride * ES, item);
    }
    if (item == 0) {
        wgmma_map_acquire(maps);
        wgmma_map_acquire(maps + 128);
        for (int s = 0; s < STAGES && s < ntiles; ++s) start_copies(&copier, s, s);
    }

    sum_t d[WGMMA_SUMS];
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = 0;
    const bool is_whole = multiply_tiles(d, &copier, ntiles, item);
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = is_whole ? d[i] : LOST;
    barrier(CLK_LOCAL_MEM_FENCE);
    const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial,
            partial_off, nsplits, (int)get_group_id(1));
    put_sums(&gemm, &to, &t, d, memory, item, dst);
}
