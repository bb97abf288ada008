// SPDX-License-Identifier: Apache-2.0
// Sum where all tensors are contiguous and of one layout: vectors.
#include <math.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_sum.h"

extern const ocl_source_t prim__ocl_sum_dense_cl;
extern const impl_t prim__ocl_sum_dense;

static prim_status_t init_pd(prim_desc_t *pd)
{
    sum_pd_t *const sum = (sum_pd_t *)pd;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, prim__md_is_dense(dst), "dst has gaps between its elements");
    size_t shortest_bytes = prim__dt_bytes(dst->data_type);
    for (int i = 0; i < pd->ntensors - 1; ++i) {
        const prim_memory_desc_t *const src = &pd->tensors[i].md;
        REQUIRE(pd, !prim__md_is_padded(dst) || isfinite(pd->tensors[i].scale),
                "a scale is infinite: padding would not stay zero");
        REQUIRE(pd, prim__md_same_layout_moved(src, dst),
                "source %d and dst have different layouts", i);
        const size_t bytes = prim__dt_bytes(src->data_type);
        if (bytes < shortest_bytes) shortest_bytes = bytes;
        sum->is_mixed = sum->is_mixed || src->data_type != pd->tensors[0].md.data_type;
    }
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const bool is_cpu = device->is_cpu;
    sum->vec = is_cpu ? 16 : (int)(16 / shortest_bytes);
    // A work-item of a CPU-type device is a loop on one core, over what its first-level cache holds
    // of two tensors.
    sum->per_item =
            is_cpu ? prim__ocl_measured_int(device, MEASURED_SUM_ITEM_ELEMS, 4096) : sum->vec;
    return prim__ocl_sum_init(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const sum_pd_t *const pd = (const sum_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    // Mixed sources are read by their run-time types: one program for all mixtures.
    const prim_data_type_t src_dt = pd->is_mixed ? PRIM_F32 : pd->base.tensors[0].md.data_type;
    prim__ocl_options_type(&options, "SRC", src_dt);
    prim__ocl_options_type(&options, "DST", prim__pd_md(&pd->base, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "IS_MIXED", pd->is_mixed);
    const bool is_one = pd->per_item == pd->vec && pd->nlaunches == 1 && !pd->is_mixed;
    prim__ocl_options_int(&options, "NINPUTS", is_one ? pd->ninputs : 0);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->per_item);
    return prim__ocl_primitive_add_kernel(
            (ocl_primitive_t *)primitive, &prim__ocl_sum_dense_cl, &options, "sum_dense");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_kernel_t *const kernel = ((const ocl_primitive_t *)primitive)->kernels[0];
    const sum_pd_t *const pd = (const sum_pd_t *)primitive->pd;
    const prim_dim_t nelems = prim__md_nelems_padded(prim__pd_md(&pd->base, PRIM_ARG_DST));
    const int64_t nitems = prim__ceil_div(nelems, pd->per_item);
    const ocl_range_t range = kernel->device->is_cpu ? prim__ocl_range_groups(nitems, 1)
                                                     : prim__ocl_range_short(kernel, nitems);
    for (int launch = 0; launch < pd->nlaunches && nelems > 0; ++launch) {
        ocl_args_t args;
        prim__ocl_args_init(&args);
        prim__ocl_sum_args(&args, pd, ctx, launch, true);
        prim__ocl_args_i64(&args, nelems);
        prim__ocl_args_i64(&args, pd->per_item);
        TRY(prim__ocl_launch(ctx, kernel, &range, &args));
    }
    return PRIM_SUCCESS;
}

const impl_t prim__ocl_sum_dense = {
        .name = "ocl:sum:dense",
        .pd_size = sizeof(sum_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
