// SPDX-License-Identifier: Apache-2.0
// Parameters of copies to aligned rows, clh/align_rows.h.
#ifndef CLH_SHARED_MATMUL_ALIGN_DATA_H
#define CLH_SHARED_MATMUL_ALIGN_DATA_H

#include "shared_types.h"

// An operand whose rows are copied to multiples of 16 bytes.
typedef struct {
    // Sizes of three batch dimensions, 1 where the operand is broadcast, and distances in bytes: x, y, z.
    cl_long4 sizes, strides;
    cl_long pitch;    // bytes from row to row
    cl_int nrows;     // of a product
    cl_int row_bytes; // of a row, without what follows it
    cl_int row_vecs;  // vectors of 16 bytes of a row of the copy
    cl_int nvecs;     // of the whole copy; 0: the operand is not copied
} ocl_align_rows_t;

// Vectors of 16 bytes that a work-item loads before it stores the first.
#define ALIGN_AT_ONCE 8

// The counter of groups that have copied; counters of tiles lie before.
#define ALIGN_COUNTER 16383

SHARED_BYTES(ocl_align_rows_t, 2 * 32 + 32); // a multiple of 32, the alignment of its vectors

#endif
