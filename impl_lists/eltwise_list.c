// SPDX-License-Identifier: Apache-2.0
// The implementations of eltwise and of its gradient, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_eltwise_any;
extern const impl_t prim__ref_eltwise_backward_any;
extern const impl_t prim__simd_eltwise_row_vector;
extern const impl_t prim__simd_eltwise_backward_row_vector;

static const impl_t *const cpu[] = {
        &prim__simd_eltwise_row_vector, // f32, f16, bf16, s8, u8: vectors
        &prim__ref_eltwise_any,         // every type, layout and post-op
        NULL,
};

static const impl_t *const cpu_backward[] = {
        &prim__simd_eltwise_backward_row_vector, // f32, f16, bf16: vectors
        &prim__ref_eltwise_backward_any,         // every type and layout
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_eltwise_image;
extern const impl_t prim__ocl_eltwise_dense;
extern const impl_t prim__ocl_eltwise_any;
extern const impl_t prim__ocl_eltwise_backward_any;
extern const impl_t prim__ocl_eltwise_backward_dense;

static const impl_t *const gpu[] = {
        &prim__ocl_eltwise_image, // images
        &prim__ocl_eltwise_dense, // contiguous tensors of one layout: typed vectors
        &prim__ocl_eltwise_any,   // every type, layout and post-op
        NULL,
};

static const impl_t *const gpu_backward[] = {
        &prim__ocl_eltwise_backward_dense, // contiguous tensors of one layout: typed vectors
        &prim__ocl_eltwise_backward_any,   // every type and layout
        NULL,
};
#endif

const impl_t *const *const prim__eltwise_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__eltwise_backward_lists[] = LISTS(cpu_backward, gpu_backward);
