// SPDX-License-Identifier: Apache-2.0
// The implementations of eltwise, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_eltwise_any;

static const impl_t *const cpu[] = {
        &prim__ref_eltwise_any, // every type, layout and post-op
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_eltwise_image;
extern const impl_t prim__ocl_eltwise_dense;
extern const impl_t prim__ocl_eltwise_any;

static const impl_t *const gpu[] = {
        &prim__ocl_eltwise_image, // images
        &prim__ocl_eltwise_dense, // contiguous tensors of one layout: typed vectors
        &prim__ocl_eltwise_any,   // every type, layout and post-op
        NULL,
};
#endif

const impl_t *const *const prim__eltwise_forward_lists[] = LISTS(cpu, gpu);
