// SPDX-License-Identifier: Apache-2.0
// Host side of clh/conv_backward_weights.h: what the implementations share that compute gradients
// of weights as implicit matrix products, split over the pixels, and add the splits by a second
// kernel.
#ifndef PRIM_OCL_CONV_BACKWARD_WEIGHTS_H
#define PRIM_OCL_CONV_BACKWARD_WEIGHTS_H

#include "common/conv_shape.h"
#include "gpu/ocl/clh/shared/conv_backward_weights_data.h"
#include "gpu/ocl/kit/ocl_primitive.h"

/// How splits are added: `vec` elements by a work-item, `lanes` of them in a work-group, each in
/// `parts` chains.
typedef struct {
    int vec, lanes, parts;
} ocl_conv_summing_t;

/// How pixels are split among work-groups. Plain data.
typedef struct {
    int32_t split_pixels, nsplits;
    int32_t ntiles_m, ntiles_n;
    int64_t npartial;      ///< f32 of a split
    size_t partial_offset; ///< of the scratchpad
    ocl_conv_summing_t summing;
} ocl_conv_splits_t;

/// The requirements of all: floats, plain tensors that 32 bits index, no Winograd. Layouts `any`
/// are settled before. Fills the shape.
prim_status_t prim__ocl_conv_backward_weights_check(prim_desc_t *pd, conv_shape_t *shape);
/// The same of any algorithm.
prim_status_t prim__ocl_conv_backward_weights_check_tensors(prim_desc_t *pd, conv_shape_t *shape);
/// For matrix units: src and diff_dst are both f16 or both bf16.
prim_status_t prim__ocl_conv_backward_weights_require_16_bits(prim_desc_t *pd);
/// Splits `npixels`, of dst or what a kernel counts instead, into parts of `split_pixels`, and
/// books the scratchpad for their partial sums, if there is more than one.
void prim__ocl_conv_splits_book(ocl_conv_splits_t *splits, prim_desc_t *pd,
        const conv_shape_t *shape, int64_t npixels, int64_t split_pixels);

/// Adds the types, HAS_BIAS and those of clh/conv_backward_weights.h.
void prim__ocl_conv_backward_weights_options(
        ocl_options_t *options, const prim_desc_t *pd, bool by_tap);
/// The sizes of a problem that has passed the checks.
ocl_conv_backward_weights_data_t prim__ocl_conv_backward_weights_data(
        const prim_desc_t *pd, const ocl_conv_splits_t *splits);
/// Uploads as data[0] `bytes` that begin with them, and builds kernels[1], which adds the splits,
/// if there are any.
prim_status_t prim__ocl_conv_backward_weights_add(ocl_primitive_t *p,
        const ocl_conv_backward_weights_data_t *data, size_t bytes, const ocl_conv_splits_t *splits,
        const ocl_options_t *options);
/// All arguments of kernels[0]: sizes, src, diff_dst, diff_weights, diff_bias, partial sums.
void prim__ocl_conv_backward_weights_args(ocl_args_t *args, const exec_ctx_t *ctx,
        const ocl_primitive_t *p, const ocl_conv_splits_t *splits);
/// Two parameters: the partial sums; null and 0 without splits.
void prim__ocl_conv_splits_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_conv_splits_t *splits);
/// Adds the splits, if there are any.
prim_status_t prim__ocl_conv_backward_weights_sum(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, const ocl_conv_splits_t *splits);

#endif
