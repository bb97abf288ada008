// SPDX-License-Identifier: Apache-2.0
// Eltwise where src and dst are contiguous and of one layout: vectors of at least 16 bytes.
#include "common/data_type.h"
#include "common/int_math.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/kit/ocl_primitive.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"

extern const ocl_source_t prim__ocl_eltwise_dense_cl;
extern const impl_t prim__ocl_eltwise_dense;

typedef struct {
    prim_desc_t base;
    int vec; ///< elements of a work-item
} eltwise_pd_t;

_Static_assert(offsetof(eltwise_pd_t, base) == 0, "the base comes first");

// On GPUs 16 bytes or more on either side; on CPU-type devices the width of their float functions.
static int estimate_vec(
        const ocl_device_t *device, const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    const size_t a = prim__dt_bytes(src->data_type), b = prim__dt_bytes(dst->data_type);
    const int width = device->vector_width_f32;
    if (!device->is_cpu) return (int)(16 / (a < b ? a : b));
    return width >= 16 ? 16 : width >= 8 ? 8 : 4;
}

static void choose_vec(eltwise_pd_t *pd)
{
    const int estimated = estimate_vec(prim__ocl_device(pd->base.engine),
            prim__pd_md(&pd->base, PRIM_ARG_SRC), prim__pd_md(&pd->base, PRIM_ARG_DST));
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &pd->base, "vec");
    for (int vec = 4; vec <= 16; vec *= 2)
        if (prim__ocl_tune_offer(&tune, vec != estimated, (ocl_tune_params_t){{vec}}))
            pd->vec = vec;
}

/// Vectors that a work-item loads before it stores the first: on GPUs perhaps several, for a
/// function of many instructions, which hide the second load, and for relu of bytes, whose vectors
/// are short. Plain functions lose by it.
static int at_once(const prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const bool is_long = pd->op.alg_kind == PRIM_ELTWISE_GELU_ERF;
    const bool has_bytes = pd->op.alg_kind == PRIM_ELTWISE_RELU &&
                           prim__pd_md(pd, PRIM_ARG_SRC)->data_type == PRIM_S8 &&
                           prim__pd_md(pd, PRIM_ARG_DST)->data_type == PRIM_S8;
    if (device->is_cpu || !(is_long || has_bytes)) return 1;
    return is_long ? prim__ocl_measured_int(device, MEASURED_ELTWISE_LONG_AT_ONCE, 2)
                   : prim__ocl_measured_int(device, MEASURED_ELTWISE_BYTES_AT_ONCE, 2);
}

/// Adjacent vectors that a work-item takes: a work-item of a CPU-type device is an iteration of a
/// loop, whose overhead many vectors share.
static int run(const eltwise_pd_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    if (!device->is_cpu) return 1;
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    // Two pages at most; a core has so many work-items that its groups, of many, do not wait.
    const int run_bytes = prim__ocl_measured_int(device, MEASURED_ELTWISE_RUN_BYTES, 2 * 4096);
    const int core_items = prim__ocl_measured_int(device, MEASURED_ELTWISE_CORE_ITEMS, 1024);
    const int64_t most = run_bytes / ((int64_t)prim__dt_bytes(src->data_type) * pd->vec);
    const int64_t share =
            prim__md_nelems_padded(src) / ((int64_t)pd->vec * core_items * device->compute_units);
    return share >= most ? (int)most : share > 2 ? (int)(share / 2 * 2) : 1;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__pd_follow(pd));
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    REQUIRE(pd, prim__md_is_dense(src), "src has gaps between its elements");
    REQUIRE(pd, prim__md_same_layout_moved(src, dst), "src and dst have different layouts");
    // The padding of a blocked tensor is computed like the rest.
    const eltwise_params_t *const p = &pd->op.u.eltwise;
    REQUIRE(pd,
            !prim__md_is_padded(src) ||
                    prim__eltwise_keeps_zero(pd->op.alg_kind, p->alpha, p->beta),
            "src is padded and the function does not map 0 to 0");
    REQUIRE(pd, pd->attr.post_ops.len == 0, "post-ops are set; this variant takes none");
    choose_vec((eltwise_pd_t *)pd);
    return PRIM_SUCCESS;
}

/// Whether 16 bits come and go, which do not show the rounding of approximate functions.
static bool is_short(const prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return (src == PRIM_F16 || src == PRIM_BF16) && (dst == PRIM_F16 || dst == PRIM_BF16) &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_FAST_EXP2);
}

static prim_status_t init(prim_t *primitive)
{
    const eltwise_pd_t *const pd = (const eltwise_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_src_dst(&options, &pd->base);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->base.op.alg_kind);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "REAL_WIDTH", pd->vec);
    prim__ocl_options_int(&options, "SLOPES", 0);
    prim__ocl_options_int(&options, "FAST_EXP2", is_short(&pd->base));
    prim__ocl_options_int(&options, "AT_ONCE", at_once(&pd->base));
    prim__ocl_options_int(&options, "WITH_RUNS", prim__ocl_device(pd->base.engine)->is_cpu);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST,
            prim__md_nelems_padded(prim__pd_md(&pd->base, PRIM_ARG_DST)));
    return prim__ocl_primitive_add_kernel(
            (ocl_primitive_t *)primitive, &prim__ocl_eltwise_dense_cl, &options, "eltwise_dense");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const eltwise_pd_t *const pd = (const eltwise_pd_t *)primitive->pd;
    const prim_dim_t nelems = prim__md_nelems_padded(prim__pd_md(&pd->base, PRIM_ARG_SRC));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, nelems);
    prim__ocl_args_f32(&args, pd->base.op.u.eltwise.alpha);
    prim__ocl_args_f32(&args, pd->base.op.u.eltwise.beta);
    prim__ocl_args_i32(&args, run(pd));
    const prim_dim_t per_item = (prim_dim_t)pd->vec * at_once(&pd->base) * run(pd);
    const prim_dim_t nitems = prim__ceil_div(nelems, per_item);
    const ocl_range_t range = prim__ocl_range_short(p->kernels[0], nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_eltwise_dense = {
        .name = "ocl:eltwise:dense",
        .pd_size = sizeof(eltwise_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
