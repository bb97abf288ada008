// SPDX-License-Identifier: Apache-2.0
// Types of matrix units: sum_t of the sums, unless clh/gemm.h has it, and the values of 16-bit elements.
// -D: MMA_TYPE: DT_F16, DT_BF16, DT_S8.
#ifndef CLH_MMA_TYPES_H
#define CLH_MMA_TYPES_H

#include "clh/types.h"

#ifndef CLH_GEMM_H
#if MMA_TYPE == DT_S8
typedef int sum_t;
#else
typedef float sum_t;
#endif
#endif

// Of f16 or bf16.
static inline float mma_float_of(ushort bits)
{
#if MMA_TYPE == DT_BF16
    return as_float((uint)bits << 16);
#else
    return vload_half(0, (const half *)&bits);
#endif
}

#endif
