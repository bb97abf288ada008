// SPDX-License-Identifier: Apache-2.0
// A deconvolution by the convolution whose transpose it is, over the same memory: of its directions
// each is another one of the convolution.
//
//     deconvolution       convolution         its tensors, in terms of the deconvolution's
//     forward             backward data       diff_dst = src, diff_src = dst
//     backward data       forward             src = diff_dst, dst = diff_src
//     backward weights    backward weights    src = diff_dst, diff_dst = src
//
// The weights are the same, with input and output channels exchanged: a descriptor, no copy.
#ifndef PRIM_COMMON_DECONV_AS_CONV_H
#define PRIM_COMMON_DECONV_AS_CONV_H

#include "nested.h"

extern const op_schema_t prim__conv_forward_schema, prim__conv_backward_data_schema;
extern const op_schema_t prim__conv_backward_weights_schema;

/// For an implementation whose `nests` is the convolution's schema. Bias and post-ops of the
/// forward pass follow as a nested binary operation, the bias' gradient as a nested reduction.
prim_status_t prim__deconv_as_conv_init_pd(prim_desc_t *pd);
/// The same of a forward pass with a bias and without post-ops, where the convolution adds the bias
/// itself.
prim_status_t prim__deconv_as_conv_init_pd_bias_inside(prim_desc_t *pd);
prim_status_t prim__deconv_as_conv_execute(const prim_t *primitive, const exec_ctx_t *ctx);

/// Of the descriptor of a primitive that embeds nothing else.
typedef struct {
    prim_desc_t base;
    size_t sums; ///< of the forward pass, before bias and post-ops: their place in the scratchpad
    bool sums_are_dst; ///< they are written to dst, and finished in place
    bool bias_inside;  ///< the convolution adds it
} deconv_as_conv_pd_t;

#endif
