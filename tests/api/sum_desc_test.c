// SPDX-License-Identifier: Apache-2.0
// prim_sum_desc_create(): every documented refusal, the derived destination, hundreds of inputs.
#include "op_test.h"

typedef struct {
    const char *name;
    const char *src0, *src1, *dst;
    int n;
    prim_status_t expected;
} case_t;

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"derived", "f32 ab 3x5", "f32 ba 3x5", NULL, 2, OK},
        {"one source", "f32 ab 3x5", NULL, NULL, 1, OK},
        {"any", "f32 ab 3x5", "bf16 ab 3x5", "s8 any 3x5", 2, OK},
        {"empty", "f32 ab 0x5", "f32 ab 0x5", NULL, 2, OK},
        {"no source", "f32 ab 3x5", NULL, NULL, 0, BAD},
        {"too many", "f32 ab 3x5", NULL, NULL, 1025, BAD},
        {"rank", "f32 ab 3x5", "f32 abc 3x5x1", NULL, 2, BAD},
        {"dims", "f32 ab 3x5", "f32 ab 3x4", NULL, 2, BAD},
        {"dst dims", "f32 ab 3x5", "f32 ab 3x5", "f32 ab 3x6", 2, BAD},
        {"src any", "f32 ab 3x5", "f32 any 3x5", NULL, 2, BAD},
        {"absent src", "", "f32 ab 3x5", NULL, 2, BAD},
        {"null src 0", NULL, "f32 ab 3x5", NULL, 2, BAD},
        {"null src 1", "f32 ab 3x5", NULL, NULL, 2, BAD},
        {"run-time", "f32 ab rx5", "f32 ab rx5", NULL, 2, BAD},
        {"type by name only", "s4 ab 3x6", "s4 ab 3x6", NULL, 2, UN},
};

static void test_cases(void **state)
{
    (void)state;
    static const float scales[2] = {1, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *c = &cases[i];
        prim_memory_desc_t mds[2], dst;
        const prim_memory_desc_t *srcs[2];
        srcs[0] = op_md_or_null(&mds[0], c->src0);
        srcs[1] = op_md_or_null(&mds[1], c->src1);
        const prim_memory_desc_t *dst_md = op_md_or_null(&dst, c->dst);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st =
                prim_sum_desc_create(&pd, op_engine, dst_md, c->n, scales, srcs, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    const prim_memory_desc_t *const srcs[] = {&md};
    const float scale = 1;
    prim_desc_t *pd = UNTOUCHED;
    op_expect("null engine", prim_sum_desc_create(&pd, NULL, NULL, 1, &scale, srcs, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    op_expect("null scales", prim_sum_desc_create(&pd, op_engine, NULL, 1, NULL, srcs, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    op_expect("null sources", prim_sum_desc_create(&pd, op_engine, NULL, 1, &scale, NULL, NULL),
            PRIM_INVALID_ARGUMENTS, &pd);
    assert_int_equal(prim_sum_desc_create(NULL, op_engine, NULL, 1, &scale, srcs, NULL),
            PRIM_INVALID_ARGUMENTS);
}

static void test_attributes(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x5");
    const prim_memory_desc_t *const srcs[] = {&md};
    const float scale = 1;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    prim_attr_set_scales(attr, PRIM_ARG_MULTIPLE_SRC, 0, 0, NULL, PRIM_F32);
    op_expect("scales", prim_sum_desc_create(&pd, op_engine, NULL, 1, &scale, srcs, attr),
            PRIM_UNIMPLEMENTED, &pd);
    prim_attr_destroy(attr);
}

enum { MANY = 300 };

/// Hundreds of inputs, and the first one is the destination.
static void test_many_in_place(void **state)
{
    (void)state;
    static float src[MANY][2], scales[MANY];
    static prim_arg_t args[MANY + 1];
    static const prim_memory_desc_t *srcs[MANY];
    const prim_memory_desc_t md = op_md("f32 a 2");
    prim_desc_t *pd = NULL;
    for (int i = 0; i < MANY; ++i) {
        src[i][0] = (float)i;
        src[i][1] = 1;
        scales[i] = i % 2 ? -1 : 1;
        srcs[i] = &md;
        args[i] = (prim_arg_t){PRIM_ARG_MULTIPLE_SRC + i, op_memory(&md, src[i])};
    }
    args[MANY] = (prim_arg_t){PRIM_ARG_DST, args[0].memory};
    assert_int_equal(
            prim_sum_desc_create(&pd, op_engine, NULL, MANY, scales, srcs, NULL), PRIM_SUCCESS);
    op_run(pd, MANY + 1, args);
    assert_true(src[0][0] == -MANY / 2);
    assert_true(src[0][1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_many_in_place),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
