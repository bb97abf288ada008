// SPDX-License-Identifier: Apache-2.0
// Products of f16, bf16 (sums in f32) and 8-bit integers (s32) by matrix units that groups feed: a
// group computes a tile of BM × BN elements of dst; the device copies STAGES tiles of operands, 128
// bytes of k deep, to local memory by maps that each group makes for its product.
//
//   src, src_off   bytes of elements; element (i, p) at i·src_stride + p
//   wei, wei_off   the same of weights; element (p, j) at j·wei_stride + p (WEI_ALONG_K) or
//                  p·wei_stride + j; strides are multiples of 16 bytes; where starts are not, the
//                  units are not used
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
#include "clh/wgmma_out.h"

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
// Behind the stages: their barriers, two maps, and a plan_t.
#define BARRIERS (STAGES * STAGE)
#define MAPS (BARRIERS + 128)
#define PLAN (MAPS + 256)
#define PITCH (BN + 8) // rows of sums on the way out, 32 bytes longer, for their banks

#if IS_INT
#define LOST INT_MIN
#else
#define LOST NAN
#endif

#define INLINE static inline __attribute__((always_inline))

// What an item that starts copies knows.
typedef struct {
    __global const uchar *maps;
    uint memory;
    int k_first; // step of k of the first tile
} copier_t;

// `row`: of the output tile. The barrier takes the bytes of both operands in any order.
INLINE void start_src(const copier_t *c, int row, int stage, int tile)
{
    const uint barrier = c->memory + BARRIERS + stage * 8;
    wgmma_barrier_expect(barrier, STAGE);
    wgmma_copy(c->memory + stage * STAGE, c->maps, barrier, c->k_first + tile * DEPTH, row);
}

INLINE void start_wei(const copier_t *c, int col, int stage, int tile)
{
    const uint barrier = c->memory + BARRIERS + stage * 8;
    const uint to = c->memory + stage * STAGE + TILE_A;
#if WEI_ALONG_K
    wgmma_copy(to, c->maps + 128, barrier, c->k_first + tile * DEPTH, col);
#else
#pragma unroll
    for (int block = 0; block < BN / 64; ++block) {
        wgmma_copy(to + block * (64 * ROW_BYTES), c->maps + 128, barrier, col + block * 64,
                c->k_first + tile * DEPTH);
    }
#endif
}

INLINE __global uchar *maps_of_group(__global uchar *maps)
{
    maps += -(ulong)maps & 127;
    return maps + (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 256;
}

// A warp makes a map of `height` rows of `width` elements, from a multiple of 16 bytes on.
INLINE void make_map(__global uchar *map, __local uint4 *memory, uint place,
        __global const uchar *base, uint width, uint height, ulong row_bytes, uint box_w,
        uint box_h, int item)
{
    ((__local uint *)memory)[MAPS / 4 + item] = 0;
    wgmma_warp_barrier();
    if (item % 32 == 0) wgmma_map_make(place, base, width, height, row_bytes, box_w, box_h);
    wgmma_warp_barrier();
    wgmma_map_publish(map, place);
    if (item % 32 == 0) wgmma_map_acquire(map);
}

INLINE void start_barriers(uint barriers)
{
#pragma unroll
    for (int s = 0; s < STAGES; ++s) wgmma_barrier_init(barriers + s * 8);
    wgmma_barrier_publish();
}

// Each warp prepares something: a map of src, one of weights, the barriers.
INLINE void prepare(__global uchar *maps, __local uint4 *memory, uint place, bool has_boxes,
        __global const uchar *src, int m, long src_stride, __global const uchar *wei, int n,
        long wei_stride, int k, int item)
{
    if (item == 64) start_barriers(place + BARRIERS);
    if (!has_boxes) return;
    if (item < 32) {
        make_map(maps, memory, place + MAPS, src, (uint)k, (uint)m, (ulong)src_stride * ES, DEPTH,
                BM, item);
    } else if (item < 64) {
        make_map(maps + 128, memory, place + MAPS + 128, wei, (uint)(WEI_ALONG_K ? k : n),
                (uint)(WEI_ALONG_K ? n : k), (ulong)wei_stride * ES, WEI_ALONG_K ? DEPTH : 64,
                WEI_ALONG_K ? BN : DEPTH, item);
    }
}

// What an item finds out while others make maps: the group's first tile, and where sums go out as 16
// bits, if they do.
typedef struct {
    tile_t tile;
    __global uchar *base; // of the tile's first column in row 0
    long row_bytes;
    int dt; // DT_UNDEF: they do not
} plan_t;

INLINE void make_plan(__local plan_t *plan, const gemm_t *gemm, const tile_t *tile,
        const target_t *to, __global void *dst)
{
    plan_t own;
    own.tile = *tile;
    const bool is_raw =
            is_raw_target(gemm, to, tile->col, dst, &own.base, &own.row_bytes, &own.dt);
    if (!is_raw || (own.dt != DT_F16 && own.dt != DT_BF16)) own.dt = DT_UNDEF;
    *plan = own;
}

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
    int nstarted;    // tiles of the group's first output tile that are on their way
} ring_t;

INLINE void fill_stage(ring_t *ring, const copier_t *copier, int row, int col, int tile, int item)
{
    if (item == 0) {
        start_src(copier, row, ring->fill, tile);
        start_wei(copier, col, ring->fill, tile);
    }
    if (++ring->fill == STAGES) ring->fill = 0;
}

// The ring with the first tile on its way, src by one item and weights by another, each by the map
// of its warp; then one starts all. Not all at once: copies wait for each other, and it multiplies.
INLINE ring_t start_ring(const copier_t *copier, int row, int col, int nfilled, int item)
{
    ring_t ring = {0, 1, 0, min(nfilled, 2)};
    if (item == 32) start_wei(copier, col, 0, 0);
    if (item == 0) {
        start_src(copier, row, 0, 0);
        wgmma_map_acquire(copier->maps + 128);
    }
    if (nfilled > 1) fill_stage(&ring, copier, row, col, 1, item);
    return ring;
}

#if WITH_ZPS
#define ROW_SUMS_PARAMS , row_sums_t *rows, __local const uint4 *memory
#define ROW_SUMS , &rows, memory
#else
#define ROW_SUMS_PARAMS
#define ROW_SUMS
#endif

// Starts the multiplications of the tiles in a stage.
INLINE void multiply_stage(sum_t *d, uint memory, int stage, int item)
{
    const ulong at = (ulong)(uint)(stage * (STAGE >> 4));
    const ulong a = wgmma_along(memory + item / 128 * (64 * ROW_BYTES)) + at;
#if WEI_ALONG_K
    const ulong b = wgmma_along(memory + TILE_A) + at;
#else
    const ulong b = wgmma_across(memory + TILE_A) + at;
#endif
    wgmma_begin();
#pragma unroll
    for (int p = 0; p < STEPS; ++p)
        wgmma_multiply(d, a + p * 2, b + p * (WEI_ALONG_K ? 2 : 128));
    wgmma_close();
}

// Multiplies the `ntiles` tiles of an output tile, of which the first `nfilled` are on their way, or
// as many as the ring says.
// Each stage is filled again once its tile is multiplied: with this output tile's, then, if there is
// one, with those of the next. False where a copy never came.
INLINE bool multiply_tiles(sum_t *d, ring_t *ring, const copier_t *copier, int row, int col,
        bool has_next, int next_row, int next_col, int ntiles,
        int nfilled ROW_SUMS_PARAMS, int item)
{
    bool is_lost = false;
#pragma unroll 1
    for (int s = 0; s < ntiles; ++s) {
        if (!wgmma_barrier_wait(copier->memory + BARRIERS + ring->stage * 8, ring->phase)) is_lost = true;
        multiply_stage(d, copier->memory, ring->stage, item);
#if WITH_ZPS
        add_rows(rows, memory + ring->stage * (STAGE / 16), item);
#endif
        if (++ring->stage == STAGES) {
            ring->stage = 0;
            ring->phase ^= 1;
        }
        // The multiplications of the tile before are done in all items: its stage is free.
        wgmma_wait_but_one();
        for (; ring->nstarted < nfilled; ++ring->nstarted)
            fill_stage(ring, copier, row, col, ring->nstarted, item);
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

#if IS_INT
#define LOAD_SRC(p, i) (SRC_IS_U8 ? (int)(p)[i] : (int)as_char((p)[i]))
#define LOAD_WEI(p, i) (WEI_IS_U8 ? (int)(p)[i] : (int)as_char((p)[i]))
#elif MMA_TYPE == DT_BF16
#define LOAD_SRC(p, i) load_bf16((__global const bf16_t *)(p), i)
#define LOAD_WEI LOAD_SRC
#else
#define LOAD_SRC(p, i) load_f16((__global const f16_t *)(p), i)
#define LOAD_WEI LOAD_SRC
#endif

// A tile without the units, for operands off multiples of 16 bytes: copies by maps fault the device
// there. Beside the units' sums there are no registers for a better way.
INLINE void put_slowly(const gemm_t *gemm, const target_t *to, const tile_t *t,
        __global const uchar *src, long src_stride, __global const uchar *wei, long wei_stride,
        int n, __local sum_t *sums, int item, __global void *dst)
{
#pragma unroll 1
    for (int e = item; e < BM * BN; e += ITEMS) {
        const int i = t->row + e / BN, j = t->col + e % BN;
        sum_t sum = 0, x = 0, y = 0;
        const int k_end = i < (int)gemm->m && j < n ? t->k_end : t->k_first;
#if WITH_ZPS
        x = gemm_zero_point(&gemm->src_zps, i % gemm->matrix_m, 0);
        y = gemm_zero_point(&gemm->wei_zps, 0, min(j, n - 1));
#endif
#pragma unroll 4
        for (int p = t->k_first; p < k_end; ++p) {
            const long q = WEI_ALONG_K ? j * wei_stride + p : p * wei_stride + j;
            sum += (LOAD_SRC(src, i * src_stride + p) - x) * (LOAD_WEI(wei, q) - y);
        }
        sums[e / BN * PITCH + e % BN] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    put_rows(gemm, to, sums, BM, PITCH, t->row, BM, 0, t->col, item, ITEMS, dst);
    barrier(CLK_LOCAL_MEM_FENCE);
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

// Takes the sums of a tile to where they go as 16 bits, if they do. `is_busy`: local memory takes
// another tile.
INLINE bool put_tile_short(__local const plan_t *to, const tile_t *t, const sum_t *d, int m, int n,
        __local uint *memory, bool is_busy, int item)
{
#if IS_INT
    return false;
#else
    if (to->dt == DT_UNDEF) return false;
    __global uchar *const base = to->base + (long)(t->col - to->tile.col) * 2;
    const int row_end = min(m, t->row + BM), width = min(n - t->col, BN);
    if (is_busy)
        put_short_direct(d, item, t->row, row_end, width, base, to->row_bytes, to->dt == DT_BF16);
    else
        put_short(d, memory, item, t->row, row_end, width, base, to->row_bytes, to->dt == DT_BF16);
    return true;
#endif
}

INLINE void set_sums(sum_t *d, sum_t x)
{
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = x;
}

// A number that the compiler does not know again: else it would keep the addresses of the way out in
// registers all the time, and spill others.
INLINE int hide(int x)
{
    __asm volatile("" : "+r"(x));
    return x;
}

// clang-format off
#define TARGET_OF(tile) \
    target_of(&gemm, &(tile), n, dst_off, dst_m, dst_n, dst_batch, wei_skip, partial, partial_off, \
            nsplits, (int)get_group_id(1))
// clang-format on

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void wgmma(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global void *dst, long dst_off,
        long src_stride, long wei_stride, long4 src_batch, long4 wei_batch, __global uchar *maps,
        long maps_off GEMM_TILE_PARAMS GEMM_PARAMS)
{
    GEMM_DECLARE;
    __local uint4 memory[(STAGES * STAGE + 512) / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), m = (int)gemm_m;
    const uint place = wgmma_place((__local const void *)memory);
    const long product = product_of(get_group_id(0), m, n);
    maps = maps_of_group(maps + maps_off);
    src += (src_off + batch_offset(gemm_batch, src_batch, product)) * ES;
    wei += (wei_off + batch_offset(gemm_batch, wei_batch, product)) * ES;
    const bool has_boxes = (((ulong)src | (ulong)wei) & 15) == 0;
    __local plan_t *const plan = (__local plan_t *)((__local uchar *)memory + PLAN);
    prepare(maps, memory, place, has_boxes, src, m, src_stride, wei, n, wei_stride, k, item);
    if (item == 96) {
        const tile_t own = tile_of(get_group_id(0), (int)get_group_id(1), m, n, k, split_k);
        const target_t to = TARGET_OF(own);
        make_plan(plan, &gemm, &own, &to, dst);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    tile_t t = plan->tile;
    const int ntiles = (t.k_end - t.k_first + DEPTH - 1) / DEPTH;
    const copier_t copier = {maps, place, t.k_first};

    // A group has one tile or, where the host finds that sums go out from registers, several.
    const int total = (int)(gemm_batch.x * gemm_batch.y * gemm_batch.z) * ((m + BM - 1) / BM) *
                      ((n + BN - 1) / BN);
    const int nfilled = min(ntiles, STAGES);
    ring_t ring;
    if (has_boxes) ring = start_ring(&copier, t.row, t.col, nfilled, item);
    int group = (int)get_group_id(0);
    tile_t next = t;
#pragma unroll 1
    for (;; t = next) {
        group += (int)get_num_groups(0);
        const bool has_next = TAKES_SEVERAL && group < total;
        if (has_next) next = tile_of(group, 0, m, n, k, split_k);
        if (!has_boxes) {
            const target_t to = TARGET_OF(t);
            put_slowly(&gemm, &to, &t, src, src_stride, wei, wei_stride, n, (__local sum_t *)memory,
                    item, dst);
            if (has_next) continue;
            break;
        }
        sum_t d[WGMMA_SUMS];
        set_sums(d, 0);
#if WITH_ZPS
        row_sums_t rows = {gemm.wei_zps.dt != DT_UNDEF, gemm.src_zps.dt != DT_UNDEF, {0}};
#endif
        const bool is_whole = multiply_tiles(d, &ring, &copier, t.row, t.col, has_next, next.row,
                next.col, ntiles, nfilled ROW_SUMS, item);
#if WITH_ZPS
        apply_zero_points(&gemm, &rows, d, &t, n, t.k_end - t.k_first, (__local int *)memory, item);
#endif
        if (!is_whole) set_sums(d, LOST);
        const int late_item = hide(item);
        if (!put_tile_short(plan, &t, d, m, n, (__local uint *)memory, has_next, late_item)) {
            const target_t to = TARGET_OF(t);
            put_sums(&gemm, &to, &t, d, memory, late_item, dst);
        }
        if (!has_next) break;
    }
}
