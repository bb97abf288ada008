// SPDX-License-Identifier: Apache-2.0
// Threads of the CPU engine: splitting work, and running it over OpenMP, a user's pool, or on the
// caller alone, as the stream says.
#ifndef PRIM_COMMON_PARALLEL_H
#define PRIM_COMMON_PARALLEL_H

#include "prim/prim_threadpool.h"

/// The share [*start, *end) of thread `ithr` when n items go to nthr threads: the first n mod nthr
/// threads get ceil(n / nthr) items each, the others one less. 153 items over 16 threads are nine
/// ranges of 10, then seven of 9.
void prim__balance211(prim_dim_t n, int nthr, int ithr, prim_dim_t *start, prim_dim_t *end);

/// Splits ny × nx items over nthr threads: balance211 deals the threads and the nx items to
/// min(nthr_x, nthr) columns, then a column's ny items to its threads. Thread ithr gets the
/// rectangle
/// [*y0, *y1) × [*x0, *x1), which is empty where there are more threads than items.
void prim__balance2d(int nthr, int ithr, prim_dim_t ny, prim_dim_t *y0, prim_dim_t *y1,
        prim_dim_t nx, prim_dim_t *x0, prim_dim_t *x1, int nthr_x);

/// Threads a parallel region of the calling thread would have, ≥ 1 (1 inside a region).
int prim__max_threads(void);

/// Threads that a primitive created now should be made for (its share of work, its scratch memory):
/// those of OpenMP (in a library built for thread pools, the machine's processors), or of the
/// largest pool that a stream was made with so far, whichever is more. Executions on fewer threads,
/// or on more, compute the same.
int prim__planned_threads(void);

/// Calls work(ithr, nthr, arg) on nthr threads, ithr = 0..nthr−1, and returns when all are done.
/// nthr 0 means prim__max_threads().
void prim__parallel(int nthr, void (*work)(int ithr, int nthr, void *arg), void *arg);

/// Calls body(i, arg) for i = 0..n−1, split by balance211 over all threads. The result must not
/// depend on the split.
void prim__parallel_for(prim_dim_t n, void (*body)(prim_dim_t i, void *arg), void *arg);

/// Makes the calling thread's regions run on PRIM_RUNTIME_OMP, on PRIM_RUNTIME_THREADPOOL with
/// `pool`, or sequentially (PRIM_RUNTIME_SEQ), until the next call; PRIM_RUNTIME_NONE is how
/// threads begin, and means OpenMP where it is built in.
void prim__parallel_use(prim_runtime_t runtime, const prim_threadpool_t *pool);
/// A stream was made with the pool: later primitives are planned for its threads.
void prim__parallel_plan_for(const prim_threadpool_t *pool);
/// Whether OpenMP is built in.
bool prim__parallel_has_omp(void);
/// What streams use that name nothing: PRIM_CPU_RUNTIME, else OpenMP, else sequential.
prim_runtime_t prim__parallel_default(void);

#endif
