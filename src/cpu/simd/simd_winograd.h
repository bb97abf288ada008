// SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's convolution F(4×4, 3×3) (Lavin and Gray, 2016, section 4), in
// vectors of channels: weights U = G·g·Gᵀ, patches of src V = Bᵀ·d·B, products M back to tiles of
// dst Y = Aᵀ·M·A. Between them are 36 matrix products, one for each point.
#ifndef PRIM_CPU_SIMD_WINOGRAD_H
#define PRIM_CPU_SIMD_WINOGRAD_H

#include "common/impl.h"
#include "simd_level.h"

enum {
    SIMD_WINOGRAD_TILE = 4,   ///< rows and columns of dst in a tile
    SIMD_WINOGRAD_PATCH = 6,  ///< of src under it
    SIMD_WINOGRAD_POINTS = 36 ///< elements of a patch
};

/// The patch whose element (i, j) has its n channels at pixels[6·i + j], f32, f16 or bf16, becomes
/// v[point·point_step + c]; channels up to a multiple of the vector are 0.
typedef struct {
    const void *const *pixels;
    prim_data_type_t dt;
    prim_dim_t n;
    float *v;
    prim_dim_t point_step;
} simd_winograd_patch_t;

/// Weights of `n` input channels and a vector of output channels, [n][3·3][lanes], become
/// u[point·point_step + c·lanes + lane].
typedef struct {
    const void *wei;
    prim_data_type_t dt;
    prim_dim_t n;
    float *u;
    prim_dim_t point_step;
} simd_winograd_weights_t;

/// Products of n channels of a tile, m[point·point_step + c], become the sums of its pixel (y, x),
/// sums[y·row_step + x·pixel_step + c]. n may be rounded up to vectors on both sides.
typedef struct {
    const float *m;
    prim_dim_t point_step, n;
    float *sums;
    prim_dim_t row_step, pixel_step;
} simd_winograd_tile_t;

typedef struct {
    void (*transform_patch)(const simd_winograd_patch_t *a);
    void (*transform_weights)(const simd_winograd_weights_t *a);
    void (*transform_tile)(const simd_winograd_tile_t *a);
} simd_winograd_code_t;

SIMD_DECLARE(simd_winograd_code_t, prim__simd_winograd_code);

#endif
