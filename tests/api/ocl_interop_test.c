// SPDX-License-Identifier: Apache-2.0
// The application's commands between the library's: foreign kernels on the same queue without
// waiting, buffers at offsets shared by both, and two contexts that must not be mixed.
#include <prim/prim_ocl.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 1000, NROUNDS = 20, OFFSET = 24 };

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel; ///< x[first + i] = 2·x[first + i] − 3
    cl_mem buffer;    ///< OFFSET elements that nobody touches, N of src, N of dst
    prim_engine_t *engine;
    prim_stream_t *stream;
} app_t;

static const char text[] =
        "__kernel void twice(__global float *x, int first)\n"
        "{ int i = first + (int)get_global_id(0); x[i] = 2.0f * x[i] - 3.0f; }\n";

static bool open_device(app_t *app)
{
    prim_engine_t *first = NULL;
    const bool is_good = prim_engine_create(&first, PRIM_GPU, 0) == PRIM_SUCCESS &&
                         prim_ocl_engine_get_device(first, &app->device) == PRIM_SUCCESS;
    prim_engine_destroy(first);
    return is_good;
}

static int open_app(void **state)
{
    static app_t apps[2]; // two contexts
    const char *texts[] = {text};
    for (int i = 0; i < 2; ++i) {
        app_t *const app = &apps[i];
        cl_int codes[5];
        if (!open_device(app)) return -1;
        app->context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &codes[0]);
        app->queue = clCreateCommandQueue(app->context, app->device, 0, &codes[1]);
        app->program = clCreateProgramWithSource(app->context, 1, texts, NULL, &codes[2]);
        if (clBuildProgram(app->program, 1, &app->device, "", NULL, NULL) != CL_SUCCESS) return -1;
        app->kernel = clCreateKernel(app->program, "twice", &codes[3]);
        app->buffer = clCreateBuffer(
                app->context, CL_MEM_READ_WRITE, (OFFSET + 2 * N) * sizeof(float), NULL, &codes[4]);
        for (int k = 0; k < 5; ++k)
            if (codes[k] != CL_SUCCESS) return -1;
        if (prim_ocl_engine_create(&app->engine, app->device, app->context) != PRIM_SUCCESS ||
                prim_ocl_stream_create(&app->stream, app->engine, app->queue) != PRIM_SUCCESS) {
            return -1;
        }
    }
    *state = apps;
    return 0;
}

static int close_app(void **state)
{
    for (int i = 0; i < 2; ++i) {
        app_t *const app = (app_t *)*state + i;
        prim_stream_destroy(app->stream);
        prim_engine_destroy(app->engine);
        clReleaseMemObject(app->buffer);
        clReleaseKernel(app->kernel);
        clReleaseProgram(app->program);
        clReleaseCommandQueue(app->queue);
        clReleaseContext(app->context);
    }
    // Primitives that the cache holds keep their engines.
    return prim_set_primitive_cache_capacity(0) == PRIM_SUCCESS ? 0 : -1;
}

/// relu from the first N values after OFFSET to the next.
typedef struct {
    prim_memory_t *src, *dst;
    prim_t *relu;
} relu_t;

static relu_t make_relu(const app_t *app)
{
    relu_t r;
    const prim_memory_desc_t md = api_vector(N);
    api_expect(
            prim_ocl_memory_create(&r.src, &md, app->engine, app->buffer, OFFSET * sizeof(float)),
            PRIM_SUCCESS);
    api_expect(prim_ocl_memory_create(
                       &r.dst, &md, app->engine, app->buffer, (OFFSET + N) * sizeof(float)),
            PRIM_SUCCESS);
    prim_desc_t *const pd = api_relu_desc(app->engine, N, NULL);
    api_expect(prim_create(&r.relu, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    return r;
}

static void drop_relu(relu_t *r)
{
    prim_destroy(r->relu);
    prim_memory_destroy(r->src);
    prim_memory_destroy(r->dst);
}

static void execute(const app_t *app, const relu_t *r)
{
    const prim_arg_t args[] = {{PRIM_ARG_SRC, r->src}, {PRIM_ARG_DST, r->dst}};
    api_expect(prim_execute(r->relu, app->stream, 2, args), PRIM_SUCCESS);
}

static void launch_foreign(const app_t *app, int first)
{
    const size_t items = N;
    assert_int_equal(clSetKernelArg(app->kernel, 0, sizeof app->buffer, &app->buffer), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(app->kernel, 1, sizeof first, &first), CL_SUCCESS);
    assert_int_equal(
            clEnqueueNDRangeKernel(app->queue, app->kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
            CL_SUCCESS);
}

static void start_values(float *values)
{
    for (int i = 0; i < OFFSET + 2 * N; ++i) values[i] = (float)(i % 16 - 8) / 4;
}

// src is doubled by the application, relu, dst is doubled and copied back to src by the
// application, and so on; nobody waits until the end.
static void foreign_kernels_in_between(void **state)
{
    const app_t *const app = *state;
    enum { NVALUES = OFFSET + 2 * N };
    float values[NVALUES], expected[NVALUES];
    start_values(values);
    start_values(expected);
    relu_t r = make_relu(app);
    assert_int_equal(clEnqueueWriteBuffer(app->queue, app->buffer, CL_FALSE, 0, sizeof values,
                             values, 0, NULL, NULL),
            CL_SUCCESS);
    for (int round = 0; round < NROUNDS; ++round) {
        launch_foreign(app, OFFSET);
        execute(app, &r);
        launch_foreign(app, OFFSET + N);
        assert_int_equal(clEnqueueCopyBuffer(app->queue, app->buffer, app->buffer,
                                 (OFFSET + N) * sizeof(float), OFFSET * sizeof(float),
                                 N * sizeof(float), 0, NULL, NULL),
                CL_SUCCESS);
        for (int i = OFFSET; i < OFFSET + N; ++i) {
            const float doubled = 2 * expected[i] - 3;
            expected[i] = expected[i + N] = 2 * (doubled > 0 ? doubled : 0) - 3;
        }
    }
    api_expect(prim_stream_wait(app->stream), PRIM_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(app->queue, app->buffer, CL_TRUE, 0, sizeof values, values,
                             0, NULL, NULL),
            CL_SUCCESS);
    for (int i = 0; i < NVALUES; ++i)
        if (values[i] != expected[i])
            fail_msg("element %d is %g, not %g", i, (double)values[i], (double)expected[i]);
    drop_relu(&r);
}

/// A memory at an offset in the application's buffer: host data go there, and nowhere else.
static void host_data_go_to_the_offset(void **state)
{
    const app_t *const app = *state;
    static float all[OFFSET + 2 * N], in[N], out[N];
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *memory = NULL;
    for (int i = 0; i < N; ++i) in[i] = (float)(i + 1);
    assert_int_equal(clEnqueueWriteBuffer(
                             app->queue, app->buffer, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL),
            CL_SUCCESS);
    api_expect(
            prim_ocl_memory_create(&memory, &md, app->engine, app->buffer, OFFSET * sizeof(float)),
            PRIM_SUCCESS);
    api_expect(prim_memory_write(memory, in, sizeof in, 0), PRIM_SUCCESS);
    api_expect(prim_memory_read(memory, out, 2 * sizeof *out, sizeof *out), PRIM_SUCCESS);
    assert_true(out[0] == 2.f && out[1] == 3.f && out[2] == 0.f);
    prim_memory_destroy(memory);
    assert_int_equal(clEnqueueReadBuffer(
                             app->queue, app->buffer, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL),
            CL_SUCCESS);
    for (int i = 0; i < OFFSET + 2 * N; ++i)
        assert_true(all[i] == (i >= OFFSET && i < OFFSET + N ? (float)(i - OFFSET + 1) : 0.f));
}

static void contexts_are_not_mixed(void **state)
{
    const app_t *const one = *state, *const other = one + 1;
    relu_t r = make_relu(one), s = make_relu(other);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, r.src}, {PRIM_ARG_DST, s.dst}};
    api_expect(prim_execute(r.relu, one->stream, 2, args), PRIM_INVALID_ARGUMENTS);
    assert_non_null(
            strstr(prim_last_error(), "argument 17 (dst) belongs to another engine than the "
                                      "primitive: both are on gpu engine "));
    assert_non_null(strstr(prim_last_error(), "but in two contexts"));
    execute(one, &r);
    execute(other, &s);
    const prim_arg_t own[] = {{PRIM_ARG_SRC, r.src}, {PRIM_ARG_DST, r.dst}};
    api_expect(prim_execute(r.relu, other->stream, 2, own), PRIM_INVALID_ARGUMENTS);
    prim_stream_t *stream = UNTOUCHED(prim_stream_t *);
    api_expect(prim_ocl_stream_create(&stream, one->engine, other->queue), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(stream, api_untouched());
    api_expect(prim_stream_wait(one->stream), PRIM_SUCCESS);
    api_expect(prim_stream_wait(other->stream), PRIM_SUCCESS);
    drop_relu(&r);
    drop_relu(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(foreign_kernels_in_between),
            cmocka_unit_test(contexts_are_not_mixed),
            cmocka_unit_test(host_data_go_to_the_offset),
    };
    return cmocka_run_group_tests(tests, open_app, close_app);
}
