// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the typed gradients of pooling.
#ifndef CLH_SHARED_POOL_BACKWARD_DATA_H
#define CLH_SHARED_POOL_BACKWARD_DATA_H

#include "pool_data.h"

// A work-item takes `rows` × `cols` elements of diff_src of one vector of channels (NHWC) or one channel (NCHW).
typedef struct {
    ocl_channels_t diff_dst, ws, diff_src;
    ocl_pool_axis_t axes[3]; // in: of diff_src, out: of diff_dst
    cl_int nitems, rows, cols;
    cl_float volume;                                              // of the kernel
    ocl_divisor_t by_vecs, by_cols, by_rows, by_depth, by_blocks; // of a work-item's index
} ocl_pool_backward_data_t;

SHARED_BYTES(ocl_pool_backward_data_t, 3 * 32 + 3 * 24 + 4 * 4 + 5 * 16);

typedef struct {
    ocl_channels_t diff_dst, ws;
    cl_int nelems, plane_elems, item_elems; // of diff_src; of a plane; of a work-item
    cl_float volume;
    cl_int is_linear, reserved;          // element i of diff_dst, and of ws, belongs to plane i
    ocl_divisor_t by_plane, by_channels; // of an element's index
} ocl_pool_backward_global_data_t;

SHARED_BYTES(ocl_pool_backward_global_data_t, 2 * 32 + 6 * 4 + 2 * 16);

// Of ocl_pool_backward_nhwc_global.cl.
typedef struct {
    ocl_channels_t diff_dst, ws, diff_src;
    cl_int nitems, positions; // of a plane
    cl_int step;              // between adjacent positions of diff_src
    cl_int npieces;           // of the positions
    cl_float volume;
    cl_int reserved;
    ocl_divisor_t by_vecs, by_pieces, by_blocks; // of a work-item's index
} ocl_pool_backward_nhwc_global_data_t;

SHARED_BYTES(ocl_pool_backward_nhwc_global_data_t, 3 * 32 + 6 * 4 + 3 * 16);

#endif
