// SPDX-License-Identifier: Apache-2.0
// prim_inner_product_forward_desc_create(): every documented refusal, layouts for `any`,
// attributes, queries.
#include "op_test.h"

#include <string.h>

typedef struct {
    const char *name;
    prim_prop_kind_t prop_kind;
    const char *src, *wei, *bia, *dst;
    prim_status_t expected;
} case_t;

#define INFER PRIM_FORWARD_INFERENCE
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

static const case_t cases[] = {
        {"plain", INFER, "f32 ab 3x5", "f32 ab 4x5", NULL, "f32 ab 3x4", OK},
        {"training", PRIM_FORWARD_TRAINING, "f32 ab 3x5", "f32 ab 4x5", "", "f32 ab 3x4", OK},
        {"bias", INFER, "f32 ab 3x5", "f32 ba 4x5", "f32 a 4", "f32 ab 3x4", OK},
        {"1-D", INFER, "f32 abc 3x5x2", "f32 acb 4x5x2", NULL, "f32 ab 3x4", OK},
        {"3-D", INFER, "f32 abcde 3x5x2x2x2", "f32 any 4x5x2x2x2", NULL, "f32 any 3x4", OK},
        {"no channel", INFER, "f32 ab 3x0", "f32 ab 4x0", NULL, "f32 ab 3x4", OK},
        {"no image", INFER, "f32 ab 0x5", "f32 ab 4x5", NULL, "f32 ab 0x4", OK},
        {"integers", INFER, "u8 ab 3x5", "s8 ab 4x5", "s32 a 4", "u8 ab 3x4", OK},
        {"half", INFER, "f16 ab 3x5", "f16 ab 4x5", "f32 a 4", "f32 ab 3x4", OK},

        {"backward", PRIM_BACKWARD_DATA, "f32 ab 3x5", "f32 ab 4x5", NULL, "f32 ab 3x4", BAD},
        {"null src", INFER, NULL, "f32 ab 4x5", NULL, "f32 ab 3x4", BAD},
        {"null weights", INFER, "f32 ab 3x5", NULL, NULL, "f32 ab 3x4", BAD},
        {"null dst", INFER, "f32 ab 3x5", "f32 ab 4x5", NULL, NULL, BAD},
        {"absent src", INFER, "", "f32 ab 4x5", NULL, "f32 ab 3x4", BAD},
        {"absent weights", INFER, "f32 ab 3x5", "", NULL, "f32 ab 3x4", BAD},
        {"absent dst", INFER, "f32 ab 3x5", "f32 ab 4x5", NULL, "", BAD},
        {"rank 1", INFER, "f32 a 5", "f32 a 5", NULL, "f32 ab 1x1", BAD},
        {"rank 6", INFER, "f32 any 3x5x1x1x1x1", "f32 any 4x5x1x1x1x1", NULL, "f32 ab 3x4", BAD},
        {"rank of weights", INFER, "f32 abc 3x5x2", "f32 ab 4x10", NULL, "f32 ab 3x4", BAD},
        {"rank of bias", INFER, "f32 ab 3x5", "f32 ab 4x5", "f32 ab 1x4", "f32 ab 3x4", BAD},
        {"rank of dst", INFER, "f32 abc 3x5x1", "f32 abc 4x5x1", NULL, "f32 abc 3x4x1", BAD},
        {"IC", INFER, "f32 ab 3x5", "f32 ab 4x6", NULL, "f32 ab 3x4", BAD},
        {"position", INFER, "f32 abc 3x5x2", "f32 abc 4x5x3", NULL, "f32 ab 3x4", BAD},
        {"N", INFER, "f32 ab 3x5", "f32 ab 4x5", NULL, "f32 ab 2x4", BAD},
        {"OC", INFER, "f32 ab 3x5", "f32 ab 4x5", NULL, "f32 ab 3x5", BAD},
        {"OC of bias", INFER, "f32 ab 3x5", "f32 ab 4x5", "f32 a 5", "f32 ab 3x4", BAD},

        {"run-time N", INFER, "f32 ab rx5", "f32 ab 4x5", NULL, "f32 ab rx4", UN},
        {"run-time OC", INFER, "f32 ab 3x5", "f32 ab rx5", "f32 a r", "f32 ab 3xr", UN},
        {"run-time bias", INFER, "f32 ab 3x5", "f32 ab 4x5", "f32 a r", "f32 ab 3x4", UN},
        {"integer by float", INFER, "s8 ab 3x5", "f32 ab 4x5", NULL, "f32 ab 3x4", UN},
        {"float by integer", INFER, "f32 ab 3x5", "s8 ab 4x5", NULL, "f32 ab 3x4", UN},
        {"s32 src", INFER, "s32 ab 3x5", "s32 ab 4x5", NULL, "s32 ab 3x4", UN},
        {"dst by name only", INFER, "f32 ab 3x5", "f32 ab 4x5", NULL, "s4 ab 3x4", UN},
        {"bias by name only", INFER, "f32 ab 3x5", "f32 ab 4x5", "u4 a 4", "f32 ab 3x4", UN},
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
        const prim_status_t st = prim_inner_product_forward_desc_create(
                &pd, op_engine, c->prop_kind, src, wei, bia, dst, NULL);
        op_expect(c->name, st, c->expected, &pd);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 3x3");
    prim_desc_t *pd = UNTOUCHED;
    op_expect("null engine",
            prim_inner_product_forward_desc_create(&pd, NULL, INFER, &md, &md, NULL, &md, NULL),
            BAD, &pd);
    assert_int_equal(prim_inner_product_forward_desc_create(
                             NULL, op_engine, INFER, &md, &md, NULL, &md, NULL),
            BAD);
}

/// [3, 8] by [4, 8] of s8 to s8.
static prim_status_t create_with(prim_desc_t **pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t src = op_md("s8 ab 3x8"), wei = op_md("s8 ab 4x8");
    const prim_memory_desc_t dst = op_md("s8 ab 3x4");
    return prim_inner_product_forward_desc_create(
            pd, op_engine, INFER, &src, &wei, NULL, &dst, attr);
}

static void test_scales(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int arg, mask, ngroups;
        prim_dims_t groups;
        prim_status_t expected;
    } scales[] = {
            {"src", PRIM_ARG_SRC, 0, 0, {0}, OK},
            {"weights", PRIM_ARG_WEIGHTS, 0, 0, {0}, OK},
            {"weights by output channel", PRIM_ARG_WEIGHTS, 1, 0, {0}, OK},
            {"dst", PRIM_ARG_DST, 0, 0, {0}, OK},
            {"src by channel", PRIM_ARG_SRC, 2, 0, {0}, UN},
            {"weights by input channel", PRIM_ARG_WEIGHTS, 2, 0, {0}, UN},
            {"weights by groups", PRIM_ARG_WEIGHTS, 1, 2, {1, 4}, UN},
            {"dst by channel", PRIM_ARG_DST, 2, 0, {0}, UN},
            {"second source", PRIM_ARG_SRC_1, 0, 0, {0}, UN},
    };
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        prim_attr_t *attr = NULL;
        prim_desc_t *pd = UNTOUCHED;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        assert_int_equal(prim_attr_set_scales(attr, scales[i].arg, scales[i].mask,
                                 scales[i].ngroups, scales[i].groups, PRIM_F32),
                PRIM_SUCCESS);
        op_expect(scales[i].name, create_with(&pd, attr), scales[i].expected, &pd);
        prim_attr_destroy(attr);
    }
}

static void test_zero_points(void **state)
{
    (void)state;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32);
    op_expect("zero point", create_with(&pd, attr), UN, &pd);
    prim_attr_destroy(attr);
}

static void test_post_ops(void **state)
{
    (void)state;
    op_expect_post_ops(create_with, "f32 ab 1x4", "f32 ab 2x4", 2);
}

/// An open src follows plain weights, else it is row-major; dst and bias are row-major.
static void test_any(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md("f32 any 2x3x5x7"), bia = op_md("f32 any 4");
    const prim_memory_desc_t dst = op_md("f32 any 2x4");
    static const struct {
        const char *wei, *src_tag;
    } layouts[] = {{"f32 acdb 4x3x5x7", "acdb"}, {"f32 any 4x3x5x7", "abcd"}};
    for (size_t i = 0; i < 2; ++i) {
        const prim_memory_desc_t wei = op_md(layouts[i].wei);
        prim_desc_t *pd = NULL;
        assert_int_equal(prim_inner_product_forward_desc_create(
                                 &pd, op_engine, INFER, &src, &wei, &bia, &dst, NULL),
                PRIM_SUCCESS);
        op_expect_tag(pd, PRIM_ARG_SRC, layouts[i].src_tag);
        op_expect_tag(pd, PRIM_ARG_BIAS, "a");
        op_expect_tag(pd, PRIM_ARG_DST, "ab");
        const prim_memory_desc_t *const chosen = prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0);
        assert_int_equal(chosen->format_kind, PRIM_FORMAT_KIND_BLOCKED);
        assert_memory_equal(chosen->dims, wei.dims, 4 * sizeof wei.dims[0]);
        prim_desc_destroy(pd);
    }
}

static void test_queries(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md("f32 ab 3x5"), wei = op_md("f32 ab 4x5");
    const prim_memory_desc_t bia = op_md("f32 a 4"), dst = op_md("f32 ab 3x4");
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_inner_product_forward_desc_create(
                             &pd, op_engine, PRIM_FORWARD_TRAINING, &src, &wei, &bia, &dst, NULL),
            PRIM_SUCCESS);
    prim_primitive_kind_t kind = PRIM_REORDER;
    prim_prop_kind_t prop_kind = PRIM_BACKWARD;
    prim_alg_kind_t alg = PRIM_BINARY_ADD;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PRIMITIVE_KIND, 0, &kind), OK);
    assert_int_equal(kind, PRIM_INNER_PRODUCT);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PROP_KIND, 0, &prop_kind), OK);
    assert_int_equal(prop_kind, PRIM_FORWARD_TRAINING);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_ALG_KIND, 0, &alg), UN);
    assert_int_equal(alg, PRIM_BINARY_ADD);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0), &src));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0), &wei));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 1), &bia));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &dst));
    prim_desc_destroy(pd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_scales),
            cmocka_unit_test(test_zero_points),
            cmocka_unit_test(test_post_ops),
            cmocka_unit_test(test_any),
            cmocka_unit_test(test_queries),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
