// SPDX-License-Identifier: Apache-2.0
// Descriptors of ocl_resampling_backward_any.cl.
#ifndef CLH_SHARED_RESAMPLING_BACKWARD_ANY_DATA_H
#define CLH_SHARED_RESAMPLING_BACKWARD_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t diff_dst, diff_src;
    cl_int is_linear, reserved;
} ocl_resampling_backward_any_data_t;

SHARED_BYTES(ocl_resampling_backward_any_data_t, 2 * sizeof(ocl_md_t) + 8);

#endif
