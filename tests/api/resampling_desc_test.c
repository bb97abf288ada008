// SPDX-License-Identifier: Apache-2.0
// What prim_resampling_forward_desc_create() accepts and refuses, and what it derives from factors.
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
    int src_ndims, dst_ndims; ///< dst_ndims 0: no dst_md
    prim_dims_t src, dst;
    const char *src_tag;
    float factors[3]; ///< the first 0: none
    prim_prop_kind_t prop_kind;
    prim_alg_kind_t alg;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {4, 4, {2, 3, 4, 5}, {2, 3, 8, 3}, "abcd", {0}, PRIM_FORWARD_INFERENCE,
                PRIM_RESAMPLING_NEAREST, PRIM_SUCCESS},
        {3, 3, {2, 3, 4}, {2, 3, 6}, "acb", {1.5f}, PRIM_FORWARD_TRAINING, PRIM_RESAMPLING_LINEAR,
                PRIM_SUCCESS},
        {5, 0, {1, 3, 3, 4, 5}, {0}, "abcde", {2.f / 3.f, 2.f, .5f}, PRIM_FORWARD_INFERENCE,
                PRIM_RESAMPLING_LINEAR, PRIM_SUCCESS},
        {3, 3, {2, 3, 0}, {2, 3, 0}, "abc", {0}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_SUCCESS},
        // neither dst nor factors
        {4, 0, {2, 3, 4, 5}, {0}, "abcd", {0}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        // kinds
        {3, 3, {2, 3, 4}, {2, 3, 6}, "abc", {0}, PRIM_BACKWARD_DATA, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        {3, 3, {2, 3, 4}, {2, 3, 6}, "abc", {0}, PRIM_FORWARD_INFERENCE, PRIM_POOLING_MAX,
                PRIM_INVALID_ARGUMENTS},
        // layout and ranks
        {3, 3, {2, 3, 4}, {2, 3, 6}, "any", {0}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        {2, 2, {2, 3}, {2, 3}, "ab", {0}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        {4, 3, {2, 3, 4, 5}, {2, 3, 4}, "abcd", {0}, PRIM_FORWARD_INFERENCE,
                PRIM_RESAMPLING_NEAREST, PRIM_INVALID_ARGUMENTS},
        // batch, channels, something out of nothing
        {3, 3, {2, 3, 4}, {1, 3, 6}, "abc", {0}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        {3, 3, {2, 3, 4}, {2, 4, 6}, "abc", {0}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        {3, 3, {2, 3, 0}, {2, 3, 6}, "abc", {0}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        // factors
        {3, 3, {2, 3, 4}, {2, 3, 6}, "abc", {2.f}, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST,
                PRIM_INVALID_ARGUMENTS},
        {3, 3, {2, 3, 4}, {2, 3, 6}, "abc", {-1.5f}, PRIM_FORWARD_INFERENCE,
                PRIM_RESAMPLING_NEAREST, PRIM_INVALID_ARGUMENTS},
        // run-time dimensions
        {3, 3, {2, 3, PRIM_RUNTIME_DIM_VAL}, {2, 3, 6}, "abc", {0}, PRIM_FORWARD_INFERENCE,
                PRIM_RESAMPLING_NEAREST, PRIM_INVALID_ARGUMENTS},
};

static void checks_shapes_layouts_and_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t src, dst;
        assert_int_equal(prim_memory_desc_init_by_string_tag(
                                 &src, c->src_ndims, c->src, PRIM_F32, c->src_tag),
                PRIM_SUCCESS);
        if (c->dst_ndims)
            assert_int_equal(prim_memory_desc_init_by_tag(
                                     &dst, c->dst_ndims, c->dst, PRIM_F32, PRIM_FORMAT_ANY),
                    PRIM_SUCCESS);
        prim_desc_t *const untouched = (prim_desc_t *)&engine;
        prim_desc_t *pd = untouched;
        assert_int_equal(prim_resampling_forward_desc_create(&pd, engine, c->prop_kind, c->alg,
                                 c->factors[0] != 0.f ? c->factors : NULL, &src,
                                 c->dst_ndims ? &dst : NULL, NULL),
                c->expected);
        if (c->expected == PRIM_SUCCESS) {
            prim_desc_destroy(pd);
        } else {
            assert_ptr_equal(pd, untouched);
            assert_true(strlen(prim_last_error()) > 0);
        }
    }
}

static void derives_dst_and_factors(void **state)
{
    (void)state;
    prim_memory_desc_t src;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&src, 4, (prim_dims_t){1, 2, 3, 4}, PRIM_F16, PRIM_NHWC),
            PRIM_SUCCESS);
    prim_desc_t *pd = NULL;
    static const float factors[] = {2.f / 3.f, 2.5f};
    assert_int_equal(prim_resampling_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                             PRIM_RESAMPLING_LINEAR, factors, &src, NULL, NULL),
            PRIM_SUCCESS);
    prim_memory_desc_t expected;
    assert_int_equal(prim_memory_desc_init_by_tag(
                             &expected, 4, (prim_dims_t){1, 2, 2, 10}, PRIM_F16, PRIM_NHWC),
            PRIM_SUCCESS);
    const prim_memory_desc_t dst = *prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0);
    assert_true(prim_memory_desc_equal(&dst, &expected));
    prim_desc_destroy(pd);

    pd = NULL;
    assert_int_equal(prim_resampling_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                             PRIM_RESAMPLING_NEAREST, NULL, &src, &dst, NULL),
            PRIM_SUCCESS);
    const float *derived = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_FACTORS, 0, &derived), PRIM_SUCCESS);
    assert_true(derived[0] == 2.f / 3.f && derived[1] == 2.5f);
    prim_desc_destroy(pd);
}

static void refuses_nulls(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 4, (prim_dims_t){1, 2, 3, 4}, PRIM_F32, PRIM_NCHW),
            PRIM_SUCCESS);
    prim_desc_t *pd = NULL;
    for (int i = 0; i < 4; ++i)
        assert_int_equal(
                prim_resampling_forward_desc_create(i == 0 ? NULL : &pd, i == 1 ? NULL : engine,
                        PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST, NULL, i == 2 ? NULL : &md,
                        i == 3 ? NULL : &md, NULL),
                PRIM_INVALID_ARGUMENTS);
    assert_null(pd);
}

static void takes_no_prelu_and_no_scales(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 4, (prim_dims_t){1, 2, 3, 4}, PRIM_F32, PRIM_NCHW),
            PRIM_SUCCESS);
    for (int i = 0; i < 2; ++i) {
        prim_attr_t *attr = NULL;
        prim_post_ops_t *chain = NULL;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
        if (i == 0) prim_post_ops_append_prelu(chain, 2);
        assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
        if (i == 1)
            assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32), 0);
        prim_desc_t *pd = NULL;
        assert_int_equal(prim_resampling_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                                 PRIM_RESAMPLING_NEAREST, NULL, &md, &md, attr),
                PRIM_UNIMPLEMENTED);
        assert_null(pd);
        prim_post_ops_destroy(chain);
        prim_attr_destroy(attr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(checks_shapes_layouts_and_kinds),
            cmocka_unit_test(derives_dst_and_factors),
            cmocka_unit_test(refuses_nulls),
            cmocka_unit_test(takes_no_prelu_and_no_scales),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
