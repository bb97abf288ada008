// SPDX-License-Identifier: Apache-2.0
// Resampling by integer factors of NCHW on GPUs: vectors of adjacent outputs.
#include "common/data_type.h"
#include "common/int_math.h"
#include "ocl_resampling_scale.h"

extern const ocl_source_t prim__ocl_resampling_nchw_integer_cl;
extern const impl_t prim__ocl_resampling_nchw_integer;

_Static_assert(offsetof(ocl_scale_pd_t, base) == 0, "the base comes first");

enum { ROWS = 1 }; ///< of blocks that a work-item makes

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_scale_pd_t *const pd = (ocl_scale_pd_t *)base;
    ocl_scale_data_t *const data = &pd->data;
    TRY(prim__ocl_scale_require(pd));
    REQUIRE(base,
            prim__ocl_channels_has_rows(&data->src, data->in_w) &&
                    prim__ocl_channels_has_rows(&data->dst, data->out_w),
            "rows of src or dst are not contiguous (NCHW)");
    pd->vec = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_DST)->data_type) < 4 ? 8 : 4;
    REQUIRE(base, pd->vec % pd->scale_w == 0, "the vector width %d is not a multiple of OW/IW = %d",
            pd->vec, pd->scale_w);
    pd->rows = ROWS;
    pd->cols = 0;
    prim__ocl_scale_split(pd, 1, (int32_t)prim__ceil_div(data->out_w, pd->vec));
    PREFER_OTHER_UNLESS(
            base, data->out_w >= pd->vec, "rows of dst are shorter than a vector of %d", pd->vec);
    PREFER_OTHER_UNLESS(base, !prim__ocl_device(base->engine)->is_cpu,
            "the device is CPU-type: this variant needs many work-items per core");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_scale_init(
            primitive, &prim__ocl_resampling_nchw_integer_cl, "resampling_nchw_integer");
}

const impl_t prim__ocl_resampling_nchw_integer = {
        .name = "ocl:resampling:nchw_integer",
        .pd_size = sizeof(ocl_scale_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_scale_execute,
        .fini = prim__ocl_primitive_fini,
};
