// SPDX-License-Identifier: Apache-2.0
// The second step of the gradients of a convolution's weights and bias: adds the partial sums of all splits, in a
// fixed order: PARTS interleaved chains, and then those.
//
//   data                 sizes and strides, of the kernel that made the sums
//   partial, partial_off f32, [split][data->npartial]: [G][OC][columns], then [G·OC] if HAS_BIAS
//   wei, wei_off         diff_weights by strides, WEI_T
//   bia, bia_off         diff_bias [G·OC], BIA_T, if HAS_BIAS
// Grid: work-groups of LANES·PARTS work-items, one for LANES·VEC elements. Local memory: 4·VEC·LANES·PARTS bytes.
// Numerics: f32.
// -D: WEI, BIA, HAS_BIAS, LANES, PARTS, VEC (1, or 4, where IC and OC are multiples of 4), those of clh/conv_backward_weights.h.
#if !defined(WEI_DT) || !defined(BIA_DT) || !defined(HAS_BIAS)
#error "ocl_conv_backward_weights needs WEI, BIA, HAS_BIAS"
#endif
#if !defined(LANES) || !defined(PARTS) || !defined(VEC)
#error "ocl_conv_backward_weights needs LANES, PARTS, VEC"
#endif

#include "clh/conv_backward_weights.h"
#include "clh/io.h"

#if VEC == 4
typedef float4 sum_vec_t;
#else
typedef float sum_vec_t;
#endif

__attribute__((reqd_work_group_size(LANES * PARTS, 1, 1))) __kernel void conv_backward_weights_sum(
        sizes_t data, __global const float *partial, long partial_off, __global WEI_T *wei,
        long wei_off, __global BIA_T *bia, long bia_off)
{
    __local sum_vec_t sums[LANES * PARTS];
    const int item = (int)get_local_id(0), lane = item % LANES;
    const int i = ((int)get_group_id(0) * LANES + lane) * VEC;
    const int noutputs = data->ngroups * data->oc, nweights = noutputs * data->ncolumns;
    const bool exists = i < nweights + (HAS_BIAS ? noutputs : 0);
    __global const sum_vec_t *from =
            (__global const sum_vec_t *)(partial + partial_off + (exists ? i : 0));
    sum_vec_t sum = 0.0f;
#pragma unroll 8
    for (int s = item / LANES; s < data->nsplits; s += PARTS) sum += from[s * (data->npartial / VEC)];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!exists || item >= LANES) return;
    for (int p = 1; p < PARTS; ++p) sum += sums[p * LANES + lane];
    __local const float *found = (__local const float *)&sums[lane];
    sums[lane] = sum;
    if (i < nweights) {
        int m = i;
        const int n = divide_off(&m, data->columns);
        const int g = m / data->oc;
        const long off = wei_off + weight_off(data, g, m - g * data->oc, n);
#pragma unroll
        for (int e = 0; e < VEC; ++e) {
            const long own = BY_TAP || e == 0
                                     ? off + e * data->wei_i
                                     : wei_off + weight_off(data, g, m - g * data->oc, n + e);
            WEI_STORE(wei, own, found[e]);
        }
        return;
    }
#if HAS_BIAS
#pragma unroll
    for (int e = 0; e < VEC; ++e) BIA_STORE(bia, bia_off + i - nweights + e, found[e]);
#endif
}
