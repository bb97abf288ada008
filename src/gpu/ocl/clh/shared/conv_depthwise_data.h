// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_depthwise.cl.
#ifndef CLH_SHARED_CONV_DEPTHWISE_DATA_H
#define CLH_SHARED_CONV_DEPTHWISE_DATA_H

#include "conv_data.h"

typedef struct {
    ocl_conv_geo_t geo;
    cl_long wei_c, wei_s[NSPATIAL];
    cl_long pack_c, pack_s[NSPATIAL]; // of the weights before they are packed
    cl_long nitems;
    cl_int channels, channels_padded; // the latter in the memory of dst
    cl_int nchannels, ncolumns;       // work-items for the channels (IS_LAST: vectors), for a row of dst
    ocl_conv_quant_t quant;
} ocl_conv_depthwise_data_t;

SHARED_BYTES(ocl_conv_depthwise_data_t, sizeof(ocl_conv_geo_t) + sizeof(ocl_conv_quant_t) + 8 * (3 + 2 * NSPATIAL) + 4 * 4);

#endif
