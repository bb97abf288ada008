// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax on CPU-type OpenCL devices along the innermost axis: a work-item for
// each row.
#include "gpu/ocl/kit/ocl_sums.h"
#include "ocl_softmax_backward.h"

extern const ocl_source_t prim__ocl_softmax_backward_row_per_item_cl;
extern const impl_t prim__ocl_softmax_backward_row_per_item;

static prim_status_t init_pd(prim_desc_t *pd)
{
    softmax_backward_pd_t *const row = (softmax_backward_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_softmax_backward_init(pd));
    PREFER_OTHER_UNLESS(pd, device->is_cpu,
            "the device is a GPU: with one row per work-item, loads are not coalesced");
    row->vec = device->vector_width_f32 >= 8 ? 16 : 4;
    REQUIRE(pd, row->elems / row->vec <= OCL_LONGEST_SUM,
            "rows are so long that f32 loses precision in their partial sums");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const softmax_backward_pd_t *const pd = (const softmax_backward_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_backward_options(&options, pd);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_softmax_backward_row_per_item_cl, &options,
            "softmax_backward_row_per_item"));
    return prim__ocl_primitive_add_data(p, &pd->nest, sizeof pd->nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const softmax_backward_pd_t *const pd = (const softmax_backward_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_softmax_backward_args(&args, p, ctx);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[0], pd->nrows);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_backward_row_per_item = {
        .name = "ocl:softmax:backward_row_per_item",
        .pd_size = sizeof(softmax_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
