// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the typed kernels of batch normalisation's gradients.
#ifndef CLH_SHARED_BNORM_BACKWARD_DATA_H
#define CLH_SHARED_BNORM_BACKWARD_DATA_H

#include "channels_data.h"

typedef struct {
    ocl_channels_t src, diff_dst, ws, diff_src;
    cl_int batch, spatial;       // images, elements of a plane
    cl_int npieces, piece_elems; // of a plane, NCHW
    cl_int nvecs, block;         // vectors of a position, and that a work-group covers at once; NHWC
    cl_int nchunks;              // partial sums of a channel
    cl_int are_constants;        // mean and variance do not depend on src
    cl_int has_scale, has_diff_scale, has_diff_shift;
    cl_float epsilon;
} ocl_bnorm_backward_data_t;

SHARED_BYTES(ocl_bnorm_backward_data_t, 4 * sizeof(ocl_channels_t) + 12 * 4);

#endif
