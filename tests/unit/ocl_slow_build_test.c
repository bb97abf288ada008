// SPDX-License-Identifier: Apache-2.0
// Level `info` tells of kernels that are compiled, and of a build that takes more than a second.
// The linker puts this test's clock in place of the library's (--wrap).
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "common/log.h"

double __wrap_prim__now_ms(void);

static double now_ms, step_ms;

/// Every look at the clock is `step_ms` after the last.
double __wrap_prim__now_ms(void)
{
    return now_ms += step_ms;
}

static int nfirst, nslow;
static char first[512], slow[512];

static void keep_line(void *user, const char *line)
{
    (void)user;
    assert_non_null(strstr(line, ",info,ocl_build,"));
    const bool is_first = strstr(line, "compiling kernels") != NULL;
    nfirst += is_first;
    nslow += !is_first;
    snprintf(is_first ? first : slow, sizeof first, "%s", line);
}

static void run(int n, double ms_of_a_build, const char *levels)
{
    nfirst = nslow = 0;
    step_ms = ms_of_a_build;
    assert_int_equal(prim_set_verbose(levels), PRIM_SUCCESS);
    prim_set_log_callback(keep_line, NULL);
    cache_rig_run(n);
    prim_set_log_callback(NULL, NULL);
}

static void slow_builds_are_told(void **state)
{
    (void)state;
    run(1, 1500, "info");
    assert_int_equal(nfirst, 1);
    assert_non_null(strstr(first, "cache_test,compiling kernels for "));
    assert_non_null(strstr(first, "later processes find them in /tmp/prim_cache_test_"));
    assert_int_equal(nslow, 1);
    assert_non_null(strstr(slow, ",info,ocl_build,cache_test,took 1.5 s from source"));
    run(1, 1, "info"); // from the folder, at once
    assert_int_equal(nfirst + nslow, 0);
    run(2, 999, "info");
    assert_int_equal(nfirst, 1);
    assert_int_equal(nslow, 0);
    run(3, 1500, "error");
    assert_int_equal(nfirst + nslow, 0);
}

/// The first program that an engine compiles is told, the next ones are not.
static void compiling_is_told_once(void **state)
{
    (void)state;
    void *rig = NULL;
    assert_int_equal(ocl_rig_open(&rig), 0);
    nfirst = nslow = 0;
    step_ms = 1;
    assert_int_equal(prim_set_verbose("info"), PRIM_SUCCESS);
    prim_set_log_callback(keep_line, NULL);
    for (int n = 1; n <= 3; ++n) {
        ocl_options_t options;
        prim__ocl_options_init(&options);
        prim__ocl_options_int(&options, "N", n);
        int y = 0;
        const ocl_array_t array = {&y, sizeof y};
        ocl_rig_run_group(rig, &cache_test_source, &options, "write", 1, &array, 1, NULL);
        assert_int_equal(y, n);
    }
    prim_set_log_callback(NULL, NULL);
    ocl_rig_close(&rig);
    assert_int_equal(nfirst, 1);
    assert_int_equal(nslow, 0);
}

static void without_a_folder_it_says_so(void **state)
{
    (void)state;
    assert_int_equal(prim_set_cache_dir(""), PRIM_SUCCESS);
    run(1, 1, "info");
    assert_int_equal(nfirst, 1);
    assert_non_null(strstr(first, "; no folder keeps them"));
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            IN_FOLDER(slow_builds_are_told),
            IN_FOLDER(compiling_is_told_once),
            IN_FOLDER(without_a_folder_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
