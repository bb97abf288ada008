// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of resampling by integer factors.
#ifndef CLH_SHARED_RESAMPLING_SCALE_DATA_H
#define CLH_SHARED_RESAMPLING_SCALE_DATA_H

#include "channels_data.h"

typedef struct {
    ocl_channels_t src, dst;
    cl_int in_h, in_w, out_h, out_w;
    cl_int nitems, band_rows; // blocks of rows of a work-item, for nchw_double_cpu alone
    // Of a work-item's index, the lowest first: vectors in a run of dst (nhwc_integer), pieces of a
    // row, bands of rows, depth, runs of channels of an image.
    ocl_divisor_t vecs, pieces, bands, depth, blocks;
} ocl_scale_data_t;

SHARED_BYTES(ocl_scale_data_t, 2 * sizeof(ocl_channels_t) + 6 * 4 + 5 * sizeof(ocl_divisor_t));

#endif
