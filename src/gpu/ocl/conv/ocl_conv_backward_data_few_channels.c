// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src for few channels of src: a work-item computes all channels of
// several pixels, weights come from local memory. Strides are in the kernel: no phase is a launch.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_backward_data_few_channels_data.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_conv.h"
#include "ocl_conv_backward_data_few_channels_plan.h"
#include "ocl_conv_pipeline.h"
#include "ocl_conv_taps.h"
#include "ocl_conv_wgmma_common.h"

extern const ocl_source_t prim__ocl_conv_backward_data_few_channels_cl;
extern const impl_t prim__ocl_conv_backward_data_few_channels;

enum { MOST_CHANNELS = 8, MOST_STRIDE = 4, MOST_TAPS_OF_ROW = 11 };
enum { ITEMS = OCL_CONV_FEW_SRC_ITEMS };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool channels_run;
    int vec;
    ocl_conv_few_src_plan_t plan;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t require_shape(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->g == 1, "%lld groups; this variant takes one", (long long)s->g);
    REQUIRE(pd, s->ic <= MOST_CHANNELS, "diff_src has %lld channels; this variant takes up to 8",
            (long long)s->ic);
    REQUIRE(pd, s->nspatial < 3, "three spatial dimensions; this variant takes one or two");
    for (int d = CONV_H; d < CONV_NSPATIAL; ++d) {
        REQUIRE(pd, s->dilation[d] == 1 || s->kernel[d] == 1, "the kernel is dilated");
        REQUIRE(pd, s->stride[d] <= MOST_STRIDE, "stride %lld is above 4", (long long)s->stride[d]);
        REQUIRE(pd, s->kernel[d] <= MOST_TAPS_OF_ROW,
                "a kernel of %lld×%lld is above 11×11: its taps are unrolled",
                (long long)s->kernel[CONV_H], (long long)s->kernel[CONV_W]);
    }
    REQUIRE(pd, s->oc * prim__conv_taps(s) <= OCL_LONGEST_SUM,
            "OC·KH·KW is more products than one sum of f32 holds without loss");
    return PRIM_SUCCESS;
}

/// Channels last as the convolutions on matrix units in the forward pass, if all is open.
static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const tags[2][2] = {{"acb", "acdb"}, {"abdc", "abdec"}};
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    if (type == PRIM_F16 || type == PRIM_BF16) TRY(prim__conv_set_channels_last(pd));
    const prim_memory_desc_t *const diff_dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    if (!prim__md_is_any(diff_dst) && prim__ocl_conv_is_last(diff_dst))
        TRY(prim__md_set_tag_if_any(
                prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), tags[s->has_groups][s->nspatial - 1]));
    return prim__conv_set_row_major(pd);
}

/// The most channels of diff_dst that make vectors of at most 16 bytes, without a rest.
static int vector_channels(const conv_pd_t *pd)
{
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST);
    int vec = pd->channels_run ? 16 / (int)prim__dt_bytes(md->data_type) : 1;
    if (vec > OCL_CONV_FEW_SRC_MOST_DEPTH) vec = OCL_CONV_FEW_SRC_MOST_DEPTH;
    for (; vec > 1; vec /= 2) {
        bool suits = pd->shape.oc % vec == 0;
        for (int d = 0; d < md->ndims; ++d)
            suits = suits && (d == 1 || md->dims[d] == 1 || md->strides[d] % vec == 0);
        if (suits) break;
    }
    return vec;
}

static prim_status_t choose_tile(conv_pd_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    REQUIRE(&pd->base, prim__ocl_conv_few_src_plan(&pd->plan, device, &pd->shape, pd->vec),
            "local memory does not hold the weights of %d channels", pd->vec);
    REQUIRE(&pd->base,
            device->max_group_items >= ITEMS &&
                    (!device->max_group_item_sizes[0] || device->max_group_item_sizes[0] >= ITEMS),
            "work-groups of the device have less than %d work-items", (int)ITEMS);
    REQUIRE(&pd->base, pd->plan.ngroups * ITEMS < INT32_MAX, "diff_src has 2^31 pixels or more");
    return PRIM_SUCCESS;
}

// ---- The choice --------------------------------------------------------------------------------

static bool is_for_wgmma(const prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    return (type == PRIM_F16 || type == PRIM_BF16) &&
           prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type == type &&
           prim__ocl_conv_wgmma_is_claimed(pd);
}

/// What the matrix product takes that would run instead: `backward_data_wgmma`, or
/// `backward_data_phases`, `backward_data_col2im` and their like for other types.
static double product_cycles(const conv_pd_t *pd)
{
    const prim_engine_t *const engine = pd->base.engine;
    const ocl_device_t *const device = prim__ocl_device(engine);
    if (is_for_wgmma(&pd->base) && pd->channels_run)
        return prim__ocl_conv_few_src_wgmma_cycles(device, &pd->shape,
                prim__ocl_feature_local_bytes(engine),
                (int)prim__dt_bytes(prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->data_type));
    const double phases = prim__ocl_conv_few_src_phases_cycles(
            device, &pd->shape, pd->channels_run ? 0 : prim__ocl_conv_pipeline_bytes(engine));
    if (prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST)->data_type != PRIM_F32) return phases;
    const double taps = prim__ocl_conv_taps_cycles(engine, &pd->shape, true);
    return taps < phases ? taps : phases;
}

/// Where there are few groups or many channels of diff_dst, a matrix product with most of its rows
/// empty is faster all the same.
static prim_status_t prefer_cheaper(conv_pd_t *pd)
{
    const double product = product_cycles(pd);
    PREFER_OTHER_UNLESS(&pd->base, pd->plan.cycles <= product,
            "%.0f cycles; as a matrix product it is expected to take %.0f", pd->plan.cycles,
            product);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(require_shape(base, &pd->shape));
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, &pd->shape));
    TRY(set_layouts(base, &pd->shape));
    TRY(prim__ocl_conv_require_plain_gradient(base));
    const prim_dim_t block_sums = prim__ocl_conv_few_src_block_sums(&pd->shape);
    REQUIRE(base, block_sums <= OCL_CONV_FEW_SRC_MOST_SUMS,
            "%lld sums of a block of pixels do not fit registers: at most 96",
            (long long)block_sums);
    pd->channels_run = prim__pd_md(base, PRIM_ARG_DIFF_DST)->strides[1] == 1;
    pd->vec = vector_channels(pd);
    TRY(choose_tile(pd));
    PREFER_OTHER_UNLESS(base, !prim__ocl_device(base->engine)->is_cpu,
            "the device is CPU-type: convolutions with vectors of pixels are faster there");
    return prefer_cheaper(pd);
}

static void fill_strides(
        ocl_conv_backward_data_few_channels_data_t *data, const prim_desc_t *pd, bool has_groups)
{
    prim_dim_t dst[5], src[5], wei[6];
    prim__conv_data_strides(dst, prim__pd_md(pd, PRIM_ARG_DIFF_DST));
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_DIFF_SRC));
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_WEIGHTS), has_groups);
    data->dst_n = dst[0];
    data->dst_c = dst[1];
    data->dst_h = dst[2 + CONV_H];
    data->dst_w = dst[2 + CONV_W];
    data->src_n = src[0];
    data->src_c = src[1];
    data->src_h = src[2 + CONV_H];
    data->src_w = src[2 + CONV_W];
    data->wei_o = wei[1];
    data->wei_i = wei[2];
    data->wei_h = wei[3 + CONV_H];
    data->wei_w = wei[3 + CONV_W];
}

static void add_options(ocl_options_t *options, const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    prim__ocl_options_init(options);
    prim__ocl_options_type(
            options, "DIFF_DST", prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_weights(options, &pd->base);
    prim__ocl_options_type(
            options, "DIFF_SRC", prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(options, "IC", s->ic);
    prim__ocl_options_int(options, "KH", s->kernel[CONV_H]);
    prim__ocl_options_int(options, "KW", s->kernel[CONV_W]);
    prim__ocl_options_int(options, "SH", s->stride[CONV_H]);
    prim__ocl_options_int(options, "SW", s->stride[CONV_W]);
    prim__ocl_options_int(options, "FH", s->pad[CONV_H] % s->stride[CONV_H]);
    prim__ocl_options_int(options, "FW", s->pad[CONV_W] % s->stride[CONV_W]);
    prim__ocl_options_int(options, "BH", pd->plan.bh);
    prim__ocl_options_int(options, "LX", pd->plan.lx);
    prim__ocl_options_int(options, "LY", pd->plan.ly);
    prim__ocl_options_int(options, "OCC", pd->plan.depth);
    prim__ocl_options_int(options, "CHANNELS_RUN", pd->channels_run);
    prim__ocl_options_int(options, "VEC", pd->vec);
}

static prim_status_t init(prim_t *primitive)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const conv_shape_t *const s = &pd->shape;
    ocl_options_t options;
    add_options(&options, pd);
    ocl_conv_backward_data_few_channels_data_t data = {
            .tiles_w = prim__ocl_divisor((int32_t)pd->plan.tiles_w),
            .tiles_h = prim__ocl_divisor((int32_t)pd->plan.tiles_h),
            .in_h = (int32_t)s->in[CONV_H],
            .in_w = (int32_t)s->in[CONV_W],
            .out_h = (int32_t)s->out[CONV_H],
            .out_w = (int32_t)s->out[CONV_W],
            .pad_h = (int32_t)s->pad[CONV_H],
            .pad_w = (int32_t)s->pad[CONV_W],
            .oc = (int32_t)s->oc};
    fill_strides(&data, &pd->base, s->has_groups);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_conv_backward_data_few_channels_cl,
            "conv_backward_data_few_channels", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {
            PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DIFF_SRC, 0};
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_groups(pd->plan.ngroups, ITEMS);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_conv_backward_data_few_channels = {
        .name = "ocl:conv:backward_data_few_channels",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
