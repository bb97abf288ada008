// SPDX-License-Identifier: Apache-2.0
// What the generic OpenCL kernels of convolution's gradients share.
#ifndef PRIM_OCL_CONV_BACKWARD_ANY_H
#define PRIM_OCL_CONV_BACKWARD_ANY_H

#include "gpu/ocl/kit/ocl_single_kernel.h"

prim_status_t prim__ocl_conv_backward_any_init_pd(prim_desc_t *pd);
/// Builds the kernel and uploads descriptors and shapes.
prim_status_t prim__ocl_conv_backward_any_init(
        prim_t *primitive, const ocl_source_t *source, const char *name);

#endif
