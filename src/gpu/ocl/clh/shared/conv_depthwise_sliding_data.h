// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_depthwise_sliding.cl.
#ifndef CLH_SHARED_CONV_DEPTHWISE_SLIDE_DATA_H
#define CLH_SHARED_CONV_DEPTHWISE_SLIDE_DATA_H

#include "channels_data.h"
#include "conv_data.h"

typedef struct {
    ocl_conv_geo_t geo;
    cl_long wei_c, wei_h, wei_w;
    cl_long nitems;
    ocl_divisor_t channels, bands, columns; // of a work-item's index: channels, TH rows, TW columns
    ocl_conv_quant_t quant;
} ocl_conv_depthwise_sliding_data_t;

SHARED_BYTES(ocl_conv_depthwise_sliding_data_t, sizeof(ocl_conv_geo_t) + sizeof(ocl_conv_quant_t) + 8 * 4 + 3 * sizeof(ocl_divisor_t));

#endif
