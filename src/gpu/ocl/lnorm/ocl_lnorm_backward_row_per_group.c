// SPDX-License-Identifier: Apache-2.0
// The gradients of layer normalisation of contiguous rows on OpenCL devices: one work-group, or a
// part of one, per row.
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_row_items.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_lnorm_backward_even_rows.h"

extern const ocl_source_t prim__ocl_lnorm_backward_row_per_group_cl;
extern const impl_t prim__ocl_lnorm_backward_row_per_group;

enum { MAX_ELEMS = 8 }; ///< of a row that a work-item keeps, each in five registers

typedef struct {
    lnorm_backward_pd_t backward;
    ocl_row_items_t items;
    bool are_even; ///< the rows are those of ocl_lnorm_backward_even_rows.cl
} group_pd_t;

_Static_assert(offsetof(group_pd_t, backward) == 0, "the base comes first");

/// Work-items of a compute unit that go through the rows. The kernel of even rows takes registers
/// for fewer.
static int64_t unit_items(const group_pd_t *group, const ocl_device_t *device)
{
    return group->are_even
                   ? prim__ocl_measured_int(device, MEASURED_LNORM_BACKWARD_EVEN_UNIT_ITEMS, 512)
                   : prim__ocl_measured_int(device, MEASURED_LNORM_BACKWARD_UNIT_ITEMS, 1024);
}

/// Work-groups that fill the device and go through all rows; without the gradients of scale and
/// shift each has its rows once.
static int64_t groups_of(const group_pd_t *group, const ocl_device_t *device)
{
    const int64_t rows = group->items.group_items / group->items.row_items;
    const int64_t most = prim__ceil_div(group->backward.rows.nrows, rows);
    const int64_t items = unit_items(group, device) * prim__ocl_estimate_units(device);
    const int64_t filled = prim__ceil_div(items, group->items.group_items);
    return group->backward.has_parameters && filled < most ? filled : most;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    group_pd_t *const group = (group_pd_t *)pd;
    lnorm_rows_pd_t *const rows = &group->backward.rows;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_lnorm_backward_init(pd));
    TRY(prim__ocl_require_row_groups(pd));
    REQUIRE(pd, device->local_bytes >= OCL_ROW_MAX_GROUP * MAX_ELEMS * sizeof(float),
            "the device has less than %zu bytes of local memory",
            OCL_ROW_MAX_GROUP * MAX_ELEMS * sizeof(float));
    PREFER_OTHER_UNLESS(pd, !device->is_cpu,
            "the device is a CPU: `backward_row_per_item` gives a core whole rows");
    group->items = prim__ocl_row_items(pd, rows->nrows, rows->elems, rows->vec, MAX_ELEMS);
    REQUIRE(pd, group->items.per_item > 0,
            "rows of %lld elements: a work-group keeps shorter ones in registers",
            (long long)rows->elems);
    group->are_even = prim__ocl_lnorm_are_even(rows);
    const int64_t ngroups = groups_of(group, device);
    REQUIRE(pd, rows->nrows / ngroups <= OCL_LONGEST_SUM,
            "%lld rows: f32 loses precision in the sums over them", (long long)rows->nrows);
    prim__ocl_lnorm_backward_book(&group->backward, ngroups);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const group_pd_t *const group = (const group_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_lnorm_backward_options(&options, &group->backward);
    prim__ocl_options_cache_hints(&options, primitive->pd->engine);
    prim__ocl_row_items_options(&options, &group->items, primitive->pd->engine);
    if (group->are_even)
        TRY(prim__ocl_lnorm_backward_add_even_rows(p, &options));
    else
        TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_lnorm_backward_row_per_group_cl, &options,
                "lnorm_backward_row_per_group"));
    return prim__ocl_lnorm_backward_init_sums(primitive);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const group_pd_t *const group = (const group_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_lnorm_backward_args(&args, p, ctx);
    const ocl_range_t range =
            prim__ocl_range_groups(group->backward.npartials, (size_t)group->items.group_items);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_lnorm_backward_sum(p, ctx);
}

const impl_t prim__ocl_lnorm_backward_row_per_group = {
        .name = "ocl:lnorm:backward_row_per_group",
        .pd_size = sizeof(group_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
