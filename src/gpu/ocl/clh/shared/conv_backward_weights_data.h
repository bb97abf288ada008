// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the gradient of a convolution's weights as an implicit matrix product: OC × pixels of
// diff_dst times pixels × columns of src, where a column is an input channel under a tap.
#ifndef CLH_SHARED_CONV_BACKWARD_WEIGHTS_DATA_H
#define CLH_SHARED_CONV_BACKWARD_WEIGHTS_DATA_H

#include "channels_data.h"
#include "conv_data.h"

typedef struct {
    cl_long npartial;                      // elements of a split: gradients of all weights, then of the bias
    cl_long wei_g, wei_o, wei_i, wei_s[NSPATIAL]; // strides of diff_weights
    cl_int dst_n, dst_c, dst_s[NSPATIAL];  // strides of diff_dst
    cl_int src_n, src_c, src_s[NSPATIAL];  // of src
    cl_int dst_g, src_g;                   // distances of groups
    cl_int in[NSPATIAL], stride[NSPATIAL], pad[NSPATIAL];
    cl_int dilation[NSPATIAL];             // 1 is dense
    cl_int ngroups, oc;                    // oc: of a group
    cl_int ncolumns, npixels;              // of a group; N·out…
    cl_int split_pixels, nsplits;          // pixels of a split, whole slices
    ocl_divisor_t out[NSPATIAL], taps[NSPATIAL], ic;
    ocl_divisor_t columns;                 // ncolumns
    ocl_divisor_t ntiles_m, ntiles_n;      // of a group
} ocl_conv_backward_weights_data_t;

SHARED_BYTES(ocl_conv_backward_weights_data_t,
        8 * (4 + NSPATIAL) + 4 * (12 + 6 * NSPATIAL) + (2 * NSPATIAL + 4) * sizeof(ocl_divisor_t));

#endif
