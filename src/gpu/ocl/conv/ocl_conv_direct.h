// SPDX-License-Identifier: Apache-2.0
// What ocl:conv:direct and the gradient by the same kernel share.
#ifndef PRIM_OCL_CONV_DIRECT_H
#define PRIM_OCL_CONV_DIRECT_H

#include "gpu/ocl/kit/ocl_primitive.h"
#include "ocl_conv_direct_plan.h"

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    ocl_conv_direct_problem_t problem;
    ocl_conv_direct_plan_t plan;
    ocl_conv_direct_data_t data;
    bool by_value;    ///< the data
    bool is_gradient; ///< by src: rows of weights are channels of the kernel's src
} ocl_conv_direct_pd_t;

_Static_assert(offsetof(ocl_conv_direct_pd_t, base) == 0, "the base comes first");

/// Chooses the tile once layouts are settled; `src` and `dst` are arguments, the kernel's tensors.
prim_status_t prim__ocl_conv_direct_book(ocl_conv_direct_pd_t *pd, int src, int dst);
/// Builds the kernel; `options` has types, HAS_BIAS and HAS_QUANT.
prim_status_t prim__ocl_conv_direct_init(prim_t *primitive, ocl_options_t *options);
prim_status_t prim__ocl_conv_direct_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int src, int dst);

#endif
