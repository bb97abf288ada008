// SPDX-License-Identifier: Apache-2.0
// The tensors of inner products as matrices over the same memory.
#ifndef PRIM_COMMON_IP_MATRIX_H
#define PRIM_COMMON_IP_MATRIX_H

#include "memory_desc.h"

/// Channels and positions as one dimension, with its stride in images and weights.
typedef struct {
    prim_dim_t dim, src, wei;
} ip_axis_t;

/// False unless the dimensions behind the first lie behind each other without gaps, in the same
/// order in both. Weights of layout `any` follow.
bool prim__ip_flatten(ip_axis_t *k, const prim_memory_desc_t *src, const prim_memory_desc_t *wei);

/// Without blocks and padding.
bool prim__ip_is_matrix(const prim_memory_desc_t *md);

/// A matrix over the memory of `of`.
prim_memory_desc_t prim__ip_matrix(const prim_memory_desc_t *of, prim_dim_t rows,
        prim_dim_t columns, prim_dim_t row_stride, prim_dim_t column_stride);

#endif
