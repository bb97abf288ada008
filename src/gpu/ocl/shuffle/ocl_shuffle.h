// SPDX-License-Identifier: Apache-2.0
// Shuffle on OpenCL devices, in both directions by one program.
#ifndef PRIM_OCL_SHUFFLE_H
#define PRIM_OCL_SHUFFLE_H

#include "common/shuffle_as_reorder.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

/// impl_t's functions of the generic program.
prim_status_t prim__ocl_shuffle_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_shuffle_init(prim_t *primitive);
prim_status_t prim__ocl_shuffle_execute(const prim_t *primitive, const exec_ctx_t *ctx);

/// impl_t.init_pd of a nested reorder.
prim_status_t prim__ocl_shuffle_nest(prim_desc_t *pd);

#endif
