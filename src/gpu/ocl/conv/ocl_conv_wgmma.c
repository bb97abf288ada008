// SPDX-License-Identifier: Apache-2.0
// Convolution of f16 and bf16, NHWC, by WGMMA.
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_igemm.h"
#include "ocl_conv_wgmma_common.h"
#include "ocl_conv_wgmma_few_channels.h"
#include "ocl_conv_wgmma_operands.h"

extern const impl_t prim__ocl_conv_wgmma;

/// In the order that init() adds them.
enum { SIZES, QUANT, PACKS }; ///< data

/// What is known of the device's units; a device that claims none, or fails their self-tests, runs
/// plain C in their place, for tests.
static prim_status_t init_units(ocl_conv_wgmma_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const prim_data_type_t type = prim__pd_md(base, PRIM_ARG_SRC)->data_type;
    pd->has_unit = prim__ocl_conv_wgmma_is_claimed(base) &&
                   prim__ocl_device_trusts(base->engine, OCL_FEATURE_ASYNC_COPY) &&
                   prim__ocl_device_trusts_type(base->engine, OCL_FEATURE_WGMMA_F16, type) &&
                   prim__ocl_device_trusts(base->engine, OCL_FEATURE_LARGE_LOCAL);
    TRY(prim__ocl_prefer_matrix_units(base, pd->has_unit));
    return PRIM_SUCCESS;
}

/// Where matrix units are mostly idle, or src is copied first, another one may be cheaper.
static prim_status_t prefer_cheaper(ocl_conv_wgmma_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    const bool is_copied = pd->packs.src.nitems > 0;
    PREFER_OTHER_UNLESS(base, s->oc > 1 || pd->packs.wei.channels != 1,
            "groups of one input and one output channel: no matrix product");
    if (!is_copied && s->ic * prim__conv_taps(s) >= 32 && s->oc >= 16) return PRIM_SUCCESS;
    double cycles = pd->plan.cycles;
    if (is_copied)
        cycles += prim__ocl_conv_move_cycles(
                prim__ocl_device(base->engine), prim__ocl_conv_wgmma_copied_bytes(pd), 1);
    const double few = prim__ocl_conv_few_channels_cycles(base);
    PREFER_OTHER_UNLESS(base, cycles < few,
            "%.0f cycles, the copy of src included; `wgmma_few_channels` is expected to take %.0f",
            cycles, few);
    const double igemm = prim__ocl_conv_igemm_cycles(base);
    // Its model was fitted to f32: rows of 16-bit elements that are not aligned take it longer.
    const double longer =
            prim__ocl_measured(prim__ocl_device(base->engine), MEASURED_CONV_IGEMM_UNALIGNED, 1.5);
    PREFER_OTHER_UNLESS(base, cycles < longer * igemm,
            "%.0f cycles of channels padded to tiles; `igemm` is expected to take %.0f", cycles,
            igemm);
    return PRIM_SUCCESS;
}

static prim_status_t choose_plan(ocl_conv_wgmma_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    const prim_data_type_t type = prim__pd_md(base, PRIM_ARG_SRC)->data_type;
    ocl_conv_wgmma_product_t product =
            prim__ocl_conv_wgmma_product(pd, prim__ocl_conv_wgmma_leaves_registers(&pd->base));
    product.has_unit = pd->has_unit;
    product.may_box =
            product.may_box && (!pd->has_unit || prim__ocl_device_trusts_type(base->engine,
                                                         OCL_FEATURE_TENSOR_MAPS_F16, type));
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, base, OCL_CONV_WGMMA_PARAMS);
    REQUIRE(base,
            prim__ocl_conv_wgmma_plan(&pd->plan, &tune, device,
                    prim__ocl_feature_local_bytes(base->engine), &product),
            "no tile fits the work-groups and the local memory of the device, or 16 splits of K "
            "are "
            "still more products than one sum of f32 holds without loss");
    REQUIRE(base, prim__ocl_conv_wgmma_partials(&pd->plan) < INT32_MAX,
            "partial sums of split-K span 2^31 elements");
    return prefer_cheaper(pd);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_wgmma_pd_t *const pd = (ocl_conv_wgmma_pd_t *)base;
    conv_shape_t *const s = &pd->shape;
    TRY(prim__ocl_conv_mma_begin(base, s, false));
    prim__ocl_conv_wgmma_set_operands(pd, false);
    TRY(init_units(pd));
    TRY(choose_plan(pd));
    if (pd->plan.has_boxes) prim__ocl_conv_wgmma_set_operands(pd, true);
    if (pd->plan.has_boxes) pd->maps_offset = prim__ocl_conv_wgmma_book_maps(base, &pd->plan);
    pd->src_offset = prim__ocl_conv_pack_book(base, &pd->packs.src);
    pd->wei_offset = prim__ocl_conv_pack_book(base, &pd->packs.wei);
    if (pd->plan.nsplits > 1)
        pd->partial_offset = prim__pd_book_scratchpad(
                base, 4 * (size_t)prim__ocl_conv_wgmma_partials(&pd->plan));
    return PRIM_SUCCESS;
}

static void add_options(ocl_options_t *options, const ocl_conv_wgmma_pd_t *pd)
{
    const ocl_conv_wgmma_plan_t *const plan = &pd->plan;
    prim__ocl_conv_wgmma_options(options, &pd->base, pd->has_unit);
    prim__ocl_options_int(options, "ASYNC_COPY", pd->has_unit);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(options, "BM", plan->bm);
    prim__ocl_options_int(options, "BN", plan->bn);
    prim__ocl_options_int(options, "STAGES", plan->stages);
    prim__ocl_options_int(options, "COPIERS", plan->copiers);
    prim__ocl_options_int(options, "MAPS", plan->has_boxes);
    prim__ocl_options_int(options, "PACKED_SRC", pd->packs.src.nitems > 0);
    prim__ocl_options_int(options, "PACKED_WEI", pd->packs.wei.nitems > 0);
    prim__ocl_options_int(options, "PHASES", 0);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_conv_wgmma_pd_t *const pd = (const ocl_conv_wgmma_pd_t *)primitive->pd;
    ocl_options_t options;
    add_options(&options, pd);
    TRY(prim__ocl_conv_wgmma_add(p, &options, &pd->plan));
    const ocl_conv_wgmma_data_t sizes = prim__ocl_conv_wgmma_data(pd);
    TRY(prim__ocl_primitive_add_data(p, &sizes, sizeof sizes));
    const ocl_conv_quant_t quant = prim__ocl_conv_quant(&pd->base);
    TRY(prim__ocl_primitive_add_data(p, &quant, sizeof quant));
    TRY(prim__ocl_conv_pack_init(p, &pd->packs));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_conv_wgmma_pd_t *const pd = (const ocl_conv_wgmma_pd_t *)primitive->pd;
    const ocl_conv_wgmma_run_t run = {.plan = &pd->plan,
            .src = PRIM_ARG_SRC,
            .dst = PRIM_ARG_DST,
            .is_src_packed = pd->packs.src.nitems > 0,
            .is_wei_packed = pd->packs.wei.nitems > 0,
            .src_offset = pd->src_offset,
            .wei_offset = pd->wei_offset,
            .partial_offset = pd->partial_offset,
            .maps_offset = pd->maps_offset,
            .quant = p->data[QUANT]};
    const ocl_conv_packs_run_t packs = {.sizes = &pd->packs,
            .src = PRIM_ARG_SRC,
            .wei = PRIM_ARG_WEIGHTS,
            .src_offset = pd->src_offset,
            .wei_offset = pd->wei_offset,
            .kernel = p->nkernels - 1,
            .data = PACKS};
    TRY(prim__ocl_conv_pack_run(p, ctx, &packs));
    return prim__ocl_conv_wgmma_run(p, ctx, &run);
}

const impl_t prim__ocl_conv_wgmma = {
        .name = "ocl:conv:wgmma",
        .pd_size = sizeof(ocl_conv_wgmma_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
