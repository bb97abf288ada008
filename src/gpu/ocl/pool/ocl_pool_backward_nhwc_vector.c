// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling by any windows, in vectors of channels: NHWC, channel-blocked, and every
// other layout channel by channel.
#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_pool_backward.h"

extern const ocl_source_t prim__ocl_pool_backward_nhwc_vector_cl;
extern const impl_t prim__ocl_pool_backward_nhwc_vector;

/// On CPU-type devices a work-item takes as much of a row as leaves several work-items to every
/// core.
static int choose_cols(const pool_backward_pd_t *pd, const ocl_device_t *device)
{
    if (!device->is_cpu) return 1;
    const int64_t wanted = prim__ocl_estimate_core_items(device);
    const int64_t npieces = prim__ceil_div(wanted, (int64_t)pd->data.nitems);
    const int64_t cols = pd->data.axes[2].in / npieces;
    return cols > 1 ? (int)cols : 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_backward_pd_t *const pd = (pool_backward_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_pool_backward_require(pd));
    pd->by_value = false;
    pd->vec = prim__ocl_pool_backward_vec(pd, device->is_cpu ? 16 : 4);
    TRY(prim__ocl_pool_backward_split(pd, 1, pd->data.axes[2].in));
    return prim__ocl_pool_backward_split(pd, 1, choose_cols(pd, device));
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_backward_pd_t *const pd = (const pool_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_backward_options(&options, &pd->base, pd->vec);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_backward_nhwc_vector_cl, &options, "pool_backward_nhwc_vector"));
    return prim__ocl_pool_backward_add_sizes(p);
}

const impl_t prim__ocl_pool_backward_nhwc_vector = {
        .name = "ocl:pool:backward_nhwc_vector",
        .pd_size = sizeof(pool_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_pool_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
