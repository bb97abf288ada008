// SPDX-License-Identifier: Apache-2.0
// Convolution on GPUs, plain layouts: an implicit matrix product in local and register tiles
// that a cost model chooses.
#include "ocl_conv_igemm.h"

#include <math.h>

#include "common/alloc.h"
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_conv_igemm_sum.h"

extern const impl_t prim__ocl_conv_igemm;

void prim__ocl_conv_igemm_options(ocl_options_t *options, const ocl_conv_plan_t *plan,
        const ocl_conv_igemm_code_t *code, const ocl_device_t *device)
{
    prim__ocl_conv_plan_options(options, plan, device);
    prim__ocl_options_int(options, "SIZES_BY_VALUE", code->sizes_by_value);
    prim__ocl_options_int(options, "PHASES", code->has_phases);
    prim__ocl_options_int(options, "FLAT", code->is_flat);
    prim__ocl_options_int(options, "SRC_DEPTH_RUNS", code->src_depth_runs);
    prim__ocl_options_int(options, "DST_CHANNELS_RUN", code->dst_channels_run);
    prim__ocl_options_int(options, "SRC_QUADS", code->src_quads);
    prim__ocl_options_int(options, "WEI_QUADS", code->wei_quads);
    prim__ocl_options_int(options, "HAS_DEPTH", code->has_depth);
    prim__ocl_options_int(options, "HAS_SHORT_EPILOGUE", code->has_short_epilogue);
    if (plan->nstages == 0) return;
    prim__ocl_options_int(options, "PIXEL_QUADS", code->pixel_quads);
    prim__ocl_options_int(options, "WHOLE_DEPTH", code->whole_depth);
    prim__ocl_options_int(options, "ASYNC_COPY", code->copies_async);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 1);
}

prim_status_t prim__ocl_conv_igemm_add(
        ocl_primitive_t *p, const ocl_options_t *options, const ocl_conv_plan_t *plan)
{
    if (plan->nstages > 0)
        return prim__ocl_primitive_add_kernel(
                p, &prim__ocl_conv_pipeline_cl, options, "conv_pipeline");
    return prim__ocl_primitive_add_kernel(p, &prim__ocl_conv_igemm_cl, options, "conv_igemm");
}

void prim__ocl_conv_igemm_set_plan(ocl_conv_igemm_data_t *data, const ocl_conv_plan_t *plan)
{
    data->ntiles_m = plan->ntiles_m;
    data->ntiles_n = plan->ntiles_n;
    data->nslices = plan->nslices;
    data->nslices_c = plan->nslices_c;
    data->split_slices = plan->split_slices;
    data->nsplits = plan->nsplits;
}

ocl_range_t prim__ocl_conv_igemm_range(const ocl_conv_plan_t *plan, int64_t ngroups)
{
    const int64_t ntiles = ngroups * plan->ntiles_m * plan->ntiles_n;
    return prim__ocl_range_3d(ntiles * plan->nitems, plan->nsplits, 1, (size_t)plan->nitems, 1, 1);
}

static prim_status_t require_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    TRY(prim__ocl_conv_require_plain(pd));
    REQUIRE(pd, wei->strides[s->has_groups] == 1 || s->oc == 1,
            "weights are not contiguous along output channels");
    REQUIRE(pd, s->mb * prim__conv_out_elems(s) < INT32_MAX - 128,
            "dst has 2^31 pixels or more (N·OD·OH·OW)");
    REQUIRE(pd, !prim__md_is_empty(src) && !prim__md_is_empty(dst), "a tensor has no elements");
    return PRIM_SUCCESS;
}

bool prim__ocl_conv_igemm_has_quads(const prim_dim_t *strides, int n)
{
    for (int i = 0; i < n; ++i) {
        if (strides[i] % 4 != 0) return false;
    }
    return true;
}

bool prim__ocl_conv_igemm_wants_table(const conv_shape_t *s)
{
    const prim_dim_t ntaps = prim__conv_taps(s), room = (s->ic + 15) / 16 * 16;
    const prim_dim_t limit = 1 << 15;
    prim_dim_t nbits = 0;
    for (int d = 0; d < CONV_NSPATIAL; ++d)
        nbits += s->kernel[d] <= IGEMM_TAP_BITS ? s->kernel[d] : IGEMM_TAP_BITS + 1;
    const bool fits = nbits <= IGEMM_TAP_BITS && s->ic * ntaps < limit;
    // A step of a table takes somewhat longer.
    return fits && ntaps > 1 && 5 * ntaps * room > 6 * prim__round_up(ntaps * s->ic, 16);
}

static void choose_code(ocl_conv_igemm_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DST);
    prim_dim_t data[5], weights[6];
    prim__conv_data_strides(data, src);
    prim__conv_weights_strides(weights, wei, s->has_groups);
    pd->code = (ocl_conv_igemm_code_t){.is_flat = prim__ocl_conv_igemm_wants_table(s),
            .src_depth_runs = src->strides[1] == 1 && s->ic > 1,
            .dst_channels_run = dst->strides[1] == 1 && s->oc > 1,
            .wei_quads = s->oc % 4 == 0 && weights[0] % 4 == 0 &&
                         prim__ocl_conv_igemm_has_quads(weights + 2, 4),
            .has_depth = s->nspatial == 3,
            .has_short_epilogue = prim__ocl_conv_has_short_epilogue(&pd->base),
            .sizes_by_value = prim__ocl_device(pd->base.engine)->keeps_structs &&
                              pd->base.attr.nscales == 0 && pd->base.attr.nzero_points == 0};
    pd->code.src_quads = pd->code.src_depth_runs && s->ic % 4 == 0 && data[0] % 4 == 0 &&
                         prim__ocl_conv_igemm_has_quads(data + 2, 3);
}

prim_status_t prim__ocl_conv_igemm_check(ocl_conv_igemm_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    conv_shape_t *const s = &pd->shape;
    prim__conv_shape(s, base);
    TRY(prim__conv_take_direct(base));
    TRY(prim__ocl_conv_require_floats(base));
    TRY(prim__ocl_conv_require_split_sums(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, s));
    REQUIRE(base, !prim__ocl_conv_sums_integers(base),
            "integers must be summed exactly; this variant accumulates in f32");
    TRY(prim__ocl_conv_set_outputs_last(base, s));
    TRY(require_layouts(base, s));
    choose_code(pd);
    return PRIM_SUCCESS;
}

static ocl_conv_igemm_data_t data_of(const ocl_conv_igemm_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t npixels = s->mb * prim__conv_out_elems(s);
    prim_dim_t weights[6];
    prim__conv_weights_strides(weights, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    ocl_conv_igemm_data_t data = {.geo = prim__ocl_conv_geo(&pd->base, false, false),
            .wei_g = weights[0],
            .wei_s = {weights[3], weights[4], weights[5]},
            .wei_i = weights[2],
            .npartial = s->g * s->oc * npixels,
            .npixels = (int32_t)npixels,
            .ndepth = (int32_t)(s->ic * prim__conv_taps(s)),
            .ngroups = (int32_t)s->g,
            .quant = prim__ocl_conv_quant(&pd->base)};
    data.src_g = s->ic * data.geo.src_c;
    data.dst_g = s->oc * data.geo.dst_c;
    prim__ocl_conv_igemm_set_plan(&data, &pd->plan);
    return data;
}

prim_status_t prim__ocl_conv_igemm_book(ocl_conv_igemm_pd_t *pd, size_t pipeline_bytes)
{
    const conv_shape_t *const s = &pd->shape;
    const ocl_conv_product_t product = {.g = s->g,
            .m = s->oc,
            .n = s->mb * prim__conv_out_elems(s),
            .ntaps = prim__conv_taps(s),
            .channels = s->ic,
            .is_flat = pd->code.is_flat,
            .may_split = true,
            .longest = prim__ocl_conv_longest(prim__conv_taps(s) * s->ic),
            .pipeline_bytes = pipeline_bytes};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &pd->base, OCL_CONV_PLAN_PARAMS);
    REQUIRE(&pd->base,
            prim__ocl_conv_plan(&pd->plan, &tune, prim__ocl_device(pd->base.engine), &product),
            "no tile fits the work-groups and the local memory of the device");
    pd->code.whole_depth = !pd->code.is_flat && s->ic % pd->plan.bk == 0;
    if (pd->plan.nsplits > 1)
        pd->partial_offset = prim__pd_book_scratchpad(
                &pd->base, 4 * (size_t)pd->plan.nsplits * (size_t)(s->g * s->oc * product.n));
    pd->data = data_of(pd);
    return PRIM_SUCCESS;
}

double prim__ocl_conv_igemm_cycles(const prim_desc_t *pd)
{
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    const ocl_conv_product_t product = {.g = s.g,
            .m = s.oc,
            .n = s.mb * prim__conv_out_elems(&s),
            .ntaps = prim__conv_taps(&s),
            .channels = s.ic,
            .is_flat = prim__ocl_conv_igemm_wants_table(&s),
            .may_split = true};
    ocl_conv_plan_t plan;
    const bool fits = prim__ocl_conv_plan(&plan, NULL, prim__ocl_device(pd->engine), &product);
    return fits ? plan.cycles : INFINITY;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_igemm_pd_t *const pd = (ocl_conv_igemm_pd_t *)base;
    TRY(prim__ocl_conv_igemm_check(pd));
    TRY(prim__ocl_conv_igemm_book(pd, 0));
    PREFER_OTHER_UNLESS(base, prim__ocl_device(base->engine)->has_dedicated_local,
            "local memory of the device is ordinary memory: copying tiles there gains nothing");
    return PRIM_SUCCESS;
}

void prim__ocl_conv_igemm_list_depth(ocl_conv_igemm_step_t *table, const conv_shape_t *s,
        const prim_dim_t data[5], const prim_dim_t weights[6])
{
    const prim_dim_t ndepth = s->ic * prim__conv_taps(s);
    for (prim_dim_t i = 0; i < ndepth; ++i) {
        const prim_dim_t c = i % s->ic, tap = i / s->ic;
        const prim_dim_t w = tap % s->kernel[CONV_W], dh = tap / s->kernel[CONV_W];
        const prim_dim_t h = dh % s->kernel[CONV_H], d = dh / s->kernel[CONV_H];
        const prim_dim_t at[] = {
                d * s->dilation[CONV_D], h * s->dilation[CONV_H], w * s->dilation[CONV_W]};
        table[i].src_off =
                (int32_t)(c * data[1] + at[0] * data[2] + at[1] * data[3] + at[2] * data[4]);
        table[i].wei_off =
                (int32_t)(c * weights[2] + d * weights[3] + h * weights[4] + w * weights[5]);
        const prim_dim_t first_w = s->kernel[CONV_D] + s->kernel[CONV_H];
        table[i].taps = 1 << d | 1 << (s->kernel[CONV_D] + h) | 1 << (first_w + w);
    }
}

/// The table of offsets along K, tap by tap; one unused entry where there is none.
static prim_status_t add_depth(ocl_primitive_t *p, const ocl_conv_igemm_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t ndepth = pd->code.is_flat ? s->ic * prim__conv_taps(s) : 1;
    const size_t bytes = (size_t)ndepth * sizeof(ocl_conv_igemm_step_t);
    ocl_conv_igemm_step_t *const table = prim__calloc(bytes);
    if (!table) return prim__fail_memory(bytes);
    prim_dim_t data[5], weights[6];
    prim__conv_data_strides(data, prim__pd_md(&pd->base, PRIM_ARG_SRC));
    prim__conv_weights_strides(weights, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    if (pd->code.is_flat) prim__ocl_conv_igemm_list_depth(table, s, data, weights);
    const prim_status_t st = prim__ocl_primitive_add_data(p, table, bytes);
    prim__free(table);
    return st;
}

prim_status_t prim__ocl_conv_igemm_init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_conv_igemm_pd_t *const pd = (const ocl_conv_igemm_pd_t *)primitive->pd;
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_options(&options, &pd->base);
    prim__ocl_conv_igemm_options(&options, &pd->plan, &pd->code, device);
    prim__ocl_post_ops_options(&options, &pd->base, true);
    TRY(prim__ocl_conv_igemm_add(p, &options, &pd->plan));
    if (pd->plan.nsplits > 1)
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_conv_igemm_sum_cl, &options, "conv_igemm_sum"));
    TRY(add_depth(p, pd));
    if (!pd->code.sizes_by_value) TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    return prim__ocl_primitive_add_post_ops(p);
}

prim_status_t prim__ocl_conv_igemm_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_conv_igemm_pd_t *const pd = (const ocl_conv_igemm_pd_t *)primitive->pd;
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_conv_igemm_args_sizes(&args, p);
    prim__ocl_args_buffer(&args, p->data[OCL_CONV_IGEMM_DEPTH]);
    for (int i = 0; i < 4; ++i) prim__ocl_args_tensor(&args, ctx, tensors[i]);
    prim__ocl_conv_igemm_args_partial(&args, ctx, pd);
    prim__ocl_conv_args_quant(&args, ctx, p->base.pd);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_conv_igemm_range(&pd->plan, pd->shape.g);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return pd->plan.nsplits > 1 ? prim__ocl_conv_igemm_sum(p, ctx) : PRIM_SUCCESS;
}

const impl_t prim__ocl_conv_igemm = {
        .name = "ocl:conv:igemm",
        .pd_size = sizeof(ocl_conv_igemm_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_conv_igemm_init,
        .execute = prim__ocl_conv_igemm_execute,
        .fini = prim__ocl_primitive_fini,
};
