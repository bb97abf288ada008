// SPDX-License-Identifier: Apache-2.0
// Convolution of f16, bf16 and 8-bit integers, NHWC, by `mma.sync`.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "ocl_conv_wgmma_common.h"
#include "ocl_conv_window.h"

extern const ocl_source_t prim__ocl_conv_mma_tiled_cl;
extern const impl_t prim__ocl_conv_mma_tiled;

enum { CHUNK_BYTES = 16, SLICE_BYTES = 128, MAX_TAPS = 64 };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool has_unit, copies_async;
    ocl_conv_mma_plan_t plan;
    ocl_conv_mma_tiled_data_t data; ///< see WINDOW_PARAMS()
} ocl_conv_mma_tiled_pd_t;

_Static_assert(offsetof(ocl_conv_mma_tiled_pd_t, base) == 0, "the base comes first");

static prim_dim_t elem_bytes(const prim_desc_t *pd)
{
    return (prim_dim_t)prim_data_type_size(prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
}

static prim_status_t choose_plan(ocl_conv_mma_tiled_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t depth = SLICE_BYTES / elem_bytes(base);
    pd->has_unit = prim__ocl_has_mma(base);
    TRY(prim__ocl_prefer_matrix_units(base, pd->has_unit));
    pd->copies_async =
            pd->has_unit && prim__ocl_device_trusts(base->engine, OCL_FEATURE_ASYNC_COPY);
    const ocl_conv_mma_product_t product = {.g = s->g,
            .pixels = s->mb * prim__conv_out_elems(s),
            .outputs = s->oc,
            .nslices = prim__ceil_div(prim__conv_taps(s) * s->ic, depth),
            .has_unit = pd->has_unit};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, base, OCL_CONV_MMA_PARAMS);
    REQUIRE(base,
            prim__ocl_conv_mma_plan(&pd->plan, &tune, prim__ocl_device(base->engine),
                    prim__ocl_feature_local_bytes(base->engine), &product),
            "no tile fits the work-groups and the local memory of the device");
    PREFER_OTHER_UNLESS(base, s->ic * prim__conv_taps(s) >= 32 && s->oc >= 16,
            "K = %lld, OC = %lld: below 32 or 16, matrix units are mostly idle",
            (long long)(s->ic * prim__conv_taps(s)), (long long)s->oc);
    return PRIM_SUCCESS;
}

static ocl_conv_mma_tiled_data_t data_of(const ocl_conv_mma_tiled_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const int32_t ic = (int32_t)s->ic, ndepth = ic * (int32_t)prim__conv_taps(s);
    const int32_t depth = (int32_t)(SLICE_BYTES / elem_bytes(&pd->base));
    return (ocl_conv_mma_tiled_data_t){.window = prim__ocl_conv_window(&pd->base),
            .ntiles_n = prim__ocl_divisor(pd->plan.ntiles_n),
            .ntiles_m = prim__ocl_divisor(pd->plan.ntiles_m),
            .ic = prim__ocl_divisor(ic),
            .nslices = (int)prim__ceil_div(ndepth, depth),
            .ndepth = ndepth,
            .slice_taps = depth / ic,
            .slice_rest = depth % ic};
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_mma_tiled_pd_t *const pd = (ocl_conv_mma_tiled_pd_t *)base;
    TRY(prim__ocl_conv_mma_begin(base, &pd->shape, true));
    TRY(prim__ocl_conv_require_short_sums(base));
    TRY(prim__ocl_conv_require_chunks(base, CHUNK_BYTES / elem_bytes(base), MAX_TAPS));
    REQUIRE(base, prim__ocl_conv_filters_are_dense(base),
            "the filters of the weights are not contiguous");
    TRY(choose_plan(pd));
    pd->data = data_of(pd);
    return PRIM_SUCCESS;
}

static ocl_conv_window_sizes_t sizes_of(
        ocl_conv_mma_tiled_data_t *data, const ocl_conv_mma_tiled_pd_t *pd)
{
    *data = pd->data;
    const bool by_value = prim__ocl_device(pd->base.engine)->keeps_structs;
    return (ocl_conv_window_sizes_t){&data->window, sizeof *data, by_value};
}

static void add_options(ocl_options_t *options, const ocl_conv_mma_tiled_pd_t *pd)
{
    const ocl_conv_mma_plan_t *const plan = &pd->plan;
    prim__ocl_conv_window_options(options, &pd->base, pd->has_unit, MAX_TAPS);
    prim__ocl_options_int(options, "ASYNC_COPY", pd->copies_async);
    prim__ocl_options_int(options, "BM", plan->bm);
    prim__ocl_options_int(options, "BN", plan->bn);
    prim__ocl_options_int(options, "WM", plan->wm);
    prim__ocl_options_int(options, "WN", plan->wn);
    prim__ocl_options_int(options, "STAGES", plan->stages);
    prim__ocl_options_int(options, "WEI_ALONG_K", 1);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_conv_mma_tiled_pd_t *const pd = (const ocl_conv_mma_tiled_pd_t *)primitive->pd;
    ocl_options_t options;
    add_options(&options, pd);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_mma_tiled_cl, &options, "conv_mma_tiled"));
    ocl_conv_mma_tiled_data_t data;
    return prim__ocl_conv_window_add_data(p, sizes_of(&data, pd));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_conv_mma_tiled_pd_t *const pd = (const ocl_conv_mma_tiled_pd_t *)primitive->pd;
    const ocl_conv_mma_plan_t *const plan = &pd->plan;
    ocl_args_t args;
    ocl_conv_mma_tiled_data_t data;
    prim__ocl_conv_window_args(&args, ctx, p, sizes_of(&data, pd));
    const int64_t ngroups = pd->shape.g * plan->ntiles_m * plan->ntiles_n;
    const ocl_range_t range = prim__ocl_range_groups(ngroups, prim__ocl_conv_mma_items(plan));
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_conv_mma_tiled = {
        .name = "ocl:conv:mma_tiled",
        .pd_size = sizeof(ocl_conv_mma_tiled_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
