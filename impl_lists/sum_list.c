// SPDX-License-Identifier: Apache-2.0
// The implementations of sum, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_sum_any;
extern const impl_t prim__simd_sum_row_vector;

static const impl_t *const cpu[] = {
        &prim__simd_sum_row_vector, // f32, f16, bf16, s8, u8: one layout, or up to seven sources
        &prim__ref_sum_any,         // every type and layout, any number of inputs
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_sum_dense;
extern const impl_t prim__ocl_sum_any;

static const impl_t *const gpu[] = {
        &prim__ocl_sum_dense, // contiguous tensors of one layout
        &prim__ocl_sum_any,   // every type and layout, any number of inputs
        NULL,
};
#endif

const impl_t *const *const prim__sum_lists[] = LISTS(cpu, gpu);
