// SPDX-License-Identifier: Apache-2.0
// Matrix products as both engines compute them: three sizes, strides, and as few batch dimensions
// as the layouts allow.
#ifndef PRIM_COMMON_MATMUL_SHAPE_H
#define PRIM_COMMON_MATMUL_SHAPE_H

#include "memory_desc.h"

enum { MATMUL_MAX_BATCH = PRIM_MAX_NDIMS - 2 };

/// dst[b, m, n] = bia[b, m, n] + Σ_k src[b, m, k]·wei[b, k, n]. Strides are in elements, 0 where a
/// tensor is broadcast (or absent); offset0 is not in them. Rows of dst in row-major order have the
/// number (b0·batch[1] + b1)·m + m' and so on, whatever was merged.
typedef struct {
    prim_dim_t m, n, k;
    int nbatch;                         ///< batch dimensions left
    prim_dim_t batch[MATMUL_MAX_BATCH]; ///< > 1 each, outermost first
    prim_dim_t src_batch[MATMUL_MAX_BATCH], wei_batch[MATMUL_MAX_BATCH];
    prim_dim_t bia_batch[MATMUL_MAX_BATCH], dst_batch[MATMUL_MAX_BATCH];
    prim_dim_t src_m, src_k, wei_k, wei_n, bia_m, bia_n, dst_m, dst_n;
    /// Columns of weights in a block: element (k, n) lies at n/wei_block·wei_n + k·wei_k +
    /// n mod wei_block. 0: not blocked.
    prim_dim_t wei_block;
} matmul_shape_t;

/// The product of these tensors, without run-time dimensions; `bia` may be absent. False when a
/// layout has blocks (weights may be blocked by their columns alone).
bool prim__matmul_shape(matmul_shape_t *shape, const prim_memory_desc_t *src,
        const prim_memory_desc_t *wei, const prim_memory_desc_t *bia,
        const prim_memory_desc_t *dst);

/// Gives weights [batch…, k, n] the dimension order of `like`, and cuts n into panels of `cols`
/// columns, unless there are fewer or `cols` is 0.
prim_status_t prim__matmul_set_panels(
        prim_memory_desc_t *wei, int cols, const prim_memory_desc_t *like);

/// Number of products: Π batch.
prim_dim_t prim__matmul_nbatches(const matmul_shape_t *shape);

/// Where product `index` (row-major over batch) starts: Σ index_d·strides[d].
prim_dim_t prim__matmul_batch_offset(
        const matmul_shape_t *shape, const prim_dim_t *strides, prim_dim_t index);

#endif
