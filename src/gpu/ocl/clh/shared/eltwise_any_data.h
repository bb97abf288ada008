// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_eltwise_any.cl.
#ifndef CLH_SHARED_ELTWISE_ANY_DATA_H
#define CLH_SHARED_ELTWISE_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, dst;
} ocl_eltwise_any_data_t;

SHARED_BYTES(ocl_eltwise_any_data_t, 2 * sizeof(ocl_md_t));

#endif
