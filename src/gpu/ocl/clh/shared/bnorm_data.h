// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the typed kernels of batch normalisation.
#ifndef CLH_SHARED_BNORM_DATA_H
#define CLH_SHARED_BNORM_DATA_H

#include "channels_data.h"

typedef struct {
    ocl_channels_t src, dst, ws;
    cl_int batch, spatial;              // images, elements of a plane
    cl_int src_step, dst_step, ws_step; // between neighbours of a plane
    cl_int has_scale, has_shift, has_outputs;
    cl_int nvecs;                       // vectors of channels, of ocl_bnorm_nhwc_vector.cl
    cl_int nchunks, chunk_elems;        // pieces of the statistics; elements, for planes images
    cl_int piece_elems, npieces;        // that a work-item normalises
    cl_int piece_items;                 // neighbours that share a piece, of ocl_bnorm_nchw_channel_per_group.cl
    cl_int item_vecs, nshares;          // vectors of a work-item, such shares of nvecs; ocl_bnorm_nhwc_vector.cl
    cl_int is_reversed;                 // the last pieces first: they may still be in the caches
    cl_float epsilon;
    ocl_divisor_t plane_vecs; // vectors of a plane, of ocl_bnorm_nchw_multi_group.cl; of a position, ocl_bnorm_nhwc_two_pass.cl
} ocl_bnorm_data_t;

SHARED_BYTES(ocl_bnorm_data_t, 3 * sizeof(ocl_channels_t) + 18 * 4 + sizeof(ocl_divisor_t));

#endif
