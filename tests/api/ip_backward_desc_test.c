// SPDX-License-Identifier: Apache-2.0
// prim_inner_product_backward_data_desc_create() and …_weights_…(): every documented refusal, the
// hint, layouts, an empty batch, values.
#include "op_test.h"

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

/// `bia` counts for the gradients by the weights alone.
typedef struct {
    const char *name, *src, *wei, *bia, *dst;
    prim_status_t expected;
} case_t;

#define SRC "f32 ab 3x5"
#define WEI "f32 ab 4x5"
#define DST "f32 ab 3x4"

static const case_t cases[] = {
        {"plain", SRC, WEI, NULL, DST, OK},
        {"any", "f32 any 3x5", "f32 any 4x5", NULL, "f32 any 3x4", OK},
        {"3-D", "f32 abcde 3x5x2x2x2", "f32 any 4x5x2x2x2", NULL, "f32 any 3x4", OK},
        {"types", "bf16 ab 3x5", "f32 ba 4x5", NULL, "f16 ab 3x4", OK},
        {"no image", "f32 ab 0x5", WEI, NULL, "f32 ab 0x4", OK},
        {"no output channel", SRC, "f32 ab 0x5", NULL, "f32 ab 3x0", OK},
        {"null src", NULL, WEI, NULL, DST, BAD},
        {"null weights", SRC, NULL, NULL, DST, BAD},
        {"null dst", SRC, WEI, NULL, NULL, BAD},
        {"absent src", "", WEI, NULL, DST, BAD},
        {"absent weights", SRC, "", NULL, DST, BAD},
        {"absent dst", SRC, WEI, NULL, "", BAD},
        {"rank 1", "f32 a 5", "f32 a 5", NULL, "f32 ab 1x1", BAD},
        {"rank 6", "f32 any 3x5x1x1x1x1", "f32 any 4x5x1x1x1x1", NULL, DST, BAD},
        {"rank of weights", "f32 abc 3x5x2", "f32 ab 4x10", NULL, DST, BAD},
        {"rank of dst", SRC, WEI, NULL, "f32 abc 3x4x1", BAD},
        {"IC", SRC, "f32 ab 4x6", NULL, DST, BAD},
        {"position", "f32 abc 3x5x2", "f32 abc 4x5x3", NULL, DST, BAD},
        {"N", SRC, WEI, NULL, "f32 ab 2x4", BAD},
        {"OC", SRC, WEI, NULL, "f32 ab 3x5", BAD},
        {"run-time N", "f32 ab rx5", WEI, NULL, "f32 ab rx4", UN},
        {"run-time OC", SRC, "f32 ab rx5", NULL, "f32 ab 3xr", UN},
        {"integer src", "s8 ab 3x5", WEI, NULL, DST, UN},
        {"integer weights", SRC, "s8 ab 4x5", NULL, DST, UN},
        {"integer dst", SRC, WEI, NULL, "s8 ab 3x4", UN},
        {"integers", "s8 ab 3x5", "s8 ab 4x5", NULL, "s32 ab 3x4", UN},
        {"src by name only", "f4_e2m1 ab 3x6", "f32 ab 4x6", NULL, DST, UN},
};

static const case_t bias_cases[] = {
        {"bias", SRC, WEI, "f32 a 4", DST, OK},
        {"bias any", SRC, WEI, "bf16 any 4", DST, OK},
        {"absent bias", SRC, WEI, "", DST, OK},
        {"rank of bias", SRC, WEI, "f32 ab 1x4", DST, BAD},
        {"OC of bias", SRC, WEI, "f32 a 5", DST, BAD},
        {"run-time bias", SRC, WEI, "f32 a r", DST, UN},
        {"integer bias", SRC, WEI, "s32 a 4", DST, UN},
};

enum { NCASES = sizeof cases / sizeof cases[0], NBIAS = sizeof bias_cases / sizeof bias_cases[0] };

static prim_status_t create_data(
        prim_desc_t **pd, const case_t *c, const prim_desc_t *hint, const prim_attr_t *attr)
{
    prim_memory_desc_t src, wei, dst;
    return prim_inner_product_backward_data_desc_create(pd, op_engine, op_md_or_null(&src, c->src),
            op_md_or_null(&wei, c->wei), op_md_or_null(&dst, c->dst), hint, attr);
}

static prim_status_t create_weights(
        prim_desc_t **pd, const case_t *c, const prim_desc_t *hint, const prim_attr_t *attr)
{
    prim_memory_desc_t src, wei, bia, dst;
    return prim_inner_product_backward_weights_desc_create(pd, op_engine,
            op_md_or_null(&src, c->src), op_md_or_null(&wei, c->wei), op_md_or_null(&bia, c->bia),
            op_md_or_null(&dst, c->dst), hint, attr);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < NCASES; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect(cases[i].name, create_data(&pd, &cases[i], NULL, NULL), cases[i].expected, &pd);
        pd = UNTOUCHED;
        op_expect(
                cases[i].name, create_weights(&pd, &cases[i], NULL, NULL), cases[i].expected, &pd);
    }
    for (size_t i = 0; i < NBIAS; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect(bias_cases[i].name, create_weights(&pd, &bias_cases[i], NULL, NULL),
                bias_cases[i].expected, &pd);
    }
}

static prim_desc_t *forward(const char *src, const char *wei, const char *dst)
{
    const prim_memory_desc_t src_md = op_md(src), wei_md = op_md(wei), dst_md = op_md(dst);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_inner_product_forward_desc_create(&pd, op_engine, PRIM_FORWARD_TRAINING,
                             &src_md, &wei_md, NULL, &dst_md, NULL),
            OK);
    return pd;
}

static void test_hint(void **state)
{
    (void)state;
    prim_desc_t *const same = forward(SRC, WEI, DST);
    prim_desc_t *const other = forward("f32 ab 3x6", "f32 ab 4x6", DST);
    prim_desc_t *data = NULL, *weights = NULL, *pd = UNTOUCHED;
    op_expect("same, data", create_data(&data, &cases[0], same, NULL), OK, &data);
    op_expect("same, weights", create_weights(&weights, &cases[0], same, NULL), OK, &weights);
    op_expect("other, data", create_data(&pd, &cases[0], other, NULL), BAD, &pd);
    op_expect("other, weights", create_weights(&pd, &cases[0], other, NULL), BAD, &pd);
    prim_desc_destroy(same);
    prim_desc_destroy(other);
}

static void test_hint_of_a_backward_pass(void **state)
{
    (void)state;
    prim_desc_t *data = NULL, *pd = UNTOUCHED;
    assert_int_equal(create_data(&data, &cases[0], NULL, NULL), OK);
    op_expect("backward", create_weights(&pd, &cases[0], data, NULL), BAD, &pd);
    prim_desc_destroy(data);
}

static void test_attributes(void **state)
{
    (void)state;
    prim_attr_t *scales = NULL, *modes = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&scales), OK);
    assert_int_equal(prim_attr_create(&modes), OK);
    assert_int_equal(prim_attr_set_scales(scales, PRIM_ARG_WEIGHTS, 0, 0, NULL, PRIM_F32), OK);
    assert_int_equal(prim_attr_set_fpmath_mode(modes, PRIM_FPMATH_BF16, false), OK);
    op_expect("scales, data", create_data(&pd, &cases[0], NULL, scales), UN, &pd);
    op_expect("scales, weights", create_weights(&pd, &cases[0], NULL, scales), UN, &pd);
    op_expect("fpmath", create_data(&pd, &cases[0], NULL, modes), OK, &pd);
    prim_attr_destroy(scales);
    prim_attr_destroy(modes);
}

static void test_values(void **state)
{
    (void)state;
    float src[4] = {1, 2, 3, 4}, wei[6] = {1, -1, 2, 0, 0, 3}, diff[6] = {1, 2, 3, -1, 0, 4};
    float diff_src[4], diff_wei[6], diff_bia[3];
    const prim_memory_desc_t src_md = op_md("f32 ab 2x2"), wei_md = op_md("f32 ab 3x2");
    const prim_memory_desc_t dst_md = op_md("f32 ab 2x3"), bia_md = op_md("f32 a 3");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_inner_product_backward_data_desc_create(
                             &pd, op_engine, &src_md, &wei_md, &dst_md, NULL, NULL),
            OK);
    op_run(pd, 3,
            (prim_arg_t[]){{PRIM_ARG_DIFF_DST, op_memory(&dst_md, diff)},
                    {PRIM_ARG_WEIGHTS, op_memory(&wei_md, wei)},
                    {PRIM_ARG_DIFF_SRC, op_memory(&src_md, diff_src)}});
    assert_true(diff_src[0] == 5 && diff_src[1] == 8 && diff_src[2] == -1 && diff_src[3] == 13);
    assert_int_equal(prim_inner_product_backward_weights_desc_create(
                             &pd, op_engine, &src_md, &wei_md, &bia_md, &dst_md, NULL, NULL),
            OK);
    op_run(pd, 4,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&src_md, src)},
                    {PRIM_ARG_DIFF_DST, op_memory(&dst_md, diff)},
                    {PRIM_ARG_DIFF_WEIGHTS, op_memory(&wei_md, diff_wei)},
                    {PRIM_ARG_DIFF_BIAS, op_memory(&bia_md, diff_bia)}});
    assert_true(diff_wei[0] == -2 && diff_wei[1] == -2 && diff_wei[2] == 2 && diff_wei[3] == 4);
    assert_true(diff_wei[4] == 15 && diff_wei[5] == 22);
    assert_true(diff_bia[0] == 0 && diff_bia[1] == 2 && diff_bia[2] == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_hint),
            cmocka_unit_test(test_hint_of_a_backward_pass),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
