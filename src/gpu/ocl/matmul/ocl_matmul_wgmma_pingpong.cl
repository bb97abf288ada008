// SPDX-License-Identifier: Apache-2.0
// Matrix product of f16 and bf16 by WGMMA for problems whose tiles take as long to finish and to store as to multiply:
// work-groups are persistent and specialised. Two teams of BM/64 warp groups take the tiles of the work-group, BM × BN
// elements of dst, in turns ("ping-pong"): while one finishes and stores its sums from registers, the other multiplies. A
// producer copies operands ahead, through STAGES pipeline stages, by tensor maps (TMA), also from tile to tile.
//
//   src, src_off   bytes of elements; element (i, p) at i·src_stride + p
//   wei, wei_off   the same of weights; element (p, j) at j·wei_stride + p (WEI_ALONG_K) or
//                  p·wei_stride + j. Strides and starts are multiples of 16 bytes
//   dst, dst_off   f16, bf16 or f32; columns contiguous, rows and start multiples of 16 bytes, n of 8
//   maps, maps_off 256 bytes for each group, and 127 more
//   the rest       clh/gemm_place.h (no splits), clh/gemm.h; a bias does not depend on the row
//   POST_OPS       those without operands, and one beside dst's elements (PO_BESIDE_DST)
// Grid: as many work-groups of 4·BM + 128 work-items as compute units, or fewer. One fills a compute unit's local memory.
// Numerics: products are exact, accumulated by the matrix unit (f32, in an order of its own), from the
//   bias on. A copy that times out gives NaN.
// -D: those of clh/gemm.h and clh/wgmma.h; BM = 64 or 128, STAGES; BATCHED: several products; REAL_WIDTH = 8 with post-ops;
//   PO_SHORT, FAST_EXP2 (both for a dst of 16 bits), SLOPES = 0: clh/eltwise_short.h.
//   RETARGET=0: plain C, all work-items in step.
// No device of CI has such units; checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DBATCHED=1 -DBM=128 -DBN=128 -DSTAGES=5 -DSPLITS=0 -DWEI_ALONG_K=0 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0 -DGEMM_DST_DT=1 -DGEMM_BIA_DT=3 -DREAL_WIDTH=1 -DFAST_EXP2=0 -DSLOPES=0
// and checked with: -cl-std=CL1.2 -DRETARGET=1 -DASYNC_COPY=1 -DMMA_ACROSS_BYTES=128 -DMMA_TYPE=1 -DSRC_IS_U8=0 -DWEI_IS_U8=0 -DBATCHED=0 -DBM=128 -DBN=128 -DSTAGES=5 -DSPLITS=0 -DWEI_ALONG_K=1 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0 -DGEMM_DST_DT=3 -DGEMM_BIA_DT=0 -DREAL_WIDTH=1 -DFAST_EXP2=0 -DSLOPES=0
#if !defined(BM) || !defined(BN) || !defined(STAGES) || !defined(BATCHED)
#error "ocl_matmul_wgmma_pingpong needs BM, BN, STAGES, BATCHED"
#endif
#if BM % 64 != 0 || BN % 64 != 0 || STAGES < 2 || IS_INT || WITH_QUANT || SPLITS
#error "ocl_matmul_wgmma_pingpong does not know these options"
#endif

#include "clh/always_inline.h"
#include "clh/eltwise_short.h"
#include "clh/gemm.h"
#include "clh/gemm_place.h"
#include "clh/nv/nv_registers.h"
#include "clh/nv/nv_retarget.h"
#include "clh/wgmma.h"
#include "clh/wgmma_ring.h"
#include "clh/wgmma_stage.h"

#include "clh/gemm_boxes.h"
#include "clh/gemm_registers.h"

#define TEAM (BM / 64 * 128) // work-items
#define ITEMS (2 * TEAM + 128)
#define STEPS (ROW_BYTES / 32)
// Of 65536 registers 640 work-items get 96 each. Those that copy leave all but 32, those that multiply have 112.
#if RETARGET && BM != 128
#error "registers are counted for BM = 128"
#endif
// The turns of both teams, two tensor maps, words that work-items exchange.
#define TURNS_AT (BARRIERS_AT + 2 * STAGES * 8)
#define MAPS_AT ((TURNS_AT + 16 + 127) / 128 * 128)
#define LANES_AT (MAPS_AT + 256)
#define MEMORY_BYTES (LANES_AT + (RETARGET ? 0 : ITEMS * 16))

// The tiles of a work-group are numbered; those of a team are every second. Without units all
// work-items are at the same tile.
#define TILE_STRIDE (RETARGET ? 2 : 1)
#define IS_OWN(number, item) (RETARGET || ((item) / TEAM == (number) % 2 && (item) < 2 * TEAM))

ALWAYS_INLINE void start_barriers(wgmma_place_t place)
{
#pragma unroll
    for (int s = 0; s < STAGES; ++s) {
        ring_init(place + (BARRIERS_AT + s * 8), 1);
        ring_init(place + (BARRIERS_AT + (STAGES + s) * 8), TEAM / 32);
    }
    ring_init(place + TURNS_AT, TEAM / 32);
    ring_init(place + (TURNS_AT + 8), TEAM / 32);
    ring_publish();
}

// `item`: in the team.
ALWAYS_INLINE void multiply_stage(float *d, wgmma_place_t place, int stage, int item)
{
    const wgmma_operand_t a = wgmma_along(place + item / 128 * (64 * ROW_BYTES)) + stage * (STAGE >> 4);
#if WEI_ALONG_K
    const wgmma_operand_t b = wgmma_along(place + TILE_A) + stage * (STAGE >> 4);
#else
    const wgmma_operand_t b = wgmma_across(place + TILE_A) + stage * (STAGE >> 4);
#endif
    wgmma_begin();
#pragma unroll
    for (int p = 0; p < STEPS; ++p) wgmma_multiply_step(d, a, b, p);
    wgmma_close();
}

// What the work-items that multiply know of the ring; `team`: of which team they are.
typedef struct {
    wgmma_place_t place;
    pipeline_state_t state;
    int skip_stages; // from the end of a tile to the start of the team's next
    uint skip_phase, turn;
} ring_t;

ALWAYS_INLINE ring_t ring_of(wgmma_place_t place, int team, int nsteps)
{
    ring_t ring = {place, {0, 0}, nsteps % STAGES, nsteps / STAGES & 1, team ? 0 : 1};
    if (RETARGET && team) {
        ring.state.stage = ring.skip_stages;
        ring.state.phase = ring.skip_phase;
    }
    return ring;
}

// Past the tile of the other team.
ALWAYS_INLINE void ring_skip(ring_t *ring)
{
    ring->state.stage += ring->skip_stages;
    const int is_past = ring->state.stage >= STAGES;
    ring->state.stage -= is_past ? STAGES : 0;
    ring->state.phase ^= ring->skip_phase ^ (uint)is_past;
    ring->turn ^= 1;
}

// One step after the other, as they come; false where one never came. The other team may
// multiply once the last is under way: stages are waited for in the order in which they are filled.
ALWAYS_INLINE bool multiply_tile(
        float *d, ring_t *ring, int team, int nsteps, int item)
{
    const wgmma_place_t full = ring->place + BARRIERS_AT, empty = full + STAGES * 8;
    bool is_whole = ring_wait(ring->place + (TURNS_AT + team * 8), ring->turn);
    int before = -1;
#pragma unroll 1
    for (int step = 0; step < nsteps; ++step) {
        is_whole &= ring_wait(full + ring->state.stage * 8, ring->state.phase);
        multiply_stage(d, ring->place, ring->state.stage, item % TEAM);
        wgmma_wait_but_one();
        if (before >= 0 && item % 32 == 0) ring_arrive(empty + before * 8);
        before = ring->state.stage;
        pipeline_advance(&ring->state);
    }
    if (item % 32 == 0) ring_arrive(ring->place + (TURNS_AT + (team ^ 1) * 8));
    wgmma_wait_all(d);
    if (item % 32 == 0) ring_arrive(empty + before * 8);
    return is_whole;
}

#if RETARGET
// All tiles of the work-group, ahead of those who multiply.
ALWAYS_INLINE void produce(const boxes_t *boxes, int ntiles, int nsteps)
{
    pipeline_state_t state = {0, 0};
#pragma unroll 1
    for (int index = (int)get_group_id(0); index < ntiles; index += (int)get_num_groups(0)) {
        const tile_t t = tile_of(index, 0, boxes->m, boxes->n, boxes->k, boxes->k);
        const int4 product = boxes_product(boxes, t.product);
#pragma unroll 1
        for (int step = 0; step < nsteps; ++step) boxes_copy_step(boxes, &t, product, step, &state);
    }
}
#else
// The same in plain C: every work-item waits for each step, which those of one team multiply.
ALWAYS_INLINE void multiply_in_step(float *d, const boxes_t *boxes, int index, pipeline_state_t *state, int nsteps,
        bool is_own, int item)
{
    const tile_t t = tile_of(index, 0, boxes->m, boxes->n, boxes->k, boxes->k);
    const int4 product = boxes_product(boxes, t.product);
    pipeline_state_t filled = *state;
#pragma unroll 1
    for (int step = 0; step < nsteps; ++step) {
        if (item == 2 * TEAM) boxes_copy_step(boxes, &t, product, step, &filled);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_own) multiply_stage(d, boxes->place, state->stage, item % TEAM);
        pipeline_advance(state);
    }
}
#endif

ALWAYS_INLINE void set_sums(float *d, float x)
{
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) d[i] = x;
}

// clang-format off
#define TARGET_OF(tile) \
    target_of(&gemm, &(tile), n, dst_off, dst_m, dst_n, dst_batch, 0, 0, 0, 1, 0)
// clang-format on

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void matmul_wgmma_pingpong(
        __global const uchar *src, long src_off, __global const uchar *wei, long wei_off,
        __global void *dst, long dst_off, long src_stride, long wei_stride,
        ocl_gemm_batch_t src_batch, ocl_gemm_batch_t wei_batch, __global uchar *maps,
        long maps_off GEMM_TILE_PARAMS GEMM_PARAMS)
{
    NV_RETARGET_BEGIN;
    GEMM_DECLARE;
    __local uint4 memory[MEMORY_BYTES / 16] __attribute__((aligned(1024)));
    const int item = (int)get_local_id(0), m = (int)gemm_m, team = item / TEAM & 1;
    const int nsteps = (k + DEPTH - 1) / DEPTH;
    const int ntiles = (int)(gemm_batch.x * gemm_batch.y * gemm_batch.z) * ((m + BM - 1) / BM) *
                       ((n + BN - 1) / BN);
    __global uchar *own_maps = maps + maps_off;
    own_maps += -(ulong)own_maps & 127;
    const boxes_t boxes = {{src + src_off * 2, src_stride * 2, src_batch * 2},
            {wei + wei_off * 2, wei_stride * 2, wei_batch * 2}, gemm_batch, wgmma_place(memory),
            own_maps + get_group_id(0) * 256, m, n, k};
    if (item == 0) start_barriers(boxes.place);
    if (item >= 2 * TEAM && item < 2 * TEAM + 32)
        boxes_make(&boxes, (__local uint *)memory + MAPS_AT / 4, boxes.place + MAPS_AT,
                item - 2 * TEAM);
    barrier(RETARGET ? CLK_LOCAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if RETARGET
    if (item >= 2 * TEAM) {
        NV_REGISTERS_LEAVE(32);
        if (item == 2 * TEAM) produce(&boxes, ntiles, nsteps);
        return;
    }
    NV_REGISTERS_TAKE(112);
#endif
    ring_t ring = ring_of(boxes.place, team, nsteps);
    int number = RETARGET ? team : 0;
#pragma unroll 1
    for (int index = (int)(get_group_id(0) + number * get_num_groups(0)); index < ntiles;
            index += TILE_STRIDE * (int)get_num_groups(0), number += TILE_STRIDE) {
        float d[WGMMA_SUMS];
        const tile_t ahead = tile_of(index, 0, m, n, k, k);
        const target_t there = TARGET_OF(ahead);
        start_registers(&gemm, &there, d, ahead.col, item % 32);
        ask_registers(&gemm, &there, ahead.row, ahead.col, item % TEAM, TEAM, dst, dst_off);
#if RETARGET
        if (!multiply_tile(d, &ring, team, nsteps, item)) set_sums(d, NAN);
        ring_skip(&ring);
#else
        multiply_in_step(d, &boxes, index, &ring.state, nsteps, IS_OWN(number, item), item);
#endif
        const int late_item = wgmma_hide(item);
        const tile_t t = tile_of(wgmma_hide(index), 0, m, n, k, k);
        const target_t to = TARGET_OF(t);
        put_registers(&gemm, &to, d, t.row, t.col, late_item % TEAM, IS_OWN(number, item), dst, dst_off,
                memory + LANES_AT / 16);
    }
}

NV_RETARGET_END
