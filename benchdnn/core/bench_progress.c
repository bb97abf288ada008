// SPDX-License-Identifier: Apache-2.0
#include "bench_progress.h"

#include <unistd.h>

#include "bench_globals.h"

enum { LONG_MS = 1000 };

bool bench_progress_is_wanted(void)
{
    return bench.verbose >= 1 || isatty(STDERR_FILENO) == 1;
}

void bench_progress_creation(FILE *to, double ms)
{
    if (ms <= LONG_MS) return;
    fprintf(to,
            "benchdnn: creating a primitive took %.1f s; compiled kernels are kept for the next "
            "run "
            "(doc/kernel_cache.md)\n",
            ms * 1e-3);
}
