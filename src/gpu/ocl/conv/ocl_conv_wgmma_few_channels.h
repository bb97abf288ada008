// SPDX-License-Identifier: Apache-2.0
// What ocl_conv_wgmma_few_channels.c costs, for those that it competes with.
#ifndef PRIM_OCL_CONV_WGMMA_FEW_CHANNELS_H
#define PRIM_OCL_CONV_WGMMA_FEW_CHANNELS_H

#include "common/impl.h"

/// What the cost model expects of ocl_conv_wgmma_few_channels.cl; infinite if it does not take the
/// problem.
double prim__ocl_conv_few_channels_cycles(const prim_desc_t *pd);

#endif
