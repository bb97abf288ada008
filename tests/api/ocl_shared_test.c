// SPDX-License-Identifier: Apache-2.0
// Memories behind pointers: shared virtual memory and imported host memory, each on its own, in
// operations beside buffers, and what is refused.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#include <prim/prim_ocl.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 1000, PAGE_BYTES = 4096 };

static struct {
    prim_engine_t *engine; ///< NULL without an OpenCL device
    prim_stream_t *stream;
    cl_device_id device;
    cl_context context;
    bool has_svm, has_unified_memory;
} gpu;

static int open_gpu(void **state)
{
    if (api_open_engines(state) != 0) return -1;
    gpu.engine = api_engine(1);
    if (!gpu.engine) return -1;
    gpu.stream = api_stream(gpu.engine);
    api_expect(prim_ocl_engine_get_device(gpu.engine, &gpu.device), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_context(gpu.engine, &gpu.context), PRIM_SUCCESS);
    const char *trusted = NULL;
    cl_bool is_unified = CL_FALSE;
    api_expect(
            prim_engine_query(gpu.engine, PRIM_ENGINE_QUERY_TRUSTED_STR, &trusted), PRIM_SUCCESS);
    gpu.has_svm = strstr(trusted, "svm") != NULL;
    gpu.has_unified_memory = clGetDeviceInfo(gpu.device, CL_DEVICE_HOST_UNIFIED_MEMORY,
                                     sizeof is_unified, &is_unified, NULL) == CL_SUCCESS &&
                             is_unified;
    return 0;
}

static int close_gpu(void **state)
{
    prim_stream_destroy(gpu.stream);
    return api_close_engines(state);
}

static prim_memory_t *shared(
        const prim_memory_desc_t *md, prim_ocl_memory_kind_t kind, void *pointer)
{
    prim_memory_t *memory = NULL;
    api_expect(prim_ocl_memory_create_shared(&memory, md, gpu.engine, kind, pointer), PRIM_SUCCESS);
    prim_ocl_memory_kind_t got = PRIM_OCL_USM;
    api_expect(prim_ocl_memory_get_kind(memory, &got), PRIM_SUCCESS);
    assert_int_equal(got, kind);
    return memory;
}

static void write_ramp(const prim_memory_t *memory, size_t n, float start)
{
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    for (size_t i = 0; i < n; ++i) ((float *)pointer)[i] = start + (float)i;
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
}

static void expect_ramp(const float *values, size_t n, float start)
{
    for (size_t i = 0; i < n; ++i) {
        const float wanted = start + (float)i;
        assert_true(values[i] == (wanted > 0 ? wanted : 0));
    }
}

static void expect_relu_of_ramp(const prim_memory_t *memory, size_t n, float start)
{
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    expect_ramp(pointer, n, start);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
}

static void run_relu(prim_memory_t *src, prim_memory_t *dst)
{
    prim_desc_t *const pd = api_relu_desc(gpu.engine, N, NULL);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(relu, gpu.stream, 2, args), PRIM_SUCCESS);
    prim_destroy(relu);
    prim_desc_destroy(pd);
}

static void svm_works_beside_buffers(void **state)
{
    (void)state;
    if (!gpu.has_svm) skip();
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const own = shared(&md, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    prim_memory_t *const buffer = api_memory(&md, gpu.engine);
    // The application's, from the 16th element of an allocation.
    float *const allocated = clSVMAlloc(gpu.context, CL_MEM_READ_WRITE, (N + 16) * 4, 0);
    assert_non_null(allocated);
    prim_memory_t *const mine = shared(&md, PRIM_OCL_SVM, allocated + 16);
    void *handle = NULL;
    api_expect(prim_memory_get_data_handle(mine, &handle), PRIM_SUCCESS);
    assert_ptr_equal(handle, allocated + 16);

    write_ramp(own, N, -500);
    run_relu(own, buffer);
    expect_relu_of_ramp(buffer, N, -500);
    run_relu(buffer, mine);
    expect_relu_of_ramp(mine, N, -500);
    write_ramp(mine, N, -300);
    run_relu(mine, own);
    expect_relu_of_ramp(own, N, -300);

    // Another place of the same allocation; none in the library's own.
    api_expect(prim_memory_set_data_handle_at(mine, allocated, 4), PRIM_SUCCESS);
    api_expect(prim_memory_get_data_handle(mine, &handle), PRIM_SUCCESS);
    assert_ptr_equal(handle, allocated + 1);
    write_ramp(mine, N, -200);
    run_relu(mine, own);
    expect_relu_of_ramp(own, N, -200);
    api_expect(prim_memory_set_data_handle_at(mine, allocated, 2), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_get_data_handle(own, &handle), PRIM_SUCCESS);
    api_expect(prim_memory_set_data_handle_at(own, handle, 4), PRIM_INVALID_ARGUMENTS);

    // Handles change; both allocations are the application's then.
    api_expect(prim_memory_set_data_handle(own, allocated), PRIM_SUCCESS);
    api_expect(prim_memory_set_data_handle(mine, PRIM_MEMORY_NONE), PRIM_SUCCESS);
    write_ramp(own, N, -100);
    run_relu(own, own);
    api_expect(prim_stream_wait(gpu.stream), PRIM_SUCCESS);
    prim_memory_destroy(own);
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue =
            clCreateCommandQueueWithProperties(gpu.context, gpu.device, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, allocated, N * 4, 0, NULL, NULL),
            CL_SUCCESS);
    expect_ramp(allocated, N, -100);
    assert_int_equal(clEnqueueSVMUnmap(queue, allocated, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    clReleaseCommandQueue(queue);
    clSVMFree(gpu.context, allocated);
    prim_memory_destroy(mine);
    prim_memory_destroy(buffer);
}

static void move(prim_memory_t *src, prim_engine_t *from, prim_memory_t *dst, prim_engine_t *to)
{
    prim_desc_t *pd = NULL;
    prim_t *reorder = NULL;
    api_expect(prim_reorder_desc_create(
                       &pd, prim_memory_get_desc(src), from, prim_memory_get_desc(dst), to, NULL),
            PRIM_SUCCESS);
    api_expect(prim_create(&reorder, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_FROM, src}, {PRIM_ARG_TO, dst}};
    api_expect(prim_execute(reorder, gpu.stream, 2, args), PRIM_SUCCESS);
    prim_destroy(reorder);
    prim_desc_destroy(pd);
}

/// From the CPU engine and back, byte by byte and through another layout.
static void svm_takes_part_in_reorders(void **state)
{
    (void)state;
    if (!gpu.has_svm) skip();
    const prim_dims_t dims = {20, 50};
    const prim_memory_desc_t plain = api_md(2, dims, PRIM_ab), turned = api_md(2, dims, PRIM_ba);
    prim_memory_t *const first = api_memory(&plain, api_engine(0));
    prim_memory_t *const last = api_memory(&plain, api_engine(0));
    prim_memory_t *const a = shared(&plain, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    prim_memory_t *const b = shared(&turned, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    write_ramp(first, N, 7);
    move(first, api_engine(0), a, gpu.engine);
    move(a, gpu.engine, b, gpu.engine);
    move(b, gpu.engine, last, api_engine(0));
    api_expect(prim_stream_wait(gpu.stream), PRIM_SUCCESS);
    expect_relu_of_ramp(last, N, 7);
    move(a, gpu.engine, last, api_engine(0));
    api_expect(prim_stream_wait(gpu.stream), PRIM_SUCCESS);
    expect_relu_of_ramp(last, N, 7);
    prim_memory_destroy(a);
    prim_memory_destroy(b);
    prim_memory_destroy(first);
    prim_memory_destroy(last);
}

/// Captured with pointers, replayed with them, with others, with buffers, and moved.
static void svm_is_recorded(void **state)
{
    (void)state;
    if (!gpu.has_svm) skip();
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const a = shared(&md, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    prim_memory_t *const b = shared(&md, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    prim_memory_t *const other = shared(&md, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    prim_memory_t *const buffer = api_memory(&md, gpu.engine);
    const prim_memory_swap_t swaps[] = {{a, other}, {b, buffer}};
    prim_recording_t *recording = NULL;
    api_expect(prim_recording_begin(gpu.stream), PRIM_SUCCESS);
    run_relu(a, b);
    run_relu(b, b);
    api_expect(prim_recording_end(&recording, gpu.stream), PRIM_SUCCESS);
    for (int round = 0; round < 3; ++round) {
        write_ramp(a, N, (float)(-100 * round));
        write_ramp(other, N, (float)(-50 * round));
        api_expect(prim_recording_replay(recording, gpu.stream, 0, NULL), PRIM_SUCCESS);
        expect_relu_of_ramp(b, N, (float)(-100 * round));
        api_expect(prim_recording_replay(recording, gpu.stream, 2, swaps), PRIM_SUCCESS);
        expect_relu_of_ramp(buffer, N, (float)(-50 * round));
        expect_relu_of_ramp(b, N, (float)(-100 * round));
    }
    float *const mine = clSVMAlloc(gpu.context, CL_MEM_READ_WRITE, N * sizeof *mine, 0);
    assert_non_null(mine);
    api_expect(prim_memory_set_data_handle(a, mine), PRIM_SUCCESS);
    write_ramp(a, N, -7);
    api_expect(prim_recording_replay(recording, gpu.stream, 0, NULL), PRIM_SUCCESS);
    expect_relu_of_ramp(b, N, -7);
    prim_recording_destroy(recording);
    prim_memory_destroy(a);
    prim_memory_destroy(b);
    prim_memory_destroy(other);
    prim_memory_destroy(buffer);
    clSVMFree(gpu.context, mine);
}

static void owned_svm_is_counted_and_padded(void **state)
{
    (void)state;
    if (!gpu.has_svm) skip();
    const prim_dims_t dims = {2, 5, 3, 3}, none = {3, 0};
    const prim_memory_desc_t md = api_md(4, dims, PRIM_nChw16c), empty = api_md(2, none, PRIM_ab);
    const size_t bytes = prim_memory_desc_get_size(&md);
    prim_memory_stats_t before, during, after;
    api_expect(prim_engine_get_memory_stats(gpu.engine, &before), PRIM_SUCCESS);
    prim_memory_t *memory = shared(&md, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    api_expect(prim_engine_get_memory_stats(gpu.engine, &during), PRIM_SUCCESS);
    assert_int_equal(during.in_use_bytes, before.in_use_bytes + bytes);
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
        if (i % 16 >= 5) assert_true(((const float *)pointer)[i] == 0);
    api_expect(prim_memory_unmap_data(memory, &pointer), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
    api_expect(prim_engine_set_memory_limit(gpu.engine, during.in_use_bytes), PRIM_SUCCESS);
    prim_memory_t *more = UNTOUCHED(prim_memory_t *);
    api_expect(prim_ocl_memory_create_shared(
                       &more, &md, gpu.engine, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE),
            PRIM_OUT_OF_MEMORY);
    assert_ptr_equal(more, api_untouched());
    api_expect(prim_engine_set_memory_limit(gpu.engine, 0), PRIM_SUCCESS);
    prim_memory_destroy(memory);
    memory = shared(&empty, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE);
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
    prim_memory_destroy(memory);
    api_expect(prim_engine_get_memory_stats(gpu.engine, &after), PRIM_SUCCESS);
    assert_int_equal(after.in_use_bytes, before.in_use_bytes);
}

static void host_memory_is_worked_on_in_place(void **state)
{
    (void)state;
    if (!gpu.has_unified_memory) skip();
    const prim_memory_desc_t md = api_vector(N);
    float *const mine = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
    float *const other = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
    for (int i = 0; i < N; ++i) mine[i] = (float)(i - 500);
    prim_memory_stats_t before, during;
    api_expect(prim_engine_get_memory_stats(gpu.engine, &before), PRIM_SUCCESS);
    prim_memory_t *const memory = shared(&md, PRIM_OCL_HOST, mine);
    api_expect(prim_engine_get_memory_stats(gpu.engine, &during), PRIM_SUCCESS);
    assert_int_equal(during.in_use_bytes, before.in_use_bytes);
    void *pointer = NULL;
    run_relu(memory, memory);
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    assert_ptr_equal(pointer, mine);
    expect_ramp(mine, N, -500);
    for (int i = 0; i < N; ++i) mine[i] = (float)(i - 200);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
    prim_memory_t *const buffer = api_memory(&md, gpu.engine);
    run_relu(memory, buffer);
    expect_relu_of_ramp(buffer, N, -200);

    cl_mem object = NULL;
    size_t offset = 77;
    api_expect(prim_ocl_memory_get_buffer(memory, &object, &offset), PRIM_SUCCESS);
    assert_non_null(object);
    assert_int_equal(offset, 0);
    api_expect(prim_memory_set_data_handle(memory, other), PRIM_SUCCESS);
    api_expect(prim_memory_get_data_handle(memory, &pointer), PRIM_SUCCESS);
    assert_ptr_equal(pointer, other);
    write_ramp(memory, N, 5);
    run_relu(memory, memory);
    api_expect(prim_stream_wait(gpu.stream), PRIM_SUCCESS);
    prim_memory_destroy(memory);
    prim_memory_destroy(buffer);
    free(mine);
    free(other);
}

static void devices_without_it_say_so(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_vector(N);
    void *const page = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
    prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
    if (!gpu.has_svm)
        api_expect(prim_ocl_memory_create_shared(
                           &memory, &md, gpu.engine, PRIM_OCL_SVM, PRIM_MEMORY_ALLOCATE),
                PRIM_UNIMPLEMENTED);
    if (!gpu.has_unified_memory)
        api_expect(prim_ocl_memory_create_shared(&memory, &md, gpu.engine, PRIM_OCL_HOST, page),
                PRIM_UNIMPLEMENTED);
    assert_ptr_equal(memory, api_untouched());
    free(page);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    char *const page = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
    const prim_dim_t four = 4;
    const prim_memory_desc_t md = api_vector(4), open = api_md(1, &four, PRIM_FORMAT_ANY);
    const struct {
        const prim_memory_desc_t *md;
        prim_engine_t *engine;
        int kind;
        void *pointer;
        bool is_asked; ///< the device has what it is about
    } cases[] = {
            {NULL, gpu.engine, PRIM_OCL_SVM, page, true},
            {&md, NULL, PRIM_OCL_SVM, page, true},
            {&md, api_engine(0), PRIM_OCL_SVM, page, true},
            {&md, gpu.engine, PRIM_OCL_BUFFER, page, true},
            {&md, gpu.engine, 77, page, true},
            {&open, gpu.engine, PRIM_OCL_SVM, page, gpu.has_svm},
            {&md, gpu.engine, PRIM_OCL_SVM, page + 1, gpu.has_svm},
            {&open, gpu.engine, PRIM_OCL_HOST, page, gpu.has_unified_memory},
            {&md, gpu.engine, PRIM_OCL_HOST, page + 4, gpu.has_unified_memory},
            {&md, gpu.engine, PRIM_OCL_HOST, PRIM_MEMORY_ALLOCATE, gpu.has_unified_memory},
    };
    prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (!cases[i].is_asked) continue;
        api_expect(prim_ocl_memory_create_shared(&memory, cases[i].md, cases[i].engine,
                           (prim_ocl_memory_kind_t)cases[i].kind, cases[i].pointer),
                PRIM_INVALID_ARGUMENTS);
    }
    api_expect(prim_ocl_memory_create_shared(NULL, &md, gpu.engine, PRIM_OCL_SVM, page),
            PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(memory, api_untouched());
    free(page);
}

static void kinds_are_told(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_vector(4);
    prim_memory_t *const on_cpu = api_memory(&md, api_engine(0));
    prim_memory_t *const buffer = api_memory(&md, gpu.engine);
    prim_ocl_memory_kind_t kind = PRIM_OCL_USM;
    api_expect(prim_ocl_memory_get_kind(NULL, &kind), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_get_kind(on_cpu, &kind), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_get_kind(buffer, NULL), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(kind, PRIM_OCL_USM);
    api_expect(prim_ocl_memory_get_kind(buffer, &kind), PRIM_SUCCESS);
    assert_int_equal(kind, PRIM_OCL_BUFFER);
    prim_memory_destroy(on_cpu);
    prim_memory_destroy(buffer);
}

static void without_a_pointer_nothing_runs(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_vector(N);
    const prim_ocl_memory_kind_t kinds[] = {PRIM_OCL_SVM, PRIM_OCL_HOST};
    for (int k = 0; k < 2; ++k) {
        if (!(kinds[k] == PRIM_OCL_SVM ? gpu.has_svm : gpu.has_unified_memory)) continue;
        prim_memory_t *const memory = shared(&md, kinds[k], PRIM_MEMORY_NONE);
        prim_memory_t *const buffer = api_memory(&md, gpu.engine);
        void *pointer = api_untouched();
        cl_mem object = UNTOUCHED(cl_mem);
        size_t offset = 77;
        api_expect(prim_memory_map_data(memory, &pointer), PRIM_INVALID_ARGUMENTS);
        assert_ptr_equal(pointer, api_untouched());
        if (kinds[k] == PRIM_OCL_SVM) {
            api_expect(
                    prim_ocl_memory_get_buffer(memory, &object, &offset), PRIM_INVALID_ARGUMENTS);
            assert_ptr_equal(object, api_untouched());
            assert_int_equal(offset, 77);
        }
        prim_desc_t *const pd = api_relu_desc(gpu.engine, N, NULL);
        prim_t *relu = NULL;
        api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
        const prim_arg_t args[] = {{PRIM_ARG_SRC, buffer}, {PRIM_ARG_DST, memory}};
        api_expect(prim_execute(relu, gpu.stream, 2, args), PRIM_INVALID_ARGUMENTS);
        prim_destroy(relu);
        prim_desc_destroy(pd);
        prim_memory_destroy(buffer);
        prim_memory_destroy(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(svm_works_beside_buffers),
            cmocka_unit_test(svm_takes_part_in_reorders),
            cmocka_unit_test(svm_is_recorded),
            cmocka_unit_test(owned_svm_is_counted_and_padded),
            cmocka_unit_test(host_memory_is_worked_on_in_place),
            cmocka_unit_test(devices_without_it_say_so),
            cmocka_unit_test(bad_arguments_are_refused),
            cmocka_unit_test(kinds_are_told),
            cmocka_unit_test(without_a_pointer_nothing_runs),
    };
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}
