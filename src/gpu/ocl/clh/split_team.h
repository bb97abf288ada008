// SPDX-License-Identifier: Apache-2.0
// Split-K in one launch: the work-groups that compute the splits of one tile, its team, store their partial sums, and
// whoever sees those of all splits adds a share of the tile. Nobody waits for ever: OpenCL does not promise that the
// groups of a team run beside each other, so a group that has polled `max_polls` times leaves its share to those
// that come later. Sums do not depend on who adds them.
//
//     store the partial sums; barrier of the group
//     the first SPLIT_POLLERS work-items:  split_claim(&team, item, is_mine)
//     barrier of the group
//     for each share with is_mine[share]:  add it
//
// Slots need no zeros at the start, hence no launch that clears them: a group posts the launch's ticket, a number that
// no other launch has (prim__ocl_args_ticket()). A group that leaves posts the ticket plus one, fences and looks once
// more. Of it and the last one to post, at least one sees the other's slot: the group itself adds its share, or the last
// one does, or both do, storing the same bits.
//
// -D: those of clh/grid_slots.h; LANE_SHUFFLE, see clh/lanes.h.
#ifndef CLH_SPLIT_TEAM_H
#define CLH_SPLIT_TEAM_H

#ifndef LANE_SHUFFLE
#error "clh/split_team.h needs LANE_SHUFFLE"
#endif

#include "clh/always_inline.h"
#include "clh/grid_slots.h"
#include "clh/nv/nv_lanes.h"

#if LANE_SHUFFLE
#define SPLIT_POLLERS 32 // one warp
#define split_all nv_all
#define split_pollers_barrier nv_warp_barrier
#else
#define SPLIT_POLLERS 1
#define split_all(x) (x)
#define split_pollers_barrier()
#endif

#define SPLIT_SLOT_WORDS 2

typedef struct {
    __global uint *slots; // SPLIT_SLOT_WORDS for each group
    int ngroups, own;     // of the team; this one
    uint2 ticket;         // even; no other launch has it
    int max_polls;
} split_team_t;

// One of the pollers; `mark`: 0 has posted, 1 has left.
ALWAYS_INLINE void split_post(const split_team_t *team, int poller, uint mark)
{
    if (poller == 0) {
        grid_fence_all();
        slot_write2(team->slots + team->own * SPLIT_SLOT_WORDS, (uint2)(team->ticket.s0 + mark, team->ticket.s1));
    }
    split_pollers_barrier();
    grid_fence_all();
}

ALWAYS_INLINE bool split_all_posted(const split_team_t *team, int poller)
{
    bool all = true;
    for (int i = poller; i < team->ngroups; i += SPLIT_POLLERS) {
        const uint2 seen = slot_read2(team->slots + i * SPLIT_SLOT_WORDS);
        all = all && (seen.s0 & ~1u) == team->ticket.s0 && seen.s1 == team->ticket.s1;
    }
    return split_all(all);
}

// Whether all splits are there; if not, the group has left.
ALWAYS_INLINE bool split_await(const split_team_t *team, int poller)
{
    split_post(team, poller, 0);
    bool all = split_all_posted(team, poller);
    for (int polls = team->max_polls; !all && polls > 0; --polls) all = split_all_posted(team, poller);
    if (all) return true;
    split_post(team, poller, 1);
    return split_all_posted(team, poller);
}

// is_mine[share]: whether this group adds the share; is_mine[ngroups]: whether any but its own. By all pollers.
ALWAYS_INLINE void split_claim(const split_team_t *team, int poller, __local uint *is_mine)
{
    const bool all = split_await(team, poller);
    bool own_alone = true;
    grid_fence();
    for (int i = poller; i < team->ngroups; i += SPLIT_POLLERS) {
        const bool has_left = slot_read(team->slots + i * SPLIT_SLOT_WORDS) & 1u;
        is_mine[i] = all && (i == team->own || has_left);
        own_alone = own_alone && (i == team->own || !has_left);
    }
    own_alone = split_all(own_alone);
    if (poller == 0) is_mine[team->ngroups] = all && !own_alone;
}

#endif
