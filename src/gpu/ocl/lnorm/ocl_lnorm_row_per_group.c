// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of contiguous rows on OpenCL devices: one work-group, or a part of one, per
// row.
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_row_items.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "ocl_lnorm_even_rows.h"

extern const ocl_source_t prim__ocl_lnorm_row_per_group_cl;
extern const impl_t prim__ocl_lnorm_row_per_group;

enum { MAX_ELEMS = 32 }; ///< of a row that a work-item keeps in registers

typedef struct {
    lnorm_rows_pd_t rows;
    ocl_row_items_t items;
    bool are_even; ///< the rows are those of ocl_lnorm_even_rows.cl
} group_pd_t;

_Static_assert(offsetof(group_pd_t, rows) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    group_pd_t *const group = (group_pd_t *)pd;
    lnorm_rows_pd_t *const rows = &group->rows;
    TRY(prim__ocl_lnorm_init_forward_rows(pd));
    TRY(prim__ocl_require_row_groups(pd));
    PREFER_OTHER_UNLESS(pd, !prim__ocl_device(pd->engine)->is_cpu,
            "the device is CPU-type: `row_per_item` gives a work-item whole rows");
    group->items = prim__ocl_row_items(pd, rows->nrows, rows->elems, rows->vec, MAX_ELEMS);
    REQUIRE(pd, rows->elems / (group->items.row_items * rows->vec) <= OCL_LONGEST_SUM,
            "rows of %lld elements: f32 loses precision in the sum of a work-item",
            (long long)rows->elems);
    group->are_even = group->items.per_item > 0 && pd->attr.nscales == 0 &&
                      pd->attr.post_ops.len == 0 && prim__ocl_lnorm_are_even(rows);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const group_pd_t *const group = (const group_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_lnorm_forward_options(&options, &group->rows);
    prim__ocl_options_cache_hints(&options, primitive->pd->engine);
    prim__ocl_row_items_options(&options, &group->items, primitive->pd->engine);
    if (group->are_even)
        TRY(prim__ocl_lnorm_add_even_rows(p, &options));
    else
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_lnorm_row_per_group_cl, &options, "lnorm_row_per_group"));
    TRY(prim__ocl_primitive_add_data(p, &group->rows.nest, sizeof group->rows.nest));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const group_pd_t *const group = (const group_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_lnorm_forward_args(&args, p, ctx);
    const ocl_range_t range = prim__ocl_range_row_items(&group->items, group->rows.nrows);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_lnorm_row_per_group = {
        .name = "ocl:lnorm:row_per_group",
        .pd_size = sizeof(group_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
