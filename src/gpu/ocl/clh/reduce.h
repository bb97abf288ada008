// SPDX-License-Identifier: Apache-2.0
// Reductions over a one-dimensional work-group through local memory: a fixed tree, so the result is
// the same from run to run. `scratch` has get_local_size(0) entries, a power of two; every item
// calls with its value and every item gets the result. Ends with a barrier: `scratch` may be used
// again.
#ifndef CLH_REDUCE_H
#define CLH_REDUCE_H

static inline float group_sum(float x, __local float *scratch)
{
    const int id = (int)get_local_id(0);
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = (int)get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (id < half_size) scratch[id] += scratch[id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float result = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

// A NaN anywhere makes the result NaN.
static inline float group_max(float x, __local float *scratch)
{
    const int id = (int)get_local_id(0);
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = (int)get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (id < half_size) {
            const float a = scratch[id], b = scratch[id + half_size];
            scratch[id] = a > b || isnan(a) ? a : b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float result = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

static inline int group_sum_int(int x, __local int *scratch)
{
    const int id = (int)get_local_id(0);
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = (int)get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (id < half_size) scratch[id] += scratch[id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int result = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

#endif
