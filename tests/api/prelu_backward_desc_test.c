// SPDX-License-Identifier: Apache-2.0
// prim_prelu_backward_desc_create(): every documented refusal, the hint, layouts, an empty src.
#include "op_test.h"

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

typedef struct {
    const char *name, *src, *wei, *diff_src, *diff_wei, *diff_dst;
    prim_status_t expected;
} case_t;

#define MD "f32 ab 3x5"
#define WEI "f32 ab 1x5"

static const case_t cases[] = {
        {"plain", MD, WEI, MD, WEI, MD, OK},
        {"any", "f32 ba 3x5", "f32 any 1x5", "f32 any 3x5", "f32 any 1x5", "f32 any 3x5", OK},
        {"types", "f16 ab 3x5", WEI, "f16 ab 3x5", WEI, "f16 ba 3x5", OK},
        {"empty", "f32 ab 0x5", WEI, "f32 ab 0x5", WEI, "f32 ab 0x5", OK},
        {"weights are no broadcast", MD, "f32 ab 2x5", MD, "f32 ab 2x5", MD, BAD},
        {"rank of weights", MD, "f32 a 5", MD, "f32 a 5", MD, BAD},
        {"dims of diff_src", MD, WEI, "f32 ab 3x6", WEI, MD, BAD},
        {"dims of diff_wei", MD, WEI, MD, MD, MD, BAD},
        {"dims of diff_dst", MD, WEI, MD, WEI, "f32 ab 4x5", BAD},
        {"src any", "f32 any 3x5", WEI, MD, WEI, MD, BAD},
        {"absent weights", MD, "", MD, WEI, MD, BAD},
        {"null src", NULL, WEI, MD, WEI, MD, BAD},
        {"null weights", MD, NULL, MD, WEI, MD, BAD},
        {"null diff_src", MD, WEI, NULL, WEI, MD, BAD},
        {"null diff_wei", MD, WEI, MD, NULL, MD, BAD},
        {"null diff_dst", MD, WEI, MD, WEI, NULL, BAD},
        {"run-time", "f32 ab rx5", WEI, "f32 ab rx5", WEI, "f32 ab rx5", UN},
        {"integers", "s8 ab 3x5", WEI, "s8 ab 3x5", WEI, "s8 ab 3x5", UN},
        {"integer weights", MD, "s8 ab 1x5", MD, "s8 ab 1x5", MD, UN},
        {"type of diff_src", MD, WEI, "f16 ab 3x5", WEI, MD, UN},
        {"type of diff_wei", MD, WEI, MD, "f16 ab 1x5", MD, UN},
        {"type of diff_dst", MD, WEI, MD, WEI, "bf16 ab 3x5", UN},
};

static prim_status_t create(prim_desc_t **pd, const case_t *c, const prim_desc_t *hint)
{
    prim_memory_desc_t src, wei, diff_src, diff_wei, diff_dst;
    return prim_prelu_backward_desc_create(pd, op_engine, op_md_or_null(&src, c->src),
            op_md_or_null(&wei, c->wei), op_md_or_null(&diff_src, c->diff_src),
            op_md_or_null(&diff_wei, c->diff_wei), op_md_or_null(&diff_dst, c->diff_dst), hint,
            NULL);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect(cases[i].name, create(&pd, &cases[i], NULL), cases[i].expected, &pd);
    }
}

static void test_hint(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md(MD), one = op_md("f32 ab 1x1"), wei = op_md(WEI);
    prim_desc_t *same = NULL, *other = NULL, *pd = NULL;
    assert_int_equal(prim_prelu_forward_desc_create(
                             &same, op_engine, PRIM_FORWARD_TRAINING, &md, &wei, &md, NULL),
            OK);
    assert_int_equal(prim_prelu_forward_desc_create(
                             &other, op_engine, PRIM_FORWARD_TRAINING, &md, &one, &md, NULL),
            OK);
    op_expect("same", create(&pd, &cases[0], same), OK, &pd);
    pd = UNTOUCHED;
    op_expect("weights of the hint", create(&pd, &cases[0], other), BAD, &pd);
    prim_desc_destroy(same);
    prim_desc_destroy(other);
}

static void test_values(void **state)
{
    (void)state;
    float src[4] = {-1, 2, -3, 0}, wei[2] = {0.5f, 2}, diff[4] = {1, 2, 3, 4};
    float diff_src[4], diff_wei[2];
    const prim_memory_desc_t md = op_md("f32 ab 2x2"), wei_md = op_md("f32 ab 1x2");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_prelu_backward_desc_create(
                             &pd, op_engine, &md, &wei_md, &md, &wei_md, &md, NULL, NULL),
            OK);
    op_run(pd, 5,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&md, src)},
                    {PRIM_ARG_WEIGHTS, op_memory(&wei_md, wei)},
                    {PRIM_ARG_DIFF_DST, op_memory(&md, diff)},
                    {PRIM_ARG_DIFF_SRC, op_memory(&md, diff_src)},
                    {PRIM_ARG_DIFF_WEIGHTS, op_memory(&wei_md, diff_wei)}});
    assert_true(diff_src[0] == 0.5f && diff_src[1] == 2);
    assert_true(diff_src[2] == 1.5f && diff_src[3] == 8);
    assert_true(diff_wei[0] == -10 && diff_wei[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_hint),
            cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
