// SPDX-License-Identifier: Apache-2.0
// What the references of inner product and its gradients share.
#ifndef PRIM_CPU_REF_IP_H
#define PRIM_CPU_REF_IP_H

#include "common/impl.h"

/// The dimension behind the first with the smallest strides in both tensors that no block cuts; −1
/// when all are cut or 1.
int prim__ref_ip_row_dim(const prim_memory_desc_t *src, const prim_memory_desc_t *wei);

/// out(a, p) = Σ_b diff_dst·in(b, p) for all positions p behind the first dimension, in double: the
/// gradient of src (a: images, b: output channels) or of the weights (a: output channels, b:
/// images).
prim_status_t prim__ref_ip_gradient(const prim_desc_t *pd, const exec_ctx_t *ctx, int in, int out);

/// diff_bias(o) = Σ_n diff_dst(n, o); nothing for a problem without a bias.
prim_status_t prim__ref_ip_bias_gradient(const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
