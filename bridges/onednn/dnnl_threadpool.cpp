// SPDX-License-Identifier: Apache-2.0
// Streams on the application's pool of threads, which is a C++ object of oneDNN's interface.
#include "dnnl_bridge.h"

#include "oneapi/dnnl/dnnl_threadpool.h"
#include <condition_variable>
#include <mutex>

#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"
#include "prim/prim_threadpool.h"

using dnnl::threadpool_interop::threadpool_iface;

namespace
{

threadpool_iface *pool_of(void *user)
{
    return static_cast<threadpool_iface *>(user);
}

int get_num_threads(void *user)
{
    return pool_of(user)->get_num_threads();
}

bool get_in_parallel(void *user)
{
    return pool_of(user)->get_in_parallel();
}

/// Counts down to the end of the last of n tasks. threadpool_iface::wait() does so too, but pools
/// of programs that were built for oneDNN before 3.8 do not have it.
struct countdown {
    explicit countdown(int n) : left(n)
    {
    }

    void done()
    {
        const std::lock_guard<std::mutex> guard(lock);
        if (--left == 0) reached.notify_all();
    }

    void wait()
    {
        std::unique_lock<std::mutex> guard(lock);
        reached.wait(guard, [this] { return left == 0; });
    }

    std::mutex lock;
    std::condition_variable reached;
    int left;
};

void parallel_for(void *user, int n, void (*work)(int i, int n, void *arg), void *arg)
{
    threadpool_iface *const pool = pool_of(user);
    if (!(pool->get_flags() & threadpool_iface::ASYNCHRONOUS)) {
        pool->parallel_for(n, [work, arg](int i, int count) { work(i, count, arg); });
        return;
    }
    countdown tasks(n);
    pool->parallel_for(n, [work, arg, &tasks](int i, int count) {
        work(i, count, arg);
        tasks.done();
    });
    tasks.wait();
}

thread_local int max_concurrency = 0;

} // namespace

dnnl_status_t dnnl_threadpool_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, void *threadpool)
{
    const auto make = [&] {
        if (!threadpool)
            return prim_cpu_stream_create(stream, engine, PRIM_RUNTIME_SEQ, PRIM_STREAM_DEFAULT);
        const prim_threadpool_t pool = {get_num_threads, get_in_parallel, parallel_for, threadpool};
        return prim_threadpool_stream_create(stream, engine, &pool);
    };
    return static_cast<dnnl_status_t>(make());
}

dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(
        dnnl_stream_t astream, void **threadpool)
{
    if (!threadpool)
        return static_cast<dnnl_status_t>(
                prim_report_failure(PRIM_INVALID_ARGUMENTS, "threadpool is NULL"));
    prim_runtime_t runtime = PRIM_RUNTIME_NONE;
    prim_status_t status = prim_cpu_stream_get_runtime(astream, &runtime);
    const prim_threadpool_t *pool = nullptr;
    if (status == PRIM_SUCCESS && runtime == PRIM_RUNTIME_THREADPOOL)
        status = prim_threadpool_stream_get_pool(astream, &pool);
    if (status == PRIM_SUCCESS) *threadpool = pool ? pool->user : nullptr;
    return static_cast<dnnl_status_t>(status);
}

// Prim plans for as many threads as the largest pool has: nothing to limit, the number is only
// kept.
dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int n)
{
    max_concurrency = n;
    return dnnl_success;
}

dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int *n)
{
    if (!n)
        return static_cast<dnnl_status_t>(
                prim_report_failure(PRIM_INVALID_ARGUMENTS, "max_concurrency is NULL"));
    *n = max_concurrency;
    return dnnl_success;
}

// Products on host memory run on the threads that Prim chooses (doc/bridges/onednn.md).
dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
        float beta, float *C, dnnl_dim_t ldc, void *)
{
    return dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

dnnl_status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda,
        uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C,
        dnnl_dim_t ldc, const int32_t *co, void *)
{
    return dnnl_gemm_u8s8s32(
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co);
}

dnnl_status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda,
        int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C,
        dnnl_dim_t ldc, const int32_t *co, void *)
{
    return dnnl_gemm_s8s8s32(
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co);
}
