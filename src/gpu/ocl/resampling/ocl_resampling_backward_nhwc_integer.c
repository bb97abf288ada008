// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling by integer factors of NHWC and channel-blocked layouts on GPUs: vectors of
// channels, several rows and columns to a work-item.
#include "common/int_math.h"
#include "ocl_resampling_backward.h"

extern const ocl_source_t prim__ocl_resampling_backward_nhwc_integer_cl;
extern const impl_t prim__ocl_resampling_backward_nhwc_integer;

enum { MAX_SCALE = 4 };

/// out over in; 0 unless that is an integer from 1 to MAX_SCALE.
static int scale_of(const ocl_resize_t *axis)
{
    return axis->out % axis->in == 0 && axis->out / axis->in <= MAX_SCALE ? axis->out / axis->in
                                                                          : 0;
}

/// Elements of a dimension of diff_src that a work-item takes: of small factors several, which
/// share elements of diff_dst.
static int at_once(int scale)
{
    return scale < 3 ? 2 : 1;
}

static prim_status_t split(ocl_resampling_backward_pd_t *pd)
{
    ocl_resampling_backward_data_t *const data = &pd->data;
    const ocl_channels_t *const to = &data->diff_src;
    const int32_t nblocks = to->padded_channels / to->run, nvecs = to->run / pd->vec;
    data->cols = at_once(pd->scale_w);
    const int32_t ncols = (int32_t)prim__ceil_div(data->axes[2].in, data->cols);
    const int32_t nrows = (int32_t)prim__ceil_div(data->axes[1].in, pd->rows);
    const double nplanes = (double)prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->dims[0] * nblocks *
                           nvecs * data->axes[0].in;
    REQUIRE(&pd->base, nplanes * nrows * ncols <= INT32_MAX, "more than 2^31 work-items");
    data->nitems = (int32_t)(nplanes * nrows * ncols);
    data->by_vecs = prim__ocl_divisor(nvecs);
    data->by_cols = prim__ocl_divisor(ncols);
    data->by_rows = prim__ocl_divisor(nrows);
    data->by_depth = prim__ocl_divisor(data->axes[0].in);
    data->by_blocks = prim__ocl_divisor(nblocks);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_resampling_backward_pd_t *const pd = (ocl_resampling_backward_pd_t *)base;
    TRY(prim__ocl_resampling_backward_require(pd));
    const ocl_resize_t *const axes = pd->data.axes;
    pd->scale_h = scale_of(&axes[1]);
    pd->scale_w = scale_of(&axes[2]);
    REQUIRE(base, axes[0].in == axes[0].out, "OD differs from ID");
    REQUIRE(base, pd->scale_h > 0 && pd->scale_w > 0,
            "OH/IH or OW/IW is not an integer from 1 to %d", MAX_SCALE);
    const ocl_channels_t tensors[] = {pd->data.diff_dst, pd->data.diff_src};
    pd->vec = prim__ocl_channels_vec(tensors, 2, 4);
    pd->rows = at_once(pd->scale_h);
    TRY(split(pd));
    PREFER_OTHER_UNLESS(base, pd->vec > 1, "C = %d, or a channel stride, is odd",
            (int)pd->data.diff_src.channels);
    PREFER_OTHER_UNLESS(base, !prim__ocl_device(base->engine)->is_cpu,
            "the device is CPU-type: this variant needs many work-items per core");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const ocl_resampling_backward_pd_t *const pd =
            (const ocl_resampling_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_resampling_backward_options(&options, pd);
    prim__ocl_options_int(&options, "SCALE_H", pd->scale_h);
    prim__ocl_options_int(&options, "SCALE_W", pd->scale_w);
    prim__ocl_options_int(&options, "ROWS", pd->rows);
    prim__ocl_options_int(&options, "COLS", pd->data.cols);
    return prim__ocl_single_init(primitive, &options,
            &prim__ocl_resampling_backward_nhwc_integer_cl, "resampling_backward_nhwc_integer",
            &pd->data, sizeof pd->data);
}

const impl_t prim__ocl_resampling_backward_nhwc_integer = {
        .name = "ocl:resampling:backward_nhwc_integer",
        .pd_size = sizeof(ocl_resampling_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_resampling_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
