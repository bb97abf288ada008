// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the convolutions on `mma.sync`: windows of pixels (clh/conv_window.h), the first
// member of each kernel's sizes, and those.
#ifndef CLH_SHARED_CONV_WINDOW_DATA_H
#define CLH_SHARED_CONV_WINDOW_DATA_H

#include "channels_data.h"
#include "conv_data.h"

typedef struct {
    ocl_conv_geo_t geo; // src_c, dst_c: of one channel
    cl_long starts[3];  // of src, wei, dst, where they are no parameters of their own
    cl_long wei_g, wei_o, wei_s[NSPATIAL];
    ocl_divisor_t out[NSPATIAL], taps[NSPATIAL];
    cl_int npixels, ntaps;
} ocl_conv_window_t;

SHARED_BYTES(ocl_conv_window_t, sizeof(ocl_conv_geo_t) + 8 * (5 + NSPATIAL) + 2 * NSPATIAL * sizeof(ocl_divisor_t) + 2 * 4);

// Of ocl_conv_mma_tiled.cl.
typedef struct {
    ocl_conv_window_t window;
    ocl_divisor_t ntiles_n, ntiles_m, ic;
    cl_int nslices, ndepth;        // of K; elements
    cl_int slice_taps, slice_rest; // a slice is so many taps, and channels
} ocl_conv_mma_tiled_data_t;

SHARED_BYTES(ocl_conv_mma_tiled_data_t, sizeof(ocl_conv_window_t) + 3 * sizeof(ocl_divisor_t) + 4 * 4);

// Of ocl_conv_mma_split_k.cl.
typedef struct {
    ocl_conv_window_t window;
    ocl_divisor_t ntiles_n, blocks_c;
    cl_int ntiles_m, blocks_c_left, taps_left; // between blocks of a warp: blocks of a tap, taps
    cl_int filter_lines;                       // of 128 bytes; 0: filters are not contiguous
} ocl_conv_mma_split_k_data_t;

SHARED_BYTES(ocl_conv_mma_split_k_data_t, sizeof(ocl_conv_window_t) + 2 * sizeof(ocl_divisor_t) + 4 * 4);

#endif
