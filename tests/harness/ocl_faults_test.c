// SPDX-License-Identifier: Apache-2.0
// Faults with a name, through the layer of ocl_faults.h: no device memory, no compiler, no
// platform, no binaries; and the layer itself.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <prim/prim_ocl.h>

#include <cmocka.h>

#include "ocl_faults.h"
#include "scenario.h"

static int nwarnings;
static char last_warning[512];

static void listen(void *user, const char *line)
{
    (void)user;
    if (!strstr(line, ",warn,")) return;
    ++nwarnings;
    snprintf(last_warning, sizeof last_warning, "%s", line);
}

static char exec_line[512];

static void keep_exec(void *user, const char *line)
{
    (void)user;
    if (strstr(line, ",exec")) snprintf(exec_line, sizeof exec_line, "%s", line);
}

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
} rig_t;

static rig_t rig_open(void)
{
    rig_t rig = {NULL, NULL};
    assert_int_equal(prim_engine_create(&rig.engine, PRIM_GPU, 0), PRIM_SUCCESS);
    assert_int_equal(
            prim_stream_create(&rig.stream, rig.engine, PRIM_STREAM_IN_ORDER), PRIM_SUCCESS);
    return rig;
}

static void rig_close(rig_t *rig)
{
    prim_stream_destroy(rig->stream);
    prim_engine_destroy(rig->engine);
}

static int nothing_is_left(void **state)
{
    (void)state;
    char text[256];
    ocl_faults_disarm();
    if (ocl_faults_live(text, sizeof text) == 0) return 0;
    print_error("%s\n", text);
    return -1;
}

static void expect_failure(prim_status_t st, prim_status_t expected, const char *part)
{
    if (st != expected) fail_msg("%s (%s)", prim_status_name(st), prim_last_error());
    if (!strstr(prim_last_error(), part)) fail_msg("\"%s\" lacks %s", prim_last_error(), part);
}

/// What a case computes on a fresh engine.
static uint64_t sum_of(const scenario_t *of)
{
    rig_t rig = rig_open();
    case_t c = {0};
    uint64_t sum = 0;
    assert_int_equal(scenario_open(&c, of, rig.engine), PRIM_SUCCESS);
    assert_int_equal(scenario_run(&c, rig.stream), PRIM_SUCCESS);
    assert_int_equal(scenario_checksum(&c, &sum), PRIM_SUCCESS);
    scenario_close(&c);
    rig_close(&rig);
    return sum;
}

static void the_layer_counts(void **state)
{
    (void)state;
    char text[256];
    rig_t rig = rig_open();
    cl_context context = NULL;
    assert_int_equal(prim_ocl_engine_get_context(rig.engine, &context), PRIM_SUCCESS);
    const long before = ocl_faults_live(text, sizeof text);
    assert_true(before >= 3); // a context, a stream's queue, a service queue
    cl_int code = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, &code);
    assert_int_equal(clRetainMemObject(buffer), CL_SUCCESS);
    assert_int_equal(ocl_faults_live(text, sizeof text), before + 2);
    assert_non_null(strstr(text, "memory objects"));
    ocl_faults_arm(&(ocl_fault_t){.nth = 2, .only = "clCreateBuffer", .is_lasting = true});
    const cl_mem second = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, &code);
    assert_non_null(second);
    assert_null(ocl_faults_failed());
    for (int i = 0; i < 2; ++i) {
        assert_null(clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, &code));
        assert_int_equal(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    assert_string_equal(ocl_faults_disarm(), "clCreateBuffer");
    assert_int_equal(clReleaseMemObject(second), CL_SUCCESS);
    assert_int_equal(clReleaseMemObject(buffer), CL_SUCCESS);
    assert_int_equal(clReleaseMemObject(buffer), CL_SUCCESS);
    assert_int_equal(ocl_faults_live(text, sizeof text), before);
    rig_close(&rig);
}

// What a_small_device() relies on: a launch beyond the limits would be seen.
static void the_layer_refuses_large_launches(void **state)
{
    (void)state;
    ocl_limits_set(&(ocl_limits_t){.is_gpu = true});
    rig_t rig = rig_open();
    case_t sum = {0};
    assert_int_equal(scenario_open(&sum, scenario_find("sum"), rig.engine), PRIM_SUCCESS);
    ocl_limits_set(&(ocl_limits_t){.is_gpu = true, .group_items = 1});
    expect_failure(scenario_run(&sum, rig.stream), PRIM_RUNTIME_ERROR, "CL_INVALID_WORK_ITEM_SIZE");
    ocl_limits_set(&(ocl_limits_t){0});
    scenario_close(&sum);
    rig_close(&rig);
}

static void no_device_memory(void **state)
{
    (void)state;
    static const cl_int codes[] = {
            CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
    const scenario_t *const convolution = scenario_find("conv");
    const uint64_t expected = sum_of(convolution);
    rig_t rig = rig_open();
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_strides(&md, 1, (const prim_dim_t[]){12345}, PRIM_F32, NULL),
            PRIM_SUCCESS);
    for (int i = 0; i < 3; ++i) {
        prim_memory_t *memory = NULL;
        case_t c = {0};
        ocl_faults_arm(&(ocl_fault_t){
                .nth = 1, .is_lasting = true, .only = "clCreateBuffer", .code = codes[i]});
        expect_failure(prim_memory_create(&memory, &md, rig.engine, PRIM_MEMORY_ALLOCATE),
                PRIM_OUT_OF_MEMORY, "clCreateBuffer of 49380 bytes");
        assert_null(memory);
        expect_failure(scenario_open(&c, convolution, rig.engine), PRIM_OUT_OF_MEMORY, "bytes");
        ocl_faults_disarm();
        uint64_t sum = 0;
        assert_int_equal(scenario_open(&c, convolution, rig.engine), PRIM_SUCCESS);
        assert_int_equal(scenario_run(&c, rig.stream), PRIM_SUCCESS);
        assert_int_equal(scenario_checksum(&c, &sum), PRIM_SUCCESS);
        assert_true(sum == expected);
        scenario_close(&c);
    }
    rig_close(&rig);
}

// Buffers may be made at their first use, so a launch too can find that there is no memory. Missing
// resources of a launch are registers or a device that is lost, more often than memory.
static void no_memory_at_the_launch(void **state)
{
    (void)state;
    static const struct {
        cl_int code;
        prim_status_t status;
    } rows[] = {{CL_MEM_OBJECT_ALLOCATION_FAILURE, PRIM_OUT_OF_MEMORY},
            {CL_OUT_OF_HOST_MEMORY, PRIM_OUT_OF_MEMORY}, {CL_OUT_OF_RESOURCES, PRIM_RUNTIME_ERROR},
            {CL_INVALID_WORK_GROUP_SIZE, PRIM_RUNTIME_ERROR}};
    const scenario_t *const softmax = scenario_find("softmax");
    const uint64_t expected = sum_of(softmax);
    rig_t rig = rig_open();
    case_t c = {0};
    assert_int_equal(scenario_open(&c, softmax, rig.engine), PRIM_SUCCESS);
    for (int i = 0; i < 4; ++i) {
        ocl_faults_arm(
                &(ocl_fault_t){.nth = 1, .only = "clEnqueueNDRangeKernel", .code = rows[i].code});
        expect_failure(
                scenario_run(&c, rig.stream), rows[i].status, "clEnqueueNDRangeKernel of softmax_");
        uint64_t sum = 0;
        assert_int_equal(scenario_run(&c, rig.stream), PRIM_SUCCESS);
        assert_int_equal(scenario_checksum(&c, &sum), PRIM_SUCCESS);
        assert_true(sum == expected);
    }
    scenario_close(&c);
    rig_close(&rig);
}

static void no_compiler(void **state)
{
    (void)state;
    static const struct {
        cl_int code;
        prim_status_t status;
        const char *sentence;
    } rows[] = {{CL_BUILD_PROGRAM_FAILURE, PRIM_RUNTIME_ERROR,
                        "clBuildProgram failed for ocl_softmax_"},
            {CL_COMPILER_NOT_AVAILABLE, PRIM_RUNTIME_ERROR,
                    "clBuildProgram failed: CL_COMPILER_NOT_AVAILABLE"},
            {CL_OUT_OF_HOST_MEMORY, PRIM_OUT_OF_MEMORY, "clBuildProgram failed"}};
    char folder[512];
    assert_int_equal(prim_get_cache_dir(folder, sizeof folder), PRIM_SUCCESS);
    assert_int_equal(prim_set_cache_dir(""), PRIM_SUCCESS);
    rig_t rig = rig_open();
    case_t c = {0};
    for (int i = 0; i < 3; ++i) {
        ocl_faults_arm(&(ocl_fault_t){
                .nth = 1, .is_lasting = true, .only = "clBuildProgram", .code = rows[i].code});
        expect_failure(scenario_open(&c, scenario_find("softmax"), rig.engine), rows[i].status,
                rows[i].sentence);
        ocl_faults_disarm();
    }
    assert_int_equal(scenario_open(&c, scenario_find("softmax"), rig.engine), PRIM_SUCCESS);
    assert_int_equal(scenario_run(&c, rig.stream), PRIM_SUCCESS);
    scenario_close(&c);
    rig_close(&rig);
    assert_int_equal(prim_set_cache_dir(folder), PRIM_SUCCESS);
}

static void no_platform(void **state)
{
    (void)state;
    const struct {
        const char *only;
        cl_int code;
        const char *warning; ///< NULL: nothing is wrong, there just is no device
    } rows[] = {{"clGetPlatformIDs", -1001, NULL}, {"clGetDeviceIDs", CL_DEVICE_NOT_FOUND, NULL},
            {"clGetPlatformIDs", CL_OUT_OF_HOST_MEMORY, "clGetPlatformIDs failed: CL_OUT_OF_HOST"},
            {"clGetDeviceIDs", CL_OUT_OF_RESOURCES, "clGetDeviceIDs failed: CL_OUT_OF_RES"},
            {"clGetDeviceInfo", CL_OUT_OF_RESOURCES, "clGetDeviceInfo failed: CL_OUT_OF_RES"}};
    prim_set_log_callback(listen, NULL);
    prim_set_verbose("warn");
    for (int i = 0; i < 5; ++i) {
        prim_engine_t *engine = NULL;
        nwarnings = 0;
        ocl_faults_arm(&(ocl_fault_t){
                .nth = 1, .is_lasting = true, .only = rows[i].only, .code = rows[i].code});
        assert_int_equal(prim_engine_get_count(PRIM_GPU), 0);
        const bool has_platform = strcmp(rows[i].only, "clGetPlatformIDs") != 0;
        expect_failure(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_INVALID_ARGUMENTS,
                has_platform ? "gpu engine 0 does not exist: there are 0 (of "
                             : "gpu engine 0 does not exist: there are 0 (there is no OpenCL "
                               "platform: no driver is installed, or the ICD loader does not find "
                               "it)");
        assert_null(engine);
        ocl_faults_disarm();
        assert_true((nwarnings > 0) == (rows[i].warning != NULL));
        if (rows[i].warning) assert_non_null(strstr(last_warning, rows[i].warning));
    }
    prim_set_log_callback(NULL, NULL);
    assert_true(prim_engine_get_count(PRIM_GPU) > 0);
}

/// Runs softmax on a fresh engine and expects the one warning.
static void expect_warning(const char *only, cl_int code, uint64_t expected, const char *warning)
{
    char folder[512];
    assert_int_equal(prim_get_cache_dir(folder, sizeof folder), PRIM_SUCCESS);
    assert_int_equal(prim_set_cache_dir(folder), PRIM_SUCCESS); // causes are told anew
    nwarnings = 0;
    prim_set_log_callback(listen, NULL);
    prim_set_verbose("warn");
    for (int i = 0; i < 2; ++i) {
        ocl_faults_arm(&(ocl_fault_t){.nth = 1, .is_lasting = true, .only = only, .code = code});
        assert_true(sum_of(scenario_find("softmax")) == expected);
        assert_string_equal(ocl_faults_disarm(), only);
    }
    prim_set_log_callback(NULL, NULL);
    assert_int_equal(nwarnings, 1);
    if (!strstr(last_warning, warning)) fail_msg("%s", last_warning);
}

static void no_binaries(void **state)
{
    (void)state;
    char folder[] = "/tmp/prim_faults_test_XXXXXX", before[512], command[128];
    assert_int_equal(prim_get_cache_dir(before, sizeof before), PRIM_SUCCESS);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(prim_set_cache_dir(""), PRIM_SUCCESS);
    const uint64_t expected = sum_of(scenario_find("softmax"));
    assert_int_equal(prim_set_cache_dir(folder), PRIM_SUCCESS);
    expect_warning("clGetProgramInfo", CL_OUT_OF_RESOURCES, expected, "gives no binary");
    assert_true(sum_of(scenario_find("softmax")) == expected); // is kept now
    expect_warning("clCreateProgramWithBinary", CL_INVALID_BINARY, expected, "refuses an entry");
    assert_int_equal(prim_set_cache_dir(before), PRIM_SUCCESS);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// The engine keeps what it was given.
static void a_released_context_lives_on(void **state)
{
    (void)state;
    const scenario_t *const sum_scenario = scenario_find("sum");
    const uint64_t expected = sum_of(sum_scenario);
    prim_engine_t *first = NULL;
    cl_device_id device = NULL;
    assert_int_equal(prim_engine_create(&first, PRIM_GPU, 0), PRIM_SUCCESS);
    assert_int_equal(prim_ocl_engine_get_device(first, &device), PRIM_SUCCESS);
    prim_engine_destroy(first);
    cl_int code = CL_SUCCESS;
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    rig_t rig = {NULL, NULL};
    assert_int_equal(prim_ocl_engine_create(&rig.engine, device, context), PRIM_SUCCESS);
    assert_int_equal(prim_ocl_stream_create(&rig.stream, rig.engine, queue), PRIM_SUCCESS);
    assert_int_equal(clReleaseCommandQueue(queue), CL_SUCCESS);
    assert_int_equal(clReleaseContext(context), CL_SUCCESS);
    case_t c = {0};
    uint64_t sum = 0;
    assert_int_equal(scenario_open(&c, sum_scenario, rig.engine), PRIM_SUCCESS);
    assert_int_equal(scenario_run(&c, rig.stream), PRIM_SUCCESS);
    assert_int_equal(scenario_checksum(&c, &sum), PRIM_SUCCESS);
    assert_true(sum == expected);
    // The engine first: memories, primitives and the stream hold on to it.
    prim_engine_destroy(rig.engine);
    assert_int_equal(scenario_run(&c, rig.stream), PRIM_SUCCESS);
    prim_stream_destroy(rig.stream);
    scenario_close(&c);
}

// A device of small groups and little local memory: everything runs within the limits. What is
// compared does not depend on the order of sums.
static void a_small_device(void **state)
{
    (void)state;
    static const char *const exact[] = {"sum", "binary", "concat", "reorder", "pool"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        const uint64_t expected = sum_of(scenario_find(exact[i]));
        for (int is_gpu = 0; is_gpu < 2; ++is_gpu) {
            ocl_limits_set(&(ocl_limits_t){
                    .group_items = 64, .local_bytes = 16384, .is_gpu = is_gpu != 0});
            assert_true(sum_of(scenario_find(exact[i])) == expected);
        }
        ocl_limits_set(&(ocl_limits_t){0});
    }
}

/// Statistics that groups gather, of more channels than `nhwc_two_pass` takes.
static prim_status_t make_statistics(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    const prim_dim_t dims[] = {1, 4096, 100, 100};
    const prim_status_t st = prim_memory_desc_init_by_tag(&md, 4, dims, PRIM_F32, PRIM_NHWC);
    if (st != PRIM_SUCCESS) return st;
    return prim_batch_normalization_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, &md, &md, 1e-3f, 0, NULL);
}

// A kernel that is good for smaller groups than its algorithm needs must not run for ever: the
// check of its launch, at creation, says so.
static void a_kernel_of_small_groups(void **state)
{
    (void)state;
    static const scenario_t statistics = {.name = "statistics", .create_desc = make_statistics};
    alarm(120);
    ocl_limits_set(&(ocl_limits_t){.is_gpu = true, .kernel_items = 4});
    rig_t rig = rig_open();
    case_t c = {0};
    expect_failure(scenario_open(&c, &statistics, rig.engine), PRIM_RUNTIME_ERROR,
            "needs groups of 16 items");
    ocl_limits_set(&(ocl_limits_t){0});
    rig_close(&rig);
    alarm(0);
}

static prim_status_t make_long_rows(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    const prim_dim_t dims[] = {3, 100};
    const prim_status_t st = prim_memory_desc_init_by_tag(&md, 2, dims, PRIM_F32, PRIM_ab);
    if (st != PRIM_SUCCESS) return st;
    return prim_softmax_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL);
}

static prim_status_t make_transpose(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, dst;
    const prim_dim_t dims[] = {20, 30};
    prim_status_t st = prim_memory_desc_init_by_tag(&src, 2, dims, PRIM_F32, PRIM_ab);
    if (st == PRIM_SUCCESS) st = prim_memory_desc_init_by_tag(&dst, 2, dims, PRIM_F32, PRIM_ba);
    if (st != PRIM_SUCCESS) return st;
    return prim_reorder_desc_create(pd, &src, engine, &dst, engine, NULL);
}

// Kernels whose groups have a fixed size name it, so that the driver builds them for it.
static void kernels_of_fixed_groups(void **state)
{
    (void)state;
    static const scenario_t fixed[] = {{.name = "long rows", .create_desc = make_long_rows},
            {.name = "transpose", .create_desc = make_transpose}};
    static const char *const impls[] = {"ocl:softmax:row_per_group", "ocl:reorder:transpose"};
    for (int i = 0; i < 2; ++i) {
        const uint64_t expected = sum_of(&fixed[i]);
        ocl_limits_set(&(ocl_limits_t){.is_gpu = true, .kernel_items = 8});
        rig_t rig = rig_open();
        prim_desc_t *pd = NULL;
        const char *impl = NULL;
        assert_int_equal(fixed[i].create_desc(&pd, rig.engine), PRIM_SUCCESS);
        assert_int_equal(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &impl), PRIM_SUCCESS);
        assert_string_equal(impl, impls[i]);
        prim_desc_destroy(pd);
        rig_close(&rig);
        const uint64_t sum = sum_of(&fixed[i]);
        ocl_limits_set(&(ocl_limits_t){.is_gpu = true});
        assert_true(sum_of(&fixed[i]) == sum);
        if (i == 1) assert_true(sum == expected); // moved, not computed
        ocl_limits_set(&(ocl_limits_t){0});
    }
}

// What a queue says once a kernel has accessed memory that is not there.
static void a_failure_on_the_device(void **state)
{
    (void)state;
    rig_t rig = rig_open();
    case_t c = {0};
    assert_int_equal(scenario_open(&c, scenario_find("sum"), rig.engine), PRIM_SUCCESS);
    assert_int_equal(prim_execute(c.primitive, rig.stream, c.nargs, c.args), PRIM_SUCCESS);
    for (int i = 0; i < 2; ++i) {
        const cl_int code = i == 0 ? CL_INVALID_COMMAND_QUEUE : -9999;
        ocl_faults_arm(&(ocl_fault_t){.nth = 1, .only = "clFinish", .code = code});
        expect_failure(prim_stream_wait(rig.stream), PRIM_RUNTIME_ERROR,
                i == 0 ? "a command of the stream or the device has failed" : "illegal access");
        ocl_faults_disarm();
    }
    assert_int_equal(prim_stream_wait(rig.stream), PRIM_SUCCESS);
    scenario_close(&c);
    rig_close(&rig);
}

// Without a queue that tells times, or without the times, the log says whose clock it was.
static void the_log_without_device_times(void **state)
{
    (void)state;
    static const char *const failing[] = {"clCreateCommandQueue", "clGetEventProfilingInfo", NULL};
    rig_t rig = rig_open();
    case_t c = {0};
    assert_int_equal(scenario_open(&c, scenario_find("sum"), rig.engine), PRIM_SUCCESS);
    prim_set_log_callback(keep_exec, NULL);
    prim_set_verbose("profile_exec");
    for (int i = 0; i < 3; ++i) {
        if (failing[i]) ocl_faults_arm(&(ocl_fault_t){.nth = 1, .only = failing[i]});
        assert_int_equal(scenario_run(&c, rig.stream), PRIM_SUCCESS);
        const char *const failed = ocl_faults_disarm();
        if (failing[i]) assert_string_equal(failed, failing[i]);
        const char *const start = failing[i] ? "prim_verbose,v1,primitive,exec:host_time,gpu,sum,"
                                             : "prim_verbose,v1,primitive,exec,gpu,sum,";
        assert_memory_equal(exec_line, start, strlen(start));
    }
    prim_set_verbose("error");
    prim_set_log_callback(NULL, NULL);
    scenario_close(&c);
    rig_close(&rig);
}

int main(void)
{
    if (!scenarios_read(PRIM_GPU)) return 2;
    // Primitives in the cache would keep their engines.
    prim_set_primitive_cache_capacity(0);
#define LEAVES_NOTHING(test) cmocka_unit_test_teardown(test, nothing_is_left)
    const struct CMUnitTest tests[] = {
            LEAVES_NOTHING(the_layer_counts),
            LEAVES_NOTHING(the_layer_refuses_large_launches),
            LEAVES_NOTHING(no_device_memory),
            LEAVES_NOTHING(no_memory_at_the_launch),
            LEAVES_NOTHING(no_compiler),
            LEAVES_NOTHING(no_platform),
            LEAVES_NOTHING(no_binaries),
            LEAVES_NOTHING(a_released_context_lives_on),
            LEAVES_NOTHING(a_small_device),
            LEAVES_NOTHING(a_kernel_of_small_groups),
            LEAVES_NOTHING(kernels_of_fixed_groups),
            LEAVES_NOTHING(a_failure_on_the_device),
            LEAVES_NOTHING(the_log_without_device_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
