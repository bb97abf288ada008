// SPDX-License-Identifier: Apache-2.0
// Division and rounding of counts. All operands are 64 bits wide, so that sums of 32-bit counts
// cannot overflow on the way. External inline functions (int_math.c): the compiler sees the bodies.
#ifndef PRIM_COMMON_INT_MATH_H
#define PRIM_COMMON_INT_MATH_H

#include <stdint.h>

/// a / b rounded up; a ≥ 0, b > 0.
inline int64_t prim__ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/// The smallest multiple of `step` that is not below `a`; a ≥ 0, step > 0.
inline int64_t prim__round_up(int64_t a, int64_t step)
{
    return prim__ceil_div(a, step) * step;
}

inline int64_t prim__min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

inline int64_t prim__max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
