// SPDX-License-Identifier: Apache-2.0
// The tensors of a convolution as matrices with one row for each pixel of dst: what the gradient by
// the weights multiplies. Columns of src are input channels under the taps, those of diff_dst its
// channels.
#ifndef PRIM_CPU_SIMD_CONV_COLUMNS_H
#define PRIM_CPU_SIMD_CONV_COLUMNS_H

#include "common/conv_shape.h"

/// One tensor of an execution, plain, f32, f16 or bf16. Pixel p counts the positions of dst, over
/// all images; column j = tap·ic + c.
typedef struct {
    conv_shape_t shape; ///< dimensions whose pixels are contiguous are one
    const void *data;   ///< offset0 added
    prim_data_type_t dt;
    prim_dim_t strides[5]; ///< n, c, d, h, w
} simd_conv_columns_t;

/// Of src, or of diff_dst.
void prim__simd_conv_columns_of_src(
        simd_conv_columns_t *columns, const prim_desc_t *pd, const void *data);
void prim__simd_conv_columns_of_diff_dst(
        simd_conv_columns_t *columns, const prim_desc_t *pd, const void *data);

/// The columns j0..j0+nj of a group for the pixels p0..p0+np as panels [ceil(nj/width)][np][width],
/// zeros outside the tensor and in the columns beyond nj.
void prim__simd_conv_gather_columns(const simd_conv_columns_t *columns, prim_dim_t group,
        prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, int width, float *panels);

/// The same of bf16 in words of two pixels: [ceil(nj/width)][ceil(np/2)][width]. Channels are
/// neighbours; width <= SIMD_CONV_MOST_COLUMNS. An odd last pixel has a zero beside it.
void prim__simd_conv_gather_column_words(const simd_conv_columns_t *columns, prim_dim_t group,
        prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, int width, float *panels);

enum { SIMD_CONV_MOST_COLUMNS = 32 };

#endif
