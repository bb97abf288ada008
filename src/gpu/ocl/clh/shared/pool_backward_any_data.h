// SPDX-License-Identifier: Apache-2.0
// Descriptors and windows of ocl_pool_backward_any.cl.
#ifndef CLH_SHARED_POOL_BACKWARD_ANY_DATA_H
#define CLH_SHARED_POOL_BACKWARD_ANY_DATA_H

#include "pool_any_data.h"

typedef struct {
    ocl_md_t diff_dst, ws, diff_src;
    ocl_pool_any_axis_t axes[3]; // in: of diff_src, out: of diff_dst
    cl_int nspatial, alg;
} ocl_pool_backward_any_data_t;

SHARED_BYTES(ocl_pool_backward_any_data_t, 3 * sizeof(ocl_md_t) + 3 * sizeof(ocl_pool_any_axis_t) + 2 * 4);

#endif
