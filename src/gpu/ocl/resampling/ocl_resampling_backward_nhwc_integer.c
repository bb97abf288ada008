// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling by integer factors of NHWC and channel-blocked layouts on GPUs: vectors of
// channels, several rows and columns to a work-item.
#include "common/int_math.h"
#include "ocl_resampling_backward.h"

extern const ocl_source_t prim__ocl_resampling_backward_nhwc_integer_cl;
extern const impl_t prim__ocl_resampling_backward_nhwc_integer;

/// Elements of a dimension of diff_src that a work-item takes: of small factors several, which
/// share elements of diff_dst.
static int at_once(int scale)
{
    return scale < 3 ? 2 : 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_resampling_backward_pd_t *const pd = (ocl_resampling_backward_pd_t *)base;
    TRY(prim__ocl_resampling_backward_require(pd));
    TRY(prim__ocl_resampling_backward_require_integer(pd));
    const ocl_channels_t tensors[] = {pd->data.diff_dst, pd->data.diff_src};
    pd->vec = prim__ocl_channels_vec(tensors, 2, 4);
    pd->rows = at_once(pd->scale_h);
    pd->data.cols = at_once(pd->scale_w);
    const ocl_channels_t *const to = &pd->data.diff_src;
    TRY(prim__ocl_resampling_backward_split(pd, to->padded_channels / to->run, to->run / pd->vec,
            (int32_t)prim__ceil_div(pd->data.axes[2].in, pd->data.cols)));
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
