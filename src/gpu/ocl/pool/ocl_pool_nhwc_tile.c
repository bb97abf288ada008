// SPDX-License-Identifier: Apache-2.0
// Pooling of NHWC and channel-blocked layouts on GPUs by small windows: a work-item computes a tile
// of adjacent windows and loads what they share once.
#include "common/data_type.h"
#include "common/int_math.h"
#include "ocl_pool.h"

extern const ocl_source_t prim__ocl_pool_nhwc_tile_cl;
extern const impl_t prim__ocl_pool_nhwc_tile;

enum {
    MAX_TILE = 4,
    MAX_ROWS = 2,   ///< of windows that a work-item computes
    MAX_COLS = 2,   ///< the same
    MAX_AREA = 9,   ///< of a kernel
    MAX_STRIDE = 3, ///< along the height and the width
    LANES = 16      ///< vectors of channels of neighbouring work-items
};

typedef struct {
    prim_desc_t base;
    int vec, tile;  ///< channels of a vector; blocks of neighbouring work-items along both axes
    int rows, cols; ///< of windows that a work-item computes
    bool is_short;  ///< small groups: few bytes a work-item
    int byte_words; ///< of a vector of bytes, for clh/pool_bytes.h
    bool by_value;  ///< so do the sizes
    ocl_pool_nhwc_tile_data_t data;
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

// Unrolled are windows that have most of their elements in src.
static bool is_small(const ocl_pool_axis_t *axis)
{
    return axis->stride <= MAX_STRIDE && axis->taps <= axis->in && axis->jump == 1;
}

// What a work-item takes. Windows that are apart share little, and what they do not share costs
// registers: on an NVIDIA H200 3×3 of stride 2 took 0.093 ms for f16 with 1×2 windows of four
// channels, 0.103 with 2×2 of eight.
static void choose_item(pool_pd_t *pd, const prim_desc_t *base)
{
    const ocl_pool_data_t *const data = &pd->data.pool;
    const ocl_channels_t tensors[] = {data->src, data->dst, data->ws};
    const bool has_ws = prim__pooling_has_workspace(base);
    const bool is_apart = data->axes[1].stride > 1;
    const bool has_bytes = prim__ocl_pool_has_bytes(base, data) && !has_ws;
    const size_t bytes = prim__dt_bytes(prim__pd_md(base, PRIM_ARG_SRC)->data_type);
    const int wide = bytes < 4 && (has_bytes || !is_apart) ? 8 : 4;
    pd->vec = prim__ocl_channels_vec(tensors, has_ws ? 3 : 2, wide);
    pd->byte_words = has_bytes && pd->vec == 8 ? 2 : 0;
    pd->rows = is_apart ? 1 : MAX_ROWS;
    pd->cols = MAX_COLS;
    pd->is_short = bytes < 4;
}

// Small images have small tiles.
static int choose_tile(const ocl_pool_data_t *data, int rows, int cols)
{
    int tile = MAX_TILE;
    while (tile > 1 && tile / 2 * rows >= data->axes[1].out && tile / 2 * cols >= data->axes[2].out)
        tile /= 2;
    return tile;
}

static prim_status_t choose_shape(pool_pd_t *pd)
{
    ocl_pool_data_t *const data = &pd->data.pool;
    const int32_t nvecs = data->dst.run / pd->vec, lanes = nvecs % LANES == 0 ? LANES : nvecs;
    pd->tile = choose_tile(data, pd->rows, pd->cols);
    const int32_t rows = pd->tile * pd->rows, cols = pd->tile * pd->cols;
    pd->data.by_lanes = prim__ocl_divisor(lanes);
    data->piece_elems = pd->cols;
    data->run_vecs = nvecs / lanes;
    data->nbands = (int32_t)prim__ceil_div(data->axes[1].out, rows);
    data->nblocks = data->dst.padded_channels / data->dst.run;
    data->npieces = (int32_t)prim__ceil_div(data->axes[2].out, cols);
    const int64_t nitems = prim__pd_md(&pd->base, PRIM_ARG_DST)->dims[0] * data->nblocks * nvecs *
                           data->axes[0].out * data->nbands * data->npieces * pd->tile * pd->tile;
    REQUIRE(&pd->base, nitems <= INT32_MAX, "more than 2^31 work-items");
    data->nitems = (int32_t)nitems;
    prim__ocl_pool_split(data);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    ocl_pool_data_t *const data = &pd->data.pool;
    TRY(prim__ocl_pool_require(base, data));
    REQUIRE(base, data->axes[1].taps * data->axes[2].taps <= MAX_AREA,
            "a window of %d×%d has more than %d elements", (int)data->axes[1].taps,
            (int)data->axes[2].taps, MAX_AREA);
    REQUIRE(base, is_small(&data->axes[1]) && is_small(&data->axes[2]),
            "the window is dilated or larger than src, or the stride is above %d", MAX_STRIDE);
    choose_item(pd, base);
    TRY(choose_shape(pd));
    PREFER_OTHER_UNLESS(base, !prim__ocl_device(base->engine)->is_cpu,
            "the device is CPU-type: this variant needs many work-items per core");
    pd->by_value = prim__ocl_device(base->engine)->keeps_structs;
    return PRIM_SUCCESS;
}

static ocl_pool_sizes_t sizes_of(const pool_pd_t *pd)
{
    return (ocl_pool_sizes_t){&pd->data, sizeof pd->data, pd->by_value};
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    const prim_desc_t *const base = primitive->pd;
    const ocl_pool_axis_t *const height = &pd->data.pool.axes[1], *const width =
                                                                          &pd->data.pool.axes[2];
    ocl_options_t options;
    prim__ocl_pool_window_options_init(&options, base, &pd->data.pool, pd->byte_words);
    prim__ocl_options_int(&options, "SIZES_BY_VALUE", pd->by_value);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "ROWS", pd->rows);
    prim__ocl_options_int(&options, "COLS", pd->cols);
    prim__ocl_options_int(&options, "TILE", pd->tile);
    prim__ocl_options_int(
            &options, "ONE_RUN", pd->data.pool.nblocks == 1 && pd->data.pool.run_vecs == 1);
    prim__ocl_options_int(&options, "PH", height->pad > 0 ? height->pad : 0);
    prim__ocl_options_int(&options, "PW", width->pad > 0 ? width->pad : 0);
    // One for both axes, lest images of four kinds have a program each.
    prim__ocl_options_int(&options, "OVERHANGS",
            prim__ocl_pool_overhangs(height, pd->rows) ||
                    prim__ocl_pool_overhangs(width, pd->cols));
    prim__ocl_options_int(&options, "KH", height->taps);
    prim__ocl_options_int(&options, "KW", width->taps);
    prim__ocl_options_int(&options, "SH", height->stride);
    prim__ocl_options_int(&options, "SW", width->stride);
    prim__ocl_post_ops_options(&options, base, true);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_nhwc_tile_cl, &options, "pool_nhwc_tile"));
    TRY(prim__ocl_pool_add_sizes(p, sizes_of(pd)));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const int32_t nitems = pd->data.pool.nitems;
    const ocl_range_t range = pd->is_short ? prim__ocl_range_short(p->kernels[0], nitems)
                                           : prim__ocl_range_1d(p->kernels[0], nitems);
    return prim__ocl_pool_execute_sized(p, ctx, sizes_of(pd), &range);
}

const impl_t prim__ocl_pool_nhwc_tile = {
        .name = "ocl:pool:nhwc_tile",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
