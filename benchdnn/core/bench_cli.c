// SPDX-License-Identifier: Apache-2.0
// The command line: global options, the driver's name, then options and problems in any order.
#include "bench_cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_engine.h"
#include "bench_problem.h"
#include "bench_product.h"
#include "bench_report.h"
#include "bench_runner.h"
#include "bench_self.h"
#include "bench_settings.h"
#include "bench_text.h"

#define MAX_BATCH_DEPTH 32

static bool run_tokens(settings_t *settings, char *const *tokens, int count, int depth);

static bool run_batch(settings_t *settings, const char *name, int depth)
{
    if (depth == MAX_BATCH_DEPTH)
        return problem_error("batch files are nested deeper than %d", MAX_BATCH_DEPTH);
    char *const content = read_batch(name, settings->driver->name);
    if (!content) return false;
    list_t tokens = {sizeof(char *), 0, NULL};
    tokenise(content, &tokens);
    free(content);
    const bool ok =
            run_tokens(settings, (char *const *)(void *)tokens.items, tokens.count, depth + 1);
    for (int i = 0; i < tokens.count; ++i) free(*(char **)list_item(&tokens, i));
    list_free(&tokens);
    fflush(stdout);
    if (!ok) fprintf(stderr, "%s: in the batch file `%s`:\n", settings->driver->name, name);
    return ok;
}

static bool check_mode(void)
{
    if (bench_mode_has(MODE_CORR) && (bench.modifiers & MODIFIER_NO_REFERENCE_DATA))
        return problem_error("--mode-modifier=M leaves nothing for --mode=C to compare");
    return true;
}

static bool run_problem(settings_t *settings, const char *token)
{
    const char *const driver = settings->driver->name;
    if (strncmp(token, "--", 2) == 0) return usage_error("unknown option: %s `%s`", driver, token);
    if (token[0] == '-')
        return usage_error("%s: options start with two dashes: `%s`", driver, token);
    return check_mode() && engine_open() && product_run(settings, token);
}

/// One token after the driver's name. `*is_problem` tells whether it was a descriptor.
static bool run_token(settings_t *settings, const char *token, int depth, bool *is_problem)
{
    *is_problem = false;
    const char *const batch = token_value(token, "batch");
    if (batch) {
        *is_problem = true;
        return run_batch(settings, batch, depth);
    }
    // Cases that wait for company must not see the global options that come after them.
    if (globals_knows(token)) runner_flush();
    const int is_global = globals_parse(token);
    if (is_global) return is_global > 0;
    const int is_option = settings_parse(settings, token);
    if (is_option) return is_option > 0;
    if (strcmp(token, "--help") == 0) {
        settings_print_help(settings->driver);
        *is_problem = true;
        return true;
    }
    *is_problem = true;
    return run_problem(settings, token);
}

static bool run_tokens(settings_t *settings, char *const *tokens, int count, int depth)
{
    bool is_problem = true;
    for (int i = 0; i < count; ++i)
        if (!run_token(settings, tokens[i], depth, &is_problem)) return false;
    if (!is_problem)
        fprintf(stderr, "%s driver: WARNING: No problem found for a given option!\n",
                settings->driver->name);
    return true;
}

static const driver_t *find_driver(const driver_t *const *drivers, const char *token)
{
    if (strncmp(token, "--", 2) != 0) return NULL;
    for (const driver_t *const *d = drivers; *d; ++d)
        if (strcmp((*d)->name, token + 2) == 0) return *d;
    return NULL;
}

static void print_drivers(const driver_t *const *drivers)
{
    printf("benchdnn [options] --<driver> [options and problems]\ndrivers:");
    for (const driver_t *const *d = drivers; *d; ++d) printf(" %s", (*d)->name);
    printf(" self\nbenchdnn --<driver> --help lists a driver's options; doc/benchdnn.md explains "
           "all.\n");
}

static int fail(const char *driver)
{
    fflush(stdout);
    fprintf(stderr, "%s: ERROR: %s\n", driver, bench_error_text());
    return bench_error_code();
}

static int run_driver(const driver_t *driver, const list_t *tokens)
{
    settings_t settings;
    settings_init(&settings, driver);
    const bool ok = run_tokens(&settings, (char *const *)(void *)tokens->items, tokens->count, 0);
    int code = 0;
    if (ok) {
        code = runner_finish();
    } else {
        code = fail(driver->name);
        runner_discard();
    }
    settings_free(&settings);
    engine_close();
    return code;
}

static bool driver_error(const driver_t *const *drivers, const char *token)
{
    text_t names = {0};
    for (const driver_t *const *d = drivers; *d; ++d) text_printf(&names, " %s", (*d)->name);
    if (token)
        usage_error("`%s` is neither a driver nor an option; the drivers are%s", token,
                text_string(&names));
    else
        usage_error("no driver is named; there are%s", text_string(&names));
    text_free(&names);
    return false;
}

/// Whether a token before the driver's name is an option that the driver may know.
static bool is_early_option(const char *token)
{
    return strncmp(token, "--", 2) == 0 && (strchr(token, '=') || strcmp(token, "--reset") == 0);
}

/// Finds the driver and gathers its tokens. Of those before its name the global options count at
/// once; the others are handed to the driver as if they stood behind its name.
static bool read_tokens(const driver_t *const *drivers, char *const *argv, int argc,
        const driver_t **driver, list_t *tokens)
{
    int i = 0;
    for (; i < argc && !*driver; ++i) {
        *driver = find_driver(drivers, argv[i]);
        if (*driver) continue;
        const int is_global = globals_parse(argv[i]);
        if (is_global < 0) return false;
        if (!is_global && !is_early_option(argv[i])) return driver_error(drivers, argv[i]);
        if (!is_global) list_append(tokens, &argv[i]);
    }
    for (; i < argc; ++i) list_append(tokens, &argv[i]);
    return *driver || driver_error(drivers, NULL);
}

int cli_run(const driver_t *const *drivers, int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "benchdnn: no arguments; try --help\n");
        return EXIT_CODE_FAILED;
    }
    if (strcmp(argv[1], "--help") == 0) {
        print_drivers(drivers);
        return 0;
    }
    if (argc == 2 && self_is_meant(argv[1])) return self_run();
    set_executable(argv[0]);
    report_start();
    const driver_t *driver = NULL;
    list_t tokens = {sizeof(char *), 0, NULL};
    int code = 0;
    if (read_tokens(drivers, argv + 1, argc - 1, &driver, &tokens))
        code = run_driver(driver, &tokens);
    else
        code = fail("benchdnn");
    list_free(&tokens);
    forget_batches();
    return code;
}
