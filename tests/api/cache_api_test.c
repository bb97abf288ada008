// SPDX-License-Identifier: Apache-2.0
// The cache on disk and prim_prepare() as prim.h promises them, with and without an OpenCL device.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { DIR_BYTES = 256 };

static void expect_dir(const char *expected)
{
    char dir[DIR_BYTES] = "untouched";
    api_expect(prim_get_cache_dir(dir, sizeof dir), PRIM_SUCCESS);
    assert_string_equal(dir, expected);
}

static void set_variable(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void the_folder_comes_from_the_environment(void **state)
{
    (void)state;
    static const struct {
        const char *own, *xdg, *home, *expected;
    } cases[] = {
            {"/own", "/xdg", "/home/me", "/own"},
            {"relative/own", "/xdg", "/home/me", "relative/own"},
            {"", "/xdg", "/home/me", ""},
            {NULL, "/xdg", "/home/me", "/xdg/prim"},
            {NULL, "relative", "/home/me", "/home/me/.cache/prim"},
            {NULL, "", "/home/me", "/home/me/.cache/prim"},
            {NULL, NULL, "/home/me", "/home/me/.cache/prim"},
            {NULL, NULL, "", ""},
            {NULL, NULL, NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        set_variable("PRIM_CACHE_DIR", cases[i].own);
        set_variable("XDG_CACHE_HOME", cases[i].xdg);
        set_variable("HOME", cases[i].home);
        api_expect(prim_set_cache_dir(NULL), PRIM_SUCCESS);
        expect_dir(cases[i].expected);
        api_expect(prim_set_cache_dir("/chosen"), PRIM_SUCCESS);
        expect_dir("/chosen");
        api_expect(prim_set_cache_dir(""), PRIM_SUCCESS);
        expect_dir("");
    }
}

static void bad_folders_are_refused(void **state)
{
    (void)state;
    char long_name[2000], dir[8] = "before";
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    api_expect(prim_set_cache_dir("/chosen"), PRIM_SUCCESS);
    api_expect(prim_set_cache_dir(long_name), PRIM_INVALID_ARGUMENTS);
    expect_dir("/chosen");
    api_expect(prim_get_cache_dir(NULL, 8), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_get_cache_dir(dir, 7), PRIM_INVALID_ARGUMENTS); // "/chosen" takes 8
    assert_string_equal(dir, "before");
    api_expect(prim_get_cache_dir(dir, 8), PRIM_SUCCESS);
    set_variable("PRIM_CACHE_DIR", long_name);
    api_expect(prim_set_cache_dir(NULL), PRIM_SUCCESS);
    expect_dir(""); // cannot be used
    api_expect(prim_set_cache_dir(""), PRIM_SUCCESS);
}

static void the_limit_is_kept(void **state)
{
    (void)state;
    uint64_t max_bytes = 0;
    api_expect(prim_get_cache_max_bytes(&max_bytes), PRIM_SUCCESS);
    assert_true(max_bytes == 12345); // main() put it into the environment
    api_expect(prim_set_cache_max_bytes((uint64_t)1 << 40), PRIM_SUCCESS);
    api_expect(prim_get_cache_max_bytes(&max_bytes), PRIM_SUCCESS);
    assert_true(max_bytes == (uint64_t)1 << 40);
    api_expect(prim_get_cache_max_bytes(NULL), PRIM_INVALID_ARGUMENTS);
}

static int nbuilt, ncreated;

static void count_builds(void *user, const char *line)
{
    (void)user;
    nbuilt += strstr(line, ",ocl,build,") != NULL;
    ncreated += strstr(line, ",create:cache_miss,") != NULL;
}

static void prepare_creates_each_thing_once(void **state)
{
    (void)state;
    enum { N = 12, NSIZES = 4 };
    for (int e = 0; api_engine(e); ++e) {
        nbuilt = ncreated = 0;
        prim_desc_t *pds[N];
        for (int i = 0; i < N; ++i) pds[i] = api_relu_desc(api_engine(e), 100 + i % NSIZES, NULL);
        api_expect(prim_set_log_callback(count_builds, NULL), PRIM_SUCCESS);
        api_expect(prim_set_verbose("profile_create"), PRIM_SUCCESS);
        api_expect(prim_prepare(api_engine(e), N, pds), PRIM_SUCCESS);
        assert_int_equal(ncreated, NSIZES);
        prim_engine_kind_t kind;
        api_expect(prim_engine_get_kind(api_engine(e), &kind), PRIM_SUCCESS);
        assert_int_equal(nbuilt, kind == PRIM_GPU); // the sizes share a program
        for (int i = 0; i < N; ++i) {
            prim_t *primitive = NULL;
            api_expect(prim_create(&primitive, pds[i]), PRIM_SUCCESS);
            prim_destroy(primitive);
            prim_desc_destroy(pds[i]);
        }
        assert_int_equal(ncreated, NSIZES); // all came from the cache
        api_expect(prim_set_verbose("error"), PRIM_SUCCESS);
        api_expect(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
    }
}

static void prepare_checks_its_arguments(void **state)
{
    (void)state;
    prim_engine_t *const cpu = api_engine(0);
    prim_desc_t *pds[2] = {api_relu_desc(cpu, 3, NULL), NULL};
    api_expect(prim_prepare(NULL, 1, pds), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_prepare(cpu, 1, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_prepare(cpu, -1, pds), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_prepare(cpu, 2, pds), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(), "pds[1] is NULL");
    api_expect(prim_prepare(cpu, 0, NULL), PRIM_SUCCESS);
    api_expect(prim_prepare(cpu, 1, pds), PRIM_SUCCESS);
    if (api_engine(1)) {
        api_expect(prim_prepare(api_engine(1), 1, pds), PRIM_INVALID_ARGUMENTS);
        assert_non_null(
                strstr(prim_last_error(), "pds[0] belongs to another engine: cpu engine 0"));
    }
    prim_desc_destroy(pds[0]);
}

static void the_cpu_has_no_blobs(void **state)
{
    (void)state;
    prim_desc_t *const pd = api_relu_desc(api_engine(0), 3, NULL);
    prim_t *relu = NULL, *made = UNTOUCHED(prim_t *);
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    size_t bytes = 77;
    char blob[8] = "before";
    int64_t id_bytes = 77;
    const uint8_t *id = NULL;
    api_expect(prim_get_cache_blob(relu, &bytes, NULL), PRIM_UNIMPLEMENTED);
    api_expect(prim_get_cache_blob(relu, &bytes, blob), PRIM_UNIMPLEMENTED);
    api_expect(prim_create_from_cache_blob(&made, pd, sizeof blob, blob), PRIM_UNIMPLEMENTED);
    api_expect(prim_desc_query(pd, PRIM_QUERY_CACHE_BLOB_ID_SIZE_S64, 0, &id_bytes),
            PRIM_UNIMPLEMENTED);
    api_expect(prim_desc_query(pd, PRIM_QUERY_CACHE_BLOB_ID, 0, &id), PRIM_UNIMPLEMENTED);
    assert_true(bytes == 77 && id_bytes == 77 && !id && strcmp(blob, "before") == 0);
    assert_ptr_equal(made, api_untouched());
    prim_destroy(relu);
    prim_desc_destroy(pd);
}

int main(void)
{
    set_variable("PRIM_CACHE_MAX_BYTES", "12345");
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_folder_comes_from_the_environment),
            cmocka_unit_test(bad_folders_are_refused),
            cmocka_unit_test(the_limit_is_kept),
            cmocka_unit_test(prepare_creates_each_thing_once),
            cmocka_unit_test(prepare_checks_its_arguments),
            cmocka_unit_test(the_cpu_has_no_blobs),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
