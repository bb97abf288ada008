// SPDX-License-Identifier: Apache-2.0
// prim_eltwise_backward_desc_create(): every documented refusal, the hint, queries, in place.
#include "op_test.h"

typedef struct {
    const char *name;
    prim_alg_kind_t alg;
    const char *diff_src, *diff_dst, *data;
    float alpha, beta;
    prim_status_t expected;
} case_t;

#define RELU PRIM_ELTWISE_RELU
#define TANH_DST PRIM_ELTWISE_TANH_USE_DST_FOR_BWD
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"plain", RELU, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 0, 0, OK},
        {"by dst", TANH_DST, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 0, 0, OK},
        {"any", RELU, "f16 any 3x5", "f16 any 3x5", "f16 ba 3x5", 0, 0, OK},
        {"layouts", RELU, "bf16 aBc16b 2x7x3", "bf16 abc 2x7x3", "bf16 acb 2x7x3", 0, 0, OK},
        {"empty", RELU, "f32 ab 0x5", "f32 ab 0x5", "f32 ab 0x5", 0, 0, OK},
        {"algorithm", PRIM_SOFTMAX_LOG, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 0, 0, BAD},
        {"algorithm without data", PRIM_SOFTMAX_LOG, "f32 ab 3x5", "f32 ab 3x5", NULL, 0, 0, BAD},
        {"round", PRIM_ELTWISE_ROUND, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 0, 0, BAD},
        {"empty clip", PRIM_ELTWISE_CLIP, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 2, 1, BAD},
        {"relu is not inverted", PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, "f32 ab 3x5", "f32 ab 3x5",
                "f32 ab 3x5", -1, 0, BAD},
        {"rank", RELU, "f32 ab 3x5", "f32 abc 3x5x1", "f32 ab 3x5", 0, 0, BAD},
        {"dims of diff_src", RELU, "f32 ab 3x6", "f32 ab 3x5", "f32 ab 3x5", 0, 0, BAD},
        {"dims of diff_dst", TANH_DST, "f32 ab 3x5", "f32 ab 4x5", "f32 ab 3x5", 0, 0, BAD},
        {"src any", RELU, "f32 ab 3x5", "f32 ab 3x5", "f32 any 3x5", 0, 0, BAD},
        {"dst any", TANH_DST, "f32 ab 3x5", "f32 ab 3x5", "f32 any 3x5", 0, 0, BAD},
        {"absent src", RELU, "f32 ab 3x5", "f32 ab 3x5", "", 0, 0, BAD},
        {"null diff_src", RELU, NULL, "f32 ab 3x5", "f32 ab 3x5", 0, 0, BAD},
        {"null diff_dst", RELU, "f32 ab 3x5", NULL, "f32 ab 3x5", 0, 0, BAD},
        {"null src", RELU, "f32 ab 3x5", "f32 ab 3x5", NULL, 0, 0, BAD},
        {"null dst", TANH_DST, "f32 ab 3x5", "f32 ab 3x5", NULL, 0, 0, BAD},
        {"run-time", RELU, "f32 ab rx5", "f32 ab rx5", "f32 ab rx5", 0, 0, UN},
        {"integers", RELU, "s8 ab 3x5", "s8 ab 3x5", "s8 ab 3x5", 0, 0, UN},
        {"two types", RELU, "f32 ab 3x5", "f16 ab 3x5", "f32 ab 3x5", 0, 0, UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t diff_src, diff_dst, data;
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_eltwise_backward_desc_create(&pd, op_engine, c->alg,
                op_md_or_null(&diff_src, c->diff_src), op_md_or_null(&diff_dst, c->diff_dst),
                op_md_or_null(&data, c->data), c->alpha, c->beta, NULL, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static prim_status_t create(prim_desc_t **pd, prim_alg_kind_t alg, const char *text,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = op_md(text);
    return prim_eltwise_backward_desc_create(
            pd, op_engine, alg, &md, &md, &md, 0.5f, 0, hint, attr);
}

static prim_desc_t *forward_of(const char *text)
{
    const prim_memory_desc_t md = op_md(text);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_eltwise_forward_desc_create(
                             &pd, op_engine, PRIM_FORWARD_TRAINING, RELU, &md, &md, 0, 0, NULL),
            PRIM_SUCCESS);
    return pd;
}

static void test_hint(void **state)
{
    (void)state;
    prim_desc_t *const same = forward_of("bf16 ba 3x5"), *const other = forward_of("f32 ab 3x6");
    prim_desc_t *pd = NULL, *backward = NULL;
    assert_int_equal(create(&backward, RELU, "f32 ab 3x5", same, NULL), PRIM_SUCCESS);
    pd = UNTOUCHED;
    op_expect("shape", create(&pd, RELU, "f32 ab 3x5", other, NULL), BAD, &pd);
    op_expect("pass", create(&pd, RELU, "f32 ab 3x5", backward, NULL), BAD, &pd);
    prim_desc_destroy(same);
    prim_desc_destroy(other);
    prim_desc_destroy(backward);
}

static void test_nulls_and_attributes(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    prim_desc_t *pd = UNTOUCHED;
    prim_attr_t *attr = NULL;
    prim_post_ops_t *chain = NULL;
    op_expect("null engine",
            prim_eltwise_backward_desc_create(&pd, NULL, RELU, &md, &md, &md, 0, 0, NULL, NULL),
            BAD, &pd);
    assert_int_equal(create(NULL, RELU, "f32 ab 3x5", NULL, NULL), BAD);
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    op_expect("default attributes", create(&pd, RELU, "f32 ab 3x5", NULL, attr), OK, &pd);
    pd = UNTOUCHED;
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_eltwise(chain, RELU, 0, 0), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    op_expect("post-ops", create(&pd, RELU, "f32 ab 3x5", NULL, attr), UN, &pd);
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
}

/// Layouts `any` follow dst, which takes the place of src.
static void test_queries(void **state)
{
    (void)state;
    const prim_memory_desc_t open = op_md("f32 any 3x5"), dst = op_md("f32 ba 3x5");
    prim_desc_t *pd = NULL;
    float alpha = 0;
    assert_int_equal(prim_eltwise_backward_desc_create(
                             &pd, op_engine, TANH_DST, &open, &open, &dst, 0.5f, 0, NULL, NULL),
            OK);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DIFF_SRC_MD, 0), &dst));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DIFF_DST_MD, 0), &dst));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &dst));
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0)->ndims, 0);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_ALPHA_F32, 0, &alpha), OK);
    assert_true(alpha == 0.5f);
    prim_desc_destroy(pd);
}

/// At the corner of relu, too.
static void test_in_place(void **state)
{
    (void)state;
    float src[4] = {-1, 0, 2, -3}, diff[4] = {1, 2, 3, -4};
    const prim_memory_desc_t md = op_md("f32 ab 2x2");
    prim_memory_t *const in = op_memory(&md, src), *const memory = op_memory(&md, diff);
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, RELU, "f32 ab 2x2", NULL, NULL), PRIM_SUCCESS);
    op_run(pd, 3,
            (prim_arg_t[]){
                    {PRIM_ARG_SRC, in}, {PRIM_ARG_DIFF_DST, memory}, {PRIM_ARG_DIFF_SRC, memory}});
    assert_true(diff[0] == 0.5f && diff[1] == 1 && diff[2] == 3 && diff[3] == -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_hint),
            cmocka_unit_test(test_nulls_and_attributes),
            cmocka_unit_test(test_queries),
            cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
