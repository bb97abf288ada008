// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_winograd.cl.
#ifndef CLH_SHARED_CONV_WINOGRAD_DATA_H
#define CLH_SHARED_CONV_WINOGRAD_DATA_H

#include "conv_data.h"

typedef struct {
    ocl_conv_geo_t geo;
    cl_long wei_o, wei_i, wei_h, wei_w;
    cl_int ntiles_h, ntiles_w; // of an image
    ocl_conv_quant_t quant;
} ocl_conv_winograd_data_t;

SHARED_BYTES(ocl_conv_winograd_data_t, sizeof(ocl_conv_geo_t) + sizeof(ocl_conv_quant_t) + 8 * 4 + 4 * 2);

#endif
