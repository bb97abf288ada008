// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the typed kernels of resampling.
#ifndef CLH_SHARED_RESAMPLING_DATA_H
#define CLH_SHARED_RESAMPLING_DATA_H

#include "channels_data.h"

typedef struct {
    cl_int in, out;
} ocl_resize_t;

typedef struct {
    ocl_channels_t src, dst;
    ocl_resize_t axes[3]; // depth, height, width; absent ones 1 and 1
    cl_int nspatial, nitems;
    cl_int run_vecs, item_vecs, nblocks; // nhwc_vector: vectors in a run of dst, of a work-item; runs
    cl_int piece_elems, npieces;         // of an output row
} ocl_resampling_data_t;

SHARED_BYTES(ocl_resampling_data_t, 2 * sizeof(ocl_channels_t) + 3 * sizeof(ocl_resize_t) + 7 * 4);

#endif
