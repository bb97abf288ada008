// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_direct.cl.
#ifndef CLH_SHARED_CONV_DIRECT_DATA_H
#define CLH_SHARED_CONV_DIRECT_DATA_H

#include "channels_data.h"
#include "conv_data.h"

#define CONV_DIRECT_PHASES 4 // of one dimension, at most

// Rows (columns) of dst that meet the same taps: `n` of them, from `at` on. The first one's window begins at `start` in
// src; its tap k is first + k·step of the weights, or 0 where these have no such tap.
typedef struct {
    cl_int at, n, start, first;
} ocl_conv_direct_phase_t;

SHARED_BYTES(ocl_conv_direct_phase_t, 4 * 4);

typedef struct {
    cl_long src_n, src_c, src_h, src_w; // strides
    cl_long dst_n, dst_c, dst_h, dst_w;
    cl_long wei_g, wei_o, wei_i, wei_h, wei_w;
    ocl_conv_direct_phase_t rows[CONV_DIRECT_PHASES], columns[CONV_DIRECT_PHASES];
    ocl_divisor_t parts, width, bands; // of a work-group's index, and of a work-item's
    ocl_divisor_t blocks, phases_h, phases_w; // of a part's
    ocl_divisor_t taps;                // of a column of weights: ntaps_w
    cl_int nitems;                     // of a part
    cl_int src_height, src_width;
    cl_int ic, oc;                     // of a group
    cl_int ngroups;
    cl_int taps_h, taps_w;             // of the weights
    cl_int ncolumns;                   // of a phase's window, in all channels of src, VEC together
    cl_int step_h, step_w;             // of its taps, in the weights
    cl_int stride_w, dilation_w;       // of columns of src
    cl_int move_h, move_w;             // rows and columns of dst from one of a phase to the next
    cl_int nspatial;
    cl_int zero;                       // 0, which no compiler knows
    cl_int reserved;
    ocl_conv_quant_t quant;
} ocl_conv_direct_data_t;

SHARED_BYTES(ocl_conv_direct_data_t,
        8 * 13 + 2 * CONV_DIRECT_PHASES * sizeof(ocl_conv_direct_phase_t) + 7 * sizeof(ocl_divisor_t) + 4 * 18 +
                sizeof(ocl_conv_quant_t));

#endif
