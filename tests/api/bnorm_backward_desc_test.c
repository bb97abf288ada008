// SPDX-License-Identifier: Apache-2.0
// prim_batch_normalization_backward_desc_create(): every documented refusal, the hint and the
// workspace, which tensors there are, attributes, results.
#include <math.h>
#include <string.h>

#include "op_test.h"

#define BACK PRIM_BACKWARD
#define DATA PRIM_BACKWARD_DATA
#define BOTH (PRIM_USE_SCALE | PRIM_USE_SHIFT)
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED
#define A "f32 abc 2x3x4"

typedef struct {
    const char *name;
    prim_prop_kind_t prop;
    const char *diff_src, *diff_dst, *src;
    float epsilon;
    unsigned flags;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {"plain", BACK, A, A, A, 1e-3F, BOTH, OK},
        {"data", DATA, A, A, A, 0, 0, OK},
        {"constants", DATA, A, A, A, 0, PRIM_USE_GLOBAL_STATS | BOTH, OK},
        {"types and layouts", BACK, "f32 any 2x3x4", "bf16 any 2x3x4", "f16 aBc8b 2x3x4", 0, BOTH,
                OK},
        {"empty", BACK, "f32 abc 0x3x4", "f32 abc 0x3x4", "f32 abc 0x3x4", 0, BOTH, OK},
        {"forward", PRIM_FORWARD_TRAINING, A, A, A, 0, 0, BAD},
        {"weights alone", PRIM_BACKWARD_WEIGHTS, A, A, A, 0, BOTH, BAD},
        {"null diff_src", BACK, NULL, A, A, 0, 0, BAD},
        {"null diff_dst", BACK, A, NULL, A, 0, 0, BAD},
        {"null src", BACK, A, A, NULL, 0, 0, BAD},
        {"absent src", BACK, A, A, "", 0, 0, BAD},
        {"src any", BACK, A, A, "f32 any 2x3x4", 0, 0, BAD},
        {"dims of diff_src", BACK, "f32 abc 2x3x5", A, A, 0, 0, BAD},
        {"dims of diff_dst", BACK, A, "f32 abc 2x4x4", A, 0, 0, BAD},
        {"rank", BACK, A, "f32 ab 2x3", A, 0, 0, BAD},
        {"one dimension", BACK, "f32 a 5", "f32 a 5", "f32 a 5", 0, 0, BAD},
        {"unknown flag", BACK, A, A, A, 0, 64, BAD},
        {"two relus", BACK, A, A, A, 0, PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU, BAD},
        {"relu without a hint", BACK, A, A, A, 0, PRIM_FUSE_NORM_RELU, BAD},
        {"epsilon below 0", BACK, A, A, A, -1.F, 0, BAD},
        {"epsilon nan", BACK, A, A, A, NAN, 0, BAD},
        {"run-time", BACK, "f32 ab rx5", "f32 ab rx5", "f32 ab rx5", 0, 0, UN},
        {"integer src", BACK, A, A, "s8 abc 2x3x4", 0, 0, UN},
        {"integer diff_dst", BACK, A, "u8 abc 2x3x4", A, 0, 0, UN},
        {"integer diff_src", BACK, "s32 abc 2x3x4", A, A, 0, 0, UN},
};

static void checks_every_argument(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t mds[3];
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_batch_normalization_backward_desc_create(&pd, op_engine,
                c->prop, op_md_or_null(&mds[0], c->diff_src), op_md_or_null(&mds[1], c->diff_dst),
                op_md_or_null(&mds[2], c->src), c->epsilon, c->flags, NULL, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static prim_desc_t *forward_of(prim_prop_kind_t prop, unsigned flags, const char *text)
{
    const prim_memory_desc_t md = op_md(text);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_batch_normalization_forward_desc_create(
                             &pd, op_engine, prop, &md, &md, .5F, flags, NULL),
            OK);
    return pd;
}

static prim_status_t create(prim_desc_t **pd, prim_prop_kind_t prop, unsigned flags,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = op_md(A);
    return prim_batch_normalization_backward_desc_create(
            pd, op_engine, prop, &md, &md, &md, .5F, flags, hint, attr);
}

static void relus_need_the_pass_that_made_the_workspace(void **state)
{
    (void)state;
    const unsigned relu = PRIM_FUSE_NORM_RELU;
    prim_desc_t *const good = forward_of(PRIM_FORWARD_TRAINING, relu, A);
    prim_desc_t *const inference = forward_of(PRIM_FORWARD_INFERENCE, relu, A);
    prim_desc_t *const plain = forward_of(PRIM_FORWARD_TRAINING, 0, A);
    prim_desc_t *const other = forward_of(PRIM_FORWARD_TRAINING, relu, "f32 abc 2x3x5");
    prim_desc_t *pd = UNTOUCHED;
    op_expect("none", create(&pd, BACK, relu, NULL, NULL), BAD, &pd);
    assert_non_null(strstr(prim_last_error(), "needs its forward pass as a hint"));
    op_expect("inference", create(&pd, BACK, relu, inference, NULL), BAD, &pd);
    op_expect("without relu", create(&pd, BACK, relu, plain, NULL), BAD, &pd);
    op_expect("shape", create(&pd, BACK, relu, other, NULL), BAD, &pd);
    op_expect("unused hint", create(&pd, BACK, 0, plain, NULL), OK, &pd);
    pd = NULL;
    assert_int_equal(create(&pd, DATA, relu, good, NULL), OK);
    prim_desc_t *next = UNTOUCHED;
    op_expect("a backward pass", create(&next, BACK, relu, pd, NULL), BAD, &next);
    prim_desc_destroy(pd);
    prim_desc_destroy(good);
    prim_desc_destroy(inference);
    prim_desc_destroy(plain);
    prim_desc_destroy(other);
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
    const unsigned add = PRIM_FUSE_NORM_ADD_RELU | BOTH;
    prim_desc_t *const hint = forward_of(PRIM_FORWARD_TRAINING, add, A);
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, BACK, add, hint, NULL), OK);
    expect_md(pd, PRIM_QUERY_SRC_MD, 0, A);
    expect_md(pd, PRIM_QUERY_SRC_MD, 1, "f32 a 3");
    expect_md(pd, PRIM_QUERY_SRC_MD, 2, "f32 a 3");
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 0, "f32 a 3");
    expect_md(pd, PRIM_QUERY_DIFF_SRC_MD, 1, A);
    expect_md(pd, PRIM_QUERY_DIFF_WEIGHTS_MD, 0, "f32 a 3");
    expect_md(pd, PRIM_QUERY_DIFF_WEIGHTS_MD, 1, "f32 a 3");
    expect_md(pd, PRIM_QUERY_WORKSPACE_MD, 0, "u8 abc 2x3x4");
    prim_desc_destroy(pd);
    assert_int_equal(create(&pd, DATA, PRIM_USE_SHIFT, NULL, NULL), OK);
    expect_md(pd, PRIM_QUERY_WEIGHTS_MD, 0, "");
    expect_md(pd, PRIM_QUERY_DIFF_SRC_MD, 1, "");
    expect_md(pd, PRIM_QUERY_DIFF_WEIGHTS_MD, 1, "");
    expect_md(pd, PRIM_QUERY_WORKSPACE_MD, 0, "");
    prim_desc_destroy(pd);
    prim_desc_destroy(hint);
}

static void refuses_nulls_and_attributes(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md(A);
    prim_desc_t *pd = UNTOUCHED;
    prim_attr_t *attr = NULL;
    op_expect("null engine",
            prim_batch_normalization_backward_desc_create(
                    &pd, NULL, BACK, &md, &md, &md, 0, 0, NULL, NULL),
            BAD, &pd);
    assert_int_equal(create(NULL, BACK, 0, NULL, NULL), BAD);
    assert_int_equal(prim_attr_create(&attr), OK);
    prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32);
    op_expect("scales", create(&pd, BACK, 0, NULL, attr), UN, &pd);
    prim_attr_destroy(attr);
}

/// Channels of two elements: the normalised ones are ∓1, so that diff_src is 0 with ε = 0.
static void gradients_of_two_images(void **state)
{
    (void)state;
    float src[2][2] = {{1, 10}, {3, 14}}, gradient[2][2] = {{1, 3}, {2, 5}}, mean[2] = {2, 12};
    float variance[2] = {1, 4}, scale[2] = {2, 2}, diff_scale[2] = {9, 9}, diff_shift[2] = {9, 9};
    const prim_memory_desc_t md = op_md("f32 ab 2x2"), vector = op_md("f32 a 2");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_batch_normalization_backward_desc_create(
                             &pd, op_engine, BACK, &md, &md, &md, 0, BOTH, NULL, NULL),
            OK);
    prim_memory_t *const in_place = op_memory(&md, gradient);
    op_run(pd, 8,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&md, src)},
                    {PRIM_ARG_MEAN, op_memory(&vector, mean)},
                    {PRIM_ARG_VARIANCE, op_memory(&vector, variance)},
                    {PRIM_ARG_SCALE, op_memory(&vector, scale)}, {PRIM_ARG_DIFF_DST, in_place},
                    {PRIM_ARG_DIFF_SRC, in_place},
                    {PRIM_ARG_DIFF_SCALE, op_memory(&vector, diff_scale)},
                    {PRIM_ARG_DIFF_SHIFT, op_memory(&vector, diff_shift)}});
    for (int i = 0; i < 4; ++i) assert_true(gradient[i / 2][i % 2] == 0);
    assert_true(diff_shift[0] == 3 && diff_shift[1] == 8);
    assert_true(diff_scale[0] == 1 && diff_scale[1] == 2);
}

static void no_images_have_gradients_of_zero(void **state)
{
    (void)state;
    float none[1] = {0}, stats[2] = {1, 1}, diff_scale[2] = {7, 7}, diff_shift[2] = {7, 7};
    const prim_memory_desc_t md = op_md("f32 ab 0x2"), vector = op_md("f32 a 2");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_batch_normalization_backward_desc_create(
                             &pd, op_engine, BACK, &md, &md, &md, 0, BOTH, NULL, NULL),
            OK);
    op_run(pd, 8,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&md, none)},
                    {PRIM_ARG_MEAN, op_memory(&vector, stats)},
                    {PRIM_ARG_VARIANCE, op_memory(&vector, stats)},
                    {PRIM_ARG_SCALE, op_memory(&vector, stats)},
                    {PRIM_ARG_DIFF_DST, op_memory(&md, none)},
                    {PRIM_ARG_DIFF_SRC, op_memory(&md, none)},
                    {PRIM_ARG_DIFF_SCALE, op_memory(&vector, diff_scale)},
                    {PRIM_ARG_DIFF_SHIFT, op_memory(&vector, diff_shift)}});
    for (int i = 0; i < 2; ++i) assert_true(diff_scale[i] == 0 && diff_shift[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(checks_every_argument),
            cmocka_unit_test(relus_need_the_pass_that_made_the_workspace),
            cmocka_unit_test(flags_ask_for_tensors),
            cmocka_unit_test(refuses_nulls_and_attributes),
            cmocka_unit_test(gradients_of_two_images),
            cmocka_unit_test(no_images_have_gradients_of_zero),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
