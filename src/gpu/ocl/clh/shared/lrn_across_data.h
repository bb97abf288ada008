// SPDX-License-Identifier: Apache-2.0
// Parameters of the typed variants of local response normalisation across channels.
#ifndef CLH_SHARED_LRN_ACROSS_DATA_H
#define CLH_SHARED_LRN_ACROSS_DATA_H

#include "channels_data.h"

// All tensors are contiguous, in the same layout.
typedef struct {
    cl_int channels, plane; // elements of a channel of an image
    cl_int nitems;
    cl_int segment;         // channels that a work-item goes through
    cl_float factor, beta, k; // alpha / n
    cl_int reserved;
    ocl_divisor_t by_vecs, by_segments; // of a work-item's index
} ocl_lrn_across_data_t;

SHARED_BYTES(ocl_lrn_across_data_t, 8 * 4 + 2 * 16);

#endif
