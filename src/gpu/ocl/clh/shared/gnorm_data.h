// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the typed kernels of group normalisation.
#ifndef CLH_SHARED_GNORM_DATA_H
#define CLH_SHARED_GNORM_DATA_H

#include "channels_data.h"

typedef struct {
    ocl_channels_t src, dst, diff_src; // dst: diff_dst of the gradients
    cl_int groups, group_channels, spatial;
    cl_int has_outputs; // statistics
    cl_float epsilon;
    cl_int elems;             // of a group
    ocl_divisor_t by_spatial;
} ocl_gnorm_data_t;

SHARED_BYTES(ocl_gnorm_data_t, 3 * sizeof(ocl_channels_t) + 6 * 4 + sizeof(ocl_divisor_t));

#endif
