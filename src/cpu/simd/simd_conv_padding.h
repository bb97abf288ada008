// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights where the padding, zeros in a copy of src, met an infinity
// or a NaN of diff_dst: their product is NaN, and the gradient has no such product.
#ifndef PRIM_CPU_SIMD_CONV_PADDING_H
#define PRIM_CPU_SIMD_CONV_PADDING_H

#include "common/conv_shape.h"
#include "simd_convert.h"

/// The tensors of one execution.
typedef struct {
    conv_shape_t shape;
    simd_array_t src, diff_dst;
    prim_dim_t src_strides[5], diff_dst_strides[5]; ///< n, c, d, h, w
} simd_conv_padding_t;

/// Whether a window reaches beyond src.
bool prim__simd_conv_has_padding(const conv_shape_t *shape);

void prim__simd_conv_padding_init(
        simd_conv_padding_t *padding, const prim_desc_t *pd, const exec_ctx_t *ctx);

/// row[i], i < n, are the gradients of the output channel `channel` (of all groups) by the
/// input channels ic0 + i of a tap (counted over d, h and w): a NaN among them becomes the sum of
/// the products that are inside src.
void prim__simd_conv_padding_mend(const simd_conv_padding_t *padding, prim_dim_t channel,
        prim_dim_t tap, prim_dim_t ic0, float *row, prim_dim_t n);

#endif
