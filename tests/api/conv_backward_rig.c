// SPDX-License-Identifier: Apache-2.0
// The gradients of convolution and of its transpose.
#include <stdio.h>
#include <string.h>

#include "conv_rig.h"

#define SRC "f32 abcd 2x6xS"
#define WEI "f32 abcde 2x2x3x3x3"
#define DST "f32 abcd 2x4xD"

// Strides 2, paddings 1 and (0, 1).
static const conv_case_t cases[] = {
        {"groups", SRC, WEI, "f32 a 4", DST, OK, OK},
        {"no bias", SRC, WEI, NULL, DST, OK, OK},
        {"absent bias", SRC, WEI, "", DST, OK, OK},
        {"any", "f32 any 2x6xS", "f32 any 4x6x3x3", "f32 any 4", "f32 any 2x4xD", OK, OK},
        {"types", "f16 acdb 2x6xS", WEI, "f32 a 4", "bf16 acdb 2x4xD", OK, OK},
        {"no image", "f32 abcd 0x6xS", WEI, NULL, "f32 abcd 0x4xD", OK, OK},
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
        {"N", SRC, WEI, NULL, "f32 abcd 3x4xD", BAD, BAD},
        {"IC", "f32 abcd 2x5xS", WEI, NULL, DST, BAD, BAD},
        {"OC", SRC, WEI, NULL, "f32 abcd 2x5xD", BAD, BAD},
        {"OC of bias", SRC, WEI, "f32 a 2", DST, OK, BAD},
        {"no tap", SRC, "f32 abcde 2x2x3x0x3", NULL, DST, BAD, BAD},
        {"run-time N", "f32 abcd rx6xS", WEI, NULL, "f32 abcd rx4xD", UN, UN},
        {"integer src", "s8 abcd 2x6xS", WEI, NULL, DST, UN, UN},
        {"integer weights", SRC, "s8 abcde 2x2x3x3x3", NULL, DST, UN, UN},
        {"integer bias", SRC, WEI, "s32 a 4", DST, OK, UN},
        {"integer dst", SRC, WEI, NULL, "u8 abcd 2x4xD", UN, UN},
        {"src by name only", "s4 abcd 2x6xS", WEI, NULL, DST, UN, UN},
};

static const prim_dim_t strides[] = {2, 2}, pad_l[] = {1, 1}, pad_r[] = {0, 1};

static prim_status_t create_data(prim_desc_t **pd, prim_alg_kind_t alg, const conv_case_t *c,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    prim_memory_desc_t src, wei, dst;
    return conv_op->backward_data(pd, op_engine, alg, conv_md(&src, c->src), conv_md(&wei, c->wei),
            conv_md(&dst, c->dst), strides, NULL, pad_l, pad_r, hint, attr);
}

static prim_status_t create_weights(prim_desc_t **pd, prim_alg_kind_t alg, const conv_case_t *c,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    prim_memory_desc_t src, wei, bia, dst;
    return conv_op->backward_weights(pd, op_engine, alg, conv_md(&src, c->src),
            conv_md(&wei, c->wei), conv_md(&bia, c->bia), conv_md(&dst, c->dst), strides, NULL,
            pad_l, pad_r, hint, attr);
}

typedef prim_status_t (*create_t)(prim_desc_t **pd, prim_alg_kind_t alg, const conv_case_t *c,
        const prim_desc_t *hint, const prim_attr_t *attr);

static const create_t creators[] = {create_data, create_weights};

static void expect_gradients(const conv_case_t *c)
{
    const prim_status_t expected[] = {c->expected, c->weights};
    for (int k = 0; k < 2; ++k) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect(c->name, creators[k](&pd, conv_op->direct, c, NULL, NULL), expected[k], &pd);
    }
}

void conv_expect_gradients(const conv_case_t *own, size_t n)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) expect_gradients(&cases[i]);
    for (size_t i = 0; i < n; ++i) expect_gradients(&own[i]);
}

void conv_test_gradient_nulls(void **state)
{
    (void)state;
    prim_memory_desc_t src, wei, dst;
    conv_md(&src, SRC);
    conv_md(&wei, WEI);
    conv_md(&dst, DST);
    for (int i = 0; i < 4; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        prim_desc_t **const out = i == 0 ? NULL : &pd;
        prim_engine_t *const engine = i == 1 ? NULL : op_engine;
        const prim_dim_t *const s = i == 2 ? NULL : strides, *const p = i == 3 ? NULL : pad_l;
        op_expect("null of backward data",
                conv_op->backward_data(out, engine, conv_op->direct, &src, &wei, &dst, s, NULL, p,
                        pad_r, NULL, NULL),
                BAD, &pd);
        op_expect("null of backward weights",
                conv_op->backward_weights(out, engine, conv_op->direct, &src, &wei, NULL, &dst, s,
                        NULL, p, pad_r, NULL, NULL),
                BAD, &pd);
    }
}

void conv_test_gradient_algorithms(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect(
                "of another", creators[k](&pd, PRIM_ELTWISE_RELU, &cases[0], NULL, NULL), BAD, &pd);
        pd = UNTOUCHED;
        op_expect("another of its own", creators[k](&pd, conv_op->other, &cases[0], NULL, NULL),
                conv_op->other_status, &pd);
    }
}

void conv_test_gradient_attributes(void **state)
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
        op_expect("scales", creators[k](&pd, conv_op->direct, &cases[0], NULL, scaled), UN, &pd);
        op_expect("post-ops", creators[k](&pd, conv_op->direct, &cases[0], NULL, chained), UN, &pd);
    }
    prim_post_ops_destroy(post_ops);
    prim_attr_destroy(chained);
    prim_attr_destroy(scaled);
}

static prim_desc_t *forward(const char *src, const char *wei, const char *dst)
{
    prim_memory_desc_t src_md, wei_md, dst_md;
    conv_md(&src_md, src);
    conv_md(&wei_md, wei);
    conv_md(&dst_md, dst);
    prim_desc_t *pd = NULL;
    assert_int_equal(conv_op->forward(&pd, op_engine, PRIM_FORWARD_TRAINING, conv_op->direct,
                             &src_md, &wei_md, NULL, &dst_md, strides, NULL, pad_l, pad_r, NULL),
            OK);
    return pd;
}

void conv_test_gradient_hint(void **state)
{
    (void)state;
    prim_desc_t *const same = forward(SRC, WEI, DST), *hint = NULL;
    prim_desc_t *const other =
            forward("f32 abcd 3x6xS", WEI, "f32 abcd 3x4xD"); // another number of images
    assert_int_equal(create_data(&hint, conv_op->direct, &cases[0], NULL, NULL), OK);
    for (int k = 0; k < 2; ++k) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect("same", creators[k](&pd, conv_op->direct, &cases[0], same, NULL), OK, &pd);
        pd = UNTOUCHED;
        op_expect("other", creators[k](&pd, conv_op->direct, &cases[0], other, NULL), BAD, &pd);
        op_expect("a backward pass", creators[k](&pd, conv_op->direct, &cases[0], hint, NULL), BAD,
                &pd);
    }
    prim_desc_destroy(same);
    prim_desc_destroy(other);
    prim_desc_destroy(hint);
}

/// Data tensors follow each other.
void conv_test_gradient_any(void **state)
{
    (void)state;
    static const conv_case_t open[] = {
            {.src = "f32 any 2x6xS", .wei = "f32 any 4x6x3x3", .dst = "f32 acdb 2x4xD"},
            {.src = "f32 acdb 2x6xS", .wei = "f32 any 4x6x3x3", .dst = "f32 any 2x4xD"},
    };
    for (int i = 0; i < 2; ++i) {
        prim_desc_t *data = NULL, *weights = NULL;
        assert_int_equal(create_data(&data, conv_op->direct, &open[i], NULL, NULL), OK);
        assert_int_equal(create_weights(&weights, conv_op->direct, &open[i], NULL, NULL), OK);
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
    prim_memory_desc_t expected;
    conv_md(&expected, text);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, query, index), &expected));
}

void conv_test_gradient_queries(void **state)
{
    (void)state;
    prim_desc_t *data = NULL, *weights = NULL;
    prim_prop_kind_t prop_kind = PRIM_PROP_KIND_UNDEF;
    const prim_dims_t *got = NULL;
    assert_int_equal(create_data(&data, conv_op->direct, &cases[0], NULL, NULL), OK);
    assert_int_equal(create_weights(&weights, conv_op->direct, &cases[0], NULL, NULL), OK);
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
void conv_test_gradient_empty(void **state)
{
    (void)state;
    float wei[6], bia[2], none[1] = {0};
    char text[2][32];
    (void)snprintf(text[0], sizeof text[0], "f32 abc 0x1x%s", conv_op->src_length);
    (void)snprintf(text[1], sizeof text[1], "f32 abc 0x2x%s", conv_op->dst_length);
    const prim_memory_desc_t src = op_md(text[0]), wei_md = op_md("f32 abc 2x1x3");
    const prim_memory_desc_t bia_md = op_md("f32 a 2"), dst = op_md(text[1]);
    prim_desc_t *pd = NULL;
    memset(wei, 0x7f, sizeof wei);
    memset(bia, 0x7f, sizeof bia);
    assert_int_equal(
            conv_op->backward_weights(&pd, op_engine, conv_op->direct, &src, &wei_md, &bia_md, &dst,
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
