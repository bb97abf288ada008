// SPDX-License-Identifier: Apache-2.0
// The host side of the two kernels that take every problem, convolution's and deconvolution's
// (clh/conv_any.h): their data and their arguments are the same, only the tap's place differs.
#ifndef PRIM_OCL_CONV_GENERIC_H
#define PRIM_OCL_CONV_GENERIC_H

#include "ocl_primitive.h"

/// impl_t.init: builds kernel `name`, with the sizes, layouts and settings of the problem as data.
prim_status_t prim__ocl_conv_generic_init(
        prim_t *primitive, const ocl_source_t *source, const char *name);
/// impl_t.execute. `takes_wei_zero_points`: the kernel has a parameter for them.
prim_status_t prim__ocl_conv_generic_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, bool takes_wei_zero_points);

#endif
