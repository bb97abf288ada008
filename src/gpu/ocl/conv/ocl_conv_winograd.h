// SPDX-License-Identifier: Apache-2.0
// What Winograd's convolution and its gradient by weights share.
#ifndef PRIM_OCL_CONV_WINOGRAD_H
#define PRIM_OCL_CONV_WINOGRAD_H

#include "ocl_conv.h"

/// Points of the transform of a tile of tile × tile pixels by 3×3 filters.
int prim__ocl_winograd_npoints(int tile);
/// 2-D, 3×3, no groups, stride and dilation 1.
prim_status_t prim__ocl_winograd_require_window(prim_desc_t *pd, const conv_shape_t *shape);
/// The same, without a sentence.
bool prim__ocl_winograd_suits(const conv_shape_t *shape);

#endif
