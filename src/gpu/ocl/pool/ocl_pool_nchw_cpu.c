// SPDX-License-Identifier: Apache-2.0
// Pooling of NCHW on CPU-type devices: windows are reduced along their height first, then along
// their width.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_pool.h"

extern const ocl_source_t prim__ocl_pool_nchw_cpu_cl;
extern const impl_t prim__ocl_pool_nchw_cpu;

enum {
    VEC = 16,
    MAX_REACH = 64 ///< of a window beyond its first column
};

typedef struct {
    prim_desc_t base;
    ocl_pool_nchw_cpu_data_t data;
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

// Neighbours along the width are neighbours in memory.
static bool has_rows(const ocl_channels_t *tensor)
{
    return tensor->run == 1 && tensor->w == 1;
}

static prim_status_t choose_bands(pool_pd_t *pd, const ocl_device_t *device)
{
    ocl_pool_data_t *const data = &pd->data.pool;
    const int64_t nplanes =
            prim__pd_md(&pd->base, PRIM_ARG_DST)->dims[0] * data->dst.channels * data->axes[0].out;
    const int64_t wanted = prim__ocl_estimate_core_items(device);
    const int64_t nbands = nplanes >= wanted ? 1 : prim__ceil_div(wanted, nplanes);
    const int64_t rows = data->axes[1].out / nbands;
    pd->data.band_rows = rows > 1 ? (int32_t)rows : 1;
    data->nbands = (int32_t)prim__ceil_div(data->axes[1].out, pd->data.band_rows);
    REQUIRE(&pd->base, nplanes * data->nbands <= INT32_MAX, "more than 2^31 work-items");
    data->nitems = (int32_t)(nplanes * data->nbands);
    data->nblocks = data->dst.channels;
    data->run_vecs = 1;
    data->npieces = 1;
    prim__ocl_pool_split(data);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    ocl_pool_data_t *const data = &pd->data.pool;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_pool_require(base, data));
    TRY(prim__ocl_pool_require_short_sums(base, data));
    const ocl_pool_axis_t *const width = &data->axes[2];
    REQUIRE(base, !prim__pooling_has_workspace(base),
            "training writes the index of each maximum, which this variant does not");
    REQUIRE(base, width->stride <= 2, "stride %d along the width is above 2", (int)width->stride);
    REQUIRE(base, (int64_t)(width->taps - 1) * width->jump <= MAX_REACH,
            "a window reaches over more than %d columns", MAX_REACH);
    REQUIRE(base, has_rows(&data->src) && has_rows(&data->dst),
            "rows of src or dst are not contiguous (NCHW)");
    REQUIRE(base, width->in >= VEC, "rows of src are shorter than a vector of %d", VEC);
    TRY(choose_bands(pd, device));
    PREFER_OTHER_UNLESS(base, device->is_cpu,
            "the device is a GPU: this variant gives one work-item many rows");
    PREFER_OTHER_UNLESS(
            base, device->vector_width_f32 >= 8, "the device has vectors of fewer than 8 floats");
    PREFER_OTHER_UNLESS(
            base, width->out >= VEC, "rows of dst are shorter than a vector of %d", VEC);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    const prim_desc_t *const base = primitive->pd;
    const ocl_pool_axis_t *const width = &pd->data.pool.axes[2];
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_src_dst(&options, base);
    prim__ocl_options_int(&options, "ALG", (int64_t)base->op.alg_kind);
    prim__ocl_options_int(&options, "VEC", VEC);
    prim__ocl_options_int(&options, "STRIDE", width->stride);
    prim__ocl_options_int(&options, "TAPS", width->jump == 1 && width->taps <= 3 ? width->taps : 0);
    prim__ocl_options_int(&options, "MAX_REACH", MAX_REACH);
    prim__ocl_options_int(&options, "HAS_DEPTH", prim__ocl_pool_has_depth(&pd->data.pool));
    prim__ocl_post_ops_options(&options, base, true);
    // Contiguous rows of dst are stored non-temporally, in full cache lines.
    if (pd->data.pool.dst.h == width->out)
        prim__ocl_nontemporal_options(
                &options, base, PRIM_ARG_DST, (int64_t)pd->data.band_rows * width->out);
    else
        prim__ocl_prefetch_options(&options, base);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_pool_nchw_cpu_cl, "pool_nchw_cpu",
            &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    return prim__ocl_pool_execute(primitive, ctx, pd->data.pool.nitems);
}

const impl_t prim__ocl_pool_nchw_cpu = {
        .name = "ocl:pool:nchw_cpu",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
