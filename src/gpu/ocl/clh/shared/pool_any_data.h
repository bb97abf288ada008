// SPDX-License-Identifier: Apache-2.0
// Descriptors and windows of ocl_pool_any.cl.
#ifndef CLH_SHARED_POOL_ANY_DATA_H
#define CLH_SHARED_POOL_ANY_DATA_H

#include "md_data.h"

// One spatial dimension; absent ones have size 1 and a window of 1.
typedef struct {
    cl_long in, out, taps, stride, pad, jump;
} ocl_pool_any_axis_t;

SHARED_BYTES(ocl_pool_any_axis_t, 6 * 8);

typedef struct {
    ocl_md_t src, dst, ws;
    ocl_pool_any_axis_t axes[3];
    cl_long tap_strides[3]; // between neighbours of src; of use if has_tap_strides
    cl_int nspatial, alg, has_tap_strides;
    cl_float lowest; // the maximum of nothing
} ocl_pool_any_data_t;

SHARED_BYTES(ocl_pool_any_data_t, 3 * sizeof(ocl_md_t) + 3 * sizeof(ocl_pool_any_axis_t) + 3 * 8 + 4 * 4);

#endif
