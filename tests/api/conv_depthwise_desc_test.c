// SPDX-License-Identifier: Apache-2.0
// A depthwise convolution among the post-ops of a convolution: what the chain takes and refuses,
// what the descriptor answers, and the values of a small case.
#include "op_test.h"

#include <string.h>

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

enum { DW = PRIM_ARG_ATTR_POST_OP_DW };

/// The parameters of the step.
typedef struct {
    prim_data_type_t wei, bia, dst;
    prim_dim_t kernel, stride, padding;
} step_t;

static const step_t good = {PRIM_F32, PRIM_F32, PRIM_F32, 3, 2, 1};

static prim_status_t append(prim_post_ops_t *chain, const step_t *step)
{
    return prim_post_ops_append_dw(
            chain, step->wei, step->bia, step->dst, step->kernel, step->stride, step->padding);
}

static void test_append(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        step_t step;
        prim_status_t expected;
    } cases[] = {
            {"stride 2", {PRIM_F32, PRIM_F32, PRIM_F32, 3, 2, 1}, OK},
            {"no bias", {PRIM_S8, PRIM_DATA_TYPE_UNDEF, PRIM_U8, 1, 1, 0}, OK},
            {"weights of no type", {PRIM_DATA_TYPE_UNDEF, PRIM_F32, PRIM_F32, 3, 1, 1}, BAD},
            {"bias of no type", {PRIM_F32, (prim_data_type_t)99, PRIM_F32, 3, 1, 1}, BAD},
            {"dst of no type", {PRIM_F32, PRIM_F32, PRIM_DATA_TYPE_UNDEF, 3, 1, 1}, BAD},
            {"kernel 0", {PRIM_F32, PRIM_F32, PRIM_F32, 0, 1, 0}, BAD},
            {"stride 0", {PRIM_F32, PRIM_F32, PRIM_F32, 3, 0, 1}, BAD},
            {"negative padding", {PRIM_F32, PRIM_F32, PRIM_F32, 3, 1, -1}, BAD},
            {"padding of a kernel", {PRIM_F32, PRIM_F32, PRIM_F32, 3, 1, 3}, BAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        prim_post_ops_t *chain = NULL;
        assert_int_equal(prim_post_ops_create(&chain), OK);
        const prim_status_t st = append(chain, &cases[i].step);
        if (st != cases[i].expected) fail_msg("%s: %s", cases[i].name, prim_status_name(st));
        assert_int_equal(prim_post_ops_len(chain), st == OK);
        prim_post_ops_destroy(chain);
    }
    assert_int_equal(append(NULL, &good), BAD);
}

static void test_params(void **state)
{
    (void)state;
    const step_t step = {PRIM_S8, PRIM_BF16, PRIM_U8, 5, 2, 4};
    step_t got = {0};
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_post_ops_create(&chain), OK);
    assert_int_equal(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0, 0), OK);
    assert_int_equal(append(chain, &step), OK);
    assert_int_equal(prim_post_ops_get_kind(chain, 1), PRIM_CONVOLUTION);
    assert_int_equal(prim_post_ops_get_params_dw(chain, 1, &got.wei, &got.bia, &got.dst,
                             &got.kernel, &got.stride, &got.padding),
            OK);
    assert_int_equal(got.wei, step.wei);
    assert_int_equal(got.bia, step.bia);
    assert_int_equal(got.dst, step.dst);
    assert_int_equal(got.kernel, step.kernel);
    assert_int_equal(got.stride, step.stride);
    assert_int_equal(got.padding, step.padding);
    assert_int_equal(prim_post_ops_get_params_dw(chain, 0, &got.wei, &got.bia, &got.dst,
                             &got.kernel, &got.stride, &got.padding),
            BAD);
    assert_int_equal(prim_post_ops_get_params_dw(chain, 1, &got.wei, &got.bia, &got.dst, NULL,
                             &got.stride, &got.padding),
            BAD);
    prim_post_ops_destroy(chain);
}

/// A convolution of stride 1 with `chain`, and the scale of an argument unless that is 0.
static prim_status_t create(prim_desc_t **pd, const char *src_text, const char *wei_text,
        const char *dst_text, const prim_post_ops_t *chain, int scaled, int mask)
{
    const prim_memory_desc_t src = op_md(src_text), wei = op_md(wei_text), dst = op_md(dst_text);
    const prim_dims_t strides = {1, 1, 1}, pads = {0};
    prim_attr_t *attr = NULL;
    assert_int_equal(prim_attr_create(&attr), OK);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), OK);
    if (scaled) assert_int_equal(prim_attr_set_scales(attr, scaled, mask, 0, NULL, PRIM_F32), OK);
    const prim_status_t st =
            prim_convolution_forward_desc_create(pd, op_engine, PRIM_FORWARD_INFERENCE,
                    PRIM_CONVOLUTION_AUTO, &src, &wei, NULL, &dst, strides, NULL, pads, NULL, attr);
    prim_attr_destroy(attr);
    return st;
}

static void append_binary(prim_post_ops_t *chain, const char *text)
{
    const prim_memory_desc_t md = op_md(text);
    assert_int_equal(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &md), OK);
}

/// Which tensors, scales and chains are taken. The step stands between `before` and `behind`, the
/// shapes of binary operands or "sum" or "dw" (again).
static const struct {
    const char *name, *src, *wei, *dst, *before, *behind;
    prim_dim_t kernel;
    int scaled, mask;
    prim_status_t expected;
} desc_cases[] = {
        {"plain", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, NULL, 3, 0, 0,
                OK},
        {"groups", "f32 abcd 2x6x7x9", "f32 any 2x2x3x1x1", "f32 acdb 2x4x7x9", NULL, NULL, 3, 0, 0,
                OK},
        {"operands", "f32 abcd 2x3x8x9", "f32 any 4x3x1x1", "f32 any 2x4x8x9", "f32 any 2x4x8x9",
                "f32 any 2x4x4x5", 3, 0, 0, OK},
        {"sum behind", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, "sum", 3, 0,
                0, OK},
        {"scale between", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, NULL, 3,
                PRIM_ARG_DST, 0, OK},
        {"scale of dst", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, NULL, 3,
                DW | PRIM_ARG_DST, 0, OK},
        {"scales of channels", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, NULL,
                3, DW | PRIM_ARG_WEIGHTS, 3, OK},
        {"no image", "f32 abcd 0x3x7x9", "f32 any 4x3x1x1", "f32 any 0x4x7x9", NULL, NULL, 3, 0, 0,
                OK},
        {"3×3 windows", "f32 abcd 2x3x7x9", "f32 any 4x3x3x3", "f32 any 2x4x5x7", NULL, NULL, 3, 0,
                0, UN},
        {"one spatial dimension", "f32 abc 2x3x7", "f32 any 4x3x1", "f32 any 2x4x7", NULL, NULL, 3,
                0, 0, UN},
        {"two of them", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, "dw", 3, 0,
                0, UN},
        {"sum before", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", "sum", NULL, 3, 0,
                0, UN},
        {"operand of dst before", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9",
                "f32 any 2x4x4x5", NULL, 3, 0, 0, BAD},
        {"operand of between behind", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9",
                NULL, "f32 any 2x4x7x9", 3, 0, 0, BAD},
        {"too large a kernel", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, NULL,
                10, 0, 0, BAD},
        {"scales of inputs", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", NULL, NULL,
                3, DW | PRIM_ARG_WEIGHTS, 2, UN},
        {"dst of the step", "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x4x5", NULL, NULL, 3,
                0, 0, BAD},
};

static void append_text(prim_post_ops_t *chain, const char *text)
{
    if (!text) return;
    if (strcmp(text, "sum") == 0)
        assert_int_equal(prim_post_ops_append_sum(chain, 1, 0, PRIM_DATA_TYPE_UNDEF), OK);
    else if (strcmp(text, "dw") == 0)
        assert_int_equal(append(chain, &good), OK);
    else
        append_binary(chain, text);
}

static void test_descs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof desc_cases / sizeof *desc_cases; ++i) {
        prim_post_ops_t *chain = NULL;
        step_t step = good;
        step.kernel = desc_cases[i].kernel;
        assert_int_equal(prim_post_ops_create(&chain), OK);
        append_text(chain, desc_cases[i].before);
        assert_int_equal(append(chain, &step), OK);
        append_text(chain, desc_cases[i].behind);
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = create(&pd, desc_cases[i].src, desc_cases[i].wei,
                desc_cases[i].dst, chain, desc_cases[i].scaled, desc_cases[i].mask);
        op_expect(desc_cases[i].name, st, desc_cases[i].expected, &pd);
        prim_post_ops_destroy(chain);
    }
}

/// Scales of a step that the chain has not, and the step in an operation that has none.
static void test_elsewhere(void **state)
{
    (void)state;
    prim_post_ops_t *chain = NULL;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = UNTOUCHED;
    assert_int_equal(prim_post_ops_create(&chain), OK);
    op_expect("scales without the step",
            create(&pd, "f32 abcd 2x3x7x9", "f32 any 4x3x1x1", "f32 any 2x4x7x9", chain,
                    DW | PRIM_ARG_WEIGHTS, 0),
            UN, &pd);
    assert_int_equal(append(chain, &good), OK);
    assert_int_equal(prim_attr_create(&attr), OK);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), OK);
    const prim_memory_desc_t md = op_md("f32 abcd 2x3x7x9");
    op_expect("of a softmax",
            prim_softmax_forward_desc_create(&pd, op_engine, PRIM_FORWARD_INFERENCE,
                    PRIM_SOFTMAX_ACCURATE, &md, &md, 1, attr),
            UN, &pd);
    prim_attr_destroy(attr);
    prim_post_ops_destroy(chain);
}

enum { CHANNELS = 2, SIDE = 3, OUT = 2 };

/// One input channel; weights 1 and −1 make +src and −src, of which relu leaves the positive ones.
/// All taps of the depthwise kernels are 1, and 2 of the second channel.
static void test_values(void **state)
{
    (void)state;
    prim_post_ops_t *chain = NULL;
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_post_ops_create(&chain), OK);
    assert_int_equal(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0, 0), OK);
    assert_int_equal(append(chain, &good), OK);
    assert_int_equal(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_LINEAR, 1, 100), OK);
    assert_int_equal(
            create(&pd, "f32 abcd 1x1x3x3", "f32 abcd 2x1x1x1", "f32 abcd 1x2x3x3", chain, 0, 0),
            OK);
    const prim_memory_desc_t *const dst_md = prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0);
    const prim_memory_desc_t *const wei_md =
            prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, DW | PRIM_ARG_WEIGHTS);
    const prim_dim_t dst_dims[] = {1, CHANNELS, OUT, OUT}, wei_dims[] = {CHANNELS, 1, 1, 3, 3};
    int ninputs = 0;
    assert_memory_equal(dst_md->dims, dst_dims, sizeof dst_dims);
    assert_memory_equal(wei_md->dims, wei_dims, sizeof wei_dims);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_NUM_OF_INPUTS_S32, 0, &ninputs), OK);
    assert_int_equal(ninputs, 4);
    op_expect_tag(pd, PRIM_ARG_DST, "abcd");

    float src[SIDE * SIDE] = {1, 2, -3, 4, -5, 6, 7, 8, -9}, wei[CHANNELS] = {1, -1};
    float dw[CHANNELS * 9], bias[CHANNELS] = {0.5F, -0.5F}, dst[CHANNELS * OUT * OUT];
    for (int i = 0; i < CHANNELS * 9; ++i) dw[i] = (float)(1 + i / 9);
    const prim_memory_desc_t src_md = op_md("f32 abcd 1x1x3x3"), w_md = op_md("f32 abcd 2x1x1x1");
    const prim_memory_desc_t dw_md = *wei_md, out_md = *dst_md, bias_md = op_md("f32 a 2");
    prim_arg_t args[] = {{PRIM_ARG_SRC, op_memory(&src_md, src)},
            {PRIM_ARG_WEIGHTS, op_memory(&w_md, wei)},
            {DW | PRIM_ARG_WEIGHTS, op_memory(&dw_md, dw)},
            {DW | PRIM_ARG_BIAS, op_memory(&bias_md, bias)},
            {PRIM_ARG_DST, op_memory(&out_md, dst)}};
    op_run(pd, 5, args);
    // Windows of the corners: 2×2 elements each.
    const float expected[] = {107.5F, 108.5F, 119.5F, 114.5F, 109.5F, 115.5F, 109.5F, 127.5F};
    for (int i = 0; i < CHANNELS * OUT * OUT; ++i) assert_true(dst[i] == expected[i]);
    prim_post_ops_destroy(chain);
}

/// An execution without the step's weights or bias.
static void test_missing(void **state)
{
    (void)state;
    prim_post_ops_t *chain = NULL;
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(prim_post_ops_create(&chain), OK);
    assert_int_equal(append(chain, &good), OK);
    assert_int_equal(
            create(&pd, "f32 abcd 1x1x3x3", "f32 abcd 2x1x1x1", "f32 abcd 1x2x3x3", chain, 0, 0),
            OK);
    assert_int_equal(prim_create(&primitive, pd), OK);
    float values[64] = {0};
    static const int ids[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST, DW | PRIM_ARG_WEIGHTS,
            DW | PRIM_ARG_BIAS};
    prim_arg_t args[5];
    for (int i = 0; i < 5; ++i)
        args[i] = (prim_arg_t){
                ids[i], op_memory(prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, ids[i]), values)};
    assert_int_equal(prim_execute(primitive, op_stream, 3, args), BAD);
    assert_non_null(strstr(prim_last_error(), "depthwise weights"));
    assert_int_equal(prim_execute(primitive, op_stream, 4, args), BAD);
    assert_non_null(strstr(prim_last_error(), "depthwise bias"));
    for (int i = 0; i < 5; ++i) prim_memory_destroy(args[i].memory);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_post_ops_destroy(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_append), cmocka_unit_test(test_params),
            cmocka_unit_test(test_descs), cmocka_unit_test(test_elsewhere),
            cmocka_unit_test(test_values), cmocka_unit_test(test_missing)};
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
