// SPDX-License-Identifier: Apache-2.0
// The sums of a depthwise convolution along channels.
#ifndef PRIM_CPU_SIMD_DEPTHWISE_H
#define PRIM_CPU_SIMD_DEPTHWISE_H

#include "common/conv_shape.h"
#include "simd_level.h"

/// Taps of one call.
enum { SIMD_DEPTHWISE_TAPS = 32 };

/// What is multiplied for pixels of a row.
typedef struct {
    const void *x[SIMD_DEPTHWISE_TAPS]; ///< what each tap shows to the first pixel
    size_t step[SIMD_DEPTHWISE_TAPS];   ///< bytes from there to what it shows to the next
    const float *w[SIMD_DEPTHWISE_TAPS];
    int n;
    bool starts; ///< there are no sums yet
} simd_depthwise_taps_t;

enum { SIMD_DEPTHWISE_WINDOW = 9 };

/// A window of 3×3 taps, those of a row neighbours, for pixels of a row of dst.
typedef struct {
    const void *x[3]; ///< the first column of the rows of src; NULL: the row is outside
    prim_dim_t first; ///< column that the first tap shows to the first pixel: −1 if it lacks that
    size_t column;    ///< bytes from a column to the next
    int stride;       ///< columns from a pixel to the next: 1 or 2
    const float *w[SIMD_DEPTHWISE_WINDOW];
    bool lacks_first, lacks_last; ///< the first tap of the first pixel, the last of the last one
                                  ///< are outside src
} simd_depthwise_window_t;

typedef struct {
    /// sums[p·n + i] += x[t][i]·w[t][i] (or =, if it starts) for the taps in their order, i < n,
    /// where p < npixels counts pixels; x are of `dt`: f32, f16, bf16, s8 or u8.
    void (*add_taps)(float *sums, const simd_depthwise_taps_t *taps, prim_data_type_t dt,
            prim_dim_t npixels, prim_dim_t n);
    /// The same of a window, whose sums it begins; false: there are fewer pixels or channels than
    /// it takes.
    bool (*add_window)(float *sums, const simd_depthwise_window_t *window, prim_data_type_t dt,
            prim_dim_t npixels, prim_dim_t n);
} simd_depthwise_code_t;

/// Whether windows are such ones, with a tap beyond an end of a row at most.
bool prim__simd_depthwise_has_window(const conv_shape_t *shape);

/// The weights as f32, which is what `w` points into: [taps][channels], or [channels][taps] without
/// is_last.
void prim__simd_depthwise_weights(float *to, const conv_shape_t *shape, const void *wei,
        const prim_memory_desc_t *md, bool is_last);

SIMD_DECLARE(simd_depthwise_code_t, prim__simd_depthwise_code);

#endif
