// SPDX-License-Identifier: Apache-2.0
// Shuffle on OpenCL devices, in both directions by one program.
#ifndef PRIM_OCL_SHUFFLE_H
#define PRIM_OCL_SHUFFLE_H

#include "common/shuffle_as_reorder.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

prim_status_t prim__ocl_shuffle_init_pd(prim_desc_t *pd);
/// Channel u·C/ngroups + v of argument `from` becomes channel v·ngroups + u of argument `to`.
prim_status_t prim__ocl_shuffle_init(prim_t *primitive, int from, int to, prim_dim_t ngroups);
prim_status_t prim__ocl_shuffle_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int from, int to);

/// The same as a nested reorder.
prim_status_t prim__ocl_shuffle_nest(prim_desc_t *pd, int from, int to, prim_dim_t ngroups);

#endif
