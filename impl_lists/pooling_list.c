// SPDX-License-Identifier: Apache-2.0
// The implementations of pooling, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_pool_any;

static const impl_t *const cpu[] = {
        &prim__ref_pool_any, // every type, layout, window and post-op
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_pool_image;
extern const impl_t prim__ocl_pool_global;
extern const impl_t prim__ocl_pool_columns;
extern const impl_t prim__ocl_pool_slide;
extern const impl_t prim__ocl_pool_blocks;
extern const impl_t prim__ocl_pool_lines;
extern const impl_t prim__ocl_pool_rows;
extern const impl_t prim__ocl_pool_channels;
extern const impl_t prim__ocl_pool_any;

static const impl_t *const gpu[] = {
        &prim__ocl_pool_image,    // images
        &prim__ocl_pool_global,   // one window over the whole plane, NCHW
        &prim__ocl_pool_columns,  // one window over the whole plane, NHWC and channel-blocked, GPUs
        &prim__ocl_pool_slide,    // NCHW, stride 1 or 2, GPUs: a work-item makes a block of windows
        &prim__ocl_pool_blocks,   // NHWC and channel-blocked, GPUs: a work-item makes a block of
                                  // windows
        &prim__ocl_pool_lines,    // NCHW, stride 1 or 2, CPU-type devices: rows are reduced first,
                                  // then columns
        &prim__ocl_pool_rows,     // NCHW, stride 1 or 2: vectors of neighbouring windows
        &prim__ocl_pool_channels, // NHWC and channel-blocked: vectors of channels
        &prim__ocl_pool_any,      // every type, layout, window and post-op
        NULL,
};
#endif

const impl_t *const *const prim__pool_forward_lists[] = LISTS(cpu, gpu);
