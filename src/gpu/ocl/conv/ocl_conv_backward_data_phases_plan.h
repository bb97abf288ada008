// SPDX-License-Identifier: Apache-2.0
// The phases of the strides of a convolution's gradient by src (conv_polyphase.h): what they add up
// to, and whether one launch for all of them is worth it.
#ifndef PRIM_OCL_CONV_BACKWARD_DATA_PHASES_PLAN_H
#define PRIM_OCL_CONV_BACKWARD_DATA_PHASES_PLAN_H

#include "common/conv_shape.h"
#include "gpu/ocl/device/ocl_device.h"

/// Plain data: of all phases.
typedef struct {
    int64_t nphases, nmeeting; ///< phases; those that have taps
    int64_t ntaps, most_taps;  ///< of all phases; of one
    int64_t most_pixels;       ///< of diff_src, in a phase that has taps
    int64_t nempty;            ///< elements of diff_src that no tap meets
} ocl_conv_phases_t;

/// Looks at every phase, as many as the product of the strides.
ocl_conv_phases_t prim__ocl_conv_phases(const conv_shape_t *shape);

/// Cycles of a compute unit for the elements that no tap meets.
typedef struct {
    double one_by_one; ///< of `backward_data_phases`, whose work-items store each of them
    double cleared;    ///< of `backward_data_polyphase`, which clears all of diff_src first
} ocl_conv_empty_cycles_t;

/// For so many elements of a diff_src of `bytes`.
ocl_conv_empty_cycles_t prim__ocl_conv_empty_cycles(
        const ocl_device_t *device, int64_t nempty, double bytes);

#endif
