// SPDX-License-Identifier: Apache-2.0
// The gradient of a shuffle on the CPU: any axis, type and layout. The way back takes the groups
// for the channels of one, and these for groups.
#include "ref_shuffle.h"

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const shuffle_params_t *const p = &pd->op.u.shuffle;
    const prim_dim_t channels = prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->dims[p->axis];
    const prim_dim_t ngroups = channels / p->group_size;
    return prim__ref_shuffle_execute(pd, ctx, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, ngroups);
}

const impl_t prim__ref_shuffle_backward_any = {
        .name = "ref:shuffle:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_shuffle_init_pd,
        .execute = execute,
};
