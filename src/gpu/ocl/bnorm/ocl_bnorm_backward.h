// SPDX-License-Identifier: Apache-2.0
// What the typed implementations of batch normalisation's gradients share: a pass that sums, a
// kernel that adds up its partial sums, a pass for diff_src.
#ifndef PRIM_OCL_BNORM_BACKWARD_H
#define PRIM_OCL_BNORM_BACKWARD_H

#include "gpu/ocl/clh/shared/bnorm_backward_data.h"
#include "ocl_bnorm.h"

/// Of kernels in a primitive; that of sums is there in any case.
enum { BNORM_BACKWARD_SUMS, BNORM_BACKWARD_APPLY, BNORM_BACKWARD_FINISH };

typedef struct {
    prim_desc_t base;
    bool has_sums; ///< else neither diff_src nor a gradient of a parameter needs them
    int vec, at_once;
    size_t partials_bytes_at, parts_bytes_at;                ///< in the scratchpad
    int32_t src_step, diff_dst_step, diff_src_step, ws_step; ///< between neighbours of a plane
    ocl_bnorm_backward_data_t data;
} bnorm_backward_pd_t;

_Static_assert(offsetof(bnorm_backward_pd_t, base) == 0, "the base comes first");

/// Types, layouts, the vector; fills the data but for pieces and chunks (init_pd).
prim_status_t prim__ocl_bnorm_backward_require(prim_desc_t *pd);
/// Books the scratchpad for data->nchunks partial sums of each channel, if there are sums.
void prim__ocl_bnorm_backward_book(bnorm_backward_pd_t *pd);
/// Adds the types, VEC, AT_ONCE, WITH_RELU and WITH_ADDEND.
void prim__ocl_bnorm_backward_options(ocl_options_t *options, const bnorm_backward_pd_t *pd);
/// Builds the caller's kernels and the one that finishes, and uploads the data.
prim_status_t prim__ocl_bnorm_backward_init(prim_t *primitive, const ocl_source_t *source,
        const ocl_options_t *options, const char *sums, const char *apply);
/// Launches the three kernels, the caller's with these ranges.
prim_status_t prim__ocl_bnorm_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx,
        const ocl_range_t *sums, const ocl_range_t *apply);

#endif
