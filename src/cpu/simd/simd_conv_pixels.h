// SPDX-License-Identifier: Apache-2.0
// Source pixels of a convolution with channels last as runs of contiguous elements: in src itself,
// or in a copy with zeros for the padding.
#ifndef PRIM_CPU_SIMD_CONV_PIXELS_H
#define PRIM_CPU_SIMD_CONV_PIXELS_H

#include "common/conv_shape.h"
#include "simd_convert.h"

/// The pixels that strips of `rows` rows of dst meet. A run is what a tap shows of a group's
/// channels or, if the taps of a row are contiguous, what all of them do.
typedef struct {
    conv_shape_t shape;
    prim_data_type_t dt;       ///< of elements: f32, or src's
    bool copies;               ///< else src is read where it is
    bool is_merged;            ///< a run has the taps of a row
    prim_dim_t nruns, elems;   ///< runs of a pixel, elements of a run
    prim_dim_t rows;           ///< of dst, in a strip
    prim_dim_t channels;       ///< from a pixel to the next: those of all groups
    prim_dim_t row, plane;     ///< elements from a row of src, or a plane, to the next
    prim_dim_t src_strides[5]; ///< n, c, d, h, w
} simd_conv_pixels_t;

/// The type of elements that this processor multiplies: bf16 if src and weights are, u8 if src is,
/// without a zero point, and weights are s8; or f32.
prim_data_type_t prim__simd_conv_pixels_type(const prim_desc_t *pd);

/// src has its channels one after the other; `dt` is f32 or its type.
void prim__simd_conv_pixels_init(simd_conv_pixels_t *pixels, const conv_shape_t *shape,
        const prim_memory_desc_t *src, prim_data_type_t dt);
/// Elements of a copy for strips of `rows` rows, for which `pixels` is set.
prim_dim_t prim__simd_conv_pixels_set_rows(simd_conv_pixels_t *pixels, prim_dim_t rows);

/// Where the runs of a pixel begin, from the element that the first tap shows.
void prim__simd_conv_pixels_runs(const simd_conv_pixels_t *pixels, prim_dim_t *runs);

/// What a strip that begins in row (image, od, oh) of dst meets: the element that the first tap
/// shows to its first pixel, in `room` if it is a copy.
const void *prim__simd_conv_pixels_read(const simd_conv_pixels_t *pixels, const simd_array_t *src,
        prim_dim_t image, prim_dim_t od, prim_dim_t oh, void *room);

#endif
