// SPDX-License-Identifier: Apache-2.0
// Resampling by integer factors of NHWC and channel-blocked layouts on GPUs: vectors of channels.
#include "common/data_type.h"
#include "ocl_resampling_scale.h"

extern const ocl_source_t prim__ocl_resampling_nhwc_integer_cl;
extern const impl_t prim__ocl_resampling_nhwc_integer;

_Static_assert(offsetof(ocl_scale_pd_t, base) == 0, "the base comes first");

enum { ROWS = 1, COLS = 1 }; ///< blocks of a work-item

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_scale_pd_t *const pd = (ocl_scale_pd_t *)base;
    ocl_scale_data_t *const data = &pd->data;
    TRY(prim__ocl_scale_require(pd));
    const ocl_channels_t tensors[] = {data->src, data->dst};
    const int wide = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_SRC)->data_type) < 4 ? 8 : 4;
    pd->vec = prim__ocl_channels_vec(tensors, 2, wide);
    pd->rows = ROWS;
    pd->cols = COLS;
    const bool is_linear = base->op.alg_kind == PRIM_RESAMPLING_LINEAR;
    const int32_t npieces =
            is_linear ? prim__ocl_scale_blocks(pd, data->in_w, pd->scale_w) : data->out_w;
    prim__ocl_scale_split(pd, data->dst.run / pd->vec, npieces);
    PREFER_OTHER_UNLESS(
            base, pd->vec > 1, "C is odd or split into odd runs: no vectors of channels");
    PREFER_OTHER_UNLESS(base, !prim__ocl_device(base->engine)->is_cpu,
            "the device is CPU-type: this variant needs many work-items per core");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_scale_init(
            primitive, &prim__ocl_resampling_nhwc_integer_cl, "resampling_nhwc_integer");
}

const impl_t prim__ocl_resampling_nhwc_integer = {
        .name = "ocl:resampling:nhwc_integer",
        .pd_size = sizeof(ocl_scale_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_scale_execute,
        .fini = prim__ocl_primitive_fini,
};
