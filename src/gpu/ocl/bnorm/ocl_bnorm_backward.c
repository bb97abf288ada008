// SPDX-License-Identifier: Apache-2.0
#include "ocl_bnorm_backward.h"

#include "common/data_type.h"
#include "common/int_math.h"

extern const ocl_source_t prim__ocl_bnorm_backward_cl;

enum { FINISH_ITEMS = 256, FINISH_COLUMNS = 8 };

static int finish_items(const ocl_device_t *device)
{
    int items = device->is_cpu ? FINISH_COLUMNS : FINISH_ITEMS;
    while (items > FINISH_COLUMNS && (size_t)items > device->max_group_items) items /= 2;
    return items;
}

/// 16 bytes of the largest type on GPUs.
static int choose_vec(const prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC};
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    size_t bytes = 2;
    for (size_t i = 0; i < sizeof args / sizeof *args; ++i) {
        const size_t of_type = prim__dt_bytes(prim__pd_md(pd, args[i])->data_type);
        if (of_type > bytes) bytes = of_type;
    }
    if (device->is_cpu) return device->vector_width_f32 >= 8 ? 16 : 4;
    return (int)(16 / bytes);
}

static prim_status_t init_tensors(bnorm_backward_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const struct {
        int arg;
        ocl_channels_t *to;
        int32_t *step;
    } tensors[] = {{PRIM_ARG_SRC, &pd->data.src, &pd->src_step},
            {PRIM_ARG_DIFF_DST, &pd->data.diff_dst, &pd->diff_dst_step},
            {PRIM_ARG_DIFF_SRC, &pd->data.diff_src, &pd->diff_src_step},
            {PRIM_ARG_WORKSPACE, &pd->data.ws, &pd->ws_step}};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i) {
        if (!prim__pd_has(base, tensors[i].arg)) continue;
        const prim_memory_desc_t *const md = prim__pd_md(base, tensors[i].arg);
        REQUIRE(base, prim__ocl_channels_init(tensors[i].to, md),
                "argument %d is blocked or padded along another dimension than the channels, or "
                "spans 2^31 elements",
                tensors[i].arg);
        *tensors[i].step = prim__ocl_channels_flat_stride(md);
        REQUIRE(base, *tensors[i].step > 0,
                "the spatial dimensions of argument %d cannot be merged into one", tensors[i].arg);
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_bnorm_backward_require(prim_desc_t *base)
{
    bnorm_backward_pd_t *const pd = (bnorm_backward_pd_t *)base;
    ocl_bnorm_backward_data_t *const data = &pd->data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    REQUIRE(base, !prim__md_is_empty(src), "src has no elements");
    REQUIRE(base, device->max_group_items >= (size_t)finish_items(device),
            "the device runs work-groups of at most %zu work-items, %d are needed",
            device->max_group_items, finish_items(device));
    TRY(init_tensors(pd));
    data->batch = (int32_t)src->dims[0];
    data->spatial = (int32_t)(prim__md_nelems(src) / src->dims[0] / src->dims[1]);
    data->are_constants = (base->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0;
    data->has_scale = prim__pd_has(base, PRIM_ARG_SCALE);
    data->has_diff_scale = prim__pd_has(base, PRIM_ARG_DIFF_SCALE);
    data->has_diff_shift = prim__pd_has(base, PRIM_ARG_DIFF_SHIFT);
    data->epsilon = base->op.u.norm.epsilon;
    pd->has_sums = !data->are_constants || data->has_diff_scale || data->has_diff_shift;
    pd->vec = choose_vec(base);
    pd->at_once = device->is_cpu ? 1 : 4;
    return PRIM_SUCCESS;
}

void prim__ocl_bnorm_backward_book(bnorm_backward_pd_t *pd)
{
    const size_t row_bytes = (size_t)pd->data.src.channels * sizeof(float);
    if (!pd->has_sums) pd->data.nchunks = 0;
    pd->parts_bytes_at = prim__pd_book_scratchpad(&pd->base, 4 * row_bytes);
    if (pd->has_sums)
        pd->partials_bytes_at =
                prim__pd_book_scratchpad(&pd->base, 2 * (size_t)pd->data.nchunks * row_bytes);
}

void prim__ocl_bnorm_backward_options(ocl_options_t *options, const bnorm_backward_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    prim__ocl_options_type(options, "SRC", prim__pd_md(base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(options, "DIFF_DST", prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(options, "DIFF_SRC", prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_type(options, "WS", PRIM_U8);
    prim__ocl_options_int(options, "VEC", pd->vec);
    prim__ocl_options_int(options, "AT_ONCE", pd->at_once);
    prim__ocl_options_int(options, "WITH_RELU", prim__pd_has(base, PRIM_ARG_WORKSPACE));
    prim__ocl_options_int(options, "WITH_ADDEND", prim__pd_has(base, PRIM_ARG_DIFF_SRC_1));
}

prim_status_t prim__ocl_bnorm_backward_init(prim_t *primitive, const ocl_source_t *source,
        const ocl_options_t *options, const char *sums, const char *apply)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const bnorm_backward_pd_t *const pd = (const bnorm_backward_pd_t *)primitive->pd;
    TRY(prim__ocl_primitive_add_kernel(p, source, options, sums));
    TRY(prim__ocl_primitive_add_kernel(p, source, options, apply));
    ocl_options_t finish;
    prim__ocl_options_init(&finish);
    prim__ocl_options_int(&finish, "ITEMS", finish_items(prim__ocl_device(pd->base.engine)));
    prim__ocl_options_int(&finish, "COLUMNS", FINISH_COLUMNS);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_bnorm_backward_cl, &finish, "bnorm_backward_finish"));
    return prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data);
}

static void begin(ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_WORKSPACE);
}

static void add_partials(ocl_args_t *args, const bnorm_backward_pd_t *pd, const exec_ctx_t *ctx)
{
    if (pd->has_sums)
        prim__ocl_args_scratchpad(args, ctx, pd->partials_bytes_at, 2 * sizeof(float));
    else
        prim__ocl_args_nothing(args);
}

static prim_status_t finish(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const bnorm_backward_pd_t *const pd = (const bnorm_backward_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    add_partials(&args, pd, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SHIFT);
    const ocl_range_t range =
            prim__ocl_range_groups(prim__ceil_div(pd->data.src.channels, FINISH_COLUMNS),
                    (size_t)finish_items(prim__ocl_device(pd->base.engine)));
    return prim__ocl_launch(ctx, p->kernels[BNORM_BACKWARD_FINISH], &range, &args);
}

prim_status_t prim__ocl_bnorm_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx,
        const ocl_range_t *sums, const ocl_range_t *apply)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const bnorm_backward_pd_t *const pd = (const bnorm_backward_pd_t *)primitive->pd;
    ocl_args_t args;
    if (pd->has_sums) {
        begin(&args, p, ctx);
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
        prim__ocl_args_scratchpad(&args, ctx, pd->partials_bytes_at, 2 * sizeof(float));
        TRY(prim__ocl_launch(ctx, p->kernels[BNORM_BACKWARD_SUMS], sums, &args));
    }
    TRY(finish(p, ctx));
    begin(&args, p, ctx);
    prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC_1);
    return prim__ocl_launch(ctx, p->kernels[BNORM_BACKWARD_APPLY], apply, &args);
}
