// SPDX-License-Identifier: Apache-2.0
// The implementations of reorder, best first.
#include "impl_lists.h"

extern const impl_t prim__simd_reorder_loop_nest;
extern const impl_t prim__ref_reorder_any;

static const impl_t *const cpu[] = {
        &prim__simd_reorder_loop_nest, // copies; f32, f16, bf16, s8 and u8 converted and quantised
                                       // in vectors
        &prim__ref_reorder_any,        // every pair of types and layouts, run-time dimensions
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_reorder_image;
extern const impl_t prim__ocl_reorder_copy;
extern const impl_t prim__ocl_reorder_copy_runs;
extern const impl_t prim__ocl_reorder_transpose_cpu;
extern const impl_t prim__ocl_reorder_transpose;
extern const impl_t prim__ocl_reorder_any;

static const impl_t *const gpu[] = {
        &prim__ocl_reorder_image, // to, from and between images
        &prim__ocl_reorder_copy,  // one layout on both sides, contiguous: typed copy, or a transfer
                                  // to or from the host
        &prim__ocl_reorder_copy_runs,     // contiguous runs on both sides: nhwc to nChw16c,
                                          // sub-tensors, permuted batches
        &prim__ocl_reorder_transpose_cpu, // CPU-type devices, transposes: square blocks transposed
                                          // in registers
        &prim__ocl_reorder_transpose, // transposes through local memory: nchw to nhwc, to nChw16c
                                      // and back, weights
        &prim__ocl_reorder_any,       // every pair of types and layouts, every attribute
        NULL,
};
#endif

const impl_t *const *const prim__reorder_lists[] = LISTS(cpu, gpu);
