// SPDX-License-Identifier: Apache-2.0
// The logger and the last error: levels, filter, callback, stdout, long lines, threads.
#define _POSIX_C_SOURCE 200809L
#include "common/log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/status.h"
#include "prim/prim.h"
#include "support/unit_test.h"

/// What the callback got.
typedef struct {
    int nlines;
    char last[16384];
    bool is_inside; ///< one call at a time
    int noverlaps;
} lines_t;

static void keep_line(void *user, const char *line)
{
    lines_t *const lines = user;
    lines->noverlaps += lines->is_inside;
    lines->is_inside = true;
    ++lines->nlines;
    snprintf(lines->last, sizeof lines->last, "%s", line);
    lines->is_inside = false;
}

static lines_t lines;

static int listen_again(void **state)
{
    (void)state;
    memset(&lines, 0, sizeof lines);
    return prim_set_log_callback(keep_line, &lines) || prim_set_verbose("all");
}

static int listen_no_more(void **state)
{
    (void)state;
    return prim_set_log_callback(NULL, NULL) || prim_set_verbose("error");
}

enum {
    ALL = LOG_ERROR | LOG_WARN | LOG_INFO | LOG_CHECK | LOG_DISPATCH | LOG_PROFILE_CREATE |
          LOG_PROFILE_EXEC
};

typedef struct {
    const char *list;
    unsigned levels;
} list_case_t;

static const list_case_t lists[] = {
        {"none", 0},
        {"error", LOG_ERROR},
        {"warn", LOG_WARN},
        {"check", LOG_CHECK},
        {"dispatch", LOG_DISPATCH},
        {"profile_create", LOG_PROFILE_CREATE},
        {"profile_exec", LOG_PROFILE_EXEC},
        {"profile", LOG_PROFILE_CREATE | LOG_PROFILE_EXEC},
        {"all", ALL},
        {"info", LOG_INFO},
        {"0", 0},
        {"1", LOG_ERROR | LOG_INFO | LOG_PROFILE_EXEC},
        {"2", LOG_ERROR | LOG_INFO | LOG_PROFILE_EXEC | LOG_PROFILE_CREATE},
        {"1,dispatch", LOG_ERROR | LOG_INFO | LOG_PROFILE_EXEC | LOG_DISPATCH},
        {"error,check", LOG_ERROR | LOG_CHECK},
        {"dispatch,none,warn", LOG_DISPATCH | LOG_WARN},
        {"", LOG_ERROR},
        {",,", LOG_ERROR},
        {"check,", LOG_CHECK},
        {"filter=conv", LOG_ERROR},
        {"filter=conv,profile_exec", LOG_PROFILE_EXEC},
        {"filter=,none", 0},
};

static void levels(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lists); ++i) {
        assert_int_equal(prim_set_verbose(lists[i].list), PRIM_SUCCESS);
        for (unsigned level = LOG_ERROR; level <= LOG_INFO; level *= 2) {
            const bool is_wanted = (lists[i].levels & level) != 0;
            assert_int_equal(prim__log_is_on(level), is_wanted);
            lines.nlines = 0;
            prim__log(level, NULL, "level %u", level);
            assert_int_equal(lines.nlines, is_wanted);
        }
    }
}

static void unknown_words_change_nothing(void **state)
{
    (void)state;
    static const char *const bad[] = {"errors", "error,nonsense", "ERROR", " error", "filter", "3",
            "10", "all,filter=0123456789012345678901234567890123456789012345678901234567890123"};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        assert_int_equal(prim_set_verbose("check,filter=conv"), PRIM_SUCCESS);
        assert_int_equal(prim_set_verbose(bad[i]), PRIM_INVALID_ARGUMENTS);
        assert_true(prim__log_is_on(LOG_CHECK));
        assert_false(prim__log_is_on(LOG_ERROR));
        lines.nlines = 0;
        prim__log(LOG_CHECK, "matmul", "x");
        assert_int_equal(lines.nlines, 0);
        prim__log(LOG_CHECK, "convolution", "x");
        assert_int_equal(lines.nlines, 1);
    }
}

static void the_filter_looks_at_the_kind(void **state)
{
    (void)state;
    assert_int_equal(prim_set_verbose("all,filter=conv"), PRIM_SUCCESS);
    prim__log(LOG_DISPATCH, "convolution", "a");
    prim__log(LOG_DISPATCH, "deconvolution", "b");
    prim__log(LOG_DISPATCH, "matmul", "c");
    assert_int_equal(lines.nlines, 2);
    prim__log(LOG_ERROR, NULL, "of no kind");
    assert_int_equal(lines.nlines, 3);
    assert_int_equal(prim_set_verbose("all"), PRIM_SUCCESS);
    prim__log(LOG_DISPATCH, "matmul", "d");
    assert_int_equal(lines.nlines, 4);
}

static void lines_are_whole(void **state)
{
    (void)state;
    prim__log(LOG_WARN, NULL, "a,%d,%s", 7, "b");
    assert_string_equal(lines.last, "prim_verbose,v1,a,7,b");
    prim__log(LOG_WARN, NULL, "two\nlines\r\n");
    assert_string_equal(lines.last, "prim_verbose,v1,two lines  ");

    // Around the size of the buffer on the stack, and well beyond it.
    static char text[10001];
    static const int lengths[] = {1000, 1006, 1007, 1008, 1009, 1010, 1023, 1024, 10000};
    for (size_t i = 0; i < COUNT_OF(lengths); ++i) {
        memset(text, 'x', (size_t)lengths[i]);
        text[lengths[i]] = '\0';
        prim__log(LOG_WARN, NULL, "%s", text);
        assert_int_equal(strlen(lines.last), strlen("prim_verbose,v1,") + (size_t)lengths[i]);
        assert_string_equal(lines.last + strlen("prim_verbose,v1,"), text);
    }
}

static void *no_memory(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    return NULL;
}

static void never_called(void *user, void *pointer)
{
    (void)user;
    fail_msg("released %p", pointer);
}

static void without_memory_a_line_is_cut(void **state)
{
    (void)state;
    const prim_allocator_t allocator = {no_memory, never_called, NULL};
    assert_int_equal(prim_set_allocator(&allocator), PRIM_SUCCESS);
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    prim__log(LOG_WARN, NULL, "%s", text);
    assert_int_equal(prim_set_allocator(NULL), PRIM_SUCCESS);
    assert_int_equal(lines.nlines, 1);
    assert_int_equal(strlen(lines.last), 1023);
}

static void failures_are_logged(void **state)
{
    (void)state;
    assert_int_equal(prim__fail(PRIM_INVALID_ARGUMENTS, "axis %d", 4), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(lines.last, "prim_verbose,v1,check,invalid_arguments,axis 4");
    assert_int_equal(prim__fail(PRIM_RUNTIME_ERROR, "lost"), PRIM_RUNTIME_ERROR);
    assert_string_equal(lines.last, "prim_verbose,v1,error,runtime_error,lost");
    assert_int_equal(prim__fail_memory(123), PRIM_OUT_OF_MEMORY);
    assert_string_equal(lines.last, "prim_verbose,v1,error,out_of_memory,no memory for 123 bytes");
    assert_int_equal(prim_set_verbose("error"), PRIM_SUCCESS);
    lines.nlines = 0;
    assert_int_equal(prim__fail(PRIM_UNIMPLEMENTED, "no"), PRIM_UNIMPLEMENTED);
    assert_int_equal(lines.nlines, 0);
    assert_string_equal(prim_last_error(), "no"); // kept, whatever is logged
}

static void *fail_elsewhere(void *arg)
{
    (void)arg;
    const bool was_empty = prim_last_error()[0] == '\0';
    prim__fail(PRIM_INVALID_ARGUMENTS, "of another thread");
    return was_empty && strcmp(prim_last_error(), "of another thread") == 0 ? "good" : NULL;
}

static void the_last_error_is_the_threads_own(void **state)
{
    (void)state;
    prim__fail(PRIM_INVALID_ARGUMENTS, "first");
    prim__fail(PRIM_INVALID_ARGUMENTS, "%s, then more", prim_last_error());
    assert_string_equal(prim_last_error(), "first, then more");
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, &result);
    assert_non_null(result);
    assert_string_equal(prim_last_error(), "first, then more");

    static char text[20000];
    memset(text, 'y', sizeof text - 1);
    prim__fail(PRIM_RUNTIME_ERROR, "%s", text);
    assert_int_equal(strlen(prim_last_error()), 8191);
}

static void call_prim(void *user, const char *line)
{
    int *const status = user;
    (void)line;
    prim__log(LOG_ERROR, NULL, "from inside"); // dropped
    ++status[0];
    status[1] = (int)prim_set_log_callback(NULL, NULL);
    status[2] = (int)prim_set_verbose("all");
}

static void callbacks_may_call_prim(void **state)
{
    (void)state;
    int status[3] = {0};
    assert_int_equal(prim_set_log_callback(call_prim, status), PRIM_SUCCESS);
    prim__log(LOG_ERROR, NULL, "x");
    assert_int_equal(status[0], 1);
    assert_int_equal(status[1], PRIM_INVALID_ARGUMENTS);
    assert_int_equal(status[2], PRIM_INVALID_ARGUMENTS);
}

enum { NTHREADS = 4, LINES_PER_THREAD = 2000 };

static void *log_much(void *arg)
{
    (void)arg;
    for (int i = 0; i < LINES_PER_THREAD; ++i) prim__log(LOG_PROFILE_EXEC, "sum", "line %d", i);
    return NULL;
}

static void one_call_at_a_time(void **state)
{
    (void)state;
    pthread_t threads[NTHREADS];
    for (int i = 0; i < NTHREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, log_much, NULL), 0);
    for (int i = 0; i < NTHREADS; ++i) pthread_join(threads[i], NULL);
    assert_int_equal(lines.nlines, NTHREADS * LINES_PER_THREAD);
    assert_int_equal(lines.noverlaps, 0);
}

static void without_a_callback_it_is_stdout(void **state)
{
    (void)state;
    char path[] = "/tmp/prim_log_test_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    const prim_status_t st = prim_set_log_callback(NULL, NULL);
    prim__log(LOG_WARN, NULL, "to stdout");
    dup2(saved, STDOUT_FILENO);
    close(saved);
    char text[64] = "";
    const ssize_t length = pread(file, text, sizeof text - 1, 0);
    close(file);
    unlink(path);
    assert_int_equal(st, PRIM_SUCCESS);
    assert_int_equal(length, 26);
    assert_string_equal(text, "prim_verbose,v1,to stdout\n");
    assert_int_equal(lines.nlines, 0);
}

static void the_clock_runs(void **state)
{
    (void)state;
    const double start = prim__now_ms();
    while (prim__now_ms() - start < 2) {
    }
    assert_true(prim__now_ms() - start < 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(levels, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(
                    unknown_words_change_nothing, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(
                    the_filter_looks_at_the_kind, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(lines_are_whole, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(
                    without_memory_a_line_is_cut, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(failures_are_logged, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(
                    the_last_error_is_the_threads_own, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(callbacks_may_call_prim, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(one_call_at_a_time, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(
                    without_a_callback_it_is_stdout, listen_again, listen_no_more),
            cmocka_unit_test_setup_teardown(the_clock_runs, listen_again, listen_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
