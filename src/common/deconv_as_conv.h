// SPDX-License-Identifier: Apache-2.0
// A deconvolution by the convolution whose transpose it is, over the same memory: of its directions
// each is another one of the convolution.
//
//     deconvolution       convolution         its tensors, in terms of the deconvolution's
//     backward data       forward             src = diff_dst, dst = diff_src
//     backward weights    backward weights    src = diff_dst, diff_dst = src
//
// The weights are the same, with input and output channels exchanged: a descriptor, no copy.
#ifndef PRIM_COMMON_DECONV_AS_CONV_H
#define PRIM_COMMON_DECONV_AS_CONV_H

#include "nested.h"

extern const op_schema_t prim__conv_forward_schema, prim__conv_backward_weights_schema;

/// For an implementation whose `nests` is the convolution's schema. The bias' gradient is a nested
/// reduction.
prim_status_t prim__deconv_as_conv_init_pd(prim_desc_t *pd);
prim_status_t prim__deconv_as_conv_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
