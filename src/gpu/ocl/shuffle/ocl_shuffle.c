// SPDX-License-Identifier: Apache-2.0
#include "ocl_shuffle.h"

#include "common/data_type.h"
#include "common/ops/schema.h"
#include "common/shuffle_pass.h"
#include "gpu/ocl/clh/shared/shuffle_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"

extern const ocl_source_t prim__ocl_shuffle_any_cl;

prim_status_t prim__ocl_shuffle_init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

prim_status_t prim__ocl_shuffle_init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const shuffle_pass_t pass = prim__shuffle_pass(pd);
    const prim_memory_desc_t *const md = prim__pd_md(pd, pass.to);
    const int axis = pd->op.u.shuffle.axis;
    const ocl_shuffle_any_data_t data = {.from = prim__ocl_md(prim__pd_md(pd, pass.from)),
            .to = prim__ocl_md(md),
            .ngroups = pass.ngroups,
            .group_elems = pass.ngroups > 0 ? md->dims[axis] / pass.ngroups : 0,
            .axis = axis,
            .elem_bytes = (int32_t)prim__dt_bytes(md->data_type)};
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_shuffle_any_cl, "shuffle_any", &data, sizeof data);
}

prim_status_t prim__ocl_shuffle_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const shuffle_pass_t pass = prim__shuffle_pass(primitive->pd);
    const int tensors[] = {pass.from, pass.to, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    const prim_memory_desc_t *const md = prim__pd_md(primitive->pd, pass.to);
    return prim__ocl_single_run(primitive, ctx, &args, prim__md_nelems_padded(md));
}

prim_status_t prim__ocl_shuffle_nest(prim_desc_t *pd)
{
    TRY(prim__ocl_shuffle_init_pd(pd));
    return prim__shuffle_as_reorder_init_pd(pd);
}
