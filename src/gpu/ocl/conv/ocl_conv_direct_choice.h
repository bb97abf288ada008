// SPDX-License-Identifier: Apache-2.0
// Whether a direct convolution is expected to be faster than the matrix product that would run
// instead.
#ifndef PRIM_OCL_CONV_DIRECT_CHOICE_H
#define PRIM_OCL_CONV_DIRECT_CHOICE_H

#include "ocl_conv_direct.h"

/// Declines forward convolutions and gradients by src that another implementation is expected to
/// compute faster. Layouts are settled, and there is a plan.
prim_status_t prim__ocl_conv_direct_prefer_cheaper(ocl_conv_direct_pd_t *pd);

#endif
