// SPDX-License-Identifier: Apache-2.0
// Requirements, build options and launch that the typed implementations of pooling share.
#include "ocl_pool.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_sums.h"

static bool fits(const pool_axis_t *axis)
{
    const prim_dim_t reach = axis->pad + axis->out * axis->stride + axis->kernel * axis->step;
    return reach < INT32_MAX && axis->in < INT32_MAX;
}

prim_status_t prim__ocl_pool_take_axes(ocl_pool_axis_t *out, float *volume, prim_desc_t *pd)
{
    pool_axis_t axes[3];
    prim__pooling_axes(axes, pd);
    double product = 1.;
    for (int a = 0; a < 3; ++a) {
        REQUIRE(pd, fits(&axes[a]), "positions inside the windows exceed 32 bits");
        out[a] = (ocl_pool_axis_t){.in = (int32_t)axes[a].in,
                .out = (int32_t)axes[a].out,
                .taps = (int32_t)axes[a].kernel,
                .stride = (int32_t)axes[a].stride,
                .pad = (int32_t)axes[a].pad,
                .jump = (int32_t)axes[a].step};
        product *= (double)axes[a].kernel;
    }
    *volume = (float)product;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_pool_require(prim_desc_t *pd, ocl_pool_data_t *data)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, prim__pd_md(pd, PRIM_ARG_SRC)->data_type != PRIM_S32,
            "src is s32; this variant computes in f32");
    TRY(prim__pooling_resolve(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    REQUIRE(pd, !prim__md_is_empty(src) && !prim__md_is_empty(dst), "src or dst has no elements");
    REQUIRE(pd, !prim__pooling_has_hollow_window(pd), "a window lies entirely in the padding");
    bool is_known =
            prim__ocl_channels_init(&data->src, src) && prim__ocl_channels_init(&data->dst, dst);
    if (prim__pooling_has_workspace(pd))
        is_known =
                is_known && prim__ocl_channels_init(&data->ws, prim__pd_md(pd, PRIM_ARG_WORKSPACE));
    REQUIRE(pd, is_known,
            "a tensor is blocked or padded along another dimension than the channels, or spans "
            "2^31 elements");

    data->nspatial = src->ndims - 2;
    data->src_elems = (int32_t)(prim__md_span_elems(src) - src->offset0);
    return prim__ocl_pool_take_axes(data->axes, &data->volume, pd);
}

prim_status_t prim__ocl_pool_require_short_sums(prim_desc_t *pd, const ocl_pool_data_t *data)
{
    const ocl_pool_axis_t *const axes = data->axes;
    REQUIRE(pd,
            pd->op.alg_kind == PRIM_POOLING_MAX ||
                    (axes[2].taps <= OCL_LONGEST_SUM &&
                            (int64_t)axes[0].taps * axes[1].taps <= OCL_LONGEST_SUM),
            "windows of more than 65536 elements along a row, or as many rows: f32 loses precision "
            "in their sums");
    return PRIM_SUCCESS;
}

void prim__ocl_pool_split(ocl_pool_data_t *data)
{
    const int32_t per_item = data->item_vecs > 0 ? data->item_vecs : 1;
    data->by_vecs = prim__ocl_divisor((int32_t)prim__ceil_div(data->run_vecs, per_item));
    data->by_pieces = prim__ocl_divisor(data->npieces);
    data->by_bands = prim__ocl_divisor(data->nbands);
    data->by_depth = prim__ocl_divisor(data->axes[0].out);
    data->by_blocks = prim__ocl_divisor(data->nblocks);
}

bool prim__ocl_pool_has_depth(const ocl_pool_data_t *data)
{
    const ocl_pool_axis_t *const depth = &data->axes[0];
    return depth->in > 1 || depth->taps > 1 || depth->out > 1;
}

void prim__ocl_pool_options(ocl_options_t *options, const prim_desc_t *pd)
{
    const bool has_ws = prim__pooling_has_workspace(pd);
    prim__ocl_options_src_dst(options, pd);
    prim__ocl_options_type(
            options, "WS", has_ws ? prim__pd_md(pd, PRIM_ARG_WORKSPACE)->data_type : PRIM_U8);
    prim__ocl_options_int(options, "ALG", (int64_t)pd->op.alg_kind);
    prim__ocl_options_int(options, "WITH_WS", has_ws);
}

bool prim__ocl_pool_is_global(const ocl_pool_data_t *data)
{
    for (int a = 0; a < 3; ++a) {
        const ocl_pool_axis_t *const axis = &data->axes[a];
        if (axis->out != 1 || axis->taps - axis->pad < axis->in) return false;
        if (axis->jump != 1 && axis->in > 1) return false;
    }
    return true;
}

int32_t prim__ocl_pool_plane_elems(const ocl_pool_data_t *data)
{
    return data->axes[0].in * data->axes[1].in * data->axes[2].in;
}

bool prim__ocl_pool_overhangs(const ocl_pool_axis_t *axis, int count)
{
    const int first = (axis->out - 1) / count * count * axis->stride - axis->pad;
    return first + (count - 1) * axis->stride + axis->taps > axis->in;
}

bool prim__ocl_pool_has_bytes(const prim_desc_t *pd, const ocl_pool_data_t *data)
{
    const prim_data_type_t dt = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const bool fits = pd->op.alg_kind == PRIM_POOLING_MAX || data->volume <= 256.0f;
    return prim__dt_is_int8(dt) && fits;
}

void prim__ocl_pool_window_options_init(
        ocl_options_t *options, const prim_desc_t *pd, const ocl_pool_data_t *data, int byte_words)
{
    const bool has_sums = byte_words > 0 && pd->op.alg_kind != PRIM_POOLING_MAX;
    const int int_dot =
            has_sums ? prim__ocl_feature_verdict(pd->engine, OCL_FEATURE_INT_DOT).value : 0;
    if (int_dot == OCL_INT_DOT_EXTENSION)
        prim__ocl_options_init_newer(options, prim__ocl_device(pd->engine)->opencl_major);
    else
        prim__ocl_options_init(options);
    prim__ocl_options_int(options, "INT_DOT", int_dot);
    prim__ocl_pool_options(options, pd);
    prim__ocl_options_int(options, "HAS_DEPTH", prim__ocl_pool_has_depth(data));
    prim__ocl_options_int(options, "BYTE_WORDS", byte_words);
    prim__ocl_options_int(options, "PACKED_MAX",
            byte_words > 0 && prim__ocl_device_trusts(pd->engine, OCL_FEATURE_PACKED_MAX));
}

prim_status_t prim__ocl_pool_add_sizes(ocl_primitive_t *primitive, ocl_pool_sizes_t sizes)
{
    if (sizes.by_value) return PRIM_SUCCESS;
    return prim__ocl_primitive_add_data(primitive, sizes.sizes, sizes.bytes);
}

static void add_tensors(ocl_args_t *args, const ocl_primitive_t *primitive, const exec_ctx_t *ctx)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_WORKSPACE);
    prim__ocl_args_post_ops(args, ctx, primitive);
}

prim_status_t prim__ocl_pool_execute_sized(const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        ocl_pool_sizes_t sizes, const ocl_range_t *range)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    if (sizes.by_value)
        prim__ocl_args_struct(&args, sizes.sizes, sizes.bytes);
    else
        prim__ocl_args_buffer(&args, primitive->data[0]);
    add_tensors(&args, primitive, ctx);
    return prim__ocl_launch(ctx, primitive->kernels[0], range, &args);
}

prim_status_t prim__ocl_pool_execute(const prim_t *primitive, const exec_ctx_t *ctx, int32_t nitems)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_DST, PRIM_ARG_WORKSPACE, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args, nitems);
}
