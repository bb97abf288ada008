// SPDX-License-Identifier: Apache-2.0
// prim_matmul_desc_create(): every documented refusal, layouts for `any`, run-time dimensions,
// attributes, queries.
#include "op_test.h"

#include <string.h>

typedef struct {
    const char *name;
    const char *src, *wei, *bia, *dst;
    prim_status_t expected;
} case_t;

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

#define TWELVE "1x1x1x1x1x1x1x1x1x1x"

static const case_t cases[] = {
        {"plain", "f32 ab 3x5", "f32 ab 5x4", NULL, "f32 ab 3x4", OK},
        {"absent bias", "f32 ab 3x5", "f32 ba 5x4", "", "f32 ba 3x4", OK},
        {"bias", "f32 ab 3x5", "f32 ab 5x4", "f32 ab 1x4", "f32 ab 3x4", OK},
        {"bias of every element", "f32 ab 3x5", "f32 ab 5x4", "f32 ab 3x4", "f32 ab 3x4", OK},
        {"bias of one", "f32 ab 3x5", "f32 ab 5x4", "f32 any 1x1", "f32 ab 3x4", OK},
        {"batch", "f32 abc 2x3x5", "f32 abc 2x5x4", NULL, "f32 abc 2x3x4", OK},
        {"batch of src", "f32 abc 2x3x5", "f32 abc 1x5x4", NULL, "f32 abc 2x3x4", OK},
        {"batch of weights", "f32 abc 1x3x5", "f32 abc 2x5x4", NULL, "f32 abc 2x3x4", OK},
        {"batches cross", "f32 abcd 7x1x3x5", "f32 abcd 1x2x5x4", NULL, "f32 abcd 7x2x3x4", OK},
        {"rank 12", "f32 any " TWELVE "3x5", "f32 any " TWELVE "5x4", NULL, "f32 any " TWELVE "3x4",
                OK},
        {"no depth", "f32 ab 3x0", "f32 ab 0x4", NULL, "f32 ab 3x4", OK},
        {"no row", "f32 ab 0x5", "f32 ab 5x4", NULL, "f32 ab 0x4", OK},
        {"run-time rows", "f32 ab rx5", "f32 ab 5x4", NULL, "f32 ab rx4", OK},
        {"all run-time", "f32 ab rxr", "f32 ab rxr", "f32 ab 1xr", "f32 ab rxr", OK},
        {"run-time batch", "f32 abc rx3x5", "f32 abc 1x5x4", NULL, "f32 abc rx3x4", OK},
        {"half", "f16 ab 3x5", "bf16 ab 5x4", "f32 ab 1x4", "f16 ab 3x4", OK},
        {"integers", "u8 ab 3x5", "s8 ab 5x4", "s32 ab 1x4", "s32 ab 3x4", OK},

        {"null src", NULL, "f32 ab 5x4", NULL, "f32 ab 3x4", BAD},
        {"null weights", "f32 ab 3x5", NULL, NULL, "f32 ab 3x4", BAD},
        {"null dst", "f32 ab 3x5", "f32 ab 5x4", NULL, NULL, BAD},
        {"absent src", "", "f32 ab 5x4", NULL, "f32 ab 3x4", BAD},
        {"absent weights", "f32 ab 3x5", "", NULL, "f32 ab 3x4", BAD},
        {"absent dst", "f32 ab 3x5", "f32 ab 5x4", NULL, "", BAD},
        {"rank 1", "f32 a 5", "f32 a 5", NULL, "f32 a 1", BAD},
        {"rank of weights", "f32 ab 3x5", "f32 abc 1x5x4", NULL, "f32 ab 3x4", BAD},
        {"rank of bias", "f32 ab 3x5", "f32 ab 5x4", "f32 a 4", "f32 ab 3x4", BAD},
        {"rank of dst", "f32 ab 3x5", "f32 ab 5x4", NULL, "f32 abc 1x3x4", BAD},
        {"K", "f32 ab 3x5", "f32 ab 6x4", NULL, "f32 ab 3x4", BAD},
        {"M", "f32 ab 3x5", "f32 ab 5x4", NULL, "f32 ab 2x4", BAD},
        {"N", "f32 ab 3x5", "f32 ab 5x4", NULL, "f32 ab 3x5", BAD},
        {"batches differ", "f32 abc 2x3x5", "f32 abc 3x5x4", NULL, "f32 abc 3x3x4", BAD},
        {"batch of dst is 1", "f32 abc 2x3x5", "f32 abc 2x5x4", NULL, "f32 abc 1x3x4", BAD},
        {"batch of dst is larger", "f32 abc 1x3x5", "f32 abc 1x5x4", NULL, "f32 abc 2x3x4", BAD},
        {"bias of other N", "f32 ab 3x5", "f32 ab 5x4", "f32 ab 1x3", "f32 ab 3x4", BAD},
        {"bias of other M", "f32 ab 3x5", "f32 ab 5x4", "f32 ab 2x4", "f32 ab 3x4", BAD},
        {"run-time M in src only", "f32 ab rx5", "f32 ab 5x4", NULL, "f32 ab 3x4", BAD},
        {"run-time K in src only", "f32 ab 3xr", "f32 ab 5x4", NULL, "f32 ab 3x4", BAD},
        {"run-time N in dst only", "f32 ab 3x5", "f32 ab 5x4", NULL, "f32 ab 3xr", BAD},
        {"run-time src any", "f32 any rx5", "f32 ab 5x4", NULL, "f32 ab rx4", BAD},
        {"run-time weights any", "f32 ab 3x5", "f32 any 5xr", NULL, "f32 ab 3xr", BAD},
        {"run-time bias any", "f32 ab 3x5", "f32 ab 5xr", "f32 any 1xr", "f32 ab 3xr", BAD},
        {"run-time dst any", "f32 ab rx5", "f32 ab 5x4", NULL, "f32 any rx4", BAD},

        {"integer by float", "s8 ab 3x5", "f32 ab 5x4", NULL, "f32 ab 3x4", UN},
        {"s32 src", "s32 ab 3x5", "s32 ab 5x4", NULL, "s32 ab 3x4", UN},
        {"integer weights", "f32 ab 3x5", "s8 ab 5x4", NULL, "f32 ab 3x4", UN},
        {"dst by name only", "f32 ab 3x5", "f32 ab 5x4", NULL, "s4 ab 3x4", UN},
        {"bias by name only", "f32 ab 3x5", "f32 ab 5x4", "u4 ab 1x4", "f32 ab 3x4", UN},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t mds[4];
        const prim_memory_desc_t *const src = op_md_or_null(&mds[0], c->src);
        const prim_memory_desc_t *const wei = op_md_or_null(&mds[1], c->wei);
        const prim_memory_desc_t *const bia = op_md_or_null(&mds[2], c->bia);
        const prim_memory_desc_t *const dst = op_md_or_null(&mds[3], c->dst);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_matmul_desc_create(&pd, op_engine, src, wei, bia, dst, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x3");
    prim_desc_t *pd = UNTOUCHED;
    op_expect(
            "null engine", prim_matmul_desc_create(&pd, NULL, &md, &md, NULL, &md, NULL), BAD, &pd);
    assert_int_equal(prim_matmul_desc_create(NULL, op_engine, &md, &md, NULL, &md, NULL), BAD);
}

/// A product of s8 by s8 to f32, [2, 3, 8] by [2, 8, 4].
static prim_status_t create_with(prim_desc_t **pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t src = op_md("s8 abc 2x3x8"), wei = op_md("s8 abc 2x8x4");
    const prim_memory_desc_t dst = op_md("f32 abc 2x3x4");
    return prim_matmul_desc_create(pd, op_engine, &src, &wei, NULL, &dst, attr);
}

typedef struct {
    const char *name;
    int arg, mask, ngroups;
    prim_dims_t groups;
    prim_status_t expected;
} quant_case_t;

static const quant_case_t quant_cases[] = {
        {"src", PRIM_ARG_SRC, 0, 0, {0}, OK},
        {"src by rows", PRIM_ARG_SRC, 2, 0, {0}, OK},
        {"weights by columns", PRIM_ARG_WEIGHTS, 4, 0, {0}, OK},
        {"weights by element", PRIM_ARG_WEIGHTS, 7, 0, {0}, OK},
        {"weights by groups", PRIM_ARG_WEIGHTS, 6, 2, {4, 1}, OK},
        {"dst", PRIM_ARG_DST, 4, 0, {0}, OK},
        {"groups that do not divide", PRIM_ARG_WEIGHTS, 6, 2, {3, 1}, BAD},
        {"mask beyond the rank", PRIM_ARG_SRC, 8, 0, {0}, UN},
        {"second source", PRIM_ARG_SRC_1, 0, 0, {0}, UN},
};

static void test_quantisation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof quant_cases / sizeof quant_cases[0]; ++i) {
        const quant_case_t *const c = &quant_cases[i];
        for (int is_zero_point = 0; is_zero_point < 2; ++is_zero_point) {
            prim_attr_t *attr = NULL;
            prim_desc_t *pd = UNTOUCHED;
            assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
            assert_int_equal(is_zero_point ? prim_attr_set_zero_points(attr, c->arg, c->mask,
                                                     c->ngroups, c->groups, PRIM_S32)
                                           : prim_attr_set_scales(attr, c->arg, c->mask, c->ngroups,
                                                     c->groups, PRIM_F32),
                    PRIM_SUCCESS);
            op_expect(c->name, create_with(&pd, attr), c->expected, &pd);
            prim_attr_destroy(attr);
        }
    }
}

/// Weights of integers need the caller's word that the products may be inexact.
static void test_integer_weights(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md("f32 ab 3x8"), wei = op_md("s8 ab 8x4");
    const prim_memory_desc_t dst = op_md("f32 ab 3x4");
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_fpmath_mode(attr, PRIM_FPMATH_STRICT, false), PRIM_SUCCESS);
    op_expect("not allowed", prim_matmul_desc_create(&pd, op_engine, &src, &wei, NULL, &dst, attr),
            UN, &pd);
    assert_int_equal(prim_attr_set_fpmath_mode(attr, PRIM_FPMATH_STRICT, true), PRIM_SUCCESS);
    op_expect("allowed", prim_matmul_desc_create(&pd, op_engine, &src, &wei, NULL, &dst, attr), OK,
            &pd);
    prim_attr_destroy(attr);
}

static void test_post_ops(void **state)
{
    (void)state;
    op_expect_post_ops(create_with, "f32 abc 1x1x4", "f32 abc 1x2x4", 4);
}

/// src, bias and dst become row-major; weights whatever, but known and of the same shape.
static void test_any(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md("f32 any 2x3x5"), wei = op_md("f32 any 1x5x4");
    const prim_memory_desc_t bia = op_md("f32 any 1x1x4"), dst = op_md("f32 any 2x3x4");
    prim_desc_t *pd = NULL;
    assert_int_equal(
            prim_matmul_desc_create(&pd, op_engine, &src, &wei, &bia, &dst, NULL), PRIM_SUCCESS);
    op_expect_tag(pd, PRIM_ARG_SRC, "abc");
    op_expect_tag(pd, PRIM_ARG_BIAS, "abc");
    op_expect_tag(pd, PRIM_ARG_DST, "abc");
    const prim_memory_desc_t *const chosen = prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0);
    assert_int_equal(chosen->format_kind, PRIM_FORMAT_KIND_BLOCKED);
    assert_memory_equal(chosen->dims, wei.dims, 3 * sizeof wei.dims[0]);
    prim_desc_destroy(pd);
}

static void test_queries(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md("f32 ab 3x5"), wei = op_md("f32 ab 5x4");
    const prim_memory_desc_t bia = op_md("f32 ab 1x4"), dst = op_md("f32 ab 3x4");
    prim_desc_t *pd = NULL;
    assert_int_equal(
            prim_matmul_desc_create(&pd, op_engine, &src, &wei, &bia, &dst, NULL), PRIM_SUCCESS);
    prim_primitive_kind_t kind = PRIM_REORDER;
    int ninputs = 0, noutputs = 0;
    prim_prop_kind_t prop_kind = PRIM_BACKWARD;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PRIMITIVE_KIND, 0, &kind), PRIM_SUCCESS);
    assert_int_equal(kind, PRIM_MATMUL);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_NUM_OF_OUTPUTS_S32, 0, &noutputs), OK);
    assert_int_equal(noutputs, 1);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_NUM_OF_INPUTS_S32, 0, &ninputs), OK);
    assert_int_equal(ninputs, 3);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0), &src));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0), &wei));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 1), &bia));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &dst));
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PROP_KIND, 0, &prop_kind), UN);
    assert_int_equal(prop_kind, PRIM_BACKWARD);
    prim_desc_destroy(pd);
}

static void expect_arg_md(const prim_desc_t *pd, int arg, const char *expected)
{
    const prim_memory_desc_t wanted = op_md(expected);
    const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, arg);
    assert_true(prim_memory_desc_equal(md, &wanted));
}

/// Scales and zero points are inputs, and have descriptors that memories can be made of.
static void test_queries_of_quantisation(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md("u8 abc 2x3x64"), wei = op_md("s8 abc 1x64x4");
    const prim_memory_desc_t dst = op_md("f32 abc 2x3x4");
    const prim_dim_t groups[] = {32, 1};
    prim_desc_t *pd = NULL, *copy = NULL;
    prim_attr_t *attr = NULL;
    prim_attr_create(&attr);
    prim_attr_set_scales(attr, PRIM_ARG_WEIGHTS, 6, 2, groups, PRIM_F16);
    prim_attr_set_scales(attr, PRIM_ARG_DST, 4, 0, NULL, PRIM_F32);
    prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32);
    assert_int_equal(
            prim_matmul_desc_create(&pd, op_engine, &src, &wei, NULL, &dst, attr), PRIM_SUCCESS);
    prim_attr_destroy(attr);
    assert_int_equal(prim_desc_clone(&copy, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    int ninputs = 0;
    assert_int_equal(prim_desc_query(copy, PRIM_QUERY_NUM_OF_INPUTS_S32, 0, &ninputs), OK);
    assert_int_equal(ninputs, 5);
    expect_arg_md(copy, PRIM_ARG_ATTR_SCALES | PRIM_ARG_WEIGHTS, "f16 abc 1x2x4");
    expect_arg_md(copy, PRIM_ARG_ATTR_SCALES | PRIM_ARG_DST, "f32 abc 1x1x4");
    expect_arg_md(copy, PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_SRC, "s32 a 1");
    const int absent[] = {PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_WEIGHTS,
            PRIM_ARG_ATTR_SCALES | PRIM_ARG_SRC,
            PRIM_ARG_ATTR_SCALES | PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_SRC};
    for (int i = 0; i < 3; ++i)
        assert_int_equal(prim_desc_query_md(copy, PRIM_QUERY_EXEC_ARG_MD, absent[i])->ndims, 0);
    prim_desc_destroy(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_quantisation),
            cmocka_unit_test(test_integer_weights),
            cmocka_unit_test(test_post_ops),
            cmocka_unit_test(test_any),
            cmocka_unit_test(test_queries),
            cmocka_unit_test(test_queries_of_quantisation),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
