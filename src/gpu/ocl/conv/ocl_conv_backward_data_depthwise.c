// SPDX-License-Identifier: Apache-2.0
// The gradient of a depthwise convolution by src on GPUs: tiles of diff_src slide down the rows of
// diff_dst, which are loaded once. Strides are in the kernel: no phase is a launch of its own.
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_backward_data_depthwise_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_conv.h"
#include "ocl_conv_backward_data_depthwise_plan.h"

extern const ocl_source_t prim__ocl_conv_backward_data_depthwise_cl;
extern const impl_t prim__ocl_conv_backward_data_depthwise;

enum { MOST_STRIDE = 4 };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool channels_run;
    ocl_conv_backward_data_depthwise_plan_t plan;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t require_shape(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->g > 1 && s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    REQUIRE(pd, s->nspatial < 3, "three spatial dimensions; this variant takes one or two");
    REQUIRE(pd, prim__ocl_conv_backward_data_depthwise_fits(s),
            "a kernel of %lld×%lld does not fit registers: at most 49 taps, 11 in a row",
            (long long)s->kernel[CONV_H], (long long)s->kernel[CONV_W]);
    for (int d = CONV_H; d < CONV_NSPATIAL; ++d) {
        REQUIRE(pd, s->dilation[d] == 1 || s->kernel[d] == 1, "the kernel is dilated");
        REQUIRE(pd, s->stride[d] <= MOST_STRIDE, "stride %lld is above 4", (long long)s->stride[d]);
    }
    return PRIM_SUCCESS;
}

/// Weights follow the data: channels contiguous where those of the data are.
static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const weights_last[] = {"dbca", "debca"};
    const prim_memory_desc_t *const diff_src = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    const prim_memory_desc_t *const like =
            prim__md_is_any(diff_src) ? prim__pd_md(pd, PRIM_ARG_DIFF_DST) : diff_src;
    if (!prim__md_is_any(like) && prim__ocl_conv_is_last(like))
        TRY(prim__md_set_tag_if_any(
                prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), weights_last[s->nspatial - 1]));
    return prim__conv_set_row_major(pd);
}

/// Whether strides other than that of channels, which are contiguous, are multiples of `vec`.
static bool has_vectors(const prim_memory_desc_t *md, prim_dim_t vec)
{
    for (int d = 0; d < md->ndims; ++d)
        if (d != 1 && md->dims[d] > 1 && md->strides[d] % vec != 0) return false;
    return md->strides[1] == 1;
}

/// Channels that make vectors of both data tensors; 0 where they are not contiguous.
static int most_vector_channels(const conv_pd_t *pd)
{
    if (!pd->channels_run) return 0;
    for (int vec = 4; vec > 1; vec /= 2)
        if (has_vectors(prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC), vec) &&
                has_vectors(prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST), vec))
            return vec;
    return 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(prim__conv_require_no_bias(base));
    TRY(require_shape(base, &pd->shape));
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, &pd->shape));
    TRY(set_layouts(base, &pd->shape));
    TRY(prim__ocl_conv_require_plain_gradient(base));
    pd->channels_run = prim__pd_md(base, PRIM_ARG_DIFF_SRC)->strides[1] == 1 &&
                       prim__pd_md(base, PRIM_ARG_DIFF_DST)->strides[1] == 1;
    pd->plan = prim__ocl_conv_backward_data_depthwise_plan(
            device, &pd->shape, most_vector_channels(pd));
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: `conv:depthwise`, nested, computes vectors there");
    return PRIM_SUCCESS;
}

static void fill_strides(ocl_conv_backward_data_depthwise_data_t *data, const prim_desc_t *pd)
{
    prim_dim_t dst[5], src[5], wei[6];
    prim__conv_data_strides(dst, prim__pd_md(pd, PRIM_ARG_DIFF_DST));
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_DIFF_SRC));
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_WEIGHTS), true);
    data->dst_n = dst[0];
    data->dst_c = dst[1];
    data->dst_h = dst[2 + CONV_H];
    data->dst_w = dst[2 + CONV_W];
    data->src_n = src[0];
    data->src_c = src[1];
    data->src_h = src[2 + CONV_H];
    data->src_w = src[2 + CONV_W];
    data->wei_c = wei[0];
    data->wei_h = wei[3 + CONV_H];
    data->wei_w = wei[3 + CONV_W];
}

static prim_status_t init(prim_t *primitive)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const conv_shape_t *const s = &pd->shape;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(
            &options, "DIFF_DST", prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(&options, "WEI", prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_type(
            &options, "DIFF_SRC", prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(&options, "KH", s->kernel[CONV_H]);
    prim__ocl_options_int(&options, "KW", s->kernel[CONV_W]);
    prim__ocl_options_int(&options, "SH", s->stride[CONV_H]);
    prim__ocl_options_int(&options, "SW", s->stride[CONV_W]);
    prim__ocl_options_int(&options, "TH", pd->plan.th);
    prim__ocl_options_int(&options, "TW", pd->plan.tw);
    prim__ocl_options_int(&options, "CHANNELS_RUN", pd->channels_run);
    prim__ocl_options_int(&options, "VEC", pd->plan.vec);
    ocl_conv_backward_data_depthwise_data_t data = {.nitems = pd->plan.nitems,
            .channels = prim__ocl_divisor((int32_t)(s->g / pd->plan.vec)),
            .bands = prim__ocl_divisor((int32_t)pd->plan.nbands),
            .columns = prim__ocl_divisor((int32_t)pd->plan.ncolumns),
            .in_h = (int32_t)s->in[CONV_H],
            .in_w = (int32_t)s->in[CONV_W],
            .out_h = (int32_t)s->out[CONV_H],
            .out_w = (int32_t)s->out[CONV_W],
            .pad_h = (int32_t)s->pad[CONV_H],
            .pad_w = (int32_t)s->pad[CONV_W]};
    fill_strides(&data, &pd->base);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_conv_backward_data_depthwise_cl,
            "conv_backward_data_depthwise", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC, 0};
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args, pd->plan.nitems);
}

const impl_t prim__ocl_conv_backward_data_depthwise = {
        .name = "ocl:conv:backward_data_depthwise",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
