// SPDX-License-Identifier: Apache-2.0
// Shuffle on the CPU: any axis, type and layout.
#include "ref_shuffle.h"

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const shuffle_params_t *const p = &pd->op.u.shuffle;
    const prim_dim_t channels = prim__pd_md(pd, PRIM_ARG_SRC)->dims[p->axis];
    return prim__ref_shuffle_execute(pd, ctx, PRIM_ARG_SRC, PRIM_ARG_DST, channels / p->group_size);
}

const impl_t prim__ref_shuffle_any = {
        .name = "ref:shuffle:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_shuffle_init_pd,
        .execute = execute,
};
