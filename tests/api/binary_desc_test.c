// SPDX-License-Identifier: Apache-2.0
// prim_binary_desc_create(): every documented refusal, broadcast, attributes, in place.
#include "op_test.h"

typedef struct {
    const char *name;
    prim_alg_kind_t alg;
    const char *src0, *src1, *src2, *dst;
    prim_status_t expected;
} case_t;

#define ADD PRIM_BINARY_ADD
#define SELECT PRIM_BINARY_SELECT
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"plain", ADD, "f32 ab 3x5", "f32 ab 3x5", NULL, "f32 ab 3x5", OK},
        {"both broadcast", ADD, "f32 ab 3x1", "f32 any 1x5", "", "f32 any 3x5", OK},
        {"zero wins over one", ADD, "f32 ab 0x5", "f32 ab 1x5", NULL, "f32 ab 0x5", OK},
        {"types", ADD, "u8 abc 2x3x4", "bf16 acb 2x3x4", NULL, "s32 abc 2x3x4", OK},
        {"select", SELECT, "f32 ab 3x5", "f32 ab 1x5", "s8 ab 3x5", "f32 ab 3x5", OK},
        {"algorithm", PRIM_ELTWISE_RELU, "f32 ab 3x5", "f32 ab 3x5", NULL, "f32 ab 3x5", BAD},
        {"rank", ADD, "f32 ab 3x5", "f32 a 5", NULL, "f32 ab 3x5", BAD},
        {"no broadcast", ADD, "f32 ab 3x5", "f32 ab 3x4", NULL, "f32 ab 3x5", BAD},
        {"dst smaller", ADD, "f32 ab 3x5", "f32 ab 1x5", NULL, "f32 ab 1x5", BAD},
        {"dst larger", ADD, "f32 ab 1x5", "f32 ab 1x5", NULL, "f32 ab 3x5", BAD},
        {"src0 any", ADD, "f32 any 3x5", "f32 ab 3x5", NULL, "f32 ab 3x5", BAD},
        {"src2 without select", ADD, "f32 ab 3x5", "f32 ab 3x5", "s8 ab 3x5", "f32 ab 3x5", BAD},
        {"select without src2", SELECT, "f32 ab 3x5", "f32 ab 3x5", NULL, "f32 ab 3x5", BAD},
        {"src2 type", SELECT, "f32 ab 3x5", "f32 ab 3x5", "u8 ab 3x5", "f32 ab 3x5", BAD},
        {"src2 shape", SELECT, "f32 ab 3x5", "f32 ab 3x5", "s8 ab 1x5", "f32 ab 3x5", BAD},
        {"src2 any", SELECT, "f32 ab 3x5", "f32 ab 3x5", "s8 any 3x5", "f32 ab 3x5", BAD},
        {"absent src0", ADD, "", "f32 ab 3x5", NULL, "f32 ab 3x5", BAD},
        {"absent dst", ADD, "f32 ab 3x5", "f32 ab 3x5", NULL, "", BAD},
        {"null src0", ADD, NULL, "f32 ab 3x5", NULL, "f32 ab 3x5", BAD},
        {"null src1", ADD, "f32 ab 3x5", NULL, NULL, "f32 ab 3x5", BAD},
        {"null dst", ADD, "f32 ab 3x5", "f32 ab 3x5", NULL, NULL, BAD},
        {"run-time", ADD, "f32 ab rx5", "f32 ab rx5", NULL, "f32 ab rx5", UN},
        {"type by name only", ADD, "s4 ab 3x6", "f32 ab 3x6", NULL, "f32 ab 3x6", UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *c = &cases[i];
        prim_memory_desc_t mds[4];
        const prim_memory_desc_t *src0 = op_md_or_null(&mds[0], c->src0);
        const prim_memory_desc_t *src1 = op_md_or_null(&mds[1], c->src1);
        const prim_memory_desc_t *src2 = op_md_or_null(&mds[2], c->src2);
        const prim_memory_desc_t *dst = op_md_or_null(&mds[3], c->dst);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st =
                prim_binary_desc_create(&pd, op_engine, c->alg, src0, src1, src2, dst, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static prim_status_t create_with(prim_desc_t **pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = op_md("s8 ab 3x5");
    return prim_binary_desc_create(pd, op_engine, PRIM_BINARY_MUL, &md, &md, NULL, &md, attr);
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    prim_desc_t *pd = UNTOUCHED;
    op_expect("null engine",
            prim_binary_desc_create(&pd, NULL, PRIM_BINARY_ADD, &md, &md, NULL, &md, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    assert_int_equal(create_with(NULL, NULL), PRIM_INVALID_ARGUMENTS);
}

static void test_attributes(void **state)
{
    (void)state;
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    prim_attr_set_scales(attr, PRIM_ARG_SRC_0, 0, 0, NULL, PRIM_F32);
    prim_attr_set_scales(attr, PRIM_ARG_SRC_1, 0, 0, NULL, PRIM_F32);
    op_expect("scales", create_with(&pd, attr), PRIM_SUCCESS, &pd);
    prim_attr_set_scales(attr, PRIM_ARG_SRC_1, 1, 0, NULL, PRIM_F32);
    op_expect("scale mask", create_with(&pd, attr), PRIM_UNIMPLEMENTED, &pd);
    prim_attr_set_scales(attr, PRIM_ARG_SRC_1, 0, 0, NULL, PRIM_F32);
    prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32);
    op_expect("scale of dst", create_with(&pd, attr), PRIM_UNIMPLEMENTED, &pd);
    prim_attr_destroy(attr);

    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_create(&post_ops), PRIM_SUCCESS);
    prim_post_ops_append_prelu(post_ops, 2);
    prim_attr_set_post_ops(attr, post_ops);
    op_expect("prelu", create_with(&pd, attr), PRIM_UNIMPLEMENTED, &pd);
    prim_post_ops_destroy(post_ops);
    prim_attr_destroy(attr);
}

/// An open layout becomes that of src0; of dst that of src1 where src0 broadcasts.
static void test_any(void **state)
{
    (void)state;
    static const struct {
        const char *src0, *src1, *src1_made, *dst_made;
    } rows[] = {{"f32 ba 3x5", "f32 any 3x5", "f32 ba 3x5", "f32 ba 3x5"},
            {"f32 ba 3x5", "f32 ab 3x5", "f32 ab 3x5", "f32 ba 3x5"},
            {"f32 ab 3x1", "f32 ba 3x5", "f32 ba 3x5", "f32 ba 3x5"},
            {"f32 ba 3x5", "f32 ab 1x5", "f32 ab 1x5", "f32 ba 3x5"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const prim_memory_desc_t src0 = op_md(rows[i].src0), src1 = op_md(rows[i].src1);
        const prim_memory_desc_t dst = op_md("f32 any 3x5");
        const prim_memory_desc_t made1 = op_md(rows[i].src1_made), made = op_md(rows[i].dst_made);
        prim_desc_t *pd = NULL;
        assert_int_equal(
                prim_binary_desc_create(&pd, op_engine, ADD, &src0, &src1, NULL, &dst, NULL), OK);
        assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 1), &made1));
        assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &made));
        prim_desc_destroy(pd);
    }
}

static void test_in_place(void **state)
{
    (void)state;
    int32_t a[4] = {INT32_MAX, INT32_MIN, 123456789, -7};
    int32_t b[4] = {1, -1, 987654321, 2};
    const prim_memory_desc_t md = op_md("s32 a 4");
    prim_memory_t *const dst = op_memory(&md, a), *const src1 = op_memory(&md, b);
    prim_desc_t *pd = NULL;
    assert_int_equal(
            prim_binary_desc_create(&pd, op_engine, PRIM_BINARY_ADD, &md, &md, NULL, &md, NULL),
            PRIM_SUCCESS);
    op_run(pd, 3,
            (prim_arg_t[]){{PRIM_ARG_SRC_0, dst}, {PRIM_ARG_SRC_1, src1}, {PRIM_ARG_DST, dst}});
    assert_int_equal(a[0], INT32_MAX);
    assert_int_equal(a[1], INT32_MIN);
    assert_int_equal(a[2], 1111111110);
    assert_int_equal(a[3], -5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_any),
            cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
