// SPDX-License-Identifier: Apache-2.0
// prim_softmax_backward_desc_create(): every documented refusal, the hint, queries, in place.
#include <math.h>
#include <string.h>

#include "op_test.h"

typedef struct {
    const char *name;
    prim_alg_kind_t alg;
    const char *diff_src, *diff_dst, *dst;
    int axis;
    prim_status_t expected;
} case_t;

#define SOFT PRIM_SOFTMAX_ACCURATE
#define LOG PRIM_SOFTMAX_LOG
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"plain", SOFT, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 1, OK},
        {"any", LOG, "f32 any 3x5", "f32 any 3x5", "f32 ba 3x5", 0, OK},
        {"types", SOFT, "bf16 aBc16b 2x7x3", "f16 abc 2x7x3", "f64 acb 2x7x3", 1, OK},
        {"empty", SOFT, "f32 ab 0x5", "f32 ab 0x5", "f32 ab 0x5", 1, OK},
        {"algorithm", PRIM_ELTWISE_EXP, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 1, BAD},
        {"axis too large", SOFT, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 2, BAD},
        {"axis negative", SOFT, "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", -1, BAD},
        {"rank", SOFT, "f32 ab 3x5", "f32 abc 3x5x1", "f32 ab 3x5", 1, BAD},
        {"dims of diff_src", SOFT, "f32 ab 3x6", "f32 ab 3x5", "f32 ab 3x5", 1, BAD},
        {"dims of diff_dst", SOFT, "f32 ab 3x5", "f32 ab 4x5", "f32 ab 3x5", 1, BAD},
        {"dst any", SOFT, "f32 ab 3x5", "f32 ab 3x5", "f32 any 3x5", 1, BAD},
        {"absent dst", SOFT, "f32 ab 3x5", "f32 ab 3x5", "", 1, BAD},
        {"null diff_src", SOFT, NULL, "f32 ab 3x5", "f32 ab 3x5", 1, BAD},
        {"null diff_dst", SOFT, "f32 ab 3x5", NULL, "f32 ab 3x5", 1, BAD},
        {"null dst", SOFT, "f32 ab 3x5", "f32 ab 3x5", NULL, 1, BAD},
        {"run-time", SOFT, "f32 ab rx5", "f32 ab rx5", "f32 ab rx5", 1, UN},
        {"integer diff_src", SOFT, "s8 ab 3x5", "f32 ab 3x5", "f32 ab 3x5", 1, UN},
        {"integer dst", SOFT, "f32 ab 3x5", "f32 ab 3x5", "u8 ab 3x5", 1, UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t diff_src, diff_dst, dst;
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_softmax_backward_desc_create(&pd, op_engine, c->alg,
                op_md_or_null(&diff_src, c->diff_src), op_md_or_null(&diff_dst, c->diff_dst),
                op_md_or_null(&dst, c->dst), c->axis, NULL, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static prim_status_t create(
        prim_desc_t **pd, const char *text, const prim_desc_t *hint, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = op_md(text);
    return prim_softmax_backward_desc_create(
            pd, op_engine, PRIM_SOFTMAX_ACCURATE, &md, &md, &md, 1, hint, attr);
}

static prim_desc_t *forward_of(const char *text)
{
    const prim_memory_desc_t md = op_md(text);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_softmax_forward_desc_create(&pd, op_engine, PRIM_FORWARD_TRAINING,
                             PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL),
            PRIM_SUCCESS);
    return pd;
}

static prim_desc_t *relu(void)
{
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_eltwise_forward_desc_create(&pd, op_engine, PRIM_FORWARD_TRAINING,
                             PRIM_ELTWISE_RELU, &md, &md, 0, 0, NULL),
            PRIM_SUCCESS);
    return pd;
}

static void test_hint(void **state)
{
    (void)state;
    prim_desc_t *const same = forward_of("bf16 ba 3x5"), *const other = forward_of("f32 ab 3x6"),
                       *const higher = forward_of("f32 abc 3x5x1"), *const foreign = relu();
    prim_desc_t *pd = NULL, *backward = NULL;
    assert_int_equal(create(&backward, "f32 ab 3x5", same, NULL), PRIM_SUCCESS);
    pd = UNTOUCHED;
    op_expect("shape", create(&pd, "f32 ab 3x5", other, NULL), BAD, &pd);
    assert_string_equal(
            prim_last_error(), "softmax backward dst has 5 in dimension 1, that of the hint has 6");
    op_expect("rank", create(&pd, "f32 ab 3x5", higher, NULL), BAD, &pd);
    op_expect("operation", create(&pd, "f32 ab 3x5", foreign, NULL), BAD, &pd);
    op_expect("pass", create(&pd, "f32 ab 3x5", backward, NULL), BAD, &pd);
    prim_desc_destroy(same);
    prim_desc_destroy(other);
    prim_desc_destroy(higher);
    prim_desc_destroy(foreign);
    prim_desc_destroy(backward);
}

static void test_nulls_and_attributes(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    prim_desc_t *pd = UNTOUCHED;
    prim_attr_t *attr = NULL;
    op_expect("null engine",
            prim_softmax_backward_desc_create(&pd, NULL, SOFT, &md, &md, &md, 1, NULL, NULL), BAD,
            &pd);
    assert_int_equal(create(NULL, "f32 ab 3x5", NULL, NULL), BAD);
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    op_expect("default attributes", create(&pd, "f32 ab 3x5", NULL, attr), OK, &pd);
    pd = UNTOUCHED;
    prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32);
    op_expect("scales", create(&pd, "f32 ab 3x5", NULL, attr), UN, &pd);
    prim_attr_destroy(attr);
}

/// Layouts `any` follow dst, by way of diff_dst.
static void test_queries(void **state)
{
    (void)state;
    const prim_memory_desc_t open = op_md("f32 any 3x5"), dst = op_md("f32 ba 3x5");
    prim_desc_t *pd = NULL;
    prim_prop_kind_t prop_kind = PRIM_PROP_KIND_UNDEF;
    int axis = -1;
    assert_int_equal(prim_softmax_backward_desc_create(
                             &pd, op_engine, LOG, &open, &open, &dst, 1, NULL, NULL),
            OK);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DIFF_SRC_MD, 0), &dst));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DIFF_DST_MD, 0), &dst));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &dst));
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0)->ndims, 0);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PROP_KIND, 0, &prop_kind), OK);
    assert_int_equal(prop_kind, PRIM_BACKWARD_DATA);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_AXIS_S32, 0, &axis), OK);
    assert_int_equal(axis, 1);
    prim_desc_destroy(pd);
}

static void test_in_place(void **state)
{
    (void)state;
    float dst[2][2] = {{0.5f, 0.5f}, {0.25f, 0.75f}}, diff[2][2] = {{1, 3}, {4, -4}};
    const prim_memory_desc_t md = op_md("f32 ab 2x2");
    prim_memory_t *const in = op_memory(&md, dst), *const memory = op_memory(&md, diff);
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, "f32 ab 2x2", NULL, NULL), PRIM_SUCCESS);
    op_run(pd, 3,
            (prim_arg_t[]){
                    {PRIM_ARG_DST, in}, {PRIM_ARG_DIFF_DST, memory}, {PRIM_ARG_DIFF_SRC, memory}});
    assert_true(diff[0][0] == -0.5f && diff[0][1] == 0.5f);
    assert_true(diff[1][0] == 1.5f && diff[1][1] == -1.5f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_hint),
            cmocka_unit_test(test_nulls_and_attributes),
            cmocka_unit_test(test_queries),
            cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
