// SPDX-License-Identifier: Apache-2.0
// What the application brings: OpenCL's objects through dnnl_ocl.hpp, a pool of threads through
// dnnl_threadpool.hpp; and products on host memory.
#include <atomic>
#include <thread>

#include "dnnl_rig.hpp"

#include "oneapi/dnnl/dnnl_threadpool.hpp"
#ifdef BRIDGE_TESTS_OCL
#include "oneapi/dnnl/dnnl_ocl.hpp"
#endif

using namespace dnnl;

namespace
{

/// Makes a thread for every task. `flags`: whether parallel_for() returns before the tasks are
/// done.
struct pool : threadpool_interop::threadpool_iface {
    explicit pool(uint64_t how) : flags(how)
    {
    }
    ~pool() override
    {
        wait();
    }

    int get_num_threads() const override
    {
        return 3;
    }
    bool get_in_parallel() const override
    {
        return false;
    }
    void parallel_for(int n, const std::function<void(int, int)> &work) override
    {
        for (int i = 0; i < n; ++i)
            threads.emplace_back([this, work, i, n] {
                ++ntasks;
                work(i, n);
            });
        if (flags == 0) wait();
    }
    uint64_t get_flags() const override
    {
        return flags;
    }
    void wait() override
    {
        for (std::thread &thread : threads) thread.join();
        threads.clear();
    }

    uint64_t flags;
    std::vector<std::thread> threads;
    std::atomic<int> ntasks{0};
};

/// An eltwise large enough for several threads, on `stream`.
bool squares(const rig &r, const stream &queue)
{
    const dims shape = {64, 1024};
    const values x = rig::some(shape, 1);
    const memory src = r.make(shape, x), dst = r.make(r.md(shape));
    const eltwise_forward square({r.engine, prop_kind::forward_inference, algorithm::eltwise_square,
            r.md(shape), r.md(shape)});
    square.execute(queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream(queue).wait();
    values wanted = x;
    for (float &value : wanted) value *= value;
    return agree(r.read(dst), wanted, 1e-6);
}

void pools(const rig &r)
{
    for (const uint64_t flags : {uint64_t(0), threadpool_interop::threadpool_iface::ASYNCHRONOUS}) {
        pool threads(flags);
        const stream queue = threadpool_interop::make_stream(r.engine, &threads);
        EXPECT(threadpool_interop::get_threadpool(queue) == &threads);
        EXPECT(squares(r, queue));
        EXPECT(threads.ntasks > 0);
    }
    const stream alone = threadpool_interop::make_stream(r.engine, nullptr);
    EXPECT(threadpool_interop::get_threadpool(alone) == nullptr && squares(r, alone));
    int n = 0;
    EXPECT(dnnl_threadpool_interop_set_max_concurrency(7) == dnnl_success);
    EXPECT(dnnl_threadpool_interop_get_max_concurrency(&n) == dnnl_success && n == 7);
}

void host_products()
{
    const values a = rig::some({3, 5}, 1), b = rig::some({5, 4}, 2);
    values wanted(12), has(12), on_pool(12);
    for (size_t i = 0; i < 12; ++i)
        for (size_t k = 0; k < 5; ++k) wanted[i] += a[i / 4 * 5 + k] * b[k * 4 + i % 4];
    EXPECT(sgemm('N', 'N', 3, 4, 5, 1.f, a.data(), 5, b.data(), 4, 0.f, has.data(), 4) ==
            status::success);
    EXPECT(agree(has, wanted, 1e-5));
    pool threads(0);
    EXPECT(threadpool_interop::sgemm('N', 'N', 3, 4, 5, 1.f, a.data(), 5, b.data(), 4, 0.f,
                   on_pool.data(), 4, &threads) == status::success);
    EXPECT(agree(on_pool, wanted, 1e-5));
    EXPECT(sgemm('X', 'N', 3, 4, 5, 1.f, a.data(), 5, b.data(), 4, 0.f, has.data(), 4) ==
            status::invalid_arguments);

    const uint8_t u[] = {1, 200, 3, 4};
    const int8_t s[] = {-1, 2, 3, -100}, t[] = {1, -56, 3, 4};
    const int32_t offset = 5;
    int32_t c[4] = {0};
    EXPECT(gemm_u8s8s32('N', 'N', 'F', 2, 2, 2, 1.f, u, 2, uint8_t(0), s, 2, int8_t(0), 0.f, c, 2,
                   &offset) == status::success);
    EXPECT(c[0] == -1 + 600 + 5 && c[1] == 2 - 20000 + 5 && c[2] == -3 + 12 + 5 &&
            c[3] == 6 - 400 + 5);
    EXPECT(gemm_s8s8s32('N', 'N', 'F', 2, 2, 2, 1.f, t, 2, int8_t(0), s, 2, int8_t(0), 0.f, c, 2,
                   &offset) == status::success);
    EXPECT(c[0] == -1 - 168 + 5 && c[1] == 2 + 5600 + 5);
}

#ifdef BRIDGE_TESTS_OCL
void opencl(const rig &r)
{
    const cl_context context = ocl_interop::get_context(r.engine);
    const cl_device_id device = ocl_interop::get_device(r.engine);
    const engine same = ocl_interop::make_engine(device, context);
    EXPECT(ocl_interop::get_device(same) == device && ocl_interop::get_context(same) == context);
    EXPECT(!ocl_interop::get_engine_cache_blob_id(device).empty());
    const engine kept =
            ocl_interop::make_engine(device, context, ocl_interop::get_engine_cache_blob(r.engine));
    EXPECT(ocl_interop::get_context(kept) == context);

    cl_int error = CL_SUCCESS;
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    EXPECT(error == CL_SUCCESS);
    stream own = ocl_interop::make_stream(same, queue);
    EXPECT(ocl_interop::get_command_queue(own) == queue);

    const dims shape = {4, 8};
    const values x = rig::some(shape, 1);
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
            x.size() * sizeof(float), const_cast<float *>(x.data()), &error);
    EXPECT(error == CL_SUCCESS);
    memory src = ocl_interop::make_memory(r.md(shape), same, buffer);
    EXPECT(ocl_interop::get_memory_kind(src) == ocl_interop::memory_kind::buffer);
    EXPECT(ocl_interop::get_mem_object(src) == buffer);
    const memory dst(r.md(shape), same);
    const eltwise_forward square({same, prop_kind::forward_inference, algorithm::eltwise_square,
            r.md(shape), r.md(shape)});
    const cl_event start = clCreateUserEvent(context, &error);
    const cl_event done =
            ocl_interop::execute(square, own, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}, {start});
    EXPECT(clSetUserEventStatus(start, CL_COMPLETE) == CL_SUCCESS);
    EXPECT(clWaitForEvents(1, &done) == CL_SUCCESS);
    values wanted = x;
    for (float &value : wanted) value *= value;
    EXPECT(agree(r.read(dst), wanted, 1e-6));
    EXPECT(throws(dnnl_invalid_arguments, [&] { ocl_interop::make_engine(device, nullptr); }));
    own.wait();
    clReleaseEvent(start);
    clReleaseEvent(done);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}
#endif

} // namespace

int main()
{
    host_products();
    return run_on_engines("interoperability", [](const rig &r) {
        if (r.engine.get_kind() == engine::kind::cpu) return pools(r);
#ifdef BRIDGE_TESTS_OCL
        opencl(r);
#endif
    });
}
