// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias on CPU-type devices, floats, plain layouts: an
// implicit matrix product of panels that each work-item packs.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_conv_backward_weights.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_packed_cpu_cl;
extern const impl_t prim__ocl_conv_backward_weights_packed_cpu;

/// A tile of channels × columns, pixels that are packed at a time, and channels whose splits a
/// work-item adds.
enum { BM = 64, BN = 128, DEPTH = 128, SUM_ROWS = 16 };

enum { KERNEL_PRODUCTS, KERNEL_SUM };

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
    const conv_shape_t *const s = &pd->shape;
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

/// Whether elements of the four dimensions, outermost first, are contiguous.
static bool are_contiguous(const prim_dim_t dims[4], const prim_dim_t strides[4])
{
    prim_dim_t expected = 1;
    bool are = true;
    for (int d = 3; d >= 0; expected *= dims[d--])
        are = are && (dims[d] == 1 || strides[d] == expected);
    return are;
}

/// Whether the columns of the product are in diff_weights.
static bool has_weights_runs(const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t *const k = s->kernel;
    prim_dim_t w[6];
    prim__conv_weights_strides(w, prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS), s->has_groups);
    if (pd->src_runs)
        return are_contiguous(
                (prim_dim_t[]){k[0], k[1], k[2], s->ic}, (prim_dim_t[]){w[3], w[4], w[5], w[2]});
    return are_contiguous(
            (prim_dim_t[]){s->ic, k[0], k[1], k[2]}, (prim_dim_t[]){w[2], w[3], w[4], w[5]});
}

/// Contiguous channels are packed by vectors, and stored by vectors.
static prim_status_t set_layouts(prim_desc_t *pd)
{
    conv_shape_t s;
    TRY(prim__conv_set_channels_last(pd));
    prim__conv_shape(&s, pd);
    if (prim__pd_md(pd, PRIM_ARG_SRC)->strides[1] == 1 && s.ic > 1)
        TRY(prim__conv_set_weights_channels_last(pd));
    return prim__conv_set_row_major(pd);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const conv_shape_t *const s = &pd->shape;
    TRY(set_layouts(base));
    TRY(prim__ocl_conv_backward_weights_check(base, &pd->shape));
    const ocl_device_t *const device = prim__ocl_device(base->engine);
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
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_source_t *const source = &prim__ocl_conv_backward_weights_packed_cpu_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_backward_weights_options(&options, &pd->base, pd->src_runs);
    prim__ocl_options_int(&options, "BM", BM);
    prim__ocl_options_int(&options, "BN", BN);
    prim__ocl_options_int(&options, "SUM_ROWS", SUM_ROWS);
    prim__ocl_options_int(&options, "LANES", pd->lanes);
    prim__ocl_options_int(&options, "DST_RUNS", pd->dst_runs);
    prim__ocl_options_int(&options, "SRC_RUNS", pd->src_runs);
    prim__ocl_options_int(&options, "WEI_RUNS", has_weights_runs(pd));
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_backward_weights_packed_cpu"));
    if (pd->splits.nsplits > 1)
        TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_backward_weights_sum_cpu"));
    const ocl_conv_backward_weights_data_t data =
            prim__ocl_conv_backward_weights_data(&pd->base, &pd->splits);
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

/// Adds the splits.
static prim_status_t sum(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    const ocl_conv_splits_t *const splits = &pd->splits;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, splits->partial_offset, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_BIAS);
    const ocl_range_t range = prim__ocl_range_3d(
            pd->shape.g * splits->ntiles_m * splits->ntiles_n, BM / SUM_ROWS, 1, 1, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[KERNEL_SUM], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_conv_splits_t *const splits = &pd->splits;
    ocl_args_t args;
    prim__ocl_conv_backward_weights_args(&args, ctx, p, splits);
    const ocl_range_t range = prim__ocl_range_3d(
            pd->shape.g * splits->ntiles_m * splits->ntiles_n, splits->nsplits, 1, 1, 1, 1);
    TRY(prim__ocl_launch(ctx, p->kernels[KERNEL_PRODUCTS], &range, &args));
    return splits->nsplits > 1 ? sum(p, ctx) : PRIM_SUCCESS;
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
