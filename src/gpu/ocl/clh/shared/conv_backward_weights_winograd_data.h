// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_backward_weights_winograd.cl.
#ifndef CLH_SHARED_CONV_BACKWARD_WEIGHTS_WINOGRAD_DATA_H
#define CLH_SHARED_CONV_BACKWARD_WEIGHTS_WINOGRAD_DATA_H

#include "conv_backward_weights_data.h"

typedef struct {
    ocl_conv_backward_weights_data_t sizes;
    cl_int ic, oc;
    cl_int height, width;      // of diff_dst
    cl_int ntiles_h, ntiles_w; // of an image
    cl_int ntiles, reserved;   // of all
} ocl_conv_backward_weights_winograd_data_t;

SHARED_BYTES(ocl_conv_backward_weights_winograd_data_t, sizeof(ocl_conv_backward_weights_data_t) + 8 * 4);

#endif
