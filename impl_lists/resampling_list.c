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
        &prim__ocl_resampling_scale_rows,     // integer scale factors, NCHW, GPUs
        &prim__ocl_resampling_scale_channels, // integer scale factors, NHWC and channel-blocked,
                                              // GPUs
        &prim__ocl_resampling_row_pairs, // linear with factor 2, NCHW, CPU-type devices: rows of
                                         // src in pairs
        &prim__ocl_resampling_rows,      // NCHW; factor 2 in vectors
        &prim__ocl_resampling_channels,  // NHWC and channel-blocked: vectors of channels
        &prim__ocl_resampling_any,       // every type, layout and post-op
        NULL,
};
#endif

const impl_t *const *const prim__resampling_forward_lists[] = LISTS(cpu, gpu);
