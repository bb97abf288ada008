// SPDX-License-Identifier: Apache-2.0
// Layer normalisation, generic: one program for every problem; types, layouts and post-ops are
// run-time arguments.
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_lnorm.h"

extern const ocl_source_t prim__ocl_lnorm_any_cl;
extern const impl_t prim__ocl_lnorm_any;

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const ocl_lnorm_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST)),
            .stat = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_MEAN)),
            .stats = prim__ocl_lnorm_stats(pd),
            .scale_dt = (int32_t)prim__pd_md(pd, PRIM_ARG_SCALE)->data_type,
            .shift_dt = (int32_t)prim__pd_md(pd, PRIM_ARG_SHIFT)->data_type,
            .epsilon = pd->op.u.norm.epsilon};
    return prim__ocl_single_init_any(
            primitive, &prim__ocl_lnorm_any_cl, "lnorm_any", &data, sizeof data);
}

/// Rows of dst, padding included.
static int64_t count_rows(const prim_memory_desc_t *dst)
{
    int64_t nrows = 1;
    for (int d = 0; d < dst->ndims - 1; ++d) nrows *= dst->padded_dims[d];
    return nrows;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const int64_t nrows = count_rows(prim__pd_md(pd, PRIM_ARG_DST));
    const bool has_outputs = prim__ocl_lnorm_stats(pd) == LNORM_STATS_OUTPUT;
    const int64_t nstats = has_outputs ? prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_MEAN)) : 0;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_lnorm_args(&args, pd, ctx);
    prim__ocl_args_i64(&args, nrows);
    return prim__ocl_single_run(primitive, ctx, &args, nrows > nstats ? nrows : nstats);
}

const impl_t prim__ocl_lnorm_any = {
        .name = "ocl:lnorm:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_lnorm_init,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
