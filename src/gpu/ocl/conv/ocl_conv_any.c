// SPDX-License-Identifier: Apache-2.0
// Convolution on OpenCL devices for every problem: one program, all else is run-time data.
#include "gpu/ocl/kit/ocl_conv_generic.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "ocl_conv.h"

extern const ocl_source_t prim__ocl_conv_any_cl;
extern const impl_t prim__ocl_conv_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__conv_take_direct(pd));
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__conv_set_row_major(pd);
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_conv_generic_init(primitive, &prim__ocl_conv_any_cl, "conv_any");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_conv_generic_execute(primitive, ctx, true);
}

const impl_t prim__ocl_conv_any = {
        .name = "ocl:conv:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
