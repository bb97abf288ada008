// SPDX-License-Identifier: Apache-2.0
// Where the scale or zero point of a position lies: at Σ (position[d] / groups[d])·strides[d].
#ifndef CLH_SHARED_QUANT_DATA_H
#define CLH_SHARED_QUANT_DATA_H

#include "md_data.h"

typedef struct {
    cl_long strides[MAX_NDIMS]; // 0 for dimensions outside the mask
    cl_long groups[MAX_NDIMS];  // ≥ 1
    cl_int ndims, dt;           // dt 0: not set
} ocl_quant_t;

SHARED_BYTES(ocl_quant_t, 8 * 2 * MAX_NDIMS + 4 * 2);

#endif
