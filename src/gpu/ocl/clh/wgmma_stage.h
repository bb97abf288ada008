// SPDX-License-Identifier: Apache-2.0
// Where a ring of STAGES stages (clh/wgmma_ring.h) stands, and copies to a stage past the copy engine.
// -D: STAGES, those of clh/wgmma.h.
#ifndef CLH_WGMMA_STAGE_H
#define CLH_WGMMA_STAGE_H

#include "clh/nv/nv_cp_async.h"
#include "clh/wgmma_types.h"

typedef struct {
    int stage;
    uint phase;
} pipeline_state_t;

static inline void pipeline_advance(pipeline_state_t *state)
{
    if (++state->stage == STAGES) {
        state->stage = 0;
        state->phase ^= 1;
    }
}

// 16 bytes from an address that is no multiple of 16; of them `n` elements exist, the others are zeros.
static inline void copy_slowly(wgmma_place_t to, __global const ushort *from, int n)
{
    uint x[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        if (i < n) x[i / 2] |= (uint)from[i] << i % 2 * 16;
    }
#if RETARGET
    nv_store_shared_16(to, (uint4)(x[0], x[1], x[2], x[3]));
#else
    *(__local uint4 *)to = (uint4)(x[0], x[1], x[2], x[3]);
#endif
}

static inline int split(int *index, int n)
{
    const int quotient = *index / n, rest = *index - quotient * n;
    *index = quotient;
    return rest;
}

#endif
