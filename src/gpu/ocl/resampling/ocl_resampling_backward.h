// SPDX-License-Identifier: Apache-2.0
// The gradient of resampling: what its typed implementations share on the host.
#ifndef PRIM_OCL_RESAMPLING_BACKWARD_H
#define PRIM_OCL_RESAMPLING_BACKWARD_H

#include "gpu/ocl/clh/shared/resampling_backward_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

typedef struct {
    prim_desc_t base;
    int vec;              ///< channels or elements of a row that are a vector
    int rows;             ///< of diff_src that a work-item takes; 0: the kernel has no such option
    int scale_h, scale_w; ///< of integer factors: out over in
    ocl_resampling_backward_data_t data;
} ocl_resampling_backward_pd_t;

/// The requirements of all; resolves layouts, fills the tensors and the sizes of the axes.
prim_status_t prim__ocl_resampling_backward_require(ocl_resampling_backward_pd_t *pd);

/// The further requirements of integer factors, which the scales get; OD is ID.
prim_status_t prim__ocl_resampling_backward_require_integer(ocl_resampling_backward_pd_t *pd);
/// Counts the work-items of integer factors: of each image, for each plane of diff_src, `ncols`
/// for each of its pieces of `rows` rows. A plane is one of `nblocks` blocks of channels and of
/// `nvecs` vectors of a block. Declines where there are more than 2^31.
prim_status_t prim__ocl_resampling_backward_split(
        ocl_resampling_backward_pd_t *pd, int32_t nblocks, int32_t nvecs, int32_t ncols);

/// Adds DIFF_DST, DIFF_SRC, VEC and LINEAR.
void prim__ocl_resampling_backward_options(
        ocl_options_t *options, const ocl_resampling_backward_pd_t *pd);

/// The primitive's execute.
prim_status_t prim__ocl_resampling_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
