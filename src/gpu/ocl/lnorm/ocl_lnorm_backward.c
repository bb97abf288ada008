// SPDX-License-Identifier: Apache-2.0
#include "ocl_lnorm_backward.h"

#include "common/int_math.h"

extern const ocl_source_t prim__ocl_lnorm_backward_cl;

enum { ROWS_KERNEL, SUM_KERNEL };
enum { SEGMENTS = 32, COLUMNS = 8 };            ///< of a work-group that adds up
enum { FEWEST_AT_ONCE = 2, MOST_AT_ONCE = 16 }; ///< loads of a work-item

prim_status_t prim__ocl_lnorm_backward_init(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_SRC, PRIM_ARG_DIFF_DST};
    REQUIRE(pd, prim__ocl_device(pd->engine)->max_group_items >= SEGMENTS * COLUMNS,
            "the device runs work-groups of at most %zu work-items, %d are needed",
            prim__ocl_device(pd->engine)->max_group_items, SEGMENTS * COLUMNS);
    ((lnorm_backward_pd_t *)pd)->has_parameters =
            prim__pd_has(pd, PRIM_ARG_DIFF_SCALE) || prim__pd_has(pd, PRIM_ARG_DIFF_SHIFT);
    return prim__ocl_lnorm_init_rows(pd, args, 3);
}

void prim__ocl_lnorm_backward_book(lnorm_backward_pd_t *pd, int64_t npartials)
{
    pd->npartials = npartials;
    if (pd->has_parameters)
        pd->partials_bytes_at = prim__pd_book_scratchpad(
                &pd->rows.base, (size_t)(2 * npartials * pd->rows.elems) * sizeof(float));
}

void prim__ocl_lnorm_backward_options(ocl_options_t *options, const lnorm_backward_pd_t *pd)
{
    const prim_desc_t *const base = &pd->rows.base;
    const bool has_scale = prim__pd_has(base, PRIM_ARG_SCALE);
    prim__ocl_options_type(options, "SRC", prim__pd_md(base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(options, "DIFF_DST", prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(options, "DIFF_SRC", prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_type(
            options, "WEI", has_scale ? prim__pd_md(base, PRIM_ARG_SCALE)->data_type : PRIM_F32);
    prim__ocl_options_int(options, "WITH_SCALE", has_scale);
    prim__ocl_options_int(options, "WITH_PARAMETERS", pd->has_parameters);
    prim__ocl_options_int(
            options, "ARE_CONSTANTS", (base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0);
    prim__ocl_options_int(options, "VEC", pd->rows.vec);
}

prim_status_t prim__ocl_lnorm_backward_init_sums(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const lnorm_backward_pd_t *const pd = (const lnorm_backward_pd_t *)primitive->pd;
    if (pd->has_parameters) {
        ocl_options_t options;
        prim__ocl_options_init(&options);
        prim__ocl_options_int(&options, "SEGMENTS", SEGMENTS);
        prim__ocl_options_int(&options, "COLUMNS", COLUMNS);
        // All of a segment's loads together, as long as registers hold them.
        const int64_t each = prim__ceil_div(pd->npartials, SEGMENTS);
        prim__ocl_options_int(&options, "AT_ONCE",
                each < FEWEST_AT_ONCE ? FEWEST_AT_ONCE
                : each < MOST_AT_ONCE ? (int)each
                                      : MOST_AT_ONCE);
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_lnorm_backward_cl, &options, "lnorm_backward_sum"));
    }
    return prim__ocl_primitive_add_data(p, &pd->rows.nest, sizeof pd->rows.nest);
}

static void add_partials(ocl_args_t *args, const lnorm_backward_pd_t *pd, const exec_ctx_t *ctx)
{
    if (pd->has_parameters)
        prim__ocl_args_scratchpad(args, ctx, pd->partials_bytes_at, sizeof(float));
    else
        prim__ocl_args_nothing(args);
}

void prim__ocl_lnorm_backward_args(
        ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const lnorm_backward_pd_t *const pd = (const lnorm_backward_pd_t *)p->base.pd;
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_SRC);
    add_partials(args, pd, ctx);
    prim__ocl_args_f32(args, pd->rows.base.op.u.norm.epsilon);
    prim__ocl_args_i64(args, pd->rows.elems);
    prim__ocl_args_i64(args, pd->rows.nrows);
}

prim_status_t prim__ocl_lnorm_backward_sum(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const lnorm_backward_pd_t *const pd = (const lnorm_backward_pd_t *)p->base.pd;
    if (!pd->has_parameters) return PRIM_SUCCESS;
    const prim_desc_t *const base = &pd->rows.base;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    add_partials(&args, pd, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SHIFT);
    prim__ocl_args_i32(&args, (int32_t)prim__pd_md(base, PRIM_ARG_DIFF_SCALE)->data_type);
    prim__ocl_args_i32(&args, (int32_t)prim__pd_md(base, PRIM_ARG_DIFF_SHIFT)->data_type);
    prim__ocl_args_i64(&args, pd->npartials);
    prim__ocl_args_i64(&args, pd->rows.elems);
    const int64_t ngroups = prim__ceil_div(pd->rows.elems, COLUMNS);
    const ocl_range_t range = prim__ocl_range_3d(
            ngroups * SEGMENTS * COLUMNS, 2, 1, (size_t)(SEGMENTS * COLUMNS), 1, 1);
    return prim__ocl_launch(ctx, p->kernels[SUM_KERNEL], &range, &args);
}
