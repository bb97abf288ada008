// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution on GPUs: windows slide down the rows of src, which are loaded once.
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_depthwise_sliding_data.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_conv.h"
#include "ocl_conv_depthwise_sliding_plan.h"

extern const ocl_source_t prim__ocl_conv_depthwise_sliding_cl;
extern const impl_t prim__ocl_conv_depthwise_sliding;

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool channels_run;
    ocl_conv_depthwise_sliding_plan_t plan;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t require_shape(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    REQUIRE(pd, s->nspatial < 3, "three spatial dimensions; this variant takes one or two");
    REQUIRE(pd, prim__ocl_conv_depthwise_sliding_fits(s),
            "a kernel of %lld×%lld does not fit registers: at most 49 taps, 7 in a row",
            (long long)s->kernel[CONV_H], (long long)s->kernel[CONV_W]);
    for (int d = CONV_H; d < CONV_NSPATIAL; ++d) {
        REQUIRE(pd, s->dilation[d] == 1 || s->kernel[d] == 1, "the kernel is dilated");
        REQUIRE(pd, s->stride[d] <= 4, "stride %lld is above 4", (long long)s->stride[d]);
    }
    return PRIM_SUCCESS;
}

/// Whether dimension `run` has stride 1, and all others multiples of `elems`.
static bool has_strides_of(const prim_memory_desc_t *md, int run, prim_dim_t elems)
{
    for (int d = 0; d < md->ndims; ++d)
        if (d != run && md->dims[d] > 1 && md->strides[d] % elems != 0) return false;
    return md->strides[run] == 1;
}

/// Whether the other convolutions of a network in this type run on matrix units, which read
/// channels last: the layout of its activations then, so that nothing is copied between layers.
static bool has_neighbours_channels_last(const prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    return (type == PRIM_F16 || type == PRIM_BF16) &&
           prim__ocl_device_trusts_type(pd->engine, OCL_FEATURE_MMA_SYNC_F16, type);
}

/// Weights follow src: channels contiguous where those of src are.
static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const weights_last[] = {"dbca", "debca"};
    if (has_neighbours_channels_last(pd)) TRY(prim__conv_set_channels_last(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const like =
            prim__md_is_any(src) ? prim__pd_md(pd, PRIM_ARG_DST) : src;
    if (s->g > 1 && !prim__md_is_any(like) && prim__ocl_conv_is_last(like))
        TRY(prim__md_set_tag_if_any(
                prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), weights_last[s->nspatial - 1]));
    return prim__conv_set_row_major(pd);
}

/// Channels that make vectors of src and dst; 0 where they are not contiguous.
static int most_vector_channels(const conv_pd_t *pd)
{
    if (!pd->channels_run) return 0;
    for (int vec = 4; vec > 1; vec /= 2)
        if (has_strides_of(prim__pd_md(&pd->base, PRIM_ARG_SRC), 1, vec) &&
                has_strides_of(prim__pd_md(&pd->base, PRIM_ARG_DST), 1, vec))
            return vec;
    return 1;
}

/// Columns of a work-item that make vectors of rows of src and dst; 1 if they do not.
static int vector_columns(const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DST);
    const prim_dim_t width = s->out[CONV_W], pad = s->pad[CONV_W], stride = s->stride[CONV_W];
    if (pd->channels_run || stride > 2 || pad < 0 || pad >= s->kernel[CONV_W]) return 1;
    if (width * stride > s->in[CONV_W]) return 1;
    for (int columns = 4; columns > 1; columns /= 2) {
        if (width % columns == 0 && has_strides_of(dst, dst->ndims - 1, columns) &&
                has_strides_of(src, src->ndims - 1, columns * stride))
            return columns;
    }
    return 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(require_shape(base, &pd->shape));
    TRY(prim__ocl_conv_require_typed(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, &pd->shape));
    TRY(set_layouts(base, &pd->shape));
    TRY(prim__ocl_conv_require_plain(base));
    REQUIRE(base, !prim__ocl_conv_is_exact(base),
            "integers must be summed exactly; this variant accumulates in f32");
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    pd->channels_run = pd->shape.g > 1 && prim__pd_md(base, PRIM_ARG_SRC)->strides[1] == 1 &&
                       dst->strides[1] == 1;
    pd->plan = prim__ocl_conv_depthwise_sliding_plan(
            device, &pd->shape, most_vector_channels(pd), vector_columns(pd));
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: `conv:depthwise` computes vectors there");
    return PRIM_SUCCESS;
}

/// Whether a work-item's channels of a tap are a vector; `strides`: of
/// prim__conv_weights_strides().
static bool weights_run(const conv_pd_t *pd, const prim_dim_t *strides)
{
    return strides[0] == 1 && strides[3 + CONV_H] % pd->plan.vec == 0 &&
           strides[3 + CONV_W] % pd->plan.vec == 0;
}

static prim_status_t init(prim_t *primitive)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const conv_shape_t *const s = &pd->shape;
    prim_dim_t weights[6];
    prim__conv_weights_strides(weights, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_options(&options, &pd->base);
    prim__ocl_options_int(&options, "KH", s->kernel[CONV_H]);
    prim__ocl_options_int(&options, "KW", s->kernel[CONV_W]);
    prim__ocl_options_int(&options, "SH", s->stride[CONV_H]);
    prim__ocl_options_int(&options, "SW", s->stride[CONV_W]);
    prim__ocl_options_int(&options, "TH", pd->plan.th);
    prim__ocl_options_int(&options, "TW", pd->plan.tw);
    if (!pd->channels_run && pd->plan.tw > 1) {
        prim__ocl_options_int(&options, "PW", s->pad[CONV_W]);
        prim__ocl_options_int(&options, "MIDDLE", (int64_t)s->stride[CONV_W] * pd->plan.tw);
        prim__ocl_options_int(&options, "RAGGED", 0);
    }
    prim__ocl_options_int(&options, "CHANNELS_RUN", pd->channels_run);
    prim__ocl_options_int(&options, "VEC", pd->plan.vec);
    if (pd->plan.vec > 1) prim__ocl_options_int(&options, "WEI_RUN", weights_run(pd, weights));
    prim__ocl_post_ops_options(&options, &pd->base, true);
    ocl_conv_depthwise_sliding_data_t data = {.geo = prim__ocl_conv_geo(&pd->base, false, false),
            .wei_c = weights[0],
            .wei_h = weights[3 + CONV_H],
            .wei_w = weights[3 + CONV_W],
            .nitems = pd->plan.nitems,
            .channels = prim__ocl_divisor((int32_t)(s->g / pd->plan.vec)),
            .bands = prim__ocl_divisor((int32_t)pd->plan.nbands),
            .columns = prim__ocl_divisor((int32_t)pd->plan.ncolumns),
            .quant = prim__ocl_conv_quant(&pd->base)};
    return prim__ocl_single_init(primitive, &options, &prim__ocl_conv_depthwise_sliding_cl,
            "conv_depthwise_sliding", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST, 0};
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    prim__ocl_conv_args_quant(&args, ctx, &pd->base);
    return prim__ocl_single_run(primitive, ctx, &args, pd->plan.nitems);
}

const impl_t prim__ocl_conv_depthwise_sliding = {
        .name = "ocl:conv:depthwise_sliding",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
