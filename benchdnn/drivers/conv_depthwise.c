// SPDX-License-Identifier: Apache-2.0
// The second convolution of a fused pair is the first one's reference with other sizes; its operand
// has an error already, which the weights carry on.
#include "conv_depthwise.h"

#include <math.h>
#include <stdlib.h>

#include "conv_ref.h"
#include "core/bench_text.h"

enum { DW_WEIGHTS = PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS };
enum { DW_BIAS = PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_BIAS };

skip_reason_t conv_depthwise_skip(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const post_ops_spec_t *const chain = &prb->attr->post_ops;
    const int index = attr_depthwise_step(prb->attr);
    if (index == chain->count)
        return skip_because(SKIP_INVALID_CASE, "conv: scales of a depthwise step that is missing");
    const post_op_t *const step = &chain->entries[index];
    if (p->ndims != 4 || p->kernel[AXIS_H] != 1 || p->kernel[AXIS_W] != 1)
        return skip_because(
                SKIP_INVALID_CASE, "conv: a depthwise step needs 1×1 windows on rows and columns");
    if (step->padding >= step->kernel || depthwise_size(step, p->out[AXIS_H]) == 0 ||
            depthwise_size(step, p->out[AXIS_W]) == 0)
        return skip_because(
                SKIP_INVALID_CASE, "conv: the windows of the depthwise step do not fit");
    for (int i = 0; i < chain->count; ++i) {
        const prim_primitive_kind_t kind = chain->entries[i].kind;
        if ((kind == PRIM_SUM && i < index) || (kind == PRIM_CONVOLUTION && i != index))
            return skip_because(
                    SKIP_CASE_NOT_SUPPORTED, "conv: a sum before, or two of the depthwise step");
    }
    return SKIP_NONE;
}

void conv_depthwise_list_args(const prb_t *prb, args_t *args)
{
    if (!attr_post_op(prb->attr, PRIM_CONVOLUTION)) return;
    args_add(args, DW_WEIGHTS, ARG_IN, DATA_WEI);
    args_add(args, DW_BIAS, ARG_IN, DATA_BIA);
}

/// Quarters from −2 to 2 but 0: exact in every float, of all signs and sizes.
static double weight(const void *context, rng_t *rng, int64_t index)
{
    (void)context;
    (void)index;
    const double size = 0.25 * (double)rng_int(rng, 1, 8);
    return rng_chance(rng, 0.5) ? -size : size;
}

static double whole_weight(const void *context, rng_t *rng, int64_t index)
{
    const double size = (double)rng_int(rng, 1, 3);
    (void)context;
    (void)index;
    return rng_chance(rng, 0.5) ? -size : size;
}

bool conv_depthwise_fill(arg_t *arg)
{
    if (arg->id == DW_BIAS)
        fill_ints(arg, -8, 8, 1.);
    else if (arg->id == DW_WEIGHTS)
        fill_by_rng(arg, dt_is_integer(arg->md.data_type) ? whole_weight : weight, NULL);
    else
        return false;
    return true;
}

static problem_t depthwise_problem(const problem_t *p, const post_op_t *step)
{
    problem_t q = *p;
    q.g = q.ic = q.oc = p->oc;
    for (int s = AXIS_H; s <= AXIS_W; ++s) {
        q.in[s] = p->out[s];
        q.out[s] = depthwise_size(step, p->out[s]);
        q.kernel[s] = step->kernel;
        q.stride[s] = step->stride;
        q.pad[s] = q.pad_back[s] = step->padding;
        q.dilation[s] = 0;
    }
    return q;
}

static double *sizes_of(const double *values, int64_t n)
{
    double *const sizes = bench_calloc((size_t)n, sizeof(double));
    for (int64_t i = 0; i < n; ++i) sizes[i] = fabs(values[i]);
    return sizes;
}

/// What the slack of DST is made of: Σ|src·wei|, whose roundings `units` counts, and the error that
/// the operand came with.
static void bound_sums(const problem_t *q, args_t *args, double units, const double *wei_values)
{
    const arg_t *const between = args_between(args), *const bias = args_find(args, DW_BIAS);
    const arg_t *const dst = args_find(args, PRIM_ARG_DST);
    double *const slack = args_slack(args, PRIM_ARG_DST);
    double *const src = sizes_of(between->data, between->nelems);
    double *const wei = sizes_of(wei_values, args_find(args, DW_WEIGHTS)->nelems);
    double *const terms = bench_calloc((size_t)dst->nelems, sizeof(double));
    const int64_t plane = q->out[AXIS_H] * q->out[AXIS_W];
    conv_ref(q, src, wei, NULL, terms);
    conv_ref(q, between->slack, wei, NULL, slack);
    for (int64_t i = 0; i < dst->nelems; ++i) {
        const double addend = bias ? fabs(bias->data[i / plane % q->oc]) : 0.;
        slack[i] += units * (terms[i] + 2. * addend);
    }
    free(terms);
    free(wei);
    free(src);
}

void conv_depthwise_reference(const prb_t *prb, const product_t *product, args_t *args)
{
    const post_op_t *const step = attr_post_op(prb->attr, PRIM_CONVOLUTION);
    const problem_t q = depthwise_problem(prb->problem, step);
    const double *const wei = args_dequantized(args, DW_WEIGHTS);
    arg_t *const between = args_between(args);
    ref_finish_between(args);
    double scale;
    const double point = args_between_point(args, &scale);
    for (int64_t i = 0; i < between->nelems; ++i) {
        between->data[i] = (between->data[i] - point) * scale;
        between->slack[i] *= scale;
    }
    product_t second = *product;
    second.src = between->md.data_type;
    conv_ref(&q, between->data, wei, args_data(args, DW_BIAS), args_data(args, PRIM_ARG_DST));
    bound_sums(&q, args, product_units(&second, prb, step->kernel * step->kernel), wei);
    ref_finish_all(args);
}
