// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling by small windows, NCHW: a work-item computes a tile of a plane, its rows as
// vectors, and loads every window over it once.
#include "common/data_type.h"
#include "ocl_pool_backward.h"

extern const ocl_source_t prim__ocl_pool_backward_nchw_tile_cl;
extern const impl_t prim__ocl_pool_backward_nchw_tile;

enum {
    MAX_STRIDE = 2,  ///< along the height and the width
    ROWS = 2,        ///< of a tile, times the stride
    STORE_BYTES = 16 ///< of adjacent elements of a row, at most
};

/// As many columns as a vector store takes and rows are multiples of, so that vectors are aligned;
/// of odd rows 2.
static int choose_cols(const pool_backward_pd_t *pd)
{
    const prim_data_type_t dt = prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->data_type;
    const ocl_channels_t *const t = &pd->data.diff_src;
    const int32_t steps = pd->data.axes[2].in | t->n | t->block | t->d | t->h;
    int cols = STORE_BYTES / (int)prim__dt_bytes(dt);
    while (cols > 2 && steps % cols != 0) cols /= 2;
    return cols;
}

static int choose_rows(const ocl_pool_axis_t *height)
{
    return height->in <= height->stride ? height->stride : ROWS * height->stride;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_backward_pd_t *const pd = (pool_backward_pd_t *)base;
    const ocl_pool_backward_data_t *const data = &pd->data;
    TRY(prim__ocl_pool_backward_require(pd));
    TRY(prim__ocl_pool_backward_require_small(pd, MAX_STRIDE));
    REQUIRE(base,
            prim__ocl_channels_has_rows(&data->diff_src, data->axes[2].in) &&
                    prim__ocl_channels_has_rows(&data->diff_dst, data->axes[2].out) &&
                    (base->op.alg_kind != PRIM_POOLING_MAX ||
                            prim__ocl_channels_has_rows(&data->ws, data->axes[2].out)),
            "rows of diff_src, diff_dst or the workspace are not contiguous (NCHW)");
    PREFER_OTHER_UNLESS(base, data->axes[2].in > 1, "rows of diff_src have one element");
    pd->vec = 1;
    return prim__ocl_pool_backward_split(pd, choose_rows(&data->axes[1]), choose_cols(pd));
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_backward_pd_t *const pd = (const pool_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_backward_tile_options(&options, pd, pd->vec);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_backward_nchw_tile_cl, &options, "pool_backward_nchw_tile"));
    return prim__ocl_pool_backward_add_sizes(p);
}

const impl_t prim__ocl_pool_backward_nchw_tile = {
        .name = "ocl:pool:backward_nchw_tile",
        .pd_size = sizeof(pool_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_pool_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
