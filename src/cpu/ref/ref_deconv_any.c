// SPDX-License-Identifier: Apache-2.0
// ref:deconv:any: every valid deconvolution, one double-precision sum for each element of dst.
#include "common/data_type.h"
#include "common/deconv_shape.h"
#include "ref_finish.h"

typedef struct {
    conv_shape_t shape;
    const prim_memory_desc_t *src_md, *wei_md, *bias_md;
    const void *src, *wei, *bias;
    ref_quant_t src_scale, wei_scale, src_zero;
    ref_finish_t finish;
} run_t;

/// One element of dst, and the elements of src and the weights that the sum is at.
typedef struct {
    const run_t *run;
    prim_dim_t out[CONV_NSPATIAL], group;
    prim_dims_t src_at, wei_at;
} sum_t;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__deconv_take_direct(pd));
    TRY(prim__ref_require_types(pd));
    return prim__conv_set_row_major(pd);
}

/// Moves to a tap of spatial dimension `s`; false where no element of src reaches the output by it.
static bool meet(sum_t *sum, int s, prim_dim_t tap)
{
    const conv_shape_t *const shape = &sum->run->shape;
    const prim_dim_t way = sum->out[s] + shape->pad[s] - tap * shape->dilation[s];
    if (way < 0 || way % shape->stride[s] != 0) return false;
    const prim_dim_t in = way / shape->stride[s];
    const int dim = s - (CONV_NSPATIAL - shape->nspatial);
    if (dim >= 0) {
        sum->src_at[2 + dim] = in;
        sum->wei_at[shape->has_groups + 2 + dim] = tap;
    }
    return in < shape->in[s];
}

/// Σ over the input channels of the group for the tap that the positions stand at.
static double sum_channels(sum_t *sum)
{
    const run_t *const run = sum->run;
    const prim_dim_t ic = run->shape.ic;
    const int i_dim = run->shape.has_groups + 1;
    double result = 0;
    for (prim_dim_t c = 0; c < ic; ++c) {
        sum->src_at[1] = sum->group * ic + c;
        sum->wei_at[i_dim] = c;
        const double x = prim__load(
                run->src, run->src_md->data_type, prim__md_offset(run->src_md, sum->src_at));
        const double w = prim__load(
                run->wei, run->wei_md->data_type, prim__md_offset(run->wei_md, sum->wei_at));
        result += (x - prim__ref_quant_at(&run->src_zero, sum->src_at, 0)) * w;
    }
    return result;
}

static double sum_taps(sum_t *sum)
{
    const prim_dim_t *const kernel = sum->run->shape.kernel;
    double result = 0;
    for (prim_dim_t d = 0; d < kernel[CONV_D]; ++d) {
        if (!meet(sum, CONV_D, d)) continue;
        for (prim_dim_t h = 0; h < kernel[CONV_H]; ++h) {
            if (!meet(sum, CONV_H, h)) continue;
            for (prim_dim_t w = 0; w < kernel[CONV_W]; ++w)
                if (meet(sum, CONV_W, w)) result += sum_channels(sum);
        }
    }
    return result;
}

static void compute_element(const prim_dim_t *position, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->shape;
    sum_t sum = {.run = run, .group = position[1] / s->oc, .src_at = {position[0]}};
    if (s->has_groups) sum.wei_at[0] = sum.group;
    sum.wei_at[s->has_groups] = position[1] % s->oc;
    for (int i = 0; i < s->nspatial; ++i)
        sum.out[CONV_NSPATIAL - s->nspatial + i] = position[2 + i];

    double x = sum_taps(&sum);
    x *= prim__ref_quant_at(&run->src_scale, position, 1);
    x *= prim__ref_quant_at(&run->wei_scale, sum.wei_at, 1);
    if (run->bias)
        x += prim__load(
                run->bias, run->bias_md->data_type, prim__md_offset(run->bias_md, &position[1]));
    prim__ref_finish_store(&run->finish, x, position);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    run_t run = {.src_md = prim__pd_md(pd, PRIM_ARG_SRC),
            .wei_md = prim__pd_md(pd, PRIM_ARG_WEIGHTS),
            .bias_md = prim__pd_md(pd, PRIM_ARG_BIAS),
            .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .wei = prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS),
            .bias = prim__ref_pointer_if_any(ctx, pd, PRIM_ARG_BIAS)};
    prim__conv_shape(&run.shape, pd);
    prim__ref_scales_init(&run.src_scale, pd, ctx, PRIM_ARG_SRC, run.src_md);
    prim__ref_scales_init(&run.wei_scale, pd, ctx, PRIM_ARG_WEIGHTS, run.wei_md);
    prim__ref_zero_points_init(&run.src_zero, pd, ctx, PRIM_ARG_SRC, run.src_md);
    prim__ref_finish_init(&run.finish, pd, ctx);

    const prim_memory_desc_t *const dst_md = prim__pd_md(pd, PRIM_ARG_DST);
    prim__ref_for_each(dst_md, compute_element, &run);
    prim__ref_clear_padding(run.finish.dst, dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_deconv_any = {
        .name = "ref:deconv:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
