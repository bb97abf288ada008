// SPDX-License-Identifier: Apache-2.0
// The service functions as prim.h promises them: log, allocator, default fpmath mode, last error.
#include <stdio.h>
#include <stdlib.h>

#include "untouched.h"

static int nlines;

static void count_line(void *user, const char *line)
{
    (void)user;
    assert_memory_equal(line, "prim_verbose,v1,", 16);
    assert_null(strchr(line, '\n'));
    ++nlines;
}

static void the_last_error_starts_empty(void **state)
{
    (void)state;
    assert_string_equal(prim_last_error(), "");
    assert_int_equal(prim_set_verbose("error"), PRIM_SUCCESS);
    assert_string_equal(prim_last_error(), "");
    assert_int_equal(prim_set_verbose(NULL), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(), "levels is NULL");
    assert_int_equal(prim_set_verbose("error"), PRIM_SUCCESS);
    assert_string_equal(prim_last_error(), "levels is NULL"); // success leaves it
}

static void verbose(void **state)
{
    (void)state;
    static const char *const good[] = {"none", "error", "warn", "check", "dispatch",
            "profile_create", "profile_exec", "profile", "all", "info", "0", "1", "2", "1,dispatch",
            "error,warn,filter=conv"};
    for (size_t i = 0; i < COUNT_OF(good); ++i)
        assert_int_equal(prim_set_verbose(good[i]), PRIM_SUCCESS);
    assert_refused(prim_set_verbose("loud"));
    assert_refused(prim_set_verbose("error,loud"));
    assert_refused(prim_set_verbose("3"));
    assert_int_equal(prim_set_verbose("21"), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(),
            "no log level is called \"21\"; known are 0, 1, 2, none, error, warn, info, check, "
            "dispatch, profile_create, profile_exec, profile, all, "
            "filter=<part of a primitive kind>");
}

static void log_lines_go_to_the_callback(void **state)
{
    (void)state;
    assert_int_equal(prim_set_log_callback(count_line, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("check"), PRIM_SUCCESS);
    prim_set_verbose(NULL);
    prim_set_verbose("loud");
    assert_int_equal(nlines, 2);
    assert_int_equal(prim_set_verbose("none"), PRIM_SUCCESS);
    prim_set_verbose(NULL);
    assert_int_equal(nlines, 2);
    assert_int_equal(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("error"), PRIM_SUCCESS);
}

static char last_line[256];

static void keep_line(void *user, const char *line)
{
    (void)user;
    (void)snprintf(last_line, sizeof last_line, "%s", line);
}

static void reported_failures_are_kept_and_logged(void **state)
{
    (void)state;
    assert_int_equal(prim_set_log_callback(keep_line, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("check"), PRIM_SUCCESS);
    assert_int_equal(prim_report_failure(PRIM_UNIMPLEMENTED, "100%s"), PRIM_UNIMPLEMENTED);
    assert_string_equal(prim_last_error(), "100%s");
    assert_non_null(strstr(last_line, "check,unimplemented,100%s"));
    assert_int_equal(prim_set_verbose("error"), PRIM_SUCCESS);
    assert_int_equal(prim_report_failure(PRIM_RUNTIME_ERROR, "lost"), PRIM_RUNTIME_ERROR);
    assert_non_null(strstr(last_line, "error,runtime_error,lost"));
    assert_int_equal(prim_report_failure(PRIM_RUNTIME_ERROR, NULL), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(), "sentence is NULL");
    assert_int_equal(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
}

typedef struct {
    int nallocated, nreleased;
} counts_t;

static void *count_allocate(void *user, size_t bytes, size_t alignment)
{
    ((counts_t *)user)->nallocated++;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void count_release(void *user, void *pointer)
{
    ((counts_t *)user)->nreleased++;
    free(pointer);
}

static void allocator(void **state)
{
    (void)state;
    counts_t counts = {0};
    const prim_allocator_t counting = {count_allocate, count_release, &counts};
    const prim_allocator_t no_release = {count_allocate, NULL, &counts};
    const prim_allocator_t no_allocate = {NULL, count_release, &counts};
    assert_refused(prim_set_allocator(&no_release));
    assert_refused(prim_set_allocator(&no_allocate));
    assert_int_equal(prim_set_allocator(&counting), PRIM_SUCCESS);
    prim_attr_t *attr;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_true(counts.nallocated > 0 && counts.nreleased == 0);
    assert_refused(prim_set_allocator(NULL)); // memory is outstanding
    prim_attr_destroy(attr);
    assert_int_equal(counts.nreleased, counts.nallocated);
    assert_int_equal(prim_set_allocator(NULL), PRIM_SUCCESS);
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    prim_attr_destroy(attr);
    assert_int_equal(counts.nreleased, counts.nallocated);
}

static void default_fpmath_mode(void **state)
{
    (void)state;
    prim_fpmath_mode_t mode;
    assert_refused(prim_get_default_fpmath_mode(NULL));
    for (int i = PRIM_FPMATH_STRICT; i <= PRIM_FPMATH_TF32; ++i) {
        assert_int_equal(prim_set_default_fpmath_mode((prim_fpmath_mode_t)i), PRIM_SUCCESS);
        assert_int_equal(prim_get_default_fpmath_mode(&mode), PRIM_SUCCESS);
        assert_int_equal(mode, i);
        prim_attr_t *attr;
        bool applies_to_int = true;
        mode = (prim_fpmath_mode_t)99;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        assert_int_equal(prim_attr_get_fpmath_mode(attr, &mode, &applies_to_int), PRIM_SUCCESS);
        assert_int_equal(mode, i);
        assert_false(applies_to_int);
        prim_attr_destroy(attr);
    }
    assert_refused(prim_set_default_fpmath_mode((prim_fpmath_mode_t)5));
    assert_refused(prim_set_default_fpmath_mode((prim_fpmath_mode_t)-1));
    assert_int_equal(prim_get_default_fpmath_mode(&mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_FPMATH_TF32);
    assert_int_equal(prim_set_default_fpmath_mode(PRIM_FPMATH_STRICT), PRIM_SUCCESS);
}

static void names_are_never_null(void **state)
{
    (void)state;
    for (int i = -1; i < 0x400; ++i) {
        assert_non_null(prim_status_name((prim_status_t)i));
        assert_non_null(prim_data_type_name((prim_data_type_t)i));
        assert_non_null(prim_format_tag_name((prim_format_tag_t)i));
        assert_non_null(prim_primitive_kind_name((prim_primitive_kind_t)i));
        assert_non_null(prim_prop_kind_name((prim_prop_kind_t)i));
        assert_non_null(prim_alg_kind_name((prim_alg_kind_t)i));
        assert_non_null(prim_engine_kind_name((prim_engine_kind_t)i));
    }
    assert_string_equal(prim_status_name(PRIM_UNIMPLEMENTED), "unimplemented");
    assert_string_equal(prim_data_type_name(PRIM_BF16), "bf16");
    assert_string_equal(prim_format_tag_name(PRIM_NCHW), "abcd");
    assert_string_equal(prim_alg_kind_name(PRIM_CONVOLUTION_DIRECT), "convolution_direct");
    assert_int_equal(prim_data_type_size(PRIM_F16), 2);
    assert_int_equal(prim_data_type_size(PRIM_U4), 1);
    assert_int_equal(prim_data_type_size(PRIM_DATA_TYPE_UNDEF), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_last_error_starts_empty),
            cmocka_unit_test(verbose),
            cmocka_unit_test(log_lines_go_to_the_callback),
            cmocka_unit_test(reported_failures_are_kept_and_logged),
            cmocka_unit_test(allocator),
            cmocka_unit_test(default_fpmath_mode),
            cmocka_unit_test(names_are_never_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
