// SPDX-License-Identifier: Apache-2.0
// The loops over tensors that broadcast to the first of them, merged and ordered by its strides,
// and their walk in rows along the innermost one.
#ifndef PRIM_CPU_SIMD_NEST_H
#define PRIM_CPU_SIMD_NEST_H

#include "common/impl.h"

enum {
    SIMD_ROW = 1024, ///< the most elements of a row: a few rows of f32 stay in the L1 cache
    SIMD_NEST_TENSORS = 8,
};

/// n steps, and how far one leads in each tensor, in elements.
typedef struct {
    prim_dim_t n, strides[SIMD_NEST_TENSORS];
} simd_loop_t;

typedef struct {
    int ntensors, nloops;
    simd_loop_t loops[PRIM_MAX_NDIMS]; ///< the innermost comes last
} simd_nest_t;

/// For init_pd: the loops of tensors[0], whose elements every other tensor has or broadcasts.
/// Declines blocked and padded layouts, unless all tensors are one array with that layout, and
/// dimensions that are known at execution only.
prim_status_t prim__simd_nest_init(
        simd_nest_t *nest, prim_desc_t *pd, const prim_memory_desc_t *const *tensors, int ntensors);

/// The loops of plain tensors without the checks: tensors[0] has all dimensions, the others its own
/// or 1.
void prim__simd_nest_make(
        simd_nest_t *nest, const prim_memory_desc_t *const *tensors, int ntensors);

/// For init_pd: the loops of all dimensions but `axis`, along which neighbours in tensor t are
/// strides[t] elements apart. Requires plain tensors.
prim_status_t prim__simd_nest_init_around(simd_nest_t *nest, prim_dim_t *strides, prim_desc_t *pd,
        const prim_memory_desc_t *const *tensors, int ntensors, int axis);

/// Dimensions of an image: n, c, d, h, w.
enum { SIMD_NCDHW = 5 };

/// Strides of a plain image of rank 3 to 5 by n, c, d, h, w; 0 where it has one element.
void prim__simd_ncdhw_strides(prim_dim_t strides[SIMD_NCDHW], const prim_memory_desc_t *md);
/// Its dimensions in the same order, 1 where it has none.
void prim__simd_ncdhw_sizes(prim_dim_t sizes[SIMD_NCDHW], const prim_memory_desc_t *md);

/// The innermost loop's strides by tensor.
const prim_dim_t *prim__simd_nest_strides(const simd_nest_t *nest);

/// Elements of tensors[0], and the offsets of element `index` of them by tensor, in the order of
/// the loops.
prim_dim_t prim__simd_nest_nelems(const simd_nest_t *nest);
void prim__simd_nest_offsets(const simd_nest_t *nest, prim_dim_t index, prim_dim_t *offsets);

/// n ≤ SIMD_ROW elements at these offsets in each tensor, and on by the innermost strides.
typedef void simd_row_body_t(const prim_dim_t *offsets, prim_dim_t n, void *arg);

/// Calls the body for rows that cover all elements of tensors[0] once, in parallel.
void prim__simd_nest_walk(const simd_nest_t *nest, simd_row_body_t *body, void *arg);

/// The same with rows of at most `row_elems`, of which a thread takes `nrows` at once.
void prim__simd_nest_walk_by(const simd_nest_t *nest, prim_dim_t row_elems, prim_dim_t nrows,
        simd_row_body_t *body, void *arg);

#endif
