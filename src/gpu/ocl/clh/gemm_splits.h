// SPDX-License-Identifier: Apache-2.0
// How the work-groups that share a tile, one for each split of a sum, wait for each other in one launch: when all have
// stored their partial sums, each finishes a slice of the tile.
//
// OpenCL does not promise that work-groups run beside each other. So a group that has looked max_polls times gives up,
// and says so in the word that counts arrivals; the group that arrives last knows from it whose slices are left to it.
// That the last one arrived shows in the word, which is 0 then, as before the kernel.
//
// More splits than a word has bits, and no word that has to be 0 before: clh/split_team.h.
// -D: RELAXED_ATOMICS (clh/grid_slots.h).
#ifndef CLH_GEMM_SPLITS_H
#define CLH_GEMM_SPLITS_H

#include "clh/grid_slots.h"

// A word: the lowest 8 bits count arrivals, and bit 8 + s tells that split s, below 24, has given up.

// By a group that has arrived itself.
static inline bool splits_all_arrived(uint state, int nsplits)
{
    const uint count = state & 255;
    return count == 0 || count == (uint)nsplits;
}

// By one work-item of each group, when its partial sums are stored: bit s is set if slice s is the group's to finish.
static inline uint splits_arrive(__global uint *word, int split, int nsplits, int max_polls)
{
    grid_fence();
    uint state = atomic_inc(word);
    if ((state & 255) == (uint)nsplits - 1) {
        grid_fence();
        (void)atomic_xchg(word, 0u);
        return 1u << split | state >> 8;
    }
    state = slot_read(word);
    for (int polls = 0; !splits_all_arrived(state, nsplits) && polls < max_polls; ++polls)
        state = slot_read(word);
    // Nobody arrives between the last look and giving up.
    while (!splits_all_arrived(state, nsplits)) {
        const uint seen = atomic_cmpxchg(word, state, state | 1u << (8 + split));
        if (seen == state) return 0;
        state = seen;
    }
    grid_fence();
    return 1u << split;
}

#endif
