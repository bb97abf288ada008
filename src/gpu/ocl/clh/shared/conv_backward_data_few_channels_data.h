// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of ocl_conv_backward_data_few_channels.cl.
#ifndef CLH_SHARED_CONV_BACKWARD_DATA_FEW_CHANNELS_DATA_H
#define CLH_SHARED_CONV_BACKWARD_DATA_FEW_CHANNELS_DATA_H

#include "channels_data.h"

typedef struct {
    cl_long dst_n, dst_c, dst_h, dst_w; // strides of diff_dst
    cl_long src_n, src_c, src_h, src_w; // of diff_src
    cl_long wei_o, wei_i, wei_h, wei_w;
    ocl_divisor_t tiles_w, tiles_h;     // of a work-group's index
    cl_int in_h, in_w, out_h, out_w;
    cl_int pad_h, pad_w;
    cl_int oc, reserved;
} ocl_conv_backward_data_few_channels_data_t;

SHARED_BYTES(ocl_conv_backward_data_few_channels_data_t, 8 * 12 + 2 * sizeof(ocl_divisor_t) + 4 * 8);

#endif
