// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_eltwise_backward_any.cl.
#ifndef CLH_SHARED_ELTWISE_BACKWARD_ANY_DATA_H
#define CLH_SHARED_ELTWISE_BACKWARD_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t data, diff_dst, diff_src;
} ocl_eltwise_backward_any_data_t;

SHARED_BYTES(ocl_eltwise_backward_any_data_t, 3 * sizeof(ocl_md_t));

#endif
