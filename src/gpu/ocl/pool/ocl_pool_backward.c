// SPDX-License-Identifier: Apache-2.0
// Requirements, build options and launch that the typed gradients of pooling share.
#include "ocl_pool_backward.h"

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_sums.h"

enum {
    MAX_TAPS = 7, ///< of a kernel along the height and the width
    MAX_AREA = 25 ///< of a kernel
};

static bool has_workspace(const pool_backward_pd_t *pd)
{
    return pd->base.op.alg_kind == PRIM_POOLING_MAX;
}

prim_status_t prim__ocl_pool_backward_require(pool_backward_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    ocl_pool_backward_data_t *const data = &pd->data;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow_gradients(base));
    const prim_memory_desc_t *const diff_src = prim__pd_md(base, PRIM_ARG_DIFF_SRC);
    const prim_memory_desc_t *const diff_dst = prim__pd_md(base, PRIM_ARG_DIFF_DST);
    REQUIRE(base, !prim__md_is_empty(diff_src) && !prim__md_is_empty(diff_dst),
            "diff_src or diff_dst has no elements");
    bool is_known = prim__ocl_channels_init(&data->diff_src, diff_src) &&
                    prim__ocl_channels_init(&data->diff_dst, diff_dst);
    if (has_workspace(pd))
        is_known = is_known &&
                   prim__ocl_channels_init(&data->ws, prim__pd_md(base, PRIM_ARG_WORKSPACE));
    REQUIRE(base, is_known,
            "a tensor is blocked or padded along another dimension than the channels, or spans "
            "2^31 elements");
    pd->by_value = prim__ocl_device(base->engine)->keeps_structs;
    TRY(prim__ocl_pool_take_axes(data->axes, &data->volume, base));
    REQUIRE(base,
            data->axes[2].taps <= OCL_LONGEST_SUM &&
                    (int64_t)data->axes[0].taps * data->axes[1].taps <= OCL_LONGEST_SUM,
            "windows of more than 65536 elements along a row, or as many rows: f32 loses precision "
            "in sums of as many");
    return PRIM_SUCCESS;
}

static bool has_depth(const pool_backward_pd_t *pd)
{
    const ocl_pool_axis_t *const depth = &pd->data.axes[0];
    return depth->in > 1 || depth->taps > 1 || depth->out > 1;
}

static bool is_small(const ocl_pool_axis_t *axis, int most_stride)
{
    return axis->taps <= MAX_TAPS && axis->stride <= most_stride && axis->jump == 1;
}

prim_status_t prim__ocl_pool_backward_require_small(pool_backward_pd_t *pd, int most_stride)
{
    const ocl_pool_axis_t *const height = &pd->data.axes[1], *const width = &pd->data.axes[2];
    REQUIRE(&pd->base,
            is_small(height, most_stride) && is_small(width, most_stride) &&
                    height->taps * width->taps <= MAX_AREA,
            "a window of %d×%d has more than %d elements, is dilated, or its stride is above %d",
            (int)height->taps, (int)width->taps, MAX_AREA, most_stride);
    return PRIM_SUCCESS;
}

bool prim__ocl_pool_backward_is_global(const ocl_pool_axis_t axes[3])
{
    for (int a = 0; a < 3; ++a)
        if (axes[a].out != 1 || axes[a].taps != axes[a].in || axes[a].pad != 0 ||
                (axes[a].jump != 1 && axes[a].in > 1))
            return false;
    return true;
}

prim_status_t prim__ocl_pool_backward_require_pairs(pool_backward_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const prim_data_type_t dt = prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type;
    TRY(prim__ocl_pool_backward_require(pd));
    REQUIRE(base, has_workspace(pd), "the algorithm is a mean");
    REQUIRE(base,
            (dt == PRIM_F16 || dt == PRIM_BF16) &&
                    prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type == dt &&
                    prim__pd_md(base, PRIM_ARG_WORKSPACE)->data_type == PRIM_U8,
            "diff_dst and diff_src are not both f16 or both bf16, or the workspace is not u8");
    REQUIRE(base, !has_depth(pd), "windows or tensors have a depth");
    PREFER_OTHER_UNLESS(base, !prim__ocl_device(base->engine)->is_cpu,
            "the device is CPU-type: elements of 16 bits in pairs save instructions of GPUs");
    return PRIM_SUCCESS;
}

int prim__ocl_pool_backward_vec(const pool_backward_pd_t *pd, int most)
{
    const ocl_channels_t tensors[] = {pd->data.diff_dst, pd->data.diff_src, pd->data.ws};
    return prim__ocl_channels_vec(tensors, has_workspace(pd) ? 3 : 2, most);
}

prim_status_t prim__ocl_pool_backward_split(pool_backward_pd_t *pd, int rows, int cols)
{
    ocl_pool_backward_data_t *const data = &pd->data;
    const ocl_channels_t *const to = &data->diff_src;
    const int32_t nblocks = to->padded_channels / to->run, nvecs = to->run / pd->vec;
    const int32_t nrows = (int32_t)prim__ceil_div(data->axes[1].in, rows);
    const int32_t ncols = (int32_t)prim__ceil_div(data->axes[2].in, cols);
    const double nitems = (double)prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->dims[0] * nblocks *
                          nvecs * data->axes[0].in * nrows * ncols;
    REQUIRE(&pd->base, nitems <= INT32_MAX, "more than 2^31 work-items");
    data->rows = rows;
    data->cols = cols;
    data->nitems = (int32_t)nitems;
    data->by_vecs = prim__ocl_divisor(nvecs);
    data->by_cols = prim__ocl_divisor(ncols);
    data->by_rows = prim__ocl_divisor(nrows);
    data->by_depth = prim__ocl_divisor(data->axes[0].in);
    data->by_blocks = prim__ocl_divisor(nblocks);
    return PRIM_SUCCESS;
}

void prim__ocl_pool_backward_options(ocl_options_t *options, const prim_desc_t *pd, int vec)
{
    const bool has_ws = prim__pd_has(pd, PRIM_ARG_WORKSPACE);
    prim__ocl_options_type(options, "DIFF_DST", prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(options, "DIFF_SRC", prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_type(
            options, "WS", has_ws ? prim__pd_md(pd, PRIM_ARG_WORKSPACE)->data_type : PRIM_U8);
    prim__ocl_options_int(options, "ALG", (int64_t)pd->op.alg_kind);
    prim__ocl_options_int(options, "VEC", vec);
}

void prim__ocl_pool_backward_tile_options(
        ocl_options_t *options, const pool_backward_pd_t *pd, int vec)
{
    const ocl_pool_axis_t *const height = &pd->data.axes[1], *const width = &pd->data.axes[2];
    prim__ocl_pool_backward_options(options, &pd->base, vec);
    prim__ocl_options_int(options, "SIZES_BY_VALUE", pd->by_value);
    prim__ocl_options_int(options, "HAS_DEPTH", has_depth(pd));
    prim__ocl_options_int(options, "ROWS", pd->data.rows);
    prim__ocl_options_int(options, "COLS", pd->data.cols);
    prim__ocl_options_int(options, "KH", height->taps);
    prim__ocl_options_int(options, "KW", width->taps);
    prim__ocl_options_int(options, "SH", height->stride);
    prim__ocl_options_int(options, "SW", width->stride);
    prim__ocl_options_int(options, "PH", height->pad % height->stride);
    prim__ocl_options_int(options, "PW", width->pad % width->stride);
}

void prim__ocl_pool_backward_pairs_options(ocl_options_t *options, const pool_backward_pd_t *pd)
{
    prim__ocl_pool_backward_tile_options(options, pd, 1);
    prim__ocl_options_int(options, "PACKED_MAX",
            prim__ocl_device_trusts(pd->base.engine, OCL_FEATURE_PACKED_MAX));
}

prim_status_t prim__ocl_pool_backward_add_sizes(ocl_primitive_t *primitive)
{
    const pool_backward_pd_t *const pd = (const pool_backward_pd_t *)primitive->base.pd;
    if (pd->by_value) return PRIM_SUCCESS;
    return prim__ocl_primitive_add_data(primitive, &pd->data, sizeof pd->data);
}

void prim__ocl_pool_backward_args(ocl_args_t *args, const exec_ctx_t *ctx)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_WORKSPACE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_SRC);
}

prim_status_t prim__ocl_pool_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const pool_backward_pd_t *const pd = (const pool_backward_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    if (pd->by_value)
        prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    else
        prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_pool_backward_args(&args, ctx);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], pd->data.nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}
