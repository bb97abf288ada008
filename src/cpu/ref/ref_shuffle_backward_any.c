// SPDX-License-Identifier: Apache-2.0
// The gradient of a shuffle on the CPU: any axis, type and layout. The way back takes the
// channels of a group for the groups, and these for channels.
#include "ref_shuffle.h"

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    return prim__ref_shuffle_execute(
            pd, ctx, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, pd->op.u.shuffle.group_size);
}

const impl_t prim__ref_shuffle_backward_any = {
        .name = "ref:shuffle:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_shuffle_init_pd,
        .execute = execute,
};
