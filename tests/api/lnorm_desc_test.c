// SPDX-License-Identifier: Apache-2.0
// prim_layer_normalization_forward_desc_create(), …_backward_…: every documented refusal, which
// tensors there are, attributes, statistics in training, in place.
#include <math.h>

#include "op_test.h"

#define TRAIN PRIM_FORWARD_TRAINING
#define INFER PRIM_FORWARD_INFERENCE
#define GIVEN PRIM_USE_GLOBAL_STATS
#define BOTH (PRIM_USE_SCALE | PRIM_USE_SHIFT)
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

typedef struct {
    const char *name;
    prim_prop_kind_t prop;
    const char *src, *dst, *stat;
    prim_data_type_t parameter_dt;
    float epsilon;
    unsigned flags;
    prim_status_t expected;
} case_t;

#define A "f32 ab 3x5"

static const case_t cases[] = {
        {"plain", TRAIN, A, A, "f32 a 3", PRIM_F32, 1e-3F, BOTH, OK},
        {"no statistics", TRAIN, A, A, NULL, PRIM_F32, 0, 0, OK},
        {"absent statistics", TRAIN, A, A, "", PRIM_F32, 0, 0, OK},
        {"any", INFER, "bf16 aBc16b 2x7x3", "u8 any 2x7x3", "f32 any 2x7", PRIM_BF16, 0,
                BOTH | GIVEN, OK},
        {"order of statistics", TRAIN, "f16 cab 2x7x3", "f16 abc 2x7x3", "f32 ba 2x7", PRIM_F16, 0,
                BOTH, OK},
        {"empty rows", TRAIN, "f32 ab 3x0", "f32 ab 3x0", NULL, PRIM_F32, 0, BOTH, OK},
        {"unused statistics", INFER, A, A, "f32 a 4", PRIM_F32, 0, 0, OK},
        {"unused type", INFER, A, A, NULL, PRIM_DATA_TYPE_UNDEF, 0, 0, OK},
        {"backward", PRIM_BACKWARD, A, A, NULL, PRIM_F32, 0, 0, BAD},
        {"no pass", PRIM_PROP_KIND_UNDEF, A, A, NULL, PRIM_F32, 0, 0, BAD},
        {"one dimension", TRAIN, "f32 a 5", "f32 a 5", NULL, PRIM_F32, 0, 0, BAD},
        {"rank", TRAIN, A, "f32 abc 3x5x1", NULL, PRIM_F32, 0, 0, BAD},
        {"dims", TRAIN, A, "f32 ab 3x6", NULL, PRIM_F32, 0, 0, BAD},
        {"src absent", TRAIN, "", A, NULL, PRIM_F32, 0, BOTH, BAD},
        {"src any", TRAIN, "f32 any 3x5", A, NULL, PRIM_F32, 0, BOTH, BAD},
        {"src null", TRAIN, NULL, A, NULL, PRIM_F32, 0, BOTH, BAD},
        {"dst null", TRAIN, A, NULL, NULL, PRIM_F32, 0, BOTH, BAD},
        {"rank of statistics", TRAIN, A, A, "f32 ab 3x1", PRIM_F32, 0, 0, BAD},
        {"dims of statistics", INFER, A, A, "f32 a 5", PRIM_F32, 0, GIVEN, BAD},
        {"type of statistics", TRAIN, A, A, "f16 a 3", PRIM_F32, 0, 0, UN},
        {"type of scale", TRAIN, A, A, NULL, PRIM_S8, 0, PRIM_USE_SCALE, UN},
        {"type of shift", TRAIN, A, A, NULL, PRIM_F64, 0, PRIM_USE_SHIFT, UN},
        {"no type of scale", TRAIN, A, A, NULL, PRIM_DATA_TYPE_UNDEF, 0, BOTH, BAD},
        {"relu", TRAIN, A, A, NULL, PRIM_F32, 0, PRIM_FUSE_NORM_RELU, BAD},
        {"unknown flag", TRAIN, A, A, NULL, PRIM_F32, 0, 64, BAD},
        {"epsilon below 0", TRAIN, A, A, NULL, PRIM_F32, -1e-3F, 0, BAD},
        {"epsilon nan", TRAIN, A, A, NULL, PRIM_F32, NAN, 0, BAD},
        {"run-time", TRAIN, "f32 ab rx5", "f32 ab rx5", NULL, PRIM_F32, 0, 0, UN},
        {"type by name only", TRAIN, "s4 ab 3x6", "f32 ab 3x6", NULL, PRIM_F32, 0, 0, UN},
};

static void checks_every_argument(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t src, dst, stat;
        const prim_memory_desc_t *const src_md = op_md_or_null(&src, c->src);
        const prim_memory_desc_t *const dst_md = op_md_or_null(&dst, c->dst);
        const prim_memory_desc_t *const stat_md = op_md_or_null(&stat, c->stat);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_layer_normalization_forward_desc_create(&pd, op_engine,
                c->prop, src_md, dst_md, stat_md, c->parameter_dt, c->epsilon, c->flags, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static prim_status_t create(prim_desc_t **pd, prim_engine_t *engine, prim_prop_kind_t prop,
        unsigned flags, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = op_md("f32 abc 2x3x2"), stat = op_md("f32 ba 2x3");
    return prim_layer_normalization_forward_desc_create(
            pd, engine, prop, &md, &md, &stat, PRIM_BF16, .5F, flags, attr);
}

static void refuses_nulls(void **state)
{
    (void)state;
    prim_desc_t *pd = UNTOUCHED;
    op_expect("null engine", create(&pd, NULL, TRAIN, BOTH, NULL), BAD, &pd);
    assert_int_equal(create(NULL, op_engine, TRAIN, BOTH, NULL), BAD);
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
    float epsilon = 0;
    unsigned flags = 0;
    assert_int_equal(create(&pd, op_engine, TRAIN, BOTH, NULL), OK);
    expect_md(pd, PRIM_QUERY_SRC_MD, 0, "f32 abc 2x3x2");
    expect_md(pd, PRIM_QUERY_SRC_MD, 1, "");
    expect_md(pd, PRIM_QUERY_DST_MD, 1, "f32 ba 2x3");
    expect_md(pd, PRIM_QUERY_DST_MD, 2, "f32 ba 2x3");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 0, "bf16 a 2");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 1, "bf16 a 2");
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_EPSILON_F32, 0, &epsilon), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_FLAGS, 0, &flags), OK);
    assert_true(epsilon == .5F && flags == BOTH);
    prim_desc_destroy(pd);

    assert_int_equal(create(&pd, op_engine, INFER, GIVEN | PRIM_USE_SHIFT, NULL), OK);
    expect_md(pd, PRIM_QUERY_SRC_MD, 2, "f32 ba 2x3");
    expect_md(pd, PRIM_QUERY_DST_MD, 1, "");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 0, "");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 1, "bf16 a 2");
    prim_desc_destroy(pd);

    const prim_memory_desc_t md = op_md("f32 cab 2x3x2");
    assert_int_equal(prim_layer_normalization_forward_desc_create(
                             &pd, op_engine, TRAIN, &md, &md, NULL, PRIM_F32, 0, 0, NULL),
            OK);
    expect_md(pd, PRIM_QUERY_DST_MD, 1, "f32 ab 2x3");
    expect_md(pd, PRIM_QUERY_DST_MD, 2, "f32 ab 2x3");
    prim_desc_destroy(pd);
}

static void checks_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int arg, mask;
        prim_status_t expected;
    } scales[] = {{"src", PRIM_ARG_SRC, 0, OK}, {"dst", PRIM_ARG_DST, 0, OK},
            {"mask", PRIM_ARG_DST, 4, UN}};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        prim_attr_t *attr = NULL;
        prim_desc_t *pd = UNTOUCHED;
        assert_int_equal(prim_attr_create(&attr), OK);
        assert_int_equal(
                prim_attr_set_scales(attr, scales[i].arg, scales[i].mask, 0, NULL, PRIM_F32), OK);
        op_expect(
                scales[i].name, create(&pd, op_engine, INFER, BOTH, attr), scales[i].expected, &pd);
        prim_attr_destroy(attr);
    }
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), OK);
    assert_int_equal(prim_post_ops_create(&post_ops), OK);
    prim_post_ops_append_sum(post_ops, 1, 0, PRIM_DATA_TYPE_UNDEF);
    prim_attr_set_post_ops(attr, post_ops);
    op_expect("sum", create(&pd, op_engine, INFER, BOTH, attr), UN, &pd);
    prim_post_ops_destroy(post_ops);
    prim_attr_destroy(attr);
}

static void trains_in_place(void **state)
{
    (void)state;
    float data[2][2] = {{1, 3}, {10, 14}}, mean[2] = {0}, variance[2] = {0};
    float scale[2] = {2, 3}, shift[2] = {0, .5F};
    const prim_memory_desc_t md = op_md("f32 ab 2x2"), vector = op_md("f32 a 2");
    prim_memory_t *const memory = op_memory(&md, data);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_layer_normalization_forward_desc_create(
                             &pd, op_engine, TRAIN, &md, &md, NULL, PRIM_F32, 0, BOTH, NULL),
            OK);
    op_run(pd, 6,
            (prim_arg_t[]){{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory},
                    {PRIM_ARG_MEAN, op_memory(&vector, mean)},
                    {PRIM_ARG_VARIANCE, op_memory(&vector, variance)},
                    {PRIM_ARG_SCALE, op_memory(&vector, scale)},
                    {PRIM_ARG_SHIFT, op_memory(&vector, shift)}});
    assert_true(mean[0] == 2 && mean[1] == 12 && variance[0] == 1 && variance[1] == 4);
    for (int row = 0; row < 2; ++row) assert_true(data[row][0] == -2 && data[row][1] == 3.5F);
}

static void empty_rows_have_statistics(void **state)
{
    (void)state;
    float none[1] = {0}, mean[2] = {7, 7}, variance[2] = {7, 7};
    const prim_memory_desc_t md = op_md("f32 ab 2x0"), vector = op_md("f32 a 2");
    prim_memory_t *const memory = op_memory(&md, none);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_layer_normalization_forward_desc_create(
                             &pd, op_engine, TRAIN, &md, &md, NULL, PRIM_F32, 0, 0, NULL),
            OK);
    op_run(pd, 4,
            (prim_arg_t[]){{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory},
                    {PRIM_ARG_MEAN, op_memory(&vector, mean)},
                    {PRIM_ARG_VARIANCE, op_memory(&vector, variance)}});
    assert_true(mean[0] == 0 && mean[1] == 0 && variance[0] == 0 && variance[1] == 0);
}

typedef struct {
    const char *name;
    prim_prop_kind_t prop;
    const char *diff_src, *diff_dst, *src, *stat;
    unsigned flags;
    prim_status_t expected;
} gradient_case_t;

#define BACK PRIM_BACKWARD

static const gradient_case_t gradient_cases[] = {
        {"plain", BACK, A, A, A, "f32 a 3", BOTH, OK},
        {"data", PRIM_BACKWARD_DATA, A, A, A, NULL, BOTH, OK},
        {"constants", BACK, "f32 any 3x5", "bf16 any 3x5", "f16 ba 3x5", "", GIVEN, OK},
        {"forward", TRAIN, A, A, A, NULL, BOTH, BAD},
        {"weights alone", PRIM_BACKWARD_WEIGHTS, A, A, A, NULL, BOTH, BAD},
        {"diff_src null", BACK, NULL, A, A, NULL, BOTH, BAD},
        {"diff_dst null", BACK, A, NULL, A, NULL, BOTH, BAD},
        {"src null", BACK, A, A, NULL, NULL, BOTH, BAD},
        {"src any", BACK, A, A, "f32 any 3x5", NULL, BOTH, BAD},
        {"dims of diff_src", BACK, "f32 ab 4x5", A, A, NULL, BOTH, BAD},
        {"dims of diff_dst", BACK, A, "f32 ab 3x6", A, NULL, BOTH, BAD},
        {"dims of statistics", BACK, A, A, A, "f32 a 5", BOTH, BAD},
        {"type of statistics", BACK, A, A, A, "bf16 a 3", BOTH, UN},
        {"flag", BACK, A, A, A, NULL, PRIM_FUSE_NORM_RELU, BAD},
        {"one dimension", BACK, "f32 a 5", "f32 a 5", "f32 a 5", NULL, 0, BAD},
};

static void checks_every_argument_of_gradients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gradient_cases / sizeof gradient_cases[0]; ++i) {
        const gradient_case_t *const c = &gradient_cases[i];
        prim_memory_desc_t mds[4];
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_layer_normalization_backward_desc_create(&pd, op_engine,
                c->prop, op_md_or_null(&mds[0], c->diff_src), op_md_or_null(&mds[1], c->diff_dst),
                op_md_or_null(&mds[2], c->src), op_md_or_null(&mds[3], c->stat), PRIM_F32, PRIM_F32,
                0, c->flags, NULL, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static void gradients_of_two_places(void **state)
{
    (void)state;
    // Rows of two: the normalised elements are ∓1, and diff_src is 0 but for what ε leaves.
    float src[2][2] = {{1, 3}, {10, 14}}, gradient[2][2] = {{1, 2}, {3, 5}}, result[2][2];
    float mean[2] = {2, 12}, variance[2] = {1, 4}, scale[2] = {2, 2};
    float diff_scale[2] = {0}, diff_shift[2] = {0};
    const prim_memory_desc_t md = op_md("f32 ab 2x2"), vector = op_md("f32 a 2");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_layer_normalization_backward_desc_create(&pd, op_engine, BACK, &md, &md,
                             &md, NULL, PRIM_F32, PRIM_F32, 0, BOTH, NULL, NULL),
            OK);
    op_run(pd, 8,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&md, src)},
                    {PRIM_ARG_MEAN, op_memory(&vector, mean)},
                    {PRIM_ARG_VARIANCE, op_memory(&vector, variance)},
                    {PRIM_ARG_SCALE, op_memory(&vector, scale)},
                    {PRIM_ARG_DIFF_DST, op_memory(&md, gradient)},
                    {PRIM_ARG_DIFF_SRC, op_memory(&md, result)},
                    {PRIM_ARG_DIFF_SCALE, op_memory(&vector, diff_scale)},
                    {PRIM_ARG_DIFF_SHIFT, op_memory(&vector, diff_shift)}});
    for (int i = 0; i < 4; ++i) assert_true(result[i / 2][i % 2] == 0);
    assert_true(diff_shift[0] == 4 && diff_shift[1] == 7);
    assert_true(diff_scale[0] == -4 && diff_scale[1] == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(checks_every_argument),
            cmocka_unit_test(refuses_nulls),
            cmocka_unit_test(flags_ask_for_tensors),
            cmocka_unit_test(checks_attributes),
            cmocka_unit_test(trains_in_place),
            cmocka_unit_test(empty_rows_have_statistics),
            cmocka_unit_test(checks_every_argument_of_gradients),
            cmocka_unit_test(gradients_of_two_places),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
