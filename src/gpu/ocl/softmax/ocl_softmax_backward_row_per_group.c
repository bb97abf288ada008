// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax on OpenCL devices along the innermost axis: a work-group, or a part of
// one, for each row.
#include "gpu/ocl/kit/ocl_row_items.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "ocl_softmax_backward.h"

extern const ocl_source_t prim__ocl_softmax_backward_row_per_group_cl;
extern const impl_t prim__ocl_softmax_backward_row_per_group;

enum { MAX_ELEMS = 16 }; ///< of dst, and as many of diff_dst, that a work-item keeps in registers

typedef struct {
    softmax_backward_pd_t row;
    ocl_row_items_t items;
} group_pd_t;

_Static_assert(offsetof(group_pd_t, row) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    group_pd_t *const group = (group_pd_t *)pd;
    softmax_backward_pd_t *const row = &group->row;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_softmax_backward_init(pd));
    TRY(prim__ocl_require_row_groups(pd));
    PREFER_OTHER_UNLESS(
            pd, !device->is_cpu, "the device is CPU-type: one work-item per row is faster");
    row->vec = prim__ocl_softmax_backward_elem_bytes(pd) < 4 ? 8 : 4;
    group->items = prim__ocl_row_items(pd, row->nrows, row->elems, row->vec, MAX_ELEMS);
    REQUIRE(pd, row->elems / (group->items.row_items * row->vec) <= OCL_LONGEST_SUM,
            "rows are so long that f32 loses precision in the sum of a work-item");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const group_pd_t *const group = (const group_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_backward_options(&options, &group->row);
    prim__ocl_row_items_options(&options, &group->items, primitive->pd->engine);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_softmax_backward_row_per_group_cl, &options,
            "softmax_backward_row_per_group"));
    return prim__ocl_primitive_add_data(p, &group->row.nest, sizeof group->row.nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const group_pd_t *const group = (const group_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_softmax_backward_args(&args, p, ctx);
    const ocl_range_t range = prim__ocl_range_row_items(&group->items, group->row.nrows);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_backward_row_per_group = {
        .name = "ocl:softmax:backward_row_per_group",
        .pd_size = sizeof(group_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
