// SPDX-License-Identifier: Apache-2.0
// The implementations of batch normalization, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_bnorm_any;

static const impl_t *const cpu[] = {
        &prim__ref_bnorm_any, // every type, layout and flag
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_bnorm_image;
extern const impl_t prim__ocl_bnorm_joint;
extern const impl_t prim__ocl_bnorm_planes;
extern const impl_t prim__ocl_bnorm_flat;
extern const impl_t prim__ocl_bnorm_channels;
extern const impl_t prim__ocl_bnorm_any;

static const impl_t *const gpu[] = {
        &prim__ocl_bnorm_image,    // images, given statistics
        &prim__ocl_bnorm_joint,    // training, NCHW larger than the cache: groups share a channel
        &prim__ocl_bnorm_planes,   // planes of NCHW, all in one kernel
        &prim__ocl_bnorm_flat,     // training, NHWC on GPUs: a vector an item
        &prim__ocl_bnorm_channels, // vectors of channels: NHWC, blocked by channels
        &prim__ocl_bnorm_any,      // every type, layout and flag
        NULL,
};
#endif

const impl_t *const *const prim__bnorm_forward_lists[] = LISTS(cpu, gpu);
