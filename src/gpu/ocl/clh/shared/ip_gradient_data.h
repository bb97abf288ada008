// SPDX-License-Identifier: Apache-2.0
// Parameters of ocl_ip_gradient.cl.
#ifndef CLH_SHARED_IP_GRADIENT_DATA_H
#define CLH_SHARED_IP_GRADIENT_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t diff_dst, in, out;
    // Distance of neighbours along the dimension that is summed over; 0: it is cut by blocks.
    cl_long diff_step, in_step;
    cl_long summed; // that dimension of diff_dst
} ocl_ip_gradient_data_t;

SHARED_BYTES(ocl_ip_gradient_data_t, 3 * sizeof(ocl_md_t) + 24);

typedef struct {
    ocl_md_t in, out;
} ocl_ip_column_sums_data_t;

SHARED_BYTES(ocl_ip_column_sums_data_t, 2 * sizeof(ocl_md_t));

#endif
