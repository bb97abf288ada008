// SPDX-License-Identifier: Apache-2.0
// Descriptors and shapes of ocl_conv_backward_data_any.cl and ocl_conv_backward_weights_any.cl.
#ifndef CLH_SHARED_CONV_BACKWARD_ANY_DATA_H
#define CLH_SHARED_CONV_BACKWARD_ANY_DATA_H

#include "conv_data.h"

typedef struct {
    ocl_md_t src, wei, bia, dst; // or their gradients, whichever the direction has
    cl_long mb, ic, oc;          // channels of one group
    cl_long in[NSPATIAL], out[NSPATIAL], taps[NSPATIAL], stride[NSPATIAL], dilation[NSPATIAL], pad[NSPATIAL];
    cl_int nspatial, has_groups;
} ocl_conv_backward_any_data_t;

SHARED_BYTES(ocl_conv_backward_any_data_t, 4 * sizeof(ocl_md_t) + 8 * (3 + 6 * NSPATIAL) + 4 * 2);

#endif
