// SPDX-License-Identifier: Apache-2.0
// ref:conv:any: every valid convolution, one double-precision sum for each element of dst.
#include "common/data_type.h"
#include "ref_conv.h"
#include "ref_finish.h"

typedef struct {
    conv_shape_t shape;
    const prim_memory_desc_t *src_md, *wei_md, *bias_md;
    ref_conv_table_t src, wei;
    const void *bias;
    ref_quant_t src_scale, wei_scale, src_zero, wei_zero;
    ref_finish_t finish;
} run_t;

/// Σ over the input channels of group `g` for one tap: `src` and `wei` are the offsets of the tap's
/// elements in channel 0 of the group, `at` is the image and a place for the channel.
static double sum_channels(
        const run_t *run, prim_dim_t g, prim_dim_t src, prim_dim_t wei, prim_dim_t *at)
{
    const prim_dim_t ic = run->shape.ic;
    const bool has_zero = run->src_zero.values || run->wei_zero.values;
    const prim_dims_t origin = {0};
    double sum = 0;
    for (prim_dim_t c = 0; c < ic; ++c) {
        double x = prim__load(
                run->src.base, run->src.data_type, src + run->src.of[DATA_CHANNEL][g * ic + c]);
        double w = prim__load(run->wei.base, run->wei.data_type, wei + run->wei.of[WEI_INPUT][c]);
        if (has_zero) {
            at[1] = g * ic + c;
            x -= prim__ref_quant_at(&run->src_zero, at, 0);
            w -= prim__ref_quant_at(&run->wei_zero, origin, 0);
        }
        sum += x * w;
    }
    return sum;
}

/// The input index a tap of a spatial dimension looks at, −1 in the padding.
static prim_dim_t input_index(const conv_shape_t *shape, int s, prim_dim_t out, prim_dim_t tap)
{
    const prim_dim_t in = out * shape->stride[s] + tap * shape->dilation[s] - shape->pad[s];
    return in >= 0 && in < shape->in[s] ? in : -1;
}

static double sum_taps(const run_t *run, prim_dim_t image, prim_dim_t g, prim_dim_t wei_origin,
        const prim_dim_t out[CONV_NSPATIAL])
{
    const conv_shape_t *s = &run->shape;
    prim_dims_t at = {image};
    const prim_dim_t src_origin = prim__md_offset(run->src_md, at);
    double sum = 0;
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd) {
        const prim_dim_t id = input_index(s, CONV_D, out[CONV_D], kd);
        for (prim_dim_t kh = 0; kh < s->kernel[CONV_H] && id >= 0; ++kh) {
            const prim_dim_t ih = input_index(s, CONV_H, out[CONV_H], kh);
            for (prim_dim_t kw = 0; kw < s->kernel[CONV_W] && ih >= 0; ++kw) {
                const prim_dim_t iw = input_index(s, CONV_W, out[CONV_W], kw);
                if (iw < 0) continue;
                const prim_dim_t src = src_origin + run->src.of[DATA_SPATIAL + CONV_D][id] +
                                       run->src.of[DATA_SPATIAL + CONV_H][ih] +
                                       run->src.of[DATA_SPATIAL + CONV_W][iw];
                const prim_dim_t wei = wei_origin + run->wei.of[WEI_SPATIAL + CONV_D][kd] +
                                       run->wei.of[WEI_SPATIAL + CONV_H][kh] +
                                       run->wei.of[WEI_SPATIAL + CONV_W][kw];
                sum += sum_channels(run, g, src, wei, at);
            }
        }
    }
    return sum;
}

static void compute_element(const prim_dim_t *position, void *arg)
{
    const run_t *run = arg;
    const conv_shape_t *s = &run->shape;
    const prim_dim_t g = position[1] / s->oc, o = position[1] % s->oc;
    prim_dims_t wei_at = {0};
    if (s->has_groups) wei_at[0] = g;
    wei_at[s->has_groups] = o;
    prim_dim_t out[CONV_NSPATIAL] = {0};
    for (int i = 0; i < s->nspatial; ++i) out[CONV_NSPATIAL - s->nspatial + i] = position[2 + i];

    double x = sum_taps(run, position[0], g, prim__md_offset(run->wei_md, wei_at), out);
    x *= prim__ref_quant_at(&run->src_scale, position, 1);
    x *= prim__ref_quant_at(&run->wei_scale, wei_at, 1);
    if (run->bias)
        x += prim__load(
                run->bias, run->bias_md->data_type, prim__md_offset(run->bias_md, &position[1]));
    prim__ref_finish_store(&run->finish, x, position);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    run_t run = {0};
    prim__conv_shape(&run.shape, pd);
    run.src_md = prim__pd_md(pd, PRIM_ARG_SRC);
    run.wei_md = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    run.bias = prim__ref_pointer_if_any(ctx, pd, PRIM_ARG_BIAS);
    run.bias_md = prim__pd_md(pd, PRIM_ARG_BIAS);
    const prim_memory_desc_t *dst_md = prim__pd_md(pd, PRIM_ARG_DST);

    prim_dim_t *room = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    prim__ref_conv_data_table(&run.src, &room, pd, ctx, PRIM_ARG_SRC);
    prim__ref_conv_weights_table(&run.wei, &room, pd, ctx, PRIM_ARG_WEIGHTS);
    prim__ref_scales_init(&run.src_scale, pd, ctx, PRIM_ARG_SRC, run.src_md);
    prim__ref_scales_init(&run.wei_scale, pd, ctx, PRIM_ARG_WEIGHTS, run.wei_md);
    prim__ref_zero_points_init(&run.src_zero, pd, ctx, PRIM_ARG_SRC, run.src_md);
    prim__ref_zero_points_init(&run.wei_zero, pd, ctx, PRIM_ARG_WEIGHTS, run.wei_md);
    prim__ref_finish_init(&run.finish, pd, ctx);

    prim__ref_for_each(dst_md, compute_element, &run);
    prim__ref_clear_padding(run.finish.dst, dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_conv_any = {
        .name = "ref:conv:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_conv_init_pd,
        .execute = execute,
};
