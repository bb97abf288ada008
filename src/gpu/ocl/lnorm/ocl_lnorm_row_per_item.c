// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of contiguous rows on CPU-type OpenCL devices: one work-item per row.
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "ocl_lnorm.h"

extern const ocl_source_t prim__ocl_lnorm_row_per_item_cl;
extern const impl_t prim__ocl_lnorm_row_per_item;

static prim_status_t init_pd(prim_desc_t *pd)
{
    lnorm_rows_pd_t *const rows = (lnorm_rows_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_lnorm_init_forward_rows(pd));
    rows->vec = device->vector_width_f32 >= 8 ? 16 : 4;
    PREFER_OTHER_UNLESS(pd, device->is_cpu,
            "the device is a GPU: with one row per work-item, loads are not coalesced");
    REQUIRE(pd, rows->elems / rows->vec <= OCL_LONGEST_SUM,
            "rows of %lld elements: f32 loses precision in their partial sums",
            (long long)rows->elems);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const lnorm_rows_pd_t *const rows = (const lnorm_rows_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_lnorm_forward_options(&options, rows);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_lnorm_row_per_item_cl, &options, "lnorm_row_per_item"));
    TRY(prim__ocl_primitive_add_data(p, &rows->nest, sizeof rows->nest));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    ocl_args_t args;
    prim__ocl_lnorm_forward_args(&args, p, ctx);
    const ocl_range_t range =
            prim__ocl_range_1d(p->kernels[0], ((const lnorm_rows_pd_t *)primitive->pd)->nrows);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_lnorm_row_per_item = {
        .name = "ocl:lnorm:row_per_item",
        .pd_size = sizeof(lnorm_rows_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
