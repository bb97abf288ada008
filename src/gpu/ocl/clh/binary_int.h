// SPDX-License-Identifier: Apache-2.0
// The functions of the binary operation on integers, exact.
#ifndef CLH_BINARY_INT_H
#define CLH_BINARY_INT_H

#include "clh/binary.h"

// a/b to the nearest integer, halves to even; a/0 saturates, 0/0 is 0, as the stores of ±infinity
// and NaN do.
static inline long divide_int(int a, int b)
{
    if (b == 0) return a == 0 ? 0L : a > 0 ? 1L << 40 : -(1L << 40);
    const long quotient = (long)a / b, rest = (long)a % b;
    const long twice = 2 * (rest < 0 ? -rest : rest), whole = b < 0 ? -(long)b : b;
    const bool is_up = twice > whole || (twice == whole && (quotient & 1L));
    return is_up ? quotient + ((a < 0) == (b < 0) ? 1 : -1) : quotient;
}

// op(a, b); all but BINARY_SELECT, which is `condition ? a : b` in the kernel itself. Store it with
// saturation.
static inline long binary_int(int alg, int a, int b)
{
    switch (alg) {
    case BINARY_ADD: return (long)a + b;
    case BINARY_MUL: return (long)a * b;
    case BINARY_MAX: return max(a, b);
    case BINARY_MIN: return min(a, b);
    case BINARY_DIV: return divide_int(a, b);
    case BINARY_SUB: return (long)a - b;
    case BINARY_GE: return a >= b;
    case BINARY_GT: return a > b;
    case BINARY_LE: return a <= b;
    case BINARY_LT: return a < b;
    case BINARY_EQ: return a == b;
    case BINARY_NE: return a != b;
    default: return a;
    }
}

#endif
