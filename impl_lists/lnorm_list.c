// SPDX-License-Identifier: Apache-2.0
// The implementations of layer normalization, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_lnorm_any;
extern const impl_t prim__simd_lnorm_row_vector;

static const impl_t *const cpu[] = {
        &prim__simd_lnorm_row_vector, // f32, f16, bf16, s8, u8, plain layouts: vectors along rows
        &prim__ref_lnorm_any,         // every type, layout, flag and post-op
        NULL,
};

extern const impl_t prim__ref_lnorm_backward_any;
extern const impl_t prim__simd_lnorm_backward_row_vector;

static const impl_t *const cpu_backward[] = {
        &prim__simd_lnorm_backward_row_vector, // f32, f16, bf16, plain layouts: vectors along rows
        &prim__ref_lnorm_backward_any,         // every type, layout and flag
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_lnorm_row_per_group;
extern const impl_t prim__ocl_lnorm_row_per_item;
extern const impl_t prim__ocl_lnorm_any;

static const impl_t *const gpu[] = {
        &prim__ocl_lnorm_row_per_group, // contiguous rows: a work-group, or a part of one, for each
                                        // row
        &prim__ocl_lnorm_row_per_item,  // contiguous rows, CPU-type devices: a work-item for each
                                        // row
        &prim__ocl_lnorm_any,           // every type, layout, flag and post-op
        NULL,
};

extern const impl_t prim__ocl_lnorm_backward_row_per_group;
extern const impl_t prim__ocl_lnorm_backward_row_per_item;
extern const impl_t prim__ocl_lnorm_backward_any;

static const impl_t *const gpu_backward[] = {
        &prim__ocl_lnorm_backward_row_per_group, // contiguous rows: a work-group, or a part of one,
                                                 // for each row
        &prim__ocl_lnorm_backward_row_per_item,  // contiguous rows, CPU-type devices: a work-item
                                                 // for a run of rows
        &prim__ocl_lnorm_backward_any,           // every type, layout and flag
        NULL,
};
#endif

const impl_t *const *const prim__lnorm_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__lnorm_backward_lists[] = LISTS(cpu_backward, gpu_backward);
