// SPDX-License-Identifier: Apache-2.0
// Shuffle of plain tensors as a reorder, where an implementation other than ocl:reorder:any takes
// it.
#include "ocl_shuffle.h"

extern const impl_t prim__ocl_shuffle_reorder;

static prim_status_t init_pd(prim_desc_t *pd)
{
    const shuffle_params_t *const p = &pd->op.u.shuffle;
    const prim_dim_t channels = prim__pd_md(pd, PRIM_ARG_SRC)->dims[p->axis];
    REQUIRE(pd, channels > 0, "the tensors are empty");
    return prim__ocl_shuffle_nest(pd, PRIM_ARG_SRC, PRIM_ARG_DST, channels / p->group_size);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__shuffle_as_reorder_execute(primitive, ctx, PRIM_ARG_SRC, PRIM_ARG_DST);
}

const impl_t prim__ocl_shuffle_reorder = {
        .name = "ocl:shuffle:reorder",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__reorder_schema,
};
