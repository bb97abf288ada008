// SPDX-License-Identifier: Apache-2.0
// Tiles of depthwise convolutions whose windows slide: what registers hold, and how far a tile
// slides.
#ifndef PRIM_OCL_CONV_DEPTHWISE_SLIDING_PLAN_H
#define PRIM_OCL_CONV_DEPTHWISE_SLIDING_PLAN_H

#include "common/conv_shape.h"
#include "gpu/ocl/device/ocl_device.h"

/// Whether registers hold the weights of a channel, and a row of a window.
bool prim__ocl_conv_depthwise_sliding_fits(const conv_shape_t *shape);

/// Plain data.
typedef struct {
    int th, tw, vec; ///< rows, columns and channels of dst of a work-item
    prim_dim_t nbands, ncolumns, nitems;
} ocl_conv_depthwise_sliding_plan_t;

/// `most_vec`: neighbouring channels that layouts allow to load at a time, 4, 2 or 1; 0 where the
/// channels of a pixel are not contiguous: then `columns` are loaded at a time, 4, 2 or 1.
ocl_conv_depthwise_sliding_plan_t prim__ocl_conv_depthwise_sliding_plan(
        const ocl_device_t *device, const conv_shape_t *shape, int most_vec, int columns);

#endif
