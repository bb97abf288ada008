// SPDX-License-Identifier: Apache-2.0
// The implementations of reorder, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_reorder_any;

static const impl_t *const cpu[] = {
        &prim__ref_reorder_any, // every pair of types and layouts, run-time dimensions
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_reorder_image;
extern const impl_t prim__ocl_reorder_copy;
extern const impl_t prim__ocl_reorder_rows;
extern const impl_t prim__ocl_reorder_blocks;
extern const impl_t prim__ocl_reorder_transpose;
extern const impl_t prim__ocl_reorder_any;

static const impl_t *const gpu[] = {
        &prim__ocl_reorder_image,  // to, from and between images
        &prim__ocl_reorder_copy,   // equal layouts without holes; plain bytes from and to the host
        &prim__ocl_reorder_rows,   // runs that move as a whole: nhwc to nChw16c, windows, batches
        &prim__ocl_reorder_blocks, // squares in registers: the next one's on processors
        &prim__ocl_reorder_transpose, // nchw to nhwc, to nChw16c and back, weights' blocks
        &prim__ocl_reorder_any,       // every pair of types and layouts, every attribute
        NULL,
};
#endif

const impl_t *const *const prim__reorder_lists[] = LISTS(cpu, gpu);
