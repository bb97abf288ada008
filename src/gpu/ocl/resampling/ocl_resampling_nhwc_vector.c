// SPDX-License-Identifier: Apache-2.0
// Resampling of NHWC and channel-blocked layouts: vectors of channels.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_resampling.h"

extern const ocl_source_t prim__ocl_resampling_nhwc_vector_cl;
extern const impl_t prim__ocl_resampling_nhwc_vector;

typedef struct {
    prim_desc_t base;
    int vec;
    ocl_resampling_data_t data;
} resampling_pd_t;

_Static_assert(offsetof(resampling_pd_t, base) == 0, "the base comes first");

// On CPU-type devices a work-item takes the whole run of channels, and as much of a row as leaves
// several work-items to every core; on GPUs one vector of a few neighbours.
static void choose_shape(resampling_pd_t *pd, const ocl_device_t *device, int64_t batch)
{
    ocl_resampling_data_t *const data = &pd->data;
    const int32_t width = data->axes[2].out;
    data->run_vecs = data->dst.run / pd->vec;
    data->nblocks = data->dst.padded_channels / data->dst.run;
    data->item_vecs = device->is_cpu ? data->run_vecs : 1;
    const int64_t nrows = batch * data->nblocks * data->axes[0].out * data->axes[1].out;
    const int64_t wanted = prim__ocl_estimate_core_items(device);
    const int64_t npieces = nrows < wanted ? prim__ceil_div(wanted, nrows) : 1;
    // Neighbours along a row, four of which share most of what they load.
    const int64_t piece = device->is_cpu ? width / npieces
                                         : prim__ocl_measured_int(device,
                                                   MEASURED_RESAMPLING_NHWC_VECTOR_COLUMNS, 4);
    data->piece_elems = piece > 1 ? (int32_t)piece : 1;
    data->npieces = (int32_t)prim__ceil_div(width, data->piece_elems);
    const int32_t nshares = (int32_t)prim__ceil_div(data->run_vecs, data->item_vecs);
    data->nitems = (int32_t)(nrows * data->npieces * nshares);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    resampling_pd_t *const pd = (resampling_pd_t *)base;
    ocl_resampling_data_t *const data = &pd->data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_resampling_require(base, data));
    const ocl_channels_t tensors[] = {data->src, data->dst};
    pd->vec = prim__ocl_channels_vec(tensors, 2, device->is_cpu ? 16 : 4);
    choose_shape(pd, device, prim__pd_md(base, PRIM_ARG_DST)->dims[0]);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const resampling_pd_t *const pd = (const resampling_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_resampling_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->data.item_vecs * pd->vec);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_resampling_nhwc_vector_cl,
            "resampling_nhwc_vector", &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const resampling_pd_t *const pd = (const resampling_pd_t *)primitive->pd;
    return prim__ocl_resampling_execute(primitive, ctx, pd->data.nitems);
}

const impl_t prim__ocl_resampling_nhwc_vector = {
        .name = "ocl:resampling:nhwc_vector",
        .pd_size = sizeof(resampling_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
