// SPDX-License-Identifier: Apache-2.0
// The implementations of resampling, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_resampling_any;

static const impl_t *const cpu[] = {
        &prim__ref_resampling_any, // every type, layout and post-op
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_resampling_image;
extern const impl_t prim__ocl_resampling_rows;
extern const impl_t prim__ocl_resampling_channels;
extern const impl_t prim__ocl_resampling_any;
extern const impl_t prim__ocl_resampling_scale_channels;
extern const impl_t prim__ocl_resampling_scale_rows;
extern const impl_t prim__ocl_resampling_row_pairs;

static const impl_t *const gpu[] = {
        &prim__ocl_resampling_image,          // images
        &prim__ocl_resampling_scale_rows,     // whole numbers, rows of NCHW, on GPUs
        &prim__ocl_resampling_scale_channels, // whole numbers, vectors of channels, on GPUs
        &prim__ocl_resampling_row_pairs,      // doubled by linear, rows of NCHW, on processors
        &prim__ocl_resampling_rows,           // rows of NCHW, doubled ones in vectors
        &prim__ocl_resampling_channels,       // vectors of channels: NHWC, blocked by channels
        &prim__ocl_resampling_any,            // every type, layout and post-op
        NULL,
};
#endif

const impl_t *const *const prim__resampling_forward_lists[] = LISTS(cpu, gpu);
