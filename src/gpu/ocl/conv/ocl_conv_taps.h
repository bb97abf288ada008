// SPDX-License-Identifier: Apache-2.0
// Convolutions as products of single taps, for few channels of the result and many of the other
// tensor. A matrix product whose rows are the few channels leaves most of a tile empty; here its
// rows are all channels and taps of the result, as a nested 1×1 convolution, and a second kernel
// adds up what the taps bring to each element:
//
//     products[n, c, k, p] = Σ weights[c, i, k] · tensor[n, i, p]
//     result[n, c, y] = Σ products[n, c, k, p(y, k)]
//
// where k is a tap and p a position of the other tensor, the one that tap k brings to y.
//
// Forward, from src to dst: "kn2row" (Vasudevan, Anderson, Gregg, Parallel Multi Channel
// Convolution using General Matrix Multiplication, 2017). Backward, from diff_dst to diff_src:
// "col2im" (Chellapilla, Puri, Simard, High Performance Convolutional Neural Networks for Document
// Processing, 2006).
#ifndef PRIM_OCL_CONV_TAPS_H
#define PRIM_OCL_CONV_TAPS_H

#include "common/conv_shape.h"
#include "gpu/ocl/kit/ocl_primitive.h"

/// The base of an implementation's descriptor.
typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool is_backward;
    bool copies_weights;     ///< forward: to the order input channels, output channels, taps
    prim_memory_desc_t copy; ///< of these
    size_t products_offset, copy_offset; ///< of the scratchpad
} ocl_conv_taps_pd_t;

/// f32 in plain layouts, GPUs. Prefers others unless the products, written and read again, are
/// expected to take less time than a matrix product of whole windows.
prim_status_t prim__ocl_conv_taps_init_pd(ocl_conv_taps_pd_t *pd, bool is_backward);
prim_status_t prim__ocl_conv_taps_init(prim_t *primitive);
prim_status_t prim__ocl_conv_taps_execute(const prim_t *primitive, const exec_ctx_t *ctx);

/// Cycles of a compute unit that the model expects; INFINITY where no tile fits.
double prim__ocl_conv_taps_cycles(
        const prim_engine_t *engine, const conv_shape_t *shape, bool is_backward);

#endif
