// SPDX-License-Identifier: Apache-2.0
// Layer normalisation: what the OpenCL implementations share on the host.
#ifndef PRIM_OCL_LNORM_H
#define PRIM_OCL_LNORM_H

#include "gpu/ocl/kit/ocl_primitive.h"

/// What becomes of the statistics; twin of STATS_… in the kernels.
typedef enum {
    OCL_LNORM_STATS_LOCAL,  ///< computed, and nobody else wants them
    OCL_LNORM_STATS_OUTPUT, ///< computed, and outputs
    OCL_LNORM_STATS_GIVEN   ///< inputs
} ocl_lnorm_stats_t;

ocl_lnorm_stats_t prim__ocl_lnorm_stats(const prim_desc_t *pd);
/// Types, layouts, a layout for dst if it is `any` (init_pd).
prim_status_t prim__ocl_lnorm_init(prim_desc_t *pd);
/// Adds src, mean, variance, scale, shift, dst, the scales of src and dst and their types.
void prim__ocl_lnorm_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
