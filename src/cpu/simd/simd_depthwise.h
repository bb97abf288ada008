// SPDX-License-Identifier: Apache-2.0
// The sums of a depthwise convolution along channels.
#ifndef PRIM_CPU_SIMD_DEPTHWISE_H
#define PRIM_CPU_SIMD_DEPTHWISE_H

#include "common/impl.h"
#include "simd_level.h"

/// Taps of one call.
enum { SIMD_DEPTHWISE_TAPS = 32 };

typedef struct {
    /// sums[i] += x[t][i]·w[t][i] for the taps t < ntaps in their order, i < n; x are of `dt`: f32,
    /// f16, bf16, s8 or u8.
    void (*add_taps)(float *sums, const void *const *x, prim_data_type_t dt, const float *const *w,
            int ntaps, prim_dim_t n);
} simd_depthwise_code_t;

SIMD_DECLARE(simd_depthwise_code_t, prim__simd_depthwise_code);

#endif
