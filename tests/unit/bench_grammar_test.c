// SPDX-License-Identifier: Apache-2.0
// benchdnn's command line as a stranger types it: what is read and what is not, with which exit
// code; where batches come from; what skips a case instead of ending the run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_cli_rig.h"
#include "core/bench_globals.h"
#include "core/bench_text.h"
#include "support/unit_test.h"

static const struct {
    const char *line;
    int code;
} exit_codes[] = {
        {"", 1},
        {"--nothing", 2},
        {"--nothing --dims 2x3", 2},
        {"--engine=cpu", 2},        // no driver
        {"--mask=1 2x3 --dims", 2}, // a problem before the driver
        {"2x3", 2},
        {"--mode=L --bogus=1 --dims 2x3", 2}, // handed to the driver, which does not know it
        {"--mode=L --mask=1 --reset --dims 2x3", 0},
        {"--mode=L --dims --dims 2x3", 2},
        {"--mode=L --dims --mask 2x3", 2},
        {"--mode=L --dims -v 2x3", 2},
        {"--mode=L --dims -v0 2x3", 0},
        {"--mode=L --window ic99999999999999999999ih4kh3", 1},
        {"--mode=L --window ic3ih9007199254740991kh9007199254740991dh9007199254740991", 1},
        {"--mode=L --dims 9007199254740993", 1},
        {"--mode=L --dims 9007199254740991", 0},
        {"--mode=L --dims 9007199254740991x0", 0},
        {"--mode=L --dims 94906266x94906267", 1}, // 2^53 elements and some
        {"--mode=L --dims 9007199254740991x1:1x2", 1},
        {"--mode=L --window ic4iw1125899906842623kw3", 0}, // 8 images and channels
        {"--mode=L --window ic5iw1125899906842623kw3", 1},
        {"--mode=L --window --mb=3 ic4iw1125899906842623kw3", 1},
        {"--mode=L --window ic8ih4294967296kh3", 1},
        {"--mode=L --dims 99999999999999999999", 1},
        {"--mode=L --dims --bogus=1 2x3", 2},
        {"--mode=L --dims -x 2x3", 2},
        {"--mode=L --dims 2x", 1},
        {"--mode=L --dims --inplace=true,q 2x3", 0}, // whatever is not true is false
        {"--mode=L --dims --mask=1.5 2x3", 1},
        {"--mode=L --dims --mask=007 2x3", 1},
        {"--mode=L --dims --scales=1:x 2x3", 1},
        {"--mode=L --dims --scales=1:1:1:1:1:1:1:1:1 2x3", 1},
        {"--mode=L --window --stag=nhwq ic3ih4kh3", 2},
        {"--mode=L --window --dt=q8 ic3ih4kh3", 1},
        {"--mode=L --window --alg=third ic3ih4kh3", 1},
        {"--mode=L --window --flags=X ic3ih4kh3", 1},
        {"--mode=L --window ic3ih4", 1},
        {"--mode=L --dims --batch=/nonexistent/file", 1},
        {"--mode=L --dims --attr-post-ops=nothing 2x3", 1},
        {"--mode=L --dims --attr-scales=wei:per_dim_0 2x3", 1}, // the driver has no such mask
        {"--mode=L --dims --attr-scales=wei:per_oc 2x3", 0},
        {"--mode=L --dims --match=[ 2x3", 1},
        {"--mode=L --dims --perf-template=%nothing% 2x3", 1},
        {"--mode=Q --dims 2x3", 1},
        {"--engine=tpu --dims 2x3", 1},
        {"--mode=L --engine= --memory-kind=usm_device --dims 2x3", 0},
        {"--memory-kind=tape --dims 2x3", 1},
        {"--memory-kind= --stream-kind=out_of_order --mode=L --dims 2x3", 0},
        {"--stream-kind=sideways --dims 2x3", 1},
        {"--cpu-runtime=seq --mode=L --dims 2x3", 0},
        {"--cpu-runtime=tbb --dims 2x3", 1},
        {"--cpu-runtime= --mode=L --dims 2x3", 0},
        {"--stream-kind= --mode=L --cold-cache=custom --dims 2x3", 0},
        {"--mode=L --cold-cache=all+tlb --dims 2x3", 0},
        {"--mode=L --cold-cache=wei+tlb:1.5G --dims 2x3", 0},
        {"--mode=L --cold-cache=wei+tlb:1.5 --dims 2x3", 1},
        {"--mode=L --cold-cache=wei+tlb:G --dims 2x3", 1},
        {"--mode=L --cold-cache=wei+ --dims 2x3", 1},
        {"--mode=L --cold-cache=warm --dims 2x3", 1},
        {"--mode=L --cold-cache= --dims --attr-dropout=0.5:-3:axb 2x3", 0},
        {"--mode=L --dims --attr-dropout=0.5:x 2x3", 1},
        {"--mode=L --dims --attr-dropout=0.5:3:nhwq 2x3", 2},
        {"--mode=L --dims --attr-dropout=1.5 2x3", 1},
        {"--mode=L --dims --attr-rounding-mode=dst:environment+src:STOCHASTIC:7 2x3", 0},
        {"--mode=L --dims --attr-rounding-mode=dst 2x3", 1},
        {"--mode=L --dims --attr-rounding-mode=somewhere:stochastic 2x3", 1},
        {"--mode=L --dims --attr-rounding-mode=dst:upward 2x3", 1},
        {"--mode=L --dims --attr-rounding-mode=dst:stochastic:x 2x3", 1},
        {"--tune=much --dims 2x3", 1},
        {"--sample=3/3 --dims 2x3", 1},
        {"--sample=1 --dims 2x3", 1},
        {"--mode=C --mode-modifier=M --dims 2x3", 1},
        {"--mode=L --mode-modifier= --dims --help", 0},
};

static void bad_lines_have_exit_codes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(exit_codes); ++i) {
        int code = -1;
        free(cli_rig_run(exit_codes[i].line, &code));
        if (code != exit_codes[i].code) print_error("line: %s\n", exit_codes[i].line);
        assert_int_equal(code, exit_codes[i].code);
    }
}

/// What the driver's options may be, they may be before its name too.
static void options_may_come_before_the_driver(void **state)
{
    (void)state;
    cli_rig_check("--scales=2 --mode=L --attr-post-ops=relu --impl=\"ref\" --dims 2x3 --reset 4x5",
            "--mode=L --dims --scales=2 --attr-post-ops=relu --impl=ref 2x3\n"
            "--mode=L --dims --scales=1 4x5\n");
    cli_rig_check("--mode=L --match=.*4x5.* --skip-impl=jit --dims 2x3 4x5",
            "--mode=L --dims --scales=1 --skip-impl=jit 4x5\n");
    // An option of the wrong driver is not lost.
    int code = 0;
    free(cli_rig_run("--mode=L --mask=1 --window ic3ih4kh3", &code));
    assert_int_equal(code, 2);
}

/// Equal texts are one, others stay apart, be they the beginnings of each other or thousands.
static void texts_are_kept_once(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static const char *kept[COUNT + 1];
    char text[COUNT];
    memset(text, 'x', sizeof text);
    for (int length = COUNT; length >= 0; --length) {
        kept[length] = bench_intern(text, (size_t)length);
        assert_int_equal(strlen(kept[length]), length);
    }
    for (int length = 0; length <= COUNT; ++length)
        assert_ptr_equal(bench_intern(text, (size_t)length), kept[length]);
}

static void names_are_of_any_length(void **state)
{
    (void)state;
    impl_filter_t filter;
    text_t names = {0};
    for (int i = 0; i < 100; ++i) text_printf(&names, "\"part_%d\",", i);
    text_append(&names, "last");
    impl_filter_parse(&filter, false, text_string(&names));
    assert_true(impl_filter_takes(&filter, "cpu:last"));
    assert_true(impl_filter_takes(&filter, "cpu:part_99"));
    assert_false(impl_filter_takes(&filter, "cpu:part_100"));
    text_free(&names);

    text_t line = {0}, expected = {0};
    text_append(&line, "--mode=L --window ic3ih4oh2kh3ph0n\"");
    for (int i = 0; i < 300; ++i) text_append(&line, "layer/");
    text_append(&line, "\"*3");
    text_printf(&expected, "%s\n", text_string(&line));
    cli_rig_check(text_string(&line), text_string(&expected));
    text_free(&line);
    text_free(&expected);
}

/// A pipe is read like a file; as a shell gives one for `--batch=<(…)`.
static void batches_come_from_pipes(void **state)
{
    (void)state;
    static const char batch[] = "--scales=2\n2x3 # six\n4x5";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], batch, sizeof batch - 1), sizeof batch - 1);
    close(ends[1]);
    text_t line = {0};
    text_printf(&line, "--mode=L --dims --batch=/dev/fd/%d", ends[0]);
    cli_rig_check(
            text_string(&line), "--mode=L --dims --scales=2 2x3\n--mode=L --dims --scales=2 4x5\n");
    close(ends[0]);
    text_free(&line);
}

static void batches_that_are_no_text(void **state)
{
    (void)state;
    static const char bytes[] = "2x3\n\0--bogus";
    char path[] = "/tmp/bench_cli_test_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    text_t line = {0};
    text_printf(&line, "--mode=L --dims --batch=%s", path);
    int code = 0;
    assert_int_equal(write(file, bytes, sizeof bytes - 1), sizeof bytes - 1);
    free(cli_rig_run(text_string(&line), &code));
    assert_int_equal(code, 1); // a byte of zero
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, "2x3 --bogus=1", 13, 0), 13);
    free(cli_rig_run(text_string(&line), &code));
    assert_int_equal(code, 2); // an unknown option, in a file too
    close(file);
    remove(path);
    free(cli_rig_run("--mode=L --dims --batch=/tmp", &code));
    assert_int_equal(code, 1); // a directory
    text_free(&line);
}

static void kinds_of_memories_and_streams(void **state)
{
    (void)state;
    cli_rig_forget();
    assert_null(bench_missing_feature());
    assert_int_equal(globals_parse("--memory-kind=usm_device"), 1);
    assert_null(bench_missing_feature()); // the CPU has one kind
    assert_int_equal(globals_parse("--engine=gpu"), 1);
    assert_non_null(bench_missing_feature());
    assert_int_equal(globals_parse("--memory-kind=buffer"), 1);
    assert_null(bench_missing_feature());
    assert_int_equal(globals_parse("--stream-kind=out_of_order"), 1);
    assert_non_null(bench_missing_feature());
    assert_int_equal(globals_parse("--stream-kind=in_order"), 1);
    assert_null(bench_missing_feature());
    cli_rig_forget();
}

/// Features that benchdnn lacks skip the cases that ask for them, and no others.
static void missing_features_skip_cases(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is_skipped;
    } rows[] = {
            {"--mode=P --cold-cache=custom --dims 2x3", true},
            {"--mode=P --cold-cache=all+tlb:1G --dims 2x3", true},
            {"--mode=L --cold-cache=custom --dims 2x3", false},
            {"--mode=I --dims --attr-dropout=0.5 2x3", true},
            {"--mode=I --dims --attr-rounding-mode=dst:stochastic 2x3", true},
            {"--mode=I --dims --attr-post-ops=dw:k3s1p1 2x3", true},
            {"--mode=I --dims --attr-scales=attr_post_op_dw_wei:per_oc 2x3", true},
            {"--mode=I --dims --attr-zero-points=attr_post_op_dw_dst:common:2 2x3", true},
            {"--mode=I --window --dir=BWD_W ic3ih4kh3", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        cli_rig_forget();
        int code = -1;
        char *const text = cli_rig_run(rows[i].line, &code);
        const bool is_skipped = strncmp(text, "0:SKIPPED (Case not supported)", 30) == 0;
        if (code || is_skipped != rows[i].is_skipped) print_error("line: %s\n", rows[i].line);
        assert_int_equal(code, 0);
        assert_int_equal(is_skipped, rows[i].is_skipped);
        free(text);
    }
    cli_rig_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(bad_lines_have_exit_codes),
            cmocka_unit_test(options_may_come_before_the_driver),
            cmocka_unit_test(texts_are_kept_once),
            cmocka_unit_test(names_are_of_any_length),
            cmocka_unit_test(batches_come_from_pipes),
            cmocka_unit_test(batches_that_are_no_text),
            cmocka_unit_test(kinds_of_memories_and_streams),
            cmocka_unit_test(missing_features_skip_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
