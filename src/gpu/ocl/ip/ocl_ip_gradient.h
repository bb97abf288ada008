// SPDX-License-Identifier: Apache-2.0
// What implementations of inner product's gradients share: the generic kernel, and the gradient of
// the bias, which is sums over the rows of diff_dst.
#ifndef PRIM_OCL_IP_GRADIENT_H
#define PRIM_OCL_IP_GRADIENT_H

#include "gpu/ocl/kit/ocl_primitive.h"

/// How the gradient of the bias is computed.
typedef struct {
    bool is_wanted;
    int64_t nparts; ///< of the rows of diff_dst: sums of parts are summed up if there are several
    size_t parts_bytes_at; ///< of the scratchpad
} ocl_ip_bias_t;

/// For init_pd, with all layouts fixed: books the scratchpad.
void prim__ocl_ip_bias_plan(ocl_ip_bias_t *bias, prim_desc_t *pd);
/// Adds a kernel and up to two buffers of data, if a bias is wanted.
prim_status_t prim__ocl_ip_bias_init(ocl_primitive_t *p, const ocl_ip_bias_t *bias);
/// `kernel` and `data` are the numbers of the kernel and of the first buffer.
prim_status_t prim__ocl_ip_bias_run(const ocl_primitive_t *p, const exec_ctx_t *ctx,
        const ocl_ip_bias_t *bias, int kernel, int data);

/// init_pd, init and execute of a generic gradient: argument `out` = Σ diff_dst·`in`.
prim_status_t prim__ocl_ip_gradient_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_ip_gradient_init(ocl_primitive_t *p, int in, int out);
prim_status_t prim__ocl_ip_gradient_run(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, int in, int out);

#endif
