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
// Grid: clh/gemm_tile.h, or, of one product without splits, fewer groups in x, which take the tiles in
//   turn: then sums go out as 16 bits, as is_raw_target() says; groups of BM/64 · 128 items.
// Numerics: products are exact, sums are what the matrix unit makes of them (f32, its own order) or
//   exact in s32; with splits sums of sums, always in the same order. A copy that never comes gives
//   NaN, or the least s32.
// -D: those of clh/gemm.h, clh/wgmma.h; BM = 64 or 128, STAGES; WITH_ZPS: 1 if src or
//   weights, then of bytes, have zero points.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DBM=128 -DBN=256 -DSTAGES=4 -DWEI_ALONG_K=0 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0 -DWITH_ZPS=0
#if !defined(BM) || !defined(BN) || !defined(STAGES) || !defined(WITH_ZPS)
#error "ocl_matmul_wgmma needs BM, BN, STAGES, WITH_ZPS"
#endif
#if BM % 64 != 0 || STAGES < 3
#error "BM is no multiple of 64, or STAGES is less than 3"
#endif
#if WITH_ZPS && !(IS_INT && WITH_QUANT)
#error "WITH_ZPS is for bytes"
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
// Where one group fills a compute unit; smaller tiles need their registers for a second group, larger
// ones for their sums.
#define TAKES_SEVERAL (BM == 128 && BN == 256)
#define PITCH (BN + 8) // rows of sums on the way out, 32 bytes longer, for their banks

#if IS_INT
#define LOST INT_MIN
#else
#define LOST NAN
#endif

#define INLINE static inline __attribute__((always_inline))

// What the item that starts copies knows; x along a row of the operand in memory.
typedef struct {
    __global const uchar *maps;
    uint memory, barriers;
    int src_x, wei_x, wei_y; // of the first tile of an output tile at row 0 and column 0
} copier_t;

// `row`, `col`: of the output tile.
INLINE void start_copies(const copier_t *c, int row, int col, int stage, int tile)
{
    const uint barrier = c->barriers + stage * 8, to = c->memory + stage * STAGE;
    wgmma_barrier_expect(barrier, STAGE);
    wgmma_copy(to, c->maps, barrier, c->src_x + tile * DEPTH, row);
#if WEI_ALONG_K
    wgmma_copy(to + TILE_A, c->maps + 128, barrier, c->wei_x + tile * DEPTH, c->wei_y + col);
#else
#pragma unroll
    for (int block = 0; block < BN / 64; ++block) {
        wgmma_copy(to + TILE_A + block * (64 * ROW_BYTES), c->maps + 128, barrier,
                c->wei_x + col + block * 64, c->wei_y + tile * DEPTH);
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
    if (item == 0) {
        wgmma_map_acquire(maps);
        wgmma_map_acquire(maps + 128);
    }
}

// Barriers of the stages, and zeros where maps are made, behind the stages.
INLINE void start_barriers(__local uint4 *memory, uint barriers, int item)
{
    if (item < 32) ((__local ulong *)memory)[(STAGES * STAGE + 128) / 8 + item] = 0;
    if (item == 0) {
#pragma unroll
        for (int s = 0; s < STAGES; ++s) wgmma_barrier_init(barriers + s * 8);
        wgmma_barrier_publish();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
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

INLINE uint swap_lanes(uint x, const int distance)
{
    uint y;
    __asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                   : "=r"(y)
                   : "r"(x), "r"(distance));
    return y;
}

// Four lanes hold a matrix of 4 × 4, each a column; afterwards each holds a row.
INLINE uint4 turn_quad(const uint x0, const uint x1, const uint x2, const uint x3, int lane)
{
    const bool is_odd = lane & 1, is_high = lane & 2;
    const uint a = swap_lanes(is_odd ? x0 : x1, 1), b = swap_lanes(is_odd ? x2 : x3, 1);
    const uint y0 = is_odd ? a : x0, y1 = is_odd ? x1 : a;
    const uint y2 = is_odd ? b : x2, y3 = is_odd ? x3 : b;
    const uint c = swap_lanes(is_high ? y0 : y2, 2), d = swap_lanes(is_high ? y1 : y3, 2);
    return is_high ? (uint4)(c, d, y2, y3) : (uint4)(y0, y1, c, d);
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

// The same from registers, while local memory takes the next tile: four lanes hold 8 columns of 32,
// each two of 8; turned, each has 8 neighbours. Rows of 64 bytes are 1.5 % slower at 2048.
INLINE void put_short_direct(const target_t *to, const sum_t *d, int item, int row, __global uchar *base,
        long row_bytes, bool is_bf16)
{
    const int lane = item % 32, width = to->col_end - to->col_first;
    row += item / 32 * 16 + lane / 4;
#pragma unroll
    for (int half_rows = 0; half_rows < 2; ++half_rows) {
        const bool is_in = row + half_rows * 8 < to->row_end;
        __global uchar *at = base + (row + half_rows * 8) * row_bytes;
#pragma unroll
        for (int block = 0; block < BN / 32; ++block) {
            const int first = block * 16 + half_rows * 2, col = block * 32 + lane % 4 * 8;
            const uint4 bits = turn_quad(pack_pair(d[first], d[first + 1], is_bf16),
                    pack_pair(d[first + 4], d[first + 5], is_bf16),
                    pack_pair(d[first + 8], d[first + 9], is_bf16),
                    pack_pair(d[first + 12], d[first + 13], is_bf16), lane);
            if (is_in && col < width) *(__global uint4 *)(at + col * 2) = bits;
        }
    }
}
#endif

#if WITH_ZPS
// Zero points are not seen by the units: Σ (a − x)(b − y) = Σ a·b − x·Σ b − y·Σ a + depth·x·y, with
// sums over k of rows of src and columns of weights, which are rows of 128 bytes in local memory
// both. An item adds up SUM_ROWS of them, weights first.
#define SUM_ROWS ((BN + BM + ITEMS - 1) / ITEMS)

typedef struct {
    bool of_src, of_wei; // which sums are wanted
    int sums[SUM_ROWS];
} row_sums_t;

INLINE int add_bytes(int sum, uint4 x, const int is_u8)
{
    const uint words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        if (is_u8)
            __asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(words[i]), "r"(0x01010101));
        else
            __asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(words[i]), "r"(0x01010101));
    }
    return sum;
}

// Adds the tiles of a stage. Neighbours start with different 16 bytes, for the banks.
INLINE void add_rows(row_sums_t *rows, __local const uint4 *stage, int item)
{
#pragma unroll
    for (int e = 0; e < SUM_ROWS; ++e) {
        const int r = item + e * ITEMS;
        const bool is_src = r >= BN;
        if (r >= BN + BM || !(is_src ? rows->of_src : rows->of_wei)) continue;
        __local const uint4 *row = stage + (is_src ? (r - BN) * 8 : TILE_A / 16 + r * 8);
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const uint4 x = row[(c + item) & 7];
            rows->sums[e] = is_src ? add_bytes(rows->sums[e], x, SRC_IS_U8)
                                   : add_bytes(rows->sums[e], x, WEI_IS_U8);
        }
    }
}

// Adjusts sums over `depth` steps of k; local memory is free: sums, then zero points, of columns and
// rows.
INLINE void apply_zero_points(const gemm_t *gemm, const row_sums_t *rows, sum_t *d, const tile_t *t,
        int n, int depth, __local int *values, int item)
{
#pragma unroll
    for (int e = 0; e < SUM_ROWS; ++e) {
        const int r = item + e * ITEMS;
        if (r < BN) {
            const int y = gemm_zero_point(&gemm->wei_zps, 0, min(t->col + r, n - 1));
            values[r] = rows->sums[e] - depth * y;
            values[BN + BM + r] = y;
        } else if (r < BN + BM) {
            const long i = min((long)t->row + r - BN, gemm->m - 1);
            values[r] = rows->sums[e];
            values[BN + BM + r] = gemm_zero_point(&gemm->src_zps, i % gemm->matrix_m, 0);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int row = BN + item / 32 * 16 + item % 32 / 4, col = item % 4 * 2;
    const int sum0 = values[row], sum8 = values[row + 8];
    const int x0 = values[BN + BM + row], x8 = values[BN + BM + row + 8];
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; i += 4) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const int c = i / 4 * 8 + col + e, sum = values[c], y = values[BN + BM + c];
            d[i + e] -= x0 * sum + y * sum0;
            d[i + e + 2] -= x8 * sum + y * sum8;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

// The ring of stages: tiles of operands are copied and multiplied in one order, that of the output
// tiles of a group one after the other.
typedef struct {
    int stage, fill; // the next to multiply, the next to fill
    uint phase;      // of the barrier of `stage`
} ring_t;

INLINE void fill_stage(ring_t *ring, const copier_t *copier, int row, int col, int tile, int item)
{
    if (item == 0) start_copies(copier, row, col, ring->fill, tile);
    if (++ring->fill == STAGES) ring->fill = 0;
}

#if WITH_ZPS
#define ROW_SUMS_PARAMS , row_sums_t *rows, __local const uint4 *memory
#define ROW_SUMS , &rows, memory
#else
#define ROW_SUMS_PARAMS
#define ROW_SUMS
#endif

// Multiplies the `ntiles` tiles of an output tile, of which the first `nfilled` are on their way.
// Each stage is filled again once its tile is multiplied: with this output tile's, then, if there is
// one, with those of the next. False where a copy never came.
INLINE bool multiply_tiles(sum_t *d, ring_t *ring, const copier_t *copier, int row, int col,
        bool has_next, int next_row, int next_col, int ntiles,
        int nfilled ROW_SUMS_PARAMS, int item)
{
    const ulong a0 = wgmma_along(copier->memory + item / 128 * (64 * ROW_BYTES));
#if WEI_ALONG_K
    const ulong b0 = wgmma_along(copier->memory + TILE_A);
#else
    const ulong b0 = wgmma_across(copier->memory + TILE_A);
#endif
    bool is_lost = false;
#pragma unroll 1
    for (int s = 0; s < ntiles; ++s) {
        if (!wgmma_barrier_wait(copier->barriers + ring->stage * 8, ring->phase)) is_lost = true;
        const ulong at = (ulong)(uint)(ring->stage * (STAGE >> 4));
        wgmma_begin();
#pragma unroll
        for (int p = 0; p < STEPS; ++p)
            wgmma_multiply(d, a0 + at + p * 2, b0 + at + p * (WEI_ALONG_K ? 2 : 128));
        wgmma_close();
#if WITH_ZPS
        add_rows(rows, memory + ring->stage * (STAGE / 16), item);
#endif
        if (++ring->stage == STAGES) {
            ring->stage = 0;
            ring->phase ^= 1;
        }
        // The multiplications of the tile before are done in all items: its stage is free.
        wgmma_wait_but_one();
        if (s >= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const int tile = s - 1 + nfilled;
            if (tile < ntiles)
                fill_stage(ring, copier, row, col, tile, item);
            else if (has_next)
                fill_stage(ring, copier, next_row, next_col, tile - ntiles, item);
        }
    }
    wgmma_wait_all(d);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (has_next) fill_stage(ring, copier, next_row, next_col, nfilled - 1, item);
    return !is_lost;
}

// By way of local memory, where no tiles are any more.
INLINE void put_sums(const gemm_t *gemm, const target_t *to, const tile_t *t, const sum_t *d,
        __local uint4 *memory, int item, __global void *dst)
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

// Takes the sums of a tile to where they belong. `is_busy`: local memory takes another tile.
INLINE void put_tile(const gemm_t *gemm, const target_t *to, const tile_t *t, const sum_t *d,
        __local uint4 *memory, bool is_busy, int item, __global void *dst)
{
    // Unknown to the compiler, or it would keep the addresses of the way out in registers all the
    // time, and spill others.
    __asm volatile("" : "+r"(item));
#if !IS_INT
    __global uchar *base;
    long row_bytes;
    int dt;
    if (is_raw_target(gemm, to, t->col, dst, &base, &row_bytes, &dt) &&
            (dt == DT_F16 || dt == DT_BF16)) {
        if (is_busy)
            put_short_direct(to, d, item, t->row, base, row_bytes, dt == DT_BF16);
        else
            put_short(to, d, (__local uint *)memory, item, t->row, base, row_bytes, dt == DT_BF16);
        return;
    }
#endif
    put_sums(gemm, to, t, d, memory, item, dst);
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void wgmma(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global void *dst, long dst_off,
        long src_stride, long wei_stride, long4 src_batch, long4 wei_batch, __global uchar *maps,
        long maps_off GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local uint4 memory[(STAGES * STAGE + 512) / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), m = (int)gemm_m;
    tile_t t = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
    const int ntiles = (t.k_end - t.k_first + DEPTH - 1) / DEPTH;
    const uint place = wgmma_place((__local const void *)memory);
    const uint barriers = place + STAGES * STAGE, map = barriers + 128;
    start_barriers(memory, barriers, item);
    maps += maps_off;
    maps += -(ulong)maps & 127;
    maps += (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 256;
    src += (src_off + batch_offset(gemm_batch, src_batch, t.product)) * ES;
    wei += (wei_off + batch_offset(gemm_batch, wei_batch, t.product)) * ES;
    // Elements between the multiple of 16 bytes and the tensor's first.
    const int src_skip = (int)((ulong)src & 15) / ES, skip = (int)((ulong)wei & 15) / ES;
    const copier_t copier = {maps, place, barriers, src_skip + t.k_first,
            skip + (WEI_ALONG_K ? t.k_first : 0), WEI_ALONG_K ? 0 : t.k_first};
    if (item < 32) {
        make_maps(maps, map, src - src_skip * ES, (uint)(k + src_skip), (uint)m,
                (ulong)src_stride * ES, wei - skip * ES, (uint)((WEI_ALONG_K ? k : n) + skip),
                (uint)(WEI_ALONG_K ? n : k), (ulong)wei_stride * ES, item);
    }

    // A group has one tile or, where the host finds that sums go out from registers, several.
    const int total = (int)(gemm_batch.x * gemm_batch.y * gemm_batch.z) * ((m + BM - 1) / BM) *
                      ((n + BN - 1) / BN);
    const int nfilled = min(ntiles, STAGES);
    ring_t ring = {0, 0, 0};
    for (int s = 0; s < nfilled; ++s) fill_stage(&ring, &copier, t.row, t.col, s, item);
    int group = (int)get_group_id(0);
#pragma unroll 1
    for (;;) {
        group += (int)get_num_groups(0);
        const bool has_next = TAKES_SEVERAL && group < total;
        tile_t next = t;
        if (has_next) next = tile_of(group, 0, m, n, k, split_k);
        sum_t d[WGMMA_SUMS];
#pragma unroll
        for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = 0;
#if WITH_ZPS
        row_sums_t rows = {gemm.wei_zps.dt != DT_UNDEF, gemm.src_zps.dt != DT_UNDEF, {0}};
#endif
        const bool is_whole = multiply_tiles(d, &ring, &copier, t.row, t.col, has_next, next.row,
                next.col, ntiles, nfilled ROW_SUMS, item);
#if WITH_ZPS
        apply_zero_points(&gemm, &rows, d, &t, n, t.k_end - t.k_first, (__local int *)memory, item);
#endif
#pragma unroll
        for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = is_whole ? d[i] : LOST;
        const target_t to = target_of(&gemm, &t, n, dst_off, dst_m, dst_n, dst_batch, wei_skip,
                partial, partial_off, nsplits, (int)get_group_id(1));
        put_tile(&gemm, &to, &t, d, memory, has_next, item, dst);
        if (!has_next) break;
        t.row = next.row;
        t.col = next.col;
    }
}
