// SPDX-License-Identifier: Apache-2.0
// What prim_prelu_forward_desc_create() accepts and refuses, and execution in place.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <prim/prim.h>

static prim_engine_t *engine;

static int set_up(void **state)
{
    (void)state;
    return prim_engine_create(&engine, PRIM_CPU, 0) != PRIM_SUCCESS;
}

static int tear_down(void **state)
{
    (void)state;
    prim_engine_destroy(engine);
    return 0;
}

/// Shapes and layouts of a call, and its answer.
typedef struct {
    int ndims[3]; ///< src, weights, dst
    prim_dims_t dims[3];
    const char *tags[3];
    prim_prop_kind_t prop_kind;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {{4, 4, 4}, {{2, 3, 4, 5}, {1, 3, 1, 1}, {2, 3, 4, 5}}, {"abcd", "any", "any"},
                PRIM_FORWARD_INFERENCE, PRIM_SUCCESS},
        {{1, 1, 1}, {{7}, {1}, {7}}, {"a", "a", "a"}, PRIM_FORWARD_TRAINING, PRIM_SUCCESS},
        {{4, 4, 4}, {{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}}, {"acdb", "abcd", "aBcd8b"},
                PRIM_FORWARD_INFERENCE, PRIM_SUCCESS},
        {{2, 2, 2}, {{0, 3}, {1, 3}, {0, 3}}, {"ab", "ab", "ab"}, PRIM_FORWARD_INFERENCE,
                PRIM_SUCCESS},
        // a backward pass
        {{2, 2, 2}, {{2, 3}, {1, 3}, {2, 3}}, {"ab", "ab", "ab"}, PRIM_BACKWARD,
                PRIM_INVALID_ARGUMENTS},
        // src without a layout
        {{2, 2, 2}, {{2, 3}, {1, 3}, {2, 3}}, {"any", "ab", "ab"}, PRIM_FORWARD_INFERENCE,
                PRIM_INVALID_ARGUMENTS},
        // ranks
        {{2, 1, 2}, {{2, 3}, {3}, {2, 3}}, {"ab", "a", "ab"}, PRIM_FORWARD_INFERENCE,
                PRIM_INVALID_ARGUMENTS},
        {{2, 2, 1}, {{2, 3}, {1, 3}, {6}}, {"ab", "ab", "a"}, PRIM_FORWARD_INFERENCE,
                PRIM_INVALID_ARGUMENTS},
        // shapes
        {{2, 2, 2}, {{2, 3}, {1, 2}, {2, 3}}, {"ab", "ab", "ab"}, PRIM_FORWARD_INFERENCE,
                PRIM_INVALID_ARGUMENTS},
        {{2, 2, 2}, {{1, 3}, {2, 3}, {2, 3}}, {"ab", "ab", "ab"}, PRIM_FORWARD_INFERENCE,
                PRIM_INVALID_ARGUMENTS},
        // run-time dimensions
        {{2, 2, 2}, {{PRIM_RUNTIME_DIM_VAL, 3}, {1, 3}, {PRIM_RUNTIME_DIM_VAL, 3}},
                {"ab", "ab", "ab"}, PRIM_FORWARD_INFERENCE, PRIM_UNIMPLEMENTED},
};

static void checks_shapes_layouts_and_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t mds[3];
        for (int t = 0; t < 3; ++t)
            assert_int_equal(prim_memory_desc_init_by_string_tag(
                                     &mds[t], c->ndims[t], c->dims[t], PRIM_F32, c->tags[t]),
                    PRIM_SUCCESS);
        prim_desc_t *const untouched = (prim_desc_t *)&engine;
        prim_desc_t *pd = untouched;
        assert_int_equal(prim_prelu_forward_desc_create(
                                 &pd, engine, c->prop_kind, &mds[0], &mds[1], &mds[2], NULL),
                c->expected);
        if (c->expected == PRIM_SUCCESS) {
            prim_desc_destroy(pd);
        } else {
            assert_ptr_equal(pd, untouched);
            assert_true(strlen(prim_last_error()) > 0);
        }
    }
}

static void make_mds(prim_memory_desc_t *src, prim_memory_desc_t *wei)
{
    assert_int_equal(
            prim_memory_desc_init_by_tag(src, 2, (prim_dims_t){2, 3}, PRIM_F32, PRIM_ab), 0);
    assert_int_equal(
            prim_memory_desc_init_by_tag(wei, 2, (prim_dims_t){1, 3}, PRIM_F32, PRIM_ab), 0);
}

static void refuses_nulls_and_attributes(void **state)
{
    (void)state;
    prim_memory_desc_t src, wei;
    make_mds(&src, &wei);
    prim_desc_t *pd = NULL;
    for (int i = 0; i < 5; ++i)
        assert_int_equal(prim_prelu_forward_desc_create(i == 0 ? NULL : &pd, i == 1 ? NULL : engine,
                                 PRIM_FORWARD_INFERENCE, i == 2 ? NULL : &src, i == 3 ? NULL : &wei,
                                 i == 4 ? NULL : &src, NULL),
                PRIM_INVALID_ARGUMENTS);
    prim_attr_t *attr = NULL;
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0.f, 0.f);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    assert_int_equal(prim_prelu_forward_desc_create(
                             &pd, engine, PRIM_FORWARD_INFERENCE, &src, &wei, &src, attr),
            PRIM_UNIMPLEMENTED);
    assert_null(pd);
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
}

static void runs_in_place(void **state)
{
    (void)state;
    prim_memory_desc_t src, wei;
    make_mds(&src, &wei);
    float data[6] = {1, -2, 3, -4, 5, -6}, slopes[3] = {2, 3, 4};
    static const float expected[6] = {1, -6, 3, -8, 5, -24};
    prim_desc_t *pd = NULL;
    prim_t *prelu = NULL;
    prim_stream_t *stream = NULL;
    prim_memory_t *memory = NULL, *weights = NULL;
    assert_int_equal(prim_prelu_forward_desc_create(
                             &pd, engine, PRIM_FORWARD_INFERENCE, &src, &wei, &src, NULL),
            PRIM_SUCCESS);
    assert_int_equal(prim_create(&prelu, pd), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    assert_int_equal(prim_memory_create(&memory, &src, engine, data), PRIM_SUCCESS);
    assert_int_equal(prim_memory_create(&weights, &wei, engine, slopes), PRIM_SUCCESS);
    const prim_arg_t args[] = {
            {PRIM_ARG_SRC, memory}, {PRIM_ARG_WEIGHTS, weights}, {PRIM_ARG_DST, memory}};
    assert_int_equal(prim_execute(prelu, stream, 3, args), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(stream), PRIM_SUCCESS);
    assert_memory_equal(data, expected, sizeof data);
    prim_memory_destroy(weights);
    prim_memory_destroy(memory);
    prim_stream_destroy(stream);
    prim_destroy(prelu);
    prim_desc_destroy(pd);
}

/// A memory of the engine's own with these bytes in it.
static prim_memory_t *memory_of(
        prim_engine_t *where, prim_data_type_t type, const void *values, size_t bytes)
{
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    void *mapped = NULL;
    const prim_dim_t n = 2;
    assert_int_equal(prim_memory_desc_init_by_tag(&md, 1, &n, type, PRIM_a), PRIM_SUCCESS);
    assert_int_equal(prim_memory_create(&memory, &md, where, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    assert_int_equal(prim_memory_map_data(memory, &mapped), PRIM_SUCCESS);
    memcpy(mapped, values, bytes);
    assert_int_equal(prim_memory_unmap_data(memory, mapped), PRIM_SUCCESS);
    return memory;
}

/// s8 by s32 into s32, with a slope that no float holds.
static void expect_exact_on(prim_engine_t *where)
{
    const int8_t src[] = {-1, 3};
    const int32_t slopes[] = {16777217, 5}, zeros[] = {0, 0};
    prim_memory_t *const memories[] = {memory_of(where, PRIM_S8, src, sizeof src),
            memory_of(where, PRIM_S32, slopes, sizeof slopes),
            memory_of(where, PRIM_S32, zeros, sizeof zeros)};
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memories[0]}, {PRIM_ARG_WEIGHTS, memories[1]},
            {PRIM_ARG_DST, memories[2]}};
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    prim_stream_t *stream = NULL;
    void *mapped = NULL;
    assert_int_equal(prim_prelu_forward_desc_create(&pd, where, PRIM_FORWARD_INFERENCE,
                             prim_memory_get_desc(memories[0]), prim_memory_get_desc(memories[1]),
                             prim_memory_get_desc(memories[2]), NULL),
            PRIM_SUCCESS);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&stream, where, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    assert_int_equal(prim_execute(primitive, stream, 3, args), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(stream), PRIM_SUCCESS);
    assert_int_equal(prim_memory_map_data(memories[2], &mapped), PRIM_SUCCESS);
    assert_int_equal(((const int32_t *)mapped)[0], -16777217);
    assert_int_equal(((const int32_t *)mapped)[1], 3);
    assert_int_equal(prim_memory_unmap_data(memories[2], mapped), PRIM_SUCCESS);
    for (int i = 0; i < 3; ++i) prim_memory_destroy(memories[i]);
    prim_stream_destroy(stream);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

static void integers_are_exact(void **state)
{
    (void)state;
    expect_exact_on(engine);
    if (prim_engine_get_count(PRIM_GPU) == 0) return;
    prim_engine_t *gpu = NULL;
    assert_int_equal(prim_engine_create(&gpu, PRIM_GPU, 0), PRIM_SUCCESS);
    expect_exact_on(gpu);
    prim_engine_destroy(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(checks_shapes_layouts_and_kinds),
            cmocka_unit_test(refuses_nulls_and_attributes),
            cmocka_unit_test(runs_in_place),
            cmocka_unit_test(integers_are_exact),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
