// SPDX-License-Identifier: Apache-2.0
// The copy of the weights of a phase (ocl_conv_backward_data_polyphase.cl).
#ifndef CLH_SHARED_CONV_BACKWARD_DATA_POLYPHASE_DATA_H
#define CLH_SHARED_CONV_BACKWARD_DATA_POLYPHASE_DATA_H

#include "conv_data.h"

typedef struct {
    ocl_md_t from; // [(G,) OC, IC, kernel…]
    ocl_md_t to;   // [(G,) IC, OC, taps of the phase…]
    // In the order depth, height, width; missing ones have one tap and strides of 0.
    cl_long first_tap[NSPATIAL], tap_step[NSPATIAL], ntaps[NSPATIAL];
    cl_long from_strides[NSPATIAL], to_strides[NSPATIAL];
    cl_int has_groups;
    cl_int fast_dim; // of `to`, channels that neighbouring work-items copy
} ocl_conv_transpose_data_t;

SHARED_BYTES(ocl_conv_transpose_data_t, 2 * sizeof(ocl_md_t) + 8 * 5 * NSPATIAL + 4 * 2);

#endif
