// SPDX-License-Identifier: Apache-2.0
// Pooling of NHWC and channel-blocked layouts: vectors of channels.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_pool.h"

extern const ocl_source_t prim__ocl_pool_nhwc_vector_cl;
extern const impl_t prim__ocl_pool_nhwc_vector;

typedef struct {
    prim_desc_t base;
    int vec;
    ocl_pool_data_t data;
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

/// Vectors of neighbouring channels that a work-item takes: on CPU-type devices all that lie next
/// to each other in both tensors, unless winners are kept.
static int32_t choose_vecs(const pool_pd_t *pd, const ocl_device_t *device)
{
    const ocl_pool_data_t *const data = &pd->data;
    if (!device->is_cpu || prim__pooling_has_workspace(&pd->base)) return 1;
    const int32_t run = data->src.run < data->dst.run ? data->src.run : data->dst.run;
    return run / pd->vec;
}

// On CPU-type devices a work-item takes as much of a row as leaves several work-items to every
// core.
static int32_t choose_piece(const ocl_device_t *device, const ocl_pool_data_t *data, int64_t nrows)
{
    if (!device->is_cpu) return 1;
    const int64_t wanted = prim__ocl_estimate_core_items(device);
    const int64_t npieces = nrows >= wanted ? 1 : prim__ceil_div(wanted, nrows);
    const int64_t piece = data->axes[2].out / npieces;
    return piece > 1 ? (int32_t)piece : 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    ocl_pool_data_t *const data = &pd->data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_pool_require(base, data));
    TRY(prim__ocl_pool_require_short_sums(base, data));
    const ocl_channels_t tensors[] = {data->src, data->dst, data->ws};
    const int ntensors = prim__pooling_has_workspace(base) ? 3 : 2;
    const int wide = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_SRC)->data_type) < 4 ? 8 : 4;
    pd->vec = prim__ocl_channels_vec(tensors, ntensors, device->is_cpu ? 16 : wide);
    data->run_vecs = data->dst.run / pd->vec;
    data->item_vecs = choose_vecs(pd, device);
    const int32_t nshares = (int32_t)prim__ceil_div(data->run_vecs, data->item_vecs);
    data->nbands = data->axes[1].out;
    data->nblocks = data->dst.padded_channels / data->dst.run;
    const int64_t nrows = (int64_t)prim__pd_md(base, PRIM_ARG_DST)->dims[0] * data->nblocks *
                          nshares * data->axes[0].out * data->nbands;
    data->piece_elems = choose_piece(device, data, nrows);
    data->npieces = (int32_t)prim__ceil_div(data->axes[2].out, data->piece_elems);
    data->nitems = (int32_t)(nrows * data->npieces);
    prim__ocl_pool_split(data);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    // Vectors whose windows a work-item of a CPU-type device reduces together: the latency of an
    // addition.
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const bool is_together = device->is_cpu && !prim__pooling_has_workspace(&pd->base);
    prim__ocl_options_int(&options, "AT_ONCE",
            is_together ? prim__ocl_measured_int(device, MEASURED_POOL_NHWC_VECTOR_AT_ONCE, 4) : 1);
    prim__ocl_post_ops_options(&options, &pd->base, true);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->data.item_vecs * pd->vec);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_pool_nhwc_vector_cl,
            "pool_nhwc_vector", &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    return prim__ocl_pool_execute(primitive, ctx, pd->data.nitems);
}

const impl_t prim__ocl_pool_nhwc_vector = {
        .name = "ocl:pool:nhwc_vector",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
