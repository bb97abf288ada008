// SPDX-License-Identifier: Apache-2.0
// The gradients of normalisations whose scale and shift are per channel: batch and group
// normalisation, in double, for any type and layout.
#ifndef PRIM_CPU_REF_NORM_BACKWARD_H
#define PRIM_CPU_REF_NORM_BACKWARD_H

#include "common/impl.h"

/// For init_pd: resolves `any` and books the scratchpad. `groups` of the channels of an image share
/// statistics; 0: a channel of all images does.
prim_status_t prim__ref_norm_backward_init(prim_desc_t *pd, prim_dim_t groups);
/// Computes diff_src, and diff_src1, diff_scale and diff_shift where the problem has them.
void prim__ref_norm_backward(const prim_desc_t *pd, const exec_ctx_t *ctx, prim_dim_t groups);

#endif
