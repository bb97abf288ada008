// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_broadcast.cl.
#ifndef CLH_SHARED_CONV_BROADCAST_DATA_H
#define CLH_SHARED_CONV_BROADCAST_DATA_H

#include "conv_data.h"

typedef struct {
    ocl_conv_geo_t geo;
    cl_long wei_g, wei_o, wei_s[NSPATIAL], wei_i;     // wei_o is of a block of 16
    cl_long pack_g, pack_o, pack_s[NSPATIAL], pack_i; // of the weights before they are packed
    cl_long npixels, ntiles;                          // N·out…; of TP
    cl_int nblocks_o;                                 // of 16 output channels of a group
    cl_int nocs;                                      // tiles of OC_TILE in a group
    cl_int tiles_per_item;
    cl_int depth;             // channels of a tap: IC; BY_ROWS: those of a row of taps
    cl_int nacross, reserved; // taps across: those of the kernel; BY_ROWS: 1
    ocl_conv_quant_t quant;
} ocl_conv_broadcast_data_t;

SHARED_BYTES(ocl_conv_broadcast_data_t, sizeof(ocl_conv_geo_t) + sizeof(ocl_conv_quant_t) + 8 * (8 + 2 * NSPATIAL) + 4 * 6);

#endif
