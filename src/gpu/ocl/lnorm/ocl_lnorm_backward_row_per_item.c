// SPDX-License-Identifier: Apache-2.0
// The gradients of layer normalisation of contiguous rows on CPU-type OpenCL devices: a work-item
// per run of rows.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_lnorm_backward.h"

extern const ocl_source_t prim__ocl_lnorm_backward_row_per_item_cl;
extern const impl_t prim__ocl_lnorm_backward_row_per_item;

typedef struct {
    lnorm_backward_pd_t backward;
    int64_t per_item; ///< rows of a work-item
} item_pd_t;

_Static_assert(offsetof(item_pd_t, backward) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    item_pd_t *const item = (item_pd_t *)pd;
    lnorm_rows_pd_t *const rows = &item->backward.rows;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_lnorm_backward_init(pd));
    rows->vec = device->vector_width_f32 >= 8 ? 16 : 4;
    PREFER_OTHER_UNLESS(pd, device->is_cpu,
            "the device is a GPU: work-items with a row each read memory far apart");
    REQUIRE(pd, rows->elems / rows->vec <= OCL_LONGEST_SUM,
            "rows of %lld elements: f32 loses precision in their partial sums",
            (long long)rows->elems);
    item->per_item = prim__ceil_div(rows->nrows, prim__ocl_estimate_core_items(device));
    REQUIRE(pd, item->per_item <= OCL_LONGEST_SUM,
            "%lld rows: f32 loses precision in the sums over them", (long long)rows->nrows);
    prim__ocl_lnorm_backward_book(&item->backward, prim__ceil_div(rows->nrows, item->per_item));
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_lnorm_backward_options(&options, (const lnorm_backward_pd_t *)primitive->pd);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_lnorm_backward_row_per_item_cl, &options, "lnorm_backward_row_per_item"));
    return prim__ocl_lnorm_backward_init_sums(primitive);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const item_pd_t *const item = (const item_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_lnorm_backward_args(&args, p, ctx);
    prim__ocl_args_i64(&args, item->per_item);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], item->backward.npartials);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_lnorm_backward_sum(p, ctx);
}

const impl_t prim__ocl_lnorm_backward_row_per_item = {
        .name = "ocl:lnorm:backward_row_per_item",
        .pd_size = sizeof(item_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
