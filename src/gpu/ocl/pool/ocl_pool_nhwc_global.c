// SPDX-License-Identifier: Apache-2.0
// Global pooling (one window over the image) of NHWC and channel-blocked layouts on GPUs.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/scratch_data.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_pool.h"

extern const ocl_source_t prim__ocl_pool_nhwc_global_cl;
extern const impl_t prim__ocl_pool_nhwc_global;

typedef struct {
    prim_desc_t base;
    int vec, at_once;   ///< channels of a vector; positions that a work-item loads together
    size_t group_items; ///< data.group_vecs for each part of the positions; a power of two
    bool by_value;      ///< so do the sizes
    ocl_pool_nhwc_global_data_t data;
} pool_pd_t;

_Static_assert(offsetof(pool_pd_t, base) == 0, "the base comes first");

static void choose_group(pool_pd_t *pd, const ocl_device_t *device)
{
    ocl_pool_nhwc_global_data_t *const data = &pd->data;
    // Vectors of a group: a warp's, fewer as long as a unit of the device would get no group.
    const int least = prim__ocl_measured_int(device, MEASURED_POOL_NHWC_GLOBAL_LEAST_VECTORS, 8);
    data->group_vecs = prim__ocl_measured_int(device, MEASURED_POOL_NHWC_GLOBAL_MOST_VECTORS, 32);
    while (data->group_vecs > least &&
            data->nvecs < data->group_vecs * (int64_t)device->compute_units)
        data->group_vecs /= 2;
    const int most = prim__ocl_measured_int(device, MEASURED_POOL_NHWC_GLOBAL_GROUP_ITEMS, 4 * 32) /
                     data->group_vecs;
    int parts = 1;
    while (parts < most && parts * pd->at_once < data->positions) parts *= 2;
    pd->group_items = (size_t)(data->group_vecs * parts);
}

// The group that is launched, and how it is shared: a kernel may be good for smaller groups than
// were planned.
static size_t group_of(
        ocl_pool_nhwc_global_data_t *data, const ocl_primitive_t *p, const pool_pd_t *pd)
{
    const size_t local = prim__ocl_group_items(p->kernels[0], pd->group_items);
    *data = pd->data;
    if ((size_t)data->group_vecs > local) data->group_vecs = (int32_t)local;
    while (1 << data->vec_shift < data->group_vecs) ++data->vec_shift;
    return local;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_pd_t *const pd = (pool_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    ocl_pool_data_t shape = {.nspatial = 0};
    TRY(prim__ocl_pool_require(base, &shape));
    REQUIRE(base, prim__ocl_pool_is_global(&shape),
            "a window does not cover the whole image (global pooling)");
    REQUIRE(base, !prim__pooling_has_workspace(base),
            "training writes the index of each maximum, which this variant does not");
    REQUIRE(base, shape.dst.padded_channels == shape.dst.channels,
            "dst has padded channels, which this variant does not clear");
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const int32_t step = prim__ocl_channels_flat_stride(src);
    REQUIRE(base, step > 0, "the spatial dimensions of src cannot be merged into one");
    const ocl_channels_t tensors[] = {shape.src, shape.dst};
    pd->vec = prim__ocl_channels_vec(tensors, 2, prim__dt_bytes(src->data_type) < 4 ? 8 : 4);
    // What a work-item loads together: 64 registers.
    pd->at_once =
            prim__ocl_measured_int(device, MEASURED_POOL_NHWC_GLOBAL_ITEM_ELEMS, 64) / pd->vec;
    const int32_t image_vecs = shape.dst.channels / pd->vec;
    const bool excludes_padding = base->op.alg_kind == PRIM_POOLING_AVG_EXCLUDE_PADDING;
    const int32_t positions = prim__ocl_pool_plane_elems(&shape);
    pd->data = (ocl_pool_nhwc_global_data_t){.src = shape.src,
            .dst = shape.dst,
            .nspatial = shape.nspatial,
            .nvecs = (int32_t)src->dims[0] * image_vecs,
            .positions = positions,
            .step = step,
            .divisor = excludes_padding ? (float)positions : shape.volume,
            .by_vecs = prim__ocl_divisor(image_vecs)};
    PREFER_OTHER_UNLESS(
            base, pd->vec > 1, "C is odd or split into odd runs: no vectors of channels");
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: this variant needs many work-items per core");
    choose_group(pd, device);
    pd->by_value = prim__ocl_device(base->engine)->keeps_structs;
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
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "AT_ONCE", pd->at_once);
    prim__ocl_options_int(&options, "SIZES_BY_VALUE", pd->by_value);
    prim__ocl_post_ops_options(&options, base, true);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_nhwc_global_cl, &options, "pool_nhwc_global"));
    ocl_pool_nhwc_global_data_t data;
    (void)group_of(&data, p, pd);
    if (!pd->by_value) TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const pool_pd_t *const pd = (const pool_pd_t *)primitive->pd;
    ocl_pool_nhwc_global_data_t data;
    const size_t local = group_of(&data, p, pd);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    if (pd->by_value)
        prim__ocl_args_struct(&args, &data, sizeof data);
    else
        prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_local(&args, SCRATCH_OF_ITEMS(local, (size_t)pd->vec) * sizeof(float));
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range =
            prim__ocl_range_groups(prim__ceil_div(data.nvecs, data.group_vecs), local);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_pool_nhwc_global = {
        .name = "ocl:pool:nhwc_global",
        .pd_size = sizeof(pool_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
