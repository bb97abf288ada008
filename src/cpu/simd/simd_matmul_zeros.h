// SPDX-License-Identifier: Apache-2.0
// Zero points of src and weights in a matmul of bytes.
#ifndef PRIM_CPU_SIMD_MATMUL_ZEROS_H
#define PRIM_CPU_SIMD_MATMUL_ZEROS_H

#include "simd_matmul_finish.h"

/// What is subtracted from each byte of src as the product reads it: the zero point, and 128 where
/// s8 have become u8 (`flips`).
int64_t prim__simd_matmul_source_offset(const prim_desc_t *pd, const exec_ctx_t *ctx, bool flips);

/// Of the buffer that fill_zeros needs.
size_t prim__simd_matmul_zeros_bytes(const matmul_shape_t *shape);

/// The zero points, of bytes as the product has them, and the sums of the rows of src, on
/// all threads.
void prim__simd_matmul_fill_zeros(simd_matmul_zeros_t *zeros, void *buffer, const prim_desc_t *pd,
        const exec_ctx_t *ctx, const matmul_shape_t *shape, bool flips);

#endif
