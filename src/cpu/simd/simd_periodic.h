// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of pixels whose channels are contiguous: pixels of a strip are one row of
// elements, channels repeat along it, and what a tap shows to all of them is one run.
#ifndef PRIM_CPU_SIMD_PERIODIC_H
#define PRIM_CPU_SIMD_PERIODIC_H

#include "common/impl.h"
#include "simd_level.h"

enum { SIMD_PERIODIC_SLACK = 16 }; ///< elements beyond the last that are read and written

/// sums[e] = Σ x[taps[t] + e] · wei[t·wei_row + e mod channels] over t < ntaps, for e < n.
typedef struct {
    const float *x;
    const prim_dim_t *taps;
    prim_dim_t ntaps, channels;
    const float *wei; ///< rows go on with the first channels for SIMD_PERIODIC_SLACK elements
    prim_dim_t wei_row, n;
    float *sums;
} simd_periodic_t;

/// The way back: sums[t·period + e mod period] += x[taps[t] + e] · y[e] for e < n where mask[e] is
/// −1, if there is a mask. The period is a multiple of the channels and of SIMD_PERIODIC_SLACK; y
/// is 0 where mask is, and up to the end of the last vector.
typedef struct {
    const float *x, *y;
    const prim_dim_t *taps;
    prim_dim_t ntaps, period, n;
    const int32_t *mask;
    float *sums;
} simd_periodic_dots_t;

typedef struct {
    void (*multiply)(const simd_periodic_t *a);
    void (*dots)(const simd_periodic_dots_t *a);
} simd_periodic_code_t;

SIMD_DECLARE(simd_periodic_code_t, prim__simd_periodic_code);

#endif
