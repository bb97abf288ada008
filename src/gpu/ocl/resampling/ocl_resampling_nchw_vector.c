// SPDX-License-Identifier: Apache-2.0
// Resampling of NCHW by any factor; rows of doubled width in vectors.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_resampling.h"

extern const ocl_source_t prim__ocl_resampling_nchw_vector_cl;
extern const impl_t prim__ocl_resampling_nchw_vector;

typedef struct {
    prim_desc_t base;
    int vec;
    ocl_resampling_data_t data;
} resampling_pd_t;

_Static_assert(offsetof(resampling_pd_t, base) == 0, "the base comes first");

// Rows are contiguous.
static bool has_rows(const ocl_channels_t *tensor, int32_t width)
{
    const bool is_by_channel = tensor->run == 1 || tensor->channels == 1;
    return is_by_channel && tensor->padded_channels == tensor->channels &&
           (tensor->w == 1 || width == 1);
}

// On CPU-type devices a work-item takes as much of a row as leaves several work-items to every
// core; on GPUs what a vector makes.
static void choose_shape(resampling_pd_t *pd, const ocl_device_t *device, int64_t batch)
{
    ocl_resampling_data_t *const data = &pd->data;
    const int32_t width = data->axes[2].out;
    pd->vec = device->is_cpu ? 8 : 4;
    const int64_t nrows = batch * data->dst.channels * data->axes[0].out * data->axes[1].out;
    const bool takes_rows = device->is_cpu && nrows >= prim__ocl_estimate_core_items(device);
    data->piece_elems = takes_rows ? width : 2 * pd->vec;
    data->npieces = (int32_t)prim__ceil_div(width, data->piece_elems);
    data->nitems = (int32_t)(nrows * data->npieces);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    resampling_pd_t *const pd = (resampling_pd_t *)base;
    ocl_resampling_data_t *const data = &pd->data;
    TRY(prim__ocl_resampling_require(base, data));
    REQUIRE(base, has_rows(&data->src, data->axes[2].in) && has_rows(&data->dst, data->axes[2].out),
            "rows of src or dst are not contiguous (NCHW)");
    choose_shape(pd, prim__ocl_device(base->engine), prim__pd_md(base, PRIM_ARG_DST)->dims[0]);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const resampling_pd_t *const pd = (const resampling_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_resampling_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "DOUBLES", pd->data.axes[2].out == 2 * pd->data.axes[2].in);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->data.axes[2].out);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_resampling_nchw_vector_cl,
            "resampling_nchw_vector", &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const resampling_pd_t *const pd = (const resampling_pd_t *)primitive->pd;
    return prim__ocl_resampling_execute(primitive, ctx, pd->data.nitems);
}

const impl_t prim__ocl_resampling_nchw_vector = {
        .name = "ocl:resampling:nchw_vector",
        .pd_size = sizeof(resampling_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
