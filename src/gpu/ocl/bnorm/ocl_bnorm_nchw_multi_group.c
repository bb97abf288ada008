// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, training, NCHW: several work-groups share a channel, hold it in registers
// and exchange their sums through a grid barrier, so that src is read once.
#include "common/data_type.h"
#include "gpu/ocl/kit/ocl_grid_barrier.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_bnorm.h"

extern const ocl_source_t prim__ocl_bnorm_nchw_multi_group_cl;
extern const impl_t prim__ocl_bnorm_nchw_multi_group;

enum { CPU_GROUP = 16, CPU_PER_ITEM = 1 };

typedef struct {
    prim_desc_t base;
    int vec, group_items, per_item;
    bool is_raw, is_one_plane;
    ocl_grid_barrier_t barrier;
    ocl_bnorm_data_t data;
} bnorm_pd_t;

_Static_assert(offsetof(bnorm_pd_t, base) == 0, "the base comes first");

enum { JOINT, START };

static int group_of(const ocl_device_t *device)
{
    return device->is_cpu ? CPU_GROUP
                          : prim__ocl_measured_int(device, MEASURED_BNORM_MULTI_GROUP_ITEMS, 128);
}

// Pieces of equal length: parts of planes where those fill at least half a group's registers, which
// makes addresses cheap.
static void choose_pieces(bnorm_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_data_t *data = &pd->data;
    pd->group_items = group_of(device);
    // 16 vectors of four take 64 registers; with 80, six work-groups of 128 are resident with the
    // 64 Ki of a unit.
    pd->per_item = device->is_cpu
                           ? CPU_PER_ITEM
                           : prim__ocl_measured_int(device, MEASURED_BNORM_MULTI_ITEM_VECTORS, 16);
    while ((size_t)pd->group_items > device->max_group_items) pd->group_items /= 2;
    data->plane_vecs = prim__ocl_divisor(data->spatial / pd->vec);
    const int32_t most = pd->group_items * pd->per_item;
    pd->is_one_plane = data->plane_vecs.n >= most / 2;
    const int32_t nvecs = (pd->is_one_plane ? 1 : data->batch) * data->plane_vecs.n;
    const int32_t npieces = prim__ocl_bnorm_parts(nvecs, most);
    data->chunk_elems = prim__ocl_bnorm_parts(nvecs, npieces);
    data->nchunks = prim__ocl_bnorm_parts(nvecs, data->chunk_elems);
    if (pd->is_one_plane) data->nchunks *= data->batch;
}

// All work-groups of a channel must be resident at once, beside those of other channels. Where
// src fits the cache, a second read costs less than the grid barrier.
static prim_status_t prefer_others(prim_desc_t *base)
{
    const bnorm_pd_t *pd = (const bnorm_pd_t *)base;
    const prim_memory_desc_t *src = prim__pd_md(base, PRIM_ARG_SRC);
    const uint64_t src_bytes = (uint64_t)prim__md_nelems(src) * prim__dt_bytes(src->data_type);
    PREFER_OTHER_UNLESS(base,
            src->data_type == PRIM_F32 && prim__pd_md(base, PRIM_ARG_DST)->data_type == PRIM_F32,
            "src or dst is not f32: conversions take registers that hold src");
    return prim__ocl_grid_barrier_prefer(base, "channel", (int)pd->data.nchunks, 1, src_bytes);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    bnorm_pd_t *pd = (bnorm_pd_t *)base;
    ocl_bnorm_data_t *data = &pd->data;
    const ocl_device_t *device = prim__ocl_device(base->engine);
    TRY(prim__ocl_bnorm_require_statistics(base, data));
    REQUIRE(base, prim__ocl_bnorm_has_planes(base, data),
            "src, dst or workspace is not NCHW with contiguous planes");
    pd->vec = prim__ocl_raw_vec(base);
    REQUIRE(base, data->spatial % pd->vec == 0,
            "a plane of %d elements is not a multiple of the vector width %d", (int)data->spatial,
            pd->vec);
    choose_pieces(pd, device);
    REQUIRE(base, pd->group_items == group_of(device) || device->is_cpu,
            "the device's work-groups are smaller than %d work-items", group_of(device));
    TRY(prefer_others(base));
    TRY(prim__ocl_grid_barrier_require(base));
    pd->is_raw = prim__ocl_is_raw(base);
    prim__ocl_grid_barrier_book(
            &pd->barrier, base, (int64_t)data->src.channels * (3 * data->nchunks + 1));
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_options(&options, &pd->base);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "ONE_PLANE", pd->is_one_plane);
    prim__ocl_options_int(&options, "PER_ITEM", pd->per_item);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_raw_vec_options(&options, &pd->base, pd->is_raw);
    const int registers = prim__ocl_measured_int(
            prim__ocl_device(pd->base.engine), MEASURED_BNORM_MULTI_REGISTERS, 80);
    prim__ocl_grid_barrier_options(&options, &pd->base, &pd->barrier, registers);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_bnorm_nchw_multi_group_cl, &options, "bnorm_nchw_multi_group"));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_bnorm_nchw_multi_group_cl, &options, "bnorm_nchw_multi_group_start"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t start(const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const bnorm_pd_t *pd)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_grid_barrier_slots(&args, ctx, &pd->barrier);
    const ocl_range_t range = prim__ocl_range_1d(kernel, pd->barrier.nslots);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const bnorm_pd_t *pd = (const bnorm_pd_t *)primitive->pd;
    TRY(start(ctx, p->kernels[START], pd));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_bnorm_args(&args, ctx);
    prim__ocl_grid_barrier_args(&args, ctx, &pd->barrier);
    prim__ocl_args_local(&args, (size_t)(pd->group_items + 2) * sizeof(float));
    prim__ocl_args_local(&args, sizeof(cl_int));
    prim__ocl_args_post_ops(&args, ctx, p);
    const int64_t ngroups = (int64_t)pd->data.src.channels * pd->data.nchunks;
    const ocl_range_t range = prim__ocl_range_groups(ngroups, (size_t)pd->group_items);
    return prim__ocl_launch(ctx, p->kernels[JOINT], &range, &args);
}

const impl_t prim__ocl_bnorm_nchw_multi_group = {
        .name = "ocl:bnorm:nchw_multi_group",
        .pd_size = sizeof(bnorm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
