// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling in f16 or bf16 by small windows, NCHW: a work-item computes a tile of
// a plane, two columns in a word, and loads rows of windows as vectors.
#include "ocl_pool_backward.h"

extern const ocl_source_t prim__ocl_pool_backward_nchw_tile_pairs_cl;
extern const impl_t prim__ocl_pool_backward_nchw_tile_pairs;

enum {
    MAX_STRIDE = 2, ///< along the height and the width
    ROWS = 2,       ///< of a tile, times the stride
    COLS = 8        ///< of a tile, or half of them
};

/// As many columns as rows of diff_src are multiples of, and their strides of rows of the others.
static int choose_cols(const ocl_pool_backward_data_t *data)
{
    for (int cols = COLS; cols >= COLS / 2; cols /= 2) {
        const int windows = cols / data->axes[2].stride;
        if ((data->axes[2].in | data->diff_src.h) % cols == 0 && windows > 1 &&
                (data->diff_dst.h | data->ws.h) % windows == 0)
            return cols;
    }
    return 0;
}

static int choose_rows(const ocl_pool_axis_t *height)
{
    return height->in <= height->stride ? height->stride : ROWS * height->stride;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_backward_pd_t *const pd = (pool_backward_pd_t *)base;
    const ocl_pool_backward_data_t *const data = &pd->data;
    const ocl_pool_axis_t *const width = &data->axes[2];
    TRY(prim__ocl_pool_backward_require_pairs(pd));
    TRY(prim__ocl_pool_backward_require_small(pd, MAX_STRIDE));
    REQUIRE(base,
            prim__ocl_channels_has_rows(&data->diff_src, width->in) &&
                    prim__ocl_channels_has_rows(&data->diff_dst, width->out) &&
                    prim__ocl_channels_has_rows(&data->ws, width->out),
            "rows of diff_src, diff_dst or the workspace are not contiguous (NCHW)");
    REQUIRE(base, width->pad < width->taps && width->out >= width->in / width->stride,
            "a row has %d windows, less than diff_src has strides, or a padding as wide as a "
            "window",
            (int)width->out);
    const int cols = choose_cols(data);
    REQUIRE(base, cols > 0,
            "rows of %d elements and of %d windows, or the distances of rows, are no multiples of "
            "vectors",
            (int)width->in, (int)width->out);
    pd->vec = 1;
    return prim__ocl_pool_backward_split(pd, choose_rows(&data->axes[1]), cols);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_backward_pd_t *const pd = (const pool_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_backward_pairs_options(&options, pd);
    prim__ocl_options_int(&options, "LEAD", pd->data.axes[2].pad / pd->data.axes[2].stride);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_pool_backward_nchw_tile_pairs_cl, &options,
            "pool_backward_nchw_tile_pairs"));
    return prim__ocl_pool_backward_add_sizes(p);
}

const impl_t prim__ocl_pool_backward_nchw_tile_pairs = {
        .name = "ocl:pool:backward_nchw_tile_pairs",
        .pd_size = sizeof(pool_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_pool_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
