// SPDX-License-Identifier: Apache-2.0
// Source rows of a convolution as planes of f32 with zeros for the padding, so that what a tap
// shows to all pixels of several rows of dst is one contiguous run, whatever the stride.
#ifndef PRIM_CPU_SIMD_CONV_PLANES_H
#define PRIM_CPU_SIMD_CONV_PLANES_H

#include "common/conv_shape.h"
#include "simd_convert.h"

/// The planes of a strip: `rows` rows of dst. A channel has a plane for each tap along the depth.
/// With strides, rows and columns of src whose indices leave the same remainder are together, a
/// phase of the plane: neighbours in dst are neighbours there. Pixel (row, column) of the strip is
/// element row·width + column; columns from the width of dst on are nobody's.
typedef struct {
    conv_shape_t shape;
    prim_dim_t rows;
    prim_dim_t width;       ///< of a row of a phase
    prim_dim_t phase_rows;  ///< of a phase
    prim_dim_t plane_elems; ///< of all phases
} simd_conv_planes_t;

void prim__simd_conv_planes_init(
        simd_conv_planes_t *planes, const conv_shape_t *shape, prim_dim_t rows);

/// Elements that hold `nchannels`, and what is read beyond the last.
prim_dim_t prim__simd_conv_planes_elems(const simd_conv_planes_t *planes, prim_dim_t nchannels);

/// Where the plane has what a tap shows to pixel (0, 0); `taps` are those of rows and columns.
void prim__simd_conv_planes_taps(const simd_conv_planes_t *planes, prim_dim_t *taps);

/// The same of all taps, the planes of a depth one after the other and `nchannels` channels
/// innermost.
void prim__simd_conv_planes_all_taps(
        const simd_conv_planes_t *planes, prim_dim_t *taps, prim_dim_t nchannels);

/// Whether a tap meets the elements of a phase of a dimension.
bool prim__simd_conv_planes_is_met(const conv_shape_t *shape, int dim, prim_dim_t phase);

/// A plain tensor.
typedef struct {
    simd_array_t array;
    prim_dim_t strides[5]; ///< n, c, d, h, w
} simd_conv_source_t;

/// Where a strip begins in dst.
typedef struct {
    prim_dim_t image, channel; ///< of src
    prim_dim_t od, oh;
} simd_conv_strip_t;

/// Copies the channels channel..channel+nchannels: planes [nchannels][taps along the depth].
void prim__simd_conv_copy_planes(const simd_conv_planes_t *planes, const simd_conv_source_t *source,
        const simd_conv_strip_t *strip, prim_dim_t nchannels, float *to);

#endif
