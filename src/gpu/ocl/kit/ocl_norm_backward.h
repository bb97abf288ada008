// SPDX-License-Identifier: Apache-2.0
// The gradients of normalisations whose scale and shift are per channel, batch and group
// normalisation: one program for every problem; types, layouts and flags are run-time arguments.
#ifndef PRIM_OCL_NORM_BACKWARD_H
#define PRIM_OCL_NORM_BACKWARD_H

#include "ocl_primitive.h"

typedef struct {
    prim_desc_t base;
    int64_t groups; ///< of the channels of an image, which share statistics; 0: each by itself
    size_t planes_bytes_at, sets_bytes_at; ///< sums, in the scratchpad
} ocl_norm_backward_pd_t;

_Static_assert(offsetof(ocl_norm_backward_pd_t, base) == 0, "the base comes first");

/// Of init_pd: types, layouts, the scratchpad.
prim_status_t prim__ocl_norm_backward_init_pd(prim_desc_t *pd, int64_t groups);
/// Of the implementation's table.
prim_status_t prim__ocl_norm_backward_init(prim_t *primitive);
prim_status_t prim__ocl_norm_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx);

/// @name For variants that sum planes themselves
/// @{

/// Adds the kernel that sums planes over the images, and its data behind what the primitive has.
/// Each plane comes in so many parts.
prim_status_t prim__ocl_norm_backward_add_channels(
        ocl_primitive_t *p, int64_t groups, int64_t parts);
/// Launches kernels[at], which is that one, with the data that was added last: from [N, parts, C]
/// pairs of sums in the scratchpad to the gradients of scale and shift; nothing where the problem
/// has neither.
prim_status_t prim__ocl_norm_backward_channels(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, int at, size_t planes_bytes_at);

/// @}

#endif
