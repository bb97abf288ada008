// SPDX-License-Identifier: Apache-2.0
// prim_deconvolution_backward_data_desc_create() and …_backward_weights_…: every documented
// refusal, the hint, layouts for `any`, queries, empty tensors.
#include "op_test.h"

#include <string.h>

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

/// The tensors of the forward pass; a backward pass takes the gradients of two of them.
typedef struct {
    const char *name;
    const char *src, *wei, *bia, *dst;
    prim_status_t data, weights; ///< what the two passes answer
} case_t;

#define SRC "f32 abcd 2x6x4x5"
#define WEI "f32 abcde 2x2x3x3x3"
#define DST "f32 abcd 2x4x8x9"

// Strides 2, paddings 1 and (0, 1).
static const case_t cases[] = {
        {"groups", SRC, WEI, "f32 a 4", DST, OK, OK},
        {"no bias", SRC, WEI, NULL, DST, OK, OK},
        {"absent bias", SRC, WEI, "", DST, OK, OK},
        {"any", "f32 any 2x6x4x5", "f32 any 4x6x3x3", "f32 any 4", "f32 any 2x4x8x9", OK, OK},
        {"types", "f16 acdb 2x6x4x5", WEI, "f32 a 4", "bf16 acdb 2x4x8x9", OK, OK},
        {"no image", "f32 abcd 0x6x4x5", WEI, NULL, "f32 abcd 0x4x8x9", OK, OK},
        {"no room", "f32 abcd 2x6x0x5", WEI, NULL, "f32 abcd 2x4x1x9", OK, OK},
        {"null src", NULL, WEI, NULL, DST, BAD, BAD},
        {"null weights", SRC, NULL, NULL, DST, BAD, BAD},
        {"null dst", SRC, WEI, NULL, NULL, BAD, BAD},
        {"absent src", "", WEI, NULL, DST, BAD, BAD},
        {"absent weights", SRC, "", NULL, DST, BAD, BAD},
        {"absent dst", SRC, WEI, NULL, "", BAD, BAD},
        {"rank", "f32 ab 2x3", "f32 ab 4x3", NULL, "f32 ab 2x4", BAD, BAD},
        {"rank of dst", SRC, WEI, NULL, "f32 abc 2x4x4", BAD, BAD},
        {"rank of weights", SRC, "f32 abc 4x3x3", NULL, DST, BAD, BAD},
        {"rank of bias", SRC, WEI, "f32 ab 1x4", DST, OK, BAD},
        {"N", SRC, WEI, NULL, "f32 abcd 3x4x8x9", BAD, BAD},
        {"IC", "f32 abcd 2x5x4x5", WEI, NULL, DST, BAD, BAD},
        {"OC", SRC, WEI, NULL, "f32 abcd 2x5x8x9", BAD, BAD},
        {"OC of bias", SRC, WEI, "f32 a 2", DST, OK, BAD},
        {"height", SRC, WEI, NULL, "f32 abcd 2x4x6x9", BAD, BAD},
        {"no tap", SRC, "f32 abcde 2x2x3x0x3", NULL, DST, BAD, BAD},
        {"run-time N", "f32 abcd rx6x4x5", WEI, NULL, "f32 abcd rx4x8x9", UN, UN},
        {"integer src", "s8 abcd 2x6x4x5", WEI, NULL, DST, UN, UN},
        {"integer weights", SRC, "s8 abcde 2x2x3x3x3", NULL, DST, UN, UN},
        {"integer bias", SRC, WEI, "s32 a 4", DST, OK, UN},
        {"integer dst", SRC, WEI, NULL, "u8 abcd 2x4x8x9", UN, UN},
        {"src by name only", "s4 abcd 2x6x4x5", WEI, NULL, DST, UN, UN},
};

static const prim_dim_t strides[] = {2, 2}, pad_l[] = {1, 1}, pad_r[] = {0, 1};

static prim_status_t create_data(prim_desc_t **pd, prim_alg_kind_t alg, const case_t *c,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    prim_memory_desc_t src, wei, dst;
    return prim_deconvolution_backward_data_desc_create(pd, op_engine, alg,
            op_md_or_null(&src, c->src), op_md_or_null(&wei, c->wei), op_md_or_null(&dst, c->dst),
            strides, NULL, pad_l, pad_r, hint, attr);
}

static prim_status_t create_weights(prim_desc_t **pd, prim_alg_kind_t alg, const case_t *c,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    prim_memory_desc_t src, wei, bia, dst;
    return prim_deconvolution_backward_weights_desc_create(pd, op_engine, alg,
            op_md_or_null(&src, c->src), op_md_or_null(&wei, c->wei), op_md_or_null(&bia, c->bia),
            op_md_or_null(&dst, c->dst), strides, NULL, pad_l, pad_r, hint, attr);
}

typedef prim_status_t (*create_t)(prim_desc_t **pd, prim_alg_kind_t alg, const case_t *c,
        const prim_desc_t *hint, const prim_attr_t *attr);

static const create_t creators[] = {create_data, create_weights};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const prim_status_t expected[] = {cases[i].data, cases[i].weights};
        for (int k = 0; k < 2; ++k) {
            prim_desc_t *pd = UNTOUCHED;
            const prim_status_t got =
                    creators[k](&pd, PRIM_DECONVOLUTION_DIRECT, &cases[i], NULL, NULL);
            op_expect(cases[i].name, got, expected[k], &pd);
        }
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md(SRC), wei = op_md(WEI), dst = op_md(DST);
    for (int i = 0; i < 4; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        prim_desc_t **const out = i == 0 ? NULL : &pd;
        prim_engine_t *const engine = i == 1 ? NULL : op_engine;
        const prim_dim_t *const s = i == 2 ? NULL : strides, *const p = i == 3 ? NULL : pad_l;
        op_expect("null of backward data",
                prim_deconvolution_backward_data_desc_create(out, engine, PRIM_DECONVOLUTION_DIRECT,
                        &src, &wei, &dst, s, NULL, p, pad_r, NULL, NULL),
                BAD, &pd);
        op_expect("null of backward weights",
                prim_deconvolution_backward_weights_desc_create(out, engine,
                        PRIM_DECONVOLUTION_DIRECT, &src, &wei, NULL, &dst, s, NULL, p, pad_r, NULL,
                        NULL),
                BAD, &pd);
    }
}

static void test_algorithms(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect(
                "of another", creators[k](&pd, PRIM_ELTWISE_RELU, &cases[0], NULL, NULL), BAD, &pd);
        pd = UNTOUCHED;
        op_expect("Winograd's",
                creators[k](&pd, PRIM_DECONVOLUTION_WINOGRAD, &cases[0], NULL, NULL), UN, &pd);
    }
}

static void test_attributes(void **state)
{
    (void)state;
    prim_attr_t *scaled = NULL, *chained = NULL;
    prim_post_ops_t *post_ops = NULL;
    assert_int_equal(prim_attr_create(&scaled), OK);
    assert_int_equal(prim_attr_set_scales(scaled, PRIM_ARG_WEIGHTS, 0, 0, NULL, PRIM_F32), OK);
    assert_int_equal(prim_attr_create(&chained), OK);
    assert_int_equal(prim_post_ops_create(&post_ops), OK);
    assert_int_equal(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0), OK);
    assert_int_equal(prim_attr_set_post_ops(chained, post_ops), OK);
    for (int k = 0; k < 2; ++k) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect("scales", creators[k](&pd, PRIM_DECONVOLUTION_DIRECT, &cases[0], NULL, scaled),
                UN, &pd);
        op_expect("post-ops", creators[k](&pd, PRIM_DECONVOLUTION_DIRECT, &cases[0], NULL, chained),
                UN, &pd);
    }
    prim_post_ops_destroy(post_ops);
    prim_attr_destroy(chained);
    prim_attr_destroy(scaled);
}

static prim_desc_t *forward(const char *src, const char *wei, const char *dst)
{
    const prim_memory_desc_t src_md = op_md(src), wei_md = op_md(wei), dst_md = op_md(dst);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_deconvolution_forward_desc_create(&pd, op_engine, PRIM_FORWARD_TRAINING,
                             PRIM_DECONVOLUTION_DIRECT, &src_md, &wei_md, NULL, &dst_md, strides,
                             NULL, pad_l, pad_r, NULL),
            OK);
    return pd;
}

static void test_hint(void **state)
{
    (void)state;
    prim_desc_t *const same = forward(SRC, WEI, DST), *hint = NULL;
    prim_desc_t *const other =
            forward("f32 abcd 3x6x4x5", WEI, "f32 abcd 3x4x8x9"); // another number of images
    assert_int_equal(create_data(&hint, PRIM_DECONVOLUTION_DIRECT, &cases[0], NULL, NULL), OK);
    for (int k = 0; k < 2; ++k) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect("same", creators[k](&pd, PRIM_DECONVOLUTION_DIRECT, &cases[0], same, NULL), OK,
                &pd);
        pd = UNTOUCHED;
        op_expect("other", creators[k](&pd, PRIM_DECONVOLUTION_DIRECT, &cases[0], other, NULL), BAD,
                &pd);
        op_expect("a backward pass",
                creators[k](&pd, PRIM_DECONVOLUTION_DIRECT, &cases[0], hint, NULL), BAD, &pd);
    }
    prim_desc_destroy(same);
    prim_desc_destroy(other);
    prim_desc_destroy(hint);
}

/// Data tensors follow each other.
static void test_any(void **state)
{
    (void)state;
    static const case_t open[] = {
            {.src = "f32 any 2x6x4x5", .wei = "f32 any 4x6x3x3", .dst = "f32 acdb 2x4x8x9"},
            {.src = "f32 acdb 2x6x4x5", .wei = "f32 any 4x6x3x3", .dst = "f32 any 2x4x8x9"},
    };
    for (int i = 0; i < 2; ++i) {
        prim_desc_t *data = NULL, *weights = NULL;
        assert_int_equal(create_data(&data, PRIM_DECONVOLUTION_DIRECT, &open[i], NULL, NULL), OK);
        assert_int_equal(
                create_weights(&weights, PRIM_DECONVOLUTION_DIRECT, &open[i], NULL, NULL), OK);
        op_expect_tag(data, PRIM_ARG_DIFF_SRC, "acdb");
        op_expect_tag(data, PRIM_ARG_DIFF_DST, "acdb");
        op_expect_tag(weights, PRIM_ARG_SRC, "acdb");
        op_expect_tag(weights, PRIM_ARG_DIFF_DST, "acdb");
        prim_desc_destroy(data);
        prim_desc_destroy(weights);
    }
}

static void expect_md(const prim_desc_t *pd, prim_query_t query, int index, const char *text)
{
    const prim_memory_desc_t expected = op_md(text);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, query, index), &expected));
}

static void test_queries(void **state)
{
    (void)state;
    prim_desc_t *data = NULL, *weights = NULL;
    prim_prop_kind_t prop_kind = PRIM_PROP_KIND_UNDEF;
    const prim_dims_t *got = NULL;
    assert_int_equal(create_data(&data, PRIM_DECONVOLUTION_DIRECT, &cases[0], NULL, NULL), OK);
    assert_int_equal(
            create_weights(&weights, PRIM_DECONVOLUTION_DIRECT, &cases[0], NULL, NULL), OK);
    assert_int_equal(prim_desc_query(data, PRIM_QUERY_PROP_KIND, 0, &prop_kind), OK);
    assert_int_equal(prop_kind, PRIM_BACKWARD_DATA);
    assert_int_equal(prim_desc_query(weights, PRIM_QUERY_PROP_KIND, 0, &prop_kind), OK);
    assert_int_equal(prop_kind, PRIM_BACKWARD_WEIGHTS);
    assert_int_equal(prim_desc_query(data, PRIM_QUERY_STRIDES, 0, &got), OK);
    assert_memory_equal(*got, strides, sizeof strides);
    expect_md(data, PRIM_QUERY_DIFF_SRC_MD, 0, SRC);
    expect_md(data, PRIM_QUERY_WEIGHTS_MD, 0, WEI);
    expect_md(data, PRIM_QUERY_DIFF_DST_MD, 0, DST);
    expect_md(weights, PRIM_QUERY_SRC_MD, 0, SRC);
    expect_md(weights, PRIM_QUERY_DIFF_WEIGHTS_MD, 0, WEI);
    expect_md(weights, PRIM_QUERY_DIFF_WEIGHTS_MD, 1, "f32 a 4");
    expect_md(weights, PRIM_QUERY_DIFF_DST_MD, 0, DST);
    prim_desc_destroy(data);
    prim_desc_destroy(weights);
}

/// No image: the gradients of weights and bias are sums of nothing.
static void test_empty(void **state)
{
    (void)state;
    float wei[6], bia[2], none[1] = {0};
    const prim_memory_desc_t src = op_md("f32 abc 0x1x3"), wei_md = op_md("f32 abc 2x1x3");
    const prim_memory_desc_t bia_md = op_md("f32 a 2"), dst = op_md("f32 abc 0x2x5");
    prim_desc_t *pd = NULL;
    memset(wei, 0x7f, sizeof wei);
    memset(bia, 0x7f, sizeof bia);
    assert_int_equal(
            prim_deconvolution_backward_weights_desc_create(&pd, op_engine,
                    PRIM_DECONVOLUTION_DIRECT, &src, &wei_md, &bia_md, &dst,
                    (const prim_dim_t[]){1}, NULL, (const prim_dim_t[]){0}, NULL, NULL, NULL),
            OK);
    op_run(pd, 4,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&src, none)},
                    {PRIM_ARG_DIFF_DST, op_memory(&dst, none)},
                    {PRIM_ARG_DIFF_WEIGHTS, op_memory(&wei_md, wei)},
                    {PRIM_ARG_DIFF_BIAS, op_memory(&bia_md, bia)}});
    for (int i = 0; i < 6; ++i) assert_true(wei[i] == 0);
    for (int i = 0; i < 2; ++i) assert_true(bia[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_algorithms),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_hint),
            cmocka_unit_test(test_any),
            cmocka_unit_test(test_queries),
            cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
