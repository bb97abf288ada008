// SPDX-License-Identifier: Apache-2.0
// prim_softmax_forward_desc_create(): every documented refusal, attributes, in place.
#include <math.h>

#include "op_test.h"

typedef struct {
    const char *name;
    prim_prop_kind_t prop;
    prim_alg_kind_t alg;
    const char *src, *dst;
    int axis;
    prim_status_t expected;
} case_t;

#define FWD PRIM_FORWARD_INFERENCE
#define SOFT PRIM_SOFTMAX_ACCURATE
#define LOG PRIM_SOFTMAX_LOG
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"plain", FWD, SOFT, "f32 ab 3x5", "f32 ab 3x5", 1, OK},
        {"training", PRIM_FORWARD_TRAINING, LOG, "f32 ab 3x5", "f32 any 3x5", 0, OK},
        {"types", FWD, SOFT, "bf16 aBcd16b 2x7x3x3", "u8 any 2x7x3x3", 1, OK},
        {"f64", FWD, SOFT, "f64 ab 3x5", "f64 ba 3x5", 1, OK},
        {"empty", FWD, SOFT, "f32 ab 0x5", "f32 ab 0x5", 1, OK},
        {"backward prop", PRIM_BACKWARD_DATA, SOFT, "f32 ab 3x5", "f32 ab 3x5", 1, BAD},
        {"no prop", PRIM_PROP_KIND_UNDEF, SOFT, "f32 ab 3x5", "f32 ab 3x5", 1, BAD},
        {"algorithm", FWD, PRIM_ELTWISE_EXP, "f32 ab 3x5", "f32 ab 3x5", 1, BAD},
        {"axis too large", FWD, SOFT, "f32 ab 3x5", "f32 ab 3x5", 2, BAD},
        {"axis negative", FWD, SOFT, "f32 ab 3x5", "f32 ab 3x5", -1, BAD},
        {"rank", FWD, SOFT, "f32 ab 3x5", "f32 abc 3x5x1", 1, BAD},
        {"dims", FWD, SOFT, "f32 ab 3x5", "f32 ab 3x6", 1, BAD},
        {"absent src", FWD, SOFT, "", "f32 ab 3x5", 1, BAD},
        {"src any", FWD, SOFT, "f32 any 3x5", "f32 ab 3x5", 1, BAD},
        {"null src", FWD, SOFT, NULL, "f32 ab 3x5", 1, BAD},
        {"null dst", FWD, SOFT, "f32 ab 3x5", NULL, 1, BAD},
        {"run-time", FWD, SOFT, "f32 ab rx5", "f32 ab rx5", 1, UN},
        {"type by name only", FWD, SOFT, "s4 ab 3x6", "f32 ab 3x6", 1, UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *c = &cases[i];
        prim_memory_desc_t src, dst;
        const prim_memory_desc_t *src_md = op_md_or_null(&src, c->src);
        const prim_memory_desc_t *dst_md = op_md_or_null(&dst, c->dst);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_softmax_forward_desc_create(
                &pd, op_engine, c->prop, c->alg, src_md, dst_md, c->axis, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    prim_desc_t *pd = UNTOUCHED;
    op_expect("null engine",
            prim_softmax_forward_desc_create(
                    &pd, NULL, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    assert_int_equal(prim_softmax_forward_desc_create(NULL, op_engine, PRIM_FORWARD_INFERENCE,
                             PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL),
            PRIM_INVALID_ARGUMENTS);
}

static prim_status_t create_with(prim_desc_t **pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = op_md("s8 ab 3x5");
    return prim_softmax_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &md, &md, 1, attr);
}

static void test_attributes(void **state)
{
    (void)state;
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32);
    prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32);
    op_expect("scales", create_with(&pd, attr), PRIM_SUCCESS, &pd);
    prim_attr_set_scales(attr, PRIM_ARG_DST, 2, 0, NULL, PRIM_F32);
    op_expect("scale mask", create_with(&pd, attr), PRIM_UNIMPLEMENTED, &pd);
    prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32);
    assert_int_equal(prim_post_ops_create(&post_ops), PRIM_SUCCESS);
    prim_post_ops_append_sum(post_ops, 1, 0, PRIM_DATA_TYPE_UNDEF);
    prim_attr_set_post_ops(attr, post_ops);
    op_expect("sum", create_with(&pd, attr), PRIM_UNIMPLEMENTED, &pd);
    prim_post_ops_destroy(post_ops);
    prim_attr_destroy(attr);

    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    prim_attr_set_zero_points(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_S32);
    op_expect("zero point", create_with(&pd, attr), PRIM_UNIMPLEMENTED, &pd);
    prim_attr_destroy(attr);
}

static void test_in_place(void **state)
{
    (void)state;
    float data[2][2] = {{0, 0}, {(float)-INFINITY, 1}};
    const prim_memory_desc_t md = op_md("f32 ab 2x2");
    prim_memory_t *const memory = op_memory(&md, data);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_softmax_forward_desc_create(&pd, op_engine, PRIM_FORWARD_INFERENCE,
                             PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL),
            PRIM_SUCCESS);
    op_run(pd, 2, (prim_arg_t[]){{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}});
    assert_true(data[0][0] == 0.5f && data[0][1] == 0.5f);
    assert_true(data[1][0] == 0 && data[1][1] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
