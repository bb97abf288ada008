// SPDX-License-Identifier: Apache-2.0
// ref:conv:backward_weights_any: the gradients of every valid convolution by weights and bias, one
// double-precision sum over images and pixels for each of their elements.
#include "common/data_type.h"
#include "ref_conv.h"
#include "ref_finish.h"

typedef struct {
    conv_shape_t shape;
    ref_conv_table_t src, diff_dst, diff_wei;
    const prim_memory_desc_t *bias_md;
    void *bias;
} run_t;

/// A row of pixels of dst, first to last, each with the pixel of src under the tap: `src` is the
/// offset of the row, `shift` what the tap adds to the index.
static double sum_row(const run_t *run, prim_dim_t src, prim_dim_t diff_dst, prim_dim_t shift,
        prim_dim_t first, prim_dim_t last)
{
    const prim_dim_t stride = run->shape.stride[CONV_W];
    const prim_dim_t *const ins = run->src.of[DATA_SPATIAL + CONV_W];
    const prim_dim_t *const outs = run->diff_dst.of[DATA_SPATIAL + CONV_W];
    double sum = 0;
    for (prim_dim_t o = first; o < last; ++o)
        sum += prim__load(run->src.base, run->src.data_type, src + ins[o * stride + shift]) *
               prim__load(run->diff_dst.base, run->diff_dst.data_type, diff_dst + outs[o]);
    return sum;
}

/// Σ over the pixels of an image for one tap.
static double sum_pixels(
        const run_t *run, prim_dim_t src, prim_dim_t diff_dst, const prim_dim_t tap[CONV_NSPATIAL])
{
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t *const *const ins = &run->src.of[DATA_SPATIAL];
    const prim_dim_t *const *const outs = &run->diff_dst.of[DATA_SPATIAL];
    prim_dim_t first[CONV_NSPATIAL], last[CONV_NSPATIAL], shift[CONV_NSPATIAL];
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        prim__conv_valid_range(s, i, tap[i], &first[i], &last[i]);
        shift[i] = tap[i] * s->dilation[i] - s->pad[i];
    }
    double sum = 0;
    for (prim_dim_t d = first[CONV_D]; d < last[CONV_D]; ++d) {
        const prim_dim_t src_d = src + ins[CONV_D][d * s->stride[CONV_D] + shift[CONV_D]];
        for (prim_dim_t h = first[CONV_H]; h < last[CONV_H]; ++h)
            sum += sum_row(run, src_d + ins[CONV_H][h * s->stride[CONV_H] + shift[CONV_H]],
                    diff_dst + outs[CONV_D][d] + outs[CONV_H][h], shift[CONV_W], first[CONV_W],
                    last[CONV_W]);
    }
    return sum;
}

static void compute_weight(const prim_dim_t *position, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->shape;
    const ref_conv_table_t *const wei = &run->diff_wei;
    const prim_dim_t g = s->has_groups ? position[0] : 0;
    const prim_dim_t o = position[s->has_groups], i = position[s->has_groups + 1];
    prim_dim_t tap[CONV_NSPATIAL] = {0};
    prim_dim_t offset =
            wei->origin + wei->of[WEI_GROUP][g] + wei->of[WEI_OUTPUT][o] + wei->of[WEI_INPUT][i];
    for (int k = 0; k < s->nspatial; ++k) {
        const int dim = CONV_NSPATIAL - s->nspatial + k;
        tap[dim] = position[s->has_groups + 2 + k];
        offset += wei->of[WEI_SPATIAL + dim][tap[dim]];
    }
    double sum = 0;
    for (prim_dim_t n = 0; n < s->mb; ++n)
        sum += sum_pixels(run,
                run->src.origin + run->src.of[DATA_IMAGE][n] +
                        run->src.of[DATA_CHANNEL][g * s->ic + i],
                run->diff_dst.origin + run->diff_dst.of[DATA_IMAGE][n] +
                        run->diff_dst.of[DATA_CHANNEL][g * s->oc + o],
                tap);
    prim__store(wei->base, wei->data_type, offset, sum);
}

static void compute_bias(const prim_dim_t *position, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->shape;
    const ref_conv_table_t *const diff = &run->diff_dst;
    const prim_dim_t *const *const outs = &diff->of[DATA_SPATIAL];
    const prim_dim_t npixels = s->mb * prim__conv_out_elems(s);
    double sum = 0;
    for (prim_dim_t at = 0; at < npixels; ++at) {
        const prim_dim_t w = at % s->out[CONV_W], row = at / s->out[CONV_W];
        const prim_dim_t h = row % s->out[CONV_H], plane = row / s->out[CONV_H];
        const prim_dim_t d = plane % s->out[CONV_D], n = plane / s->out[CONV_D];
        sum += prim__load(diff->base, diff->data_type,
                diff->origin + diff->of[DATA_IMAGE][n] + diff->of[DATA_CHANNEL][position[0]] +
                        outs[CONV_D][d] + outs[CONV_H][h] + outs[CONV_W][w]);
    }
    prim__store(run->bias, run->bias_md->data_type, prim__md_offset(run->bias_md, position), sum);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const diff_wei_md = prim__pd_md(pd, PRIM_ARG_DIFF_WEIGHTS);
    prim_dim_t *room = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run;
    prim__conv_shape(&run.shape, pd);
    prim__ref_conv_data_table(&run.src, &room, pd, ctx, PRIM_ARG_SRC);
    prim__ref_conv_data_table(&run.diff_dst, &room, pd, ctx, PRIM_ARG_DST);
    prim__ref_conv_weights_table(&run.diff_wei, &room, pd, ctx, PRIM_ARG_WEIGHTS);
    prim__ref_for_each(diff_wei_md, compute_weight, &run);
    prim__ref_clear_padding(run.diff_wei.base, diff_wei_md);
    if (!prim__pd_has(pd, PRIM_ARG_DIFF_BIAS)) return PRIM_SUCCESS;
    run.bias = prim__ref_pointer(ctx, PRIM_ARG_DIFF_BIAS);
    run.bias_md = prim__pd_md(pd, PRIM_ARG_DIFF_BIAS);
    prim__ref_for_each(run.bias_md, compute_bias, &run);
    prim__ref_clear_padding(run.bias, run.bias_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_conv_backward_weights_any = {
        .name = "ref:conv:backward_weights_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_conv_init_pd,
        .execute = execute,
};
