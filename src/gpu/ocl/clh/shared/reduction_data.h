// SPDX-License-Identifier: Apache-2.0
// Parameters of the typed variants of reduction: src as loops that stay and loops that are reduced.
#ifndef CLH_SHARED_REDUCTION_DATA_H
#define CLH_SHARED_REDUCTION_DATA_H

#include "channels_data.h"

#define REDUCTION_LOOPS 6

// Outermost first; strides in elements. dst has the loops that stay alone.
typedef struct {
    cl_long kept_extents[REDUCTION_LOOPS], kept_src[REDUCTION_LOOPS], kept_dst[REDUCTION_LOOPS];
    cl_long reduced_extents[REDUCTION_LOOPS], reduced_src[REDUCTION_LOOPS];
    cl_long inner;          // extent of src's contiguous loop, which is not among those of its kind
    cl_long ndst, nreduced; // elements of dst, and of src that become one of them
    cl_long nouter;         // product of reduced_extents
    cl_long src_span;       // elements from the first one of src to its end
    cl_long nslices;        // that the elements behind one of dst are dealt to
    cl_int nkept, nloops;   // loops that stay, and that are reduced
    cl_int is_whole;        // the contiguous loop and all strides are multiples of a vector
    cl_float p, eps;
    cl_int reserved;
    ocl_divisor_t by_row; // vectors of a contiguous row
} ocl_reduction_data_t;

SHARED_BYTES(ocl_reduction_data_t, 8 * (5 * REDUCTION_LOOPS + 6) + 24 + 16);

#endif
