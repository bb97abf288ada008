// SPDX-License-Identifier: Apache-2.0
// The gradient of a shuffle, generic: the program of ocl_shuffle_any.cl takes the channels of a
// group for the groups, and these for channels.
#include "ocl_shuffle.h"

extern const impl_t prim__ocl_shuffle_backward_any;

static prim_status_t init(prim_t *primitive)
{
    const prim_dim_t ngroups = primitive->pd->op.u.shuffle.group_size;
    return prim__ocl_shuffle_init(primitive, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, ngroups);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_shuffle_execute(primitive, ctx, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC);
}

const impl_t prim__ocl_shuffle_backward_any = {
        .name = "ocl:shuffle:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_shuffle_init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
