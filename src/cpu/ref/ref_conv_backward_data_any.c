// SPDX-License-Identifier: Apache-2.0
// ref:conv:backward_data_any: the gradient of every valid convolution by src, one
// double-precision sum for each element of diff_src.
#include "common/data_type.h"
#include "ref_conv.h"
#include "ref_finish.h"

typedef struct {
    conv_shape_t shape;
    ref_conv_table_t diff_dst, wei, diff_src;
} run_t;

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__conv_require_no_bias(pd));
    return prim__ref_conv_init_pd(pd);
}

/// The index of dst whose window has its tap `tap` on index `in` of src; −1: there is none.
static prim_dim_t output_index(const conv_shape_t *shape, int s, prim_dim_t in, prim_dim_t tap)
{
    const prim_dim_t start = in + shape->pad[s] - tap * shape->dilation[s];
    if (start < 0 || start % shape->stride[s] != 0) return -1;
    const prim_dim_t out = start / shape->stride[s];
    return out < shape->out[s] ? out : -1;
}

/// Σ over the output channels of a group for one tap: offsets of its first channel's elements.
static double sum_channels(const run_t *run, prim_dim_t g, prim_dim_t diff_dst, prim_dim_t wei)
{
    const prim_dim_t *const channels = &run->diff_dst.of[DATA_CHANNEL][g * run->shape.oc];
    double sum = 0;
    for (prim_dim_t o = 0; o < run->shape.oc; ++o)
        sum += prim__load(run->diff_dst.base, run->diff_dst.data_type, diff_dst + channels[o]) *
               prim__load(run->wei.base, run->wei.data_type, wei + run->wei.of[WEI_OUTPUT][o]);
    return sum;
}

static double sum_taps(const run_t *run, prim_dim_t g, prim_dim_t diff_dst, prim_dim_t wei,
        const prim_dim_t in[CONV_NSPATIAL])
{
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t *const *const outs = &run->diff_dst.of[DATA_SPATIAL];
    const prim_dim_t *const *const taps = &run->wei.of[WEI_SPATIAL];
    double sum = 0;
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd) {
        const prim_dim_t od = output_index(s, CONV_D, in[CONV_D], kd);
        for (prim_dim_t kh = 0; kh < s->kernel[CONV_H] && od >= 0; ++kh) {
            const prim_dim_t oh = output_index(s, CONV_H, in[CONV_H], kh);
            for (prim_dim_t kw = 0; kw < s->kernel[CONV_W] && oh >= 0; ++kw) {
                const prim_dim_t ow = output_index(s, CONV_W, in[CONV_W], kw);
                if (ow < 0) continue;
                sum += sum_channels(run, g,
                        diff_dst + outs[CONV_D][od] + outs[CONV_H][oh] + outs[CONV_W][ow],
                        wei + taps[CONV_D][kd] + taps[CONV_H][kh] + taps[CONV_W][kw]);
            }
        }
    }
    return sum;
}

static void compute_element(const prim_dim_t *position, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t g = position[1] / s->ic, i = position[1] % s->ic;
    const ref_conv_table_t *const diff_src = &run->diff_src;
    prim_dim_t in[CONV_NSPATIAL] = {0};
    prim_dim_t offset = diff_src->origin + diff_src->of[DATA_IMAGE][position[0]] +
                        diff_src->of[DATA_CHANNEL][position[1]];
    for (int k = 0; k < s->nspatial; ++k) {
        const int dim = CONV_NSPATIAL - s->nspatial + k;
        in[dim] = position[2 + k];
        offset += diff_src->of[DATA_SPATIAL + dim][in[dim]];
    }
    const prim_dim_t diff_dst = run->diff_dst.origin + run->diff_dst.of[DATA_IMAGE][position[0]];
    const prim_dim_t wei = run->wei.origin + run->wei.of[WEI_GROUP][g] + run->wei.of[WEI_INPUT][i];
    prim__store(diff_src->base, diff_src->data_type, offset, sum_taps(run, g, diff_dst, wei, in));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const diff_src_md = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    prim_dim_t *room = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run;
    prim__conv_shape(&run.shape, pd);
    prim__ref_conv_data_table(&run.diff_dst, &room, pd, ctx, PRIM_ARG_DST);
    prim__ref_conv_weights_table(&run.wei, &room, pd, ctx, PRIM_ARG_WEIGHTS);
    prim__ref_conv_data_table(&run.diff_src, &room, pd, ctx, PRIM_ARG_SRC);
    prim__ref_for_each(diff_src_md, compute_element, &run);
    prim__ref_clear_padding(run.diff_src.base, diff_src_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_conv_backward_data_any = {
        .name = "ref:conv:backward_data_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
