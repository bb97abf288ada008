// SPDX-License-Identifier: Apache-2.0
// Pooling of NCHW on GPUs by small windows: a work-item computes a tile of adjacent windows and
// loads what they share once.
#include "common/data_type.h"
#include "common/int_math.h"
#include "ocl_pool.h"

extern const ocl_source_t prim__ocl_pool_nchw_tile_cl;
extern const impl_t prim__ocl_pool_nchw_tile;

enum {
    MAX_TAPS = 7,   ///< of a kernel along the height and the width
    MAX_STRIDE = 2, ///< the same
    MAX_VEC = 8,
    ROWS = 2,       ///< of windows that a work-item computes
    LOAD_BYTES = 16 ///< of neighbours in a row of src that a work-item loads at once, at most
};

typedef struct {
    prim_desc_t base;
    int vec;        ///< windows of a vector
    bool is_ragged; ///< rows of src are no multiple of what a work-item loads at once
    int byte_words; ///< of a row of bytes, for clh/pool_byte_rows.h
    bool by_value;  ///< so do the sizes
    ocl_pool_data_t data;
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

static bool is_small(const ocl_pool_axis_t *axis)
{
    return axis->taps <= MAX_TAPS && axis->stride <= MAX_STRIDE && axis->stride <= axis->taps &&
           axis->jump == 1 && axis->pad >= 0 && axis->pad < axis->taps;
}

/// Words of the columns that a work-item looks at: 0 where there is no row of them.
static int byte_words(const pool_pd_t *pd, const prim_desc_t *base)
{
    const ocl_pool_axis_t *const width = &pd->data.axes[2];
    const bool has_one_type = prim__pd_md(base, PRIM_ARG_SRC)->data_type ==
                              prim__pd_md(base, PRIM_ARG_DST)->data_type;
    if (!prim__ocl_pool_has_bytes(base, &pd->data) || !has_one_type || pd->is_ragged ||
            pd->vec != MAX_VEC || prim__pooling_has_workspace(base))
        return 0;
    const int right = width->taps - width->pad - width->stride;
    return (width->pad + 3) / 4 + pd->vec * width->stride / 4 + (right > 0 ? (right + 3) / 4 : 0);
}

static void choose_shape(pool_pd_t *pd, const prim_desc_t *base)
{
    ocl_pool_data_t *const data = &pd->data;
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    const int bytes = (int)prim__dt_bytes(prim__pd_md(base, PRIM_ARG_SRC)->data_type);
    pd->vec = LOAD_BYTES / bytes / data->axes[2].stride;
    if (pd->vec > MAX_VEC) pd->vec = MAX_VEC;
    const int columns = pd->vec * data->axes[2].stride;
    const ocl_channels_t *const t = &data->src;
    pd->is_ragged = ((data->axes[2].in | t->n | t->block | t->d | t->h) & (columns - 1)) != 0;
    pd->byte_words = byte_words(pd, base);
    data->piece_elems = pd->vec;
    data->npieces = (int32_t)prim__ceil_div(data->axes[2].out, pd->vec);
    data->run_vecs = 1;
    data->nblocks = data->dst.channels;
    data->nbands = (int32_t)prim__ceil_div(data->axes[1].out, ROWS);
    data->nitems = (int32_t)(dst->dims[0] * data->dst.channels * data->axes[0].out * data->nbands *
                             data->npieces);
    prim__ocl_pool_split(data);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    ocl_pool_data_t *const data = &pd->data;
    TRY(prim__ocl_pool_require(base, data));
    REQUIRE(base, is_small(&data->axes[1]) && is_small(&data->axes[2]),
            "the window is large, dilated or smaller than its stride");
    REQUIRE(base,
            prim__ocl_channels_has_rows(&data->src, data->axes[2].in) &&
                    prim__ocl_channels_has_rows(&data->dst, data->axes[2].out),
            "rows of src or dst are not contiguous (NCHW)");
    REQUIRE(base,
            !prim__pooling_has_workspace(base) ||
                    prim__ocl_channels_has_rows(&data->ws, data->axes[2].out),
            "rows of the workspace are not contiguous (NCHW)");
    REQUIRE(base, base->attr.post_ops.len == 0, "post-ops are set; this variant takes none");
    choose_shape(pd, base);
    PREFER_OTHER_UNLESS(base, data->axes[2].out >= pd->vec,
            "rows of dst are shorter than a vector of %d", pd->vec);
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
    const ocl_pool_axis_t *const height = &pd->data.axes[1], *const width = &pd->data.axes[2];
    ocl_options_t options;
    prim__ocl_pool_window_options_init(&options, base, &pd->data, pd->byte_words);
    prim__ocl_options_int(&options, "SIZES_BY_VALUE", pd->by_value);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "MIDDLE", pd->vec * width->stride);
    prim__ocl_options_int(&options, "ROWS", ROWS);
    prim__ocl_options_int(&options, "KW", width->taps);
    prim__ocl_options_int(&options, "KH", height->taps);
    prim__ocl_options_int(&options, "SW", width->stride);
    prim__ocl_options_int(&options, "SH", height->stride);
    prim__ocl_options_int(&options, "PW", width->pad);
    prim__ocl_options_int(&options, "PH", height->pad);
    prim__ocl_options_int(&options, "RAGGED", pd->is_ragged);
    // Of ragged rows always, lest images of four kinds have a program each.
    prim__ocl_options_int(
            &options, "OVERHANGS", pd->is_ragged || prim__ocl_pool_overhangs(height, ROWS));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_nchw_tile_cl, &options, "pool_nchw_tile"));
    return prim__ocl_pool_add_sizes(p, sizes_of(pd));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], pd->data.nitems);
    return prim__ocl_pool_execute_sized(p, ctx, sizes_of(pd), &range);
}

const impl_t prim__ocl_pool_nchw_tile = {
        .name = "ocl:pool:nchw_tile",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
