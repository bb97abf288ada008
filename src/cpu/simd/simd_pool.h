// SPDX-License-Identifier: Apache-2.0
// Maxima and sums of taps, for rows of neighbouring results.
#ifndef PRIM_CPU_SIMD_POOL_H
#define PRIM_CPU_SIMD_POOL_H

#include "common/op_desc.h"
#include "simd_level.h"

enum { SIMD_POOL_STEP = 16 }; ///< results are rounded up to a multiple, but for stride 1

/// What the results of a row meet at one tap of their windows.
typedef struct {
    const float *x; ///< of result 0; the next ones follow at a stride
    float index;    ///< of the tap in the window
} simd_tap_t;

/// Windows along a row of `width` elements: the taps of window i are the elements first + i·stride
/// + k·step, k = 0..ntaps−1, as far as they lie in the row.
typedef struct {
    prim_dim_t width, first, stride, step, ntaps;
} simd_spread_t;

typedef struct {
    /// acc = max(acc, taps), in their order; NaN never wins. winners, where not NULL, become the
    /// indices of the taps that won. With stride 1 taps have n elements; with others as many as
    /// there are up to the next multiple of SIMD_POOL_STEP, and so have acc and winners.
    void (*max)(float *acc, float *winners, const simd_tap_t *taps, int ntaps, prim_dim_t n,
            prim_dim_t stride);
    /// acc += taps
    void (*sum)(float *acc, const simd_tap_t *taps, int ntaps, prim_dim_t n, prim_dim_t stride);
    /// Adds x[i] to all taps of window i, for n windows.
    void (*spread)(float *row, const float *x, const simd_spread_t *windows, prim_dim_t n);
} simd_pool_code_t;

SIMD_DECLARE(simd_pool_code_t, prim__simd_pool_code);

#endif
