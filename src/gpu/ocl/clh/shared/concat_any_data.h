// SPDX-License-Identifier: Apache-2.0
// One source of ocl_concat_any.cl.
#ifndef CLH_SHARED_CONCAT_ANY_DATA_H
#define CLH_SHARED_CONCAT_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, dst;
    cl_long start;
    cl_int axis, reserved;
} ocl_concat_any_data_t;

SHARED_BYTES(ocl_concat_any_data_t, 2 * sizeof(ocl_md_t) + 16);

#endif
