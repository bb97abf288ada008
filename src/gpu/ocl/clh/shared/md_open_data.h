// SPDX-License-Identifier: Apache-2.0
// What is known at creation of tensors and settings whose dimensions and strides may come at execution
// (clh/md_open.h).
#ifndef CLH_SHARED_MD_OPEN_DATA_H
#define CLH_SHARED_MD_OPEN_DATA_H

#include "md_data.h"

// The part of a descriptor that is known at creation always.
typedef struct {
    cl_long padded_offsets[MAX_NDIMS];
    cl_int blks[MAX_NDIMS], idxs[MAX_NDIMS];
    cl_int nblks, dt;
} ocl_md_open_t;

SHARED_BYTES(ocl_md_open_t, 8 * MAX_NDIMS + 4 * (2 * MAX_NDIMS + 2));

// Scales or zero points of a tensor.
typedef struct {
    cl_long groups[2]; // of the last two dimensions
    cl_int mask, dt;   // dt 0: not set
} ocl_quant_open_t;

SHARED_BYTES(ocl_quant_open_t, 2 * 8 + 2 * 4);

#endif
