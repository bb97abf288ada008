// SPDX-License-Identifier: Apache-2.0
// Descriptors of a launch of ocl_sum_any.cl.
#ifndef CLH_SHARED_SUM_ANY_DATA_H
#define CLH_SHARED_SUM_ANY_DATA_H

#include "md_data.h"

#define SUM_INPUTS 8 // of one launch

typedef struct {
    ocl_md_t src[SUM_INPUTS], dst;
} ocl_sum_any_data_t;

SHARED_BYTES(ocl_sum_any_data_t, (SUM_INPUTS + 1) * sizeof(ocl_md_t));

#endif
