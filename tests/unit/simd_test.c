// SPDX-License-Identifier: Apache-2.0
// The vector layer of the CPU engine on every instruction set of this processor: functions against
// those of C in double, and conversions against prim__load() and prim__store().
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "common/data_type.h"
#include "cpu/simd/simd_convert.h"
#include "cpu/simd/simd_eltwise.h"
#include "cpu/simd/simd_epilogue.h"
#include "cpu/simd/simd_rows.h"
#include "support/unit_test.h"

enum { NROW = 1021 }; // of no vector a multiple

typedef struct {
    const simd_eltwise_code_t *eltwise;
    const simd_convert_code_t *convert;
    const simd_rows_code_t *rows;
    const simd_epilogue_code_t *epilogue;
} level_t;

static const level_t levels[] = {
        {&prim__simd_eltwise_code_portable, &prim__simd_convert_code_portable,
                &prim__simd_rows_code_portable, &prim__simd_epilogue_code_portable},
#if PRIM_X64
        {&prim__simd_eltwise_code_avx2, &prim__simd_convert_code_avx2, &prim__simd_rows_code_avx2,
                &prim__simd_epilogue_code_avx2},
        {&prim__simd_eltwise_code_avx512, &prim__simd_convert_code_avx512,
                &prim__simd_rows_code_avx512, &prim__simd_epilogue_code_avx512},
#endif
};

static int nlevels(void)
{
    const int best = (int)prim__cpu_isa() + 1, all = (int)(sizeof levels / sizeof levels[0]);
    return best < all ? best : all;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double normal_times(double x)
{
    return x * erfc(-x * 0.70710678118654752440) / 2;
}

static double negative_expm1(double x)
{
    return x > 0 ? x : expm1(x);
}

typedef struct {
    const char *name;
    prim_alg_kind_t alg;
    double (*exact)(double x);
    double ulp;
} function_t;

static const function_t functions[] = {{"exp", PRIM_ELTWISE_EXP, exp, 1},
        {"log", PRIM_ELTWISE_LOG, log, 1}, {"tanh", PRIM_ELTWISE_TANH, tanh, 3},
        {"expm1", PRIM_ELTWISE_ELU, negative_expm1, 1},
        {"logistic", PRIM_ELTWISE_LOGISTIC, logistic, 2}, {"sqrt", PRIM_ELTWISE_SQRT, sqrt, 0.5},
        {"round", PRIM_ELTWISE_ROUND, nearbyint, 0}};

/// |got − exact| in units in the last place of f32 at the exact value.
static double error_in_ulp(float got, double exact)
{
    const float nearest = (float)exact;
    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0 : (double)INFINITY;
    if (isinf(nearest) || isinf(got)) return got == nearest ? 0 : (double)INFINITY;
    int exponent;
    (void)frexp(exact, &exponent);
    const int last = exponent - 24 < -149 ? -149 : exponent - 24;
    return fabs((double)got - exact) / ldexp(1, last);
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// Every 4097th float: all exponents, both signs, subnormal numbers, infinities and NaN.
static void functions_keep_their_bounds(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; ++f) {
        const simd_eltwise_t function = {functions[f].alg, 1, 0};
        for (int level = 0; level < nlevels(); ++level) {
            uint32_t bits = 0;
            double worst = 0;
            for (int row = 0; row < 1028; ++row) {
                float x[NROW], y[NROW];
                for (int i = 0; i < NROW; ++i, bits += 4097) x[i] = float_of(bits);
                if (row == 0) x[1] = INFINITY, x[2] = -INFINITY, x[3] = NAN, x[4] = -0.0F;
                levels[level].eltwise->forward(&function, y, x, NROW);
                for (int i = 0; i < NROW; ++i) {
                    const double error = error_in_ulp(y[i], functions[f].exact((double)x[i]));
                    if (error > functions[f].ulp)
                        fail_msg("%s(%a), level %d: %a is %g ulp off", functions[f].name,
                                (double)x[i], level, (double)y[i], error);
                    worst = error > worst ? error : worst;
                }
            }
            print_message("%s, level %d: %.3f ulp\n", functions[f].name, level, worst);
        }
    }
}

/// Underflow is what processors leave to microcode: ten times as long for a row with such an
/// element.
static void small_exponentials_do_not_underflow(void **state)
{
    (void)state;
    const simd_eltwise_t function = {PRIM_ELTWISE_EXP, 1, 0};
    for (int level = 0; level < nlevels(); ++level) {
        float x[NROW], y[NROW];
        for (int i = 0; i < NROW; ++i) x[i] = i % 2 == 0 ? -87.7F - (float)i : (float)i / NROW;
        x[0] = -INFINITY;
        feclearexcept(FE_ALL_EXCEPT);
        levels[level].eltwise->forward(&function, y, x, NROW);
        if (fetestexcept(FE_UNDERFLOW)) fail_msg("level %d: a product underflowed", level);
    }
}

/// The normal distribution by way of gelu, relative where it is small: the exponent's rounding
/// counts |x|²/2 times there.
static void gelu_follows_the_normal_distribution(void **state)
{
    (void)state;
    const simd_eltwise_t function = {PRIM_ELTWISE_GELU_ERF, 0, 0};
    for (int level = 0; level < nlevels(); ++level) {
        for (int i = -1000000; i <= 1000000; i += 7) {
            const float x = (float)i * 1.2e-5F;
            float y;
            levels[level].eltwise->forward(&function, &y, &x, 1);
            const double error = error_in_ulp(y, normal_times((double)x));
            if (error > 12 + 2 * (double)(x * x))
                fail_msg("gelu(%a), level %d: %g ulp off", (double)x, level, error);
        }
    }
}

/// Rows of numbers and of all that has no logarithm, forward and as the gradient of 1.
static void check_power(int level, float alpha, float beta, uint32_t first_bits)
{
    const simd_eltwise_t function = {PRIM_ELTWISE_POW, alpha, beta};
    const double a = (double)alpha, b = (double)beta;
    float x[NROW] = {
            0, -0.0F, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149F, -0x1p-149F, 0x1.fffffep127F};
    float ones[NROW], y[2][NROW];
    uint32_t bits = first_bits;
    for (int i = 10; i < NROW; ++i, bits += 4097 * 1021) x[i] = float_of(bits);
    for (int i = 0; i < NROW; ++i) ones[i] = 1;
    levels[level].eltwise->forward(&function, y[0], x, NROW);
    levels[level].eltwise->backward(&function, y[1], ones, x, NROW);
    for (int i = 0; i < NROW; ++i) {
        const double exact[] = {
                a * pow((double)x[i], b), b == 0 ? 0 : a * b * pow((double)x[i], b - 1)};
        // An infinite slope times a power of 0 is nothing to agree on.
        for (int k = 0; k < (isinf(beta) ? 1 : 2); ++k) {
            const double error = error_in_ulp(y[k][i], exact[k]);
            const bool is_sign = y[k][i] != 0 || signbit(y[k][i]) == signbit((float)exact[k]);
            if (error > 0.51 || !is_sign)
                fail_msg("pow %d of %a, alpha %a, beta %a, level %d: %a is %g ulp off", k,
                        (double)x[i], a, b, level, (double)y[k][i], error);
        }
    }
}

/// With the special cases of C's pow; factors that bring back what x^beta alone would lose.
static void powers_are_rounded_once(void **state)
{
    (void)state;
    const float exponents[] = {0, 1, 2, 3, -1, -2, -3, 0.5F, -0.5F, 0.75F, 2.5F, -1.5F, 1 / 3.0F,
            1e-4F, 40, 41, -60.25F, 16777216, 8388609, INFINITY, -INFINITY, NAN};
    const float factors[] = {1, -0.3F, 0x1p-140F, 0x1p100F};
    for (int level = 0; level < nlevels(); ++level) {
        for (size_t b = 0; b < sizeof exponents / sizeof exponents[0]; ++b) {
            for (size_t a = 0; a < 4; ++a) {
                for (uint32_t row = 0; row < 40; ++row)
                    check_power(level, factors[a], exponents[b], row * 4097);
            }
        }
    }
}

static void short_floats_are_read(void **state)
{
    (void)state;
    const prim_data_type_t types[] = {PRIM_F16, PRIM_BF16};
    static uint16_t codes[1 << 16];
    static float row[1 << 16];
    for (int i = 0; i < 1 << 16; ++i) codes[i] = (uint16_t)i;
    for (int level = 0; level < nlevels(); ++level) {
        for (int t = 0; t < 2; ++t) {
            levels[level].convert->load(row, codes, types[t], 1 << 16);
            for (int i = 0; i < 1 << 16; ++i) {
                const float exact = (float)prim__load(codes, types[t], i);
                assert_true(row[i] == exact ? signbit(row[i]) == signbit(exact)
                                            : isnan(row[i]) && isnan(exact));
            }
        }
    }
}

/// Values between those of f16 and bf16, their halves and neighbours, and what overflows.
static void rows_are_rounded_as_elements_are(void **state)
{
    (void)state;
    const prim_data_type_t types[] = {PRIM_F16, PRIM_BF16, PRIM_S8, PRIM_U8, PRIM_F32};
    for (int level = 0; level < nlevels(); ++level) {
        for (int t = 0; t < 5; ++t) {
            const size_t bytes = prim__dt_bytes(types[t]);
            uint32_t bits = 0;
            for (int round = 0; round < 1028; ++round) {
                float row[NROW];
                for (int i = 0; i < NROW; ++i, bits += 4095 + (i & 1)) row[i] = float_of(bits);
                if (round < 300) {
                    for (int i = 0; i < NROW; ++i)
                        row[i] = (float)(i - NROW / 2) * 0.5F + 0.001F * (float)(round % 3);
                }
                unsigned char got[NROW * 4 + 1], exact[NROW * 4];
                got[NROW * bytes] = 0x5a;
                levels[level].convert->store(got, row, types[t], NROW);
                assert_int_equal(got[NROW * bytes], 0x5a);
                for (int i = 0; i < NROW; ++i) {
                    prim__store(exact, types[t], i, (double)row[i]);
                    if (!isnan(row[i]) || prim__dt_is_integer(types[t])) continue;
                    // A NaN is one, whatever its bits.
                    assert_true(isnan(prim__load(got, types[t], i)));
                    prim__store(got, types[t], i, (double)row[i]);
                }
                assert_memory_equal(got, exact, NROW * bytes);
            }
        }
    }
}

/// Sums of floats, from -260 to 260 by halves and a little, or of any bits; and of integers.
static void draw_sums(float *sums, int n, int round)
{
    static uint32_t bits;
    for (int i = 0; i < n; ++i, bits += 7654321) {
        sums[i] = (float)((int)(bits >> 8) % 521) * 0.5F + 0.001F * (float)(round % 3);
        if (round % 4 == 1) sums[i] = float_of(bits);
        const int32_t integer = (int32_t)(bits >> 4) % 1000 - 500;
        if (round % 4 == 2) memcpy(&sums[i], &integer, sizeof integer);
    }
}

static void expect_epilogue(
        const simd_epilogue_code_t *code, prim_data_type_t dt, int round, prim_dim_t n)
{
    enum { MOST = 200, GAP = 3 };
    float sums[2 * MOST], shift[MOST];
    draw_sums(sums, 2 * MOST, round);
    for (int i = 0; i < MOST; ++i) shift[i] = (float)(i % 5) - 2;
    unsigned char got[(2 * MOST + GAP) * 4], exact[(2 * MOST + GAP) * 4];
    memset(got, 0x5a, sizeof got);
    memset(exact, 0x5a, sizeof exact);
    const simd_epilogue_t epilogue = {
            .shift = round % 2 ? NULL : shift, .dst = (char *)got, .dt = dt};
    const simd_epilogue_rows_t rows = {.sums = sums,
            .are_integers = round % 4 == 2,
            .sums_row = MOST,
            .nrows = 2,
            .n = n,
            .dst_row = n + GAP};
    code->finish(&epilogue, &rows);
    for (prim_dim_t i = 0; i < 2 * n; ++i) {
        const prim_dim_t at = i / n * MOST + i % n;
        int32_t integer;
        memcpy(&integer, &sums[at], sizeof integer);
        const float sum = rows.are_integers ? (float)integer : sums[at];
        prim__store(exact, dt, i / n * (n + GAP) + i % n,
                (double)(epilogue.shift ? sum + shift[i % n] : sum));
    }
    const size_t bytes = (size_t)(2 * n + GAP) * prim__dt_bytes(dt);
    for (prim_dim_t i = 0; i < 2 * n + GAP && !prim__dt_is_integer(dt); ++i)
        if (isnan(prim__load(got, dt, i)) && isnan(prim__load(exact, dt, i))) // a NaN is one
            prim__store(got, dt, i, 0), prim__store(exact, dt, i, 0);
    assert_memory_equal(got, exact, bytes);
}

/// Rows of one part of a vector up to some whole ones, and what is behind them stays.
static void epilogues_store_as_elements_are(void **state)
{
    (void)state;
    const prim_data_type_t types[] = {PRIM_F16, PRIM_BF16, PRIM_S8, PRIM_U8, PRIM_F32};
    for (int t = 0; t < 5; ++t) {
        for (int round = 0; round < 200; ++round) {
            const prim_dim_t n = 1 + round * 7 % 200;
            for (int level = 0; level < nlevels(); ++level)
                expect_epilogue(levels[level].epilogue, types[t], round, n);
            expect_epilogue(prim__simd_epilogue_choose(types[t]), types[t], round, n);
        }
    }
}

static void extremes_are_found_at_every_place(void **state)
{
    (void)state;
    for (int level = 0; level < nlevels(); ++level) {
        for (int n = 1; n < 150; ++n) {
            float row[150];
            for (int i = 0; i < n; ++i) row[i] = -3.0F;
            for (int at = 0; at < n; ++at) {
                row[at] = -1.0F;
                assert_true(levels[level].rows->extreme(row, false, n) == -1.0F);
                row[at] = -5.0F;
                assert_true(levels[level].rows->extreme(row, true, n) == -5.0F);
                row[at] = NAN;
                assert_true(isnan(levels[level].rows->extreme(row, false, n)));
                assert_true(isnan(levels[level].rows->extreme(row, true, n)));
                row[at] = -3.0F;
            }
        }
    }
}

/// Quotients that are subnormal, and factors that are no fractions.
static void softmax_has_every_factor(void **state)
{
    static const float factors[] = {1, 0.25F, 0, -3, 0x1p90F, -0x1p-100F};
    (void)state;
    float x[NROW], got[NROW];
    double sum = 0;
    for (int i = 0; i < NROW; ++i) x[i] = (float)(i % 111) * -0.93F;
    for (int i = 0; i < NROW; ++i) sum += exp((double)x[i]);
    for (int level = 0; level < nlevels(); ++level) {
        for (size_t k = 0; k < sizeof factors / sizeof *factors; ++k) {
            levels[level].rows->softmax(got, x, factors[k], NROW);
            for (int i = 0; i < NROW; ++i) {
                const double exact = exp((double)x[i]) / sum * (double)factors[k];
                const double error = fabs(exact) * 4e-6 + 0x1p-149;
                assert_true(fabs((double)got[i] - exact) <= error);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(functions_keep_their_bounds),
            cmocka_unit_test(small_exponentials_do_not_underflow),
            cmocka_unit_test(gelu_follows_the_normal_distribution),
            cmocka_unit_test(powers_are_rounded_once),
            cmocka_unit_test(short_floats_are_read),
            cmocka_unit_test(rows_are_rounded_as_elements_are),
            cmocka_unit_test(epilogues_store_as_elements_are),
            cmocka_unit_test(softmax_has_every_factor),
            cmocka_unit_test(extremes_are_found_at_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
