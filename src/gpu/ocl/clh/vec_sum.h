// SPDX-License-Identifier: Apache-2.0
// float sum_lanes(floatv x): the sum of the elements of a vector (VEC > 1): halves are added to each
// other until two numbers are left.
#ifndef CLH_VEC_SUM_H
#define CLH_VEC_SUM_H

#include "clh/vec.h"

static inline float sum_lanes2(float2 x)
{
    return x.s0 + x.s1;
}

static inline float sum_lanes4(float4 x)
{
    return sum_lanes2(x.lo + x.hi);
}

static inline float sum_lanes8(float8 x)
{
    return sum_lanes4(x.lo + x.hi);
}

// Halves by way of memory: Oclgrind takes those of a vector of 16 for uninitialised.
static inline float sum_lanes16(float16 x)
{
    float parts[16];
    vstore16(x, 0, parts);
    return sum_lanes8(vload8(0, parts) + vload8(1, parts));
}

#if VEC == 2
#define sum_lanes sum_lanes2
#elif VEC == 4
#define sum_lanes sum_lanes4
#elif VEC == 8
#define sum_lanes sum_lanes8
#elif VEC == 16
#define sum_lanes sum_lanes16
#else
#error "clh/vec_sum.h needs VEC = 2, 4, 8 or 16"
#endif

#endif
