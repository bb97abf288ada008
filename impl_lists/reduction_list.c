// SPDX-License-Identifier: Apache-2.0
// The implementations of reduction, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_reduction_any;
extern const impl_t prim__simd_reduction_row_vector;

static const impl_t *const cpu[] = {
        &prim__simd_reduction_row_vector, // f32, f16, bf16, s8, u8, plain layouts: vectors along
                                          // src or dst; no products
        &prim__ref_reduction_any,         // every type, layout, algorithm and post-op
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_reduction_inner;
extern const impl_t prim__ocl_reduction_outer;
extern const impl_t prim__ocl_reduction_any;

static const impl_t *const gpu[] = {
        &prim__ocl_reduction_inner, // floats; src's contiguous dimension is reduced
        &prim__ocl_reduction_outer, // floats; src's contiguous dimension stays
        &prim__ocl_reduction_any,   // every type, layout, algorithm and post-op
        NULL,
};
#endif

const impl_t *const *const prim__reduction_lists[] = LISTS(cpu, gpu);
