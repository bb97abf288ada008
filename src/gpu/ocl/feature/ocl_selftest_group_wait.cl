// SPDX-License-Identifier: Apache-2.0
// Self-test of groups that wait for each other, and do without: teams of 16 groups tell each other the
// sums of their pieces, in 4 rounds.
//
//   from     [4 rounds, 32 groups, 64]: numbers below 97
//   y        the same: becomes what the group heard, plus the number
//   words    [4, 32], zeros; alone: becomes how often a group did without
//   scratch  an entry a work-item; shared: two
// Grid: x = 2048, in groups of 64. Numerics: exact. -D: those of clh/meet.h.
#include "clh/meet.h"

#define ITEMS 64
#define TEAM 16
#define NGROUPS 32
#define ROUNDS 4

// The number of a piece's item.
static inline uint tell(__global const uint *from, __global uint *words, int at, bool is_first,
        __local float *scratch)
{
    const uint x = from[at * ITEMS + (int)get_local_id(0)];
    const float sum = meet_group_sum((float)x, scratch, ITEMS);
    if (get_local_id(0) == 0 && (is_first || meet_may_tell(words + at, 1)))
        meet_tell(words + at, sum);
    return x;
}

// shared[1] becomes what the team told; false if some did not.
static inline bool hear(__global uint *words, int npolls, __local int *shared)
{
    if (get_local_id(0) == 0) {
        uint heard = 0u;
        bool is_whole = true;
        for (int p = 0; p < TEAM; ++p) {
            float sum;
            is_whole = meet_await(&sum, words + p, &npolls) && is_whole;
            heard = heard * 31u + (is_whole ? (uint)sum : 0u);
        }
        shared[0] = is_whole;
        shared[1] = (int)heard;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return shared[0];
}

static void wait_a_round(__global const uint *from, __global uint *y, __global uint *words,
        __global uint *alone, int npolls, __local float *scratch, __local int *shared)
{
    const int id = (int)get_local_id(0), own = (int)get_group_id(0) % TEAM;
    uint x = tell(from, words, own, true, scratch);
    if (!hear(words, npolls, shared)) {
        if (id == 0) atomic_inc((volatile __global uint *)alone);
        for (int turn = 0; turn <= TEAM; ++turn) {
            const int at = turn < TEAM ? turn : own;
            if (meet_misses(words + at, 1, turn == TEAM, shared)) x = tell(from, words, at, false, scratch);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        (void)hear(words, 0, shared);
    }
    y[own * ITEMS + id] = (uint)shared[1] + x;
}

static void wait_all(__global const uint *from, __global uint *y, __global uint *words,
        __global uint *alone, int npolls, __local float *scratch, __local int *shared)
{
    const int team = (int)get_group_id(0) / TEAM;
    for (int round = 0; round < ROUNDS; ++round) {
        const int at = round * NGROUPS + team * TEAM;
        wait_a_round(from + at * ITEMS, y + at * ITEMS, words + at, alone, npolls, scratch, shared);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void group_wait(__global const uint *from, __global uint *y, __global uint *words,
        __global uint *alone, __local float *scratch, __local int *shared)
{
    // Fewer than what some compilers let a loop run.
    wait_all(from, y, words, alone, 50000, scratch, shared);
}

__kernel void group_alone(__global const uint *from, __global uint *y, __global uint *words,
        __global uint *alone, __local float *scratch, __local int *shared)
{
    wait_all(from, y, words, alone, 0, scratch, shared);
}
