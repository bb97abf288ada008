// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling by small windows, NHWC and channel-blocked layouts: a work-item computes a
// tile of adjacent elements and loads every window over it once.
#include "common/data_type.h"
#include "ocl_pool_backward.h"

extern const ocl_source_t prim__ocl_pool_backward_nhwc_tile_cl;
extern const impl_t prim__ocl_pool_backward_nhwc_tile;

enum {
    MAX_STRIDE = 3, ///< along the height and the width
    TILE = 2        ///< elements of a tile along both axes, rounded up to multiples of the stride
};

static int tile_of(const ocl_pool_axis_t *axis)
{
    return axis->stride >= TILE ? axis->stride : axis->in > 1 ? TILE : 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_backward_pd_t *const pd = (pool_backward_pd_t *)base;
    const bool is_cpu = prim__ocl_device(base->engine)->is_cpu;
    TRY(prim__ocl_pool_backward_require(pd));
    TRY(prim__ocl_pool_backward_require_small(pd, MAX_STRIDE));
    const size_t bytes = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    pd->vec = prim__ocl_pool_backward_vec(pd, is_cpu ? 16 : bytes < 4 ? 8 : 4);
    PREFER_OTHER_UNLESS(base, pd->vec > 1,
            "the channels of a tensor are not contiguous, or their number is odd");
    return prim__ocl_pool_backward_split(
            pd, tile_of(&pd->data.axes[1]), tile_of(&pd->data.axes[2]));
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_backward_pd_t *const pd = (const pool_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_backward_tile_options(&options, pd, pd->vec);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_backward_nhwc_tile_cl, &options, "pool_backward_nhwc_tile"));
    return prim__ocl_pool_backward_add_sizes(p);
}

const impl_t prim__ocl_pool_backward_nhwc_tile = {
        .name = "ocl:pool:backward_nhwc_tile",
        .pd_size = sizeof(pool_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_pool_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
