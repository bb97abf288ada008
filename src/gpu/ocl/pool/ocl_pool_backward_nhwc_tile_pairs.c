// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling in f16 or bf16 by small windows, NHWC and channel-blocked layouts: a
// work-item computes a tile of adjacent elements of eight channels, two channels in a word.
#include <string.h>

#include "ocl_pool_backward.h"

extern const ocl_source_t prim__ocl_pool_backward_nhwc_tile_pairs_cl;
extern const impl_t prim__ocl_pool_backward_nhwc_tile_pairs;

enum {
    MAX_STRIDE = 3, ///< along the height and the width
    CHANNELS = 8,   ///< of a vector
    TILE = 2        ///< elements of a tile along both axes, rounded up to multiples of the stride
};

static int tile_of(const ocl_pool_axis_t *axis)
{
    return axis->stride >= TILE ? axis->stride : axis->in > 1 ? TILE : 1;
}

/// Whether a window along the axis leaves some elements to fewer windows than others.
static bool has_steps(const ocl_pool_axis_t *axis)
{
    return axis->stride > 1 || axis->taps == 1;
}

static bool has_aligned_steps(const ocl_channels_t *t)
{
    return (t->h | t->w) % CHANNELS == 0;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_backward_pd_t *const pd = (pool_backward_pd_t *)base;
    const ocl_pool_backward_data_t *const data = &pd->data;
    TRY(prim__ocl_pool_backward_require_pairs(pd));
    TRY(prim__ocl_pool_backward_require_small(pd, MAX_STRIDE));
    pd->vec = prim__ocl_pool_backward_vec(pd, CHANNELS);
    REQUIRE(base,
            pd->vec == CHANNELS && has_aligned_steps(&data->diff_src) &&
                    has_aligned_steps(&data->diff_dst) && has_aligned_steps(&data->ws),
            "the channels of a tensor are not contiguous, or no multiple of %d, or positions lie "
            "at other distances",
            CHANNELS);
    PREFER_OTHER_UNLESS(base, has_steps(&data->axes[1]) && has_steps(&data->axes[2]),
            "the stride of overlapping windows is 1: all elements are sums of f32, of more windows "
            "than registers hold at once");
    return prim__ocl_pool_backward_split(pd, tile_of(&data->axes[1]), tile_of(&data->axes[2]));
}

/// Whether one offset is that of diff_dst and of the workspace, and blocks are those of diff_src.
static bool has_one_layout(const ocl_pool_backward_data_t *data)
{
    return data->diff_src.run == data->diff_dst.run &&
           memcmp(&data->diff_dst, &data->ws, sizeof data->ws) == 0;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_backward_pd_t *const pd = (const pool_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_backward_pairs_options(&options, pd);
    prim__ocl_options_int(&options, "ONE_LAYOUT", has_one_layout(&pd->data));
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_pool_backward_nhwc_tile_pairs_cl, &options,
            "pool_backward_nhwc_tile_pairs"));
    return prim__ocl_pool_backward_add_sizes(p);
}

const impl_t prim__ocl_pool_backward_nhwc_tile_pairs = {
        .name = "ocl:pool:backward_nhwc_tile_pairs",
        .pd_size = sizeof(pool_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_pool_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
