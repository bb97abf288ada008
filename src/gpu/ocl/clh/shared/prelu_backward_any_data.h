// SPDX-License-Identifier: Apache-2.0
// Parameters of ocl_prelu_backward_any.cl.
#ifndef CLH_SHARED_PRELU_BACKWARD_ANY_DATA_H
#define CLH_SHARED_PRELU_BACKWARD_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, wei, diff_dst, diff_src, diff_wei;
    cl_long nweights;
    cl_long nsharing; // elements of src that share a weight
    cl_long nparts;   // parts of the sum over them
} ocl_prelu_backward_any_data_t;

SHARED_BYTES(ocl_prelu_backward_any_data_t, 5 * sizeof(ocl_md_t) + 24);

#endif
