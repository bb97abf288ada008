// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_prelu_any.cl.
#ifndef CLH_SHARED_PRELU_ANY_DATA_H
#define CLH_SHARED_PRELU_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t src, wei, dst;
} ocl_prelu_any_data_t;

SHARED_BYTES(ocl_prelu_any_data_t, 3 * sizeof(ocl_md_t));

#endif
