// SPDX-License-Identifier: Apache-2.0
// What the typed variants of softmax's gradients share.
#ifndef PRIM_OCL_SOFTMAX_BACKWARD_H
#define PRIM_OCL_SOFTMAX_BACKWARD_H

#include "gpu/ocl/kit/ocl_nest.h"
#include "gpu/ocl/kit/ocl_primitive.h"

typedef struct {
    prim_desc_t base;
    ocl_nest_t nest;      ///< of the rows; tensor 0 diff_src, 1 dst, 2 diff_dst
    int64_t nrows, elems; ///< rows, or outer loops of columns; elements along the axis
    int vec;
} softmax_backward_pd_t;

_Static_assert(offsetof(softmax_backward_pd_t, base) == 0, "the base comes first");

/// Types, layouts for those that are `any`, and the nest of rows: the axis is contiguous in every
/// tensor, and none is blocked or empty (init_pd).
prim_status_t prim__ocl_softmax_backward_init(prim_desc_t *pd);
/// The same with the nest of columns: the axis is not contiguous, another dimension is in every
/// tensor.
prim_status_t prim__ocl_softmax_backward_init_columns(prim_desc_t *pd);
/// Bytes of the largest data type.
size_t prim__ocl_softmax_backward_elem_bytes(const prim_desc_t *pd);
/// Adds DST, DIFF_DST, DIFF_SRC, IS_LOG and VEC.
void prim__ocl_softmax_backward_options(ocl_options_t *options, const softmax_backward_pd_t *pd);
/// Adds the nest's buffer, the tensors, n and nrows.
void prim__ocl_softmax_backward_args(
        ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx);

#endif
