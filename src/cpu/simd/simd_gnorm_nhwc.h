// SPDX-License-Identifier: Apache-2.0
// Group normalisation of channels-last tensors as tiles that are computed in parallel: slices of an
// image's pixels, and blocks of channels where there are more than SIMD_ROW. A row of a tile is as
// many pixels as fit SIMD_ROW elements, so that few channels fill vectors, too.
#ifndef PRIM_CPU_SIMD_GNORM_NHWC_H
#define PRIM_CPU_SIMD_GNORM_NHWC_H

#include "simd_columns.h"
#include "simd_convert.h"
#include "simd_nest.h"

/// Fixed at creation. An image is [pixels, channels].
typedef struct {
    prim_dim_t batch, nchannels, ngroups, group_channels;
    prim_dim_t image_elems, slice_elems, nslices; ///< slices of an image
    prim_dim_t row_elems;                         ///< from a row to the next one
    prim_dim_t nblocks;                           ///< of channels
} simd_gnorm_nhwc_t;

/// Rows first..first+width−1, first + row_elems.. and so on before `past`; the last may be shorter.
typedef struct {
    prim_dim_t image, slice, npixels; ///< pixels of the slice
    prim_dim_t first, past, width;    ///< elements of the tensors
    prim_dim_t channel, nchannels;    ///< the tile's; a row has them once for each of its pixels
} simd_gnorm_tile_t;

/// For init_pd, after layouts are known: requires that the `nargs` tensors are channels-last.
prim_status_t prim__simd_gnorm_nhwc_init_pd(
        simd_gnorm_nhwc_t *nhwc, prim_desc_t *pd, const int *args, int nargs);

prim_dim_t prim__simd_gnorm_nhwc_ntiles(const simd_gnorm_nhwc_t *nhwc);
simd_gnorm_tile_t prim__simd_gnorm_nhwc_tile(const simd_gnorm_nhwc_t *nhwc, prim_dim_t index);
/// The pixels of a slice.
prim_dim_t prim__simd_gnorm_nhwc_pixels(const simd_gnorm_nhwc_t *nhwc, prim_dim_t slice);

/// row[width]: values of the tile's channels, values[nchannels], for each pixel.
void prim__simd_gnorm_tile_repeat(float *row, const simd_gnorm_tile_t *tile, const float *values);
/// The way back: adds up the sums[width] of a row's pixels in the first nchannels.
void prim__simd_gnorm_tile_fold(
        const simd_columns_code_t *code, const simd_gnorm_tile_t *tile, float *sums);

#endif
