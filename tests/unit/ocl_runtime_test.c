// SPDX-License-Identifier: Apache-2.0
// The OpenCL runtime: options, enumeration, programs, kernels and streams under threads, profiling.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/nested.h"
#include "gpu/ocl/device/ocl_platform.h"
#include "gpu/ocl/device/ocl_traits.h"
#include "gpu/ocl/queue/ocl_scratchpad.h"
#include "gpu/ocl/queue/ocl_stream.h"
#include "ocl_rig.h"

extern const ocl_source_t prim__ocl_runtime_test_cl;

enum { NTHREADS = 8, NROUNDS = 40 };

static ocl_options_t options_for(int fail)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "FAIL", fail);
    return options;
}

static void options_are_exact(void **state)
{
    (void)state;
    ocl_options_t o;
    prim__ocl_options_init(&o);
    prim__ocl_options_int(&o, "A", -3);
    prim__ocl_options_int(&o, "B", 3000000000);
    prim__ocl_options_float(&o, "C", 0.1f);
    prim__ocl_options_float(&o, "D", -INFINITY);
    prim__ocl_options_word(&o, "E", "vload4");
    assert_string_equal(o.text, "-cl-std=CL1.2 -DA=-3 -DB=3000000000L -DC=as_float(0x3dcccccdu) "
                                "-DD=as_float(0xff800000u) -DE=vload4");
    assert_int_equal(o.length, strlen(o.text));
    assert_false(o.has_overflowed);
}

static void options_remember_overflow(void **state)
{
    const ocl_rig_t *rig = *state;
    ocl_options_t o;
    prim__ocl_options_init(&o);
    for (int i = 0; i < 300; ++i) prim__ocl_options_int(&o, "A_RATHER_LONG_NAME", i);
    assert_true(o.has_overflowed);
    assert_int_equal(o.length, strlen(o.text));
    ocl_kernel_t *kernel = NULL;
    assert_int_equal(
            prim__ocl_kernel_create(&kernel, rig->engine, &prim__ocl_runtime_test_cl, &o, "add"),
            PRIM_RUNTIME_ERROR);
    assert_null(kernel);
}

static void types_have_all_names(void **state)
{
    (void)state;
    ocl_options_t o;
    prim__ocl_options_init(&o);
    prim__ocl_options_type(&o, "X", PRIM_S8);
    static const char *const words[] = {"-DX_DT=5", "-DX_T=char", "-DX_IS_INT=1",
            "-DX_LOAD=load_s8", "-DX_STORE=store_s8", "-DX_LOAD2=load2_s8",
            "-DX_STORE16=store16_s8", "-DX_LOAD_INT=load_int_s8", "-DX_STORE_INT=store_int_s8",
            "-DX_SATURATE=convert_char_sat"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (!strstr(o.text, words[i])) fail_msg("%s is not in %s", words[i], o.text);
    }
    assert_true(prim__ocl_dt_is_supported(PRIM_BF16));
    assert_false(prim__ocl_dt_is_supported(PRIM_F64));
    assert_false(prim__ocl_dt_is_supported(PRIM_DATA_TYPE_UNDEF));
}

static void enumeration_follows_the_environment(void **state)
{
    (void)state;
    char *const before = getenv("PRIM_OCL_DEVICE") ? strdup(getenv("PRIM_OCL_DEVICE")) : NULL;
    unsetenv("PRIM_OCL_DEVICE");
    ocl_listed_device_t all[64], some[64];
    const size_t n = prim__ocl_list_devices(all, 64);
    assert_true(n > 0 && n <= 64);
    assert_int_equal(prim__ocl_list_devices(NULL, 0), n);

    setenv("PRIM_OCL_DEVICE", "0", 1);
    assert_int_equal(prim__ocl_list_devices(some, 64), 1);
    assert_ptr_equal(some[0].device, all[0].device);
    setenv("PRIM_OCL_DEVICE", "9999", 1);
    assert_int_equal(prim__ocl_list_devices(some, 64), 0);
    setenv("PRIM_OCL_DEVICE", "no device has this name", 1);
    assert_int_equal(prim__ocl_list_devices(some, 64), 0);

    char name[256] = "";
    assert_int_equal(
            clGetPlatformInfo(all[0].platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL),
            CL_SUCCESS);
    char before_case[256];
    memcpy(before_case, name, sizeof name);
    for (char *c = name; *c; ++c) {
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
    }
    setenv("PRIM_OCL_DEVICE", name + 1, 1); // a part, in other letters
    assert_true(prim__ocl_list_devices(some, 64) >= 1);
    assert_ptr_equal(some[0].device, all[0].device);

    prim_engine_t *engine = NULL;
    char wanted[128];
    setenv("PRIM_OCL_DEVICE", "no device has this name", 1);
    assert_int_not_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    snprintf(wanted, sizeof wanted,
            "gpu engine 0 does not exist: there are 0 (PRIM_OCL_DEVICE=no device has this name "
            "leaves 0 of these %zu: 0: ",
            n);
    assert_non_null(strstr(prim_last_error(), wanted));
    assert_non_null(strstr(strstr(prim_last_error(), "0: "), before_case));
    unsetenv("PRIM_OCL_DEVICE");
    assert_int_not_equal(prim_engine_create(&engine, PRIM_GPU, n), PRIM_SUCCESS);
    snprintf(wanted, sizeof wanted, "gpu engine %zu does not exist: there are %zu", n, n);
    assert_string_equal(prim_last_error(), wanted);

    if (before)
        setenv("PRIM_OCL_DEVICE", before, 1);
    else
        unsetenv("PRIM_OCL_DEVICE");
    free(before);
}

// GPUs, then accelerators, then CPUs.
static int rank_of(cl_device_id device)
{
    cl_device_type type = 0;
    assert_int_equal(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    return type & CL_DEVICE_TYPE_GPU ? 0 : type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 2;
}

static void devices_come_by_type(void **state)
{
    (void)state;
    ocl_listed_device_t all[64];
    const size_t n = prim__ocl_list_devices(all, 64);
    for (size_t i = 1; i < n && i < 64; ++i) {
        assert_true(rank_of(all[i - 1].device) <= rank_of(all[i].device));
    }
}

static void traits_make_sense(void **state)
{
    const ocl_rig_t *const rig = *state;
    const ocl_device_t *const d = prim__ocl_device(rig->engine);
    assert_string_equal(prim_engine_name(rig->engine), d->name);
    assert_true(d->max_group_items >= 1 && d->max_group_item_sizes[0] >= 1);
    assert_true(d->compute_units >= 1 && d->global_bytes > 0 && d->local_bytes > 0);
    assert_true(d->max_allocation_bytes > 0 && d->max_allocation_bytes <= d->global_bytes);
    assert_true(d->opencl_c_major > 1 || (d->opencl_c_major == 1 && d->opencl_c_minor >= 2));
    assert_true(d->max_parameter_bytes >= 1024);
    assert_false(prim__ocl_device_has_extension(d, "cl_khr"));
    size_t total = 0, allocation = 0;
    assert_int_equal(prim_engine_get_memory_limits(rig->engine, &total, &allocation), PRIM_SUCCESS);
    assert_int_equal(total, d->global_bytes);
    assert_int_equal(allocation, d->max_allocation_bytes);
}

static void build_failure_tells_the_log(void **state)
{
    const ocl_rig_t *rig = *state;
    const ocl_options_t options = options_for(1);
    for (int round = 0; round < 2; ++round) { // a failure is not remembered as a program
        ocl_kernel_t *kernel = NULL;
        assert_int_equal(prim__ocl_kernel_create(
                                 &kernel, rig->engine, &prim__ocl_runtime_test_cl, &options, "add"),
                PRIM_RUNTIME_ERROR);
        assert_null(kernel);
        assert_non_null(strstr(prim_last_error(), "ocl_runtime_test"));
        assert_non_null(strstr(prim_last_error(), "meant to fail"));
    }
}

static void unknown_kernel_names_the_call(void **state)
{
    const ocl_rig_t *rig = *state;
    const ocl_options_t options = options_for(0);
    ocl_kernel_t *kernel = NULL;
    assert_int_equal(prim__ocl_kernel_create(&kernel, rig->engine, &prim__ocl_runtime_test_cl,
                             &options, "no_such_kernel"),
            PRIM_RUNTIME_ERROR);
    assert_non_null(strstr(prim_last_error(), "clCreateKernel failed: CL_INVALID_KERNEL_NAME"));
}

typedef struct {
    const ocl_rig_t *rig;
    const ocl_kernel_t *kernel;
    cl_program program;
    cl_mem buffer;
    int number, nfailures;
} worker_t;

static void start_and_join(worker_t *workers, void *(*work)(void *worker))
{
    pthread_t threads[NTHREADS];
    for (int t = 0; t < NTHREADS; ++t) {
        assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < NTHREADS; ++t) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(workers[t].nfailures, 0);
    }
}

static void *get_program(void *arg)
{
    worker_t *const w = arg;
    ocl_options_t options = options_for(0);
    prim__ocl_options_int(&options, "UNIQUE", 1);
    w->nfailures = prim__ocl_program_get(&w->program, w->rig->engine, &prim__ocl_runtime_test_cl,
                           options.text) != PRIM_SUCCESS;
    return NULL;
}

static void programs_are_built_once(void **state)
{
    worker_t workers[NTHREADS];
    for (int t = 0; t < NTHREADS; ++t) workers[t] = (worker_t){.rig = *state};
    start_and_join(workers, get_program);
    for (int t = 0; t < NTHREADS; ++t) {
        assert_ptr_equal(workers[t].program, workers[0].program);
        clReleaseProgram(workers[t].program);
    }
}

// Sources of one name and length, options of one length: whoever looks at less takes the wrong one.
static void programs_are_told_apart(void **state)
{
    const ocl_rig_t *const rig = *state;
    static const char one[] = "__kernel void k(__global int *x) { x[0] = 1 + NUMBER; }\n";
    static const char two[] = "__kernel void k(__global int *x) { x[0] = 2 + NUMBER; }\n";
    const ocl_source_t sources[] = {{"twins", one, sizeof one - 1}, {"twins", two, sizeof two - 1}};
    static const char *const options[] = {"-DNUMBER=3", "-DNUMBER=4"};
    cl_program programs[4], again = NULL;
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(
                prim__ocl_program_get(&programs[i], rig->engine, &sources[i / 2], options[i % 2]),
                PRIM_SUCCESS);
        for (int k = 0; k < i; ++k) assert_ptr_not_equal(programs[i], programs[k]);
    }
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(
                prim__ocl_program_get(&again, rig->engine, &sources[i / 2], options[i % 2]),
                PRIM_SUCCESS);
        assert_ptr_equal(again, programs[i]);
        clReleaseProgram(again);
    }
    for (int i = 0; i < 4; ++i) clReleaseProgram(programs[i]);
}

typedef struct {
    int64_t a;
    int32_t b;
    float c;
} pair_t;

// Adds number·(1 + 10 + 100 + 1000 + 10000 + 100000) to its own element of the buffer, many times.
static void *launch_add(void *arg)
{
    worker_t *const w = arg;
    const exec_ctx_t ctx = {.stream = w->rig->stream};
    const int n = w->number;
    const pair_t pair = {1000 * n, 10000 * n, 100000.0f * (float)n};
    for (int round = 0; round < NROUNDS; ++round) {
        ocl_args_t args;
        prim__ocl_args_init(&args);
        prim__ocl_args_buffer(&args, w->buffer);
        prim__ocl_args_i64(&args, n);
        prim__ocl_args_i32(&args, n);
        prim__ocl_args_i64(&args, 10 * n);
        prim__ocl_args_f32(&args, 100.0f * (float)n);
        prim__ocl_args_struct(&args, &pair, sizeof pair);
        prim__ocl_args_buffer(&args, NULL);
        const ocl_range_t range = {1, {1}, {1}};
        w->nfailures += prim__ocl_launch(&ctx, w->kernel, &range, &args) != PRIM_SUCCESS;
    }
    return NULL;
}

static void kernels_take_many_threads(void **state)
{
    const ocl_rig_t *rig = *state;
    const ocl_options_t options = options_for(0);
    ocl_kernel_t *kernel = NULL;
    assert_int_equal(prim__ocl_kernel_create(
                             &kernel, rig->engine, &prim__ocl_runtime_test_cl, &options, "add"),
            PRIM_SUCCESS);
    assert_true(kernel->max_group_items >= 1 && kernel->group_items_multiple >= 1);
    int64_t sums[NTHREADS] = {0};
    cl_int code = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(prim__ocl_engine(rig->engine)->context,
            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof sums, sums, &code);
    assert_int_equal(code, CL_SUCCESS);
    worker_t workers[NTHREADS];
    for (int t = 0; t < NTHREADS; ++t) {
        workers[t] = (worker_t){.rig = rig, .kernel = kernel, .buffer = buffer, .number = t};
    }
    start_and_join(workers, launch_add);
    assert_int_equal(prim_stream_wait(rig->stream), PRIM_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(prim__ocl_engine(rig->engine)->service, buffer, CL_TRUE, 0,
                             sizeof sums, sums, 0, NULL, NULL),
            CL_SUCCESS);
    for (int t = 0; t < NTHREADS; ++t) assert_int_equal(sums[t], (int64_t)NROUNDS * t * 111111);
    clReleaseMemObject(buffer);
    prim__ocl_kernel_destroy(kernel);
}

static void empty_ranges_do_nothing(void **state)
{
    const ocl_rig_t *rig = *state;
    const ocl_options_t options = options_for(0);
    ocl_kernel_t *kernel = NULL;
    assert_int_equal(prim__ocl_kernel_create(
                             &kernel, rig->engine, &prim__ocl_runtime_test_cl, &options, "add"),
            PRIM_SUCCESS);
    const exec_ctx_t ctx = {.stream = rig->stream};
    ocl_args_t args; // none: a launch would fail
    prim__ocl_args_init(&args);
    const ocl_range_t range = prim__ocl_range_1d(kernel, 0);
    assert_int_equal(prim__ocl_launch(&ctx, kernel, &range, &args), PRIM_SUCCESS);
    prim__ocl_kernel_destroy(kernel);
}

static void ranges_are_legal(void **state)
{
    const ocl_rig_t *rig = *state;
    const ocl_options_t options = options_for(0);
    ocl_kernel_t *kernel = NULL;
    assert_int_equal(prim__ocl_kernel_create(
                             &kernel, rig->engine, &prim__ocl_runtime_test_cl, &options, "add"),
            PRIM_SUCCESS);
    static const int64_t counts[] = {1, 63, 64, 65, 1000, 1 << 20, (int64_t)5 << 32};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        const ocl_range_t r = prim__ocl_range_1d(kernel, counts[i]);
        assert_true(r.local[0] >= 1 && r.local[0] <= kernel->max_group_items);
        assert_int_equal(r.global[0] % r.local[0], 0);
        assert_true(r.global[0] >= (size_t)counts[i]);
        assert_true(r.global[0] - (size_t)counts[i] < r.local[0]);
    }
    assert_int_equal(prim__ocl_group_items(kernel, 1), 1);
    assert_true(prim__ocl_group_items(kernel, 100) <= 64);
    prim__ocl_kernel_destroy(kernel);
}

// Two kernels that share scratch memory, from many threads on one stream, with growing sizes.
typedef struct {
    worker_t base;
    const ocl_kernel_t *check;
    prim_memory_t *nwrong;
} scratch_worker_t;

static bool mark_and_check(const scratch_worker_t *w, int64_t n, int64_t value)
{
    prim_stream_t *const stream = w->base.rig->stream;
    const tensor_t dst = {.arg = PRIM_ARG_DST};
    arg_places_t places;
    prim__places_init(&places, &dst, 1, &(prim_attr_t){0});
    exec_ctx_t ctx = {.stream = stream, .places = &places, .memory = &w->nwrong};
    if (prim__ocl_scratchpad_acquire(&ctx, 128 + (size_t)n * sizeof n) != PRIM_SUCCESS) {
        return false;
    }
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_scratchpad(&args, &ctx, 128, sizeof n);
    prim__ocl_args_i64(&args, value);
    prim__ocl_args_i64(&args, n);
    const ocl_range_t range = prim__ocl_range_1d(w->base.kernel, n);
    bool is_good = prim__ocl_launch(&ctx, w->base.kernel, &range, &args) == PRIM_SUCCESS;
    prim__ocl_args_tensor(&args, &ctx, PRIM_ARG_DST);
    is_good = prim__ocl_launch(&ctx, w->check, &range, &args) == PRIM_SUCCESS && is_good;
    prim__ocl_scratchpad_release(&ctx);
    return is_good;
}

static void *use_scratchpad(void *arg)
{
    scratch_worker_t *const w = arg;
    for (int round = 0; round < NROUNDS; ++round) {
        const int64_t n = 100 + 1000 * ((round * 7 + w->base.number) % 20);
        w->base.nfailures += !mark_and_check(w, n, 1000 * w->base.number + round);
    }
    return NULL;
}

static void scratchpads_are_exclusive(void **state)
{
    const ocl_rig_t *rig = *state;
    const ocl_options_t options = options_for(0);
    ocl_kernel_t *mark = NULL, *check = NULL;
    const ocl_source_t *source = &prim__ocl_runtime_test_cl;
    assert_int_equal(
            prim__ocl_kernel_create(&mark, rig->engine, source, &options, "mark"), PRIM_SUCCESS);
    assert_int_equal(
            prim__ocl_kernel_create(&check, rig->engine, source, &options, "check"), PRIM_SUCCESS);
    prim_memory_t *nwrong = NULL;
    assert_int_equal(prim__memory_create_raw(&nwrong, rig->engine, sizeof(int32_t)), PRIM_SUCCESS);
    int32_t *count = NULL;
    assert_int_equal(prim_memory_map_data(nwrong, (void **)&count), PRIM_SUCCESS);
    *count = 0;
    assert_int_equal(prim_memory_unmap_data(nwrong, count), PRIM_SUCCESS);

    scratch_worker_t workers[NTHREADS];
    pthread_t threads[NTHREADS];
    for (int t = 0; t < NTHREADS; ++t) {
        workers[t] = (scratch_worker_t){
                {.rig = rig, .kernel = mark, .number = t}, .check = check, .nwrong = nwrong};
        assert_int_equal(pthread_create(&threads[t], NULL, use_scratchpad, &workers[t]), 0);
    }
    for (int t = 0; t < NTHREADS; ++t) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(workers[t].base.nfailures, 0);
    }
    assert_int_equal(prim_memory_map_data(nwrong, (void **)&count), PRIM_SUCCESS);
    assert_int_equal(*count, 0);
    assert_int_equal(prim_memory_unmap_data(nwrong, count), PRIM_SUCCESS);
    prim_memory_destroy(nwrong);
    prim__ocl_kernel_destroy(mark);
    prim__ocl_kernel_destroy(check);
}

// A view of a memory that begins inside its buffer, and of that view.
static void views_begin_where_they_should(void **state)
{
    const ocl_rig_t *rig = *state;
    prim_memory_t *memory = NULL;
    assert_int_equal(prim__memory_create_raw(&memory, rig->engine, 1024), PRIM_SUCCESS);
    memory_view_t view, inner;
    prim__ocl_memory_view(view.bytes, memory, 256, 512);
    prim__ocl_memory_view(inner.bytes, (prim_memory_t *)view.bytes, 64, 100);
    const ocl_memory_t *const m = (ocl_memory_t *)inner.bytes;
    assert_ptr_equal(m->buffer, prim__ocl_memory(memory)->buffer);
    assert_int_equal(m->offset_bytes, prim__ocl_memory(memory)->offset_bytes + 320);
    assert_int_equal(m->base.bytes, 100);
    const exec_ctx_t ctx = {.scratchpad = (prim_memory_t *)inner.bytes};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_scratchpad(&args, &ctx, 128, 4);
    assert_int_equal(args.missing, 0);
    assert_ptr_equal(args.entries[0].value.buffer, m->buffer);
    assert_int_equal(args.entries[1].value.i64, (int64_t)(m->offset_bytes + 128) / 4);
    prim_memory_destroy(memory);
}

static void codes_become_statuses(void **state)
{
    (void)state;
    assert_int_equal(prim__ocl_fail(CL_OUT_OF_HOST_MEMORY, "clFinish(queue)"), PRIM_OUT_OF_MEMORY);
    assert_string_equal(prim_last_error(), "clFinish failed: CL_OUT_OF_HOST_MEMORY (-6)");
    assert_int_equal(prim__ocl_fail(CL_OUT_OF_RESOURCES, "clFinish"), PRIM_RUNTIME_ERROR);
    assert_int_equal(prim__ocl_fail_allocation(CL_OUT_OF_RESOURCES, "clCreateBuffer", 12),
            PRIM_OUT_OF_MEMORY);
    assert_non_null(strstr(prim_last_error(), "12 bytes"));
    assert_int_equal(prim__ocl_fail_allocation(CL_INVALID_CONTEXT, "clCreateBuffer", 12),
            PRIM_RUNTIME_ERROR);
    assert_int_equal(prim__ocl_fail(-12345, "clFlush"), PRIM_RUNTIME_ERROR);
    assert_string_equal(prim_last_error(), "clFlush failed: an unknown code (-12345)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(options_are_exact),
            cmocka_unit_test(options_remember_overflow),
            cmocka_unit_test(types_have_all_names),
            cmocka_unit_test(enumeration_follows_the_environment),
            cmocka_unit_test(devices_come_by_type),
            cmocka_unit_test(traits_make_sense),
            cmocka_unit_test(build_failure_tells_the_log),
            cmocka_unit_test(unknown_kernel_names_the_call),
            cmocka_unit_test(programs_are_built_once),
            cmocka_unit_test(programs_are_told_apart),
            cmocka_unit_test(kernels_take_many_threads),
            cmocka_unit_test(empty_ranges_do_nothing),
            cmocka_unit_test(ranges_are_legal),
            cmocka_unit_test(scratchpads_are_exclusive),
            cmocka_unit_test(views_begin_where_they_should),
            cmocka_unit_test(codes_become_statuses),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
