// SPDX-License-Identifier: Apache-2.0
// Group normalisation of contiguous NHWC: statistics of each channel over slices of an image,
// joined for the groups, then the elements in the opposite order.
#include "common/post_ops_check.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_gnorm_nhwc.h"

extern const ocl_source_t prim__ocl_gnorm_nhwc_two_pass_cl;
extern const impl_t prim__ocl_gnorm_nhwc_two_pass;

enum { SUMS, FINISH, APPLY };
enum { PARTS = 2 }; ///< floats of a channel: mean, factor

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gnorm_nhwc_init(pd, PRIM_ARG_DST, 0));
    REQUIRE(pd, !prim__post_ops_have_operand(&pd->attr.post_ops),
            "a post-op has an operand; this variant does not compute positions in dst");
    prim__ocl_gnorm_nhwc_book((gnorm_nhwc_pd_t *)pd, PARTS);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    static const char *const names[] = {[SUMS] = "gnorm_nhwc_sums",
            [FINISH] = "gnorm_nhwc_finish",
            [APPLY] = "gnorm_nhwc_apply"};
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const gnorm_nhwc_pd_t *const nhwc = (const gnorm_nhwc_pd_t *)pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_gnorm_nhwc_options(&options, nhwc);
    prim__ocl_options_type(&options, "DST", prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "WITH_SCALES", pd->attr.nscales > 0);
    prim__ocl_post_ops_options(&options, pd, true);
    for (int i = SUMS; i <= APPLY; ++i)
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_gnorm_nhwc_two_pass_cl, &options, names[i]));
    TRY(prim__ocl_primitive_add_data(p, &nhwc->data, sizeof nhwc->data));
    return prim__ocl_primitive_add_post_ops(p);
}

static void begin(ocl_args_t *args, const ocl_primitive_t *p)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
}

static prim_status_t take_statistics(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const gnorm_nhwc_pd_t *const pd = (const gnorm_nhwc_pd_t *)p->base.pd;
    ocl_args_t args;
    if (!pd->data.are_given) {
        begin(&args, p);
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
        prim__ocl_args_scratchpad(&args, ctx, pd->partials_bytes_at, 2 * sizeof(float));
        const ocl_range_t sums = prim__ocl_gnorm_nhwc_sums(pd);
        TRY(prim__ocl_launch(ctx, p->kernels[SUMS], &sums, &args));
    }
    begin(&args, p);
    prim__ocl_args_scratchpad(&args, ctx, pd->partials_bytes_at, 2 * sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, sizeof(float));
    const ocl_range_t finish = prim__ocl_gnorm_nhwc_finish(pd);
    return prim__ocl_launch(ctx, p->kernels[FINISH], &finish, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const gnorm_nhwc_pd_t *const pd = (const gnorm_nhwc_pd_t *)primitive->pd;
    TRY(take_statistics(p, ctx));
    ocl_args_t args;
    begin(&args, p);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_gnorm_nhwc_last_args(&args, ctx, p);
    const ocl_range_t range = prim__ocl_gnorm_nhwc_apply(pd);
    return prim__ocl_launch(ctx, p->kernels[APPLY], &range, &args);
}

const impl_t prim__ocl_gnorm_nhwc_two_pass = {
        .name = "ocl:gnorm:nhwc_two_pass",
        .pd_size = sizeof(gnorm_nhwc_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
