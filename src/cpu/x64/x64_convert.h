// SPDX-License-Identifier: Apache-2.0
// Short floats to f32, in the processor's vectors.
#ifndef PRIM_CPU_X64_CONVERT_H
#define PRIM_CPU_X64_CONVERT_H

#include "prim/prim_types.h"

/// f32, f16 or bf16: what prim__x64_load_row() reads.
bool prim__x64_takes_type(prim_data_type_t dt);

/// row[i] = element offset + i·stride of an array of `dt`, for i = 0..n−1. Fast for stride 1.
void prim__x64_load_row(float *row, const void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n);

#endif
