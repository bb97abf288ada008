// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_gnorm_any.cl.
#ifndef CLH_SHARED_GNORM_ANY_DATA_H
#define CLH_SHARED_GNORM_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, dst;
    cl_long groups, group_channels; // of an image, of a group
    cl_long elems, piece, npieces;  // of a group; elements of its pieces, the last one has the rest
    cl_int has_scale, has_shift;
    cl_float epsilon;
    cl_int reserved;
} ocl_gnorm_any_data_t;

SHARED_BYTES(ocl_gnorm_any_data_t, 2 * sizeof(ocl_md_t) + 5 * 8 + 4 * 4);

#endif
