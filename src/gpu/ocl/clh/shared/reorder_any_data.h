// SPDX-License-Identifier: Apache-2.0
// Descriptors, scales and zero points of ocl_reorder_any.cl.
#ifndef CLH_SHARED_REORDER_ANY_DATA_H
#define CLH_SHARED_REORDER_ANY_DATA_H

#include "quant_data.h"

typedef struct {
    ocl_md_t src, dst;
    ocl_quant_t src_scales, dst_scales, src_zps, dst_zps;
    cl_int is_plain, reserved; // neither scales nor zero points nor post-ops
} ocl_reorder_any_data_t;

SHARED_BYTES(ocl_reorder_any_data_t, 2 * sizeof(ocl_md_t) + 4 * sizeof(ocl_quant_t) + 8);

#endif
