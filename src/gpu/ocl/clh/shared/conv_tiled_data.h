// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_tiled.cl.
#ifndef CLH_SHARED_CONV_TILED_DATA_H
#define CLH_SHARED_CONV_TILED_DATA_H

#include "conv_data.h"

// One step of K: an input channel under a tap.
typedef struct {
    cl_int src_off, wei_off;
    cl_int at[NSPATIAL]; // the tap, in elements of src
    cl_int reserved[3];
} ocl_conv_tiled_step_t;

SHARED_BYTES(ocl_conv_tiled_step_t, 4 * (5 + NSPATIAL));

typedef struct {
    cl_int wei_off, dst_off;
} ocl_conv_tiled_channel_t;

SHARED_BYTES(ocl_conv_tiled_channel_t, 2 * 4);

typedef struct {
    ocl_conv_geo_t geo; // src_c, dst_c: of a group here
    cl_long wei_g;
    cl_int npixels, ndepth;
    cl_int ntiles_m, reserved; // of the channels of a group
    ocl_conv_quant_t quant;
} ocl_conv_tiled_data_t;

SHARED_BYTES(ocl_conv_tiled_data_t, sizeof(ocl_conv_geo_t) + sizeof(ocl_conv_quant_t) + 8 + 4 * 4);

#endif
