// SPDX-License-Identifier: Apache-2.0
// prim_concat_desc_create(): every documented refusal, the derived destination, scales.
#include "op_test.h"

typedef struct {
    const char *name;
    const char *src0, *src1, *dst;
    int n, axis;
    prim_status_t expected;
} case_t;

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"derived", "f32 ab 3x5", "f32 ab 3x2", NULL, 2, 1, OK},
        {"one source", "f32 ab 3x5", NULL, NULL, 1, 0, OK},
        {"any", "f32 ab 3x5", "f32 ba 3x2", "bf16 any 3x7", 2, 1, OK},
        {"types", "s8 ab 3x5", "u8 ab 3x2", "s32 ba 3x7", 2, 1, OK},
        {"empty source", "f32 ab 3x0", "f32 ab 3x2", NULL, 2, 1, OK},
        {"no source", "f32 ab 3x5", NULL, NULL, 0, 1, BAD},
        {"too many", "f32 ab 3x5", NULL, NULL, 1025, 1, BAD},
        {"axis too large", "f32 ab 3x5", "f32 ab 3x2", NULL, 2, 2, BAD},
        {"axis negative", "f32 ab 3x5", "f32 ab 3x2", NULL, 2, -1, BAD},
        {"rank", "f32 ab 3x5", "f32 abc 3x2x1", NULL, 2, 1, BAD},
        {"other dimension", "f32 ab 3x5", "f32 ab 4x2", NULL, 2, 1, BAD},
        {"dst rank", "f32 ab 3x5", "f32 ab 3x2", "f32 abc 3x7x1", 2, 1, BAD},
        {"dst extent", "f32 ab 3x5", "f32 ab 3x2", "f32 ab 3x8", 2, 1, BAD},
        {"src any", "f32 ab 3x5", "f32 any 3x2", NULL, 2, 1, BAD},
        {"absent src", "", "f32 ab 3x2", NULL, 2, 1, BAD},
        {"null src 0", NULL, "f32 ab 3x2", NULL, 2, 1, BAD},
        {"null src 1", "f32 ab 3x5", NULL, NULL, 2, 1, BAD},
        {"run-time", "f32 ab rx5", "f32 ab rx2", NULL, 2, 1, UN},
        {"type by name only", "s4 ab 3x4", "s4 ab 3x2", NULL, 2, 1, UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *c = &cases[i];
        prim_memory_desc_t mds[2], dst;
        const prim_memory_desc_t *srcs[2];
        srcs[0] = op_md_or_null(&mds[0], c->src0);
        srcs[1] = op_md_or_null(&mds[1], c->src1);
        const prim_memory_desc_t *dst_md = op_md_or_null(&dst, c->dst);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st =
                prim_concat_desc_create(&pd, op_engine, dst_md, c->n, c->axis, srcs, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    const prim_memory_desc_t *const srcs[] = {&md};
    prim_desc_t *pd = UNTOUCHED;
    op_expect("null engine", prim_concat_desc_create(&pd, NULL, NULL, 1, 0, srcs, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    op_expect("null sources", prim_concat_desc_create(&pd, op_engine, NULL, 1, 0, NULL, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    assert_int_equal(prim_concat_desc_create(NULL, op_engine, NULL, 1, 0, srcs, NULL),
            PRIM_INVALID_ARGUMENTS);
}

static void test_derived_dst(void **state)
{
    (void)state;
    const prim_memory_desc_t a = op_md("bf16 acdb 2x3x4x5"), b = op_md("bf16 abcd 2x1x4x5");
    const prim_memory_desc_t expected = op_md("bf16 acdb 2x4x4x5");
    const prim_memory_desc_t *const srcs[] = {&a, &b};
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_concat_desc_create(&pd, op_engine, NULL, 2, 1, srcs, NULL), PRIM_SUCCESS);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &expected));
    prim_desc_destroy(pd);
}

static void test_scales(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("s8 ab 3x5");
    const prim_memory_desc_t *const srcs[] = {&md, &md};
    static const struct {
        const char *name;
        int arg, mask;
        prim_status_t expected;
    } rules[] = {
            {"second source", PRIM_ARG_MULTIPLE_SRC + 1, 0, OK},
            {"third of two", PRIM_ARG_MULTIPLE_SRC + 2, 0, UN},
            {"mask", PRIM_ARG_MULTIPLE_SRC, 2, UN},
            {"dst", PRIM_ARG_DST, 0, UN},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        prim_attr_t *attr = NULL;
        prim_desc_t *pd = UNTOUCHED;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        prim_attr_set_scales(attr, rules[i].arg, rules[i].mask, 0, NULL, PRIM_F32);
        op_expect(rules[i].name, prim_concat_desc_create(&pd, op_engine, NULL, 2, 1, srcs, attr),
                rules[i].expected, &pd);
        prim_attr_destroy(attr);
    }
}

enum { MANY = 300 };

/// Far more sources than a kernel or a small array would take.
static void test_many(void **state)
{
    (void)state;
    static float src[MANY], dst[MANY];
    static prim_arg_t args[MANY + 1];
    static const prim_memory_desc_t *srcs[MANY];
    const prim_memory_desc_t one = op_md("f32 a 1"), all = op_md("f32 a 300");
    prim_desc_t *pd = NULL;
    for (int i = 0; i < MANY; ++i) {
        src[i] = (float)i;
        srcs[i] = &one;
        args[i] = (prim_arg_t){PRIM_ARG_MULTIPLE_SRC + i, op_memory(&one, &src[i])};
    }
    args[MANY] = (prim_arg_t){PRIM_ARG_DST, op_memory(&all, dst)};
    assert_int_equal(
            prim_concat_desc_create(&pd, op_engine, NULL, MANY, 0, srcs, NULL), PRIM_SUCCESS);
    op_run(pd, MANY + 1, args);
    assert_memory_equal(dst, src, sizeof dst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_derived_dst),
            cmocka_unit_test(test_scales),
            cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
