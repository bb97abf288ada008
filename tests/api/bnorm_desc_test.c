// SPDX-License-Identifier: Apache-2.0
// What prim_batch_normalization_forward_desc_create() accepts and refuses, which tensors its flags
// ask for, and execution in place.
#include <math.h>
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

/// A call and its answer.
typedef struct {
    int src_ndims, dst_ndims;
    prim_dims_t src, dst;
    const char *src_tag;
    prim_prop_kind_t prop_kind;
    float epsilon;
    unsigned flags;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {4, 4, {2, 3, 4, 5}, {2, 3, 4, 5}, "abcd", PRIM_FORWARD_INFERENCE, 1e-5f, 0, PRIM_SUCCESS},
        {2, 2, {2, 3}, {2, 3}, "ba", PRIM_FORWARD_TRAINING, 0.f, 0xf, PRIM_SUCCESS},
        {4, 4, {2, 3, 4, 5}, {2, 3, 4, 5}, "aBcd8b", PRIM_FORWARD_TRAINING, 1.f, 0x16,
                PRIM_SUCCESS},
        {3, 3, {0, 3, 4}, {0, 3, 4}, "abc", PRIM_FORWARD_TRAINING, 1.f, 0, PRIM_SUCCESS},
        // a backward pass
        {2, 2, {2, 3}, {2, 3}, "ab", PRIM_BACKWARD, 1.f, 0, PRIM_INVALID_ARGUMENTS},
        // flags: an unknown bit, both fusions
        {2, 2, {2, 3}, {2, 3}, "ab", PRIM_FORWARD_INFERENCE, 1.f, 0x20, PRIM_INVALID_ARGUMENTS},
        {2, 2, {2, 3}, {2, 3}, "ab", PRIM_FORWARD_INFERENCE, 1.f, 0x18, PRIM_INVALID_ARGUMENTS},
        // epsilon
        {2, 2, {2, 3}, {2, 3}, "ab", PRIM_FORWARD_INFERENCE, -1.f, 0, PRIM_INVALID_ARGUMENTS},
        {2, 2, {2, 3}, {2, 3}, "ab", PRIM_FORWARD_INFERENCE, NAN, 0, PRIM_INVALID_ARGUMENTS},
        // tensors
        {1, 1, {3}, {3}, "a", PRIM_FORWARD_INFERENCE, 1.f, 0, PRIM_INVALID_ARGUMENTS},
        {2, 2, {2, 3}, {2, 3}, "any", PRIM_FORWARD_INFERENCE, 1.f, 0, PRIM_INVALID_ARGUMENTS},
        {2, 3, {2, 3}, {2, 3, 1}, "ab", PRIM_FORWARD_INFERENCE, 1.f, 0, PRIM_INVALID_ARGUMENTS},
        {2, 2, {2, 3}, {2, 4}, "ab", PRIM_FORWARD_INFERENCE, 1.f, 0, PRIM_INVALID_ARGUMENTS},
        {2, 2, {PRIM_RUNTIME_DIM_VAL, 3}, {2, 3}, "ab", PRIM_FORWARD_INFERENCE, 1.f, 0,
                PRIM_UNIMPLEMENTED},
};

static void checks_shapes_layouts_and_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t src, dst;
        assert_int_equal(prim_memory_desc_init_by_string_tag(
                                 &src, c->src_ndims, c->src, PRIM_F32, c->src_tag),
                PRIM_SUCCESS);
        assert_int_equal(
                prim_memory_desc_init_by_tag(&dst, c->dst_ndims, c->dst, PRIM_F32, PRIM_FORMAT_ANY),
                PRIM_SUCCESS);
        prim_desc_t *const untouched = (prim_desc_t *)&engine;
        prim_desc_t *pd = untouched;
        assert_int_equal(prim_batch_normalization_forward_desc_create(
                                 &pd, engine, c->prop_kind, &src, &dst, c->epsilon, c->flags, NULL),
                c->expected);
        if (c->expected == PRIM_SUCCESS) {
            prim_desc_destroy(pd);
        } else {
            assert_ptr_equal(pd, untouched);
            assert_true(strlen(prim_last_error()) > 0);
        }
    }
}

static prim_memory_desc_t make_md(void)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 4, (prim_dims_t){2, 3, 4, 5}, PRIM_F32, PRIM_NCHW),
            PRIM_SUCCESS);
    return md;
}

static bool has(const prim_desc_t *pd, int arg)
{
    return prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, arg)->ndims > 0;
}

static void flags_ask_for_tensors(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make_md();
    for (unsigned flags = 0; flags < 32; ++flags) {
        if ((flags & 24) == 24) continue;
        for (int i = 0; i < 2; ++i) {
            const bool is_training = i == 1;
            prim_desc_t *pd = NULL;
            assert_int_equal(prim_batch_normalization_forward_desc_create(&pd, engine,
                                     is_training ? PRIM_FORWARD_TRAINING : PRIM_FORWARD_INFERENCE,
                                     &md, &md, 1e-3f, flags, NULL),
                    PRIM_SUCCESS);
            const bool has_stats = is_training || (flags & PRIM_USE_GLOBAL_STATS);
            assert_int_equal(has(pd, PRIM_ARG_MEAN), has_stats);
            assert_int_equal(has(pd, PRIM_ARG_VARIANCE), has_stats);
            assert_int_equal(has(pd, PRIM_ARG_SCALE), (flags & PRIM_USE_SCALE) != 0);
            assert_int_equal(has(pd, PRIM_ARG_SHIFT), (flags & PRIM_USE_SHIFT) != 0);
            assert_int_equal(has(pd, PRIM_ARG_SRC_1), (flags & PRIM_FUSE_NORM_ADD_RELU) != 0);
            assert_int_equal(has(pd, PRIM_ARG_WORKSPACE), is_training && (flags & 24) != 0);
            prim_desc_destroy(pd);
        }
    }
}

static void refuses_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make_md();
    prim_desc_t *pd = NULL;
    for (int i = 0; i < 4; ++i)
        assert_int_equal(prim_batch_normalization_forward_desc_create(i == 0 ? NULL : &pd,
                                 i == 1 ? NULL : engine, PRIM_FORWARD_INFERENCE,
                                 i == 2 ? NULL : &md, i == 3 ? NULL : &md, 1.f, 0, NULL),
                PRIM_INVALID_ARGUMENTS);
    assert_null(pd);
}

static void takes_relu_alone(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make_md();
    static const struct {
        prim_alg_kind_t alg;
        prim_status_t expected;
    } steps[] = {{PRIM_ELTWISE_RELU, PRIM_SUCCESS}, {PRIM_ELTWISE_TANH, PRIM_UNIMPLEMENTED},
            {PRIM_ALG_UNDEF, PRIM_UNIMPLEMENTED}};
    for (size_t i = 0; i < 3; ++i) {
        prim_attr_t *attr = NULL;
        prim_post_ops_t *chain = NULL;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
        if (steps[i].alg != PRIM_ALG_UNDEF)
            prim_post_ops_append_eltwise(chain, steps[i].alg, 0.f, 0.f);
        else
            prim_post_ops_append_sum(chain, 1.f, 0, PRIM_DATA_TYPE_UNDEF);
        assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
        prim_desc_t *pd = NULL;
        assert_int_equal(prim_batch_normalization_forward_desc_create(
                                 &pd, engine, PRIM_FORWARD_INFERENCE, &md, &md, 1.f, 0, attr),
                steps[i].expected);
        prim_desc_destroy(pd);
        prim_post_ops_destroy(chain);
        prim_attr_destroy(attr);
    }
}

static void trains_in_place(void **state)
{
    (void)state;
    prim_memory_desc_t md, stats_md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 2, (prim_dims_t){2, 2}, PRIM_F32, PRIM_NC), 0);
    assert_int_equal(prim_memory_desc_init_by_tag(&stats_md, 1, (prim_dims_t){2}, PRIM_F32, PRIM_a),
            PRIM_SUCCESS);
    float data[4] = {1, 10, 3, 14}, mean[2] = {0}, variance[2] = {0};
    prim_desc_t *pd = NULL;
    prim_t *bnorm = NULL;
    prim_stream_t *stream = NULL;
    prim_memory_t *memories[3] = {NULL};
    assert_int_equal(prim_batch_normalization_forward_desc_create(
                             &pd, engine, PRIM_FORWARD_TRAINING, &md, &md, 0.f, 0, NULL),
            PRIM_SUCCESS);
    assert_int_equal(prim_create(&bnorm, pd), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    assert_int_equal(prim_memory_create(&memories[0], &md, engine, data), PRIM_SUCCESS);
    assert_int_equal(prim_memory_create(&memories[1], &stats_md, engine, mean), PRIM_SUCCESS);
    assert_int_equal(prim_memory_create(&memories[2], &stats_md, engine, variance), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memories[0]}, {PRIM_ARG_DST, memories[0]},
            {PRIM_ARG_MEAN, memories[1]}, {PRIM_ARG_VARIANCE, memories[2]}};
    assert_int_equal(prim_execute(bnorm, stream, 4, args), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(stream), PRIM_SUCCESS);
    assert_true(mean[0] == 2.f && mean[1] == 12.f && variance[0] == 1.f && variance[1] == 4.f);
    assert_true(data[0] == -1.f && data[1] == -1.f && data[2] == 1.f && data[3] == 1.f);
    for (int i = 0; i < 3; ++i) prim_memory_destroy(memories[i]);
    prim_stream_destroy(stream);
    prim_destroy(bnorm);
    prim_desc_destroy(pd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(checks_shapes_layouts_and_parameters),
            cmocka_unit_test(flags_ask_for_tensors),
            cmocka_unit_test(refuses_nulls),
            cmocka_unit_test(takes_relu_alone),
            cmocka_unit_test(trains_in_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
