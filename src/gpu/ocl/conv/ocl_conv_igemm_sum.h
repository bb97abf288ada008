// SPDX-License-Identifier: Apache-2.0
// Split K: the parameters of the partial sums, and the kernel that adds them.
#ifndef PRIM_OCL_CONV_IGEMM_SUM_H
#define PRIM_OCL_CONV_IGEMM_SUM_H

#include "ocl_conv_igemm.h"

/// The first parameter: sizes.
void prim__ocl_conv_igemm_args_sizes(ocl_args_t *args, const ocl_primitive_t *p);
/// Two parameters: partial sums; null and 0 if K is not split.
void prim__ocl_conv_igemm_args_partial(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_conv_igemm_pd_t *pd);
/// Adds partial sums: kernels[1], built from prim__ocl_conv_igemm_sum_cl.
prim_status_t prim__ocl_conv_igemm_sum(const ocl_primitive_t *p, const exec_ctx_t *ctx);

#endif
