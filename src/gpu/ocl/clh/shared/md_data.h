// SPDX-License-Identifier: Apache-2.0
// A memory descriptor as kernels see it. offset0 is not here: it is in the tensor's `long` argument.
#ifndef CLH_SHARED_MD_DATA_H
#define CLH_SHARED_MD_DATA_H

#include "shared_types.h"

#define MAX_NDIMS 12

// ndims 0: absent, everything is 0.
typedef struct {
    cl_long dims[MAX_NDIMS], padded_dims[MAX_NDIMS], padded_offsets[MAX_NDIMS];
    cl_long strides[MAX_NDIMS];
    cl_long nelems, nelems_padded;
    cl_int inner_blks[MAX_NDIMS], inner_idxs[MAX_NDIMS];
    cl_int ndims, dt, inner_nblks, is_padded;
} ocl_md_t;

SHARED_BYTES(ocl_md_t, 8 * (4 * MAX_NDIMS + 2) + 4 * (2 * MAX_NDIMS + 4));

#endif
