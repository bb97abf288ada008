// SPDX-License-Identifier: Apache-2.0
// Short floats to f32 and back, in the processor's vectors.
#ifndef PRIM_CPU_SIMD_FLOAT_ROWS_H
#define PRIM_CPU_SIMD_FLOAT_ROWS_H

#include "common/impl.h"

/// f32, f16 or bf16: what implementations in f32 compute with.
bool prim__simd_takes_float(prim_data_type_t dt);

/// The host address of a tensor's first element.
void *prim__simd_tensor(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);

/// row[i] = element offset + i·stride of an array of such a type, or of s8 or u8, for i = 0..n−1.
/// Fast for stride 1.
void prim__simd_load_row(float *row, const void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n);

/// Elements offset..offset+n−1 as f32: where they are, or converted in `room`, which has n floats.
const float *prim__simd_read_row(
        float *room, const void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n);
/// The way back: elements offset..offset+n−1 become row[0..n), rounded as prim__store() does
/// (but for the bits of a NaN).
void prim__simd_store_row(
        const float *row, void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n);

#endif
