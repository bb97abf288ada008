// SPDX-License-Identifier: Apache-2.0
// The functions of the binary operation; numbers as in prim_alg_kind_t.
#ifndef CLH_BINARY_H
#define CLH_BINARY_H

#include "clh/types.h"

#define BINARY_ADD 0x1fff0
#define BINARY_MUL 0x1fff1
#define BINARY_MAX 0x1fff2
#define BINARY_MIN 0x1fff3
#define BINARY_DIV 0x1fff4
#define BINARY_SUB 0x1fff5
#define BINARY_GE 0x1fff6
#define BINARY_GT 0x1fff7
#define BINARY_LE 0x1fff8
#define BINARY_LT 0x1fff9
#define BINARY_EQ 0x1fffa
#define BINARY_NE 0x1fffb
#define BINARY_SELECT 0x1fffc

// op(a, b); all but BINARY_SELECT, which is `condition ? a : b` in the kernel itself.
static inline real_t binary_op(int alg, real_t a, real_t b)
{
    const real_t zero = 0.0f, one = 1.0f;
    switch (alg) {
    case BINARY_ADD: return a + b;
    case BINARY_MUL: return a * b;
    case BINARY_MAX: return a > b ? a : b;
    case BINARY_MIN: return a < b ? a : b;
    case BINARY_DIV: return a / b;
    case BINARY_SUB: return a - b;
    case BINARY_GE: return a >= b ? one : zero;
    case BINARY_GT: return a > b ? one : zero;
    case BINARY_LE: return a <= b ? one : zero;
    case BINARY_LT: return a < b ? one : zero;
    case BINARY_EQ: return a == b ? one : zero;
    case BINARY_NE: return a != b ? one : zero;
    default: return a;
    }
}

#endif
