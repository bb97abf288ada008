// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias on CPU-type devices, floats, plain layouts: an
// implicit matrix product of panels that each work-item packs.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_conv_backward_weights.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_packed_cpu_cl;
extern const impl_t prim__ocl_conv_backward_weights_packed_cpu;

/// A tile of channels × columns, and pixels that are packed at a time.
enum { BM = 64, BN = 128, DEPTH = 128 };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    int lanes;
    bool dst_runs, src_runs;
    ocl_conv_splits_t splits;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Work-items for all cores, so that none waits long for the last one, each with the same number of
/// pixels.
static void choose_splits(conv_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    const int64_t npixels = s->mb * prim__conv_out_elems(s);
    const int64_t nblocks = prim__ceil_div(npixels, DEPTH);
    pd->splits.ntiles_m = (int32_t)prim__ceil_div(s->oc, BM);
    pd->splits.ntiles_n = (int32_t)prim__ceil_div(s->ic * prim__conv_taps(s), BN);
    const int64_t ntiles = s->g * pd->splits.ntiles_m * pd->splits.ntiles_n;
    const int64_t items = prim__ocl_estimate_core_items(prim__ocl_device(pd->base.engine));
    const int64_t wanted = prim__ceil_div(nblocks, prim__ceil_div(items, ntiles));
    const int64_t most = OCL_LONGEST_SUM / DEPTH;
    prim__ocl_conv_splits_book(
            &pd->splits, &pd->base, s, npixels, (wanted < most ? wanted : most) * DEPTH);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *pd = (conv_pd_t *)base;
    const conv_shape_t *s = &pd->shape;
    // Channels side by side are packed by vectors.
    TRY(prim__conv_set_channels_last(base));
    TRY(prim__conv_set_row_major(base));
    TRY(prim__ocl_conv_backward_weights_check(base, &pd->shape));
    const ocl_device_t *device = prim__ocl_device(base->engine);
    const int native = device->native_width_f32;
    pd->lanes = native >= 16 ? 16 : native >= 8 ? 8 : 4;
    pd->dst_runs = prim__pd_md(base, PRIM_ARG_DIFF_DST)->strides[1] == 1 && s->oc > 1;
    pd->src_runs = prim__pd_md(base, PRIM_ARG_SRC)->strides[1] == 1 && s->ic > 1;
    choose_splits(pd);
    PREFER_OTHER_UNLESS(base, device->is_cpu,
            "the device is a GPU: variants that stage tiles in local memory are faster");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *p = (ocl_primitive_t *)primitive;
    const conv_pd_t *pd = (const conv_pd_t *)primitive->pd;
    ocl_options_t options, own;
    prim__ocl_options_init(&options);
    prim__ocl_conv_backward_weights_options(&options, &pd->base, pd->src_runs);
    own = options;
    prim__ocl_options_int(&own, "BM", BM);
    prim__ocl_options_int(&own, "BN", BN);
    prim__ocl_options_int(&own, "LANES", pd->lanes);
    prim__ocl_options_int(&own, "DST_RUNS", pd->dst_runs);
    prim__ocl_options_int(&own, "SRC_RUNS", pd->src_runs);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_conv_backward_weights_packed_cpu_cl, &own,
            "conv_backward_weights_packed_cpu"));
    const ocl_conv_backward_weights_data_t data =
            prim__ocl_conv_backward_weights_data(&pd->base, &pd->splits);
    return prim__ocl_conv_backward_weights_add(p, &data, sizeof data, &options);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *pd = (const conv_pd_t *)primitive->pd;
    const ocl_conv_splits_t *splits = &pd->splits;
    ocl_args_t args;
    prim__ocl_conv_backward_weights_args(&args, ctx, p, splits);
    const ocl_range_t range = prim__ocl_range_3d(
            pd->shape.g * splits->ntiles_m * splits->ntiles_n, splits->nsplits, 1, 1, 1, 1);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_conv_backward_weights_sum(p, ctx, splits);
}

const impl_t prim__ocl_conv_backward_weights_packed_cpu = {
        .name = "ocl:conv:backward_weights_packed_cpu",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
