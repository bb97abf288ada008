// SPDX-License-Identifier: Apache-2.0
// Self-test of the grid barrier, with work-groups that wait for each other and that do without: teams of 16 groups
// exchange the sums of their pieces, in 4 rounds.
//
//   from     [4 rounds, 32 groups, 64]: numbers below 97
//   y        the same: becomes what the group collected, plus the number
//   slots    [4, 32], zeros; alone: becomes how often a group did without
//   scratch  an entry a work-item; shared: two
// Grid: x = 2048, in groups of 64. Numerics: exact. -D: those of clh/grid_barrier.h.
#include "clh/grid_barrier.h"

#define ITEMS 64
#define TEAM 16
#define NGROUPS 32
#define ROUNDS 4

// The number of a piece's item.
static inline uint publish(__global const uint *from, __global uint *slots, int at, bool is_first,
        __local float *scratch)
{
    const uint x = from[at * ITEMS + (int)get_local_id(0)];
    const float sum = grid_group_sum((float)x, scratch, ITEMS);
    if (get_local_id(0) == 0 && (is_first || grid_may_post(slots + at, 1)))
        grid_post(slots + at, sum);
    return x;
}

// shared[1] becomes what the team posted; false if some groups did not.
static inline bool collect(__global uint *slots, int max_polls, __local int *shared)
{
    if (get_local_id(0) == 0) {
        uint collected = 0u;
        bool is_whole = true;
#pragma unroll 1
        for (int p = 0; p < TEAM; ++p) {
            float sum;
            is_whole = grid_await(&sum, slots + p, &max_polls) && is_whole;
            collected = collected * 31u + (is_whole ? (uint)sum : 0u);
        }
        shared[0] = is_whole;
        shared[1] = (int)collected;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return shared[0];
}

static void wait_a_round(__global const uint *from, __global uint *y, __global uint *slots,
        __global uint *alone, int max_polls, __local float *scratch, __local int *shared)
{
    const int id = (int)get_local_id(0), own = (int)get_group_id(0) % TEAM;
    uint x = publish(from, slots, own, true, scratch);
    if (!collect(slots, max_polls, shared)) {
        if (id == 0) atomic_inc((volatile __global uint *)alone);
#pragma unroll 1
        for (int turn = 0; turn <= TEAM; ++turn) {
            const int at = turn < TEAM ? turn : own;
            if (grid_is_missing(slots + at, 1, turn == TEAM, shared)) x = publish(from, slots, at, false, scratch);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        (void)collect(slots, 0, shared);
    }
    y[own * ITEMS + id] = (uint)shared[1] + x;
}

static void wait_all(__global const uint *from, __global uint *y, __global uint *slots,
        __global uint *alone, int max_polls, __local float *scratch, __local int *shared)
{
    const int team = (int)get_group_id(0) / TEAM;
#pragma unroll 1
    for (int round = 0; round < ROUNDS; ++round) {
        const int at = round * NGROUPS + team * TEAM;
        wait_a_round(from + at * ITEMS, y + at * ITEMS, slots + at, alone, max_polls, scratch, shared);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void group_wait(__global const uint *from, __global uint *y, __global uint *slots,
        __global uint *alone, __local float *scratch, __local int *shared)
{
    // Fewer than what some compilers let a loop run.
    wait_all(from, y, slots, alone, 50000, scratch, shared);
}

__kernel void group_alone(__global const uint *from, __global uint *y, __global uint *slots,
        __global uint *alone, __local float *scratch, __local int *shared)
{
    wait_all(from, y, slots, alone, 0, scratch, shared);
}
