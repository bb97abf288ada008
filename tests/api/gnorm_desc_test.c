// SPDX-License-Identifier: Apache-2.0
// prim_group_normalization_forward_desc_create(), …_backward_…: every documented refusal, which
// tensors there are, attributes, results.
#include <math.h>

#include "op_test.h"

#define TRAIN PRIM_FORWARD_TRAINING
#define INFER PRIM_FORWARD_INFERENCE
#define BACK PRIM_BACKWARD
#define GIVEN PRIM_USE_GLOBAL_STATS
#define BOTH (PRIM_USE_SCALE | PRIM_USE_SHIFT)
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED
#define A "f32 abc 2x6x4"

typedef struct {
    const char *name;
    prim_prop_kind_t prop;
    const char *src, *dst;
    prim_dim_t groups;
    float epsilon;
    unsigned flags;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {"plain", TRAIN, A, A, 3, 1e-3F, BOTH, OK},
        {"one group", INFER, A, A, 1, 0, 0, OK},
        {"a group per channel", INFER, A, A, 6, 0, GIVEN, OK},
        {"types and layouts", INFER, "bf16 aBc16b 2x6x4", "u8 any 2x6x4", 2, 0, BOTH | GIVEN, OK},
        {"two dimensions", TRAIN, "f32 ba 2x6", "f32 ab 2x6", 2, 0, 0, OK},
        {"empty", TRAIN, "f32 abc 0x6x4", "f32 abc 0x6x4", 3, 0, BOTH, OK},
        {"no channels", TRAIN, "f32 abc 2x0x4", "f32 abc 2x0x4", 3, 0, BOTH, OK},
        {"backward", BACK, A, A, 3, 0, 0, BAD},
        {"no pass", PRIM_PROP_KIND_UNDEF, A, A, 3, 0, 0, BAD},
        {"four groups", TRAIN, A, A, 4, 0, 0, BAD},
        {"too many groups", TRAIN, A, A, 12, 0, 0, BAD},
        {"no groups", TRAIN, A, A, 0, 0, 0, BAD},
        {"fewer than no groups", TRAIN, A, A, -3, 0, 0, BAD},
        {"one dimension", TRAIN, "f32 a 6", "f32 a 6", 3, 0, 0, BAD},
        {"rank", TRAIN, A, "f32 abcd 2x6x4x1", 3, 0, 0, BAD},
        {"dims", TRAIN, A, "f32 abc 2x6x5", 3, 0, 0, BAD},
        {"src any", TRAIN, "f32 any 2x6x4", A, 3, 0, 0, BAD},
        {"src absent", TRAIN, "", A, 3, 0, BOTH, BAD},
        {"src null", TRAIN, NULL, A, 3, 0, BOTH, BAD},
        {"dst null", TRAIN, A, NULL, 3, 0, BOTH, BAD},
        {"relu", TRAIN, A, A, 3, 0, PRIM_FUSE_NORM_RELU, BAD},
        {"unknown flag", TRAIN, A, A, 3, 0, 64, BAD},
        {"epsilon below 0", TRAIN, A, A, 3, -1e-3F, 0, BAD},
        {"epsilon nan", TRAIN, A, A, 3, NAN, 0, BAD},
        {"run-time", TRAIN, "f32 ab rx6", "f32 ab rx6", 3, 0, 0, UN},
        {"type by name only", TRAIN, "s4 ab 2x6", "f32 ab 2x6", 3, 0, 0, UN},
};

static void checks_every_argument(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t src, dst;
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_group_normalization_forward_desc_create(&pd, op_engine,
                c->prop, op_md_or_null(&src, c->src), op_md_or_null(&dst, c->dst), c->groups,
                c->epsilon, c->flags, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

typedef struct {
    const char *name;
    prim_prop_kind_t prop;
    const char *diff_src, *diff_dst, *src;
    prim_dim_t groups;
    unsigned flags;
    prim_status_t expected;
} gradient_case_t;

static const gradient_case_t gradient_cases[] = {
        {"plain", BACK, A, A, A, 3, BOTH, OK},
        {"data", PRIM_BACKWARD_DATA, A, A, A, 3, BOTH, OK},
        {"constants", BACK, "f32 any 2x6x4", "bf16 any 2x6x4", "f16 acb 2x6x4", 2, GIVEN, OK},
        {"forward", TRAIN, A, A, A, 3, BOTH, BAD},
        {"weights alone", PRIM_BACKWARD_WEIGHTS, A, A, A, 3, BOTH, BAD},
        {"diff_src null", BACK, NULL, A, A, 3, BOTH, BAD},
        {"diff_dst null", BACK, A, NULL, A, 3, BOTH, BAD},
        {"src null", BACK, A, A, NULL, 3, BOTH, BAD},
        {"src any", BACK, A, A, "f32 any 2x6x4", 3, BOTH, BAD},
        {"dims of diff_src", BACK, "f32 abc 3x6x4", A, A, 3, BOTH, BAD},
        {"dims of diff_dst", BACK, A, "f32 abc 2x6x5", A, 3, BOTH, BAD},
        {"five groups", BACK, A, A, A, 5, BOTH, BAD},
        {"flag", BACK, A, A, A, 3, PRIM_FUSE_NORM_ADD_RELU, BAD},
        {"one dimension", BACK, "f32 a 6", "f32 a 6", "f32 a 6", 3, 0, BAD},
        {"integer src", BACK, A, A, "s8 abc 2x6x4", 3, 0, UN},
        {"integer diff_dst", BACK, A, "u8 abc 2x6x4", A, 3, 0, UN},
};

static void checks_every_argument_of_gradients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gradient_cases / sizeof gradient_cases[0]; ++i) {
        const gradient_case_t *const c = &gradient_cases[i];
        prim_memory_desc_t mds[3];
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_group_normalization_backward_desc_create(&pd, op_engine,
                c->prop, op_md_or_null(&mds[0], c->diff_src), op_md_or_null(&mds[1], c->diff_dst),
                op_md_or_null(&mds[2], c->src), c->groups, 0, c->flags, NULL, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static prim_status_t create(prim_desc_t **pd, prim_engine_t *engine, prim_prop_kind_t prop,
        unsigned flags, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = op_md(A);
    return prim_group_normalization_forward_desc_create(
            pd, engine, prop, &md, &md, 3, .5F, flags, attr);
}

static void expect_md(const prim_desc_t *pd, prim_query_t query, int index, const char *text)
{
    const prim_memory_desc_t *const md = prim_desc_query_md(pd, query, index);
    const prim_memory_desc_t expected = op_md(text);
    assert_non_null(md);
    assert_true(prim_memory_desc_equal(md, &expected));
}

static void flags_ask_for_tensors(void **state)
{
    (void)state;
    prim_desc_t *pd = NULL;
    int64_t groups = 0;
    assert_int_equal(create(&pd, op_engine, TRAIN, BOTH, NULL), OK);
    expect_md(pd, PRIM_QUERY_SRC_MD, 1, "");
    expect_md(pd, PRIM_QUERY_DST_MD, 1, "f32 ab 2x3");
    expect_md(pd, PRIM_QUERY_DST_MD, 2, "f32 ab 2x3");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 0, "f32 a 6");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 1, "f32 a 6");
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_GROUP_SIZE_S64, 0, &groups), OK);
    assert_int_equal(groups, 3);
    prim_desc_destroy(pd);
    assert_int_equal(create(&pd, op_engine, INFER, GIVEN | PRIM_USE_SHIFT, NULL), OK);
    expect_md(pd, PRIM_QUERY_SRC_MD, 2, "f32 ab 2x3");
    expect_md(pd, PRIM_QUERY_DST_MD, 1, "");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 0, "");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 1, "f32 a 6");
    prim_desc_destroy(pd);
}

static void hints_have_the_same_shape(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md(A), other = op_md("f32 abc 2x6x5");
    prim_desc_t *forward = NULL, *wrong = NULL, *pd = UNTOUCHED;
    assert_int_equal(create(&forward, op_engine, TRAIN, BOTH, NULL), OK);
    assert_int_equal(prim_group_normalization_forward_desc_create(
                             &wrong, op_engine, TRAIN, &other, &other, 3, 0, 0, NULL),
            OK);
    op_expect("its pass",
            prim_group_normalization_backward_desc_create(
                    &pd, op_engine, BACK, &md, &md, &md, 3, .5F, BOTH, forward, NULL),
            OK, &pd);
    pd = UNTOUCHED;
    op_expect("shape",
            prim_group_normalization_backward_desc_create(
                    &pd, op_engine, BACK, &md, &md, &md, 3, .5F, BOTH, wrong, NULL),
            BAD, &pd);
    prim_desc_destroy(forward);
    prim_desc_destroy(wrong);
}

static void checks_nulls_and_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int arg, mask;
        prim_status_t expected;
    } scales[] = {{"src", PRIM_ARG_SRC, 0, OK}, {"dst", PRIM_ARG_DST, 0, OK},
            {"mask", PRIM_ARG_DST, 2, UN}};
    prim_desc_t *pd = UNTOUCHED;
    op_expect("null engine", create(&pd, NULL, TRAIN, BOTH, NULL), BAD, &pd);
    assert_int_equal(create(NULL, op_engine, TRAIN, BOTH, NULL), BAD);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        prim_attr_t *attr = NULL;
        pd = UNTOUCHED;
        assert_int_equal(prim_attr_create(&attr), OK);
        assert_int_equal(
                prim_attr_set_scales(attr, scales[i].arg, scales[i].mask, 0, NULL, PRIM_F32), OK);
        op_expect(
                scales[i].name, create(&pd, op_engine, INFER, BOTH, attr), scales[i].expected, &pd);
        prim_attr_destroy(attr);
    }
}

/// Two groups of two channels, one pixel: the normalised elements are ∓1.
static void trains_in_place(void **state)
{
    (void)state;
    float data[4] = {1, 3, 10, 14}, mean[2] = {0}, variance[2] = {0};
    float scale[4] = {2, 3, 4, 5}, shift[4] = {0, .5F, 0, 1};
    const prim_memory_desc_t md = op_md("f32 ab 1x4"), stat = op_md("f32 ab 1x2"),
                             vector = op_md("f32 a 4");
    prim_memory_t *const memory = op_memory(&md, data);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_group_normalization_forward_desc_create(
                             &pd, op_engine, TRAIN, &md, &md, 2, 0, BOTH, NULL),
            OK);
    op_run(pd, 6,
            (prim_arg_t[]){{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory},
                    {PRIM_ARG_MEAN, op_memory(&stat, mean)},
                    {PRIM_ARG_VARIANCE, op_memory(&stat, variance)},
                    {PRIM_ARG_SCALE, op_memory(&vector, scale)},
                    {PRIM_ARG_SHIFT, op_memory(&vector, shift)}});
    assert_true(mean[0] == 2 && mean[1] == 12 && variance[0] == 1 && variance[1] == 4);
    assert_true(data[0] == -2 && data[1] == 3.5F && data[2] == -4 && data[3] == 6);
}

static void gradients_of_two_groups(void **state)
{
    (void)state;
    float src[4] = {1, 3, 10, 14}, gradient[4] = {1, 2, 3, 5}, mean[2] = {2, 12};
    float variance[2] = {1, 4}, scale[4] = {2, 2, 2, 2}, diff_scale[4] = {0}, diff_shift[4] = {0};
    const prim_memory_desc_t md = op_md("f32 ab 1x4"), stat = op_md("f32 ab 1x2"),
                             vector = op_md("f32 a 4");
    prim_memory_t *const in_place = op_memory(&md, gradient);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_group_normalization_backward_desc_create(
                             &pd, op_engine, BACK, &md, &md, &md, 2, 0, BOTH, NULL, NULL),
            OK);
    op_run(pd, 8,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&md, src)},
                    {PRIM_ARG_MEAN, op_memory(&stat, mean)},
                    {PRIM_ARG_VARIANCE, op_memory(&stat, variance)},
                    {PRIM_ARG_SCALE, op_memory(&vector, scale)}, {PRIM_ARG_DIFF_DST, in_place},
                    {PRIM_ARG_DIFF_SRC, in_place},
                    {PRIM_ARG_DIFF_SCALE, op_memory(&vector, diff_scale)},
                    {PRIM_ARG_DIFF_SHIFT, op_memory(&vector, diff_shift)}});
    for (int i = 0; i < 4; ++i) assert_true(gradient[i] == 0);
    assert_true(diff_shift[0] == 1 && diff_shift[3] == 5);
    assert_true(diff_scale[0] == -1 && diff_scale[1] == 2 && diff_scale[3] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(checks_every_argument),
            cmocka_unit_test(checks_every_argument_of_gradients),
            cmocka_unit_test(flags_ask_for_tensors),
            cmocka_unit_test(hints_have_the_same_shape),
            cmocka_unit_test(checks_nulls_and_attributes),
            cmocka_unit_test(trains_in_place),
            cmocka_unit_test(gradients_of_two_groups),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
