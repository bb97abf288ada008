// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the typed gradient of resampling.
#ifndef CLH_SHARED_RESAMPLING_BACKWARD_DATA_H
#define CLH_SHARED_RESAMPLING_BACKWARD_DATA_H

#include "resampling_data.h"

typedef struct {
    ocl_channels_t diff_dst, diff_src;
    ocl_resize_t axes[3];                                         // in: of diff_src, out: of diff_dst
    cl_int nitems, cols;                                          // elements of a row that a work-item takes
    ocl_divisor_t by_vecs, by_cols, by_rows, by_depth, by_blocks; // of a work-item's index
} ocl_resampling_backward_data_t;

SHARED_BYTES(ocl_resampling_backward_data_t,
        2 * sizeof(ocl_channels_t) + 3 * sizeof(ocl_resize_t) + 2 * 4 + 5 * 16);

#endif
