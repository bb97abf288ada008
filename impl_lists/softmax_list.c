// SPDX-License-Identifier: Apache-2.0
// The implementations of softmax and of its gradient, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_softmax_any;
extern const impl_t prim__simd_softmax_row_vector;
extern const impl_t prim__simd_softmax_strided;
extern const impl_t prim__ref_softmax_backward_any;
extern const impl_t prim__simd_softmax_backward_row_vector;
extern const impl_t prim__simd_softmax_backward_strided;

static const impl_t *const cpu[] = {
        &prim__simd_softmax_strided, // f32, f16, bf16, s8, u8, plain layouts, a short axis or one
                                     // not the innermost: vectors across rows
        &prim__simd_softmax_row_vector, // the same, any axis: vectors along it
        &prim__ref_softmax_any,         // every type, layout, axis and post-op
        NULL,
};

static const impl_t *const cpu_backward[] = {
        &prim__simd_softmax_backward_strided, // f32, f16, bf16, plain layouts, a short axis or one
                                              // not the innermost: vectors across rows
        &prim__simd_softmax_backward_row_vector, // the same, any axis: vectors along it
        &prim__ref_softmax_backward_any,         // every type, layout and axis
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_softmax_image;
extern const impl_t prim__ocl_softmax_multi_group;
extern const impl_t prim__ocl_softmax_strided;
extern const impl_t prim__ocl_softmax_row_per_group;
extern const impl_t prim__ocl_softmax_row_per_item_tile;
extern const impl_t prim__ocl_softmax_row_per_item;
extern const impl_t prim__ocl_softmax_any;
extern const impl_t prim__ocl_softmax_backward_any;
extern const impl_t prim__ocl_softmax_backward_multi_group;
extern const impl_t prim__ocl_softmax_backward_row_per_group;
extern const impl_t prim__ocl_softmax_backward_row_per_item;
extern const impl_t prim__ocl_softmax_backward_strided;

static const impl_t *const gpu[] = {
        &prim__ocl_softmax_image,       // images
        &prim__ocl_softmax_strided,     // an axis that is not the innermost: vectors across rows
        &prim__ocl_softmax_multi_group, // innermost axis, rows too long for one work-group: several
                                        // share a row
        &prim__ocl_softmax_row_per_item_tile, // innermost axis, GPUs, short rows: a work-item
                                              // per row
        &prim__ocl_softmax_row_per_group,     // innermost axis: a work-group, or a part of one, for
                                              // each row
        &prim__ocl_softmax_row_per_item,      // innermost axis: whole rows per work-item
        &prim__ocl_softmax_any,               // every type, layout, axis and post-op
        NULL,
};

static const impl_t *const gpu_backward[] = {
        &prim__ocl_softmax_backward_multi_group,   // innermost axis, rows too long for one
                                                   // work-group: several share a row
        &prim__ocl_softmax_backward_row_per_group, // innermost axis: a work-group, or a part of
                                                   // one, for each row
        &prim__ocl_softmax_backward_row_per_item,  // innermost axis, CPU-type devices: a work-item
                                                   // for each row
        &prim__ocl_softmax_backward_strided,       // an axis that is not the innermost: vectors
                                                   // across rows
        &prim__ocl_softmax_backward_any,           // every type, layout and axis
        NULL,
};
#endif

const impl_t *const *const prim__softmax_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__softmax_backward_lists[] = LISTS(cpu_backward, gpu_backward);
