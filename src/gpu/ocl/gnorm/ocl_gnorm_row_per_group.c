// SPDX-License-Identifier: Apache-2.0
// Group normalisation of NCHW: one work-group for each group of channels of an image.
#include "ocl_gnorm.h"

extern const ocl_source_t prim__ocl_gnorm_row_per_group_cl;
extern const impl_t prim__ocl_gnorm_row_per_group;

enum { MOST_KEPT = 8 }; ///< vectors of a work-item
/// Of a work-item that keeps vectors of 16 bits, so that several groups share a compute unit.
enum { REGISTERS = 64 };

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gnorm_init_rows(pd, PRIM_ARG_DST, 0));
    REQUIRE(pd, pd->attr.post_ops.len == 0, "there are %d post-ops; this variant has none",
            pd->attr.post_ops.len);
    REQUIRE(pd, pd->attr.nscales == 0, "src or dst has a scale");
    prim__ocl_gnorm_keep_rows((gnorm_rows_pd_t *)pd, MOST_KEPT);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const gnorm_rows_pd_t *const rows = (const gnorm_rows_pd_t *)pd;
    ocl_options_t options;
    prim__ocl_gnorm_options(&options, rows);
    prim__ocl_options_type(&options, "DST", prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "WITH_SHIFT", prim__pd_has(pd, PRIM_ARG_SHIFT));
    prim__ocl_options_int(
            &options, "ARE_GIVEN", (pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0);
    prim__ocl_gnorm_limit_registers(&options, rows, REGISTERS);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_gnorm_row_per_group_cl, &options, "gnorm_row_per_group"));
    return prim__ocl_primitive_add_data(p, &rows->data, sizeof rows->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE, PRIM_ARG_SCALE,
            PRIM_ARG_SHIFT, PRIM_ARG_DST};
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i)
        prim__ocl_args_tensor(&args, ctx, tensors[i]);
    const ocl_range_t range = prim__ocl_gnorm_range((const gnorm_rows_pd_t *)primitive->pd);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_gnorm_row_per_group = {
        .name = "ocl:gnorm:row_per_group",
        .pd_size = sizeof(gnorm_rows_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
