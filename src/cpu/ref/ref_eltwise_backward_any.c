// SPDX-License-Identifier: Apache-2.0
// The gradients of eltwise functions on the CPU: diff_dst·f' in double for any type and layout.
#include <math.h>

#include "common/eltwise_data.h"
#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

/// So that x·0 is 0 where f' has run into its limit, for infinite x too. NaN passes.
static double clamp(double x, double most)
{
    if (x < -most) return -most;
    return x > most ? most : x;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/// 1/cosh², the derivative of tanh: 1 − tanh² would cancel.
static double tanh_slope(double x)
{
    const double c = cosh(x);
    return 1 / (c * c);
}

static double logistic_slope(double x)
{
    return tanh_slope(x / 2) / 4;
}

static double swish_slope(double x, double alpha)
{
    const double p = clamp(alpha * x, 2000);
    return logistic(p) + p * logistic_slope(p);
}

static double gelu_tanh_slope(double x_any)
{
    const double sqrt_2_over_pi = 0.79788456080286535588, x = clamp(x_any, 64);
    const double y = sqrt_2_over_pi * (x + 0.044715 * x * x * x);
    const double y_slope = sqrt_2_over_pi * (1 + 3 * 0.044715 * x * x);
    return logistic(2 * y) + x / 2 * tanh_slope(y) * y_slope;
}

static double gelu_erf_slope(double x_any)
{
    const double sqrt_half = 0.70710678118654752440, x = clamp(x_any, 64);
    const double inverse_sqrt_2_pi = 0.39894228040143267794;
    return erfc(-x * sqrt_half) / 2 + x * inverse_sqrt_2_pi * exp(-x * x / 2);
}

static double mish_slope(double x_any)
{
    const double x = clamp(x_any, 1e4), y = log1p(exp(x));
    return tanh(y) + x * tanh_slope(y) * logistic(x);
}

/// Functions with corners: which side a corner belongs to is oneDNN's choice.
static double piecewise_slope(prim_alg_kind_t alg, double x, double alpha, double beta)
{
    const double line = alpha * x + beta;
    switch (alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: return x > 0 ? 1 : alpha;
    case PRIM_ELTWISE_ELU: return x > 0 ? 1 : alpha * exp(x);
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: return x > 0 ? 1 : x + alpha;
    case PRIM_ELTWISE_ABS: return (x > 0) - (x < 0);
    case PRIM_ELTWISE_CLIP: return x > alpha && x <= beta;
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: return x > alpha && x < beta;
    case PRIM_ELTWISE_HARDSIGMOID: return line <= 0 || line >= 1 ? 0 : alpha;
    case PRIM_ELTWISE_HARDSWISH:
        if (line <= 0) return 0;
        return line >= 1 ? 1 : 2 * alpha * x + beta;
    default: return (double)NAN;
    }
}

/// f'(x); of the algorithms that take dst x is f's value.
static double slope(prim_alg_kind_t alg, double x, double alpha, double beta)
{
    switch (alg) {
    case PRIM_ELTWISE_TANH: return tanh_slope(x);
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD: return (1 - x) * (1 + x);
    case PRIM_ELTWISE_SQUARE: return 2 * x;
    case PRIM_ELTWISE_SQRT: return 0.5 / sqrt(x);
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD: return 0.5 / x;
    case PRIM_ELTWISE_LINEAR: return alpha;
    case PRIM_ELTWISE_SOFT_RELU: return logistic(alpha * x);
    case PRIM_ELTWISE_LOGISTIC: return logistic_slope(x);
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD: return x * (1 - x);
    case PRIM_ELTWISE_EXP: return exp(x);
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: return x;
    case PRIM_ELTWISE_GELU_TANH: return gelu_tanh_slope(x);
    case PRIM_ELTWISE_SWISH: return swish_slope(x, alpha);
    case PRIM_ELTWISE_LOG: return 1 / x;
    case PRIM_ELTWISE_POW: return beta == 0 ? 0 : alpha * beta * pow(x, beta - 1);
    case PRIM_ELTWISE_GELU_ERF: return gelu_erf_slope(x);
    case PRIM_ELTWISE_MISH: return mish_slope(x);
    default: return piecewise_slope(alg, x, alpha, beta);
    }
}

typedef struct {
    const op_desc_t *op;
    const void *data, *diff_dst;
    void *diff_src;
    const prim_memory_desc_t *data_md, *diff_dst_md, *diff_src_md;
    int dim; ///< of the rows
} gradient_t;

static void gradient_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const gradient_t *const g = arg;
    const eltwise_params_t *const p = &g->op->u.eltwise;
    double data[REF_ROW_ELEMS], diff[REF_ROW_ELEMS];
    prim__ref_load_at(data, g->data, g->data_md, position, g->dim, n);
    prim__ref_load_at(diff, g->diff_dst, g->diff_dst_md, position, g->dim, n);
    for (prim_dim_t i = 0; i < n; ++i)
        diff[i] *= slope(g->op->alg_kind, data[i], (double)p->alpha, (double)p->beta);
    prim__ref_store_at(diff, g->diff_src, g->diff_src_md, position, g->dim, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const int data_arg = prim__eltwise_data_arg(pd->op.alg_kind);
    gradient_t g = {.op = &pd->op,
            .data = prim__ref_pointer(ctx, data_arg),
            .diff_dst = prim__ref_pointer(ctx, PRIM_ARG_DIFF_DST),
            .diff_src = prim__ref_pointer(ctx, PRIM_ARG_DIFF_SRC),
            .data_md = prim__ctx_md(ctx, pd, data_arg),
            .diff_dst_md = prim__ctx_md(ctx, pd, PRIM_ARG_DIFF_DST),
            .diff_src_md = prim__ctx_md(ctx, pd, PRIM_ARG_DIFF_SRC)};
    g.dim = prim__ref_row_dim(
            (const prim_memory_desc_t *const[]){g.data_md, g.diff_dst_md, g.diff_src_md}, 3);
    prim__ref_for_each_row(g.diff_src_md, g.dim, gradient_row, &g);
    prim__ref_clear_padding(g.diff_src, g.diff_src_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_eltwise_backward_any = {
        .name = "ref:eltwise:backward_any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
