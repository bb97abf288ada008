// SPDX-License-Identifier: Apache-2.0
// What Prim costs the host: executing the smallest primitive, against the raw OpenCL enqueue, and
// one that has another inside; a hit of the primitive cache; creating descriptors.
// Run: bench_host [--benchmark_filter=…]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include <prim/prim.h>
#if WITH_OCL
#include <prim/prim_ocl.h>
#endif

namespace
{

void must(prim_status_t status)
{
    if (status == PRIM_SUCCESS) return;
    std::fprintf(stderr, "%s\n", prim_last_error());
    std::exit(1);
}

/// A one-element ReLU on an engine, ready to run.
struct relu {
    prim_engine_t *engine = nullptr;
    prim_stream_t *stream = nullptr;
    prim_memory_t *memory = nullptr;
    prim_desc_t *pd = nullptr;
    prim_t *primitive = nullptr;
    prim_memory_desc_t md;

    explicit relu(prim_engine_kind_t kind)
    {
        const prim_dim_t one = 1;
        must(prim_engine_create(&engine, kind, 0));
        must(prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER));
        must(prim_memory_desc_init_by_tag(&md, 1, &one, PRIM_F32, PRIM_a));
        must(prim_memory_create(&memory, &md, engine, PRIM_MEMORY_ALLOCATE));
        create_desc(&pd);
        must(prim_create(&primitive, pd));
    }
    ~relu()
    {
        prim_destroy(primitive);
        prim_desc_destroy(pd);
        prim_memory_destroy(memory);
        prim_stream_destroy(stream);
        prim_engine_destroy(engine);
    }
    relu(const relu &) = delete;
    relu &operator=(const relu &) = delete;

    void create_desc(prim_desc_t **out)
    {
        must(prim_eltwise_forward_desc_create(
                out, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &md, &md, 0, 0, nullptr));
    }
    void execute()
    {
        const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
        must(prim_execute(primitive, stream, 2, args));
    }
};

/// A small inner product, which runs a nested matmul, ready to run. Devices leave smaller ones to
/// the generic implementation.
struct ip {
    prim_engine_t *engine = nullptr;
    prim_stream_t *stream = nullptr;
    prim_memory_t *src = nullptr, *wei = nullptr, *dst = nullptr;
    prim_desc_t *pd = nullptr;
    prim_t *primitive = nullptr;
    prim_memory_desc_t md;

    explicit ip(prim_engine_kind_t kind)
    {
        const prim_dim_t n = kind == PRIM_CPU ? 1 : 32, dims[] = {n, n};
        must(prim_engine_create(&engine, kind, 0));
        must(prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER));
        must(prim_memory_desc_init_by_tag(&md, 2, dims, PRIM_F32, PRIM_ab));
        for (prim_memory_t **memory : {&src, &wei, &dst})
            must(prim_memory_create(memory, &md, engine, PRIM_MEMORY_ALLOCATE));
        create_desc(&pd);
        must(prim_create(&primitive, pd));
    }
    ~ip()
    {
        prim_destroy(primitive);
        prim_desc_destroy(pd);
        for (prim_memory_t *memory : {src, wei, dst}) prim_memory_destroy(memory);
        prim_stream_destroy(stream);
        prim_engine_destroy(engine);
    }
    ip(const ip &) = delete;
    ip &operator=(const ip &) = delete;

    void create_desc(prim_desc_t **out)
    {
        must(prim_inner_product_forward_desc_create(
                out, engine, PRIM_FORWARD_INFERENCE, &md, &md, nullptr, &md, nullptr));
    }
    void execute()
    {
        const prim_arg_t args[] = {
                {PRIM_ARG_SRC, src}, {PRIM_ARG_WEIGHTS, wei}, {PRIM_ARG_DST, dst}};
        must(prim_execute(primitive, stream, 3, args));
    }
};

void execute_cpu(benchmark::State &state)
{
    relu r(PRIM_CPU);
    for (auto _ : state) r.execute();
}
BENCHMARK(execute_cpu);

void execute_ip_cpu(benchmark::State &state)
{
    ip r(PRIM_CPU);
    for (auto _ : state) r.execute();
}
BENCHMARK(execute_ip_cpu);

void cache_hit(benchmark::State &state)
{
    relu r(PRIM_CPU);
    for (auto _ : state) {
        prim_t *primitive = nullptr;
        must(prim_create(&primitive, r.pd));
        prim_destroy(primitive);
    }
}
BENCHMARK(cache_hit);

void desc_create_cpu(benchmark::State &state)
{
    relu r(PRIM_CPU);
    for (auto _ : state) {
        prim_desc_t *pd = nullptr;
        r.create_desc(&pd);
        prim_desc_destroy(pd);
    }
}
BENCHMARK(desc_create_cpu);

void desc_create_ip_cpu(benchmark::State &state)
{
    ip r(PRIM_CPU);
    for (auto _ : state) {
        prim_desc_t *pd = nullptr;
        r.create_desc(&pd);
        prim_desc_destroy(pd);
    }
}
BENCHMARK(desc_create_ip_cpu);

void memory_desc_init(benchmark::State &state)
{
    const prim_dim_t dims[] = {2, 30, 14, 14};
    for (auto _ : state) {
        prim_memory_desc_t md;
        must(prim_memory_desc_init_by_tag(&md, 4, dims, PRIM_F32, PRIM_nChw16c));
        benchmark::DoNotOptimize(md);
    }
}
BENCHMARK(memory_desc_init);

#if WITH_OCL

enum { BATCH = 256 }; ///< enqueues between two waits, so that the queue never fills up

template <typename T> void execute_gpu_of(benchmark::State &state)
{
    T r(PRIM_GPU);
    int n = 0;
    for (auto _ : state) {
        r.execute();
        if (++n % BATCH != 0) continue;
        state.PauseTiming();
        must(prim_stream_wait(r.stream));
        state.ResumeTiming();
    }
    must(prim_stream_wait(r.stream));
}

void execute_gpu(benchmark::State &state)
{
    execute_gpu_of<relu>(state);
}
BENCHMARK(execute_gpu);

void execute_ip_gpu(benchmark::State &state)
{
    execute_gpu_of<ip>(state);
}
BENCHMARK(execute_ip_gpu);

/// clEnqueueNDRangeKernel alone, of a ReLU with the parameters and the work-group that Prim's has.
void raw_enqueue(benchmark::State &state)
{
    relu r(PRIM_GPU);
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    cl_command_queue queue = nullptr;
    cl_mem buffer = nullptr;
    size_t offset_bytes = 0;
    must(prim_ocl_engine_get_context(r.engine, &context));
    must(prim_ocl_engine_get_device(r.engine, &device));
    must(prim_ocl_stream_get_queue(r.stream, &queue));
    must(prim_ocl_memory_get_buffer(r.memory, &buffer, &offset_bytes));
    const char *source =
            "kernel void relu(global const float *src, long src_off, global float *dst,"
            "        long dst_off, long n, float alpha, float beta)"
            "{"
            "    const long i = get_global_id(0);"
            "    if (i < n) dst[dst_off + i] = fmax(src[src_off + i], alpha);"
            "}";
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
    clBuildProgram(program, 1, &device, "", nullptr, nullptr);
    cl_kernel kernel = clCreateKernel(program, "relu", nullptr);
    const cl_long zero = 0, nelems = 1;
    const cl_float alpha = 0, beta = 0;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof zero, &zero);
    clSetKernelArg(kernel, 2, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 3, sizeof zero, &zero);
    clSetKernelArg(kernel, 4, sizeof nelems, &nelems);
    clSetKernelArg(kernel, 5, sizeof alpha, &alpha);
    clSetKernelArg(kernel, 6, sizeof beta, &beta);
    const size_t local = 64;
    int n = 0;
    for (auto _ : state) {
        if (clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &local, &local, 0, nullptr, nullptr))
            state.SkipWithError("enqueue failed");
        if (++n % BATCH != 0) continue;
        state.PauseTiming();
        clFinish(queue);
        state.ResumeTiming();
    }
    clFinish(queue);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}
BENCHMARK(raw_enqueue);

void desc_create_gpu(benchmark::State &state)
{
    relu r(PRIM_GPU);
    for (auto _ : state) {
        prim_desc_t *pd = nullptr;
        r.create_desc(&pd);
        prim_desc_destroy(pd);
    }
}
BENCHMARK(desc_create_gpu);

void desc_create_ip_gpu(benchmark::State &state)
{
    ip r(PRIM_GPU);
    for (auto _ : state) {
        prim_desc_t *pd = nullptr;
        r.create_desc(&pd);
        prim_desc_destroy(pd);
    }
}
BENCHMARK(desc_create_ip_gpu);

#endif

} // namespace

BENCHMARK_MAIN();
