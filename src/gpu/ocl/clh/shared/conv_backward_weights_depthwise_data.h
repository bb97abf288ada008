// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_backward_weights_depthwise.cl.
#ifndef CLH_SHARED_CONV_BACKWARD_WEIGHTS_DEPTHWISE_DATA_H
#define CLH_SHARED_CONV_BACKWARD_WEIGHTS_DEPTHWISE_DATA_H

#include "conv_backward_weights_data.h"

typedef struct {
    ocl_conv_backward_weights_data_t sizes; // npixels and split_pixels count strips: TH rows of one column of dst
    ocl_divisor_t bands;                    // strips of a column of an image
    cl_int height, reserved;                // rows of dst
} ocl_conv_backward_weights_depthwise_data_t;

SHARED_BYTES(ocl_conv_backward_weights_depthwise_data_t,
        sizeof(ocl_conv_backward_weights_data_t) + sizeof(ocl_divisor_t) + 2 * 4);

#endif
