// SPDX-License-Identifier: Apache-2.0
// Softmax on OpenCL devices along the innermost dimension, a work-group or a part of one a row.
#include "gpu/ocl/ocl_post_ops.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_wg_cl;
extern const impl_t prim__ocl_softmax_wg;

enum {
    MAX_GROUP = 256,
    MIN_GROUP = 64,
    MIN_ROW_ITEMS = 4,
    MAX_PER_ITEM = 8, ///< vectors of four that an item keeps in registers
    ITEMS_OF_A_UNIT = 512,
    SHORT_ELEMS = 16, ///< rows up to it go to whole items
};

/// As many vectors an item as it may keep, so that few items take part in a row's reductions,
/// unless there are too few rows to fill the device; 0 vectors: the row does not fit. Groups of
/// several short rows.
static void choose_group(softmax_pd_t *softmax, const ocl_device_t *device)
{
    const int64_t wanted = ITEMS_OF_A_UNIT * (int64_t)device->compute_units;
    const int64_t nvectors = (softmax->axis_elems + 3) / 4;
    softmax->row_items = MIN_ROW_ITEMS;
    while (softmax->row_items < MAX_GROUP &&
            (softmax->row_items * MAX_PER_ITEM < nvectors ||
                    (softmax->row_items < nvectors &&
                            softmax->nitems * softmax->row_items < wanted)))
        softmax->row_items *= 2;
    softmax->per_item = 1;
    while ((int64_t)softmax->per_item * softmax->row_items < nvectors) softmax->per_item *= 2;
    if (softmax->per_item > MAX_PER_ITEM) softmax->per_item = 0;
    softmax->group_items = softmax->row_items < MIN_GROUP ? MIN_GROUP : softmax->row_items;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    softmax_pd_t *softmax = (softmax_pd_t *)pd;
    loops_t loops;
    TRY(prim__ocl_softmax_init_loops(pd, &loops));
    const ocl_device_t *device = prim__ocl_device(pd->engine);
    const int64_t n = softmax->axis_elems;
    REQUIRE(pd, n > 0, "rows are empty");
    REQUIRE(pd,
            n == 1 || (prim__ocl_softmax_axis_stride(pd, PRIM_ARG_SRC) == 1 &&
                              prim__ocl_softmax_axis_stride(pd, PRIM_ARG_DST) == 1),
            "the axis is not innermost");
    prim__ocl_softmax_init_nest(pd, &loops, -1);
    softmax->nitems = prim__ocl_nest_outer(&softmax->nest);
    choose_group(softmax, device);
    REQUIRE(pd, (size_t)softmax->group_items <= device->max_group_items, "groups are too small");
    REQUIRE(pd, device->local_bytes >= MAX_GROUP * sizeof(float), "local memory is too small");
    PREFER_OTHER_UNLESS(pd, !device->is_cpu, "an item of this device is a whole core");
    PREFER_OTHER_UNLESS(pd, n > SHORT_ELEMS, "short rows: an item takes one whole");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const softmax_pd_t *pd = (const softmax_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_options(&options, primitive->pd);
    prim__ocl_options_int(&options, "PER_ITEM", pd->per_item);
    // A group that the kernel names is one that it can be launched with.
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_softmax_wg_cl, &options, "softmax_wg"));
    TRY(prim__ocl_primitive_add_data(p, &pd->nest, sizeof pd->nest));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const softmax_pd_t *pd = (const softmax_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_softmax_args(&args, primitive->pd, ctx);
    prim__ocl_args_i64(&args, pd->axis_elems);
    prim__ocl_args_i64(&args, pd->nitems);
    prim__ocl_args_i32(&args, pd->row_items);
    prim__ocl_args_post_ops(&args, ctx, p);
    const int64_t rows = pd->group_items / pd->row_items;
    const ocl_range_t range =
            prim__ocl_range_groups((pd->nitems + rows - 1) / rows, (size_t)pd->group_items);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_wg = {
        .name = "ocl:softmax:wg",
        .pd_size = sizeof(softmax_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
