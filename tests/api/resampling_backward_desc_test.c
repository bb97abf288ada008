// SPDX-License-Identifier: Apache-2.0
// prim_resampling_backward_desc_create(): every documented refusal, the hint, layouts, values.
#include "op_test.h"

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED
#define NEAREST PRIM_RESAMPLING_NEAREST
#define LINEAR PRIM_RESAMPLING_LINEAR

typedef struct {
    const char *name, *diff_src, *diff_dst;
    float factor; ///< of both spatial dimensions; 0: none are given
    prim_alg_kind_t alg;
    prim_status_t expected;
} case_t;

#define SRC "f32 abcd 2x3x4x5"
#define DST "f32 abcd 2x3x8x10"

static const case_t cases[] = {
        {"plain", SRC, DST, 0, NEAREST, OK},
        {"factors", SRC, DST, 2, LINEAR, OK},
        {"any diff_dst", "f32 acdb 2x3x4x5", "f32 any 2x3x8x10", 0, LINEAR, OK},
        {"any diff_src", "f32 any 2x3x4x5", "f32 acdb 2x3x8x10", 0, LINEAR, OK},
        {"any both", "f32 any 2x3x4x5", "f32 any 2x3x8x10", 0, LINEAR, OK},
        {"types", "bf16 abcd 2x3x4x5", "f16 abcd 2x3x8x10", 0, NEAREST, OK},
        {"empty diff_dst", SRC, "f32 abcd 2x3x0x10", 0, NEAREST, OK},
        {"algorithm", SRC, DST, 0, PRIM_POOLING_MAX, BAD},
        {"null diff_src", NULL, DST, 0, NEAREST, BAD},
        {"null diff_dst", SRC, NULL, 0, NEAREST, BAD},
        {"null diff_dst with factors", SRC, NULL, 2, NEAREST, BAD},
        {"absent diff_dst", SRC, "", 0, NEAREST, BAD},
        {"rank", "f32 ab 2x3", "f32 ab 2x3", 0, NEAREST, BAD},
        {"ranks", SRC, "f32 abc 2x3x8", 0, NEAREST, BAD},
        {"batch", SRC, "f32 abcd 1x3x8x10", 0, NEAREST, BAD},
        {"channels", SRC, "f32 abcd 2x4x8x10", 0, NEAREST, BAD},
        {"out of nothing", "f32 abcd 2x3x0x5", DST, 0, NEAREST, BAD},
        {"factors of another size", SRC, DST, 3, NEAREST, BAD},
        {"negative factors", SRC, DST, -2, NEAREST, BAD},
        {"run-time", "f32 abcd rx3x4x5", "f32 abcd rx3x8x10", 0, NEAREST, BAD},
        {"integer diff_src", "u8 abcd 2x3x4x5", DST, 0, NEAREST, UN},
        {"integer diff_dst", SRC, "s32 abcd 2x3x8x10", 0, NEAREST, UN},
};

static prim_status_t create(prim_desc_t **pd, const case_t *c, const prim_desc_t *hint)
{
    prim_memory_desc_t src, dst;
    const float factors[3] = {c->factor, c->factor, c->factor};
    return prim_resampling_backward_desc_create(pd, op_engine, c->alg,
            c->factor != 0 ? factors : NULL, op_md_or_null(&src, c->diff_src),
            op_md_or_null(&dst, c->diff_dst), hint, NULL);
}

static prim_desc_t *forward(const char *src_text, const char *dst_text)
{
    const prim_memory_desc_t src = op_md(src_text), dst = op_md(dst_text);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_resampling_forward_desc_create(&pd, op_engine, PRIM_FORWARD_TRAINING,
                             NEAREST, NULL, &src, &dst, NULL),
            OK);
    return pd;
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
    prim_desc_t *const same = forward(SRC, DST), *const other = forward(SRC, "f32 abcd 2x3x8x9");
    prim_desc_t *softmax = NULL, *pd = UNTOUCHED;
    const prim_memory_desc_t src = op_md(SRC);
    assert_int_equal(prim_softmax_forward_desc_create(&softmax, op_engine, PRIM_FORWARD_TRAINING,
                             PRIM_SOFTMAX_ACCURATE, &src, &src, 1, NULL),
            OK);
    op_expect("same", create(&pd, &cases[0], same), OK, &pd);
    pd = UNTOUCHED;
    op_expect("another shape", create(&pd, &cases[0], other), BAD, &pd);
    op_expect("another operation", create(&pd, &cases[0], softmax), BAD, &pd);
    prim_desc_destroy(same);
    prim_desc_destroy(other);
    prim_desc_destroy(softmax);
}

static void test_layouts(void **state)
{
    (void)state;
    static const case_t open = {"", "f32 any 2x3x4x5", "f32 any 2x3x8x10", 0, NEAREST, OK};
    prim_desc_t *const hint = forward("f32 acdb 2x3x4x5", "f32 acdb 2x3x8x10");
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, &open, hint), OK);
    op_expect_tag(pd, PRIM_ARG_DIFF_SRC, "acdb");
    prim_desc_destroy(pd);
    assert_int_equal(create(&pd, &open, NULL), OK);
    op_expect_tag(pd, PRIM_ARG_DIFF_DST, "abcd");
    prim_desc_destroy(pd);
    prim_desc_destroy(hint);
}

/// 1-D, from 4 elements of diff_dst to 2 of diff_src.
static void run(prim_alg_kind_t alg, const float *expected)
{
    const prim_memory_desc_t src = op_md("f32 abc 1x1x2"), dst = op_md("f32 abc 1x1x4");
    float diff_dst[4] = {1, 2, 4, 8}, diff_src[2];
    prim_desc_t *pd = NULL;
    assert_int_equal(
            prim_resampling_backward_desc_create(&pd, op_engine, alg, NULL, &src, &dst, NULL, NULL),
            OK);
    op_run(pd, 2,
            (prim_arg_t[]){{PRIM_ARG_DIFF_DST, op_memory(&dst, diff_dst)},
                    {PRIM_ARG_DIFF_SRC, op_memory(&src, diff_src)}});
    assert_true(diff_src[0] == expected[0] && diff_src[1] == expected[1]);
}

static void test_values(void **state)
{
    (void)state;
    run(NEAREST, (const float[]){3, 12});
    run(LINEAR, (const float[]){1 + 1.5f + 1, .5f + 3 + 8});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_hint),
            cmocka_unit_test(test_layouts),
            cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
