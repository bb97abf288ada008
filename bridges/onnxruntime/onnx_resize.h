// SPDX-License-Identifier: Apache-2.0
// What a Resize asks for, and interpolation as a product with a constant matrix.
#ifndef ONNX_RESIZE_H
#define ONNX_RESIZE_H

#include "onnx_ops.h"

/// Where a position of the result lies in the source, and which element a nearest neighbour is.
typedef enum { HALF_PIXEL, SYMMETRIC, PYTORCH, ALIGN_CORNERS, ASYMMETRIC, TF_HALF_PIXEL } where_t;
typedef enum { PREFER_FLOOR, PREFER_CEIL, FLOOR, CEIL } rounding_t;
typedef enum { NEAREST, LINEAR, CUBIC } interpolation_t;

typedef struct {
    interpolation_t mode;
    bool is_antialiased;   ///< the kernel is as wide as the step where the result is smaller
    bool excludes_outside; ///< taps beyond the edges count nothing; else they repeat the edge
    float cubic_a;
    where_t where;
    rounding_t rounding;
    int64_t sizes[ONNX_MAX_NDIMS]; ///< of each dimension; 0: not given
    float scales[ONNX_MAX_NDIMS];  ///< of each dimension; beside a size 0: what the sizes make
} resize_t;

float onnx_resize_scale(const resize_t *r, int d, prim_dim_t in, prim_dim_t out);
/// Where position y of the result lies; in float, as the host computes it.
float onnx_resize_position(const resize_t *r, int d, prim_dim_t y, prim_dim_t in, prim_dim_t out);

/// Whether the matrix from `in` to `out` positions is small enough to compute and to multiply by.
bool onnx_has_resize_matrix(prim_dim_t in, prim_dim_t out);
/// Interpolates along dimension d: a product with the matrix of the taps' weights.
graph_value_t onnx_resize_by_matrix(
        const onnx_builder_t *b, graph_value_t src, const resize_t *r, int d, prim_dim_t out);

#endif
