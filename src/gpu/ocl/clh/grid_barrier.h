// SPDX-License-Identifier: Apache-2.0
// A grid barrier with a timeout: the work-groups of one kernel share a row; each keeps a piece of it in registers,
// posts what the others need of the piece in slots, waits for their slots and finishes its piece, so that memory is
// read once. OpenCL does not promise that work-groups run beside each other: a group that has polled `max_polls`
// times computes the missing slots itself, from src, in the same way.
//
//     publish(own):        load the piece, compute its results, item 0: grid_post…()
//     if (!collect()):     the first SLOT_STEP items: grid_await…() of all pieces, combine, slots_all()
//         for turn = 0, 1, … pieces:                   all pieces, and the own one again
//             at = turn < pieces ? turn : own
//             if (grid_is_missing(slots of `at`, …, turn == pieces, …))
//                 publish(at), item 0 only if grid_may_post()
//         collect()
//     finish the own piece
//
// No group waits for ever, and the result has the same bits whichever group computed a slot: its value depends on the
// piece alone. dst may be src: a group stores into its piece after it saw the piece's slots posted. So what another
// group read of the piece is untouched if the slots are not posted after that (grid_may_post() looks again); else it
// uses the slots instead.
//
//   slots   __global uint each, 0 before the kernel: not posted. Slots of a piece that are posted together are aligned
//           to their number.
// One warp of a group polls all slots of a row at once; more warps, or a counter that all groups raise, cost up to a
// tenth of the time. Results are combined in a fixed order: a work-item takes the slots from SLOT_FIRST on in steps
// of SLOT_STEP, and slots_sum() and slots_max() combine them. grid_group_sum() and grid_group_max() are those of the
// group's n work-items.
// -D: LANE_SHUFFLE, see clh/lanes.h. RELAXED_ATOMICS: 1: slots are read and written by relaxed accesses at the scope
// of the device (clh/nv/nv_atomic.h), where groups are known to wait for each other (OCL_FEATURE_GROUP_WAIT); 0: by
// the atomics of OpenCL C 1.2, on processors, which order their memory by themselves.
#ifndef CLH_GRID_BARRIER_H
#define CLH_GRID_BARRIER_H

#if !defined(RELAXED_ATOMICS) || !defined(LANE_SHUFFLE)
#error "clh/grid_barrier.h needs RELAXED_ATOMICS, LANE_SHUFFLE"
#endif

#include "clh/grid_slots.h"
#include "clh/lanes.h"
#include "clh/limited_group.h"
#include "clh/nv/nv_lanes.h"

#if LANE_SHUFFLE
#define SLOT_FIRST ((int)get_local_id(0) % LANES)
#define SLOT_STEP LANES
#define slots_sum(x) lanes_sum_few(x, LANES)
#define slots_max(x) lanes_max_few(x, LANES)
#define slots_all nv_all
#else
#define SLOT_FIRST 0
#define SLOT_STEP 1
#define slots_sum(x) (x)
#define slots_max(x) (x)
#define slots_all(x) (x)
#endif

// `scratch`: n entries.
static inline float grid_group_sum(float x, __local float *scratch, const int n)
{
#if LANE_SHUFFLE
    return lanes_sum(x, scratch, n);
#else
    // Few work-items, which follow each other: a tree of barriers would take a while to compile.
    scratch[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += scratch[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
#endif
}

// Two sums at once. Another barrier must come before `scratch` is used again.
static inline float2 grid_group_sums(float2 x, __local float *scratch, const int n)
{
#if LANE_SHUFFLE
    const int id = (int)get_local_id(0), nwarps = n / LANES;
    x = (float2)(lanes_sum_few(x.s0, LANES), lanes_sum_few(x.s1, LANES));
    if (id % LANES == 0) {
        scratch[id / LANES] = x.s0;
        scratch[nwarps + id / LANES] = x.s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int warp = id & (nwarps - 1);
    x = (float2)(scratch[warp], scratch[nwarps + warp]);
    return (float2)(lanes_sum_few(x.s0, nwarps), lanes_sum_few(x.s1, nwarps));
#else
    x.s0 = grid_group_sum(x.s0, scratch, n);
    x.s1 = grid_group_sum(x.s1, scratch, n);
    return x;
#endif
}

// A NaN anywhere makes the result NaN.
static inline float grid_group_max(float x, __local float *scratch, const int n)
{
#if LANE_SHUFFLE
    return lanes_max(x, scratch, n);
#else
    scratch[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    float top = scratch[0];
    for (int i = 1; i < n; ++i) top = max_or_nan(top, scratch[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return top;
#endif
}

// A slot holds a number's complement; the NaN whose complement is 0 becomes another one.
static inline uint slot_of(float x)
{
    return ~(isnan(x) ? 0x7fc00000u : as_uint(x));
}

static inline void grid_post(__global uint *slot, float x)
{
    slot_write(slot, slot_of(x));
}

static inline void grid_post2(__global uint *slots, float x, float y)
{
    slot_write2(slots, (uint2)(slot_of(x), slot_of(y)));
}

// Whether the slots are posted before *polls_left polls are over; then they are in *x.
static inline bool grid_await(float *x, __global uint *slot, int *polls_left)
{
    uint seen = slot_read(slot);
    for (; seen == 0u && *polls_left > 0; --*polls_left) seen = slot_read(slot);
    *x = as_float(~seen);
    return seen != 0u;
}

static inline bool grid_await2(float2 *x, __global uint *slots, int *polls_left)
{
    uint2 seen = slot_read2(slots);
    for (; (seen.s0 == 0u || seen.s1 == 0u) && *polls_left > 0; --*polls_left) seen = slot_read2(slots);
    *x = as_float2(~seen);
    return seen.s0 != 0u && seen.s1 != 0u;
}

static inline bool grid_is_posted(__global uint *slots, int nslots)
{
    bool is_posted = true;
    for (int i = 0; i < nslots; ++i) is_posted = is_posted && slot_read(slots + i) != 0u;
    return is_posted;
}

// By all work-items: whether a slot is not posted, or `is_last`. Local memory may be used again.
static inline bool grid_is_missing(__global uint *slots, int nslots, bool is_last, __local int *shared)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) *shared = is_last || !grid_is_posted(slots, nslots);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *shared;
}

// By item 0 for a group that may be on its way, after all work-items have read the piece: whether to post.
static inline bool grid_may_post(__global uint *slots, int nslots)
{
    grid_fence();
    return !grid_is_posted(slots, nslots);
}

#endif
