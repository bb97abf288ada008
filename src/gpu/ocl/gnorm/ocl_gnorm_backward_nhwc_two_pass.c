// SPDX-License-Identifier: Apache-2.0
// Gradients of group normalisation of contiguous NHWC: sums of each channel over slices of an
// image, joined for channels and groups, then diff_src in the opposite order.
#include "gpu/ocl/kit/ocl_norm_backward.h"
#include "ocl_gnorm_nhwc.h"

extern const ocl_source_t prim__ocl_gnorm_backward_nhwc_two_pass_cl;
extern const impl_t prim__ocl_gnorm_backward_nhwc_two_pass;

enum { SUMS, FINISH, APPLY, CHANNELS };
enum { PARTS = 4 }; ///< floats of a channel: mean, factor, slope, rest

typedef struct {
    gnorm_nhwc_pd_t nhwc;
    bool has_sums;          ///< else neither diff_src nor a gradient of a parameter needs them
    size_t planes_bytes_at; ///< in the scratchpad
} backward_pd_t;

_Static_assert(offsetof(backward_pd_t, nhwc) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    backward_pd_t *const backward = (backward_pd_t *)pd;
    ocl_gnorm_nhwc_data_t *const data = &backward->nhwc.data;
    TRY(prim__ocl_gnorm_nhwc_init(pd, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC));
    backward->has_sums = !data->are_given || prim__pd_has(pd, PRIM_ARG_DIFF_SCALE) ||
                         prim__pd_has(pd, PRIM_ARG_DIFF_SHIFT);
    prim__ocl_gnorm_nhwc_book(&backward->nhwc, PARTS);
    backward->planes_bytes_at = prim__pd_book_scratchpad(
            pd, (size_t)data->batch * (size_t)data->channels * 2 * sizeof(float));
    if (!backward->has_sums) data->nslices = 0;
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    static const char *const names[] = {[SUMS] = "gnorm_backward_nhwc_sums",
            [FINISH] = "gnorm_backward_nhwc_finish",
            [APPLY] = "gnorm_backward_nhwc_apply"};
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const gnorm_nhwc_pd_t *const nhwc = (const gnorm_nhwc_pd_t *)pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_gnorm_nhwc_options(&options, nhwc);
    prim__ocl_options_type(&options, "DIFF_DST", prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(&options, "DIFF_SRC", prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->data_type);
    for (int i = SUMS; i <= APPLY; ++i)
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_gnorm_backward_nhwc_two_pass_cl, &options, names[i]));
    TRY(prim__ocl_primitive_add_data(p, &nhwc->data, sizeof nhwc->data));
    return prim__ocl_norm_backward_add_channels(p, nhwc->data.groups, 1);
}

static void begin(ocl_args_t *args, const ocl_primitive_t *p)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
}

static prim_status_t add_up(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const backward_pd_t *const pd = (const backward_pd_t *)p->base.pd;
    ocl_args_t args;
    if (!pd->has_sums) return PRIM_SUCCESS;
    begin(&args, p);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_scratchpad(&args, ctx, pd->nhwc.partials_bytes_at, 2 * sizeof(float));
    const ocl_range_t range = prim__ocl_gnorm_nhwc_sums(&pd->nhwc);
    return prim__ocl_launch(ctx, p->kernels[SUMS], &range, &args);
}

static prim_status_t finish(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const backward_pd_t *const pd = (const backward_pd_t *)p->base.pd;
    ocl_args_t args;
    begin(&args, p);
    prim__ocl_args_scratchpad(&args, ctx, pd->nhwc.partials_bytes_at, 2 * sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_scratchpad(&args, ctx, pd->planes_bytes_at, 2 * sizeof(float));
    prim__ocl_args_scratchpad(&args, ctx, pd->nhwc.parts_bytes_at, sizeof(float));
    const ocl_range_t range = prim__ocl_gnorm_nhwc_finish(&pd->nhwc);
    TRY(prim__ocl_launch(ctx, p->kernels[FINISH], &range, &args));
    return prim__ocl_norm_backward_channels(p, ctx, CHANNELS, pd->planes_bytes_at);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const gnorm_nhwc_pd_t *const pd = (const gnorm_nhwc_pd_t *)primitive->pd;
    TRY(add_up(p, ctx));
    TRY(finish(p, ctx));
    ocl_args_t args;
    begin(&args, p);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    const ocl_range_t range = prim__ocl_gnorm_nhwc_apply(pd);
    return prim__ocl_launch(ctx, p->kernels[APPLY], &range, &args);
}

const impl_t prim__ocl_gnorm_backward_nhwc_two_pass = {
        .name = "ocl:gnorm:backward_nhwc_two_pass",
        .pd_size = sizeof(backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
