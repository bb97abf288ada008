// SPDX-License-Identifier: Apache-2.0
// The implementations of shuffle and of its gradient, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_shuffle_any;
extern const impl_t prim__ref_shuffle_backward_any;
extern const impl_t prim__simd_shuffle_reorder;
extern const impl_t prim__simd_shuffle_backward_reorder;

static const impl_t *const cpu[] = {
        &prim__simd_shuffle_reorder, // plain layouts: a nested reorder
        &prim__ref_shuffle_any,      // every type, layout and axis
        NULL,
};

static const impl_t *const cpu_backward[] = {
        &prim__simd_shuffle_backward_reorder, // plain layouts: a nested reorder
        &prim__ref_shuffle_backward_any,      // every type, layout and axis
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_shuffle_reorder;
extern const impl_t prim__ocl_shuffle_any;
extern const impl_t prim__ocl_shuffle_backward_reorder;
extern const impl_t prim__ocl_shuffle_backward_any;

static const impl_t *const gpu[] = {
        &prim__ocl_shuffle_reorder, // what a variant of reorder takes, nested, in the order of that
                                    // list
        &prim__ocl_shuffle_any,     // every type, layout and axis
        NULL,
};

static const impl_t *const gpu_backward[] = {
        &prim__ocl_shuffle_backward_reorder, // what a variant of reorder takes, nested, in the
                                             // order of that list
        &prim__ocl_shuffle_backward_any,     // every type, layout and axis
        NULL,
};
#endif

const impl_t *const *const prim__shuffle_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__shuffle_backward_lists[] = LISTS(cpu_backward, gpu_backward);
