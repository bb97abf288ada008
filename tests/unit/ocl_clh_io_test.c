// SPDX-License-Identifier: Apache-2.0
// Every load and store of the device code against the host's conversions: all bit patterns of the
// 8- and 16-bit types, and for stores every value on and beside a rounding boundary.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/data_type.h"
#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_clh_io_test_cl;

enum { MAX_ELEMS = 1 << 19 };

static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_BF16, PRIM_S32, PRIM_S8, PRIM_U8};
enum { NTYPES = sizeof types / sizeof types[0] };

static ocl_options_t options_for(prim_data_type_t dt)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "T", dt);
    return options;
}

static void *array(size_t count, size_t bytes)
{
    void *const a = calloc(count, bytes);
    assert_non_null(a);
    return a;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state;
}

static bool same_float(float a, double b)
{
    return isnan(b) ? isnan(a) != 0 : (double)a == b;
}

// All patterns of a short type, random ones of a long one. Returns the number of elements.
static int64_t fill_patterns(void *x, prim_data_type_t dt)
{
    const size_t bytes = prim__dt_bytes(dt);
    if (bytes == 1) {
        for (int i = 0; i < 256; ++i) ((uint8_t *)x)[i] = (uint8_t)i;
        return 256;
    }
    if (bytes == 2) {
        for (int i = 0; i < 65536; ++i) ((uint16_t *)x)[i] = (uint16_t)i;
        return 65536;
    }
    uint32_t seed = 1;
    for (int i = 0; i < 65536; ++i) ((uint32_t *)x)[i] = next_random(&seed);
    return 65536;
}

static void check_load(const ocl_rig_t *rig, prim_data_type_t dt)
{
    const size_t bytes = prim__dt_bytes(dt);
    void *const x = array(MAX_ELEMS, bytes);
    const int64_t n = fill_patterns(x, dt);
    float *const named = array((size_t)n, sizeof(float)), *const any =
                                                                  array((size_t)n, sizeof(float));
    const ocl_array_t arrays[] = {{x, (size_t)n * bytes}, {named, (size_t)n * sizeof(float)},
            {any, (size_t)n * sizeof(float)}};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i64(&args, n);
    const ocl_options_t options = options_for(dt);
    ocl_rig_run(rig, &prim__ocl_clh_io_test_cl, &options, "load", n, arrays, 3, &args);
    for (int64_t i = 0; i < n; ++i) {
        const float want = (float)prim__load(x, dt, i); // s32: rounds to nearest even as well
        if (!same_float(named[i], (double)want) || !same_float(any[i], (double)want)) {
            fail_msg("%s element %lld: %a and %a, not %a", prim_data_type_name(dt), (long long)i,
                    (double)named[i], (double)any[i], (double)want);
        }
    }
    free(x);
    free(named);
    free(any);
}

static void loads_match_host(void **state)
{
    for (int t = 0; t < NTYPES; ++t) check_load(*state, types[t]);
}

static float float_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Every value of f16 and bf16, the middle to the next one, and one float beside the middle.
static int64_t fill_floats(float *x)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < 65536; ++i) {
        x[n++] = float_from_bits(i << 16);
        x[n++] = float_from_bits(i << 16 | 0x8000u);
        x[n++] = float_from_bits(i << 16 | 0x8001u);
    }
    for (uint16_t i = 0; i < 0x7c00; ++i) {
        const uint16_t pair[2] = {i, (uint16_t)(i + 1)};
        const double low = prim__load(pair, PRIM_F16, 0);
        const double high = i + 1 < 0x7c00 ? prim__load(pair, PRIM_F16, 1) : 65536.0;
        const float middle = (float)((low + high) / 2);
        x[n++] = (float)low;
        x[n++] = -middle;
        x[n++] = nextafterf(middle, 0.0f);
        x[n++] = nextafterf(middle, INFINITY);
    }
    for (int i = -600; i <= 600; ++i) x[n++] = (float)i / 2;
    for (int i = -64; i <= 64; ++i) {
        x[n++] = 2147483648.0f + 128.0f * (float)i;
        x[n++] = -2147483648.0f + 128.0f * (float)i;
        x[n++] = 8388608.0f + 0.5f * (float)i;
    }
    const float specials[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, -NAN, 3.4e38f, 1e-45f};
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; ++i) x[n++] = specials[i];
    assert_true(n <= MAX_ELEMS);
    return n / 16 * 16;
}

// Bits equal, or both NaN.
static bool same_element(const void *a, const void *b, prim_data_type_t dt, int64_t i)
{
    const size_t bytes = prim__dt_bytes(dt);
    if (memcmp((const char *)a + (size_t)i * bytes, (const char *)b + (size_t)i * bytes, bytes) ==
            0)
        return true;
    return isnan(prim__load(a, dt, i)) && isnan(prim__load(b, dt, i));
}

static void compare_stores(
        const void *got, const void *want, const float *x, prim_data_type_t dt, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        // Devices may flush denormal floats, on the way in too.
        if (fabsf(x[i]) < 0x1p-126f && dt != PRIM_S32) continue;
        if (!same_element(got, want, dt, i)) {
            fail_msg("%s of %a: %a, not %a", prim_data_type_name(dt), (double)x[i],
                    prim__load(got, dt, i), prim__load(want, dt, i));
        }
    }
}

static void check_store(const ocl_rig_t *rig, prim_data_type_t dt)
{
    const size_t bytes = prim__dt_bytes(dt);
    float *const x = array(MAX_ELEMS, sizeof(float));
    const int64_t n = fill_floats(x);
    void *const named = array((size_t)n, bytes), *const any = array((size_t)n, bytes);
    void *const want = array((size_t)n, bytes);
    for (int64_t i = 0; i < n; ++i) prim__store(want, dt, i, (double)x[i]);
    const ocl_array_t arrays[] = {
            {x, (size_t)n * sizeof(float)}, {named, (size_t)n * bytes}, {any, (size_t)n * bytes}};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i64(&args, n);
    const ocl_options_t options = options_for(dt);
    ocl_rig_run(rig, &prim__ocl_clh_io_test_cl, &options, "store", n, arrays, 3, &args);
    compare_stores(named, want, x, dt, n);
    compare_stores(any, want, x, dt, n);
    free(x);
    free(named);
    free(any);
    free(want);
}

static void stores_match_host(void **state)
{
    for (int t = 0; t < NTYPES; ++t) check_store(*state, types[t]);
}

// The vector kernels read and write from element 1 on.
static void check_vectors(const ocl_rig_t *rig, prim_data_type_t dt)
{
    const size_t bytes = prim__dt_bytes(dt);
    float *const x = array(MAX_ELEMS, sizeof(float));
    const int64_t n = fill_floats(x);
    char *const want = array((size_t)n + 1, bytes);
    char *got[4];
    float *back[4];
    for (int64_t i = 0; i < n; ++i) prim__store(want + bytes, dt, i, (double)x[i]);
    for (int w = 0; w < 4; ++w) {
        got[w] = array((size_t)n + 1, bytes);
        back[w] = array((size_t)n, sizeof(float));
    }
    const size_t elems = ((size_t)n + 1) * bytes, floats = (size_t)n * sizeof(float);
    const ocl_array_t stores[] = {
            {x, floats}, {got[0], elems}, {got[1], elems}, {got[2], elems}, {got[3], elems}};
    const ocl_array_t loads[] = {{want, elems}, {back[0], floats}, {back[1], floats},
            {back[2], floats}, {back[3], floats}};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i64(&args, n);
    const ocl_options_t options = options_for(dt);
    const ocl_source_t *const source = &prim__ocl_clh_io_test_cl;
    ocl_rig_run(rig, source, &options, "store_vector", n / 16, stores, 5, &args);
    ocl_rig_run(rig, source, &options, "load_vector", n / 16, loads, 5, &args);
    for (int w = 0; w < 4; ++w) {
        compare_stores(got[w] + bytes, want + bytes, x, dt, n);
        for (int64_t i = 0; i < n; ++i) {
            const float value = (float)prim__load(want + bytes, dt, i);
            if (fabsf(value) < 0x1p-126f) continue;
            if (!same_float(back[w][i], (double)value)) {
                fail_msg("load%d of %s %a: %a", 2 << w, prim_data_type_name(dt), (double)value,
                        (double)back[w][i]);
            }
        }
        free(got[w]);
        free(back[w]);
    }
    free(x);
    free(want);
}

static void vectors_match_host(void **state)
{
    for (int t = 0; t < NTYPES; ++t) check_vectors(*state, types[t]);
}

static void check_ints(const ocl_rig_t *rig, prim_data_type_t dt)
{
    enum { N = 4096 };
    const size_t bytes = prim__dt_bytes(dt);
    int64_t *const x = array(N, sizeof *x);
    uint32_t seed = 7;
    for (int i = 0; i < N; ++i) {
        const int64_t wide = (int64_t)((uint64_t)next_random(&seed) << 32 | next_random(&seed));
        x[i] = i % 3 == 0 ? wide >> (i % 63) : (int64_t)(int32_t)next_random(&seed) >> (i % 31);
    }
    void *const named = array(N, bytes), *const any = array(N, bytes),
                *const saturated = array(N, bytes);
    int32_t *const back = array(N, sizeof *back), *const back_any = array(N, sizeof *back_any);
    const ocl_array_t stores[] = {
            {x, N * sizeof *x}, {named, N * bytes}, {any, N * bytes}, {saturated, N * bytes}};
    const ocl_array_t loads[] = {
            {named, N * bytes}, {back, N * sizeof *back}, {back_any, N * sizeof *back_any}};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_i64(&args, N);
    const ocl_options_t options = options_for(dt);
    ocl_rig_run(rig, &prim__ocl_clh_io_test_cl, &options, "store_int", N, stores, 4, &args);
    ocl_rig_run(rig, &prim__ocl_clh_io_test_cl, &options, "load_int", N, loads, 3, &args);
    const int64_t low = dt == PRIM_S32 ? INT32_MIN : dt == PRIM_S8 ? -128 : 0;
    const int64_t high = dt == PRIM_S32 ? INT32_MAX : dt == PRIM_S8 ? 127 : 255;
    for (int i = 0; i < N; ++i) {
        const int64_t want = x[i] < low ? low : x[i] > high ? high : x[i];
        assert_int_equal(back[i], want);
        assert_int_equal(back_any[i], want);
    }
    assert_memory_equal(any, named, N * bytes);
    assert_memory_equal(saturated, named, N * bytes);
    free(x);
    free(named);
    free(any);
    free(saturated);
    free(back);
    free(back_any);
}

static void integers_are_exact(void **state)
{
    for (int t = 0; t < NTYPES; ++t) {
        if (prim__dt_is_integer(types[t])) check_ints(*state, types[t]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(loads_match_host),
            cmocka_unit_test(stores_match_host),
            cmocka_unit_test(vectors_match_host),
            cmocka_unit_test(integers_are_exact),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
