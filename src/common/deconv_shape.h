// SPDX-License-Identifier: Apache-2.0
// What the implementations of deconvolution begin with. Sizes come from prim__conv_shape(): `in` is
// of src and `out` of dst here too, though the windows lie on dst.
#ifndef PRIM_COMMON_DECONV_SHAPE_H
#define PRIM_COMMON_DECONV_SHAPE_H

#include "conv_shape.h"

/// Declines a problem that asks for Winograd's algorithm (init_pd).
prim_status_t prim__deconv_take_direct(prim_desc_t *pd);

#endif
