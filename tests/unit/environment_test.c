// SPDX-License-Identifier: Apache-2.0
// What the library reads from the environment, once, at first use. The first argument tells what to
// set before: "good" values, or values that it does not know and must report.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "prim/prim.h"
#include "support/unit_test.h"

static char last_line[256];
static int nlines;

static void keep_line(void *user, const char *line)
{
    (void)user;
    nlines++;
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
    assert_int_equal(nlines, 1);
    assert_string_equal(last_line,
            "prim_verbose,v1,error,PRIM_VERBOSE is ignored: no level is called \"loud\"");
    prim_fpmath_mode_t mode;
    assert_int_equal(prim_get_default_fpmath_mode(&mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_FPMATH_STRICT);
    assert_int_equal(nlines, 2);
    assert_non_null(strstr(last_line, "PRIM_DEFAULT_FPMATH_MODE is ignored"));
    prim_tune_mode_t tune;
    assert_int_equal(prim_get_default_tune(&tune), PRIM_SUCCESS);
    assert_int_equal(tune, PRIM_TUNE_NONE);
    assert_int_equal(nlines, 3);
    assert_non_null(strstr(last_line, "PRIM_TUNE is ignored: no mode is called \"much\""));
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
    prim_set_log_callback(keep_line, NULL);
    const struct CMUnitTest good[] = {cmocka_unit_test(good_values_apply)};
    const struct CMUnitTest bad[] = {cmocka_unit_test(bad_values_are_reported)};
    const struct CMUnitTest late[] = {cmocka_unit_test(the_caller_wins)};
    if (is_bad) return cmocka_run_group_tests(bad, NULL, NULL);
    if (is_late) return cmocka_run_group_tests(late, NULL, NULL);
    return cmocka_run_group_tests(good, NULL, NULL);
}
