// SPDX-License-Identifier: Apache-2.0
// Two drivers without an operation, and benchdnn's command line run on them.
#include "bench_cli_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/bench_cli.h"
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

char *cli_rig_run(const char *line, int *code)
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

char *cli_rig_repros(const char *line)
{
    static const char mark[] = "__REPRO: ";
    int code = 0;
    text_t joined = {0};
    char *const text = cli_rig_run(line, &code);
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

void cli_rig_check(const char *line, const char *expected)
{
    char *const got = cli_rig_repros(line);
    assert_string_equal(got, expected);
    free(got);
}

void cli_rig_forget(void)
{
    free(cli_rig_repros(
            "--canonical= --cold-cache= --max-ms-per-prb= --fix-times-per-prb= --engine= "
            "--global-skip-impl= --tune= --memory-kind= --stream-kind= --mode=L --dims 1"));
}
