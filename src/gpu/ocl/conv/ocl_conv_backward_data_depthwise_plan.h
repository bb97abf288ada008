// SPDX-License-Identifier: Apache-2.0
// Tiles of the gradient of a depthwise convolution by src: what registers hold, and how far a tile
// slides.
#ifndef PRIM_OCL_CONV_BACKWARD_DATA_DEPTHWISE_PLAN_H
#define PRIM_OCL_CONV_BACKWARD_DATA_DEPTHWISE_PLAN_H

#include "common/conv_shape.h"
#include "gpu/ocl/device/ocl_device.h"

enum { OCL_CONV_DEPTHWISE_MOST_TAPS = 49, OCL_CONV_DEPTHWISE_MOST_TAPS_OF_ROW = 11 };

/// Whether registers hold the weights of a channel.
bool prim__ocl_conv_backward_data_depthwise_fits(const conv_shape_t *shape);

/// Plain data.
typedef struct {
    int th, tw, vec; ///< rows, columns and channels of diff_src of a work-item
    prim_dim_t nbands, ncolumns, nitems;
} ocl_conv_backward_data_depthwise_plan_t;

/// `most_vec`: neighbouring channels that layouts allow to load at a time, 4, 2 or 1; 0 where the
/// channels of a pixel are not contiguous.
ocl_conv_backward_data_depthwise_plan_t prim__ocl_conv_backward_data_depthwise_plan(
        const ocl_device_t *device, const conv_shape_t *shape, int most_vec);

#endif
