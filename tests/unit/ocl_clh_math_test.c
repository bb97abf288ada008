// SPDX-License-Identifier: Apache-2.0
// The device's eltwise and binary functions against their formulas in long double, over the whole
// range of float; integer eltwise against exact arithmetic; group reductions.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_clh_math_test_cl;

enum { N = 1 << 16 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state;
}

// All magnitudes with both signs, then −100..100 evenly, then the special values.
static void fill_grid(float *x)
{
    static const float specials[] = {0.0f, -0.0f, 1.0f, -1.0f, NAN, FLT_MAX, -FLT_MAX, FLT_MIN};
    enum { NSPECIALS = sizeof specials / sizeof specials[0], HALF = N / 2 };
    uint32_t seed = 3;
    for (int i = 0; i < HALF; ++i) {
        const uint32_t exponent = 1 + (uint32_t)i % 254;
        const uint32_t bits = (next_random(&seed) & 0x807fffffu) | exponent << 23;
        memcpy(&x[i], &bits, sizeof bits);
    }
    for (int i = HALF; i < N; ++i) x[i] = ((float)(i - HALF) / HALF - 0.5f) * 200.0f;
    memcpy(x, specials, sizeof specials);
}

static long double clamp(long double x, long double lo, long double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static long double sigma(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static long double formula(prim_alg_kind_t alg, long double x, long double a, long double b)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    switch ((int)alg) {
    case PRIM_ELTWISE_RELU: return x > 0 ? x : a * x;
    case PRIM_ELTWISE_TANH: return tanhl(x);
    case PRIM_ELTWISE_ELU: return x > 0 ? x : a * expm1l(x);
    case PRIM_ELTWISE_SQUARE: return x * x;
    case PRIM_ELTWISE_ABS: return fabsl(x);
    case PRIM_ELTWISE_SQRT: return sqrtl(x);
    case PRIM_ELTWISE_LINEAR: return a * x + b;
    case PRIM_ELTWISE_SOFT_RELU: return ((a * x > 0 ? a * x : 0) + log1pl(expl(-fabsl(a * x)))) / a;
    case PRIM_ELTWISE_HARDSIGMOID: return clamp(a * x + b, 0, 1);
    case PRIM_ELTWISE_LOGISTIC: return sigma(x);
    case PRIM_ELTWISE_EXP: return expl(x);
    case PRIM_ELTWISE_GELU_TANH: return x * sigma(2 * sqrtl(2 / pi) * x * (1 + 0.044715L * x * x));
    case PRIM_ELTWISE_SWISH: return x * sigma(a * x);
    case PRIM_ELTWISE_LOG: return logl(x);
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2: return clamp(x, a, b);
    case PRIM_ELTWISE_POW: return a * powl(x, b);
    case PRIM_ELTWISE_GELU_ERF: return x / 2 * erfcl(-x / sqrtl(2));
    case PRIM_ELTWISE_ROUND: return rintl(x);
    case PRIM_ELTWISE_MISH: return x * tanhl(x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x)));
    case PRIM_ELTWISE_HARDSWISH: return x * clamp(a * x + b, 0, 1);
    default: fail_msg("no formula for 0x%x", (unsigned)alg); return 0;
    }
}

// A function with parameters and the error it may have. The numbers add up what OpenCL 1.2 (7.4)
// allows each step: exp, expm1, log, sqrt 3 ulp, log1p 2, tanh 5, pow 16, division 2.5, a product
// or sum 0.5, where an error in n counts twice in n·(n + 2) and a tail of 1/2 doubles that of 1 −
// tail.
typedef struct {
    prim_alg_kind_t alg, twin; ///< twin: the USE_DST form, or 0
    float alpha, beta;
    double ulps;
    double terms; ///< ulps of |α·x| + |β|, where they may cancel
} case_t;

static const case_t cases[] = {
        {PRIM_ELTWISE_RELU, PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, 0.0f, 0.0f, 0, 0},
        {PRIM_ELTWISE_RELU, PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, 0.3f, 0.0f, 0.5, 0},
        {PRIM_ELTWISE_RELU, 0, -2.0f, 0.0f, 0.5, 0},
        {PRIM_ELTWISE_TANH, PRIM_ELTWISE_TANH_USE_DST_FOR_BWD, 0.0f, 0.0f, 5, 0},
        {PRIM_ELTWISE_ELU, PRIM_ELTWISE_ELU_USE_DST_FOR_BWD, 1.0f, 0.0f, 4, 0},
        {PRIM_ELTWISE_ELU, 0, 0.2f, 0.0f, 4, 0},
        {PRIM_ELTWISE_SQUARE, 0, 0.0f, 0.0f, 0.5, 0},
        {PRIM_ELTWISE_ABS, 0, 0.0f, 0.0f, 0, 0},
        {PRIM_ELTWISE_SQRT, PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD, 0.0f, 0.0f, 3, 0},
        {PRIM_ELTWISE_LINEAR, 0, 1.0f, 0.0f, 1, 0},
        {PRIM_ELTWISE_LINEAR, 0, 1.7f, -2.3f, 0.5, 1},
        {PRIM_ELTWISE_SOFT_RELU, 0, 1.0f, 0.0f, 9, 0},
        {PRIM_ELTWISE_SOFT_RELU, 0, -1.0f, 0.0f, 9, 0},
        {PRIM_ELTWISE_SOFT_RELU, 0, 1.7f, 0.0f, 9, 0},
        {PRIM_ELTWISE_SOFT_RELU, 0, 0.05f, 0.0f, 9, 0},
        {PRIM_ELTWISE_HARDSIGMOID, 0, 0.2f, 0.5f, 0.5, 1},
        {PRIM_ELTWISE_LOGISTIC, PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD, 0.0f, 0.0f, 8, 0},
        {PRIM_ELTWISE_EXP, PRIM_ELTWISE_EXP_USE_DST_FOR_BWD, 0.0f, 0.0f, 3, 0},
        {PRIM_ELTWISE_GELU_TANH, 0, 0.0f, 0.0f, 10, 0},
        {PRIM_ELTWISE_SWISH, 0, 1.0f, 0.0f, 9, 0},
        {PRIM_ELTWISE_SWISH, 0, 1.7f, 0.0f, 9, 0},
        {PRIM_ELTWISE_SWISH, 0, -0.3f, 0.0f, 9, 0},
        {PRIM_ELTWISE_LOG, 0, 0.0f, 0.0f, 3, 0},
        {PRIM_ELTWISE_CLIP, 0, -1.5f, 6.0f, 0, 0},
        {PRIM_ELTWISE_CLIP_V2, PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD, 0.0f, 6.0f, 0, 0},
        {PRIM_ELTWISE_POW, 0, 1.0f, 0.0f, 17, 0},
        {PRIM_ELTWISE_POW, 0, 2.0f, 1.0f, 17, 0},
        {PRIM_ELTWISE_POW, 0, 0.7f, 2.0f, 17, 0},
        {PRIM_ELTWISE_POW, 0, 1.0f, 0.5f, 17, 0},
        {PRIM_ELTWISE_POW, 0, 1.0f, -0.5f, 17, 0},
        {PRIM_ELTWISE_POW, 0, -1.0f, 2.7f, 17, 0},
        {PRIM_ELTWISE_POW, 0, 1.0f, -3.0f, 17, 0},
        {PRIM_ELTWISE_GELU_ERF, 0, 0.0f, 0.0f, 16, 0},
        {PRIM_ELTWISE_ROUND, 0, 0.0f, 0.0f, 0, 0},
        {PRIM_ELTWISE_MISH, 0, 0.0f, 0.0f, 10, 0},
        {PRIM_ELTWISE_HARDSWISH, 0, 0.1667f, 0.5f, 1, 1},
};

static double ulp_of(double x)
{
    int exponent = 0;
    (void)frexp(fmax(fabs(x), FLT_MIN), &exponent);
    return ldexp(1.0, exponent - 24);
}

// Denormal values may be flushed to 0, then multiplied by x or divided by α.
static double allowed_error(const case_t *c, double x, double want)
{
    if (isnan(x)) x = 0; // pow(NaN, 0) is 1
    const double terms = fabs((double)c->alpha * x) + fabs((double)c->beta);
    const double factor = c->alg == PRIM_ELTWISE_HARDSWISH ? fabs(x) : 1.0;
    const double flush = FLT_MIN * (1 + fabs(x) + (c->alpha != 0 ? 1 / fabs((double)c->alpha) : 0));
    return c->ulps * ulp_of(want) + c->terms * ulp_of(terms) * factor + flush;
}

static bool is_right(const case_t *c, float x, float got)
{
    const double want = (double)formula(c->alg, x, c->alpha, c->beta);
    if (isnan(want)) return isnan(got);
    if (isnan(got)) return false;
    // α·x^β may overflow on the way.
    if (c->alg == PRIM_ELTWISE_POW && isinf(got) && fabsl(powl(x, c->beta)) > FLT_MAX) return true;
    if (fabs(want) > FLT_MAX * (1 - 20 * FLT_EPSILON)) {
        return !signbit(want) == !signbit(got) &&
               fabs((double)got) > FLT_MAX * (1 - 40 * FLT_EPSILON);
    }
    return fabs((double)got - want) <= allowed_error(c, x, want);
}

static void check_eltwise(const ocl_rig_t *rig, const float *x, float *y, const case_t *c,
        prim_alg_kind_t alg, int width)
{
    const ocl_array_t arrays[] = {{(void *)(uintptr_t)x, N * sizeof *x}, {y, N * sizeof *y}};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "REAL_WIDTH", width);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i32(&args, (int32_t)alg);
    prim__ocl_args_f32(&args, c->alpha);
    prim__ocl_args_f32(&args, c->beta);
    prim__ocl_args_i64(&args, N / width);
    ocl_rig_run(
            rig, &prim__ocl_clh_math_test_cl, &options, "eltwise_f32", N / width, arrays, 2, &args);
    for (int i = 0; i < N; ++i) {
        if (is_right(c, x[i], y[i])) continue;
        fail_msg("%s(%.9g; %g, %g) = %.9g, not %.9g, in vectors of %d", prim_alg_kind_name(alg),
                (double)x[i], (double)c->alpha, (double)c->beta, (double)y[i],
                (double)formula(c->alg, x[i], c->alpha, c->beta), width);
    }
}

static void check_width(const ocl_rig_t *rig, int width)
{
    float *const x = malloc(N * sizeof *x), *const y = malloc(N * sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    fill_grid(x);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        check_eltwise(rig, x, y, &cases[i], cases[i].alg, width);
        if (cases[i].twin) check_eltwise(rig, x, y, &cases[i], cases[i].twin, width);
    }
    free(x);
    free(y);
}

static void eltwise_is_accurate(void **state)
{
    check_width(*state, 1);
}

// Vectors have built-in functions of their own.
static void eltwise_of_vectors_is_accurate(void **state)
{
    for (int width = 2; width <= 16; width *= 2) check_width(*state, width);
}

static double binary_formula(prim_alg_kind_t alg, double a, double b)
{
    switch ((int)alg) {
    case PRIM_BINARY_ADD: return a + b;
    case PRIM_BINARY_MUL: return a * b;
    case PRIM_BINARY_MAX: return a > b ? a : b;
    case PRIM_BINARY_MIN: return a < b ? a : b;
    case PRIM_BINARY_DIV: return a / b;
    case PRIM_BINARY_SUB: return a - b;
    case PRIM_BINARY_GE: return a >= b;
    case PRIM_BINARY_GT: return a > b;
    case PRIM_BINARY_LE: return a <= b;
    case PRIM_BINARY_LT: return a < b;
    case PRIM_BINARY_EQ: return a == b;
    case PRIM_BINARY_NE: return a != b;
    default: fail_msg("no formula for 0x%x", (unsigned)alg); return 0;
    }
}

static void check_binary(const ocl_rig_t *rig, float *a, float *b, float *y, prim_alg_kind_t alg)
{
    const ocl_array_t arrays[] = {{a, N * sizeof *a}, {b, N * sizeof *b}, {y, N * sizeof *y}};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i32(&args, (int32_t)alg);
    prim__ocl_args_i64(&args, N);
    ocl_rig_run(rig, &prim__ocl_clh_math_test_cl, &options, "binary_f32", N, arrays, 3, &args);
    const double ulps = alg == PRIM_BINARY_DIV ? 2.5 : 0.5;
    for (int i = 0; i < N; ++i) {
        const double want = binary_formula(alg, (double)a[i], (double)b[i]);
        if (isnan(want) && isnan(y[i])) continue;
        if (fabs(want) >= FLT_MAX * (1 - 4 * FLT_EPSILON)) continue; // overflows, or may
        if (fabs((double)y[i] - want) <= ulps * ulp_of(want) + FLT_MIN) continue;
        fail_msg("%s(%.9g, %.9g) = %.9g, not %.9g", prim_alg_kind_name(alg), (double)a[i],
                (double)b[i], (double)y[i], want);
    }
}

static void binary_is_accurate(void **state)
{
    float *const a = malloc(N * sizeof *a), *const b = malloc(N * sizeof *b),
                 *const y = malloc(N * sizeof *y);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(y);
    fill_grid(a);
    for (int i = 0; i < N; ++i) {
        // Equal, opposite and unrelated operands, none so small that its quotient depends on
        // flushing.
        a[i] = fabsf(a[i]) < 0x1p-60f ? 1.5f : a[i];
        b[i] = i % 3 == 0 ? a[i] : i % 3 == 1 ? -a[i] : a[(i * 7 + 1) % N];
        if (fabsf(b[i]) < 0x1p-60f || fabsf(b[i]) > 0x1p100f) b[i] = 2.25f;
    }
    for (int alg = PRIM_BINARY_ADD; alg < PRIM_BINARY_SELECT; ++alg) {
        check_binary(*state, a, b, y, (prim_alg_kind_t)alg);
    }
    free(a);
    free(b);
    free(y);
}

// Halves to even. The parameters below are such that α·x + β is exact in 64 bits of mantissa.
static int64_t round_exactly(long double x)
{
    const long double limit = 1099511627776.0L;
    return (int64_t)rintl(x < -limit ? -limit : x > limit ? limit : x);
}

static int64_t int_formula(prim_alg_kind_t alg, int32_t x, float alpha, float beta)
{
    switch ((int)alg) {
    case PRIM_ELTWISE_RELU: return x > 0 ? x : round_exactly((long double)alpha * x);
    case PRIM_ELTWISE_LINEAR: return round_exactly((long double)alpha * x + beta);
    default: return round_exactly(clamp(x, alpha, beta));
    }
}

static int64_t saturate(int64_t x)
{
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}

static void integers_are_exact(void **state)
{
    static const struct {
        prim_alg_kind_t alg;
        float alpha, beta;
    } problems[] = {{PRIM_ELTWISE_RELU, 0.0f, 0.0f}, {PRIM_ELTWISE_RELU, 0.5f, 0.0f},
            {PRIM_ELTWISE_RELU, 0.3f, 0.0f}, {PRIM_ELTWISE_LINEAR, 1.0f, 0.0f},
            {PRIM_ELTWISE_LINEAR, 1.0f, 1.0f}, {PRIM_ELTWISE_LINEAR, 0.5f, 0.25f},
            {PRIM_ELTWISE_LINEAR, -0.1f, 3.3f}, {PRIM_ELTWISE_LINEAR, 1e30f, 0.0f},
            {PRIM_ELTWISE_LINEAR, 1e-12f, 0.5f}, {PRIM_ELTWISE_LINEAR, 1.0f, -16777217.5f},
            {PRIM_ELTWISE_CLIP, -3.5f, 4.5f}, {PRIM_ELTWISE_CLIP, -1e9f, 2e9f},
            {PRIM_ELTWISE_CLIP_V2, 0.5f, 1e30f}};
    int32_t *const x = malloc(N * sizeof *x);
    int64_t *const y = malloc(N * sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    uint32_t seed = 11;
    for (int i = 0; i < N; ++i) x[i] = (int32_t)next_random(&seed) >> (i % 32);
    const ocl_array_t arrays[] = {{x, N * sizeof *x}, {y, N * sizeof *y}};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    for (size_t p = 0; p < sizeof problems / sizeof problems[0]; ++p) {
        ocl_args_t args;
        prim__ocl_args_init(&args);
        prim__ocl_args_i32(&args, (int32_t)problems[p].alg);
        prim__ocl_args_f32(&args, problems[p].alpha);
        prim__ocl_args_f32(&args, problems[p].beta);
        prim__ocl_args_i64(&args, N);
        ocl_rig_run(
                *state, &prim__ocl_clh_math_test_cl, &options, "eltwise_s32", N, arrays, 2, &args);
        for (int i = 0; i < N; ++i) {
            const int64_t want =
                    int_formula(problems[p].alg, x[i], problems[p].alpha, problems[p].beta);
            if (saturate(y[i]) == saturate(want)) continue;
            fail_msg("%s(%d; %g, %g) = %lld, not %lld", prim_alg_kind_name(problems[p].alg), x[i],
                    (double)problems[p].alpha, (double)problems[p].beta, (long long)y[i],
                    (long long)want);
        }
    }
    free(x);
    free(y);
}

// Rows of 1 to 64 work-items, as they are and with a NaN in the last row.
static void rows_reduce(void **state)
{
    enum { ITEMS = 64 };
    const ocl_rig_t *const rig = *state;
    float x[ITEMS], sums[ITEMS], maxima[ITEMS];
    for (int problem = 0; problem < 14; ++problem) {
        const int lanes = 1 << problem / 2, last_row = ITEMS - lanes;
        const bool with_nan = problem % 2;
        for (int i = 0; i < ITEMS; ++i) x[i] = (float)((i * 37) % ITEMS) - 40.0f;
        if (with_nan) x[last_row + lanes / 2] = NAN;
        const ocl_array_t arrays[] = {{x, sizeof x}, {sums, sizeof sums}, {maxima, sizeof maxima}};
        ocl_options_t options;
        prim__ocl_options_init(&options);
        ocl_args_t args;
        prim__ocl_args_init(&args);
        prim__ocl_args_local(&args, ITEMS * sizeof(float));
        prim__ocl_args_i32(&args, lanes);
        ocl_rig_run_group(
                rig, &prim__ocl_clh_math_test_cl, &options, "reduce", ITEMS, arrays, 3, &args);
        for (int i = 0; i < ITEMS; ++i) {
            if (with_nan && i >= last_row) {
                assert_true(isnan(sums[i]) && isnan(maxima[i]));
                continue;
            }
            float sum = 0.0f, top = -INFINITY;
            for (int k = i / lanes * lanes; k < (i / lanes + 1) * lanes; ++k) {
                sum += x[k];
                top = fmaxf(top, x[k]);
            }
            assert_true(sums[i] == sum && maxima[i] == top);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(eltwise_is_accurate),
            cmocka_unit_test(eltwise_of_vectors_is_accurate),
            cmocka_unit_test(binary_is_accurate),
            cmocka_unit_test(integers_are_exact),
            cmocka_unit_test(rows_reduce),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
