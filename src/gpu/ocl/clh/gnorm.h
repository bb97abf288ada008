// SPDX-License-Identifier: Apache-2.0
// Group normalisation of NCHW with contiguous planes: a work-group has a group of channels of an image. Its work-items
// are cut into SLOTS rows; row s takes channels s, s + SLOTS, … of the group.
// -D: GROUP_ITEMS, SLOTS: powers of two, SLOTS ≤ GROUP_ITEMS; with SLOTS = 1 any GROUP_ITEMS; SRC, VEC; those of clh/lanes.h.
#ifndef CLH_GNORM_H
#define CLH_GNORM_H

#if !defined(GROUP_ITEMS) || !defined(SLOTS) || !defined(SRC_DT)
#error "clh/gnorm.h needs GROUP_ITEMS, SLOTS, SRC"
#endif

#include "clh/channels.h"
#include "clh/lanes.h"
#include "clh/norm.h"
#include "clh/shared/gnorm_data.h"
#include "clh/vec_sum.h"

#define ROW_ITEMS (GROUP_ITEMS / SLOTS)

// The part of a work-item: image, group, its row and its place in it.
typedef struct {
    int set, n, first_channel, slot, item; // set: of [N, groups]
} part_t;

static inline part_t part_of(__constant const ocl_gnorm_data_t *data)
{
    part_t part;
    int index = part.set = (int)get_group_id(0);
    part.first_channel = take_digit(&index, data->groups) * data->group_channels;
    part.n = index;
    part.slot = (int)get_local_id(0) / ROW_ITEMS;
    part.item = (int)get_local_id(0) & (ROW_ITEMS - 1);
    return part;
}

// Two sums over the work-group, of whole warps where there is LANE_SHUFFLE, else a power of two. `scratch` has
// GROUP_SCRATCH entries and may be reused behind a barrier.
#if LANE_SHUFFLE
#define GROUP_SCRATCH (GROUP_ITEMS / LANES)
#else
#define GROUP_SCRATCH GROUP_ITEMS
#endif

ALWAYS_INLINE float2 group_sum2(float2 x, __local float2 *scratch)
{
#if LANE_SHUFFLE
    x = (float2)(lanes_sum_few(x.s0, LANES), lanes_sum_few(x.s1, LANES));
    if (get_local_id(0) % LANES == 0) scratch[get_local_id(0) / LANES] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = scratch[0];
#pragma unroll
    for (int k = 1; k < GROUP_ITEMS / LANES; ++k) x += scratch[k];
    return x;
#else
    return lanes_sum2(x, (__local float *)scratch, GROUP_ITEMS);
#endif
}

// Elements of a plane that go as vectors; the rest follows one by one.
static inline int whole_elems(bool is_aligned, int spatial)
{
    return is_aligned ? spatial / VEC * VEC : 0;
}

#endif
