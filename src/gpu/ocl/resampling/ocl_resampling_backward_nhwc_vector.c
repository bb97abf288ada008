// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling in vectors of channels: NHWC, channel-blocked, and every other layout
// channel by channel.
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/resampling_backward_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"

extern const ocl_source_t prim__ocl_resampling_backward_nhwc_vector_cl;
extern const impl_t prim__ocl_resampling_backward_nhwc_vector;

typedef struct {
    prim_desc_t base;
    int vec;
    ocl_resampling_backward_data_t data;
} resampling_backward_pd_t;

_Static_assert(offsetof(resampling_backward_pd_t, base) == 0, "the base comes first");

static prim_status_t take_axes(resampling_backward_pd_t *pd)
{
    const prim_memory_desc_t *const diff_src = prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC);
    const prim_memory_desc_t *const diff_dst = prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST);
    for (int a = 0; a < 3; ++a) {
        const int d = a - 3 + diff_src->ndims;
        const prim_dim_t in = d < 2 ? 1 : diff_src->dims[d], out = d < 2 ? 1 : diff_dst->dims[d];
        REQUIRE(&pd->base, (2 * out + 3) * (in + 2) <= INT32_MAX,
                "a dimension is so large that positions do not fit 32 bits");
        REQUIRE(&pd->base, out / in <= OCL_LONGEST_SUM / 4,
                "so many elements are made of one that f32 loses precision in their sum");
        pd->data.axes[a] = (ocl_resize_t){.in = (int32_t)in, .out = (int32_t)out};
    }
    return PRIM_SUCCESS;
}

/// One element of a GPU's work-item; on CPU-type devices as much of a row as leaves several
/// work-items to every core.
static int32_t choose_cols(const resampling_backward_pd_t *pd, double nrows)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    if (!device->is_cpu) return 1;
    const double wanted = (double)prim__ocl_estimate_core_items(device);
    const double npieces = nrows < wanted ? wanted / nrows + 1 : 1;
    const double cols = (double)pd->data.axes[2].in / npieces;
    return cols > 1 ? (int32_t)cols : 1;
}

static prim_status_t split(resampling_backward_pd_t *pd)
{
    ocl_resampling_backward_data_t *const data = &pd->data;
    const ocl_channels_t *const to = &data->diff_src;
    const int32_t nblocks = to->padded_channels / to->run, nvecs = to->run / pd->vec;
    const double nrows = (double)prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->dims[0] * nblocks *
                         nvecs * data->axes[0].in * data->axes[1].in;
    data->cols = choose_cols(pd, nrows);
    const int32_t ncols = (int32_t)prim__ceil_div(data->axes[2].in, data->cols);
    REQUIRE(&pd->base, nrows * ncols <= INT32_MAX, "more than 2^31 work-items");
    data->nitems = (int32_t)(nrows * ncols);
    data->by_vecs = prim__ocl_divisor(nvecs);
    data->by_cols = prim__ocl_divisor(ncols);
    data->by_rows = prim__ocl_divisor(data->axes[1].in);
    data->by_depth = prim__ocl_divisor(data->axes[0].in);
    data->by_blocks = prim__ocl_divisor(nblocks);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    resampling_backward_pd_t *const pd = (resampling_backward_pd_t *)base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow_gradients(base));
    const prim_memory_desc_t *const diff_src = prim__pd_md(base, PRIM_ARG_DIFF_SRC);
    const prim_memory_desc_t *const diff_dst = prim__pd_md(base, PRIM_ARG_DIFF_DST);
    REQUIRE(base, !prim__md_is_empty(diff_src) && !prim__md_is_empty(diff_dst),
            "diff_src or diff_dst has no elements");
    REQUIRE(base,
            prim__ocl_channels_init(&pd->data.diff_src, diff_src) &&
                    prim__ocl_channels_init(&pd->data.diff_dst, diff_dst),
            "a tensor is blocked or padded along another dimension than the channels, or spans "
            "2^31 elements");
    TRY(take_axes(pd));
    const ocl_channels_t tensors[] = {pd->data.diff_dst, pd->data.diff_src};
    const int most = prim__ocl_device(base->engine)->is_cpu ? 16 : 4;
    pd->vec = prim__ocl_channels_vec(tensors, 2, most);
    return split(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const resampling_backward_pd_t *const pd = (const resampling_backward_pd_t *)primitive->pd;
    const prim_desc_t *const base = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "DIFF_DST", prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(&options, "DIFF_SRC", prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "LINEAR", base->op.alg_kind == PRIM_RESAMPLING_LINEAR);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_resampling_backward_nhwc_vector_cl,
            "resampling_backward_nhwc_vector", &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(
            primitive, ctx, &args, ((const resampling_backward_pd_t *)primitive->pd)->data.nitems);
}

const impl_t prim__ocl_resampling_backward_nhwc_vector = {
        .name = "ocl:resampling:backward_nhwc_vector",
        .pd_size = sizeof(resampling_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
