// SPDX-License-Identifier: Apache-2.0
// The implementations of binary, best first.
#include "impl_lists.h"

extern const impl_t prim__simd_binary_row_vector;
extern const impl_t prim__ref_binary_any;

static const impl_t *const cpu[] = {
        &prim__simd_binary_row_vector, // f32, f16, bf16, s8, u8, plain layouts: vectors along rows
        &prim__ref_binary_any,         // every type, layout, broadcast and post-op
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_binary_image;
extern const impl_t prim__ocl_binary_dense;
extern const impl_t prim__ocl_binary_dense_broadcast;
extern const impl_t prim__ocl_binary_row_vector;
extern const impl_t prim__ocl_binary_any;

static const impl_t *const gpu[] = {
        &prim__ocl_binary_image, // images
        &prim__ocl_binary_dense, // contiguous tensors of one layout, GPUs: one vector a work-item
        &prim__ocl_binary_dense_broadcast, // the same with src1 broadcast
        &prim__ocl_binary_row_vector, // rows of dst, each source contiguous or broadcast along them
        &prim__ocl_binary_any,        // every type, layout, broadcast and post-op
        NULL,
};
#endif

const impl_t *const *const prim__binary_lists[] = LISTS(cpu, gpu);
