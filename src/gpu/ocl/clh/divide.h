// SPDX-License-Identifier: Apache-2.0
// Division of 0 … 2³¹ − 1 by a divisor that the host knows, without a division instruction.
#ifndef CLH_DIVIDE_H
#define CLH_DIVIDE_H

#include "clh/shared/channels_data.h"

// Takes the lowest digit of base `by.n` off *index.
static inline int divide_off(int *index, const ocl_divisor_t by)
{
    const uint x = (uint)*index;
    const uint quotient = (mul_hi(x, by.factor) + (x & by.own)) >> by.shift;
    *index = (int)quotient;
    return (int)(x - quotient * (uint)by.n);
}

#endif
