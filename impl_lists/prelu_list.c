// SPDX-License-Identifier: Apache-2.0
// The implementations of prelu and of its gradients, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_prelu_any;
extern const impl_t prim__simd_prelu_row_vector;
extern const impl_t prim__ref_prelu_backward_any;
extern const impl_t prim__simd_prelu_backward_row_vector;

static const impl_t *const cpu[] = {
        &prim__simd_prelu_row_vector, // f32, f16, bf16, s8, u8: vectors along rows
        &prim__ref_prelu_any,         // every type, layout and broadcast
        NULL,
};

static const impl_t *const cpu_backward[] = {
        &prim__simd_prelu_backward_row_vector, // f32, f16, bf16: vectors along rows
        &prim__ref_prelu_backward_any,         // every type, layout and broadcast
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_prelu_row_vector;
extern const impl_t prim__ocl_prelu_any;
extern const impl_t prim__ocl_prelu_backward_inner;
extern const impl_t prim__ocl_prelu_backward_any;

static const impl_t *const gpu[] = {
        &prim__ocl_prelu_row_vector, // contiguous rows that src and dst have in common: typed
                                     // vectors
        &prim__ocl_prelu_any,        // every type, layout and broadcast
        NULL,
};

static const impl_t *const gpu_backward[] = {
        &prim__ocl_prelu_backward_inner, // one layout, weights constant along contiguous rows
        &prim__ocl_prelu_backward_any,   // every type, layout and broadcast
        NULL,
};
#endif

const impl_t *const *const prim__prelu_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__prelu_backward_lists[] = LISTS(cpu_backward, gpu_backward);
