// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_bnorm_any.cl.
#ifndef CLH_SHARED_BNORM_ANY_DATA_H
#define CLH_SHARED_BNORM_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, dst, ws;
    cl_int has_addend, has_scale, has_shift, has_relu;
    cl_float epsilon;
    cl_int reserved;
} ocl_bnorm_any_data_t;

SHARED_BYTES(ocl_bnorm_any_data_t, 3 * sizeof(ocl_md_t) + 24);

#endif
