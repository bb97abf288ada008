// SPDX-License-Identifier: Apache-2.0
// Pooling of NCHW: vectors of adjacent windows.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_pool.h"

extern const ocl_source_t prim__ocl_pool_nchw_vector_cl;
extern const impl_t prim__ocl_pool_nchw_vector;

typedef struct {
    prim_desc_t base;
    int vec;
    ocl_pool_data_t data;
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

// On CPU-type devices a work-item takes a whole row if that leaves several work-items to every
// core, else one vector. The vectors depend on the stride alone, so that a width compiles nothing:
// rows of 7, 10 and 14 took no longer with vectors of 16 than of 8 (PoCL 3.1).
static void choose_shape(pool_pd_t *pd, const ocl_device_t *device, int64_t nrows)
{
    ocl_pool_data_t *const data = &pd->data;
    const int32_t width = data->axes[2].out;
    pd->vec = !device->is_cpu ? 4 : data->axes[2].stride == 1 ? 16 : 8;
    const bool takes_rows = device->is_cpu && nrows >= prim__ocl_estimate_core_items(device);
    data->piece_elems = takes_rows ? width : pd->vec;
    data->npieces = (int32_t)prim__ceil_div(width, data->piece_elems);
    data->run_vecs = 1;
    data->nblocks = data->dst.channels;
    data->nitems = (int32_t)(nrows * data->npieces);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    ocl_pool_data_t *const data = &pd->data;
    TRY(prim__ocl_pool_require(base, data));
    TRY(prim__ocl_pool_require_short_sums(base, data));
    REQUIRE(base, data->axes[2].stride <= 2, "stride %d along the width is above 2",
            (int)data->axes[2].stride);
    bool are_rows = prim__ocl_channels_has_rows(&data->src, data->axes[2].in) &&
                    prim__ocl_channels_has_rows(&data->dst, data->axes[2].out);
    if (prim__pooling_has_workspace(base))
        are_rows = are_rows && prim__ocl_channels_has_rows(&data->ws, data->axes[2].out);
    REQUIRE(base, are_rows, "rows of src or dst are not contiguous (NCHW)");
    PREFER_OTHER_UNLESS(base, data->axes[2].out >= 4, "rows of dst are shorter than a vector");
    const int64_t nrows = (int64_t)prim__pd_md(base, PRIM_ARG_DST)->dims[0] * data->dst.channels *
                          data->axes[0].out * data->axes[1].out;
    choose_shape(pd, prim__ocl_device(base->engine), nrows);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "STRIDE", pd->data.axes[2].stride);
    prim__ocl_post_ops_options(&options, &pd->base, true);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->data.axes[2].out);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_pool_nchw_vector_cl,
            "pool_nchw_vector", &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    return prim__ocl_pool_execute(primitive, ctx, pd->data.nitems);
}

const impl_t prim__ocl_pool_nchw_vector = {
        .name = "ocl:pool:nchw_vector",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
