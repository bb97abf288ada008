// SPDX-License-Identifier: Apache-2.0
// Sizes of ocl_conv_taps.cl.
#ifndef CLH_SHARED_CONV_TAPS_DATA_H
#define CLH_SHARED_CONV_TAPS_DATA_H

#include "channels_data.h"
#include "conv_data.h"

typedef struct {
    cl_long dst_n, dst_c, dst_s[NSPATIAL]; // strides of the result
    ocl_divisor_t channels, out[NSPATIAL]; // of the result, all groups
    ocl_divisor_t stride[NSPATIAL];
    cl_int nelems;                         // of the result
    cl_int nspatial;
    cl_int in[NSPATIAL];         // positions of the products
    cl_int taps[NSPATIAL], dilation[NSPATIAL], pad[NSPATIAL];
    cl_int tap_step[NSPATIAL];   // between taps that meet one position of the result
    cl_int place_step[NSPATIAL]; // between the positions of the products under those taps
} ocl_conv_taps_data_t;

SHARED_BYTES(ocl_conv_taps_data_t,
        8 * (2 + NSPATIAL) + (1 + 2 * NSPATIAL) * sizeof(ocl_divisor_t) + 4 * (2 + 6 * NSPATIAL));

#endif
