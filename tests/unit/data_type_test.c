// SPDX-License-Identifier: Apache-2.0
// Element types: every code of the short floats both ways, every tie between neighbours,
// saturation.
#include "common/data_type.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "prim/prim.h"
#include "support/unit_test.h"

/// A binary format, told by its field widths alone; values are computed by ldexp from the
/// definition.
typedef struct {
    prim_data_type_t dt;
    int bits, mantissa_bits, bias;
    bool has_infinity; ///< else the topmost exponent holds numbers, and one NaN
} format_t;

static const format_t formats[] = {
        {PRIM_F16, 16, 10, 15, true},
        {PRIM_BF16, 16, 7, 127, true},
        {PRIM_F8_E5M2, 8, 2, 15, true},
        {PRIM_F8_E4M3, 8, 3, 7, false},
};

static unsigned ncodes(const format_t *f)
{
    return 1U << f->bits;
}

static unsigned sign_of(const format_t *f)
{
    return 1U << (f->bits - 1);
}

static unsigned top_exponent(const format_t *f)
{
    return (1U << (f->bits - 1 - f->mantissa_bits)) - 1;
}

static double value_of(const format_t *f, unsigned code)
{
    const unsigned magnitude = code & (sign_of(f) - 1);
    const unsigned exponent = magnitude >> f->mantissa_bits;
    const unsigned mantissa = magnitude & ((1U << f->mantissa_bits) - 1);
    const double sign = code & sign_of(f) ? -1 : 1;
    if (f->has_infinity && exponent == top_exponent(f))
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (!f->has_infinity && magnitude == sign_of(f) - 1) return (double)NAN;
    const int scale = (exponent ? (int)exponent : 1) - f->bias - f->mantissa_bits;
    return sign * ldexp(mantissa + (exponent ? ldexp(1, f->mantissa_bits) : 0), scale);
}

static unsigned max_finite(const format_t *f)
{
    return f->has_infinity ? (top_exponent(f) << f->mantissa_bits) - 1 : sign_of(f) - 2;
}

static double load_code(const format_t *f, unsigned code)
{
    // Element 1, so that the index counts.
    const uint8_t bytes[2] = {0, (uint8_t)code};
    const uint16_t words[2] = {0, (uint16_t)code};
    return prim__load(f->bits == 8 ? (const void *)bytes : words, f->dt, 1);
}

static unsigned store_code(const format_t *f, double value)
{
    uint8_t bytes[3] = {0xa5, 0, 0xa5};
    uint16_t words[3] = {0xa5a5, 0, 0xa5a5};
    prim__store(f->bits == 8 ? (void *)bytes : words, f->dt, 1, value);
    assert_true(bytes[0] == 0xa5 && bytes[2] == 0xa5);
    assert_true(words[0] == 0xa5a5 && words[2] == 0xa5a5);
    return f->bits == 8 ? bytes[1] : words[1];
}

static void every_code_loads_and_stores(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(formats); ++i) {
        const format_t *const f = &formats[i];
        for (unsigned code = 0; code < ncodes(f); ++code) {
            const double expected = value_of(f, code), got = load_code(f, code);
            if (isnan(expected)) {
                assert_true(isnan(got));
                assert_true(isnan(value_of(f, store_code(f, got))));
                continue;
            }
            assert_true(got == expected && !signbit(got) == !signbit(expected));
            assert_int_equal(store_code(f, got), code);
        }
    }
}

/// Between two neighbours: the middle goes to the even one, everything else to the nearer one.
static void every_gap_rounds_to_nearest_even(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(formats); ++i) {
        const format_t *const f = &formats[i];
        for (unsigned code = 0; code < max_finite(f); ++code) {
            for (unsigned sign = 0; sign <= sign_of(f); sign += sign_of(f)) {
                const double low = value_of(f, sign | code), high = value_of(f, sign | (code + 1));
                const double middle = (low + high) / 2; // exact: one more bit
                const unsigned even = code & 1 ? code + 1 : code;
                assert_int_equal(store_code(f, middle), sign | even);
                assert_int_equal(store_code(f, nextafter(middle, low)), sign | code);
                assert_int_equal(store_code(f, nextafter(middle, high)), sign | (code + 1));
                assert_int_equal(store_code(f, nextafter(low, high)), sign | code);
                assert_int_equal(store_code(f, nextafter(high, low)), sign | (code + 1));
            }
        }
    }
}

static void beyond_the_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(formats); ++i) {
        const format_t *const f = &formats[i];
        const unsigned top = max_finite(f), sign = sign_of(f);
        const double last = value_of(f, top);
        // Half a unit of the last place above the largest number: e4m3's is even, so the tie goes
        // to it; the others' are odd.
        const double edge = last + (last - value_of(f, top - 1)) / 2;
        const unsigned above = top + 1; // infinity, or e4m3's NaN
        assert_int_equal(store_code(f, edge), f->has_infinity ? above : top);
        assert_int_equal(store_code(f, nextafter(edge, 0)), top);
        assert_int_equal(store_code(f, nextafter(edge, INFINITY)), above);
        assert_int_equal(store_code(f, -nextafter(edge, INFINITY)), sign | above);
        assert_int_equal(store_code(f, DBL_MAX), above);
        assert_int_equal(store_code(f, INFINITY), above);
        assert_int_equal(store_code(f, -INFINITY), sign | above);
        assert_true(isnan(value_of(f, store_code(f, NAN))));

        const double smallest = value_of(f, 1);
        assert_int_equal(store_code(f, smallest / 4), 0);
        assert_int_equal(store_code(f, -smallest / 4), sign);
        assert_int_equal(store_code(f, DBL_MIN), 0);
        assert_int_equal(store_code(f, -DBL_MIN / 8), sign);
        assert_int_equal(store_code(f, -0.0), sign);
    }
}

static void singles_and_doubles(void **state)
{
    (void)state;
    static const double exact[] = {0, 1, -1.5, 0x1.fffffep127, 0x1p-149, -0x1.000002p-126};
    for (size_t i = 0; i < COUNT_OF(exact); ++i) {
        float f32[2] = {0};
        double f64[2] = {0};
        prim__store(f32, PRIM_F32, 1, exact[i]);
        prim__store(f64, PRIM_F64, 1, exact[i]);
        assert_true((double)f32[1] == exact[i] && prim__load(f32, PRIM_F32, 1) == exact[i]);
        assert_true(f64[1] == exact[i] && prim__load(f64, PRIM_F64, 1) == exact[i]);
    }
    float f32;
    prim__store(&f32, PRIM_F32, 0, 1 + 0x1p-24); // a tie
    assert_true(f32 == 1.0F);
    prim__store(&f32, PRIM_F32, 0, 1 + 3 * 0x1p-24);
    assert_true(f32 == 1.0F + 2 * FLT_EPSILON);
    prim__store(&f32, PRIM_F32, 0, 1 + 0x1p-24 + 0x1p-50);
    assert_true(f32 == 1.0F + FLT_EPSILON);
    prim__store(&f32, PRIM_F32, 0, 1e300);
    assert_true(isinf(f32));
    prim__store(&f32, PRIM_F32, 0, NAN);
    assert_true(isnan(f32));
    double f64;
    prim__store(&f64, PRIM_F64, 0, -INFINITY);
    assert_true(prim__load(&f64, PRIM_F64, 0) == -INFINITY);
}

typedef struct {
    prim_data_type_t dt;
    double value, stored;
} integer_case_t;

static const integer_case_t integer_cases[] = {
        {PRIM_S8, 0.5, 0},
        {PRIM_S8, 1.5, 2},
        {PRIM_S8, 2.5, 2},
        {PRIM_S8, -0.5, 0},
        {PRIM_S8, -1.5, -2},
        {PRIM_S8, -2.5, -2},
        {PRIM_S8, 0x1.fffffffffffffp-2, 0},
        {PRIM_S8, 127.4, 127},
        {PRIM_S8, 127.5, 127},
        {PRIM_S8, 1e30, 127},
        {PRIM_S8, -128.5, -128},
        {PRIM_S8, -1e30, -128},
        {PRIM_U8, -0.5, 0},
        {PRIM_U8, -1, 0},
        {PRIM_U8, 254.5, 254},
        {PRIM_U8, 255.5, 255},
        {PRIM_U8, 300, 255},
        {PRIM_S32, 2147483646.5, 2147483646},
        {PRIM_S32, 2147483647.0, 2147483647},
        {PRIM_S32, 2147483648.0, 2147483647},
        {PRIM_S32, -2147483648.0, -2147483648.0},
        {PRIM_S32, -2147483649.0, -2147483648.0},
        {PRIM_S32, 16777217.0, 16777217},
};

static void integers_round_and_saturate(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(integer_cases); ++i) {
        const integer_case_t *const c = &integer_cases[i];
        int32_t storage[2] = {0};
        prim__store(storage, c->dt, 1, c->value);
        if (prim__load(storage, c->dt, 1) != c->stored) {
            fail_msg("%s: %.17g became %.17g, not %.17g", prim_data_type_name(c->dt), c->value,
                    prim__load(storage, c->dt, 1), c->stored);
        }
    }
    static const prim_data_type_t integers[] = {PRIM_S8, PRIM_U8, PRIM_S32};
    static const double top[] = {127, 255, 2147483647};
    static const double bottom[] = {-128, 0, -2147483648.0};
    for (size_t i = 0; i < COUNT_OF(integers); ++i) {
        int32_t storage = 77;
        prim__store(&storage, integers[i], 0, NAN);
        assert_true(prim__load(&storage, integers[i], 0) == 0);
        prim__store(&storage, integers[i], 0, INFINITY);
        assert_true(prim__load(&storage, integers[i], 0) == top[i]);
        prim__store(&storage, integers[i], 0, -INFINITY);
        assert_true(prim__load(&storage, integers[i], 0) == bottom[i]);
    }
}

/// Each byte, with every eighth around it.
static void every_byte_loads_and_stores(void **state)
{
    (void)state;
    for (int code = 0; code < 256; ++code) {
        const uint8_t u8 = (uint8_t)code;
        int8_t s8;
        memcpy(&s8, &u8, 1);
        assert_true(prim__load(&u8, PRIM_U8, 0) == code);
        assert_true(prim__load(&s8, PRIM_S8, 0) == (code < 128 ? code : code - 256));
        for (int eighth = -4; eighth <= 4; ++eighth) {
            const double value = code + eighth / 8.0;
            int expected = eighth == 4 && code % 2 ? code + 1 : code;
            if (eighth == -4 && code % 2) expected = code - 1;
            if (expected > 255) expected = 255;
            uint8_t stored;
            prim__store(&stored, PRIM_U8, 0, value);
            assert_int_equal(stored, expected);
        }
    }
}

typedef struct {
    prim_data_type_t dt;
    size_t bytes;
    bool is_integer, is_float, is_supported;
} class_case_t;

static const class_case_t class_cases[] = {
        {PRIM_DATA_TYPE_UNDEF, 0, false, false, false},
        {PRIM_F16, 2, false, true, true},
        {PRIM_BF16, 2, false, true, true},
        {PRIM_F32, 4, false, true, true},
        {PRIM_S32, 4, true, false, true},
        {PRIM_S8, 1, true, false, true},
        {PRIM_U8, 1, true, false, true},
        {PRIM_F64, 8, false, true, true},
        {PRIM_BOOLEAN, 1, true, false, false},
        {PRIM_F8_E5M2, 1, false, true, true},
        {PRIM_F8_E4M3, 1, false, true, true},
        {PRIM_S4, 1, true, false, false},
        {PRIM_U4, 1, true, false, false},
        {PRIM_E8M0, 1, false, false, false},
        {PRIM_F4_E2M1, 1, false, true, false},
        {PRIM_F4_E3M0, 1, false, true, false},
        {(prim_data_type_t)16, 0, false, false, false},
        {(prim_data_type_t)-1, 0, false, false, false},
        {(prim_data_type_t)1000000, 0, false, false, false},
};

static void classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(class_cases); ++i) {
        const class_case_t *const c = &class_cases[i];
        assert_int_equal(prim__dt_bytes(c->dt), c->bytes);
        assert_int_equal(prim_data_type_size(c->dt), c->bytes);
        assert_int_equal(prim__dt_is_integer(c->dt), c->is_integer);
        assert_int_equal(prim__dt_is_float(c->dt), c->is_float);
        assert_int_equal(prim__dt_is_int8(c->dt), c->dt == PRIM_S8 || c->dt == PRIM_U8);
        assert_int_equal(prim__dt_is_supported(c->dt), c->is_supported);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_code_loads_and_stores),
            cmocka_unit_test(every_gap_rounds_to_nearest_even),
            cmocka_unit_test(beyond_the_range),
            cmocka_unit_test(singles_and_doubles),
            cmocka_unit_test(integers_round_and_saturate),
            cmocka_unit_test(every_byte_loads_and_stores),
            cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
