// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_backward_data_depthwise.cl.
#ifndef CLH_SHARED_CONV_BACKWARD_DATA_DEPTHWISE_DATA_H
#define CLH_SHARED_CONV_BACKWARD_DATA_DEPTHWISE_DATA_H

#include "channels_data.h"

typedef struct {
    cl_long dst_n, dst_c, dst_h, dst_w; // strides of diff_dst
    cl_long src_n, src_c, src_h, src_w; // of diff_src
    cl_long wei_c, wei_h, wei_w;
    cl_long nitems;
    ocl_divisor_t channels, bands, columns; // of a work-item's index: channels, TH rows, TW columns
    cl_int in_h, in_w, out_h, out_w;
    cl_int pad_h, pad_w;
} ocl_conv_backward_data_depthwise_data_t;

SHARED_BYTES(ocl_conv_backward_data_depthwise_data_t, 8 * 12 + 3 * sizeof(ocl_divisor_t) + 4 * 6);

#endif
