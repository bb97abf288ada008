// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the typed kernels of pooling.
#ifndef CLH_SHARED_POOL_DATA_H
#define CLH_SHARED_POOL_DATA_H

#include "channels_data.h"

// One spatial dimension; absent ones have size 1 and a window of 1.
typedef struct {
    cl_int in, out, taps, stride, pad, jump;
} ocl_pool_axis_t;

SHARED_BYTES(ocl_pool_axis_t, 6 * 4);

// Of ocl_pool_nhwc_vector.cl, ocl_pool_nchw_tile.cl and ocl_pool_nchw_vector.cl; each reads what it needs.
typedef struct {
    ocl_channels_t src, dst, ws;
    ocl_pool_axis_t axes[3];
    cl_int nspatial, nitems;
    cl_int run_vecs, nblocks;    // vectors in a run of dst, runs of an image
    cl_int piece_elems, npieces; // of an output row
    cl_float volume;             // of the kernel
    cl_int src_elems;            // that src spans, from its first element
    cl_int nbands;               // of output rows, of which a work-item takes some together
    cl_int item_vecs;            // nhwc_vector: vectors of a run that a work-item takes
    ocl_divisor_t by_vecs, by_pieces, by_bands, by_depth, by_blocks; // of a work-item's index
} ocl_pool_data_t;

SHARED_BYTES(ocl_pool_data_t, 3 * 32 + 3 * 24 + 10 * 4 + 5 * 16);

typedef struct {
    ocl_pool_data_t pool;
    ocl_divisor_t by_lanes; // vectors of a run of dst over those of LANES
} ocl_pool_nhwc_tile_data_t;

SHARED_BYTES(ocl_pool_nhwc_tile_data_t, sizeof(ocl_pool_data_t) + 16);

typedef struct {
    ocl_pool_data_t pool;
    cl_int band_rows, reserved;
} ocl_pool_nchw_cpu_data_t;

SHARED_BYTES(ocl_pool_nchw_cpu_data_t, sizeof(ocl_pool_data_t) + 8);

typedef struct {
    ocl_channels_t src, dst;
    cl_int nspatial, nvecs; // of all images
    cl_int positions, step;
    cl_int group_vecs, vec_shift; // 1 << vec_shift
    cl_float divisor;             // of a mean
    ocl_divisor_t by_vecs;        // vectors of an image
} ocl_pool_nhwc_global_data_t;

SHARED_BYTES(ocl_pool_nhwc_global_data_t, 2 * 32 + 7 * 4 + 16);

typedef struct {
    ocl_channels_t src, dst;
    cl_int nspatial, nplanes, plane_elems, row_items;
    cl_int row_shift;                     // row_items = 1 << row_shift
    cl_float divisor;                     // of a mean
    ocl_divisor_t by_channels, by_blocks; // of a plane's index, of a channel's into runs of dst
} ocl_pool_nchw_global_data_t;

SHARED_BYTES(ocl_pool_nchw_global_data_t, 2 * 32 + 6 * 4 + 2 * 16);

#endif
