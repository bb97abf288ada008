// SPDX-License-Identifier: Apache-2.0
// benchdnn says when creating a primitive took long, and only then.
#include "core/bench_progress.h"

#include <string.h>

#include "core/bench_globals.h"
#include "support/unit_test.h"

static void expect_line(double ms, const char *expected)
{
    char text[256] = "";
    FILE *const file = tmpfile();
    assert_non_null(file);
    bench_progress_creation(file, ms);
    rewind(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static void long_creations_are_told(void **state)
{
    (void)state;
    expect_line(0, "");
    expect_line(1000, "");
    expect_line(3210,
            "benchdnn: creating a primitive took 3.2 s; compiled kernels are kept for the next run "
            "(doc/kernel_cache.md)\n");
}

static void verbose_asks_for_it(void **state)
{
    (void)state;
    bench.verbose = 1;
    assert_true(bench_progress_is_wanted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(long_creations_are_told),
            cmocka_unit_test(verbose_asks_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
