// SPDX-License-Identifier: Apache-2.0
// Loop nests as kernels see them, and how their two innermost loops are split among work-items.
#ifndef PRIM_OCL_NEST_H
#define PRIM_OCL_NEST_H

#include "gpu/ocl/clh/shared/nest_data.h"
#include "gpu/ocl/launch/ocl_kernel.h"
#include "ocl_loops.h"

_Static_assert(NEST_TENSORS == LOOPS_MAX_TENSORS && NEST_TAILS == LOOPS_MAX_TAILS,
        "a nest has room for all loops");

/// `loops` has at most NEST_LOOPS; they are padded in front.
ocl_nest_t prim__ocl_nest(const loops_t *loops);
/// Product of the extents before NEST_ROW.
int64_t prim__ocl_nest_outer(const ocl_nest_t *nest);
/// The nest of the rows along `axis` of `n` tensors, which have one shape but for tensors whose
/// axis has 1 element: its two innermost loops have extent 1, and prim__ocl_nest_outer() is the
/// number of rows. Declines tensors that are blocked, padded or not contiguous along the axis
/// (init_pd).
prim_status_t prim__ocl_nest_rows(
        prim_desc_t *pd, ocl_nest_t *nest, const prim_memory_desc_t *const *mds, int n, int axis);
/// The same of tensors that share a contiguous dimension other than the axis: NEST_ROW is the axis,
/// NEST_INNER that dimension, with stride 1 in all (init_pd).
prim_status_t prim__ocl_nest_columns(
        prim_desc_t *pd, ocl_nest_t *nest, const prim_memory_desc_t *const *mds, int n, int axis);

/// How the two innermost loops are split into pieces, one per work-item.
typedef struct {
    int64_t n_inner, n_row, per_inner, per_row, chunks_inner, chunks_row;
    int64_t nitems; ///< chunks of both times the outer loops
} ocl_pieces_t;

/// A piece for a GPU is one vector of `vec` elements wide and one row high, or a few rows, which
/// share the index arithmetic; a one-dimensional nest is split into rows for that. A piece for a
/// CPU-type device has a few thousand elements, but there are several for each core.
ocl_pieces_t prim__ocl_pieces(ocl_nest_t *nest, const ocl_device_t *device, int vec);
/// The seven `long` parameters n_inner … nitems.
void prim__ocl_args_pieces(ocl_args_t *args, const ocl_pieces_t *pieces);
/// The launch range of the pieces.
ocl_range_t prim__ocl_range_pieces(const ocl_kernel_t *kernel, const ocl_pieces_t *pieces);

#endif
