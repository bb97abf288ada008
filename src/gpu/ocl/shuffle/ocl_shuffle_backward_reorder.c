// SPDX-License-Identifier: Apache-2.0
// The gradient of a shuffle of plain tensors as a reorder, where an implementation other than
// ocl:reorder:any takes it.
#include "ocl_shuffle.h"

extern const impl_t prim__ocl_shuffle_backward_reorder;

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ocl_shuffle_nest(
            pd, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, pd->op.u.shuffle.group_size);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__shuffle_as_reorder_execute(primitive, ctx, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC);
}

const impl_t prim__ocl_shuffle_backward_reorder = {
        .name = "ocl:shuffle:backward_reorder",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__reorder_schema,
};
