// SPDX-License-Identifier: Apache-2.0
// Parameters of ocl_reduction_any.cl.
#ifndef CLH_SHARED_REDUCTION_ANY_DATA_H
#define CLH_SHARED_REDUCTION_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, dst;
    cl_long nreduced; // elements of src that become one of dst
    cl_long nparts;   // parts that they are cut into
    cl_int alg;       // prim_alg_kind_t
    cl_float p, eps;
    cl_int reserved;
} ocl_reduction_any_data_t;

SHARED_BYTES(ocl_reduction_any_data_t, 2 * sizeof(ocl_md_t) + 32);

#endif
