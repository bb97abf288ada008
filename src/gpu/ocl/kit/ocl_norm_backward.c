// SPDX-License-Identifier: Apache-2.0
// Four launches: sums over planes, over channels (the gradients of scale and shift), over what
// shares statistics; then the gradient of src.
#include "ocl_norm_backward.h"

#include "common/int_math.h"
#include "gpu/ocl/clh/shared/norm_backward_data.h"
#include "ocl_md.h"

extern const ocl_source_t prim__ocl_norm_backward_cl;

enum { PLANES, CHANNELS, SETS, DATA };
enum {
    ITEMS = 512,
    COLUMNS = 4,
    AT_ONCE = 8
}; ///< of a work-group that sums planes over the images

static int64_t count_sets(const ocl_norm_backward_pd_t *pd, const prim_memory_desc_t *src)
{
    return pd->groups > 0 ? src->dims[0] * pd->groups : src->dims[1];
}

prim_status_t prim__ocl_norm_backward_init_pd(prim_desc_t *base, int64_t groups)
{
    ocl_norm_backward_pd_t *const pd = (ocl_norm_backward_pd_t *)base;
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    pd->groups = groups;
    // One more than there are: without images the kernel of the channels still takes the argument.
    const size_t sums_bytes = 2 * sizeof(float);
    const size_t nplanes = (size_t)(src->dims[0] * src->dims[1]) + 1;
    pd->planes_bytes_at = prim__pd_book_scratchpad(base, nplanes * sums_bytes);
    pd->sets_bytes_at = prim__pd_book_scratchpad(base, (size_t)count_sets(pd, src) * sums_bytes);
    return PRIM_SUCCESS;
}

static prim_status_t add_data(ocl_primitive_t *p, int64_t groups, int64_t parts)
{
    const prim_desc_t *const pd = p->base.pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const ocl_norm_backward_data_t data = {.src = prim__ocl_md(src),
            .diff_dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            .ws = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_WORKSPACE)),
            .diff_src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_SRC)),
            .groups = groups,
            .group_channels = groups > 0 ? src->dims[1] / groups : 1,
            .plane_rows = src->dims[0] * parts,
            .are_constants = (pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0,
            .has_scale = prim__pd_has(pd, PRIM_ARG_SCALE),
            .has_diff_src1 = prim__pd_has(pd, PRIM_ARG_DIFF_SRC_1),
            .has_diff_scale = prim__pd_has(pd, PRIM_ARG_DIFF_SCALE),
            .has_diff_shift = prim__pd_has(pd, PRIM_ARG_DIFF_SHIFT),
            .epsilon = pd->op.u.norm.epsilon};
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static int channels_items(const ocl_device_t *device)
{
    if (device->is_cpu) return COLUMNS;
    int items = ITEMS;
    while ((size_t)items > device->max_group_items && items > COLUMNS) items /= 2;
    return items;
}

static void add_options(ocl_options_t *options, const prim_desc_t *pd)
{
    prim__ocl_options_init(options);
    prim__ocl_options_int(options, "ITEMS", channels_items(prim__ocl_device(pd->engine)));
    prim__ocl_options_int(options, "COLUMNS", COLUMNS);
    prim__ocl_options_int(options, "AT_ONCE", AT_ONCE);
}

static const char *const names[] = {[PLANES] = "norm_backward_planes",
        [CHANNELS] = "norm_backward_channels",
        [SETS] = "norm_backward_sets",
        [DATA] = "norm_backward_data"};

prim_status_t prim__ocl_norm_backward_init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    ocl_options_t options;
    add_options(&options, primitive->pd);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_norm_backward_cl, &options, names[i]));
    return add_data(p, ((const ocl_norm_backward_pd_t *)primitive->pd)->groups, 1);
}

prim_status_t prim__ocl_norm_backward_add_channels(
        ocl_primitive_t *p, int64_t groups, int64_t parts)
{
    ocl_options_t options;
    add_options(&options, p->base.pd);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_norm_backward_cl, &options, names[CHANNELS]));
    return add_data(p, groups, parts);
}

prim_status_t prim__ocl_norm_backward_channels(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, int at, size_t planes_bytes_at)
{
    const prim_desc_t *const pd = p->base.pd;
    if (!prim__pd_has(pd, PRIM_ARG_DIFF_SCALE) && !prim__pd_has(pd, PRIM_ARG_DIFF_SHIFT))
        return PRIM_SUCCESS;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[p->ndata - 1]);
    prim__ocl_args_scratchpad(&args, ctx, planes_bytes_at, 2 * sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SCALE);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SHIFT);
    const ocl_range_t range =
            prim__ocl_range_groups(prim__ceil_div(prim__pd_md(pd, PRIM_ARG_SRC)->dims[1], COLUMNS),
                    (size_t)channels_items(prim__ocl_device(pd->engine)));
    return prim__ocl_launch(ctx, p->kernels[at], &range, &args);
}

static void add_planes(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const size_t at = ((const ocl_norm_backward_pd_t *)pd)->planes_bytes_at;
    prim__ocl_args_scratchpad(args, ctx, at, 2 * sizeof(float));
}

static void add_sets(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const size_t at = ((const ocl_norm_backward_pd_t *)pd)->sets_bytes_at;
    prim__ocl_args_scratchpad(args, ctx, at, 2 * sizeof(float));
}

static void begin(ocl_args_t *args, const ocl_primitive_t *p)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
}

static void add_inputs(ocl_args_t *args, const exec_ctx_t *ctx)
{
    static const int tensors[] = {
            PRIM_ARG_SRC, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE, PRIM_ARG_DIFF_DST, PRIM_ARG_WORKSPACE};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i)
        prim__ocl_args_tensor(args, ctx, tensors[i]);
}

static prim_status_t launch(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, int kernel, ocl_args_t *args, int64_t n)
{
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[kernel], n);
    return prim__ocl_launch(ctx, p->kernels[kernel], &range, args);
}

static prim_status_t add_up(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = p->base.pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    ocl_args_t args;
    begin(&args, p);
    add_inputs(&args, ctx);
    add_planes(&args, pd, ctx);
    TRY(launch(p, ctx, PLANES, &args, src->dims[0] * src->dims[1]));
    TRY(prim__ocl_norm_backward_channels(
            p, ctx, CHANNELS, ((const ocl_norm_backward_pd_t *)pd)->planes_bytes_at));
    if (prim__md_is_empty(src)) return PRIM_SUCCESS; // no element has a mean
    begin(&args, p);
    add_planes(&args, pd, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    add_sets(&args, pd, ctx);
    return launch(p, ctx, SETS, &args, count_sets((const ocl_norm_backward_pd_t *)pd, src));
}

prim_status_t prim__ocl_norm_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    TRY(add_up(p, ctx)); // before diff_src, which may have the memory of diff_dst
    ocl_args_t args;
    begin(&args, p);
    add_inputs(&args, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SCALE);
    add_sets(&args, pd, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC_1);
    // diff_src1 is described as src.
    const int64_t n = prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DIFF_SRC));
    const int64_t n1 = prim__pd_has(pd, PRIM_ARG_DIFF_SRC_1)
                               ? prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DIFF_SRC_1))
                               : 0;
    return launch(p, ctx, DATA, &args, n > n1 ? n : n1);
}
