// SPDX-License-Identifier: Apache-2.0
// Memories behind pointers of cl_intel_unified_shared_memory: of the host, of the device and
// shared, beside buffers, in transfers and recordings, and what is refused. Where the device lacks
// the extension, the tests that need it are skipped; api_ocl_usm_fake runs them on a stand-in.
#include <prim/prim_ocl.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording_rig.h"

// Spelled out: CL/cl_ext.h may be older than the extension.
typedef void *(*alloc_host_t)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef void *(*alloc_t)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int (*free_t)(cl_context, void *);

enum { HOST, DEVICE, SHARED, NTYPES, FIRST = 16 };

static struct {
    rig_t rig;
    cl_context context;
    cl_device_id device;
    bool has_usm;
    alloc_host_t alloc_host;
    alloc_t alloc_device, alloc_shared;
    free_t free;
} gpu;

static void *function(cl_platform_id platform, const char *name)
{
    return gpu.has_usm ? clGetExtensionFunctionAddressForPlatform(platform, name) : NULL;
}

static void fetch_functions(void)
{
    char extensions[16384] = "";
    cl_platform_id platform = NULL;
    assert_int_equal(
            clGetDeviceInfo(gpu.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
            CL_SUCCESS);
    assert_int_equal(
            clGetDeviceInfo(gpu.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL),
            CL_SUCCESS);
    gpu.has_usm = strstr(extensions, "cl_intel_unified_shared_memory") != NULL;
    void *const found[] = {function(platform, "clHostMemAllocINTEL"),
            function(platform, "clDeviceMemAllocINTEL"),
            function(platform, "clSharedMemAllocINTEL"), function(platform, "clMemFreeINTEL")};
    memcpy(&gpu.alloc_host, &found[0], sizeof found[0]);
    memcpy(&gpu.alloc_device, &found[1], sizeof found[1]);
    memcpy(&gpu.alloc_shared, &found[2], sizeof found[2]);
    memcpy(&gpu.free, &found[3], sizeof found[3]);
    if (!gpu.has_usm) print_message("the device has no cl_intel_unified_shared_memory\n");
}

static int open_gpu(void **state)
{
    if (api_open_engines(state) != 0 || !api_engine(1)) return -1;
    gpu.rig = rig_open(api_engine(1));
    api_expect(prim_ocl_engine_get_device(gpu.rig.engine, &gpu.device), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_context(gpu.rig.engine, &gpu.context), PRIM_SUCCESS);
    fetch_functions();
    return 0;
}

static int close_gpu(void **state)
{
    rig_close(&gpu.rig);
    return api_close_engines(state);
}

/// NULL where the device has no memory of the type.
static void *allocate(int type, size_t bytes)
{
    const cl_device_info questions[] = {0x4190, 0x4191, 0x4192};
    cl_ulong access = 0;
    cl_int code = CL_SUCCESS;
    assert_int_equal(
            clGetDeviceInfo(gpu.device, questions[type], sizeof access, &access, NULL), CL_SUCCESS);
    if (access == 0) return NULL;
    void *const made = type == HOST ? gpu.alloc_host(gpu.context, NULL, bytes, 0, &code)
                                    : (type == DEVICE ? gpu.alloc_device : gpu.alloc_shared)(
                                              gpu.context, gpu.device, NULL, bytes, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return made;
}

static void give_back(void *pointer)
{
    assert_int_equal(gpu.free(gpu.context, pointer), CL_SUCCESS);
}

static prim_memory_t *by_pointer(const prim_memory_desc_t *md, void *pointer)
{
    prim_memory_t *memory = NULL;
    api_expect(prim_ocl_memory_create_shared(&memory, md, gpu.rig.engine, PRIM_OCL_USM, pointer),
            PRIM_SUCCESS);
    prim_ocl_memory_kind_t kind = PRIM_OCL_BUFFER;
    api_expect(prim_ocl_memory_get_kind(memory, &kind), PRIM_SUCCESS);
    assert_int_equal(kind, PRIM_OCL_USM);
    return memory;
}

/// src/2 + 1 for one value everywhere.
static void expect_step(prim_memory_t *src, prim_memory_t *dst, float value)
{
    rig_fill(src, value);
    rig_fill(dst, -1);
    rig_step(&gpu.rig, src, dst);
    api_expect(prim_stream_wait(gpu.rig.stream), PRIM_SUCCESS);
    assert_true(rig_read(dst) == value / 2 + 1);
    assert_true(rig_read(src) == value);
}

static void works_beside_buffers(void **state)
{
    (void)state;
    if (!gpu.has_usm) skip();
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const own = by_pointer(&md, PRIM_MEMORY_ALLOCATE);
    expect_step(own, gpu.rig.a, 8);
    expect_step(gpu.rig.a, own, 6);
    for (int type = 0; type < NTYPES; ++type) {
        float *const values = allocate(type, (N + FIRST) * sizeof *values);
        if (!values) continue;
        prim_memory_t *const mine = by_pointer(&md, values + FIRST);
        void *handle = NULL;
        api_expect(prim_memory_get_data_handle(mine, &handle), PRIM_SUCCESS);
        assert_ptr_equal(handle, values + FIRST);
        expect_step(mine, gpu.rig.a, 4);
        expect_step(gpu.rig.a, mine, 2);
        expect_step(mine, own, 12);
        expect_step(own, mine, 20);
        // Another place of the same allocation, then none.
        api_expect(prim_memory_set_data_handle(mine, values), PRIM_SUCCESS);
        expect_step(mine, own, 14);
        api_expect(prim_memory_set_data_handle_at(mine, values, sizeof(float)), PRIM_SUCCESS);
        api_expect(prim_memory_get_data_handle(mine, &handle), PRIM_SUCCESS);
        assert_ptr_equal(handle, values + 1);
        expect_step(mine, own, 22);
        const size_t beyond = (FIRST + 1) * sizeof(float);
        api_expect(prim_memory_set_data_handle_at(mine, values, beyond), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_set_data_handle(mine, PRIM_MEMORY_NONE), PRIM_SUCCESS);
        prim_memory_destroy(mine);
        give_back(values);
    }
    prim_memory_destroy(own);
}

/// What the host sees: the pointer itself, of the device's own memory a copy.
static void maps_each_type(void **state)
{
    (void)state;
    if (!gpu.has_usm) skip();
    const prim_memory_desc_t md = api_vector(N);
    for (int type = 0; type < NTYPES; ++type) {
        void *const values = allocate(type, N * sizeof(float));
        if (!values) continue;
        prim_memory_t *const memory = by_pointer(&md, values);
        void *mapped = NULL, *again = UNTOUCHED(void *);
        api_expect(prim_memory_map_data(memory, &mapped), PRIM_SUCCESS);
        assert_int_equal(mapped == values, type != DEVICE);
        if (type == DEVICE) {
            api_expect(prim_memory_map_data(memory, &again), PRIM_INVALID_ARGUMENTS);
            assert_ptr_equal(again, api_untouched());
            api_expect(prim_memory_unmap_data(memory, values), PRIM_INVALID_ARGUMENTS);
        }
        api_expect(prim_memory_unmap_data(memory, &mapped), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_unmap_data(memory, mapped), PRIM_SUCCESS);
        api_expect(prim_memory_map_data(memory, &mapped), PRIM_SUCCESS); // left so
        prim_memory_destroy(memory);
        give_back(values);
    }
}

static void move(prim_memory_t *src, prim_engine_t *from, prim_memory_t *dst, prim_engine_t *to)
{
    prim_desc_t *pd = NULL;
    api_expect(prim_reorder_desc_create(
                       &pd, prim_memory_get_desc(src), from, prim_memory_get_desc(dst), to, NULL),
            PRIM_SUCCESS);
    prim_t *const reorder = rig_create(pd);
    const prim_arg_t args[] = {{PRIM_ARG_FROM, src}, {PRIM_ARG_TO, dst}};
    api_expect(prim_execute(reorder, gpu.rig.stream, 2, args), PRIM_SUCCESS);
    prim_destroy(reorder);
}

/// From the CPU engine and back.
static void takes_part_in_transfers(void **state)
{
    (void)state;
    if (!gpu.has_usm) skip();
    prim_engine_t *const cpu = api_engine(0), *const engine = gpu.rig.engine;
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const first = api_memory(&md, cpu), *const last = api_memory(&md, cpu);
    for (int type = 0; type < NTYPES; ++type) {
        void *const values = allocate(type, N * sizeof(float));
        if (!values) continue;
        prim_memory_t *const memory = by_pointer(&md, values);
        rig_fill(first, (float)(3 + type));
        rig_fill(last, -1);
        move(first, cpu, memory, engine);
        move(memory, engine, gpu.rig.a, engine);
        move(memory, engine, last, cpu);
        api_expect(prim_stream_wait(gpu.rig.stream), PRIM_SUCCESS);
        assert_true(rig_read(last) == (float)(3 + type));
        assert_true(rig_read(gpu.rig.a) == (float)(3 + type));
        prim_memory_destroy(memory);
        give_back(values);
    }
    prim_memory_destroy(first);
    prim_memory_destroy(last);
}

/// Captured with pointers, replayed with them, with others and with buffers.
static void is_recorded(void **state)
{
    (void)state;
    if (!gpu.has_usm) skip();
    const prim_memory_desc_t md = api_vector(N);
    rig_t rig = gpu.rig;
    rig.a = by_pointer(&md, PRIM_MEMORY_ALLOCATE);
    rig.b = by_pointer(&md, PRIM_MEMORY_ALLOCATE);
    prim_memory_t *const other = by_pointer(&md, PRIM_MEMORY_ALLOCATE);
    prim_recording_t *const recording = rig_record_step(&rig);
    const prim_memory_swap_t swaps[] = {{rig.a, other}, {rig.b, gpu.rig.b}};
    for (int round = 0; round < 3; ++round) {
        rig_fill(rig.a, (float)(4 * round));
        rig_fill(other, (float)(4 * round + 100));
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == (float)(2 * round + 1));
        rig_replay(recording, rig.stream, 2, swaps);
        assert_true(rig_read(gpu.rig.b) == (float)(2 * round + 51));
        assert_true(rig_read(rig.b) == (float)(2 * round + 1));
    }
    // The pointer behind a captured memory changes.
    float *const values = allocate(SHARED, N * sizeof *values);
    if (values) {
        api_expect(prim_memory_set_data_handle(rig.a, values), PRIM_SUCCESS);
        rig_fill(rig.a, 40);
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == 21);
        api_expect(prim_memory_set_data_handle(rig.a, PRIM_MEMORY_NONE), PRIM_SUCCESS);
        give_back(values);
    }
    prim_recording_destroy(recording);
    prim_memory_destroy(rig.a);
    prim_memory_destroy(rig.b);
    prim_memory_destroy(other);
}

static void own_memory_is_counted_and_padded(void **state)
{
    (void)state;
    if (!gpu.has_usm) skip();
    prim_engine_t *const engine = gpu.rig.engine;
    const prim_dims_t dims = {2, 5, 3, 3}, none = {3, 0};
    const prim_memory_desc_t md = api_md(4, dims, PRIM_nChw16c), empty = api_md(2, none, PRIM_ab);
    const size_t bytes = prim_memory_desc_get_size(&md);
    prim_memory_stats_t before, during, after;
    api_expect(prim_engine_get_memory_stats(engine, &before), PRIM_SUCCESS);
    prim_memory_t *memory = by_pointer(&md, PRIM_MEMORY_ALLOCATE);
    api_expect(prim_engine_get_memory_stats(engine, &during), PRIM_SUCCESS);
    assert_int_equal(during.in_use_bytes, before.in_use_bytes + bytes);
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
        if (i % 16 >= 5) assert_true(((const float *)pointer)[i] == 0);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
    api_expect(prim_engine_set_memory_limit(engine, during.in_use_bytes), PRIM_SUCCESS);
    prim_memory_t *more = UNTOUCHED(prim_memory_t *);
    api_expect(
            prim_ocl_memory_create_shared(&more, &md, engine, PRIM_OCL_USM, PRIM_MEMORY_ALLOCATE),
            PRIM_OUT_OF_MEMORY);
    assert_ptr_equal(more, api_untouched());
    api_expect(prim_engine_set_memory_limit(engine, 0), PRIM_SUCCESS);
    prim_memory_destroy(memory);
    memory = by_pointer(&empty, PRIM_MEMORY_ALLOCATE);
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
    prim_memory_destroy(memory);
    api_expect(prim_engine_get_memory_stats(engine, &after), PRIM_SUCCESS);
    assert_int_equal(after.in_use_bytes, before.in_use_bytes);
}

static void wrong_pointers_are_refused(void **state)
{
    (void)state;
    if (!gpu.has_usm) skip();
    static float foreign[N];
    const prim_memory_desc_t md = api_vector(N);
    char *const values = allocate(HOST, N * sizeof(float));
    if (!values) skip();
    const struct {
        void *pointer;
        const char *sentence;
    } cases[] = {{foreign, "does not belong to unified shared memory"},
            {values + 1, "not a multiple of 4"}, {values + 4, "does not fit an allocation"}};
    prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        api_expect(prim_ocl_memory_create_shared(
                           &memory, &md, gpu.rig.engine, PRIM_OCL_USM, cases[i].pointer),
                PRIM_INVALID_ARGUMENTS);
        if (!strstr(prim_last_error(), cases[i].sentence))
            fail_msg("\"%s\" lacks %s", prim_last_error(), cases[i].sentence);
    }
    assert_ptr_equal(memory, api_untouched());
    memory = by_pointer(&md, values);
    api_expect(prim_memory_set_data_handle(memory, foreign), PRIM_INVALID_ARGUMENTS);
    cl_mem buffer = UNTOUCHED(cl_mem);
    size_t offset = 77;
    api_expect(prim_ocl_memory_get_buffer(memory, &buffer, &offset), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(buffer, api_untouched());
    assert_int_equal(offset, 77);
    expect_step(memory, gpu.rig.a, 2); // as it was
    prim_memory_destroy(memory);
    give_back(values);
}

static void devices_without_it_say_so(void **state)
{
    (void)state;
    if (gpu.has_usm) skip();
    static float values[N];
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
    api_expect(prim_ocl_memory_create_shared(&memory, &md, gpu.rig.engine, PRIM_OCL_USM, values),
            PRIM_UNIMPLEMENTED);
    assert_non_null(strstr(prim_last_error(), "cl_intel_unified_shared_memory"));
    assert_ptr_equal(memory, api_untouched());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(works_beside_buffers),
            cmocka_unit_test(maps_each_type),
            cmocka_unit_test(takes_part_in_transfers),
            cmocka_unit_test(is_recorded),
            cmocka_unit_test(own_memory_is_counted_and_padded),
            cmocka_unit_test(wrong_pointers_are_refused),
            cmocka_unit_test(devices_without_it_say_so),
    };
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}
