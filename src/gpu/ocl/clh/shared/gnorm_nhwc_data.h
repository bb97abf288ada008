// SPDX-License-Identifier: Apache-2.0
// Sizes of group normalisation of contiguous NHWC and of its gradients.
#ifndef CLH_SHARED_GNORM_NHWC_DATA_H
#define CLH_SHARED_GNORM_NHWC_DATA_H

#include "shared_types.h"

typedef struct {
    cl_int batch, spatial, channels; // images, positions of one, channels
    cl_int groups, group_channels;   // of an image, of a group
    cl_int nvecs;                    // vectors of a position
    cl_int nblocks, columns;         // work-groups for the vectors of a position; vectors of one
    cl_int nrows;                    // positions that a work-group has at a time
    cl_int slice, nslices;           // positions of a work-group that sums; such slices of an image
    cl_int tile, ntiles;             // positions of a work-group that writes; such tiles of an image
    cl_int are_given;                // mean and variance are inputs that do not depend on src
    cl_int has_outputs;              // mean and variance
    cl_int has_scale, has_shift;
    cl_float epsilon;
} ocl_gnorm_nhwc_data_t;

SHARED_BYTES(ocl_gnorm_nhwc_data_t, 18 * 4);

#endif
