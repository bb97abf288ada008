// SPDX-License-Identifier: Apache-2.0
// The gradients of scale and shift of layer normalisation from partial sums: SEGMENTS parts of the
// sum of each column, AT_ONCE loads together, then their sum by halves. There are few columns, so latency decides.
//
//   partials                 [count][2][n] f32: of scale, of shift
//   diff_scale, diff_shift   [n] of diff_scale_dt, diff_shift_dt; DT_UNDEF: none
//   count, n
// Grid: work-groups of SEGMENTS × COLUMNS work-items, ⌈n / COLUMNS⌉ of them in the first dimension, 2
// in the second: scale, shift. Numerics: f32, the order is fixed.
// -D: SEGMENTS: a power of two, COLUMNS, AT_ONCE.
#if !defined(SEGMENTS) || !defined(COLUMNS) || !defined(AT_ONCE)
#error "ocl_lnorm_backward needs SEGMENTS, COLUMNS, AT_ONCE"
#endif

#include "clh/io.h"

__attribute__((reqd_work_group_size(SEGMENTS *COLUMNS, 1, 1))) __kernel void lnorm_backward_sum(
        __global const float *partials, long partials_off, __global void *diff_scale, long diff_scale_off,
        __global void *diff_shift, long diff_shift_off, int diff_scale_dt, int diff_shift_dt, long count,
        long n)
{
    __local float scratch[SEGMENTS * COLUMNS];
    const int id = (int)get_local_id(0), segment = id / COLUMNS;
    const bool is_shift = get_group_id(1) > 0;
    const long column = (long)get_group_id(0) * COLUMNS + (id - segment * COLUMNS);
    float sum = 0.0f;
    partials += partials_off + (is_shift ? n : 0) + min(column, n - 1);
    for (long i = segment; i < count; i += AT_ONCE * SEGMENTS) {
        float x[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) x[k] = partials[min(i + k * SEGMENTS, count - 1) * 2 * n];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) sum += i + k * SEGMENTS < count ? x[k] : 0.0f;
    }
    for (int half_count = SEGMENTS / 2; half_count > 0; half_count /= 2) {
        scratch[id] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (segment < half_count) sum += scratch[id + half_count * COLUMNS];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (segment > 0 || column >= n) return;
    if (is_shift && diff_shift_dt) store_any(diff_shift, diff_shift_off + column, diff_shift_dt, sum);
    if (!is_shift && diff_scale_dt) store_any(diff_scale, diff_scale_off + column, diff_scale_dt, sum);
}
