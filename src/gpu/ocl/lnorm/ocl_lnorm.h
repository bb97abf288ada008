// SPDX-License-Identifier: Apache-2.0
// Layer normalisation: what the OpenCL implementations share on the host.
#ifndef PRIM_OCL_LNORM_H
#define PRIM_OCL_LNORM_H

#include "gpu/ocl/clh/shared/lnorm_data.h"
#include "gpu/ocl/kit/ocl_nest.h"
#include "gpu/ocl/kit/ocl_primitive.h"

/// Of the variants for contiguous rows.
typedef struct {
    prim_desc_t base;
    ocl_nest_t nest; ///< of the rows; the tensors in the order of init_rows, then the statistics
    int64_t nrows, elems;
    int vec;
} lnorm_rows_pd_t;

_Static_assert(offsetof(lnorm_rows_pd_t, base) == 0, "the base comes first");

/// LNORM_STATS_…: what becomes of mean and variance.
int32_t prim__ocl_lnorm_stats(const prim_desc_t *pd);
/// Types, layouts, a layout for dst if it is `any` (init_pd).
prim_status_t prim__ocl_lnorm_init(prim_desc_t *pd);
/// That, and the nest of rows of the `n` tensors `args`, the one that is written first: they are
/// plain, not empty, and contiguous along the last dimension. Sets `elems`, `nrows` and `vec`: 16
/// bytes of the largest type.
prim_status_t prim__ocl_lnorm_init_rows(prim_desc_t *pd, const int *args, int n);
/// One loop over rows of full vectors, and 32 bits hold their number and their distances.
bool prim__ocl_lnorm_are_even(const lnorm_rows_pd_t *rows);
/// That of the forward pass, whose post-ops have no operands.
prim_status_t prim__ocl_lnorm_init_forward_rows(prim_desc_t *pd);
/// Adds SRC, DST, WEI, WITH_SCALE, WITH_SHIFT, WITH_SCALES, STATS, VEC and the post-ops' options.
void prim__ocl_lnorm_forward_options(ocl_options_t *options, const lnorm_rows_pd_t *pd);
/// Adds all arguments of the forward kernels for rows.
void prim__ocl_lnorm_forward_args(
        ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx);
/// Adds src, mean, variance, scale, shift, dst, the scales of src and dst and their types.
void prim__ocl_lnorm_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
