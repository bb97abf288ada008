// SPDX-License-Identifier: Apache-2.0
// What the typed implementations of resampling share on the host.
#ifndef PRIM_OCL_RESAMPLING_H
#define PRIM_OCL_RESAMPLING_H

#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

/// Twin of resampling_data_t in clh/resampling_rows.h.
typedef struct {
    ocl_channels_t src, dst;
    struct {
        int32_t in, out;
    } axes[3]; ///< depth, height, width; absent ones 1 and 1
    int32_t nspatial, nitems;
    int32_t run_vecs, item_vecs, nblocks;
    int32_t piece_elems, npieces;
} ocl_resampling_data_t;

/// The requirements of all typed variants; resolves layouts and fills the data up to nspatial.
prim_status_t prim__ocl_resampling_require(prim_desc_t *pd, ocl_resampling_data_t *data);

/// Adds SRC, DST, LINEAR, HAS_DEPTH and the chain.
void prim__ocl_resampling_options(ocl_options_t *options, const prim_desc_t *pd);

/// Launches kernels[0] with data[0], the tensors and the chain, `nitems` work-items.
prim_status_t prim__ocl_resampling_execute(
        const ocl_primitive_t *primitive, const exec_ctx_t *ctx, int32_t nitems);

#endif
