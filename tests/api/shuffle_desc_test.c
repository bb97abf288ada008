// SPDX-License-Identifier: Apache-2.0
// prim_shuffle_forward_desc_create() and …_backward_…: every documented refusal, the hint, queries,
// and the order of channels.
#include "op_test.h"

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

typedef struct {
    const char *name, *from, *to;
    int axis;
    prim_dim_t group_size;
    prim_status_t expected;
} case_t;

static const case_t cases[] = {
        {"plain", "f32 ab 3x6", "f32 ab 3x6", 1, 3, OK},
        {"any", "s8 abc 2x6x5", "s8 any 2x6x5", 1, 2, OK},
        {"one group", "f16 ab 3x6", "f16 ba 3x6", 0, 1, OK},
        {"groups of one", "f32 ab 3x6", "f32 ab 3x6", 1, 6, OK},
        {"empty", "f32 ab 0x6", "f32 ab 0x6", 0, 3, OK},
        {"axis too large", "f32 ab 3x6", "f32 ab 3x6", 2, 3, BAD},
        {"axis negative", "f32 ab 3x6", "f32 ab 3x6", -1, 3, BAD},
        {"group size 0", "f32 ab 3x6", "f32 ab 3x6", 1, 0, BAD},
        {"group size negative", "f32 ab 3x6", "f32 ab 3x6", 1, -3, BAD},
        {"not divided", "f32 ab 3x6", "f32 ab 3x6", 1, 4, BAD},
        {"larger than the axis", "f32 ab 3x6", "f32 ab 3x6", 1, 12, BAD},
        {"dims", "f32 ab 3x6", "f32 ab 3x3", 1, 3, BAD},
        {"rank", "f32 ab 3x6", "f32 abc 3x6x1", 1, 3, BAD},
        {"input any", "f32 any 3x6", "f32 ab 3x6", 1, 3, BAD},
        {"absent input", "", "f32 ab 3x6", 1, 3, BAD},
        {"null input", NULL, "f32 ab 3x6", 1, 3, BAD},
        {"null output", "f32 ab 3x6", NULL, 1, 3, BAD},
        {"run-time", "f32 ab rx6", "f32 ab rx6", 1, 3, UN},
        {"two types", "f32 ab 3x6", "f16 ab 3x6", 1, 3, UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t from, to;
        prim_desc_t *pd = UNTOUCHED;
        op_expect(c->name,
                prim_shuffle_forward_desc_create(&pd, op_engine, PRIM_FORWARD_INFERENCE,
                        op_md_or_null(&from, c->from), op_md_or_null(&to, c->to), c->axis,
                        c->group_size, NULL),
                c->expected, &pd);
        pd = UNTOUCHED;
        op_expect(c->name,
                prim_shuffle_backward_desc_create(&pd, op_engine, op_md_or_null(&to, c->to),
                        op_md_or_null(&from, c->from), c->axis, c->group_size, NULL, NULL),
                c->expected, &pd);
    }
}

static prim_desc_t *forward_of(const char *text, int axis, prim_dim_t group_size)
{
    const prim_memory_desc_t md = op_md(text);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_shuffle_forward_desc_create(&pd, op_engine, PRIM_FORWARD_TRAINING, &md,
                             &md, axis, group_size, NULL),
            OK);
    return pd;
}

static void test_refused(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x6");
    prim_desc_t *const other = forward_of("f32 ab 3x8", 1, 2);
    prim_desc_t *pd = UNTOUCHED;
    prim_attr_t *attr = NULL;
    op_expect("null engine",
            prim_shuffle_forward_desc_create(
                    &pd, NULL, PRIM_FORWARD_TRAINING, &md, &md, 1, 3, NULL),
            BAD, &pd);
    op_expect("prop kind",
            prim_shuffle_forward_desc_create(
                    &pd, op_engine, PRIM_BACKWARD_DATA, &md, &md, 1, 3, NULL),
            BAD, &pd);
    op_expect("hint",
            prim_shuffle_backward_desc_create(&pd, op_engine, &md, &md, 1, 3, other, NULL), BAD,
            &pd);
    assert_int_equal(prim_attr_create(&attr), OK);
    prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32);
    op_expect("scales",
            prim_shuffle_forward_desc_create(
                    &pd, op_engine, PRIM_FORWARD_TRAINING, &md, &md, 1, 3, attr),
            UN, &pd);
    prim_attr_destroy(attr);
    prim_desc_destroy(other);
}

static void test_queries(void **state)
{
    (void)state;
    prim_desc_t *const pd = forward_of("f32 ab 3x6", 1, 2);
    int axis = -1;
    int64_t group_size = -1;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_AXIS_S32, 0, &axis), OK);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_GROUP_SIZE_S64, 0, &group_size), OK);
    assert_int_equal(axis, 1);
    assert_int_equal(group_size, 2);
    prim_desc_destroy(pd);
}

/// Three groups of two channels: 0 1 | 2 3 | 4 5 becomes 0 2 4 1 3 5 as in oneDNN, and back.
static void test_order(void **state)
{
    (void)state;
    float src[6] = {0, 1, 2, 3, 4, 5}, dst[6], back[6];
    const float expected[6] = {0, 2, 4, 1, 3, 5};
    const prim_memory_desc_t md = op_md("f32 ab 1x6");
    prim_desc_t *backward = NULL;
    op_run(forward_of("f32 ab 1x6", 1, 2), 2,
            (prim_arg_t[]){
                    {PRIM_ARG_SRC, op_memory(&md, src)}, {PRIM_ARG_DST, op_memory(&md, dst)}});
    assert_int_equal(
            prim_shuffle_backward_desc_create(&backward, op_engine, &md, &md, 1, 2, NULL, NULL),
            OK);
    op_run(backward, 2,
            (prim_arg_t[]){{PRIM_ARG_DIFF_DST, op_memory(&md, dst)},
                    {PRIM_ARG_DIFF_SRC, op_memory(&md, back)}});
    for (int i = 0; i < 6; ++i) assert_true(dst[i] == expected[i] && back[i] == src[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_refused),
            cmocka_unit_test(test_queries),
            cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
