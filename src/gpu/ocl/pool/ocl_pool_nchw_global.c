// SPDX-License-Identifier: Apache-2.0
// Global pooling (one window over the image) of NCHW.
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/scratch_data.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_pool.h"

extern const ocl_source_t prim__ocl_pool_nchw_global_cl;
extern const impl_t prim__ocl_pool_nchw_global;

typedef struct {
    prim_desc_t base;
    size_t group_items; ///< of several planes, data.row_items each; 0: a work-item does a plane
    ocl_pool_nchw_global_data_t data;
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

// Work-items on GPUs read 4 elements at least twice, unless planes are short. Groups share several
// planes as long as every unit of the device gets some.
static void choose_group(pool_pd_t *pd, const ocl_device_t *device)
{
    ocl_pool_nchw_global_data_t *const data = &pd->data;
    data->row_items = 1;
    pd->group_items = 0;
    if (device->is_cpu) return;
    const int items = prim__ocl_measured_int(device, MEASURED_POOL_NCHW_GLOBAL_GROUP_ITEMS, 8 * 32);
    const int unit_groups =
            prim__ocl_measured_int(device, MEASURED_POOL_NCHW_GLOBAL_UNIT_GROUPS, 4);
    while (data->row_items < items && data->row_items * 8 < data->plane_elems) data->row_items *= 2;
    const int64_t share = data->nplanes / (unit_groups * (int64_t)device->compute_units);
    pd->group_items = (size_t)(data->row_items > 32 ? data->row_items : 32);
    while (pd->group_items < (size_t)items && (int64_t)pd->group_items < share * data->row_items)
        pd->group_items *= 2;
}

// The group that is launched, and what of it takes a plane: a kernel may be good for smaller groups
// than were planned. Both are powers of two.
static size_t group_of(const ocl_primitive_t *p, const pool_pd_t *pd, int32_t *row_items)
{
    const size_t local = prim__ocl_group_items(p->kernels[0], pd->group_items);
    *row_items = (size_t)pd->data.row_items < local ? pd->data.row_items : (int32_t)local;
    return local;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    ocl_pool_data_t shape = {.nspatial = 0};
    TRY(prim__ocl_pool_require(base, &shape));
    REQUIRE(base, prim__ocl_pool_is_global(&shape),
            "a window does not cover the whole image (global pooling)");
    REQUIRE(base, !prim__pooling_has_workspace(base),
            "training writes the index of each maximum, which this variant does not");
    REQUIRE(base, shape.dst.padded_channels == shape.dst.channels,
            "dst has padded channels, which this variant does not clear");
    REQUIRE(base,
            shape.src.run == 1 &&
                    prim__ocl_channels_flat_stride(prim__pd_md(base, PRIM_ARG_SRC)) == 1,
            "src is not NCHW with contiguous planes");
    const bool excludes_padding = base->op.alg_kind == PRIM_POOLING_AVG_EXCLUDE_PADDING;
    pd->data = (ocl_pool_nchw_global_data_t){.src = shape.src,
            .dst = shape.dst,
            .nspatial = shape.nspatial,
            .nplanes = (int32_t)prim__pd_md(base, PRIM_ARG_SRC)->dims[0] * shape.src.channels,
            .plane_elems = prim__ocl_pool_plane_elems(&shape),
            .divisor = excludes_padding ? (float)prim__ocl_pool_plane_elems(&shape) : shape.volume,
            .by_channels = prim__ocl_divisor(shape.src.channels),
            .by_blocks = prim__ocl_divisor(shape.dst.run)};
    choose_group(pd, prim__ocl_device(base->engine));
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    const prim_desc_t *const base = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_src_dst(&options, base);
    prim__ocl_options_int(&options, "ALG", (int64_t)base->op.alg_kind);
    prim__ocl_options_int(&options, "VEC", pd->group_items ? 4 : 16);
    prim__ocl_options_int(&options, "GROUPED", pd->group_items > 0);
    prim__ocl_options_int(&options, "LANE_SHUFFLE",
            pd->group_items && prim__ocl_device_trusts(base->engine, OCL_FEATURE_LANE_SHUFFLE));
    prim__ocl_post_ops_options(&options, base, true);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_nchw_global_cl, &options, "pool_nchw_global"));
    ocl_pool_nchw_global_data_t data = pd->data;
    if (pd->group_items) (void)group_of(p, pd, &data.row_items);
    while (1 << data.row_shift < data.row_items) ++data.row_shift;
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    ocl_range_t range = prim__ocl_range_1d(p->kernels[0], pd->data.nplanes);
    if (pd->group_items) {
        int32_t row_items = 1;
        const size_t local = group_of(p, pd, &row_items);
        prim__ocl_args_local(&args, SCRATCH_OF_ITEMS(local, 1) * sizeof(float));
        const int64_t planes = (int64_t)local / row_items;
        range = prim__ocl_range_groups(prim__ceil_div(pd->data.nplanes, planes), local);
    }
    prim__ocl_args_post_ops(&args, ctx, p);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_pool_nchw_global = {
        .name = "ocl:pool:nchw_global",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
