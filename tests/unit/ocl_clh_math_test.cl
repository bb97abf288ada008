// SPDX-License-Identifier: Apache-2.0
// One function of the device code per work-item: eltwise, binary, integer eltwise, group reductions. The
// first takes REAL_WIDTH elements per work-item; n counts work-items.
#include "clh/binary.h"
#include "clh/eltwise_int.h"
#include "clh/reduce.h"

__kernel void eltwise_f32(
        __global const real_t *x, __global real_t *y, int alg, float alpha, float beta, long n)
{
    const long i = get_global_id(0);
    if (i < n) y[i] = eltwise(alg, x[i], alpha, beta);
}

__kernel void eltwise_s32(
        __global const int *x, __global long *y, int alg, float alpha, float beta, long n)
{
    const long i = get_global_id(0);
    if (i < n) y[i] = eltwise_int(alg, x[i], alpha, beta);
}

__kernel void binary_f32(
        __global const float *a, __global const float *b, __global float *y, int alg, long n)
{
    const long i = get_global_id(0);
    #if REAL_WIDTH == 1
    if (i < n) y[i] = binary_op(alg, a[i], b[i]);
#endif
}

// Every work-item of a group writes what it got of its row of `row_items`.
__kernel void reduce(__global const float *x, __global float *sums, __global float *maxima,
        __local float *scratch, int row_items)
{
    const long i = get_global_id(0);
    sums[i] = row_sum(x[i], scratch, row_items);
    maxima[i] = row_max(x[i], scratch, row_items);
}
