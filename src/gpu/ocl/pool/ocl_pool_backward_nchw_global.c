// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling with one window that is the whole plane, NCHW: the array of all planes, in
// vectors.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_pool_backward.h"

extern const ocl_source_t prim__ocl_pool_backward_nchw_global_cl;
extern const impl_t prim__ocl_pool_backward_nchw_global;

typedef struct {
    pool_backward_pd_t common;
    ocl_pool_backward_global_data_t data;
} pool_global_pd_t;

_Static_assert(offsetof(pool_global_pd_t, common) == 0, "the base comes first");

/// On GPUs: vectors of a work-item, whose loads and stores are in flight together, and work-items
/// of a group, which take neighbouring vectors.
enum { AT_ONCE = 4, GROUP_ITEMS = 256 };

/// Elements of a work-item: of a CPU-type device's so many as keep every core busy.
static int32_t choose_elems(const ocl_device_t *device, int32_t nelems, int vec)
{
    if (!device->is_cpu) return AT_ONCE * vec;
    const int64_t share = prim__ceil_div((int64_t)nelems, prim__ocl_estimate_core_items(device));
    const int64_t elems = prim__round_up(share, vec);
    return elems < INT32_MAX - vec ? (int32_t)elems : INT32_MAX / vec * vec;
}

/// Whether element i is that of plane i.
static bool is_linear(const ocl_channels_t *t)
{
    const bool has_runs = t->run > 1;
    return t->channels == t->padded_channels && t->n == t->channels &&
           (has_runs ? t->run == t->channels : t->block == 1);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    pool_global_pd_t *const pd = (pool_global_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_pool_backward_require(&pd->common));
    const ocl_pool_backward_data_t *const shapes = &pd->common.data;
    const ocl_pool_axis_t *const axes = shapes->axes;
    const prim_memory_desc_t *const diff_src = prim__pd_md(base, PRIM_ARG_DIFF_SRC);
    REQUIRE(base, prim__ocl_pool_backward_is_global(axes),
            "the window is not the whole plane, or has padding");
    REQUIRE(base, prim__md_is_row_major(diff_src), "diff_src is not contiguous (NCHW)");
    const int wide = (int)(16 / prim__dt_bytes(diff_src->data_type));
    int vec = device->is_cpu ? 16 : wide;
    const int32_t plane = axes[0].in * axes[1].in * axes[2].in;
    while (vec > plane) vec /= 2;
    pd->common.vec = vec;
    const int32_t nelems = (int32_t)prim__md_nelems(diff_src);
    pd->data = (ocl_pool_backward_global_data_t){.diff_dst = shapes->diff_dst,
            .ws = shapes->ws,
            .nelems = nelems,
            .plane_elems = plane,
            .item_elems = choose_elems(device, nelems, vec),
            .volume = shapes->volume,
            .is_linear = is_linear(&shapes->diff_dst) &&
                         (base->op.alg_kind != PRIM_POOLING_MAX || is_linear(&shapes->ws)),
            .by_plane = prim__ocl_divisor(plane),
            .by_channels = prim__ocl_divisor(shapes->diff_src.channels)};
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pool_global_pd_t *const pd = (const pool_global_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_pool_backward_options(&options, primitive->pd, pd->common.vec);
    const bool is_cpu = prim__ocl_device(primitive->pd->engine)->is_cpu;
    prim__ocl_options_int(&options, "AT_ONCE", is_cpu ? 1 : AT_ONCE);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_pool_backward_nchw_global_cl, &options, "pool_backward_nchw_global"));
    return prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const pool_global_pd_t *const pd = (const pool_global_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_pool_backward_args(&args, ctx);
    const int64_t nitems = prim__ceil_div((int64_t)pd->data.nelems, (int64_t)pd->data.item_elems);
    const size_t local = prim__ocl_group_items(p->kernels[0], GROUP_ITEMS);
    const ocl_range_t range =
            prim__ocl_device(primitive->pd->engine)->is_cpu
                    ? prim__ocl_range_1d(p->kernels[0], nitems)
                    : prim__ocl_range_groups(prim__ceil_div(nitems, (int64_t)local), local);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_pool_backward_nchw_global = {
        .name = "ocl:pool:backward_nchw_global",
        .pd_size = sizeof(pool_global_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
