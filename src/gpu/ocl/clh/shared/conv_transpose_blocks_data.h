// SPDX-License-Identifier: Apache-2.0
// The copy of the weights of a phase into blocks of input channels (ocl_conv_transpose_blocks.cl).
#ifndef CLH_SHARED_CONV_TRANSPOSE_BLOCKS_DATA_H
#define CLH_SHARED_CONV_TRANSPOSE_BLOCKS_DATA_H

#include "conv_data.h"

typedef struct {
    // In the order depth, height, width; missing ones have one tap and strides of 0.
    cl_long first_tap[NSPATIAL], tap_step[NSPATIAL], ntaps[NSPATIAL];
    cl_long from_s[NSPATIAL], from_g, from_o, from_i; // strides of the weights
    cl_long to_s[NSPATIAL], to_g, to_o, to_block;     // of the copy: elements of a block are contiguous
    cl_int oc, ic;                                    // of a group
    cl_int nblocks, nchunks;                          // of input channels, of output channels
} ocl_conv_transpose_blocks_data_t;

SHARED_BYTES(ocl_conv_transpose_blocks_data_t, 8 * (5 * NSPATIAL + 6) + 4 * 4);

#endif
