// SPDX-License-Identifier: Apache-2.0
// Reductions over a one-dimensional work-group, or over each row of `row_items` work-items of it, through
// local memory: a fixed tree of four branches, so the result is the same from run to run. `row_items`
// is a power of two that divides the work-group; `scratch` is that of SCRATCH_OF_ITEMS() with a width of 1.
// Every work-item calls with its value and gets its row's result. Ends with a barrier: `scratch` may be reused.
#ifndef CLH_REDUCE_H
#define CLH_REDUCE_H

#include "clh/always_inline.h"
#include "clh/shared/scratch_data.h"

// All that have the array are inlined: PoCL 3.1 takes a local array for a static one, which the
// work-groups that run at the same time share, if its first use stands in a function that optimisation
// has given the array as a constant: one that several calls pass the same array to.

// A NaN on either side is the result.
static inline float max_or_nan(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

// The next smaller count of values: a quarter, at last 1.
static inline int reduced_count(int count)
{
    return count >= 4 ? count / 4 : 1;
}

ALWAYS_INLINE float row_sum(float x, __local float *scratch, int row_items)
{
    const int id = (int)get_local_id(0) & (row_items - 1);
    __local float *row = scratch + SCRATCH_OF_ITEMS((int)get_local_id(0) - id, 1);
    row[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = row_items; count > 1;) {
        const int next = reduced_count(count);
        if (id < next) {
            float sum = row[id] + row[id + next];
            if (count > 2) sum += row[id + 2 * next] + row[id + 3 * next];
            row[id] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        count = next;
    }
    const float result = row[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

// A NaN anywhere makes the result NaN.
ALWAYS_INLINE float row_max(float x, __local float *scratch, int row_items)
{
    const int id = (int)get_local_id(0) & (row_items - 1);
    __local float *row = scratch + SCRATCH_OF_ITEMS((int)get_local_id(0) - id, 1);
    row[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = row_items; count > 1;) {
        const int next = reduced_count(count);
        if (id < next) {
            float top = max_or_nan(row[id], row[id + next]);
            if (count > 2)
                top = max_or_nan(top, max_or_nan(row[id + 2 * next], row[id + 3 * next]));
            row[id] = top;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        count = next;
    }
    const float result = row[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

ALWAYS_INLINE float group_sum(float x, __local float *scratch)
{
    return row_sum(x, scratch, (int)get_local_size(0));
}

#endif
