// SPDX-License-Identifier: Apache-2.0
// benchdnn's own data types and layout walking: the oracle has to be right before it judges.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench_layout.h"
#include "core/bench_memory.h"
#include "core/bench_numeric.h"
#include "support/unit_test.h"

static const prim_data_type_t narrow[] = {PRIM_F16, PRIM_BF16, PRIM_S8, PRIM_U8, PRIM_F8_E5M2,
        PRIM_F8_E4M3, PRIM_S4, PRIM_U4, PRIM_E8M0, PRIM_F4_E2M1, PRIM_F4_E3M0};

static void every_code_comes_back(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT_OF(narrow); ++t) {
        const prim_data_type_t dt = narrow[t];
        for (uint64_t bits = 0; bits < (uint64_t)1 << dt_bits(dt); ++bits) {
            const double value = dt_decode(dt, bits);
            if (isnan(value)) {
                assert_true(isnan(dt_decode(dt, dt_encode(dt, value))));
                continue;
            }
            assert_int_equal(dt_encode(dt, value), bits);
            assert_true(dt_round(dt, value) == value);
        }
    }
}

/// Between two neighbours: to the nearer; in the middle to the even code. (f4_e3m0 has one digit,
/// which is never even: the larger magnitude then, IEEE 754-2019 section 4.3.1.)
static void rounding_is_to_nearest_even(void **state)
{
    (void)state;
    static const prim_data_type_t floats[] = {
            PRIM_F16, PRIM_BF16, PRIM_F8_E5M2, PRIM_F8_E4M3, PRIM_F4_E2M1, PRIM_F4_E3M0};
    for (size_t t = 0; t < COUNT_OF(floats); ++t) {
        const prim_data_type_t dt = floats[t];
        const uint64_t ncodes = (uint64_t)1 << (dt_bits(dt) - 1);
        for (uint64_t bits = 0; bits + 1 < ncodes; ++bits) {
            const double low = dt_decode(dt, bits), high = dt_decode(dt, bits + 1);
            if (!isfinite(low) || !isfinite(high)) break;
            const double middle = (low + high) / 2., step = (high - low) / 1024.;
            assert_true(dt_round(dt, middle - step) == low);
            assert_true(dt_round(dt, middle + step) == high);
            const bool is_up = bits % 2 || (dt == PRIM_F4_E3M0 && bits > 0);
            assert_true(dt_round(dt, middle) == (is_up ? high : low));
            assert_true(dt_round(dt, -middle) == (is_up ? -high : -low));
        }
    }
}

static void edges_of_types(void **state)
{
    (void)state;
    assert_true(dt_round(PRIM_S8, 127.4) == 127. && dt_round(PRIM_S8, 300.) == 127.);
    assert_true(dt_round(PRIM_S8, -1e9) == -128. && dt_round(PRIM_U8, -3.) == 0.);
    assert_true(dt_round(PRIM_S32, 3e9) == 2147483647. && dt_round(PRIM_S8, 2.5) == 2.);
    assert_true(dt_round(PRIM_S8, -0.5) == 0. && !signbit(dt_round(PRIM_S8, -0.5)));
    assert_true(isinf(dt_round(PRIM_F16, 65520.)) && dt_round(PRIM_F16, 65519.) == 65504.);
    assert_true(isinf(dt_round(PRIM_BF16, 3.4e38 * 10.)) && isinf(dt_round(PRIM_F16, 1e300)));
    assert_true(dt_round(PRIM_F8_E4M3, 464.) == 448. && isnan(dt_round(PRIM_F8_E4M3, 480.)));
    assert_true(dt_round(PRIM_F4_E2M1, 100.) == 6. && dt_round(PRIM_F4_E3M0, -100.) == -16.);
    assert_true(dt_epsilon(PRIM_F32) == (double)FLT_EPSILON && dt_epsilon(PRIM_F16) == 0x1p-10);
    assert_true(dt_epsilon(PRIM_BF16) == 0x1p-7 && dt_epsilon(PRIM_S8) == 0.);
    assert_true(dt_decode(PRIM_F16, 0x3c00) == 1. && dt_decode(PRIM_F16, 1) == 0x1p-24);
    assert_true(dt_decode(PRIM_BF16, 0xc040) == -3. && dt_decode(PRIM_F8_E5M2, 0x3c) == 1.);
    assert_true(dt_decode(PRIM_E8M0, 127) == 1. && dt_decode(PRIM_S4, 0xf) == -1.);
}

static void functions_have_known_values(void **state)
{
    (void)state;
    static const struct {
        prim_alg_kind_t alg;
        double x, alpha, beta, expected;
    } rows[] = {
            {PRIM_ELTWISE_RELU, -2., 0.5, 0., -1.},
            {PRIM_ELTWISE_ELU, -1., 2., 0., 2. * -0.63212055882855767840},
            {PRIM_ELTWISE_LINEAR, 3., 2., 1., 7.},
            {PRIM_ELTWISE_SOFT_RELU, 0., 2., 0., 0.34657359027997265471},
            {PRIM_ELTWISE_SOFT_RELU, 1000., 1., 0., 1000.},
            {PRIM_ELTWISE_LOGISTIC, 0., 0., 0., 0.5},
            {PRIM_ELTWISE_GELU_ERF, 1., 0., 0., 0.84134474606854294859},
            {PRIM_ELTWISE_GELU_TANH, 1., 0., 0., 0.84119199060827670478},
            {PRIM_ELTWISE_SWISH, 1., 1., 0., 0.73105857863000487926},
            {PRIM_ELTWISE_MISH, 1., 0., 0., 0.86509838826731034612},
            {PRIM_ELTWISE_POW, 3., 2., 2., 18.},
            {PRIM_ELTWISE_CLIP, 5., -1., 2., 2.},
            {PRIM_ELTWISE_HARDSIGMOID, 1., 0.25, 0.5, 0.75},
            {PRIM_ELTWISE_HARDSWISH, 2., 0.25, 0.25, 1.5},
            {PRIM_ELTWISE_ROUND, 2.5, 0., 0., 2.},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        const double got = ref_eltwise(rows[i].alg, rows[i].x, rows[i].alpha, rows[i].beta);
        assert_true(fabs(got - rows[i].expected) <= 1e-15 * fabs(rows[i].expected));
    }
    assert_true(ref_binary(PRIM_BINARY_SUB, 5., 7., 0.) == -2.);
    assert_true(ref_binary(PRIM_BINARY_GE, 2., 2., 0.) == 1.);
    assert_true(ref_binary(PRIM_BINARY_SELECT, 1., 2., 0.) == 2.);
}

static void fill_counting(double *values, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) values[i] = (double)(i % 15 - 7);
}

/// Stores, loads, and finds every element where the layout's text says it lies.
static void layouts_are_walked(void **state)
{
    (void)state;
    static const char *const tags[] = {
            "abcd", "acdb", "dcba", "aBcd16b", "ABcd4a4b", "ABcd4b16a4b", "aBcd8b", "Abcd16a"};
    static const prim_data_type_t types[] = {
            PRIM_F32, PRIM_F64, PRIM_F16, PRIM_S8, PRIM_S4, PRIM_S32};
    const prim_dim_t dims[] = {3, 18, 5, 7};
    double values[3 * 18 * 5 * 7], back[3 * 18 * 5 * 7];
    fill_counting(values, (int64_t)COUNT_OF(values));
    for (size_t k = 0; k < COUNT_OF(tags) * COUNT_OF(types); ++k) {
        prim_memory_desc_t md;
        const prim_data_type_t dt = types[k % COUNT_OF(types)];
        assert_int_equal(
                prim_memory_desc_init_by_string_tag(&md, 4, dims, dt, tags[k / COUNT_OF(types)]),
                PRIM_SUCCESS);
        const size_t bytes = prim_memory_desc_get_size(&md);
        unsigned char *const buffer = malloc(bytes);
        assert_non_null(buffer);
        memset(buffer, 0xff, bytes);
        layout_clear_padding(&md, buffer);
        assert_int_equal(layout_count_dirty_padding(&md, buffer), 0);
        layout_store(&md, dt, buffer, values);
        assert_int_equal(layout_count_dirty_padding(&md, buffer), 0);
        layout_load(&md, dt, buffer, back);
        assert_memory_equal(back, values, sizeof values);
        free(buffer);
    }
}

static void blocked_places_follow_the_definition(void **state)
{
    (void)state;
    const prim_dim_t dims[] = {2, 18, 3, 2};
    enum { NPADDED = 2 * 32 * 3 * 2 };
    double values[2 * 18 * 3 * 2];
    float buffer[NPADDED];
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, "aBcd16b"), PRIM_SUCCESS);
    for (size_t i = 0; i < COUNT_OF(values); ++i) values[i] = (double)i;
    for (int i = 0; i < NPADDED; ++i) buffer[i] = -1.f;
    layout_store(&md, PRIM_F32, buffer, values);
    int64_t i = 0, ndirty = 0;
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 18; ++b)
            for (int c = 0; c < 3; ++c)
                for (int d = 0; d < 2; ++d)
                    assert_true(buffer[(((a * 2 + b / 16) * 3 + c) * 2 + d) * 16 + b % 16] ==
                                (float)i++);
    for (int place = 0; place < NPADDED; ++place) ndirty += buffer[place] == -1.f;
    assert_int_equal(ndirty, 2 * 14 * 3 * 2);
    assert_int_equal(layout_count_dirty_padding(&md, buffer), ndirty);
    layout_clear_padding(&md, buffer);
    assert_int_equal(layout_count_dirty_padding(&md, buffer), 0);
    assert_true(buffer[0] == 0.f && buffer[1] == 6.f); // the data stay
}

static void check_guard(prim_engine_kind_t kind)
{
    prim_engine_t *engine = NULL;
    prim_memory_desc_t md;
    arg_memory_t *memory = NULL;
    const prim_dim_t dims[] = {5, 3};
    assert_int_equal(prim_engine_create(&engine, kind, 0), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_init_by_tag(&md, 2, dims, PRIM_F32, PRIM_ab), PRIM_SUCCESS);
    assert_int_equal(arg_memory_create(&memory, &md, engine, POISON), PRIM_SUCCESS);
    unsigned char *bytes = arg_memory_map(memory);
    assert_non_null(bytes);
    for (int i = 0; i < 60 + GUARD_BYTES; ++i) assert_int_equal(bytes[i], POISON);
    memset(bytes, 0, 60);
    assert_true(arg_memory_guard_holds(memory, bytes, POISON));
    bytes[60] = 0;
    assert_int_equal(arg_memory_unmap(memory, bytes), PRIM_SUCCESS);
    bytes = arg_memory_map(memory);
    assert_non_null(bytes);
    assert_false(arg_memory_guard_holds(memory, bytes, POISON));
    assert_int_equal(arg_memory_unmap(memory, bytes), PRIM_SUCCESS);
    arg_memory_destroy(memory);
    prim_engine_destroy(engine);
}

static void guards_see_overruns(void **state)
{
    (void)state;
    check_guard(PRIM_CPU);
    if (prim_engine_get_count(PRIM_GPU) > 0) check_guard(PRIM_GPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_code_comes_back),
            cmocka_unit_test(rounding_is_to_nearest_even),
            cmocka_unit_test(edges_of_types),
            cmocka_unit_test(functions_have_known_values),
            cmocka_unit_test(layouts_are_walked),
            cmocka_unit_test(blocked_places_follow_the_definition),
            cmocka_unit_test(guards_see_overruns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
