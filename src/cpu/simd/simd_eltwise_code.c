// SPDX-License-Identifier: Apache-2.0
// Eltwise functions and their derivatives, the formulas of cpu/ref in f32, so written that small
// results keep their digits. Compiled for each level: simd_level.h.
#include "simd_eltwise.h"
#include "simd_math.h"
#include "simd_pow.h"

typedef struct {
    vf_t alpha, beta;
    power_t power; ///< of pow alone
} params_t;

typedef vf_t function_t(vf_t x, const params_t *p);

/// Φ(x) and σ(x) are v_normal() and v_logistic().

SIMD_INLINE vf_t relu(vf_t x, const params_t *p)
{
    return v_select(x > 0.0F, x, p->alpha * x);
}

SIMD_INLINE vf_t elu(vf_t x, const params_t *p)
{
    return v_select(x > 0.0F, x, p->alpha * v_expm1_negative(x));
}

SIMD_INLINE vf_t hyperbolic_tangent(vf_t x, const params_t *p)
{
    (void)p;
    return v_tanh(x);
}

SIMD_INLINE vf_t square(vf_t x, const params_t *p)
{
    (void)p;
    return x * x;
}

SIMD_INLINE vf_t absolute(vf_t x, const params_t *p)
{
    (void)p;
    return v_abs(x);
}

SIMD_INLINE vf_t root(vf_t x, const params_t *p)
{
    (void)p;
    return v_sqrt(x);
}

SIMD_INLINE vf_t linear(vf_t x, const params_t *p)
{
    return p->alpha * x + p->beta;
}

SIMD_INLINE vf_t clip(vf_t x, const params_t *p)
{
    return v_at_most(v_at_least(x, p->alpha), p->beta);
}

SIMD_INLINE vf_t hardsigmoid(vf_t x, const params_t *p)
{
    return v_at_most(v_at_least(linear(x, p), v_set(0)), v_set(1));
}

SIMD_INLINE vf_t hardswish(vf_t x, const params_t *p)
{
    return x * hardsigmoid(x, p);
}

/// ln(1 + e^y)/α with y = α·x, which is x where e^y is all of the sum.
SIMD_INLINE vf_t soft_relu(vf_t x, const params_t *p)
{
    const vf_t y = p->alpha * x;
    const vf_t sum = v_at_least(y, v_set(0)) + v_log1p_fraction(v_exp(-v_abs(y)));
    return v_select(y > 80.0F, x, sum / p->alpha);
}

SIMD_INLINE vf_t logistic(vf_t x, const params_t *p)
{
    (void)p;
    return v_logistic(x);
}

SIMD_INLINE vf_t exponential(vf_t x, const params_t *p)
{
    (void)p;
    return v_exp(x);
}

SIMD_INLINE vf_t logarithm(vf_t x, const params_t *p)
{
    (void)p;
    return v_log(x);
}

/// (1 + tanh y)/2 = σ(2·y)
SIMD_INLINE vf_t gelu_tanh(vf_t x, const params_t *p)
{
    (void)p;
    const vf_t y = x * (1.0F + x * x * 0.044715F) * 1.59576912160573071F;
    return v_times_lifted(x, v_logistic_lifted(y));
}

SIMD_INLINE vf_t gelu_erf(vf_t x, const params_t *p)
{
    (void)p;
    return v_times_lifted(x, v_normal_lifted(x));
}

SIMD_INLINE vf_t swish(vf_t x, const params_t *p)
{
    return v_times_lifted(x, v_logistic_lifted(p->alpha * x));
}

SIMD_INLINE vf_t nearest(vf_t x, const params_t *p)
{
    (void)p;
    return v_round(x);
}

/// With e = e^x, tanh ln(1 + e) = (e² + 2·e)/(e² + 2·e + 2), 1 to the last bit from x = 20 on.
SIMD_INLINE vf_t mish(vf_t x, const params_t *p)
{
    (void)p;
    const vf_t e = v_exp(v_at_most(x, v_set(20))), sum = e * (e + 2.0F);
    return v_select(x > 20.0F, x, x * (sum / (sum + 2.0F)));
}

/// α·x^β, or the derivative: powers both.
SIMD_INLINE vf_t power(vf_t x, const params_t *p)
{
    return v_power(x, &p->power);
}

/// @name Derivatives
/// @{

SIMD_INLINE vf_t relu_slope(vf_t x, const params_t *p)
{
    return v_select(x > 0.0F, v_set(1), p->alpha);
}

SIMD_INLINE vf_t elu_slope(vf_t x, const params_t *p)
{
    return v_select(x > 0.0F, v_set(1), p->alpha * v_exp(x));
}

SIMD_INLINE vf_t elu_dst_slope(vf_t y, const params_t *p)
{
    return v_select(y > 0.0F, v_set(1), y + p->alpha);
}

/// σ(x)·σ(−x) = e/(1 + e)² with e = e^−|x|
SIMD_INLINE vf_t v_logistic_slope(vf_t x)
{
    const vf_t e = v_exp(-v_abs(x)), sum = e + 1.0F;
    return e / (sum * sum);
}

SIMD_INLINE vf_t logistic_slope(vf_t x, const params_t *p)
{
    (void)p;
    return v_logistic_slope(x);
}

SIMD_INLINE vf_t logistic_dst_slope(vf_t y, const params_t *p)
{
    (void)p;
    return y * (1.0F - y);
}

SIMD_INLINE vf_t tanh_slope(vf_t x, const params_t *p)
{
    (void)p;
    return v_logistic_slope(x * 2.0F) * 4.0F;
}

SIMD_INLINE vf_t tanh_dst_slope(vf_t y, const params_t *p)
{
    (void)p;
    return (1.0F - y) * (1.0F + y);
}

SIMD_INLINE vf_t square_slope(vf_t x, const params_t *p)
{
    (void)p;
    return x * 2.0F;
}

SIMD_INLINE vf_t root_slope(vf_t x, const params_t *p)
{
    (void)p;
    return 0.5F / v_sqrt(x);
}

SIMD_INLINE vf_t root_dst_slope(vf_t y, const params_t *p)
{
    (void)p;
    return 0.5F / y;
}

SIMD_INLINE vf_t linear_slope(vf_t x, const params_t *p)
{
    (void)x;
    return p->alpha;
}

SIMD_INLINE vf_t soft_relu_slope(vf_t x, const params_t *p)
{
    return v_logistic(p->alpha * x);
}

SIMD_INLINE vf_t identity(vf_t x, const params_t *p)
{
    (void)p;
    return x;
}

SIMD_INLINE vf_t logarithm_slope(vf_t x, const params_t *p)
{
    (void)p;
    return 1.0F / x;
}

SIMD_INLINE vf_t abs_slope(vf_t x, const params_t *p)
{
    (void)p;
    return v_select(x > 0.0F, v_set(1), v_select(x < 0.0F, v_set(-1), v_set(0)));
}

SIMD_INLINE vf_t clip_slope(vf_t x, const params_t *p)
{
    return v_select((x > p->alpha) & (x <= p->beta), v_set(1), v_set(0));
}

SIMD_INLINE vf_t clip_v2_slope(vf_t x, const params_t *p)
{
    return v_select((x > p->alpha) & (x < p->beta), v_set(1), v_set(0));
}

SIMD_INLINE vf_t hardsigmoid_slope(vf_t x, const params_t *p)
{
    const vf_t line = linear(x, p);
    return v_select((line <= 0.0F) | (line >= 1.0F), v_set(0), p->alpha);
}

SIMD_INLINE vf_t hardswish_slope(vf_t x, const params_t *p)
{
    const vf_t line = linear(x, p), inside = p->alpha * x * 2.0F + p->beta;
    return v_select(line <= 0.0F, v_set(0), v_select(line >= 1.0F, v_set(1), inside));
}

/// |x| ≤ most, so that x·0 is 0 where a derivative has run into its limit, for infinite x too.
SIMD_INLINE vf_t within(vf_t x, float most)
{
    return v_at_most(v_at_least(x, v_set(-most)), v_set(most));
}

SIMD_INLINE vf_t swish_slope(vf_t x, const params_t *p)
{
    const vf_t y = within(p->alpha * x, 2000);
    return v_logistic(y) + y * v_logistic_slope(y);
}

SIMD_INLINE vf_t gelu_tanh_slope(vf_t x_any, const params_t *p)
{
    (void)p;
    const vf_t x = within(x_any, 64), x2 = x * x;
    const vf_t y = x * (1.0F + x2 * 0.044715F) * 1.59576912160573071F;
    const vf_t y_slope = (1.0F + x2 * 0.134145F) * 1.59576912160573071F;
    return v_logistic(y) + x * v_logistic_slope(y) * y_slope;
}

SIMD_INLINE vf_t gelu_erf_slope(vf_t x_any, const params_t *p)
{
    (void)p;
    const vf_t x = within(x_any, 64);
    return v_normal(x) + x * v_exp(x * x * -0.5F) * 0.39894228040143267794F;
}

/// With e = e^x, s = (1 + e)²: tanh = (s − 1)/(s + 1) and 1/cosh² = 4·s/(s + 1)² of ln(1 + e).
SIMD_INLINE vf_t mish_slope(vf_t x_any, const params_t *p)
{
    (void)p;
    const vf_t x = within(x_any, 200), e = v_exp(v_at_most(x, v_set(20)));
    const vf_t product = e * (e + 2.0F), s = product + 1.0F, t = product + 2.0F;
    const vf_t slope = product / t + x * (s / t) * (4.0F / t) * (e / (e + 1.0F));
    return v_select(x > 20.0F, v_set(1), slope);
}

/// @}

SIMD_INLINE void apply(
        const params_t *p, float *out, const float *x, prim_dim_t n, function_t *function)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) v_store(out + i, function(v_load(x + i), p));
    if (i < n) v_store_part(out + i, function(v_load_part(x + i, n - i, 1), p), n - i);
}

static void raise(const simd_eltwise_t *f, float *out, const float *x, prim_dim_t n)
{
    const params_t params = {.power = power_of((double)f->alpha, (double)f->beta)};
    apply(&params, out, x, n, power);
}

static void forward(const simd_eltwise_t *f, float *out, const float *x, prim_dim_t n)
{
    const params_t params = {.alpha = v_set(f->alpha), .beta = v_set(f->beta)}, *const p = &params;
    switch (f->alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: apply(p, out, x, n, relu); return;
    case PRIM_ELTWISE_TANH:
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD: apply(p, out, x, n, hyperbolic_tangent); return;
    case PRIM_ELTWISE_ELU:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: apply(p, out, x, n, elu); return;
    case PRIM_ELTWISE_SQUARE: apply(p, out, x, n, square); return;
    case PRIM_ELTWISE_ABS: apply(p, out, x, n, absolute); return;
    case PRIM_ELTWISE_SQRT:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD: apply(p, out, x, n, root); return;
    case PRIM_ELTWISE_LINEAR: apply(p, out, x, n, linear); return;
    case PRIM_ELTWISE_SOFT_RELU: apply(p, out, x, n, soft_relu); return;
    case PRIM_ELTWISE_HARDSIGMOID: apply(p, out, x, n, hardsigmoid); return;
    case PRIM_ELTWISE_LOGISTIC:
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD: apply(p, out, x, n, logistic); return;
    case PRIM_ELTWISE_EXP:
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: apply(p, out, x, n, exponential); return;
    case PRIM_ELTWISE_GELU_TANH: apply(p, out, x, n, gelu_tanh); return;
    case PRIM_ELTWISE_SWISH: apply(p, out, x, n, swish); return;
    case PRIM_ELTWISE_LOG: apply(p, out, x, n, logarithm); return;
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: apply(p, out, x, n, clip); return;
    case PRIM_ELTWISE_GELU_ERF: apply(p, out, x, n, gelu_erf); return;
    case PRIM_ELTWISE_ROUND: apply(p, out, x, n, nearest); return;
    case PRIM_ELTWISE_MISH: apply(p, out, x, n, mish); return;
    case PRIM_ELTWISE_POW: raise(f, out, x, n); return;
    default: apply(p, out, x, n, hardswish); return;
    }
}

SIMD_INLINE void multiply(const params_t *p, float *out, const float *y, const float *x,
        prim_dim_t n, function_t *slope)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES) v_store(out + i, v_load(y + i) * slope(v_load(x + i), p));
    if (i == n) return;
    const vf_t s = slope(v_load_part(x + i, n - i, 1), p);
    v_store_part(out + i, v_load_part(y + i, n - i, 0) * s, n - i);
}

/// α·β·x^(β − 1), 0 for β = 0
static void raise_backward(
        const simd_eltwise_t *f, float *out, const float *y, const float *x, prim_dim_t n)
{
    const double alpha = (double)f->alpha, beta = (double)f->beta;
    const power_t slope = beta == 0 ? power_of(0, 0) : power_of(alpha * beta, beta - 1);
    const params_t params = {.power = slope};
    multiply(&params, out, y, x, n, power);
}

static void backward(
        const simd_eltwise_t *f, float *out, const float *y, const float *x, prim_dim_t n)
{
    const params_t params = {.alpha = v_set(f->alpha), .beta = v_set(f->beta)}, *const p = &params;
    switch (f->alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: multiply(p, out, y, x, n, relu_slope); return;
    case PRIM_ELTWISE_TANH: multiply(p, out, y, x, n, tanh_slope); return;
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD: multiply(p, out, y, x, n, tanh_dst_slope); return;
    case PRIM_ELTWISE_ELU: multiply(p, out, y, x, n, elu_slope); return;
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: multiply(p, out, y, x, n, elu_dst_slope); return;
    case PRIM_ELTWISE_SQUARE: multiply(p, out, y, x, n, square_slope); return;
    case PRIM_ELTWISE_ABS: multiply(p, out, y, x, n, abs_slope); return;
    case PRIM_ELTWISE_SQRT: multiply(p, out, y, x, n, root_slope); return;
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD: multiply(p, out, y, x, n, root_dst_slope); return;
    case PRIM_ELTWISE_LINEAR: multiply(p, out, y, x, n, linear_slope); return;
    case PRIM_ELTWISE_SOFT_RELU: multiply(p, out, y, x, n, soft_relu_slope); return;
    case PRIM_ELTWISE_HARDSIGMOID: multiply(p, out, y, x, n, hardsigmoid_slope); return;
    case PRIM_ELTWISE_LOGISTIC: multiply(p, out, y, x, n, logistic_slope); return;
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD:
        multiply(p, out, y, x, n, logistic_dst_slope);
        return;
    case PRIM_ELTWISE_EXP: multiply(p, out, y, x, n, exponential); return;
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: multiply(p, out, y, x, n, identity); return;
    case PRIM_ELTWISE_GELU_TANH: multiply(p, out, y, x, n, gelu_tanh_slope); return;
    case PRIM_ELTWISE_SWISH: multiply(p, out, y, x, n, swish_slope); return;
    case PRIM_ELTWISE_LOG: multiply(p, out, y, x, n, logarithm_slope); return;
    case PRIM_ELTWISE_CLIP: multiply(p, out, y, x, n, clip_slope); return;
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: multiply(p, out, y, x, n, clip_v2_slope); return;
    case PRIM_ELTWISE_GELU_ERF: multiply(p, out, y, x, n, gelu_erf_slope); return;
    case PRIM_ELTWISE_MISH: multiply(p, out, y, x, n, mish_slope); return;
    case PRIM_ELTWISE_POW: raise_backward(f, out, y, x, n); return;
    default: multiply(p, out, y, x, n, hardswish_slope); return;
    }
}

const simd_eltwise_code_t SIMD_NAME(prim__simd_eltwise_code) = {
        .forward = forward, .backward = backward};
