// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution's weights by boxes of pixels that tensor maps (TMA) copy: shapes, strides and the plan
// of ocl_conv_backward_weights_wgmma.cl. Triples are width, height, images.
#ifndef CLH_SHARED_CONV_BACKWARD_WEIGHTS_BOXES_DATA_H
#define CLH_SHARED_CONV_BACKWARD_WEIGHTS_BOXES_DATA_H

#include "conv_backward_weights_data.h"

typedef struct {
    ocl_conv_backward_weights_data_t base; // a split counts boxes: npixels and split_pixels do
    cl_long src_s[3], dst_s[3];            // strides of src and diff_dst, bytes
    cl_int src_size[3], dst_size[3];
    cl_int src_channels, dst_channels;     // of all groups
    cl_int src_group, dst_group;           // from a group's first channel to the next one's
    cl_int box[3], nboxes[3];              // of diff_dst; widths and heights divide its own
    cl_int step[2], pad[2], tap_step[2];   // of positions in src; step: of a pixel of diff_dst
    cl_int ic, blocks_c;                   // of a group: input channels, and blocks of 64 of them
    cl_int taps_x, ntaps;
} ocl_conv_backward_weights_boxes_t;

SHARED_BYTES(ocl_conv_backward_weights_boxes_t,
        sizeof(ocl_conv_backward_weights_data_t) + 6 * 8 + 26 * 4);

#endif
