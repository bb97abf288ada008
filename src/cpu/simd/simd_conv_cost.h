// SPDX-License-Identifier: Apache-2.0
// What the implementations of a convolution are expected to take: cycles of an image and a group,
// with vectors of 16 lanes. The constants are what their loops took on a processor, not more than
// a guide.
#ifndef PRIM_CPU_SIMD_CONV_COST_H
#define PRIM_CPU_SIMD_CONV_COST_H

#include "common/conv_shape.h"

double prim__simd_conv_direct_cycles(const prim_desc_t *pd, const conv_shape_t *shape);

/// How simd:conv:nhwc_direct multiplies.
typedef enum {
    SIMD_RUNS_BY_PANELS, ///< vectors run along the channels of dst
    SIMD_RUNS_BY_DOTS,   ///< vectors run along the runs
    SIMD_RUNS_BY_TILES,  ///< of AMX
} simd_runs_way_t;

/// simd:conv:nhwc_direct, src and dst with channels last: the cheapest of the ways that this
/// processor has, which `*way` becomes unless it is NULL.
double prim__simd_conv_nhwc_direct_cycles(
        const prim_desc_t *pd, const conv_shape_t *shape, simd_runs_way_t *way);

/// Tiles of AMX for a pixel of a strip of nrows rows of dst: of rows or, where they are fewer and
/// a call can have a tile's rows, of columns.
double prim__simd_conv_tiles_of_a_pixel(
        const conv_shape_t *shape, prim_dim_t nrows, bool *are_columns);

/// simd:conv:gemm.
double prim__simd_conv_gemm_cycles(const prim_desc_t *pd, const conv_shape_t *shape);

/// simd:conv:winograd, src and dst with channels last.
double prim__simd_conv_winograd_cycles(const prim_desc_t *pd, const conv_shape_t *shape);

/// @name Gradients of the weights: cycles of a pixel of diff_dst and a group
/// @{

double prim__simd_conv_weights_direct_cycles(const prim_desc_t *pd, const conv_shape_t *shape);
double prim__simd_conv_weights_gemm_cycles(const prim_desc_t *pd, const conv_shape_t *shape);
/// simd:conv:backward_weights_nhwc_direct; `is_turned`: vectors run along src.
double prim__simd_conv_weights_nhwc_direct_cycles(
        const prim_desc_t *pd, const conv_shape_t *shape, bool is_turned);

/// Groups of few channels that are contiguous in a pixel share vectors while they are copied to
/// planes: how many.
prim_dim_t prim__simd_conv_weights_groups(const prim_desc_t *pd, const conv_shape_t *shape);
/// @}

#endif
