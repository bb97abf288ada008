// SPDX-License-Identifier: Apache-2.0
// Tensors [N, C, (D, (H,)) W] of less than 2³¹ elements by strides, and what divides their indices.
#ifndef CLH_SHARED_CHANNELS_DATA_H
#define CLH_SHARED_CHANNELS_DATA_H

#include "shared_types.h"

// Element (n, c, d, h, w) lies at n·n + (c / run)·block + c % run + d·d + h·h + w·w.
typedef struct {
    cl_int channels, padded_channels;
    cl_int run;        // channels that lie next to each other
    cl_int block;      // distance of runs
    cl_int n, d, h, w; // strides; 0 for absent dimensions
} ocl_channels_t;

SHARED_BYTES(ocl_channels_t, 8 * 4);

// What divides indices by a number that is known before the launch, without a division.
typedef struct {
    cl_uint factor, own; // n = 1 takes the number itself: own is all ones, factor 0
    cl_int shift, n;
} ocl_divisor_t;

SHARED_BYTES(ocl_divisor_t, 4 * 4);

#endif
