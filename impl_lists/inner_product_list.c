// SPDX-License-Identifier: Apache-2.0
// The implementations of inner product, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_inner_product_any;
extern const impl_t prim__x64_inner_product_gemm;

static const impl_t *const cpu[] = {
        &prim__x64_inner_product_gemm, // f32, f16, bf16: packed panels, vectors, cache blocks
        &prim__ref_inner_product_any,  // any types, layout and attributes
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_inner_product_depth;
extern const impl_t prim__ocl_inner_product_dots;
extern const impl_t prim__ocl_inner_product_image;
extern const impl_t prim__ocl_inner_product_mma;
extern const impl_t prim__ocl_inner_product_pipeline;
extern const impl_t prim__ocl_inner_product_rows;
extern const impl_t prim__ocl_inner_product_skinny;
extern const impl_t prim__ocl_inner_product_tiled;
extern const impl_t prim__ocl_inner_product_wgmma;
extern const impl_t prim__ocl_inner_product_wgmma_gather;
extern const impl_t prim__ocl_inner_product_any;

static const impl_t *const gpu[] = {
        &prim__ocl_inner_product_image, // images
        &prim__ocl_inner_product_depth, // matrix units, up to 32 rows: weights straight from memory
        &prim__ocl_inner_product_dots,  // GPUs, up to 8 rows: weights along K straight from memory
        &prim__ocl_inner_product_skinny, // GPUs, up to 4 rows: other weights straight from memory
        &prim__ocl_inner_product_wgmma,  // matrix units that groups feed: f16, bf16, 8-bit integers
        &prim__ocl_inner_product_wgmma_gather, // the same for rows and starts off multiples of 16
                                               // bytes
        &prim__ocl_inner_product_mma, // matrix units that warps feed: f16, bf16, 8-bit integers
        &prim__ocl_inner_product_pipeline, // GPUs with copies that run on, f32: several tiles in
                                           // flight
        &prim__ocl_inner_product_tiled,    // GPUs: tiles in local memory and registers
        &prim__ocl_inner_product_rows,     // CPU-type devices: panels of weights, rows in registers
        &prim__ocl_inner_product_any,      // any types, layout and attributes
        NULL,
};
#endif

const impl_t *const *const prim__ip_forward_lists[] = LISTS(cpu, gpu);
