// SPDX-License-Identifier: Apache-2.0
// What ocl_conv_backward_weights_tiled.c costs, for those that it competes with.
#ifndef PRIM_OCL_CONV_BACKWARD_WEIGHTS_TILED_H
#define PRIM_OCL_CONV_BACKWARD_WEIGHTS_TILED_H

#include "common/impl.h"

/// What it is expected to take, in cycles of a compute unit; infinity where it cannot. For
/// init_pd, of problems that have passed the checks.
double prim__ocl_conv_weights_tiled_cycles(const prim_desc_t *pd);

#endif
