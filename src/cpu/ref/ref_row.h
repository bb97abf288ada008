// SPDX-License-Identifier: Apache-2.0
// Element-wise references work on rows: up to REF_ROW_ELEMS elements along one dimension, with a
// constant stride in every tensor, converted to double and back together.
#ifndef PRIM_CPU_REF_ROW_H
#define PRIM_CPU_REF_ROW_H

#include "common/impl.h"

/// The longest row, so that its doubles fit on the stack.
enum { REF_ROW_ELEMS = 512 };

/// row[i] = element offset + i·stride of an array of `dt`, for i = 0..n−1.
void prim__ref_load_row(double *row, const void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n);
/// The way back, rounded and saturated as prim__store() does.
void prim__ref_store_row(const double *row, void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n);

/// The dimension along which all the tensors (of one rank) are cut by no inner block, with the
/// smallest strides; −1 when there is none longer than 1.
int prim__ref_row_dim(const prim_memory_desc_t *const *mds, int nmds);
/// The distance of neighbours along `dim` for a tensor that takes part in a walk: 0 where it
/// broadcasts (extent 1) or dim is −1.
prim_dim_t prim__ref_row_stride(const prim_memory_desc_t *md, int dim);

/// The n elements of a tensor from `position` on along `dim`, as a row and back.
void prim__ref_load_at(double *row, const void *base, const prim_memory_desc_t *md,
        const prim_dim_t *position, int dim, prim_dim_t n);
void prim__ref_store_at(const double *row, void *base, const prim_memory_desc_t *md,
        const prim_dim_t *position, int dim, prim_dim_t n);

/// Calls body(position, n, arg) in parallel for rows that cover all logical positions of `shape`
/// once: the n elements from `position` on along `dim`.
void prim__ref_for_each_row(const prim_memory_desc_t *shape, int dim,
        void (*body)(const prim_dim_t *position, prim_dim_t n, void *arg), void *arg);

#endif
