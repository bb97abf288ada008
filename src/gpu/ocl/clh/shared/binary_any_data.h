// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_binary_any.cl.
#ifndef CLH_SHARED_BINARY_ANY_DATA_H
#define CLH_SHARED_BINARY_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src0, src1, src2, dst;
    cl_int scale0_dt, scale1_dt; // DT_UNDEF: not set
    cl_int is_int, reserved;     // integers to integers without attributes
} ocl_binary_any_data_t;

SHARED_BYTES(ocl_binary_any_data_t, 4 * sizeof(ocl_md_t) + 16);

#endif
