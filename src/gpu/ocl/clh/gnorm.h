// SPDX-License-Identifier: Apache-2.0
// Group normalisation of NCHW with contiguous planes: a work-group has a group of channels of an image. Its work-items
// are cut into SLOTS rows; row s takes channels s, s + SLOTS, … of the group.
// -D: GROUP_ITEMS, SLOTS: powers of two, SLOTS ≤ GROUP_ITEMS; SRC, VEC; those of clh/lanes.h.
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

// Elements of a plane that go as vectors; the rest follows one by one.
static inline int whole_elems(bool is_aligned, int spatial)
{
    return is_aligned ? spatial / VEC * VEC : 0;
}

#endif
