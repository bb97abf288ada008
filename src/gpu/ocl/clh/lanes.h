// SPDX-License-Identifier: Apache-2.0
// Sums and maxima over rows of `row_items` adjacent work-items of a one-dimensional work-group, a power
// of two that divides the work-group: by shuffles within a warp where the device
// has them (-DLANE_SHUFFLE=1, OCL_FEATURE_LANE_SHUFFLE), else by clh/reduce.h. The order is fixed, so
// the result is the same from run to run. Every work-item of the work-group calls, and gets its row's result;
// `scratch` has get_local_size(0) entries and may be reused afterwards.
#ifndef CLH_LANES_H
#define CLH_LANES_H

#ifndef LANE_SHUFFLE
#error "clh/lanes.h needs LANE_SHUFFLE"
#endif

#include "clh/nv/nv_lanes.h"
#include "clh/reduce.h"

#if LANE_SHUFFLE

#define LANES 32

// The value of the work-item whose index differs in the bits of `mask` < LANES.
static inline float lane_xor(float x, int mask)
{
    return as_float(nv_shuffle_xor(as_uint(x), mask));
}

static inline float lanes_sum_few(float x, int count)
{
    for (int mask = count / 2; mask > 0; mask /= 2) x += lane_xor(x, mask);
    return x;
}

static inline float lanes_max_few(float x, int count)
{
    for (int mask = count / 2; mask > 0; mask /= 2) x = max_or_nan(x, lane_xor(x, mask));
    return x;
}

// Each LANES work-items of a row have the same value: one of each, spread over the work-items of any LANES.
ALWAYS_INLINE float lanes_gather(float x, __local float *scratch, int row_items)
{
    const int id = (int)get_local_id(0), first = id / row_items * row_items;
    const int count = row_items / LANES;
    if (id % LANES == 0) scratch[id / LANES] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = scratch[first / LANES + (id & (count - 1))];
    barrier(CLK_LOCAL_MEM_FENCE);
    return x;
}

ALWAYS_INLINE float lanes_sum(float x, __local float *scratch, int row_items)
{
    if (row_items <= LANES) return lanes_sum_few(x, row_items);
    x = lanes_gather(lanes_sum_few(x, LANES), scratch, row_items);
    return lanes_sum_few(x, row_items / LANES);
}

// Two sums by the barriers of one; `scratch` has two entries for each work-item.
ALWAYS_INLINE float2 lanes_sum2(float2 x, __local float *scratch, int row_items)
{
    const int few = min(row_items, LANES);
    x = (float2)(lanes_sum_few(x.s0, few), lanes_sum_few(x.s1, few));
    if (row_items <= LANES) return x;
    const int id = (int)get_local_id(0), first = id / row_items * row_items;
    const int count = row_items / LANES;
    __local float2 *pairs = (__local float2 *)scratch;
    if (id % LANES == 0) pairs[id / LANES] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = pairs[first / LANES + (id & (count - 1))];
    barrier(CLK_LOCAL_MEM_FENCE);
    return (float2)(lanes_sum_few(x.s0, count), lanes_sum_few(x.s1, count));
}

// A NaN anywhere makes the result NaN.
ALWAYS_INLINE float lanes_max(float x, __local float *scratch, int row_items)
{
    if (row_items <= LANES) return lanes_max_few(x, row_items);
    x = lanes_gather(lanes_max_few(x, LANES), scratch, row_items);
    return lanes_max_few(x, row_items / LANES);
}

#else

ALWAYS_INLINE float lanes_sum(float x, __local float *scratch, int row_items)
{
    return row_sum(x, scratch, row_items);
}

ALWAYS_INLINE float2 lanes_sum2(float2 x, __local float *scratch, int row_items)
{
    x.s0 = row_sum(x.s0, scratch, row_items);
    x.s1 = row_sum(x.s1, scratch, row_items);
    return x;
}

ALWAYS_INLINE float lanes_max(float x, __local float *scratch, int row_items)
{
    return row_max(x, scratch, row_items);
}

#endif

#endif
