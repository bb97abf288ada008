// SPDX-License-Identifier: Apache-2.0
// Inner product, generic: one program for every problem; types, layouts, scales and post-ops are
// run-time arguments.
#include "common/ip_layout.h"
#include "gpu/ocl/clh/shared/ip_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

extern const ocl_source_t prim__ocl_ip_any_cl;
extern const impl_t prim__ocl_ip_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__ip_set_layouts(pd);
}

static int64_t step_of(const prim_memory_desc_t *md)
{
    for (int b = 0; b < md->inner_nblks; ++b) {
        if (md->inner_idxs[b] == md->ndims - 1) return 0;
    }
    return md->strides[md->ndims - 1];
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const ocl_ip_any_data_t data = {
            .src = prim__ocl_md(src),
            .wei = prim__ocl_md(wei),
            .bia = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_BIAS)),
            .dst = prim__ocl_md(dst),
            .src_scales = prim__ocl_scales(pd, PRIM_ARG_SRC, src),
            .wei_scales = prim__ocl_scales(pd, PRIM_ARG_WEIGHTS, wei),
            .dst_scales = prim__ocl_scales(pd, PRIM_ARG_DST, dst),
            .src_step = step_of(src),
            .wei_step = step_of(wei),
    };
    return prim__ocl_single_init_any(primitive, &prim__ocl_ip_any_cl, "ip_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST, 0};
    const prim_memory_desc_t *const dst = prim__pd_md(primitive->pd, PRIM_ARG_DST);
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_DST);
    return prim__ocl_single_run(primitive, ctx, &args, prim__md_nelems_padded(dst));
}

const impl_t prim__ocl_ip_any = {
        .name = "ocl:ip:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
