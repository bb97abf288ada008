// SPDX-License-Identifier: Apache-2.0
// Shuffle of plain tensors on the CPU as a reorder.
#include "common/shuffle_as_reorder.h"

extern const impl_t prim__simd_shuffle_reorder;

static prim_status_t init_pd(prim_desc_t *pd)
{
    const shuffle_params_t *const p = &pd->op.u.shuffle;
    const prim_dim_t channels = prim__pd_md(pd, PRIM_ARG_SRC)->dims[p->axis];
    TRY(prim__pd_follow(pd));
    return prim__shuffle_as_reorder_init_pd(
            pd, PRIM_ARG_SRC, PRIM_ARG_DST, channels / p->group_size);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__shuffle_as_reorder_execute(primitive, ctx, PRIM_ARG_SRC, PRIM_ARG_DST);
}

const impl_t prim__simd_shuffle_reorder = {
        .name = "simd:shuffle:reorder",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__reorder_schema,
};
