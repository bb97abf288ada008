// SPDX-License-Identifier: Apache-2.0
// Sizes of ocl_binary_dense_broadcast.cl.
#ifndef CLH_SHARED_BINARY_DENSE_BROADCAST_DATA_H
#define CLH_SHARED_BINARY_DENSE_BROADCAST_DATA_H

#include "channels_data.h"

// dst as three loops, of which the inner one has stride 1; steps of src1 in elements.
typedef struct {
    ocl_divisor_t inner, middle;
    cl_int middle_step, outer_step; // that of the inner loop is INNER_STEP
    cl_int nelems;                  // of dst
    cl_int reserved;
} ocl_binary_dense_broadcast_data_t;

SHARED_BYTES(ocl_binary_dense_broadcast_data_t, 2 * sizeof(ocl_divisor_t) + 4 * 4);

#endif
