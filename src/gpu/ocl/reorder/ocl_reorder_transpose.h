// SPDX-License-Identifier: Apache-2.0
// What the two transposing reorders (`transpose`, `transpose_cpu`) share on the host.
#ifndef PRIM_OCL_REORDER_TRANSPOSE_H
#define PRIM_OCL_REORDER_TRANSPOSE_H

#include "gpu/ocl/kit/ocl_nest.h"
#include "ocl_reorder_sides.h"

/// For init_pd, as its first step: requirements, and the nest in which NEST_ROW is x, contiguous in
/// src, and NEST_INNER is y, contiguous in dst. `has_tails`: some dimension has padding.
prim_status_t prim__ocl_transpose_find(prim_desc_t *pd, ocl_nest_t *nest, bool *has_tails);

/// The launch of a kernel with the parameters nest, src, src_off, dst, dst_off, nx, ny, src_y,
/// dst_x, per_x, per_y, chunks_x, chunks_y, nitems of ocl_reorder_transpose.cl.
typedef struct {
    int64_t per_x, per_y, chunks_x, chunks_y;
    int64_t group_items; ///< nitems groups of so many; 0: nitems independent work-items
} ocl_transpose_range_t;

/// impl_t.execute of both.
prim_status_t prim__ocl_transpose_execute(const prim_t *primitive, const exec_ctx_t *ctx,
        const ocl_nest_t *nest, const ocl_transpose_range_t *range);

#endif
