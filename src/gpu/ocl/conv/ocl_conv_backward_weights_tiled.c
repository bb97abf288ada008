// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias on GPUs, floats, plain layouts: an implicit matrix
// product in local and register tiles.
#include <math.h>

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_backward_weights.h"
#include "ocl_conv_backward_weights_tiled.h"
#include "ocl_conv_plan.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_tiled_cl;
extern const impl_t prim__ocl_conv_backward_weights_tiled;

/// The names are those of the .cl.
typedef struct {
    bool dst_runs, src_runs, dst_quads, src_quads, dst_rows, copies_async;
} code_t;

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    code_t code;
    ocl_conv_plan_t plan;
    ocl_conv_splits_t splits;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Whether fours of channels from a multiple of four on are aligned wherever a pixel lies.
static bool has_quads(const prim_memory_desc_t *md, prim_dim_t channels)
{
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, md);
    bool has = strides[1] == 1 && channels % 4 == 0 && strides[0] % 4 == 0;
    for (int d = 2; d < 5; ++d) has = has && strides[d] % 4 == 0;
    return has;
}

/// Whether fours of pixels from a multiple of four on are contiguous and aligned, for each channel.
static bool has_rows(const prim_memory_desc_t *md, const conv_shape_t *s)
{
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, md);
    prim_dim_t next = 1;
    bool has = strides[0] % 4 == 0 && strides[1] % 4 == 0;
    for (int d = CONV_W; d >= CONV_D; --d) {
        has = has && (s->out[d] == 1 || strides[2 + d] == next);
        next *= s->out[d];
    }
    return has && next % 4 == 0;
}

static void choose_code(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST);
    const bool are_f32 = src->data_type == PRIM_F32 && dst->data_type == PRIM_F32;
    pd->code = (code_t){.dst_runs = dst->strides[1] == 1 && s->oc > 1,
            .src_runs = src->strides[1] == 1 && s->ic > 1,
            .dst_quads = dst->data_type == PRIM_F32 && has_quads(dst, s->oc),
            .dst_rows = dst->data_type == PRIM_F32 && dst->strides[1] != 1 && has_rows(dst, s),
            .src_quads = src->data_type == PRIM_F32 && has_quads(src, s->ic),
            .copies_async =
                    are_f32 && prim__ocl_device_trusts(pd->base.engine, OCL_FEATURE_ASYNC_COPY)};
}

/// Local memory for the stages: without the table of columns, and what rows are longer for the
/// banks.
static size_t stage_bytes(const prim_engine_t *engine, bool copies_async)
{
    enum { TABLE = 16 * 128, LONGER = 4 * 3 * 4 * (128 + 32) };
    const size_t told = copies_async ? prim__ocl_feature_local_bytes(engine)
                                     : prim__ocl_device(engine)->local_bytes;
    return told > TABLE + LONGER ? told - TABLE - LONGER : 1;
}

static ocl_conv_product_t product_of(const conv_shape_t *s, size_t pipeline_bytes)
{
    return (ocl_conv_product_t){.g = s->g,
            .m = s->oc,
            .n = s->ic * prim__conv_taps(s),
            .ntaps = 1,
            .channels = s->mb * prim__conv_out_elems(s),
            .is_flat = true,
            .may_split = true,
            .longest = OCL_LONGEST_SUM,
            .pipeline_bytes = pipeline_bytes};
}

double prim__ocl_conv_weights_tiled_cycles(const prim_desc_t *pd)
{
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    const bool is_f32 = prim__pd_md(pd, PRIM_ARG_SRC)->data_type == PRIM_F32;
    const ocl_conv_product_t product = product_of(&s, stage_bytes(pd->engine, is_f32));
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    // Of 16 bits, work-items load element by element and convert.
    const double slower = is_f32 ? 1
                                 : prim__ocl_measured(device,
                                           MEASURED_CONV_BACKWARD_WEIGHTS_TILED_SLOWER_SHORT, 2);
    ocl_conv_plan_t plan;
    return prim__ocl_conv_plan(&plan, NULL, device, &product)
                   ? prim__ocl_conv_plan_slowed(device, &plan, slower)
                   : INFINITY;
}

static prim_status_t choose_plan(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const ocl_conv_product_t product =
            product_of(s, stage_bytes(pd->base.engine, pd->code.copies_async));
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &pd->base, OCL_CONV_PLAN_PARAMS);
    REQUIRE(&pd->base,
            prim__ocl_conv_plan(&pd->plan, &tune, prim__ocl_device(pd->base.engine), &product),
            "no tile fits the work-groups and the local memory of the device");
    pd->splits.ntiles_m = pd->plan.ntiles_m;
    pd->splits.ntiles_n = pd->plan.ntiles_n;
    prim__ocl_conv_splits_book(&pd->splits, &pd->base, s, s->mb * prim__conv_out_elems(s),
            (int64_t)pd->plan.split_slices * pd->plan.bk);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    TRY(prim__conv_set_row_major(base));
    TRY(prim__ocl_conv_backward_weights_check(base, &pd->shape));
    choose_code(pd);
    TRY(choose_plan(pd));
    PREFER_OTHER_UNLESS(base, prim__ocl_device(base->engine)->has_dedicated_local,
            "local memory of the device is ordinary memory: copying tiles there gains nothing");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_options_t options, own;
    prim__ocl_options_init(&options);
    // Quads of columns are channels under one tap; else columns are as in weights of layout OIHW.
    prim__ocl_conv_backward_weights_options(&options, &pd->base, pd->code.src_runs);
    own = options;
    prim__ocl_conv_plan_options(&own, &pd->plan, prim__ocl_device(pd->base.engine));
    prim__ocl_options_int(&own, "DST_RUNS", pd->code.dst_runs);
    prim__ocl_options_int(&own, "SRC_RUNS", pd->code.src_runs);
    prim__ocl_options_int(&own, "DST_QUADS", pd->code.dst_quads);
    prim__ocl_options_int(&own, "SRC_QUADS", pd->code.src_quads);
    prim__ocl_options_int(&own, "DST_ROWS", pd->code.dst_rows);
    prim__ocl_options_int(&own, "ASYNC_COPY", pd->code.copies_async);
    prim__ocl_options_int(&own, "COPY_16_KEEPS", 1);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_backward_weights_tiled_cl, &own, "conv_backward_weights_tiled"));
    const ocl_conv_backward_weights_data_t data =
            prim__ocl_conv_backward_weights_data(&pd->base, &pd->splits);
    return prim__ocl_conv_backward_weights_add(p, &data, sizeof data, &pd->splits, &options);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_conv_plan_t *const plan = &pd->plan;
    ocl_args_t args;
    prim__ocl_conv_backward_weights_args(&args, ctx, p, &pd->splits);
    const int64_t ntiles = pd->shape.g * plan->ntiles_m * plan->ntiles_n;
    const ocl_range_t range = prim__ocl_range_3d(
            ntiles * plan->nitems, pd->splits.nsplits, 1, (size_t)plan->nitems, 1, 1);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_conv_backward_weights_sum(p, ctx, &pd->splits);
}

const impl_t prim__ocl_conv_backward_weights_tiled = {
        .name = "ocl:conv:backward_weights_tiled",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
