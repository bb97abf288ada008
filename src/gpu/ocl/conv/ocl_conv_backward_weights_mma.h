// SPDX-License-Identifier: Apache-2.0
// What ocl_conv_backward_weights_mma.c costs, for those that it competes with.
#ifndef PRIM_OCL_CONV_BACKWARD_WEIGHTS_MMA_H
#define PRIM_OCL_CONV_BACKWARD_WEIGHTS_MMA_H

#include "common/impl.h"

/// What it is expected to take, in cycles of a compute unit; infinity where it cannot, and where it
/// copies src by elements. For init_pd, of problems that have passed the checks.
double prim__ocl_conv_weights_mma_cycles(const prim_desc_t *pd);

#endif
