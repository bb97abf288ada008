// SPDX-License-Identifier: Apache-2.0
// The linker takes these functions for those of benchdnn's runner.
#include "bench_lines.h"

#include <stdio.h>

#include "core/bench_cli.h"
#include "core/bench_runner.h"

static void (*taker)(bench_case_t *c);

void runner_submit(bench_case_t *c)
{
    taker(c);
}

void runner_flush(void)
{
}

void runner_discard(void)
{
}

int runner_finish(void)
{
    return 0;
}

bool bench_lines_read(const char *driver, const char *set, prim_engine_kind_t engine,
        void (*take)(bench_case_t *c))
{
    static char program[] = "benchdnn", mode[] = "--mode=L";
    static char gpu[] = "--engine=gpu", cpu[] = "--engine=cpu";
    char option[64], batch[512];
    (void)snprintf(option, sizeof option, "--%s", driver);
    (void)snprintf(
            batch, sizeof batch, "--batch=%s/%s/test_%s_%s", PRIM_TEST_INPUTS, driver, driver, set);
    char *argv[] = {program, mode, engine == PRIM_CPU ? cpu : gpu, option, batch, NULL};
    taker = take;
    return cli_run(bench_drivers, 5, argv) == 0;
}
