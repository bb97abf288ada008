// SPDX-License-Identifier: Apache-2.0
// Gradients of eltwise functions where all tensors are contiguous and of one layout: vectors of at
// least 16 bytes.
#include <math.h>

#include "common/data_type.h"
#include "common/eltwise_data.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/kit/ocl_primitive.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"

extern const ocl_source_t prim__ocl_eltwise_backward_dense_cl;
extern const impl_t prim__ocl_eltwise_backward_dense;

typedef struct {
    prim_desc_t base;
    int vec; ///< elements of a vector
} eltwise_backward_pd_t;

_Static_assert(offsetof(eltwise_backward_pd_t, base) == 0, "the base comes first");

static const prim_memory_desc_t *data_md(const prim_desc_t *pd)
{
    return prim__pd_md(pd, prim__eltwise_data_arg(pd->op.alg_kind));
}

/// On GPUs 16 bytes; on CPU-type devices the width of their float functions.
static int estimate_vec(const prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int width = device->vector_width_f32;
    if (!device->is_cpu) return (int)(16 / prim__dt_bytes(data_md(pd)->data_type));
    return width >= 16 ? 16 : width >= 8 ? 8 : 4;
}

static void choose_vec(eltwise_backward_pd_t *pd)
{
    const int estimated = estimate_vec(&pd->base);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &pd->base, "vec");
    for (int vec = 4; vec <= 16; vec *= 2)
        if (prim__ocl_tune_offer(&tune, vec != estimated, (ocl_tune_params_t){{vec}}))
            pd->vec = vec;
}

/// Adjacent vectors that a work-item takes, as in ocl_eltwise_dense.c.
static int run(const eltwise_backward_pd_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    if (!device->is_cpu) return 1;
    const prim_memory_desc_t *const md = data_md(&pd->base);
    const int run_bytes = prim__ocl_measured_int(device, MEASURED_ELTWISE_RUN_BYTES, 2 * 4096);
    const int core_items = prim__ocl_measured_int(device, MEASURED_ELTWISE_CORE_ITEMS, 1024);
    const int64_t most = run_bytes / ((int64_t)prim__dt_bytes(md->data_type) * pd->vec);
    const int64_t share =
            prim__md_nelems_padded(md) / ((int64_t)pd->vec * core_items * device->compute_units);
    return (int)(share >= most ? most : share > 1 ? share : 1);
}

/// Padding, where diff_dst and src are 0, is computed like the rest: whether f'(0) is finite.
static bool keeps_zero(const op_desc_t *op)
{
    switch (op->alg_kind) {
    case PRIM_ELTWISE_LOG:
    case PRIM_ELTWISE_SQRT:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_POW: return false;
    default: return isfinite(op->u.eltwise.alpha) && isfinite(op->u.eltwise.beta);
    }
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__pd_follow(pd));
    const prim_memory_desc_t *const data = data_md(pd);
    REQUIRE(pd, prim__md_is_dense(data), "src or dst has gaps between its elements");
    REQUIRE(pd, prim__md_same_layout_moved(data, prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            "diff_dst has another layout than src or dst");
    REQUIRE(pd, prim__md_same_layout_moved(data, prim__pd_md(pd, PRIM_ARG_DIFF_SRC)),
            "diff_src has another layout than src or dst");
    REQUIRE(pd, !prim__md_is_padded(data) || keeps_zero(&pd->op),
            "the tensors are padded and the derivative at 0 is infinite");
    choose_vec((eltwise_backward_pd_t *)pd);
    return PRIM_SUCCESS;
}

/// Whether elements have 16 bits, which do not show the rounding of approximate functions.
static bool is_short(const prim_desc_t *pd)
{
    const prim_data_type_t type = data_md(pd)->data_type;
    return (type == PRIM_F16 || type == PRIM_BF16) &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_FAST_EXP2);
}

static prim_status_t init(prim_t *primitive)
{
    const eltwise_backward_pd_t *const pd = (const eltwise_backward_pd_t *)primitive->pd;
    const prim_memory_desc_t *const md = data_md(&pd->base);
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "DST", md->data_type);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->base.op.alg_kind);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "REAL_WIDTH", pd->vec);
    prim__ocl_options_int(&options, "SLOPES", 1);
    prim__ocl_options_int(&options, "FAST_EXP2", is_short(&pd->base));
    prim__ocl_nontemporal_options(
            &options, &pd->base, PRIM_ARG_DIFF_SRC, prim__md_nelems_padded(md));
    return prim__ocl_primitive_add_kernel((ocl_primitive_t *)primitive,
            &prim__ocl_eltwise_backward_dense_cl, &options, "eltwise_backward_dense");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const eltwise_backward_pd_t *const pd = (const eltwise_backward_pd_t *)primitive->pd;
    const prim_dim_t nelems = prim__md_nelems_padded(data_md(&pd->base));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, prim__eltwise_data_arg(pd->base.op.alg_kind));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_i64(&args, nelems);
    prim__ocl_args_f32(&args, pd->base.op.u.eltwise.alpha);
    prim__ocl_args_f32(&args, pd->base.op.u.eltwise.beta);
    prim__ocl_args_i32(&args, run(pd));
    const prim_dim_t nitems = prim__ceil_div(nelems, (prim_dim_t)pd->vec * run(pd));
    const ocl_range_t range = prim__ocl_range_short(p->kernels[0], nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_eltwise_backward_dense = {
        .name = "ocl:eltwise:backward_dense",
        .pd_size = sizeof(eltwise_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
