// SPDX-License-Identifier: Apache-2.0
// benchdnn's command line from outside: batch tokens, lists, the order and number of cases, exit
// codes, and that every repro line lists the same case again. Runs in mode L with drivers of its
// own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/bench_cli.h"
#include "core/bench_globals.h"
#include "core/bench_text.h"
#include "support/unit_test.h"

static const word_t algs[] = {{"first", 1}, {"second", 2}, {NULL, 0}};
static const word_t flags[] = {{"G", 1}, {"C", 2}, {NULL, 0}};

static const option_t window_options[] = {
        {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_B"},
        {.name = "dt", .kind = OPTION_DT, .fallback = "f32", .max_count = 3},
        {.name = "stag", .kind = OPTION_TAG, .fallback = "any"},
        {.name = "strides", .kind = OPTION_STRIDES, .fallback = "", .max_count = 3},
        {.name = "alg", .kind = OPTION_WORD, .fallback = "first", .words = algs},
        {.name = "flags", .kind = OPTION_FLAGS, .fallback = "", .words = flags},
        {.name = "mb", .kind = OPTION_INT, .fallback = "0", .inside_attr = true},
        {0},
};

static const field_t window_fields[] = {
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        FIELD_TRIPLE("od", "oh", "ow", out, 0),
        FIELD_TRIPLE("kd", "kh", "kw", kernel, 0),
        FIELD_TRIPLE("sd", "sh", "sw", stride, 1),
        FIELD_TRIPLE("pd", "ph", "pw", pad, -1),
        FIELD_TRIPLE("dd", "dh", "dw", dilation, 0),
        {0},
};

static bool complete(problem_t *problem)
{
    return problem_complete_windows(problem, "window");
}

static const driver_t window_driver = {
        .name = "window",
        .family = FAMILY_FIELDS,
        .options = window_options,
        .fields = window_fields,
        .csv_columns = "%dir%",
        .complete = complete,
};

enum { BIA_DT };

static const option_t dims_options[] = {
        [BIA_DT] = {.name = "bia-dt", .alias = "bia_dt", .kind = OPTION_DT, .fallback = "undef"},
        {.name = "bia_mask", .kind = OPTION_INT, .fallback = "2", .needs_dt = BIA_DT + 1},
        {.name = "scales",
                .kind = OPTION_FLOAT,
                .fallback = "1",
                .max_count = 8,
                .is_always_printed = true},
        {.name = "mask", .kind = OPTION_INT, .fallback = "0", .is_printed_last = true},
        {.name = "inplace", .kind = OPTION_BOOL, .fallback = "false", .inside_attr = true},
        {0},
};

static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    (void)prb;
    (void)has_groups;
    return arg == PRIM_ARG_WEIGHTS ? attr_weights_mask(policy, false)
                                   : attr_default_mask(policy, 2);
}

static const driver_t dims_driver = {
        .policy_mask = policy_mask,
        .name = "dims",
        .family = FAMILY_DIMS,
        .options = dims_options,
        .min_tensors = 1,
        .max_tensors = 3,
        .csv_columns = "",
};

static const driver_t *const drivers[] = {&window_driver, &dims_driver, NULL};

/// Runs a command line given as one text, split at blanks; returns what it printed to stdout.
static char *run(const char *line, int *code)
{
    list_t tokens = {sizeof(char *), 0, NULL};
    tokenise(line, &tokens);
    char **const argv = bench_calloc((size_t)tokens.count + 2, sizeof(char *));
    argv[0] = bench_strdup("benchdnn");
    for (int i = 0; i < tokens.count; ++i) argv[i + 1] = *(char **)list_item(&tokens, i);

    fflush(stdout);
    FILE *const capture = tmpfile();
    assert_non_null(capture);
    const int saved = dup(STDOUT_FILENO);
    dup2(fileno(capture), STDOUT_FILENO);
    *code = cli_run(drivers, tokens.count + 1, argv);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);

    const long length = (fseek(capture, 0, SEEK_END), ftell(capture));
    char *const text = bench_calloc((size_t)length + 1, 1);
    rewind(capture);
    assert_int_equal(fread(text, 1, (size_t)length, capture), length);
    fclose(capture);
    for (int i = 0; i <= tokens.count; ++i) free(argv[i]);
    free(argv);
    list_free(&tokens);
    return text;
}

/// The repro lines of a run, one to a line.
static char *repros(const char *line)
{
    static const char mark[] = "__REPRO: ";
    int code = 0;
    text_t joined = {0};
    char *const text = run(line, &code);
    if (code) print_error("line: %s\n", line);
    assert_int_equal(code, 0);
    for (const char *p = strstr(text, mark); p; p = strstr(p, mark)) {
        p += sizeof mark - 1;
        text_printf(&joined, "%.*s\n", (int)strcspn(p, "\n"), p);
    }
    free(text);
    char *const result = bench_strdup(text_string(&joined));
    text_free(&joined);
    return result;
}

static void check_repros(const char *line, const char *expected)
{
    char *const got = repros(line);
    assert_string_equal(got, expected);
    free(got);
}

static void tokens_of_batch_files(void **state)
{
    (void)state;
    static const char text[] = "--reset # the rest of the line, \\ too\n"
                               "--a=1,2  3x4:5 \t--attr=, \\\n  sum:0.5, \\\n# in between\n relu\n"
                               "--b=\\\n x#y \\\nz\n \\\n";
    static const char *const expected[] = {
            "--reset", "--a=1,2", "3x4:5", "--attr=,sum:0.5,relu", "--b=x#yz"};
    list_t tokens = {sizeof(char *), 0, NULL};
    tokenise(text, &tokens);
    assert_int_equal(tokens.count, COUNT_OF(expected));
    for (int i = 0; i < tokens.count; ++i) {
        char *const token = *(char **)list_item(&tokens, i);
        assert_string_equal(token, expected[i]);
        free(token);
    }
    list_free(&tokens);
}

static void defaults_are_left_out(void **state)
{
    (void)state;
    check_repros("--mode=L --window ic3ih4kh3", "--mode=L --window ic3ih4oh2kh3ph0\n");
    check_repros("--mode=L --dims 2x3:1_n\"x\"", "--mode=L --dims --scales=1 2x3:1x1_n\"x\"\n");
    check_repros("--mode=L --window --dt=f32 --flags=,GC --mb=5 ic3iw4kw3",
            "--mode=L --window mb5ic3iw4ow2kw3pw0\n"
            "--mode=L --window --flags=GC mb5ic3iw4ow2kw3pw0\n");
}

static void products_nest_in_order(void **state)
{
    (void)state;
    check_repros("--mode=L --dims --inplace=false,true --attr-scales=,src:common:2 --mask=0,1 2x3",
            "--mode=L --dims --scales=1 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true 2x3\n"
            "--mode=L --dims --scales=1 --attr-scales=src:common:2 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true --attr-scales=src:common:2 2x3\n"
            "--mode=L --dims --scales=1 --mask=1 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true --mask=1 2x3\n"
            "--mode=L --dims --scales=1 --attr-scales=src:common:2 --mask=1 2x3\n"
            "--mode=L --dims --scales=1 --inplace=true --attr-scales=src:common:2 --mask=1 2x3\n");
    // A mask without a bias counts once.
    check_repros("--mode=L --dims --bia_dt=undef,s8 --bia_mask=2,3 2x3",
            "--mode=L --dims --scales=1 2x3\n"
            "--mode=L --dims --bia-dt=s8 --scales=1 2x3\n"
            "--mode=L --dims --bia-dt=s8 --bia_mask=3 --scales=1 2x3\n");
}

static void options_persist_until_reset(void **state)
{
    (void)state;
    check_repros("--mode=L --dims --scales=0.5:2 2x3 --scales= 4x5 --scales=3 --reset 6x7",
            "--mode=L --dims --scales=0.5:2 2x3\n"
            "--mode=L --dims --scales=1 4x5\n"
            "--mode=L --dims --scales=1 6x7\n");
    // --match abandons the product at the first case that does not fit.
    check_repros("--mode=L --dims --match=.*inplace.* --inplace=true,false 2x3",
            "--mode=L --dims --scales=1 --inplace=true 2x3\n");
    check_repros("--mode=L --dims --match=.*inplace.* --inplace=false,true 2x3", "");
}

/// Global options stay set for the process: back to their defaults.
static void forget_globals(void)
{
    free(repros("--canonical= --cold-cache= --max-ms-per-prb= --fix-times-per-prb= --engine= "
                "--global-skip-impl= --tune= --mode=L --dims 1"));
}

static void repro_lines_come_back(void **state)
{
    (void)state;
    static const char *const lines[] = {
            "--mode=L --engine=gpu:1 --window --dir=fwd_i,BWD_WB --dt=u8:s8:f32,bf16 "
            "--stag=axb,nhwc "
            "--strides=,8x1::4x1 --alg=SECOND --flags=CG mb3ic5ih9kh3sh2ph1n\"a:b*3\"",
            "--mode=L --canonical=true --window --mb=7 ic12ih11iw8kh3kw2dh1ph2",
            "--mode=L --canonical=true --cold-cache=wei --tune=full --dims 2x3:1x3",
            "--mode=L --tune=quick --dims 2x3:1x3",
            "--mode=L --max-ms-per-prb=50 --fix-times-per-prb=3 --dims --scales=-1.5:0.25 --mask=3 "
            "--attr-post-ops=,sum:0.5+relu:0.1,add:f32:per_oc:axb --attr-fpmath=bf16:true "
            "--attr-scratchpad=user --attr-zero-points=src:common:2+dst:per_dim_1 "
            "--attr-rounding-mode=dst:stochastic:7 --attr-dropout=0.5:3 --ctx-exe=2:1 "
            "--impl=\"ref\" "
            "2x3x4:1x3_nname",
            "--mode=L --global-skip-impl=a,b --dims 2",
    };
    for (size_t i = 0; i < COUNT_OF(lines); ++i) {
        forget_globals();
        char *const first = repros(lines[i]);
        assert_true(strlen(first) > 0);
        char *rest = first;
        for (char *end = strchr(rest, '\n'); end; end = strchr(rest, '\n')) {
            *end = 0;
            forget_globals();
            char *const again = repros(rest);
            assert_memory_equal(again, rest, strlen(rest));
            assert_string_equal(again + strlen(rest), "\n");
            free(again);
            rest = end + 1;
        }
        free(first);
    }
    forget_globals();
}

static void bad_lines_have_exit_codes(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int code;
    } rows[] = {
            {"", 1},
            {"--nothing", 1},
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
            {"--memory-kind=usm --dims 2x3", 2},
            {"--cold-cache=custom --dims 2x3", 2},
            {"--tune=much --dims 2x3", 1},
            {"--mode=C --mode-modifier=M --dims 2x3", 1},
            {"--mode=L --mode-modifier= --dims --help", 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        int code = -1;
        free(run(rows[i].line, &code));
        if (code != rows[i].code) print_error("line: %s\n", rows[i].line);
        assert_int_equal(code, rows[i].code);
    }
}

static void batch_files_nest(void **state)
{
    (void)state;
    char dir[] = "/tmp/bench_cli_test_XXXXXX";
    assert_non_null(mkdtemp(dir));
    text_t outer = {0}, inner = {0}, line = {0};
    text_printf(&outer, "%s/outer", dir);
    text_printf(&inner, "%s/inner", dir);
    FILE *file = fopen(text_string(&outer), "w");
    assert_non_null(file);
    fputs("--scales=2 # set here\n2x3\n--batch=inner 6x7\n", file); // found beside this file
    fclose(file);
    file = fopen(text_string(&inner), "w");
    assert_non_null(file);
    fputs("4x5\n--scales=3\n", file); // stays set for the outer file
    fclose(file);
    text_printf(&line, "--mode=L --dims --batch=%s", text_string(&outer));
    check_repros(text_string(&line),
            "--mode=L --dims --scales=2 2x3\n--mode=L --dims --scales=2 4x5\n"
            "--mode=L --dims --scales=3 6x7\n");
    remove(text_string(&outer));
    remove(text_string(&inner));
    rmdir(dir);
    text_free(&outer);
    text_free(&inner);
    text_free(&line);
}

/// Whether --impl=`list` and not --skip-impl=`list` lets `name` through, or the other way round.
static bool list_names(const char *list, const char *name)
{
    impl_filter_t only, skip;
    assert_true(impl_filter_parse(&only, false, list));
    assert_true(impl_filter_parse(&skip, true, list));
    assert_int_equal(impl_filter_takes(&only, name), !impl_filter_takes(&skip, name));
    return impl_filter_takes(&only, name);
}

static void implementations_are_named_by_whole_words(void **state)
{
    (void)state;
    static const char name[] = "ocl:matmul:wgmma_gather";
    static const char *const good[] = {"ocl:matmul:wgmma_gather", "wgmma_gather",
            "matmul:wgmma_gather", "ocl", "ocl:matmul", "mma,wgmma_gather", "ref,ocl",
            "\"wgmma_gather\""};
    static const char *const bad[] = {"wgmma", "mma", "gather", "matmul", "oc",
            "ocl:", ":wgmma_gather", "ocl:mat", "l:matmul", "ocl:matmul:wgmma",
            "ocl:matmul:wgmma_gather2", "ref,mma,wgmma", ","};
    for (size_t i = 0; i < COUNT_OF(good); ++i) assert_true(list_names(good[i], name));
    for (size_t i = 0; i < COUNT_OF(bad); ++i) assert_false(list_names(bad[i], name));
    impl_filter_t none;
    assert_true(impl_filter_parse(&none, false, ""));
    assert_true(impl_filter_takes(&none, name)); // an empty list switches the filter off
    assert_true(impl_filter_parse(&none, true, ""));
    assert_true(impl_filter_takes(&none, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(tokens_of_batch_files),
            cmocka_unit_test(defaults_are_left_out),
            cmocka_unit_test(products_nest_in_order),
            cmocka_unit_test(options_persist_until_reset),
            cmocka_unit_test(repro_lines_come_back),
            cmocka_unit_test(bad_lines_have_exit_codes),
            cmocka_unit_test(batch_files_nest),
            cmocka_unit_test(implementations_are_named_by_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
