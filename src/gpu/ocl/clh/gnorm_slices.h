// SPDX-License-Identifier: Apache-2.0
// Group normalisation of contiguous NHWC by work-groups that share an image's block of channels, whole groups: each
// keeps a slice of positions in registers and local memory, and exchanges two sums for each group through a grid barrier
// (clh/grid_barrier.h).
//
//   slots   [N, groups, nslices, 2] of a round of sums
//   TEAM    work-items that add up a group: a power of two, 1 without LANE_SHUFFLE; GROUP_ITEMS is a multiple of it, of
//           whole warps where there is LANE_SHUFFLE
// GROUPS_ARE_VECTORS: 1 where groups are whole vectors.
// -D: PER_ITEM, PER_LOCAL: vectors of a tensor that a work-item keeps in registers and in local memory, slice ≤
// (PER_ITEM + PER_LOCAL)·nrows; TEAM; SLOTS_AT_ONCE: slots that a work-item reads before it waits for the first;
// GROUPS_ARE_VECTORS; SIZES_BY_VALUE=1; ASYNC_COPY: 1 only for vectors of 16 bytes; those of
// clh/async_copy.h, clh/gnorm_nhwc.h, clh/grid_barrier.h. VEC > 1.
#ifndef CLH_GNORM_SLICES_H
#define CLH_GNORM_SLICES_H

#if !defined(PER_ITEM) || !defined(PER_LOCAL) || !defined(TEAM) || !defined(SLOTS_AT_ONCE)
#error "clh/gnorm_slices.h needs PER_ITEM, PER_LOCAL, TEAM, SLOTS_AT_ONCE"
#endif
#if !defined(GROUPS_ARE_VECTORS) || !defined(LANE_SHUFFLE)
#error "clh/gnorm_slices.h needs GROUPS_ARE_VECTORS, LANE_SHUFFLE"
#endif
#if !defined(SIZES_BY_VALUE) || !SIZES_BY_VALUE || (!LANE_SHUFFLE && TEAM > 1)
#error "clh/gnorm_slices.h needs SIZES_BY_VALUE=1, TEAM=1 without LANE_SHUFFLE"
#endif

#include "clh/gnorm_kept.h"
#include "clh/gnorm_nhwc.h"
#include "clh/grid_barrier.h"

#define PER_SLICE (PER_ITEM + PER_LOCAL)

#if LANE_SHUFFLE
#define team_sum(x) lanes_sum_few(x, TEAM)
#else
#define team_sum(x) (x)
#endif

// Words of `shared`; IS_AGAIN is the kernel's.
enum { IS_MISSING, IS_WHOLE, IS_AGAIN, SHARED_INTS };

// A block of an image's channels.
typedef struct {
    const ocl_gnorm_nhwc_data_t *data;
    part_t part; // of the work-item, in the own slice
    int ngroups, first_set; // of the block; of [N, groups]
    int max_polls;
    __local int *shared;
} block_t;

static inline block_t block_of(const ocl_gnorm_nhwc_data_t *data, int max_polls, __local int *shared)
{
    block_t block;
    block.data = data;
    block.part = part_of(data, (int)get_group_id(0), data->slice, data->nslices);
    block.ngroups = (int)((uint)data->groups / (uint)data->nblocks);
    block.first_set = block.part.n * data->groups
            + (int)((uint)block.part.first_channel / (uint)data->group_channels);
    block.max_polls = max_polls;
    block.shared = shared;
    return block;
}

// Words of a round's slots.
static inline long round_words(const ocl_gnorm_nhwc_data_t *data)
{
    return 2L * data->batch * data->groups * data->nslices;
}

static inline int end_of(const block_t *block, int slice)
{
    return min((slice + 1) * block->data->slice, block->data->spatial);
}

// Whether a slice has a vector for each that work-items keep.
static inline bool is_whole(const block_t *block, int slice)
{
    return (slice + 1) * block->data->slice <= block->data->spatial
            && block->data->slice == PER_SLICE * block->data->nrows;
}

// Elements of a work-item's vectors count from the first of the slice in its column: first_offset(), then a step on for
// each vector, below end_offset(). Computed anew for each pass: the places of all vectors would take registers.
static inline int first_offset(const block_t *block)
{
    int row = block->part.row;
#if CACHE_HINTS
    NV_OPAQUE_32(row);
#endif
    return row * block->data->channels;
}

static inline int step_of(const block_t *block)
{
    return block->data->nrows * block->data->channels;
}

static inline int end_offset(const block_t *block, int slice)
{
    return (end_of(block, slice) - slice * block->data->slice) * block->data->channels;
}

// Where they count from, in the tensor.
static inline long slice_elem(const block_t *block, int slice)
{
    return elem_at(block->data, &block->part, slice * block->data->slice);
}

// The first channel of a work-item, within the block.
static inline int channel_of(const block_t *block)
{
    return block->part.channel - block->part.first_channel;
}

// Calls for each group of a block: `g` of the work-item's team, beyond the last one for some.
#define FOR_GROUPS(g) \
    for (int g = (int)get_local_id(0) / TEAM, left = block->ngroups; left > 0; \
            g += GROUP_ITEMS / TEAM, left -= GROUP_ITEMS / TEAM)

static inline bool is_first_of_team(const block_t *block, int g)
{
    return g < block->ngroups && (int)get_local_id(0) % TEAM == 0;
}

// By all work-items: posts both sums of each group over `nrows` rows of `width` for each group, which lie `stride`
// numbers apart in local memory, the second sums `second` behind the first.
ALWAYS_INLINE void post_sums(const block_t *block, __global uint *slots, int slice, bool is_own,
        __local const float *parts, int width, int nrows, int stride, int second)
{
    FOR_GROUPS(g) {
        const int n = g < block->ngroups ? width * nrows : 0;
        float2 sums = (float2)(0.0f);
        for (int i = (int)get_local_id(0) % TEAM; i < n; i += TEAM) {
            int row = i;
            const int column = take_digit(&row, width);
            __local const float *from = parts + row * stride + g * width + column;
            sums += (float2)(from[0], from[second]);
        }
        sums = (float2)(team_sum(sums.s0), team_sum(sums.s1));
        __global uint *own = slots + 2L * ((block->first_set + g) * block->data->nslices + slice);
        if (is_first_of_team(block, g) && (is_own || grid_may_post(own, 2))) grid_post2(own, sums.s0, sums.s1);
    }
}

// The sums of group g over all slices, for the work-items of its team; false if slots of their share are not posted.
ALWAYS_INLINE bool await_sums(float2 *sums, const block_t *block, __global uint *slots, int g, int *polls_left)
{
    const int end = g < block->ngroups ? block->data->nslices : 0;
    bool is_posted = true;
    slots += 2L * (block->first_set + g) * block->data->nslices;
    *sums = (float2)(0.0f);
    for (int first = (int)get_local_id(0) % TEAM; first < end; first += SLOTS_AT_ONCE * TEAM) {
        uint2 seen[SLOTS_AT_ONCE];
#pragma unroll
        for (int k = 0; k < SLOTS_AT_ONCE; ++k) seen[k] = slot_read2(slots + 2 * min(first + k * TEAM, end - 1));
#pragma unroll
        for (int k = 0; k < SLOTS_AT_ONCE; ++k) {
            float2 one = as_float2(~seen[k]);
            if (first + k * TEAM >= end) continue;
            if (seen[k].s0 == 0u || seen[k].s1 == 0u)
                is_posted = grid_await2(&one, slots + 2 * (first + k * TEAM), polls_left) && is_posted;
            *sums += one;
        }
    }
    *sums = (float2)(team_sum((*sums).s0), team_sum((*sums).s1));
    return is_posted;
}

// By all work-items: whether one of the slots of a slice is not posted, or `is_last`.
static inline bool is_missing(const block_t *block, __global uint *slots, int slice, bool is_last)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        bool is_posted = true;
        for (int g = 0; g < block->ngroups && is_posted; ++g)
            is_posted = grid_is_posted(slots + 2L * ((block->first_set + g) * block->data->nslices + slice), 2);
        block->shared[IS_MISSING] = is_last || !is_posted;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return block->shared[IS_MISSING];
}

// What the groups of a work-item's channels have in `row`.
static inline floatv of_groups(const block_t *block, __local const float *row)
{
    const int size = block->data->group_channels, c = channel_of(block);
#if GROUPS_ARE_VECTORS
    return (floatv)(row[(uint)c / (uint)size]);
#else
    float values[VEC];
    for (int k = 0; k < VEC; ++k) values[k] = row[(uint)(c + k) / (uint)size];
    return vloadv(values);
#endif
}

#endif
