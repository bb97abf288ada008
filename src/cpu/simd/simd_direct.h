// SPDX-License-Identifier: Apache-2.0
// The sums of a direct convolution over planes of f32: what a tap shows to the elements of dst is
// one contiguous run of a plane, wherever the rows of dst end.
#ifndef PRIM_CPU_SIMD_DIRECT_H
#define PRIM_CPU_SIMD_DIRECT_H

#include "common/impl.h"
#include "simd_level.h"

enum {
    SIMD_DIRECT_CHANNELS = 4, ///< of dst in one call, at most
    SIMD_DIRECT_TAPS = 4,     ///< of a call that adds dot products
    SIMD_DIRECT_SLACK = 16,   ///< elements beyond the last that are read and written
};

/// sums[o·sums_row + i] = Σ x[plane·plane_elems + taps[t] + i] · wei[plane][t][o] for i < n: planes
/// one after the other, taps of a plane in their order.
typedef struct {
    const float *x;
    prim_dim_t nplanes, plane_elems;
    const prim_dim_t *taps;
    prim_dim_t ntaps;
    const float *wei; ///< [nplanes][ntaps][channels of the call]
    float *sums;
    prim_dim_t sums_row, n;
} simd_direct_t;

/// The way back: sums[o·sums_row + t] += Σ x[taps[t] + i] · y[o·y_row + i] over i < n where mask[i]
/// is −1; else it is 0, and so is y there and up to the end of the last vector.
typedef struct {
    const float *x, *y;
    const prim_dim_t *taps;
    prim_dim_t y_row;
    const int32_t *mask;
    prim_dim_t n;
    float *sums;
    prim_dim_t sums_row;
} simd_direct_dots_t;

typedef struct {
    /// For 1 ≤ nchannels ≤ SIMD_DIRECT_CHANNELS.
    void (*multiply)(const simd_direct_t *sums, int nchannels);
    /// The same, and 1 ≤ ntaps ≤ SIMD_DIRECT_TAPS.
    void (*dots)(const simd_direct_dots_t *dots, int nchannels, int ntaps);
} simd_direct_code_t;

SIMD_DECLARE(simd_direct_code_t, prim__simd_direct_code);

#endif
