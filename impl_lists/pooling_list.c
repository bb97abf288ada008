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
        &prim__ocl_pool_global,   // one window over planes of NCHW
        &prim__ocl_pool_columns,  // one window over vectors of channels, on GPUs
        &prim__ocl_pool_slide,    // blocks of windows of NCHW, stride 1 or 2, on GPUs
        &prim__ocl_pool_blocks,   // blocks of windows of vectors of channels, on GPUs
        &prim__ocl_pool_lines,    // lines of rows of NCHW, stride 1 or 2, on processors
        &prim__ocl_pool_rows,     // vectors along rows of NCHW, stride 1 or 2
        &prim__ocl_pool_channels, // vectors of channels: NHWC, blocked by channels
        &prim__ocl_pool_any,      // every type, layout, window and post-op
        NULL,
};
#endif

const impl_t *const *const prim__pool_forward_lists[] = LISTS(cpu, gpu);
