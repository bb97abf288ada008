// SPDX-License-Identifier: Apache-2.0
// prim_reduction_desc_create(): every documented refusal, queries, post-ops, and the results of no
// elements and of NaN.
#include "op_test.h"

#include <math.h>

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

#define SUM PRIM_REDUCTION_SUM
#define NORM PRIM_REDUCTION_NORM_LP_SUM

typedef struct {
    const char *name, *src, *dst;
    prim_alg_kind_t alg;
    float p, eps;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {"rows", "f32 ab 3x5", "f32 ab 3x1", SUM, 0, 0, OK},
        {"columns", "f16 ba 3x5", "f32 ab 1x5", PRIM_REDUCTION_MAX, 0, 0, OK},
        {"all", "s8 abc 2x3x5", "s32 any 1x1x1", PRIM_REDUCTION_MEAN, 0, 0, OK},
        {"norm", "f32 ab 3x5", "f32 ab 1x1", NORM, 1, 0, OK},
        {"p of other algorithms", "f32 ab 3x5", "f32 ab 1x1", SUM, NAN, NAN, OK},
        {"no elements", "f32 ab 0x5", "f32 ab 1x5", SUM, 0, 0, OK},
        {"identity", "f32 ab 3x5", "f32 ab 3x5", SUM, 0, 0, BAD},
        {"identity of ones", "f32 ab 1x1", "f32 ab 1x1", SUM, 0, 0, BAD},
        {"another size", "f32 ab 3x5", "f32 ab 3x2", SUM, 0, 0, BAD},
        {"larger", "f32 ab 3x1", "f32 ab 3x5", SUM, 0, 0, BAD},
        {"rank", "f32 ab 3x5", "f32 a 3", SUM, 0, 0, BAD},
        {"src any", "f32 any 3x5", "f32 ab 3x1", SUM, 0, 0, BAD},
        {"absent src", "", "f32 ab 3x1", SUM, 0, 0, BAD},
        {"null src", NULL, "f32 ab 3x1", SUM, 0, 0, BAD},
        {"null dst", "f32 ab 3x5", NULL, SUM, 0, 0, BAD},
        {"algorithm", "f32 ab 3x5", "f32 ab 3x1", PRIM_POOLING_MAX, 0, 0, BAD},
        {"p below 1", "f32 ab 3x5", "f32 ab 3x1", NORM, .5F, 0, BAD},
        {"p NaN", "f32 ab 3x5", "f32 ab 3x1", NORM, NAN, 0, BAD},
        {"p infinite", "f32 ab 3x5", "f32 ab 3x1", NORM, INFINITY, 0, BAD},
        {"eps NaN", "f32 ab 3x5", "f32 ab 3x1", NORM, 2, NAN, BAD},
        {"norm of integers", "s8 ab 3x5", "f32 ab 3x1", NORM, 2, 0, BAD},
        {"run-time", "f32 ab rx5", "f32 ab rx1", SUM, 0, 0, UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t src, dst;
        prim_desc_t *pd = UNTOUCHED;
        op_expect(c->name,
                prim_reduction_desc_create(&pd, op_engine, c->alg, op_md_or_null(&src, c->src),
                        op_md_or_null(&dst, c->dst), c->p, c->eps, NULL),
                c->expected, &pd);
    }
}

static prim_status_t create(prim_desc_t **pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t src = op_md("f32 ab 3x5"), dst = op_md("f32 ab 3x1");
    return prim_reduction_desc_create(pd, op_engine, NORM, &src, &dst, 2, .25F, attr);
}

static void test_attributes(void **state)
{
    (void)state;
    prim_desc_t *pd = UNTOUCHED;
    prim_attr_t *attr = NULL;
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_post_ops_create(&chain), OK);
    prim_post_ops_append_sum(chain, 1, 0, PRIM_DATA_TYPE_UNDEF);
    prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0, 0);
    assert_int_equal(prim_attr_create(&attr), OK);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), OK);
    op_expect("sum and relu", create(&pd, attr), OK, &pd);
    pd = UNTOUCHED;
    prim_post_ops_append_prelu(chain, 2);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), OK);
    op_expect("prelu", create(&pd, attr), UN, &pd);
    prim_attr_destroy(attr);
    assert_int_equal(prim_attr_create(&attr), OK);
    prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32);
    op_expect("scales", create(&pd, attr), UN, &pd);
    prim_attr_destroy(attr);
    prim_post_ops_destroy(chain);
    op_expect("null pd", create(NULL, NULL), BAD, &pd);
}

static void test_queries(void **state)
{
    (void)state;
    prim_desc_t *pd = NULL;
    float p = 0, eps = 0;
    prim_alg_kind_t alg = PRIM_ALG_UNDEF;
    assert_int_equal(create(&pd, NULL), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_P_F32, 0, &p), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_EPSILON_F32, 0, &eps), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_ALG_KIND, 0, &alg), OK);
    assert_true(p == 2.F && eps == .25F && alg == NORM);
    prim_desc_destroy(pd);
}

static float reduced(prim_alg_kind_t alg, const char *src_text, float *src)
{
    const prim_memory_desc_t src_md = op_md(src_text), dst_md = op_md("f32 a 1");
    prim_desc_t *pd = NULL;
    float dst = 7;
    assert_int_equal(
            prim_reduction_desc_create(&pd, op_engine, alg, &src_md, &dst_md, 2, .25F, NULL), OK);
    op_run(pd, 2,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&src_md, src)},
                    {PRIM_ARG_DST, op_memory(&dst_md, &dst)}});
    return dst;
}

static void test_of_nothing(void **state)
{
    (void)state;
    float unused = 0;
    static const struct {
        prim_alg_kind_t alg;
        float expected;
    } results[] = {{PRIM_REDUCTION_MAX, -INFINITY}, {PRIM_REDUCTION_MIN, INFINITY},
            {PRIM_REDUCTION_SUM, 0}, {PRIM_REDUCTION_MUL, 1}, {PRIM_REDUCTION_NORM_LP_SUM, .5F},
            {PRIM_REDUCTION_NORM_LP_POWER_P_MAX, .25F}};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i)
        assert_true(reduced(results[i].alg, "f32 a 0", &unused) == results[i].expected);
    assert_true(isnan(reduced(PRIM_REDUCTION_MEAN, "f32 a 0", &unused)));
}

static void test_of_numbers(void **state)
{
    (void)state;
    float three[] = {-3, 2, 4}, with_nan[] = {1, NAN, 2};
    assert_true(reduced(PRIM_REDUCTION_MAX, "f32 a 3", three) == 4.F);
    assert_true(reduced(PRIM_REDUCTION_MIN, "f32 a 3", three) == -3.F);
    assert_true(reduced(PRIM_REDUCTION_MUL, "f32 a 3", three) == -24.F);
    assert_true(reduced(PRIM_REDUCTION_MEAN, "f32 a 3", three) == 1.F);
    assert_true(reduced(PRIM_REDUCTION_NORM_LP_POWER_P_SUM, "f32 a 3", three) == 29.25F);
    for (int alg = PRIM_REDUCTION_MAX; alg <= PRIM_REDUCTION_NORM_LP_POWER_P_SUM; ++alg)
        assert_true(isnan(reduced((prim_alg_kind_t)alg, "f32 a 3", with_nan)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_queries),
            cmocka_unit_test(test_of_nothing),
            cmocka_unit_test(test_of_numbers),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
