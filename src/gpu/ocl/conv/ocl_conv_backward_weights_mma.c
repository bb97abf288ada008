// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias of f16 and bf16, NHWC, by `mma.sync`.
#include <math.h>

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_backward_weights.h"
#include "ocl_conv_backward_weights_mma.h"
#include "ocl_conv_plan.h"
#include "ocl_conv_wgmma_plan.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_mma_cl;
extern const impl_t prim__ocl_conv_backward_weights_mma;

enum { DEPTH = 64, CHUNK = 8, AT_BITS = 10 };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool has_unit, copies_async;
    bool src_chunks; ///< as in the .cl
    ocl_conv_mma_plan_t plan;
    ocl_conv_splits_t splits;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Whether pixels of a tensor with contiguous channels are whole chunks of 16 bytes apart.
static bool has_chunks(const prim_memory_desc_t *md)
{
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, md);
    bool has = strides[1] == 1 && strides[0] % CHUNK == 0;
    for (int d = 2; d < 5; ++d) has = has && strides[d] % CHUNK == 0;
    return has;
}

static prim_status_t require_channels(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST);
    REQUIRE(&pd->base, src->strides[1] == 1 || s->g * s->ic == 1,
            "channels of src are not contiguous (NHWC)");
    REQUIRE(&pd->base, has_chunks(dst) && s->oc % CHUNK == 0,
            "diff_dst is not NHWC with pixels of whole 16 bytes, OC = %lld", (long long)s->oc);
    pd->src_chunks = has_chunks(src) && s->ic % CHUNK == 0;
    for (int d = 0; d < CONV_NSPATIAL && !pd->src_chunks; ++d)
        REQUIRE(&pd->base, (s->kernel[d] - 1) * s->dilation[d] < 1 << AT_BITS,
                "IC = %lld is not a multiple of 16 bytes, and a window reaches 1024 elements",
                (long long)s->ic);
    return PRIM_SUCCESS;
}

static ocl_conv_mma_product_t product_of(const conv_shape_t *s, bool has_unit)
{
    return (ocl_conv_mma_product_t){.g = s->g,
            .pixels = s->oc,
            .outputs = s->ic * prim__conv_taps(s),
            .nslices = prim__ceil_div(s->mb * prim__conv_out_elems(s), DEPTH),
            .has_unit = has_unit,
            .longest = OCL_LONGEST_SUM / DEPTH};
}

double prim__ocl_conv_weights_mma_cycles(const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    const ocl_conv_mma_product_t product = product_of(&s, true);
    // The model knows copies of chunks: src by elements takes several times as long.
    const bool takes = src->strides[1] == 1 && has_chunks(src) && s.ic % CHUNK == 0 &&
                       has_chunks(dst) && s.oc % CHUNK == 0 && product.outputs >= 32 &&
                       s.oc >= 16 && prim__ocl_has_mma(pd);
    prim_desc_t none = {0};
    ocl_tune_t tune = {.pd = &none};
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    ocl_conv_mma_plan_t plan = {0};
    if (!takes || !prim__ocl_conv_mma_plan(&plan, &tune, device,
                          prim__ocl_feature_local_bytes(pd->engine), &product))
        return INFINITY;
    return plan.cycles * prim__ocl_measured(device, MEASURED_CONV_BACKWARD_WEIGHTS_MMA_SLOWER, 1);
}

static prim_status_t choose_plan(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    pd->has_unit = prim__ocl_has_mma(base);
    TRY(prim__ocl_prefer_matrix_units(base, pd->has_unit));
    pd->copies_async =
            pd->has_unit && prim__ocl_device_trusts(base->engine, OCL_FEATURE_ASYNC_COPY);
    const ocl_conv_mma_product_t product = product_of(s, pd->has_unit);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, base, OCL_CONV_MMA_SPLIT_PARAMS);
    REQUIRE(base,
            prim__ocl_conv_mma_plan(&pd->plan, &tune, prim__ocl_device(base->engine),
                    prim__ocl_feature_local_bytes(base->engine), &product),
            "no tile fits the work-groups and the local memory of the device");
    PREFER_OTHER_UNLESS(base, product.outputs >= 32 && s->oc >= 16,
            "OC = %lld, IC·KD·KH·KW = %lld: below 16 or 32, matrix units are mostly idle",
            (long long)s->oc, (long long)product.outputs);
    pd->splits.ntiles_m = pd->plan.ntiles_m;
    pd->splits.ntiles_n = pd->plan.ntiles_n;
    prim__ocl_conv_splits_book(&pd->splits, base, s, s->mb * prim__conv_out_elems(s),
            (int64_t)pd->plan.split_slices * DEPTH);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    TRY(prim__ocl_conv_backward_weights_require_16_bits(base));
    TRY(prim__conv_set_channels_last(base));
    TRY(prim__conv_set_row_major(base));
    TRY(prim__ocl_conv_backward_weights_check(base, &pd->shape));
    TRY(require_channels(pd));
    return choose_plan(pd);
}

static void add_options(ocl_options_t *options, const conv_pd_t *pd)
{
    const ocl_conv_mma_plan_t *const plan = &pd->plan;
    prim__ocl_options_int(options, "MMA", pd->has_unit);
    prim__ocl_options_int(
            options, "MMA_TYPE", (int)prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_int(options, "SRC_IS_U8", 0);
    prim__ocl_options_int(options, "WEI_IS_U8", 0);
    prim__ocl_options_int(options, "WEI_ALONG_K", 0);
    prim__ocl_options_int(options, "MMA_ACROSS_BYTES", 2 * plan->bn);
    prim__ocl_options_int(options, "MMA_ROWS_ACROSS_BYTES", 2 * plan->bm);
    prim__ocl_options_int(options, "ASYNC_COPY", pd->copies_async);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(options, "SRC_CHUNKS", pd->src_chunks);
    prim__ocl_options_int(options, "BM", plan->bm);
    prim__ocl_options_int(options, "BN", plan->bn);
    prim__ocl_options_int(options, "WM", plan->wm);
    prim__ocl_options_int(options, "WN", plan->wn);
    prim__ocl_options_int(options, "STAGES", plan->stages);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_options_t options, own;
    prim__ocl_options_init(&options);
    prim__ocl_conv_backward_weights_options(&options, &pd->base, true);
    own = options;
    add_options(&own, pd);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_backward_weights_mma_cl, &own, "conv_backward_weights_mma"));
    const ocl_conv_backward_weights_data_t data =
            prim__ocl_conv_backward_weights_data(&pd->base, &pd->splits);
    return prim__ocl_conv_backward_weights_add(p, &data, sizeof data, &pd->splits, &options);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_conv_mma_plan_t *const plan = &pd->plan;
    const size_t nitems = prim__ocl_conv_mma_items(plan);
    ocl_args_t args;
    prim__ocl_conv_backward_weights_args(&args, ctx, p, &pd->splits);
    const int64_t ntiles = pd->shape.g * plan->ntiles_m * plan->ntiles_n;
    const ocl_range_t range =
            prim__ocl_range_3d(ntiles * (int64_t)nitems, pd->splits.nsplits, 1, nitems, 1, 1);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_conv_backward_weights_sum(p, ctx, &pd->splits);
}

const impl_t prim__ocl_conv_backward_weights_mma = {
        .name = "ocl:conv:backward_weights_mma",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
