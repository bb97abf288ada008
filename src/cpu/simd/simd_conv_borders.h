// SPDX-License-Identifier: Apache-2.0
// Sums of a convolution where the padding, zeros in a copy of src, met an infinity or a NaN of the
// weights: their product is NaN, and the convolution has no such product.
#ifndef PRIM_CPU_SIMD_CONV_BORDERS_H
#define PRIM_CPU_SIMD_CONV_BORDERS_H

#include "common/conv_shape.h"
#include "simd_convert.h"

/// The tensors of one execution.
typedef struct {
    conv_shape_t shape;
    simd_array_t src, wei;
    const prim_memory_desc_t *wei_md;
    prim_dim_t src_strides[5];
} simd_conv_borders_t;

/// Whether a window reaches beyond src, and weights may be infinite (init_pd). src is plain.
bool prim__simd_conv_has_borders(const prim_desc_t *pd);

void prim__simd_conv_borders_init(
        simd_conv_borders_t *borders, const prim_desc_t *pd, const exec_ctx_t *ctx);

/// row[i], i < n, are sums of the elements of dst from `position` on: of neighbouring channels
/// (dim 1) or of a plane's pixels one after the other (the last dim). A NaN whose window reaches
/// beyond src becomes the sum of the products that are inside.
void prim__simd_conv_borders_mend(const simd_conv_borders_t *borders, float *row,
        const prim_dim_t *position, int dim, prim_dim_t n);

#endif
