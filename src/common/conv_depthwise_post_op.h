// SPDX-License-Identifier: Apache-2.0
// A 1×1 convolution with a depthwise one among its post-ops, as two convolutions:
//
//     between = chain before the step (src * weights + bias)          in the scratchpad
//     dst     = chain behind it (between * depthwise weights + bias)
//
// Each is the best implementation of its problem.
#ifndef PRIM_COMMON_CONV_DEPTHWISE_POST_OP_H
#define PRIM_COMMON_CONV_DEPTHWISE_POST_OP_H

#include "nested.h"

extern const op_schema_t prim__conv_forward_schema;

/// For an implementation with `nests_generic` and without `nests`: the best one of each inside.
prim_status_t prim__conv_depthwise_post_op_init_pd(prim_desc_t *pd);
prim_status_t prim__conv_depthwise_post_op_execute(const prim_t *primitive, const exec_ctx_t *ctx);

/// Of the descriptor of a primitive that embeds nothing else.
typedef struct {
    prim_desc_t base;
    size_t between; ///< its place in the scratchpad
} conv_depthwise_post_op_pd_t;

#endif
