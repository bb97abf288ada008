// SPDX-License-Identifier: Apache-2.0
// Shuffle, generic: one program for every problem.
#include "ocl_shuffle.h"

extern const impl_t prim__ocl_shuffle_any;

static prim_status_t init(prim_t *primitive)
{
    const shuffle_params_t *const p = &primitive->pd->op.u.shuffle;
    const prim_dim_t channels = prim__pd_md(primitive->pd, PRIM_ARG_SRC)->dims[p->axis];
    const prim_dim_t ngroups = channels / p->group_size;
    return prim__ocl_shuffle_init(primitive, PRIM_ARG_SRC, PRIM_ARG_DST, ngroups);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_shuffle_execute(primitive, ctx, PRIM_ARG_SRC, PRIM_ARG_DST);
}

const impl_t prim__ocl_shuffle_any = {
        .name = "ocl:shuffle:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_shuffle_init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
