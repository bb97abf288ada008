// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_norm_backward.cl.
#ifndef CLH_SHARED_NORM_BACKWARD_DATA_H
#define CLH_SHARED_NORM_BACKWARD_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, diff_dst, ws, diff_src;
    cl_long groups;         // of the channels of an image, which share statistics; 0: a channel of all images does
    cl_long group_channels; // of a group
    cl_long plane_rows;     // rows of sums of planes: images, or parts of them
    cl_int are_constants;   // mean and variance do not depend on src
    cl_int has_scale, has_diff_src1, has_diff_scale, has_diff_shift;
    cl_float epsilon;
} ocl_norm_backward_data_t;

SHARED_BYTES(ocl_norm_backward_data_t, 4 * sizeof(ocl_md_t) + 3 * 8 + 6 * 4);

#endif
