// SPDX-License-Identifier: Apache-2.0
// prim_lrn_forward_desc_create() and …_backward_…: every documented refusal, the workspace and the
// hint, queries, and numbers.
#include "op_test.h"

#include <math.h>

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

#define ACROSS PRIM_LRN_ACROSS_CHANNELS
#define TRAINING PRIM_FORWARD_TRAINING
#define MD "f32 abc 2x5x4"

typedef struct {
    const char *name, *src, *dst;
    prim_alg_kind_t alg;
    prim_dim_t size;
    float alpha;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {"across", MD, MD, ACROSS, 5, 1, OK},
        {"within", MD, "f32 any 2x5x4", PRIM_LRN_WITHIN_CHANNEL, 3, 1, OK},
        {"matrix", "f16 ab 2x5", "f16 ba 2x5", ACROSS, 3, 1, OK},
        {"even size", MD, MD, ACROSS, 4, 1, OK},
        {"empty", "f32 ab 0x5", "f32 ab 0x5", ACROSS, 3, 1, OK},
        {"vector", "f32 a 5", "f32 a 5", ACROSS, 3, 1, BAD},
        {"six dimensions", "f32 abcdef 1x2x1x1x1x2", "f32 abcdef 1x2x1x1x1x2", ACROSS, 3, 1, BAD},
        {"size 0", MD, MD, ACROSS, 0, 1, BAD},
        {"size negative", MD, MD, ACROSS, -3, 1, BAD},
        {"alpha NaN", MD, MD, ACROSS, 5, NAN, BAD},
        {"algorithm", MD, MD, PRIM_POOLING_MAX, 5, 1, BAD},
        {"dims", MD, "f32 abc 2x5x3", ACROSS, 5, 1, BAD},
        {"rank", MD, "f32 ab 2x5", ACROSS, 5, 1, BAD},
        {"src any", "f32 any 2x5x4", MD, ACROSS, 5, 1, BAD},
        {"absent src", "", MD, ACROSS, 5, 1, BAD},
        {"null src", NULL, MD, ACROSS, 5, 1, BAD},
        {"null dst", MD, NULL, ACROSS, 5, 1, BAD},
        {"run-time", "f32 abc rx5x4", "f32 abc rx5x4", ACROSS, 5, 1, UN},
        {"integers", "s8 abc 2x5x4", "s8 abc 2x5x4", ACROSS, 5, 1, UN},
        {"two types", MD, "f16 abc 2x5x4", ACROSS, 5, 1, UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t src, dst;
        prim_desc_t *pd = UNTOUCHED;
        op_expect(c->name,
                prim_lrn_forward_desc_create(&pd, op_engine, TRAINING, c->alg,
                        op_md_or_null(&src, c->src), op_md_or_null(&dst, c->dst), c->size, c->alpha,
                        .75F, 1, NULL),
                c->expected, &pd);
    }
}

static prim_desc_t *forward_of(const char *text, prim_prop_kind_t prop_kind, prim_dim_t size)
{
    const prim_memory_desc_t md = op_md(text);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_lrn_forward_desc_create(
                             &pd, op_engine, prop_kind, ACROSS, &md, &md, size, 1, .5F, 2, NULL),
            OK);
    return pd;
}

static void expect_backward(const char *name, const char *diff_src, const char *diff_dst,
        const char *src, const prim_desc_t *hint, prim_status_t expected)
{
    prim_memory_desc_t mds[3];
    prim_desc_t *pd = UNTOUCHED;
    op_expect(name,
            prim_lrn_backward_desc_create(&pd, op_engine, ACROSS, op_md_or_null(&mds[0], diff_src),
                    op_md_or_null(&mds[1], diff_dst), op_md_or_null(&mds[2], src), 3, 1, .5F, 2,
                    hint, NULL),
            expected, &pd);
}

static void test_backward(void **state)
{
    (void)state;
    prim_desc_t *const hint = forward_of(MD, TRAINING, 3);
    prim_desc_t *const inference = forward_of(MD, PRIM_FORWARD_INFERENCE, 3);
    prim_desc_t *const other_size = forward_of(MD, TRAINING, 5);
    prim_desc_t *const other_shape = forward_of("f32 abc 2x5x3", TRAINING, 3);
    expect_backward("plain", MD, MD, MD, hint, OK);
    expect_backward("any", "f32 any 2x5x4", "f32 any 2x5x4", MD, hint, OK);
    expect_backward("no hint", MD, MD, MD, NULL, BAD);
    expect_backward("hint for inference", MD, MD, MD, inference, BAD);
    expect_backward("hint of another size", MD, MD, MD, other_size, BAD);
    expect_backward("hint of another shape", MD, MD, MD, other_shape, BAD);
    expect_backward("src any", MD, MD, "f32 any 2x5x4", hint, BAD);
    expect_backward("null src", MD, MD, NULL, hint, BAD);
    expect_backward("null diff_src", NULL, MD, MD, hint, BAD);
    expect_backward("null diff_dst", MD, NULL, MD, hint, BAD);
    expect_backward("dims of diff_dst", MD, "f32 abc 2x5x3", MD, hint, BAD);
    expect_backward("dims of diff_src", "f32 abc 2x5x3", MD, MD, hint, BAD);
    expect_backward("type of diff_dst", MD, "f16 abc 2x5x4", MD, hint, UN);
    expect_backward("type of diff_src", "bf16 abc 2x5x4", MD, MD, hint, UN);
    prim_desc_destroy(hint);
    prim_desc_destroy(inference);
    prim_desc_destroy(other_size);
    prim_desc_destroy(other_shape);
}

static void test_refused(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md(MD);
    prim_desc_t *pd = UNTOUCHED;
    prim_attr_t *attr = NULL;
    op_expect("prop kind",
            prim_lrn_forward_desc_create(
                    &pd, op_engine, PRIM_BACKWARD_DATA, ACROSS, &md, &md, 3, 1, .5F, 2, NULL),
            BAD, &pd);
    assert_int_equal(prim_attr_create(&attr), OK);
    prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32);
    op_expect("scales",
            prim_lrn_forward_desc_create(
                    &pd, op_engine, TRAINING, ACROSS, &md, &md, 3, 1, .5F, 2, attr),
            UN, &pd);
    prim_attr_destroy(attr);
}

static void test_queries(void **state)
{
    (void)state;
    prim_desc_t *const pd = forward_of(MD, TRAINING, 3);
    prim_desc_t *const inference = forward_of(MD, PRIM_FORWARD_INFERENCE, 3);
    int64_t size = 0;
    float alpha = 0, beta = 0, k = 0;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_LOCAL_SIZE_S64, 0, &size), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_ALPHA_F32, 0, &alpha), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_BETA_F32, 0, &beta), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_K_F32, 0, &k), OK);
    assert_true(size == 3 && alpha == 1.F && beta == .5F && k == 2.F);
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_WORKSPACE_MD, 0)->data_type, PRIM_F32);
    assert_int_equal(prim_desc_query_md(inference, PRIM_QUERY_WORKSPACE_MD, 0)->ndims, 0);
    prim_desc_destroy(pd);
    prim_desc_destroy(inference);
}

/// Three channels 3, 1, 1: k + alpha/n·Σ = 2 + 10/3, 2 + 11/3, 2 + 2/3; beta 1/2.
static void test_numbers(void **state)
{
    (void)state;
    float src[3] = {3, 1, 1}, dst[3], workspace[3];
    const float sums[3] = {10, 11, 2};
    const prim_memory_desc_t md = op_md("f32 ab 1x3");
    op_run(forward_of("f32 ab 1x3", TRAINING, 3), 3,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&md, src)}, {PRIM_ARG_DST, op_memory(&md, dst)},
                    {PRIM_ARG_WORKSPACE, op_memory(&md, workspace)}});
    for (int i = 0; i < 3; ++i) {
        const float w = 2 + sums[i] / 3;
        assert_true(fabsf(workspace[i] - w) < 1e-6F * w);
        assert_true(fabsf(dst[i] - src[i] / sqrtf(w)) < 1e-6F * src[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_backward),
            cmocka_unit_test(test_refused),
            cmocka_unit_test(test_queries),
            cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
