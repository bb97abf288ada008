// SPDX-License-Identifier: Apache-2.0
// Descriptors and scales of ocl_ip_any.cl.
#ifndef CLH_SHARED_IP_ANY_DATA_H
#define CLH_SHARED_IP_ANY_DATA_H

#include "quant_data.h"

typedef struct {
    ocl_md_t src, wei, bia, dst;
    ocl_quant_t src_scales, wei_scales, dst_scales;
    // Strides of the last dimension, where rows run; 0: it is cut by blocks.
    cl_long src_step, wei_step;
} ocl_ip_any_data_t;

SHARED_BYTES(ocl_ip_any_data_t, 4 * sizeof(ocl_md_t) + 3 * sizeof(ocl_quant_t) + 16);

#endif
