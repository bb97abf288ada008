// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling in vectors of channels: NHWC, channel-blocked, and every other layout
// channel by channel.
#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_resampling_backward.h"

extern const ocl_source_t prim__ocl_resampling_backward_nhwc_vector_cl;
extern const impl_t prim__ocl_resampling_backward_nhwc_vector;

/// One element of a GPU's work-item; on CPU-type devices as much of a row as leaves several
/// work-items to every core.
static int32_t choose_cols(const ocl_resampling_backward_pd_t *pd, double nrows)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    if (!device->is_cpu) return 1;
    const double wanted = (double)prim__ocl_estimate_core_items(device);
    const double npieces = nrows < wanted ? wanted / nrows + 1 : 1;
    const double cols = (double)pd->data.axes[2].in / npieces;
    return cols > 1 ? (int32_t)cols : 1;
}

static prim_status_t split(ocl_resampling_backward_pd_t *pd)
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
    ocl_resampling_backward_pd_t *const pd = (ocl_resampling_backward_pd_t *)base;
    TRY(prim__ocl_resampling_backward_require(pd));
    const ocl_channels_t tensors[] = {pd->data.diff_dst, pd->data.diff_src};
    const int most = prim__ocl_device(base->engine)->is_cpu ? 16 : 4;
    pd->vec = prim__ocl_channels_vec(tensors, 2, most);
    return split(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const ocl_resampling_backward_pd_t *const pd =
            (const ocl_resampling_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_resampling_backward_options(&options, pd);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_resampling_backward_nhwc_vector_cl,
            "resampling_backward_nhwc_vector", &pd->data, sizeof pd->data);
}

const impl_t prim__ocl_resampling_backward_nhwc_vector = {
        .name = "ocl:resampling:backward_nhwc_vector",
        .pd_size = sizeof(ocl_resampling_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_resampling_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
