// SPDX-License-Identifier: Apache-2.0
// Layer normalisation: what the OpenCL implementations share on the host.
#ifndef PRIM_OCL_LNORM_H
#define PRIM_OCL_LNORM_H

#include "gpu/ocl/clh/shared/lnorm_data.h"
#include "gpu/ocl/kit/ocl_primitive.h"

/// LNORM_STATS_…: what becomes of mean and variance.
int32_t prim__ocl_lnorm_stats(const prim_desc_t *pd);
/// Types, layouts, a layout for dst if it is `any` (init_pd).
prim_status_t prim__ocl_lnorm_init(prim_desc_t *pd);
/// Adds src, mean, variance, scale, shift, dst, the scales of src and dst and their types.
void prim__ocl_lnorm_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
