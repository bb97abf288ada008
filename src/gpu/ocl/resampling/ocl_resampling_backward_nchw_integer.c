// SPDX-License-Identifier: Apache-2.0
// Gradient of resampling by integer factors of NCHW on GPUs: vectors of adjacent elements of
// diff_src, several rows to a work-item.
#include "common/data_type.h"
#include "common/int_math.h"
#include "ocl_resampling_backward.h"

extern const ocl_source_t prim__ocl_resampling_backward_nchw_integer_cl;
extern const impl_t prim__ocl_resampling_backward_nchw_integer;

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_resampling_backward_pd_t *const pd = (ocl_resampling_backward_pd_t *)base;
    TRY(prim__ocl_resampling_backward_require(pd));
    TRY(prim__ocl_resampling_backward_require_integer(pd));
    const ocl_resize_t *const axes = pd->data.axes;
    REQUIRE(base,
            prim__ocl_channels_has_rows(&pd->data.diff_src, axes[2].in) &&
                    prim__ocl_channels_has_rows(&pd->data.diff_dst, axes[2].out),
            "rows of diff_src or diff_dst are not contiguous (NCHW)");
    pd->vec = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type) < 4 ? 8 : 4;
    pd->rows = pd->scale_h < 3 ? 2 : 1;
    TRY(prim__ocl_resampling_backward_split(
            pd, pd->data.diff_src.channels, 1, (int32_t)prim__ceil_div(axes[2].in, pd->vec)));
    PREFER_OTHER_UNLESS(base, axes[2].in >= pd->vec,
            "rows of diff_src are shorter than a vector of %d", pd->vec);
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
    return prim__ocl_single_init(primitive, &options,
            &prim__ocl_resampling_backward_nchw_integer_cl, "resampling_backward_nchw_integer",
            &pd->data, sizeof pd->data);
}

const impl_t prim__ocl_resampling_backward_nchw_integer = {
        .name = "ocl:resampling:backward_nchw_integer",
        .pd_size = sizeof(ocl_resampling_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_resampling_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
