// SPDX-License-Identifier: Apache-2.0
// Splitting work over threads, and parallel regions over OpenMP, a user's pool, or a plain loop.
#define _POSIX_C_SOURCE 200809L // sysconf
#include "parallel.h"

#include "environment.h"
#include "int_math.h"

#include <assert.h>
#include <stdatomic.h>
#if defined(PRIM_CPU_RUNTIME_THREADPOOL)
#include <unistd.h>
#endif

#if defined(PRIM_CPU_RUNTIME_OMP)
#include <omp.h>
#endif

/// A parallel region.
typedef struct {
    void (*work)(int ithr, int nthr, void *arg);
    int nthr;
    void *arg;
} region_t;

/// The calling thread works inside a region: further ones run sequentially.
static _Thread_local bool is_in_region;

void prim__balance211(prim_dim_t n, int nthr, int ithr, prim_dim_t *start, prim_dim_t *end)
{
    assert(n >= 0 && nthr >= 1 && ithr >= 0 && ithr < nthr);
    const prim_dim_t share = n / nthr;
    const prim_dim_t nlarger = n % nthr;
    *start = share * ithr + prim__min(ithr, nlarger);
    *end = *start + share + (ithr < nlarger);
}

void prim__balance2d(int nthr, int ithr, prim_dim_t ny, prim_dim_t *y0, prim_dim_t *y1,
        prim_dim_t nx, prim_dim_t *x0, prim_dim_t *x1, int nthr_x)
{
    assert(nthr_x >= 1);
    const int ncolumns = nthr_x < nthr ? nthr_x : nthr;
    // balance211 hands the threads to the columns: the first nlarger get share + 1.
    const int share = nthr / ncolumns;
    const int nlarger = nthr % ncolumns;
    const int in_larger = nlarger * (share + 1);
    const int column = ithr < in_larger ? ithr / (share + 1) : nlarger + (ithr - in_larger) / share;

    prim_dim_t first, last;
    prim__balance211(nthr, ncolumns, column, &first, &last);
    prim__balance211(nx, ncolumns, column, x0, x1);
    prim__balance211(ny, (int)(last - first), ithr - (int)first, y0, y1);
}

/// One thread's part of a region.
static void work_as(const region_t *region, int ithr)
{
    const bool was_in_region = is_in_region;
    is_in_region = true;
    region->work(ithr, region->nthr, region->arg);
    is_in_region = was_in_region;
}

static void run_in_turn(const region_t *region)
{
    for (int i = 0; i < region->nthr; ++i) work_as(region, i);
}

#if defined(PRIM_CPU_RUNTIME_OMP)

enum { HAS_OMP = 1 };

static int omp_threads(void)
{
    return omp_in_parallel() ? 1 : omp_get_max_threads();
}

/// All threads of OpenMP, also where the region has fewer members: GCC's runtime ends the threads
/// that a smaller team lacks, and starts them again for the next larger one, which takes 10 µs
/// each. A primitive that was planned for a larger pool has more members than OpenMP has threads.
static void run_on_omp(const region_t *region)
{
#pragma omp parallel
    {
        // The runtime may grant fewer threads than there are.
        const int ngranted = omp_get_num_threads();
        for (int i = omp_get_thread_num(); i < region->nthr; i += ngranted) work_as(region, i);
    }
}

#else

enum { HAS_OMP = 0 };

static int omp_threads(void)
{
    return 1;
}

static void run_on_omp(const region_t *region)
{
    run_in_turn(region);
}

#endif

bool prim__parallel_has_omp(void)
{
    return HAS_OMP;
}

prim_runtime_t prim__parallel_default(void)
{
    static const char *const words[] = {"seq", "omp"};
    const prim_runtime_t best = HAS_OMP ? PRIM_RUNTIME_OMP : PRIM_RUNTIME_SEQ;
    int word = 0;
    if (!prim__env_word(&word, ENV_CPU_RUNTIME, words, 2)) return best;
    return word == 0 ? PRIM_RUNTIME_SEQ : best;
}

/// What the calling thread's regions run on; PRIM_RUNTIME_NONE outside of executions.
static _Thread_local prim_runtime_t runtime;
/// With PRIM_RUNTIME_THREADPOOL.
static _Thread_local const prim_threadpool_t *thread_pool;

void prim__parallel_use(prim_runtime_t next, const prim_threadpool_t *pool)
{
    runtime = next;
    thread_pool = pool;
}

static int pool_threads(const prim_threadpool_t *pool)
{
    if (pool->get_in_parallel(pool->user)) return 1;
    const int nthr = pool->get_num_threads(pool->user);
    return nthr > 1 ? nthr : 1;
}

static int runtime_threads(void)
{
    if (runtime == PRIM_RUNTIME_SEQ) return 1;
    return runtime == PRIM_RUNTIME_THREADPOOL ? pool_threads(thread_pool) : omp_threads();
}

static void pool_work(int i, int n, void *arg)
{
    (void)n;
    work_as(arg, i);
}

static void run(const region_t *region)
{
    if (runtime != PRIM_RUNTIME_THREADPOOL) {
        run_on_omp(region);
        return;
    }
    region_t copy = *region;
    thread_pool->parallel_for(thread_pool->user, copy.nthr, pool_work, &copy);
}

int prim__max_threads(void)
{
    return is_in_region ? 1 : runtime_threads();
}

/// The threads of the largest pool that a stream was made with.
static atomic_int largest_pool;

void prim__parallel_plan_for(const prim_threadpool_t *pool)
{
    const int nthr = pool->get_num_threads(pool->user);
    int known = atomic_load(&largest_pool);
    while (known < nthr && !atomic_compare_exchange_weak(&largest_pool, &known, nthr)) continue;
}

/// Where no stream has said more.
static int expected_threads(void)
{
#if defined(PRIM_CPU_RUNTIME_THREADPOOL)
    const long nprocessors = sysconf(_SC_NPROCESSORS_ONLN);
    return nprocessors > 0 ? (int)nprocessors : 1;
#else
    return prim__max_threads();
#endif
}

int prim__planned_threads(void)
{
    const int nexpected = expected_threads(), npool = atomic_load(&largest_pool);
    return nexpected > npool ? nexpected : npool;
}

void prim__parallel(int nthr, void (*work)(int ithr, int nthr, void *arg), void *arg)
{
    const int navailable = prim__max_threads();
    const region_t region = {work, nthr > 0 ? nthr : navailable, arg};
    if (navailable == 1 || region.nthr == 1)
        run_in_turn(&region);
    else
        run(&region);
}

/// A loop over n items.
typedef struct {
    prim_dim_t n;
    void (*body)(prim_dim_t i, void *arg);
    void *arg;
} loop_t;

static void loop_work(int ithr, int nthr, void *arg)
{
    const loop_t *const loop = arg;
    prim_dim_t start, end;
    prim__balance211(loop->n, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) loop->body(i, loop->arg);
}

void prim__parallel_for(prim_dim_t n, void (*body)(prim_dim_t i, void *arg), void *arg)
{
    if (n <= 0) return;
    loop_t loop = {n, body, arg};
    prim__parallel((int)prim__min(n, prim__max_threads()), loop_work, &loop);
}
