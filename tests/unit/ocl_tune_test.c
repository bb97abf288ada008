// SPDX-License-Identifier: Apache-2.0
// Tuning without a device: sizes in buckets, parameters and results as text, what is wrong with a
// text, how results merge.
#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "gpu/ocl/tune/ocl_tune_key.h"
#include "gpu/ocl/tune/ocl_tune_text.h"
#include "support/unit_test.h"

static const char device[] = "Some GPU; Maker; driver 1.2; OpenCL 3.0; prim 0.1.0";

static void near_sizes_share_a_bucket(void **state)
{
    (void)state;
    const struct {
        prim_dim_t size, bucket;
    } rows[] = {{0, 0}, {1, 1}, {15, 15}, {16, 16}, {17, 18}, {31, 32}, {32, 32}, {33, 36},
            {100, 104}, {1000, 1024}, {1024, 1024}, {1025, 1152}, {4096, 4096},
            {PRIM_RUNTIME_DIM_VAL, PRIM_RUNTIME_DIM_VAL}};
    for (size_t i = 0; i < COUNT_OF(rows); ++i)
        assert_int_equal(prim__ocl_tune_round(rows[i].size), rows[i].bucket);
    for (prim_dim_t n = 1; n < 5000; ++n) {
        const prim_dim_t bucket = prim__ocl_tune_round(n);
        assert_true(bucket >= n && (bucket - n) * 8 <= n && prim__ocl_tune_round(bucket) == bucket);
    }
}

static void parameters_come_back(void **state)
{
    (void)state;
    char text[128];
    const ocl_tune_params_t params = {{128, -1, 0, 7}};
    ocl_tune_params_t back;
    prim__ocl_tune_params_text(text, sizeof text, "bm bn bk splits", &params);
    assert_string_equal(text, "bm=128 bn=-1 bk=0 splits=7");
    assert_true(prim__ocl_tune_params_parse(&back, "bm bn bk splits", text));
    assert_memory_equal(&back, &params, sizeof params);
    const char *const others[] = {"", "bm", "bm=", "bm=1", "bm=1 bn=2 bk=3 splits=4 x=5",
            "bm=1 bk=3 bn=2 splits=4", "bm=1 bn=2 bk=3 splits=99999999999999999999",
            "bm=1 bn=2 bk=3 splits=4x", "bmx=1 bn=2 bk=3 splits=4"};
    for (size_t i = 0; i < COUNT_OF(others); ++i)
        assert_false(prim__ocl_tune_params_parse(&back, "bm bn bk splits", others[i]));
}

static ocl_tune_result_t result(const char *bucket, const char *params, uint64_t ns)
{
    return (ocl_tune_result_t){"ocl:matmul:x", bucket, params, ns, 2 * ns, PRIM_TUNE_FULL};
}

static void put(ocl_tune_results_t *results, ocl_tune_result_t r)
{
    assert_true(prim__ocl_tune_results_put(results, &r, false));
}

static const char *params_of(const ocl_tune_results_t *results, const char *bucket)
{
    const ocl_tune_result_t *const found =
            prim__ocl_tune_results_find(results, "ocl:matmul:x", bucket);
    return found ? found->params : "none";
}

static void the_better_result_stays(void **state)
{
    (void)state;
    ocl_tune_results_t results = {0};
    put(&results, result("a", "t=1", 100));
    put(&results, result("a", "t=2", 90));
    assert_string_equal(params_of(&results, "a"), "t=2");
    put(&results, result("a", "t=3", 95));
    assert_string_equal(params_of(&results, "a"), "t=2");
    ocl_tune_result_t quick = result("a", "t=4", 10);
    quick.mode = PRIM_TUNE_QUICK;
    put(&results, quick);
    assert_string_equal(params_of(&results, "a"), "t=2");
    const ocl_tune_result_t final = result("a", "t=5", 500);
    assert_true(prim__ocl_tune_results_put(&results, &final, true));
    assert_string_equal(params_of(&results, "a"), "t=5");
    assert_string_equal(params_of(&results, "b"), "none");
    assert_int_equal(results.n, 1);
    prim__ocl_tune_results_fini(&results);
}

static ocl_tune_parsed_t parse(ocl_tune_results_t *results, const char *text)
{
    return prim__ocl_tune_text_parse(results, text, strlen(text), device, NULL);
}

static void texts_come_back(void **state)
{
    (void)state;
    ocl_tune_results_t results = {0}, back = {0};
    char bucket[32];
    for (int i = 0; i < 100; ++i) {
        (void)snprintf(bucket, sizeof bucket, "src:f16:ab:%dx64", i);
        put(&results, result(bucket, "bm=64 bn=-3", 1000 + (uint64_t)i));
    }
    char *const text = prim__ocl_tune_text_print(&results, device);
    assert_non_null(strstr(text,
            "\nocl:matmul:x | src:f16:ab:7x64 | bm=64 bn=-3 | 1007 ns | model 2014 ns | full\n"));
    const ocl_tune_parsed_t parsed = parse(&back, text);
    assert_true(parsed.has_memory && parsed.nfaults == 0);
    assert_int_equal(parsed.nmine, 100);
    char *const again = prim__ocl_tune_text_print(&back, device);
    assert_string_equal(text, again);
    prim__free(text);
    prim__free(again);
    prim__ocl_tune_results_fini(&results);
    prim__ocl_tune_results_fini(&back);
}

#define MINE "device Some GPU; Maker; driver 1.2; OpenCL 3.0; prim 0.1.0\n"
#define OTHERS "device Some GPU; Maker; driver 1.3; OpenCL 3.0; prim 0.1.0\n"
#define LINE(bucket, params, ns) \
    "ocl:matmul:x | " bucket " | " params " | " ns " ns | model 9 ns | full\n"

static void texts_merge_in_any_order(void **state)
{
    (void)state;
    static const char a[] = "# a comment\n" MINE LINE("p", "t=1", "5") LINE("q", "t=1", "7");
    static const char b[] =
            OTHERS LINE("p", "t=9", "1") "\r\n" MINE LINE("p", "t=2", "4") LINE("r", "t=3", "5");
    char texts[2][1024];
    (void)snprintf(texts[0], sizeof texts[0], "%s%s", a, b);
    (void)snprintf(texts[1], sizeof texts[1], "%s%s", b, a);
    for (int i = 0; i < 2; ++i) {
        ocl_tune_results_t results = {0};
        const ocl_tune_parsed_t parsed = parse(&results, texts[i]);
        assert_true(parsed.nfaults == 0 && parsed.nforeign == 1 && parsed.nmine == 4);
        assert_int_equal(results.n, 3);
        assert_string_equal(params_of(&results, "p"), "t=2");
        assert_string_equal(params_of(&results, "q"), "t=1");
        assert_string_equal(params_of(&results, "r"), "t=3");
        prim__ocl_tune_results_fini(&results);
    }
}

static void faults_are_found(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int line;
        const char *why;
    } rows[] = {
            {LINE("p", "t=1", "5"), 1, "names the device"},
            {MINE "\n#\nocl:matmul:x | p | t=1 | 5 ns | full\n", 4, "six nor three fields"},
            {MINE "ocl:matmul:x | p | t=1 | 5 ns | model 9 ns | full | x\n", 2,
                    "six nor three fields"},
            {MINE "garbage\n", 2, "six nor three fields"},
            {MINE "a$b | p | t=1 | 5 ns | model 9 ns | full\n", 2, "first field"},
            {MINE LINE("p\x01", "t=1", "5"), 2, "second field"},
            {MINE LINE("p", "t", "5"), 2, "third field"},
            {MINE LINE("p", "t=1 ", "5"), 2, "third field"},
            {MINE LINE("p", "t=1e3", "5"), 2, "third field"},
            {MINE LINE("p", "t=12345678901", "5"), 2, "third field"},
            {MINE LINE("p", "t=1", "0"), 2, "fourth field"},
            {MINE LINE("p", "t=1", "-5"), 2, "fourth field"},
            {MINE LINE("p", "t=1", "5.5"), 2, "fourth field"},
            {MINE LINE("p", "t=1", "1234567890123456789"), 2, "fourth field"},
            {MINE "ocl:matmul:x | p | t=1 | 5 ns | 9 ns | full\n", 2, "fifth field"},
            {MINE "ocl:matmul:x | p | t=1 | 5 ns | model 9 ns | none\n", 2, "last field"},
            {MINE "ocl:matmul:x | p | t=1 | 5 ns | model 9 ns | fully\n", 2, "last field"},
            {OTHERS "garbage", 2, "six nor three fields"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        ocl_tune_results_t results = {0};
        const ocl_tune_parsed_t parsed = parse(&results, rows[i].text);
        assert_int_equal(parsed.nfaults, 1);
        assert_int_equal(parsed.line, rows[i].line);
        if (!strstr(parsed.why, rows[i].why)) fail_msg("%zu: %s", i, parsed.why);
        assert_int_equal(results.n, 0);
        prim__ocl_tune_results_fini(&results);
    }
}

// Whatever stands in a file: nothing is read beyond its end, and good lines serve.
static void bad_lines_leave_good_ones(void **state)
{
    (void)state;
    static const char good[] = MINE LINE("p", "t=1", "5") LINE("q", "t=2", "6");
    char text[sizeof good];
    for (size_t n = 0; n < sizeof good; ++n) {
        ocl_tune_results_t results = {0};
        (void)prim__ocl_tune_text_parse(&results, good, n, device, NULL);
        assert_true(results.n <= 2);
        prim__ocl_tune_results_fini(&results);
    }
    const size_t second = sizeof MINE - 1 + sizeof LINE("p", "t=1", "5") - 1;
    for (size_t at = second; at < sizeof good - 2; ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            ocl_tune_results_t results = {0};
            memcpy(text, good, sizeof good);
            text[at] = (char)(text[at] ^ 1 << bit);
            (void)prim__ocl_tune_text_parse(&results, text, sizeof good - 1, device, NULL);
            assert_string_equal(params_of(&results, "p"), "t=1");
            prim__ocl_tune_results_fini(&results);
        }
    }
    char *const long_line = prim__calloc(5000);
    assert_non_null(long_line);
    memset(long_line, 'x', 4999);
    memcpy(long_line, MINE, sizeof MINE - 1);
    ocl_tune_results_t results = {0};
    const ocl_tune_parsed_t parsed = parse(&results, long_line);
    assert_true(parsed.nfaults == 1 && parsed.line == 2);
    prim__free(long_line);
}

static void files_are_named_after_devices(void **state)
{
    (void)state;
    char a[OCL_TUNE_FILE_BYTES], b[OCL_TUNE_FILE_BYTES];
    prim__ocl_tune_file_name(a, device);
    prim__ocl_tune_file_name(b, "Some GPU; Maker; driver 1.3");
    assert_int_equal(strncmp(a, "Some_GPU-", 9), 0);
    assert_string_equal(a + strlen(a) - 5, ".tune");
    assert_string_not_equal(a, b);
    prim__ocl_tune_file_name(
            a, "../../etc/a name/that is long, longer, and even longer than that;");
    assert_null(strchr(a, '/'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(near_sizes_share_a_bucket),
            cmocka_unit_test(parameters_come_back),
            cmocka_unit_test(the_better_result_stays),
            cmocka_unit_test(texts_come_back),
            cmocka_unit_test(texts_merge_in_any_order),
            cmocka_unit_test(faults_are_found),
            cmocka_unit_test(bad_lines_leave_good_ones),
            cmocka_unit_test(files_are_named_after_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
