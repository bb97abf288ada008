// SPDX-License-Identifier: Apache-2.0
// The implementations of softmax, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_softmax_any;

static const impl_t *const cpu[] = {
        &prim__ref_softmax_any, // every type, layout, axis and post-op
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_softmax_image;
extern const impl_t prim__ocl_softmax_joint;
extern const impl_t prim__ocl_softmax_strided;
extern const impl_t prim__ocl_softmax_wg;
extern const impl_t prim__ocl_softmax_rows;
extern const impl_t prim__ocl_softmax_any;

static const impl_t *const gpu[] = {
        &prim__ocl_softmax_image,   // images
        &prim__ocl_softmax_strided, // an outer axis of plain tensors
        &prim__ocl_softmax_joint,   // rows longer than a group keeps: several groups each
        &prim__ocl_softmax_wg,      // the innermost axis, a group shares a row
        &prim__ocl_softmax_rows,    // the innermost axis, an item takes whole rows
        &prim__ocl_softmax_any,     // every type, layout, axis and post-op
        NULL,
};
#endif

const impl_t *const *const prim__softmax_forward_lists[] = LISTS(cpu, gpu);
