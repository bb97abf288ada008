// SPDX-License-Identifier: Apache-2.0
// Graphs on both engines: selections, which are part of the primitive that computes one of their
// sources.
#include "graph.h"

#include <math.h>

#include "support/unit_test.h"

#define DIMS(...) ((const prim_dim_t[]){__VA_ARGS__})

enum { R = 3, C = 4 };

static prim_engine_kind_t kind;

typedef struct {
    prim_engine_t *engine;
    graph_t *graph;
    graph_value_t x; ///< the input, [R, C]
} rig_t;

static rig_t open_rig(void)
{
    rig_t rig = {.graph = NULL};
    assert_int_equal(prim_engine_create(&rig.engine, kind, 0), PRIM_SUCCESS);
    assert_int_equal(graph_create(&rig.graph, rig.engine), PRIM_SUCCESS);
    rig.x = graph_input(rig.graph, 2, DIMS(R, C), PRIM_F32);
    return rig;
}

static graph_value_t number(graph_t *graph, float value)
{
    return graph_constant(graph, 1, DIMS(1), PRIM_F32, &value);
}

static prim_memory_t *bind(const rig_t *rig, graph_value_t value)
{
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    void *handle = NULL;
    assert_int_equal(
            prim_memory_desc_init_by_strides(&md, 2, DIMS(R, C), PRIM_F32, NULL), PRIM_SUCCESS);
    assert_int_equal(
            prim_memory_create(&memory, &md, rig->engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    assert_int_equal(prim_memory_get_data_handle(memory, &handle), PRIM_SUCCESS);
    assert_int_equal(graph_bind(rig->graph, value, handle, 0), PRIM_SUCCESS);
    return memory;
}

/// Compiles to so many primitives, runs, and ends the rig.
static void run(const rig_t *rig, graph_value_t y, const float src[R * C], float dst[R * C],
        int nprimitives)
{
    prim_stream_t *stream = NULL;
    assert_int_equal(prim_stream_create(&stream, rig->engine, PRIM_STREAM_IN_ORDER), PRIM_SUCCESS);
    const graph_value_t output = graph_output(rig->graph, y);
    if (graph_compile(rig->graph, 0) != PRIM_SUCCESS) fail_msg("%s", graph_error(rig->graph));
    assert_int_equal(graph_stats(rig->graph).nprimitives, nprimitives);
    prim_memory_t *const in = bind(rig, rig->x), *const out = bind(rig, output);
    assert_int_equal(prim_memory_write(in, src, R * C * sizeof *src, 0), PRIM_SUCCESS);
    assert_int_equal(graph_run(rig->graph, stream), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(stream), PRIM_SUCCESS);
    assert_int_equal(prim_memory_read(out, dst, R * C * sizeof *dst, 0), PRIM_SUCCESS);
    graph_destroy(rig->graph);
    prim_memory_destroy(in);
    prim_memory_destroy(out);
    prim_stream_destroy(stream);
    prim_engine_destroy(rig->engine);
}

/// A selection of a sum or of the first row is part of the sum's primitive, whichever of them the
/// condition, a constant, chooses.
static void constant_conditions(void **state)
{
    (void)state;
    static const int8_t signs[C] = {1, 0, 0, 3};
    for (int other = 0; other < 2; ++other) {
        float src[R * C], dst[R * C];
        for (int i = 0; i < R * C; ++i) src[i] = (float)(i * 7 % 32);
        const rig_t rig = open_rig();
        graph_t *const g = rig.graph;
        const graph_value_t row = graph_slice(g, rig.x, DIMS(0, 0), DIMS(1, C));
        const graph_value_t sum = graph_binary(g, PRIM_BINARY_ADD, rig.x, number(g, 3));
        const graph_value_t cond = graph_constant(g, 1, DIMS(C), PRIM_S8, signs);
        run(&rig, graph_select(g, cond, other ? row : sum, other ? sum : row), src, dst, 1);
        for (int i = 0; i < R * C; ++i)
            assert_true(dst[i] == ((signs[i % C] != 0) == !other ? src[i] + 3 : src[i % C]));
    }
}

/// `test` of x and 1 chooses x or, the other source, a sum.
static void check_tested(prim_alg_kind_t test, bool is_read_twice, int nprimitives)
{
    const float src[R * C] = {0, 1, 2, 1, 1, NAN, 0, 2, 2, 1, 0, 1};
    float dst[R * C];
    const rig_t rig = open_rig();
    graph_t *const g = rig.graph;
    const graph_value_t sum = graph_binary(g, PRIM_BINARY_ADD, rig.x, number(g, 3));
    const graph_value_t cond = graph_compare(g, test, rig.x, number(g, 1));
    const graph_value_t chosen = is_read_twice ? graph_convert(g, cond, PRIM_F32) : rig.x;
    run(&rig, graph_select(g, cond, chosen, sum), src, dst, nprimitives);
    for (int i = 0; i < R * C; ++i) {
        const bool holds = test == PRIM_BINARY_EQ   ? src[i] == 1
                           : test == PRIM_BINARY_NE ? src[i] != 1
                                                    : src[i] >= 1;
        const float expected = !holds ? src[i] + 3 : is_read_twice ? 1 : src[i];
        if (!(dst[i] == expected || (isnan(dst[i]) && isnan(expected))))
            fail_msg("element %d: %g, not %g", i, (double)dst[i], (double)expected);
    }
}

/// A test for equality that nothing else reads turns into its opposite. An order has none, beside a
/// NaN; and a result that something else reads stays as it is.
static void tested_conditions(void **state)
{
    (void)state;
    check_tested(PRIM_BINARY_EQ, false, 2);
    check_tested(PRIM_BINARY_NE, false, 2);
    check_tested(PRIM_BINARY_GE, false, 3);
    check_tested(PRIM_BINARY_EQ, true, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(constant_conditions),
            cmocka_unit_test(tested_conditions),
    };
    kind = PRIM_CPU;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (prim_engine_get_count(PRIM_GPU) == 0) return failed;
    kind = PRIM_GPU;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
