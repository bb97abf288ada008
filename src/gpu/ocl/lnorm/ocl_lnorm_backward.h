// SPDX-License-Identifier: Apache-2.0
// What the gradients of layer normalisation of contiguous rows share: partial sums of the gradients
// of scale and shift stand in the scratchpad until a second kernel adds them up.
#ifndef PRIM_OCL_LNORM_BACKWARD_H
#define PRIM_OCL_LNORM_BACKWARD_H

#include "ocl_lnorm.h"

typedef struct {
    lnorm_rows_pd_t rows;
    int64_t npartials;        ///< work-groups or work-items that leave partial sums
    size_t partials_bytes_at; ///< in the scratchpad
    bool has_parameters;      ///< some gradient of scale or shift is wanted
} lnorm_backward_pd_t;

_Static_assert(offsetof(lnorm_backward_pd_t, rows) == 0, "the base comes first");

/// The nest of rows; the tensors in the kernels' order (init_pd).
prim_status_t prim__ocl_lnorm_backward_init(prim_desc_t *pd);
/// Sets npartials and books room for them.
void prim__ocl_lnorm_backward_book(lnorm_backward_pd_t *pd, int64_t npartials);
/// Adds SRC, DIFF_DST, DIFF_SRC, WEI, WITH_SCALE, WITH_PARAMETERS, ARE_CONSTANTS and VEC.
void prim__ocl_lnorm_backward_options(ocl_options_t *options, const lnorm_backward_pd_t *pd);
/// Builds the kernel that adds up, behind the caller's own, and uploads the nest.
prim_status_t prim__ocl_lnorm_backward_init_sums(prim_t *primitive);
/// Adds the parameters of the caller's kernel.
void prim__ocl_lnorm_backward_args(
        ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx);
/// Launches the kernel that adds up, if there is anything to add.
prim_status_t prim__ocl_lnorm_backward_sum(const ocl_primitive_t *p, const exec_ctx_t *ctx);

#endif
