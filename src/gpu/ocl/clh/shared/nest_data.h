// SPDX-License-Identifier: Apache-2.0
// The eight loops of an element-wise kernel: a work-item takes a piece of the two innermost ones (places
// 6 and 7) and one index of the rest. Tensor 0 is dst.
#ifndef CLH_SHARED_NEST_DATA_H
#define CLH_SHARED_NEST_DATA_H

#include "shared_types.h"

#define NEST_LOOPS 8
#define NEST_ROW 6
#define NEST_INNER 7
#define NEST_TENSORS 4
#define NEST_TAILS 2

typedef struct {
    cl_long extents[NEST_LOOPS];
    cl_long strides[NEST_TENSORS][NEST_LOOPS];
    cl_long multipliers[NEST_TAILS][NEST_LOOPS]; // tail k: Σ multipliers·index ≥ limits is padding
    cl_long limits[NEST_TAILS];
    cl_int is_in_dst[NEST_TAILS]; // dst has the padding: 0 goes there
    cl_int first_loop;            // loops before it have extent 1
    cl_int reserved;
} ocl_nest_t;

SHARED_BYTES(ocl_nest_t, 8 * (NEST_LOOPS * (1 + NEST_TENSORS + NEST_TAILS) + NEST_TAILS) + 4 * (NEST_TAILS + 2));

#endif
