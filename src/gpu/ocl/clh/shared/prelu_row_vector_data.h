// SPDX-License-Identifier: Apache-2.0
// Extents and strides of ocl_prelu_row_vector.cl, outermost loop first.
#ifndef CLH_SHARED_PRELU_ROWS_DATA_H
#define CLH_SHARED_PRELU_ROWS_DATA_H

#include "shared_types.h"

#define PRELU_OUTER 3

typedef struct {
    cl_int extents[PRELU_OUTER], src_strides[PRELU_OUTER], wei_strides[PRELU_OUTER], dst_strides[PRELU_OUTER];
    cl_int row_elems, piece_elems, npieces, nitems;
} ocl_prelu_row_vector_data_t;

SHARED_BYTES(ocl_prelu_row_vector_data_t, 4 * (4 * PRELU_OUTER + 4));

#endif
