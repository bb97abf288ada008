// SPDX-License-Identifier: Apache-2.0
// The n-th allocation of a graph's life fails, the graph's own and the library's alike, n = 1, 2, …
// until none does: every failure is told, frees everything, and harms no later try.
#include "support/unit_test.h"

#include "graph.h"

#include <stdlib.h>
#include <string.h>

static long countdown;   ///< allocations until one fails; 0: none does
static long outstanding; ///< of the library

static bool fails_now(void)
{
    return countdown > 0 && --countdown == 0;
}

// The linker puts these in the place of the graph's calls (--wrap in CMakeLists.txt).
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *pointer, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *pointer, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails_now() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *pointer, size_t bytes)
{
    return fails_now() ? NULL : __real_realloc(pointer, bytes);
}

static void *failing_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (fails_now()) return NULL;
    void *const pointer = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (pointer) ++outstanding;
    return pointer;
}

static void counted_release(void *user, void *pointer)
{
    (void)user;
    --outstanding;
    free(pointer);
}

/// A graph with a folded normalisation, a fused chain, a view and two outputs.
static prim_status_t build(graph_t *graph, graph_value_t *x, graph_value_t *y)
{
    static const prim_dim_t image[] = {1, 2, 4, 4}, taps[] = {2, 2, 3, 3}, channels[] = {2};
    static const graph_window_t window = {{1, 1}, {0, 0}, {1, 1}, {1, 1}};
    static const float ones[36] = {1, 1, 1, 1, 1, 1};
    *x = graph_input(graph, 4, image, PRIM_F32);
    const graph_value_t c = graph_constant(graph, 1, channels, PRIM_F32, ones);
    graph_value_t a = graph_conv(
            graph, *x, graph_constant(graph, 4, taps, PRIM_F32, ones), GRAPH_ABSENT, &window);
    a = graph_batch_norm(graph, a, c, c, c, c, 1);
    a = graph_eltwise(graph, a, PRIM_ELTWISE_RELU, 0, 0);
    a = graph_transpose(graph, a, (const int[]){0, 2, 3, 1});
    y[0] = graph_output(graph, graph_softmax(graph, a, PRIM_SOFTMAX_ACCURATE, 3));
    y[1] = graph_output(graph, *x);
    return graph_compile(graph, 0);
}

static prim_status_t whole_life(void)
{
    static float values[3][32];
    prim_engine_t *engine = NULL;
    prim_stream_t *stream = NULL;
    graph_t *graph = NULL;
    graph_value_t x = GRAPH_FAILED, y[2] = {GRAPH_FAILED, GRAPH_FAILED};
    assert_int_equal(prim_stream_wait(NULL), PRIM_INVALID_ARGUMENTS); // an old sentence to repeat
    prim_status_t status = prim_engine_create(&engine, PRIM_CPU, 0);
    if (status == PRIM_SUCCESS) status = prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER);
    if (status == PRIM_SUCCESS) status = graph_create(&graph, engine);
    if (status == PRIM_SUCCESS) {
        status = build(graph, &x, y);
        if (status != PRIM_SUCCESS) assert_non_null(strstr(graph_error(graph), "no memory"));
    }
    if (status == PRIM_SUCCESS) status = graph_bind(graph, x, values[0], 0);
    for (int i = 0; i < 2 && status == PRIM_SUCCESS; ++i)
        status = graph_bind(graph, y[i], values[1 + i], 0);
    if (status == PRIM_SUCCESS) status = graph_run(graph, stream);
    graph_destroy(graph);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    return status;
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    const prim_allocator_t allocator = {failing_allocate, counted_release, NULL};
    assert_int_equal(prim_set_verbose("none"), PRIM_SUCCESS);
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(prim_set_allocator(&allocator), PRIM_SUCCESS);
    long n = 1;
    for (;; ++n) {
        countdown = n;
        const prim_status_t status = whole_life();
        const bool has_failed_one = countdown == 0;
        countdown = 0;
        assert_int_equal(outstanding, 0);
        if (!has_failed_one) {
            assert_int_equal(status, PRIM_SUCCESS);
            break;
        }
        assert_int_not_equal(status, PRIM_SUCCESS);
    }
    assert_true(n > 50);
    assert_int_equal(prim_set_allocator(NULL), PRIM_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_fails_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
