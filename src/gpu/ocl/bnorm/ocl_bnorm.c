// SPDX-License-Identifier: Apache-2.0
// Requirements, build options and arguments that the typed implementations of batch normalisation
// share.
#include "ocl_bnorm.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_measured.h"

// How neighbours of a plane lie, in src, dst and the workspace.
static prim_status_t find_steps(prim_desc_t *pd, ocl_bnorm_data_t *data)
{
    data->src_step = prim__ocl_channels_flat_stride(prim__pd_md(pd, PRIM_ARG_SRC));
    data->dst_step = prim__ocl_channels_flat_stride(prim__pd_md(pd, PRIM_ARG_DST));
    data->ws_step = 1;
    if (prim__bnorm_has_workspace(pd))
        data->ws_step = prim__ocl_channels_flat_stride(prim__pd_md(pd, PRIM_ARG_WORKSPACE));
    REQUIRE(pd, data->src_step > 0 && data->dst_step > 0 && data->ws_step > 0,
            "the spatial dimensions of src, dst or the workspace cannot be merged into one");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_bnorm_require(prim_desc_t *pd, ocl_bnorm_data_t *data)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__bnorm_resolve(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    REQUIRE(pd, !prim__md_is_empty(src), "src has no elements");
    bool is_known = prim__ocl_channels_init(&data->src, src) &&
                    prim__ocl_channels_init(&data->dst, prim__pd_md(pd, PRIM_ARG_DST));
    if (prim__bnorm_has_workspace(pd))
        is_known =
                is_known && prim__ocl_channels_init(&data->ws, prim__pd_md(pd, PRIM_ARG_WORKSPACE));
    REQUIRE(pd, prim__ocl_device(pd->engine)->max_group_items >= 16,
            "the device runs work-groups of at most %zu work-items, 16 are needed",
            prim__ocl_device(pd->engine)->max_group_items);
    REQUIRE(pd, is_known,
            "a tensor is blocked or padded along another dimension than the channels, or spans "
            "2^31 elements");
    TRY(find_steps(pd, data));
    const unsigned flags = pd->op.u.norm.flags;
    data->batch = (int32_t)src->dims[0];
    data->spatial = (int32_t)(prim__md_nelems(src) / src->dims[0] / src->dims[1]);
    data->has_scale = (flags & PRIM_USE_SCALE) != 0;
    data->has_shift = (flags & PRIM_USE_SHIFT) != 0;
    data->has_outputs = prim__bnorm_has_statistics(pd) && prim__pd_has(pd, PRIM_ARG_MEAN);
    data->epsilon = pd->op.u.norm.epsilon;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_bnorm_require_statistics(prim_desc_t *pd, ocl_bnorm_data_t *data)
{
    TRY(prim__ocl_bnorm_require(pd, data));
    REQUIRE(pd, prim__bnorm_has_statistics(pd),
            "mean and variance are inputs; this variant computes them");
    return PRIM_SUCCESS;
}

int32_t prim__ocl_bnorm_parts(int32_t n, int32_t piece)
{
    return (int32_t)prim__ceil_div(n, piece);
}

bool prim__ocl_bnorm_is_nchw(const ocl_channels_t *tensor, int32_t step, int32_t spatial)
{
    const bool is_by_channel = tensor->run == 1 || tensor->channels == 1;
    return is_by_channel && tensor->padded_channels == tensor->channels &&
           (step == 1 || spatial == 1);
}

bool prim__ocl_bnorm_has_planes(const prim_desc_t *pd, const ocl_bnorm_data_t *data)
{
    return prim__ocl_bnorm_is_nchw(&data->src, data->src_step, data->spatial) &&
           prim__ocl_bnorm_is_nchw(&data->dst, data->dst_step, data->spatial) &&
           (!prim__bnorm_has_workspace(pd) ||
                   prim__ocl_bnorm_is_nchw(&data->ws, data->ws_step, data->spatial));
}

void prim__ocl_bnorm_options(ocl_options_t *options, const prim_desc_t *pd)
{
    prim__ocl_options_src_dst(options, pd);
    prim__ocl_options_type(options, "WS", PRIM_U8);
    prim__ocl_options_int(
            options, "WITH_ADDEND", (pd->op.u.norm.flags & PRIM_FUSE_NORM_ADD_RELU) != 0);
    prim__ocl_options_int(options, "WITH_RELU", prim__bnorm_has_relu(pd));
    prim__ocl_options_int(options, "WITH_WS", prim__bnorm_has_workspace(pd));
    prim__ocl_post_ops_options(options, pd, true);
}

void prim__ocl_bnorm_args(ocl_args_t *args, const exec_ctx_t *ctx)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_WORKSPACE);
}

void prim__ocl_bnorm_book(
        ocl_bnorm_scratch_t *scratch, prim_desc_t *pd, const ocl_bnorm_data_t *data)
{
    const size_t row_bytes = (size_t)data->src.padded_channels * sizeof(float);
    scratch->partials_bytes_at =
            prim__pd_book_scratchpad(pd, 3 * (size_t)data->nchunks * row_bytes);
    scratch->has_statistics = !data->has_outputs;
    if (data->has_outputs) return;
    scratch->mean_bytes_at = prim__pd_book_scratchpad(pd, row_bytes);
    scratch->variance_bytes_at = prim__pd_book_scratchpad(pd, row_bytes);
}

void prim__ocl_bnorm_args_mean(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_bnorm_scratch_t *scratch)
{
    if (scratch->has_statistics) {
        prim__ocl_args_scratchpad(args, ctx, scratch->mean_bytes_at, sizeof(float));
    } else {
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
    }
}

void prim__ocl_bnorm_args_variance(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_bnorm_scratch_t *scratch)
{
    if (scratch->has_statistics) {
        prim__ocl_args_scratchpad(args, ctx, scratch->variance_bytes_at, sizeof(float));
    } else {
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
    }
}

// As BNORM_FINISH_CHANNELS in clh/bnorm_finish.h.
enum { FINISH_CHANNELS = 4 };

// On GPUs as many work-items as a group may have: there are few groups.
static size_t finish_items(const ocl_device_t *device)
{
    return device->is_cpu
                   ? FINISH_CHANNELS
                   : (size_t)prim__ocl_measured_int(device, MEASURED_BNORM_FINISH_ITEMS, 1024);
}

prim_status_t prim__ocl_bnorm_finish(const exec_ctx_t *ctx, const ocl_kernel_t *kernel,
        cl_mem data_buffer, const ocl_bnorm_data_t *data, const ocl_bnorm_scratch_t *scratch)
{
    const size_t local = prim__ocl_group_items(kernel, finish_items(kernel->device));
    // A work-group without rows would loop for ever: the kernel advances by its rows.
    if (local < FINISH_CHANNELS) {
        return prim__fail(PRIM_RUNTIME_ERROR, "%s needs groups of %d items, the device allows %zu",
                kernel->name, (int)FINISH_CHANNELS, local);
    }
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, data_buffer);
    prim__ocl_args_scratchpad(&args, ctx, scratch->partials_bytes_at, sizeof(float));
    prim__ocl_bnorm_args_mean(&args, ctx, scratch);
    prim__ocl_bnorm_args_variance(&args, ctx, scratch);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_local(&args, local * 3 * sizeof(float));
    const int64_t ngroups = prim__ceil_div(data->src.channels, FINISH_CHANNELS);
    const ocl_range_t range = prim__ocl_range_groups(ngroups, local);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}
