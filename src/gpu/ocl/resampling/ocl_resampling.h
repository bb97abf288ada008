// SPDX-License-Identifier: Apache-2.0
// Resampling: what the typed implementations share on the host.
#ifndef PRIM_OCL_RESAMPLING_H
#define PRIM_OCL_RESAMPLING_H

#include "gpu/ocl/clh/shared/resampling_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

/// The requirements of all typed variants; resolves layouts and fills the data up to nspatial.
prim_status_t prim__ocl_resampling_require(prim_desc_t *pd, ocl_resampling_data_t *data);

/// Adds SRC, DST, LINEAR, HAS_DEPTH and the chain.
void prim__ocl_resampling_options(ocl_options_t *options, const prim_desc_t *pd);

/// Launches kernels[0] with data[0], the tensors and the chain, `nitems` work-items.
prim_status_t prim__ocl_resampling_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int32_t nitems);

#endif
