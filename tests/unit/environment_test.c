// SPDX-License-Identifier: Apache-2.0
// What the library reads from the environment, once, at first use. The first argument tells what to
// set before: "good" values, or values that it does not know and must report.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/environment.h"
#include "common/log.h"
#include "prim/prim.h"
#include "support/unit_test.h"

static char last_line[512];
static int nlines;

static void keep_line(void *user, const char *line)
{
    (void)user;
    ++nlines;
    snprintf(last_line, sizeof last_line, "%s", line);
}

static void good_values_apply(void **state)
{
    (void)state;
    assert_true(prim__log_is_on(LOG_DISPATCH));
    assert_false(prim__log_is_on(LOG_ERROR));
    prim__log(LOG_DISPATCH, "matmul", "filtered out");
    assert_int_equal(nlines, 0);
    const double before = prim__now_ms();
    prim__log(LOG_DISPATCH, "convolution", "x");
    const double after = prim__now_ms();
    double stamp = 0;
    int length = 0;
    assert_int_equal(sscanf(last_line, "prim_verbose,v1,%lf,x%n", &stamp, &length), 1);
    assert_int_equal(length, strlen(last_line));
    assert_true(stamp >= before - 0.001 && stamp <= after + 0.001);

    prim_fpmath_mode_t mode;
    assert_int_equal(prim_get_default_fpmath_mode(&mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_FPMATH_TF32);
    prim_tune_mode_t tune;
    assert_int_equal(prim_get_default_tune(&tune), PRIM_SUCCESS);
    assert_int_equal(tune, PRIM_TUNE_QUICK);
    int capacity = 0;
    assert_int_equal(prim_get_primitive_cache_capacity(&capacity), PRIM_SUCCESS);
    assert_int_equal(capacity, 7);
    uint64_t max_bytes = 0;
    assert_int_equal(prim_get_cache_max_bytes(&max_bytes), PRIM_SUCCESS);
    assert_int_equal(max_bytes, 1 << 30);
    setenv("PRIM_TUNE", "full", 1);               // too late
    setenv("PRIM_DEFAULT_FPMATH_MODE", "f16", 1); // likewise
    setenv("PRIM_VERBOSE", "all", 1);
    assert_int_equal(prim_get_default_fpmath_mode(&mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_FPMATH_TF32);
    assert_false(prim__log_is_on(LOG_ERROR));
}

static void bad_values_are_reported(void **state)
{
    (void)state;
    assert_true(prim__log_is_on(LOG_ERROR));
    assert_false(prim__log_is_on(LOG_WARN));
    assert_int_equal(nlines, 1); // PRIM_VERBOSE_TIMESTAMP comes after it, and is right
    assert_string_equal(last_line,
            "prim_verbose,v1,error,environment,PRIM_VERBOSE=dispatch,loud is ignored: no log "
            "level is called \"loud\"; known are 0, 1, 2, none, error, warn, info, check, "
            "dispatch, "
            "profile_create, profile_exec, profile, all, filter=<part of a primitive kind>");
    prim_fpmath_mode_t mode;
    assert_int_equal(prim_get_default_fpmath_mode(&mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_FPMATH_STRICT);
    assert_int_equal(nlines, 2);
    assert_string_equal(last_line,
            "prim_verbose,v1,error,environment,PRIM_DEFAULT_FPMATH_MODE=fast is ignored: it takes "
            "strict, bf16, f16, tf32 or any");
    prim_tune_mode_t tune;
    assert_int_equal(prim_get_default_tune(&tune), PRIM_SUCCESS);
    assert_int_equal(tune, PRIM_TUNE_NONE);
    assert_int_equal(nlines, 3);
    assert_string_equal(last_line,
            "prim_verbose,v1,error,environment,PRIM_TUNE=much is ignored: it takes none, quick or "
            "full");
    int capacity = 0;
    assert_int_equal(prim_get_primitive_cache_capacity(&capacity), PRIM_SUCCESS);
    assert_int_equal(capacity, 1024);
    assert_int_equal(nlines, 4);
    assert_non_null(strstr(last_line, "PRIM_PRIMITIVE_CACHE_CAPACITY=-1 is ignored: it takes a "));
    uint64_t max_bytes = 0;
    assert_int_equal(prim_get_cache_max_bytes(&max_bytes), PRIM_SUCCESS);
    assert_int_equal(max_bytes, 256 << 20);
    assert_int_equal(nlines, 5);
    assert_non_null(
            strstr(last_line, "PRIM_CACHE_MAX_BYTES=1GB is ignored: it takes a number of "));
}

/// What bytes may look like, and that each other value is told once.
static void sizes_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0}, {"007", 7}, {"4096", 4096}, {"3K", 3072}, {"3k", 3072}, {"3Ki", 3072},
            {"3KiB", 3072}, {"3kib", 3072}, {"5M", 5 << 20}, {"1G", 1 << 30}, {"1GiB", 1 << 30},
            {"2T", UINT64_C(2) << 40}, {"18446744073709551615", UINT64_MAX},
            {"16777215T", UINT64_C(16777215) << 40}};
    for (size_t i = 0; i < COUNT_OF(good); ++i) {
        uint64_t bytes = 99;
        setenv("PRIM_MEMORY_MAX_BYTES", good[i].text, 1);
        assert_true(prim__env_bytes(&bytes, ENV_MEMORY_MAX_BYTES));
        assert_true(bytes == good[i].bytes);
    }
    static const char *const bad[] = {"lots", "-1", "+1", " 1", "1 ", "1 G", "1GB", "1Gb", "1B",
            "1P", "1KK", "1KiBs", "G", "0x10", "1.5G", "18446744073709551616", "16777216T"};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        uint64_t bytes = 99;
        setenv("PRIM_MEMORY_MAX_BYTES", bad[i], 1);
        nlines = 0;
        for (int again = 0; again < 2; ++again) {
            assert_false(prim__env_bytes(&bytes, ENV_MEMORY_MAX_BYTES));
            prim__log_environment();
        }
        assert_int_equal(nlines, 1);
        assert_int_equal(bytes, 99);
        char line[256];
        snprintf(line, sizeof line,
                "prim_verbose,v1,error,environment,PRIM_MEMORY_MAX_BYTES=%s is ignored: it takes a "
                "number of bytes, alone or with K, M, G or T (1024, 64K, 512MiB, 2G)",
                bad[i]);
        assert_string_equal(last_line, line);
    }
    uint64_t bytes = 99;
    nlines = 0;
    setenv("PRIM_MEMORY_MAX_BYTES", "", 1);
    assert_false(prim__env_bytes(&bytes, ENV_MEMORY_MAX_BYTES));
    unsetenv("PRIM_MEMORY_MAX_BYTES");
    assert_false(prim__env_bytes(&bytes, ENV_MEMORY_MAX_BYTES));
    prim__log_environment();
    assert_int_equal(nlines, 0);
}

static void a_wrong_stamp_or_isa_is_told(void **state)
{
    (void)state;
    bool is_on = false;
    nlines = 0;
    setenv("PRIM_VERBOSE_TIMESTAMP", "yes", 1);
    assert_false(prim__env_bool(&is_on, ENV_VERBOSE_TIMESTAMP));
    prim__log_environment();
    assert_non_null(strstr(last_line, "PRIM_VERBOSE_TIMESTAMP=yes is ignored: it takes 0 or 1"));
    setenv("PRIM_MAX_CPU_ISA", "avx1024", 1);
    prim_engine_t *engine = NULL;
    const char *isa = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_CPU, 0), PRIM_SUCCESS);
    assert_int_equal(prim_engine_query(engine, PRIM_ENGINE_QUERY_ISA_STR, &isa), PRIM_SUCCESS);
    prim_engine_destroy(engine);
    assert_non_null(strstr(last_line, "PRIM_MAX_CPU_ISA=avx1024 is ignored: it takes portable, "
                                      "avx2, avx512, avx512_vnni, avx512_bf16 or avx512_amx"));
    assert_int_equal(nlines, 2);
}

/// The caller's word counts, even when it comes before the environment was read.
static void the_caller_wins(void **state)
{
    (void)state;
    assert_int_equal(prim_set_verbose("warn"), PRIM_SUCCESS);
    assert_int_equal(prim_set_default_fpmath_mode(PRIM_FPMATH_BF16), PRIM_SUCCESS);
    assert_true(prim__log_is_on(LOG_WARN));
    assert_false(prim__log_is_on(LOG_DISPATCH));
    prim_fpmath_mode_t mode;
    assert_int_equal(prim_get_default_fpmath_mode(&mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_FPMATH_BF16);
    prim_tune_mode_t tune;
    assert_int_equal(prim_set_default_tune(PRIM_TUNE_FULL), PRIM_SUCCESS);
    assert_int_equal(prim_get_default_tune(&tune), PRIM_SUCCESS);
    assert_int_equal(tune, PRIM_TUNE_FULL);
}

int main(int argc, char **argv)
{
    const bool is_bad = argc > 1 && strcmp(argv[1], "bad") == 0;
    const bool is_late = argc > 1 && strcmp(argv[1], "late") == 0;
    setenv("PRIM_VERBOSE", is_bad ? "dispatch,loud" : "dispatch,filter=conv", 1);
    setenv("PRIM_VERBOSE_TIMESTAMP", is_bad ? "0" : "1", 1);
    setenv("PRIM_DEFAULT_FPMATH_MODE", is_bad ? "fast" : "tf32", 1);
    setenv("PRIM_TUNE", is_bad ? "much" : "quick", 1);
    setenv("PRIM_PRIMITIVE_CACHE_CAPACITY", is_bad ? "-1" : "7", 1);
    setenv("PRIM_CACHE_MAX_BYTES", is_bad ? "1GB" : "1G", 1);
    prim_set_log_callback(keep_line, NULL);
    const struct CMUnitTest good[] = {cmocka_unit_test(good_values_apply)};
    const struct CMUnitTest bad[] = {cmocka_unit_test(bad_values_are_reported),
            cmocka_unit_test(sizes_have_units), cmocka_unit_test(a_wrong_stamp_or_isa_is_told)};
    const struct CMUnitTest late[] = {cmocka_unit_test(the_caller_wins)};
    if (is_bad) return cmocka_run_group_tests(bad, NULL, NULL);
    if (is_late) return cmocka_run_group_tests(late, NULL, NULL);
    return cmocka_run_group_tests(good, NULL, NULL);
}
