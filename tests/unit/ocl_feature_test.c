// SPDX-License-Identifier: Apache-2.0
// Verdicts on optional features: what is claimed, shown, kept on disk; right and wrong devices are
// emulated by kernels that need nothing beyond OpenCL 1.2. Run with "worker <folder>" it is the
// process that dies in a self-test.
#define _XOPEN_SOURCE 700
#include <glob.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "gpu/ocl/device/ocl_svm_api.h"
#include "gpu/ocl/feature/ocl_selftest.h"

extern const ocl_source_t prim__ocl_selftest_svm_cl;

#define SOURCE(name, text) static const ocl_source_t name = {#name, text, sizeof(text) - 1}

extern const ocl_source_t prim__ocl_selftest_group_wait_cl;

static int nchecks;
static bool is_dying, is_short;

static bool is_claimed(const ocl_device_t *device)
{
    return device->id != NULL;
}

static bool is_not_claimed(const ocl_device_t *device)
{
    return device->id == NULL;
}

// y[i] = 2·i
static bool check_doubles(ocl_selftest_t *test)
{
    ++nchecks;
    if (is_dying) raise(SIGKILL);
    test->is_transient = is_short;
    if (is_short) return prim__ocl_selftest_say(test, "no memory");
    enum { N = 64 };
    int got[N] = {0};
    const cl_mem y = prim__ocl_selftest_buffer(test, NULL, sizeof got);
    if (!prim__ocl_selftest_build(test, "-cl-std=CL1.2") ||
            !prim__ocl_selftest_run(test, "doubles", N, N, &y, 1) ||
            !prim__ocl_selftest_read(test, y, got, sizeof got)) {
        return false;
    }
    test->value = 17;
    for (int i = 0; i < N; ++i) {
        if (got[i] != 2 * i) return prim__ocl_selftest_say(test, "item %d is %d", i, got[i]);
    }
    return true;
}

SOURCE(right, "__kernel void doubles(__global int *y)\n"
              "{ y[get_global_id(0)] = 2 * (int)get_global_id(0); }\n");
SOURCE(wrong, "__kernel void doubles(__global int *y)\n"
              "{ y[get_global_id(0)] = 3 * (int)get_global_id(0); }\n");
SOURCE(broken, "__kernel void doubles(__global int *y) { y[0] = nobody; }\n");
SOURCE(nameless, "__kernel void other(__global int *y) { y[0] = 1; }\n");

// Judges on a fresh engine, as another process would.
static ocl_verdict_t judge(const ocl_source_t *source, bool (*claims)(const ocl_device_t *),
        bool (*check)(ocl_selftest_t *), bool is_final)
{
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    const ocl_feature_row_t row = {"a_feature", source, claims, check};
    ocl_verdict_t verdict;
    assert_int_equal(prim__ocl_feature_judge(&verdict, prim__ocl_engine(engine), &row), is_final);
    prim_engine_destroy(engine);
    return verdict;
}

static ocl_verdict_t judge_doubles(const ocl_source_t *source)
{
    return judge(source, is_claimed, check_doubles, true);
}

static void a_right_device_is_trusted_once_and_for_all(void **state)
{
    (void)state;
    nchecks = 0;
    for (int i = 0; i < 3; ++i) {
        const ocl_verdict_t verdict = judge_doubles(&right);
        assert_true(verdict.is_claimed && verdict.is_trusted);
        assert_int_equal(verdict.value, 17);
        assert_string_equal(verdict.why, "");
    }
    assert_int_equal(nchecks, 1);
    cache_rig_forget(""); // no folder: each engine tests for itself
    judge_doubles(&right);
    judge_doubles(&right);
    assert_int_equal(nchecks, 3);
}

static void a_wrong_device_is_not_trusted(void **state)
{
    (void)state;
    const struct {
        const ocl_source_t *source;
        const char *part_of_why;
    } cases[] = {{&wrong, "item 1 is 3"}, {&broken, "clBuildProgram failed"},
            {&nameless, "clCreateKernel failed"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        nchecks = 0;
        for (int time = 0; time < 2; ++time) {
            cache_log = (cache_log_t){0};
            const ocl_verdict_t verdict = judge_doubles(cases[i].source);
            assert_true(verdict.is_claimed && !verdict.is_trusted);
            assert_int_equal(verdict.value, 0);
            assert_non_null(strstr(verdict.why, cases[i].part_of_why));
        }
        assert_int_equal(nchecks, 1);
    }
}

static void what_is_not_claimed_is_not_tried(void **state)
{
    (void)state;
    nchecks = 0;
    const ocl_verdict_t verdict = judge(&right, is_not_claimed, check_doubles, true);
    assert_true(!verdict.is_claimed && !verdict.is_trusted);
    assert_non_null(strstr(verdict.why, "does not have it"));
    assert_int_equal(nchecks, 0);
    assert_int_equal(cache_rig_count(".clbin"), 0);
}

// The verdict depends on the test's text; one that is damaged is found again.
static void stale_verdicts_are_found_again(void **state)
{
    (void)state;
    nchecks = 0;
    assert_true(judge_doubles(&right).is_trusted);
    SOURCE(renewed, "// better\n__kernel void doubles(__global int *y)\n"
                    "{ y[get_global_id(0)] = 2 * (int)get_global_id(0); }\n");
    assert_true(judge_doubles(&renewed).is_trusted);
    assert_int_equal(nchecks, 2);

    char pattern[OCL_CACHE_PATH_BYTES];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/*.clbin", cache_rig_folder());
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; ++i) {
        size_t nbytes = 0;
        unsigned char *bytes = cache_rig_read(files.gl_pathv[i], &nbytes);
        bytes[nbytes - 2] ^= 1;
        cache_rig_write(files.gl_pathv[i], bytes, nbytes);
        free(bytes);
    }
    globfree(&files);
    assert_true(judge_doubles(&right).is_trusted);
    assert_int_equal(nchecks, 3);
}

// Want of memory is no verdict.
static void a_shortage_is_forgotten(void **state)
{
    (void)state;
    is_short = true;
    assert_true(!judge(&right, is_claimed, check_doubles, false).is_trusted);
    is_short = false;
    assert_int_equal(cache_rig_count(".clbin"), 0);
    assert_true(judge_doubles(&right).is_trusted);
}

// Another process, which dies while it tries the feature.
static void die(const char *self)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(self, self, "worker", cache_rig_folder(), (char *)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static char self_path[4096];

static void a_deadly_feature_is_left_alone(void **state)
{
    (void)state;
    nchecks = 0;
    die(self_path);
    const ocl_verdict_t verdict = judge_doubles(&right);
    assert_true(verdict.is_claimed && !verdict.is_trusted);
    assert_non_null(strstr(verdict.why, "a process died"));
    assert_int_equal(nchecks, 0);
    // One death may have been anything; a second one is the driver's.
    die(self_path);
    assert_true(!judge_doubles(&right).is_trusted);
    for (int i = 0; i < 2; ++i)
        assert_non_null(strstr(judge_doubles(&right).why, "two processes died"));
    assert_int_equal(nchecks, 0);
    assert_int_equal(cache_rig_count(".loading"), 0);
}

static int nselftests;

static void count_tests(void *user, const char *line)
{
    (void)user;
    nselftests += strstr(line, ",ocl,selftest,") != NULL;
}

static void *ask_all(void *engine)
{
    for (int feature = 0; feature < OCL_NFEATURES; ++feature)
        (void)prim__ocl_device_trusts(engine, (ocl_feature_t)feature);
    return NULL;
}

// Every feature of this device: one test for any number of threads, and an answer that agrees.
static void the_device_is_asked_once(void **state)
{
    (void)state;
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    prim_set_log_callback(count_tests, NULL);
    nselftests = 0;
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_all, engine), 0);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    int nclaimed = 0;
    for (int feature = 0; feature < OCL_NFEATURES; ++feature) {
        const ocl_verdict_t verdict = prim__ocl_feature_verdict(engine, (ocl_feature_t)feature);
        nclaimed += verdict.is_claimed;
        assert_int_equal(
                verdict.is_trusted, prim__ocl_device_trusts(engine, (ocl_feature_t)feature));
        assert_int_equal(verdict.is_trusted, verdict.why[0] == '\0');
        assert_true(verdict.is_claimed || !verdict.is_trusted);
        print_message("%s: %s %s\n", prim__ocl_feature_name((ocl_feature_t)feature),
                verdict.is_trusted ? "trusted" : "not trusted:", verdict.why);
    }
    assert_int_equal(nselftests, nclaimed);
    // Images, SVM and stores of PoCL are known to be right; this test would not see it otherwise.
    if (strstr(prim__ocl_device(engine)->platform_name, "Portable Computing Language")) {
        static const ocl_feature_t sure[] = {OCL_FEATURE_IMAGE_F32, OCL_FEATURE_IMAGE_F16,
                OCL_FEATURE_SVM, OCL_FEATURE_NONTEMPORAL};
        for (int i = 0; i < 4; ++i) assert_true(prim__ocl_device_trusts(engine, sure[i]));
    }
    prim_engine_destroy(engine);
}

// What half arithmetic must give, by float; FAULT makes one operation wrong.
#define HALF_TEXT                                                                        \
    "__kernel void half_ops(__global half *y, __global const half *x)\n"                 \
    "{\n"                                                                                \
    "    const int i = (int)get_global_id(0);\n"                                         \
    "    const float a = vload_half(i, x), b = vload_half(i + 1, x);\n"                  \
    "    const float r[8] = {a + b, a * b, 2 * a + b FAULT, a / 2, fmax(a, b), b / 4,\n" \
    "            a * b + 2, fmax(a * b, b)};\n"                                          \
    "    for (int k = 0; k < 8; ++k) vstore_half(r[k], 8 * i + k, y);\n"                 \
    "}\n"
SOURCE(half_right, "#define FAULT\n" HALF_TEXT);
SOURCE(half_wrong, "#define FAULT + (i == 63)\n" HALF_TEXT);

// Sub-groups of 24, 24 and 16 work-items; BROKEN replaces what one work-item sees.
#define SUBGROUP_TEXT                                                          \
    "__kernel void subgroup_ops(__global int *y, __global const int *x)\n"     \
    "{\n"                                                                      \
    "    const int i = (int)get_global_id(0), id = i / 24, first = id * 24;\n" \
    "    const int size = min(24, 64 - first), local_id = i - first;\n"        \
    "    int sum = 0, scan = 0;\n"                                             \
    "    for (int k = 0; k < size; ++k) {\n"                                   \
    "        sum += x[first + k];\n"                                           \
    "        if (k == local_id) scan = sum;\n"                                 \
    "    }\n"                                                                  \
    "    __global int *to = y + 8 * i;\n"                                      \
    "    to[0] = id; to[1] = local_id; to[2] = size; to[3] = 24;\n"            \
    "    to[4] = sum; to[5] = x[first]; to[6] = scan;\n"                       \
    "    to[7] = WITH == 1 ? x[first + (local_id ^ 1)] : x[1 + i];\n"          \
    "    BROKEN;\n"                                                            \
    "}\n"
SOURCE(subgroup_right, "#define BROKEN\n" SUBGROUP_TEXT);
SOURCE(subgroup_twin, "#define BROKEN if (i == 5) to[1] = 4\n" SUBGROUP_TEXT);
SOURCE(subgroup_sum, "#define BROKEN if (i == 63) to[4]--\n" SUBGROUP_TEXT);
SOURCE(subgroup_first, "#define BROKEN if (i == 25) to[5] = x[0]\n" SUBGROUP_TEXT);
SOURCE(subgroup_scan, "#define BROKEN to[6] = to[4]\n" SUBGROUP_TEXT);
SOURCE(subgroup_none, "#define BROKEN to[2] = to[3] = 0\n" SUBGROUP_TEXT);
SOURCE(subgroup_lost, "#define BROKEN to[7] = x[i]\n" SUBGROUP_TEXT);

#define INT_DOT_TEXT                                                                      \
    "__kernel void int_dots(__global int *y, __global const uint *x)\n"                   \
    "{\n"                                                                                 \
    "    const int i = (int)get_global_id(0);\n"                                          \
    "    __global const uint *from = x + 3 * i;\n"                                        \
    "    int dots[4] = {(int)from[2], (int)from[2], (int)from[2], (int)from[2]};\n"       \
    "    for (int k = 0; k < 4; ++k) {\n"                                                 \
    "        const uchar a = (uchar)(from[0] >> 8 * k), b = (uchar)(from[1] >> 8 * k);\n" \
    "        dots[0] += as_char(a) * as_char(b);\n"                                       \
    "        dots[1] += as_char(a) * b;\n"                                                \
    "        dots[2] += a * as_char(b);\n"                                                \
    "        dots[3] += a * b;\n"                                                         \
    "    }\n"                                                                             \
    "    BROKEN;\n"                                                                       \
    "    for (int k = 0; k < 4; ++k) y[4 * i + k] = dots[k];\n"                           \
    "}\n"
SOURCE(int_dot_right, "#define BROKEN\n" INT_DOT_TEXT);
SOURCE(int_dot_sign, "#define BROKEN dots[1] = dots[2]\n" INT_DOT_TEXT);
SOURCE(int_dot_saturated, "#define BROKEN dots[0] = min(dots[0], 32767)\n" INT_DOT_TEXT);

SOURCE(svm_wrong, "__kernel void svm_next(__global const float *src, __global float *dst)\n"
                  "{\n"
                  "    const int i = (int)get_global_id(0);\n"
                  "    dst[i] = src[i] + (i == 63 ? 0.0f : 1.0f);\n"
                  "}\n");

// Where the device has it and passes: nothing can stand in for a pointer.
static void wrong_pointers(void **state)
{
    (void)state;
    bool (*const claims)(const ocl_device_t *) = prim__ocl_svm_is_claimed;
    bool (*const check)(ocl_selftest_t *) = prim__ocl_selftest_svm;
    const bool has_svm = judge(&prim__ocl_selftest_svm_cl, claims, check, true).is_trusted;
    const ocl_verdict_t verdict = judge(&svm_wrong, claims, check, true);
    assert_true(!verdict.is_trusted);
    if (has_svm) assert_non_null(strstr(verdict.why, "element 63"));
}

// The emulation is judged wrong for such a reason; NULL: right.
static ocl_verdict_t expect(
        const ocl_source_t *source, bool (*check)(ocl_selftest_t *), const char *part_of_why)
{
    const ocl_verdict_t verdict = judge(source, is_claimed, check, true);
    assert_int_equal(verdict.is_trusted, !part_of_why);
    if (part_of_why) assert_non_null(strstr(verdict.why, part_of_why));
    if (!part_of_why) assert_string_equal(verdict.why, "");
    return verdict;
}

static void emulated_halves(void **state)
{
    (void)state;
    expect(&half_right, prim__ocl_selftest_half, NULL);
    expect(&half_wrong, prim__ocl_selftest_half, "operation 2");
}

static void emulated_subgroups(void **state)
{
    (void)state;
    const ocl_source_t *const faulty[] = {
            &subgroup_twin, &subgroup_sum, &subgroup_first, &subgroup_scan, &subgroup_none};
    const ocl_verdict_t verdict = expect(&subgroup_right, prim__ocl_selftest_subgroups, NULL);
    assert_int_equal(verdict.value, 24);
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; ++i)
        expect(faulty[i], prim__ocl_selftest_subgroups, "item");
    cache_rig_forget("");
    expect(&subgroup_right, prim__ocl_selftest_subgroup_shuffle, NULL);
    expect(&subgroup_lost, prim__ocl_selftest_subgroups, NULL);
    expect(&subgroup_lost, prim__ocl_selftest_subgroup_shuffle, "");
    expect(&subgroup_right, prim__ocl_selftest_subgroup_block, NULL);
    expect(&subgroup_lost, prim__ocl_selftest_subgroup_block, "");
}

static void emulated_int_dots(void **state)
{
    (void)state;
    const ocl_verdict_t verdict = expect(&int_dot_right, prim__ocl_selftest_int_dot, NULL);
    assert_in_range(verdict.value, OCL_INT_DOT_EXTENSION, OCL_INT_DOT_PTX);
    expect(&int_dot_sign, prim__ocl_selftest_int_dot, "su of item");
    expect(&int_dot_saturated, prim__ocl_selftest_int_dot, "ss of item");
}

#define HINTED_TEXT                                                           \
    "__kernel void hinted_copies(__global uint *y, __global const uint *x)\n" \
    "{\n"                                                                     \
    "    const int i = (int)get_global_id(0);\n"                              \
    "    for (int k = 0; k < 8; ++k) {\n"                                     \
    "        const uint word = x[4 * i + k % 4];\n"                           \
    "        y[k / 4 * 1024 + 4 * i + k % 4] = FAULT;\n"                      \
    "    }\n"                                                                 \
    "}\n"
SOURCE(hinted_right, "#define FAULT k < 4 || i % 2 ? word : 7u\n" HINTED_TEXT);
SOURCE(hinted_lost, "#define FAULT i == 255 ? 0u : k < 4 || i % 2 ? word : 7u\n" HINTED_TEXT);
SOURCE(hinted_always, "#define FAULT word\n" HINTED_TEXT);

static void emulated_cache_hints(void **state)
{
    (void)state;
    expect(&hinted_right, prim__ocl_selftest_cache_hints, NULL);
    expect(&hinted_lost, prim__ocl_selftest_cache_hints, "word 1020 of the plain copy");
    expect(&hinted_always, prim__ocl_selftest_cache_hints, "word 0 of the predicated copy");
}

#define POWERS_TEXT                                                           \
    "__kernel void fast_powers(__global float *y, __global const float *x)\n" \
    "{ const float exact = exp2(x[get_global_id(0)]); y[get_global_id(0)] = FAULT; }\n"
SOURCE(powers_right, "#define FAULT exact < 0x1p-126f ? 0.0f : exact\n" POWERS_TEXT);
SOURCE(powers_rough, "#define FAULT exact * (1 + 0x1p-19f)\n" POWERS_TEXT);
SOURCE(powers_of_nan, "#define FAULT fmin(exact, 0x1p127f)\n" POWERS_TEXT);

static void emulated_powers(void **state)
{
    (void)state;
    expect(&powers_right, prim__ocl_selftest_fast_exp2, NULL);
    expect(&powers_rough, prim__ocl_selftest_fast_exp2, "2^-");
    expect(&powers_of_nan, prim__ocl_selftest_fast_exp2, "2^nan");
}

// What the vector stores must leave, by scalar ones; BROKEN makes one fault.
#define NONTEMPORAL_TEXT                                                             \
    "__kernel void nontemporal_stores(__global float *y, __global const float *x)\n" \
    "{\n"                                                                            \
    "    const int i = (int)get_global_id(0), first = 16 * i;\n"                     \
    "    __global char *s8 = (__global char *)(y + 6 * 1024);\n"                     \
    "    __global uchar *u8 = (__global uchar *)s8 + 1024;\n"                        \
    "    for (int k = first; k < first + 16; ++k) {\n"                               \
    "        const int other = 1008 - first + k - first;\n"                          \
    "        for (int row = 0; row < 3; ++row) y[row * 1024 + k] = x[k];\n"          \
    "        if (i < 63) y[3 * 1024 + 1 + k] = x[k];\n"                              \
    "        y[4 * 1024 + k] = x[k] + x[other];\n"                                   \
    "        vstore_half(x[k], k, (__global half *)(y + 5 * 1024));\n"               \
    "        ((__global ushort *)(y + 5 * 1024))[1024 + k] = as_uint(x[k]) >> 16;\n" \
    "        s8[k] = (char)x[k];\n"                                                  \
    "        u8[k] = (uchar)x[k];\n"                                                 \
    "    }\n"                                                                        \
    "    BROKEN;\n"                                                                  \
    "}\n"
SOURCE(nontemporal_right, "#define BROKEN\n" NONTEMPORAL_TEXT);
SOURCE(nontemporal_lost, "#define BROKEN if (i == 7) y[1024 + 127] = 0.0f\n" NONTEMPORAL_TEXT);
SOURCE(nontemporal_early, "#define BROKEN y[4 * 1024 + first] = x[first]\n" NONTEMPORAL_TEXT);
SOURCE(nontemporal_narrow, "#define BROKEN if (i == 63) u8[1023] = 0\n" NONTEMPORAL_TEXT);

static void emulated_nontemporal_stores(void **state)
{
    (void)state;
    expect(&nontemporal_right, prim__ocl_selftest_nontemporal, NULL);
    expect(&nontemporal_lost, prim__ocl_selftest_nontemporal, "element 127 of row 1");
    expect(&nontemporal_early, prim__ocl_selftest_nontemporal, "element 0 of row 4");
    expect(&nontemporal_narrow, prim__ocl_selftest_nontemporal, "element 1023 of u8");
}

// The self-test of groups that wait, with `to` instead of `from`.
static void expect_waiting(const char *from, const char *to, const char *part_of_why)
{
    static char text[1 << 16];
    const char *whole = prim__ocl_selftest_group_wait_cl.text, *at = strstr(whole, from);
    assert_non_null(at);
    const int length = snprintf(
            text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    assert_in_range(length, 1, sizeof text - 1);
    const ocl_source_t source = {"group_wait", text, (size_t)length};
    expect(&source, prim__ocl_selftest_group_wait, part_of_why);
}

static void groups_that_do_without_others(void **state)
{
    (void)state;
    const char *sum = "shared[1] + x", *late = "(is_first || grid_may_post(slots + at, 1))";
    expect_waiting(sum, "shared[1] + 1 * x", NULL);
    expect_waiting(sum, "shared[1] + x + (id == 13 && own == 5)", "item 13 of group 5 collected");
    expect_waiting(late, "false", "item 0 of group 0 collected");
}

static int work(const char *cache_folder)
{
    prim_set_cache_dir(cache_folder);
    is_dying = true;
    judge_doubles(&right);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "worker") == 0) return work(argv[2]);
    snprintf(self_path, sizeof self_path, "%s", argv[0]);
#define CASE(name) cmocka_unit_test_setup_teardown(name, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            CASE(a_right_device_is_trusted_once_and_for_all),
            CASE(a_wrong_device_is_not_trusted),
            CASE(what_is_not_claimed_is_not_tried),
            CASE(stale_verdicts_are_found_again),
            CASE(a_shortage_is_forgotten),
            CASE(a_deadly_feature_is_left_alone),
            CASE(the_device_is_asked_once),
            CASE(wrong_pointers),
            CASE(emulated_halves),
            CASE(emulated_subgroups),
            CASE(emulated_int_dots),
            CASE(emulated_cache_hints),
            CASE(emulated_powers),
            CASE(emulated_nontemporal_stores),
            CASE(groups_that_do_without_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
