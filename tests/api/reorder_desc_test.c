// SPDX-License-Identifier: Apache-2.0
// prim_reorder_desc_create(): every documented refusal, attributes, run-time dimensions.
#include <string.h>

#include "op_test.h"

typedef struct {
    const char *name;
    const char *src, *dst;
    prim_status_t expected;
} case_t;

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"layout", "f32 abcd 2x3x4x5", "f32 acdb 2x3x4x5", OK},
        {"blocks", "f32 abcd 17x3x4x5", "bf16 ABcd4b16a4b 17x3x4x5", OK},
        {"types", "f64 ab 3x5", "f8_e4m3 ba 3x5", OK},
        {"empty", "f32 ab 0x5", "f32 ba 0x5", OK},
        {"twelve dims", "f32 abcdefghijkl 1x2x1x2x1x2x1x2x1x2x1x2",
                "s8 lkjihgfedcba 1x2x1x2x1x2x1x2x1x2x1x2", OK},
        {"run-time", "f32 ab rx5", "f32 ba rx5", OK},
        {"run-time on one side", "f32 ab rx5", "f32 ba 3x5", BAD},
        {"rank", "f32 ab 3x5", "f32 abc 3x5x1", BAD},
        {"dims", "f32 ab 3x5", "f32 ab 5x3", BAD},
        {"src any", "f32 any 3x5", "f32 ab 3x5", BAD},
        {"dst any", "f32 ab 3x5", "f32 any 3x5", BAD},
        {"absent", "", "", BAD},
        {"null src", NULL, "f32 ab 3x5", BAD},
        {"null dst", "f32 ab 3x5", NULL, BAD},
        {"type by name only", "s4 ab 3x6", "f32 ab 3x6", UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        prim_memory_desc_t src, dst;
        const prim_memory_desc_t *src_md = op_md_or_null(&src, cases[i].src);
        const prim_memory_desc_t *dst_md = op_md_or_null(&dst, cases[i].dst);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st =
                prim_reorder_desc_create(&pd, src_md, op_engine, dst_md, op_engine, NULL);
        op_expect(cases[i].name, st, cases[i].expected, &pd);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    prim_desc_t *pd = UNTOUCHED;
    op_expect("src engine", prim_reorder_desc_create(&pd, &md, NULL, &md, op_engine, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    op_expect("dst engine", prim_reorder_desc_create(&pd, &md, op_engine, &md, NULL, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    assert_int_equal(prim_reorder_desc_create(NULL, &md, op_engine, &md, op_engine, NULL),
            PRIM_INVALID_ARGUMENTS);
}

typedef struct {
    const char *name;
    int arg, mask, ngroups;
    prim_dim_t groups[2];
    prim_status_t expected;
} quant_case_t;

static const quant_case_t quant_cases[] = {
        {"all of src", PRIM_ARG_SRC, 0, 0, {0}, OK},
        {"two dimensions", PRIM_ARG_DST, 6, 0, {0}, OK},
        {"groups", PRIM_ARG_SRC, 6, 2, {2, 4}, OK},
        {"groups that do not divide", PRIM_ARG_SRC, 6, 2, {4, 4}, PRIM_INVALID_ARGUMENTS},
        {"mask beyond the rank", PRIM_ARG_SRC, 8, 0, {0}, UN},
        {"weights", PRIM_ARG_WEIGHTS, 0, 0, {0}, UN},
};

static void test_attributes(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("s8 abc 2x6x8");
    for (size_t i = 0; i < sizeof quant_cases / sizeof quant_cases[0]; ++i) {
        const quant_case_t *c = &quant_cases[i];
        for (int is_zero_point = 0; is_zero_point < 2; ++is_zero_point) {
            prim_attr_t *attr = NULL;
            prim_desc_t *pd = UNTOUCHED;
            assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
            assert_int_equal(is_zero_point ? prim_attr_set_zero_points(attr, c->arg, c->mask,
                                                     c->ngroups, c->groups, PRIM_S32)
                                           : prim_attr_set_scales(attr, c->arg, c->mask, c->ngroups,
                                                     c->groups, PRIM_F32),
                    PRIM_SUCCESS);
            op_expect(c->name, prim_reorder_desc_create(&pd, &md, op_engine, &md, op_engine, attr),
                    c->expected, &pd);
            prim_attr_destroy(attr);
        }
    }
}

static void test_post_ops(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("s8 abc 2x6x8");
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_create(&post_ops), PRIM_SUCCESS);
    prim_post_ops_append_sum(post_ops, 1, 0, PRIM_DATA_TYPE_UNDEF);
    prim_attr_set_post_ops(attr, post_ops);
    op_expect("sum", prim_reorder_desc_create(&pd, &md, op_engine, &md, op_engine, attr),
            PRIM_SUCCESS, &pd);
    prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0);
    prim_attr_set_post_ops(attr, post_ops);
    op_expect("relu", prim_reorder_desc_create(&pd, &md, op_engine, &md, op_engine, attr),
            PRIM_UNIMPLEMENTED, &pd);
    prim_post_ops_destroy(post_ops);
    prim_attr_destroy(attr);
}

static void test_runtime_dims(void **state)
{
    (void)state;
    float src[6] = {1, 2, 3, 4, 5, 6}, dst[6] = {0};
    static const float transposed[6] = {1, 4, 2, 5, 3, 6};
    const prim_memory_desc_t src_md = op_md("f32 ab rx3"), dst_md = op_md("f32 ba rx3");
    const prim_memory_desc_t real_src = op_md("f32 ab 2x3"), real_dst = op_md("f32 ba 2x3");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_reorder_desc_create(&pd, &src_md, op_engine, &dst_md, op_engine, NULL),
            PRIM_SUCCESS);
    op_run(pd, 2,
            (prim_arg_t[]){{PRIM_ARG_FROM, op_memory(&real_src, src)},
                    {PRIM_ARG_TO, op_memory(&real_dst, dst)}});
    assert_memory_equal(dst, transposed, sizeof dst);
}

/// Padding of a blocked destination is zeros even in memory that held something else.
static void test_padding(void **state)
{
    (void)state;
    float src[3] = {1, 2, 3}, dst[8];
    static const float expected[8] = {1, 2, 3, 0, 0, 0, 0, 0};
    const prim_memory_desc_t src_md = op_md("f32 abc 1x3x1"), dst_md = op_md("f32 aBc8b 1x3x1");
    prim_desc_t *pd = NULL;
    memset(dst, 0x5a, sizeof dst);
    assert_int_equal(prim_reorder_desc_create(&pd, &src_md, op_engine, &dst_md, op_engine, NULL),
            PRIM_SUCCESS);
    op_run(pd, 2,
            (prim_arg_t[]){{PRIM_ARG_FROM, op_memory(&src_md, src)},
                    {PRIM_ARG_TO, op_memory(&dst_md, dst)}});
    assert_memory_equal(dst, expected, sizeof dst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_post_ops),
            cmocka_unit_test(test_runtime_dims),
            cmocka_unit_test(test_padding),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
