// SPDX-License-Identifier: Apache-2.0
// Splits ranges over OpenMP threads, or runs them in place without OpenMP.
#include "bench_parallel.h"

#ifdef _OPENMP
#include <omp.h>

int bench_max_threads(void)
{
    return omp_get_max_threads();
}

int bench_set_threads(int64_t threads)
{
    const int previous = omp_get_max_threads();
    if (threads > 0) omp_set_num_threads((int)threads);
    return previous;
}

void bench_parallel(int64_t n, int64_t grain, parallel_body_t body, void *context)
{
    if (n <= 0) return;
    // Several pieces a thread level out uneven rows.
    const int64_t pieces_wanted = 8 * (int64_t)omp_get_max_threads();
    const int64_t pieces_worth = grain > 0 ? (n + grain - 1) / grain : n;
    const int64_t pieces = pieces_worth < pieces_wanted ? pieces_worth : pieces_wanted;
    if (pieces <= 1 || omp_in_parallel()) {
        body(context, 0, n);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i = 0; i < pieces; ++i) body(context, n * i / pieces, n * (i + 1) / pieces);
}

#else

int bench_max_threads(void)
{
    return 1;
}

int bench_set_threads(int64_t threads)
{
    (void)threads;
    return 1;
}

void bench_parallel(int64_t n, int64_t grain, parallel_body_t body, void *context)
{
    (void)grain;
    if (n > 0) body(context, 0, n);
}

#endif
