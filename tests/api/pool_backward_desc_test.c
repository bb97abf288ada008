// SPDX-License-Identifier: Apache-2.0
// prim_pooling_backward_desc_create(): every documented refusal, the hint and its workspace,
// layouts, values.
#include <string.h>

#include "op_test.h"

#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED
#define MAXIMUM PRIM_POOLING_MAX
#define MEAN PRIM_POOLING_AVG_EXCLUDE_PADDING

/// 3×3 windows at every other element, padding 1 in front and 0 behind, unless a case says more.
typedef struct {
    const char *name, *diff_src, *diff_dst;
    prim_status_t expected;
    prim_dim_t stride, kernel, dilation, pad; ///< 0: those of the others
} case_t;

#define SRC "f32 abcd 2x3x8x8"
#define DST "f32 abcd 2x3x4x4"

static const case_t cases[] = {
        {"plain", SRC, DST, OK, 0, 0, 0, 0},
        {"any diff_dst", "f32 acdb 2x3x8x8", "f32 any 2x3x4x4", OK, 0, 0, 0, 0},
        {"any diff_src", "f32 any 2x3x8x8", "f32 acdb 2x3x4x4", OK, 0, 0, 0, 0},
        {"any both", "f32 any 2x3x8x8", "f32 any 2x3x4x4", OK, 0, 0, 0, 0},
        {"types", "f16 abcd 2x3x8x8", "bf16 abcd 2x3x4x4", OK, 0, 0, 0, 0},
        {"empty", "f32 abcd 0x3x8x8", "f32 abcd 0x3x4x4", OK, 0, 0, 0, 0},
        {"null diff_src", NULL, DST, BAD, 0, 0, 0, 0},
        {"null diff_dst", SRC, NULL, BAD, 0, 0, 0, 0},
        {"absent diff_src", "", DST, BAD, 0, 0, 0, 0},
        {"rank", "f32 ab 2x3", "f32 ab 2x3", BAD, 0, 0, 0, 0},
        {"ranks", SRC, "f32 abc 2x3x4", BAD, 0, 0, 0, 0},
        {"channels", SRC, "f32 abcd 2x4x4x4", BAD, 0, 0, 0, 0},
        {"size", SRC, "f32 abcd 2x3x4x5", BAD, 0, 0, 0, 0},
        {"stride", SRC, DST, BAD, -1, 0, 0, 0},
        {"kernel", SRC, DST, BAD, 0, -1, 0, 0},
        {"dilation", SRC, DST, BAD, 0, 0, -1, 0},
        {"padding", SRC, DST, BAD, 0, 0, 0, -1},
        {"hollow windows", SRC, "f32 abcd 2x3x6x6", BAD, 0, 0, 0, 5},
        {"run-time", "f32 abcd rx3x8x8", "f32 abcd rx3x4x4", UN, 0, 0, 0, 0},
        {"integer diff_src", "s8 abcd 2x3x8x8", DST, UN, 0, 0, 0, 0},
        {"integer diff_dst", SRC, "s32 abcd 2x3x4x4", UN, 0, 0, 0, 0},
};

typedef struct {
    prim_dims_t strides, kernel, dilation, pad_l, pad_r;
} window_t;

static window_t window_of(const case_t *c)
{
    window_t w;
    for (int i = 0; i < PRIM_MAX_NDIMS; ++i) {
        w.strides[i] = c->stride ? c->stride : 2;
        w.kernel[i] = c->kernel ? c->kernel : 3;
        w.dilation[i] = c->dilation;
        w.pad_l[i] = c->pad ? c->pad : 1;
        w.pad_r[i] = 0;
    }
    return w;
}

static prim_status_t create(
        prim_desc_t **pd, const case_t *c, prim_alg_kind_t alg, const prim_desc_t *hint)
{
    prim_memory_desc_t src, dst;
    const window_t w = window_of(c);
    return prim_pooling_backward_desc_create(pd, op_engine, alg, op_md_or_null(&src, c->diff_src),
            op_md_or_null(&dst, c->diff_dst), w.strides, w.kernel, w.dilation, w.pad_l, w.pad_r,
            hint, NULL);
}

/// The forward pass of a case.
static prim_desc_t *forward(const case_t *c, prim_prop_kind_t prop_kind, prim_alg_kind_t alg)
{
    prim_memory_desc_t src = op_md(c->diff_src), dst = op_md(c->diff_dst);
    const window_t w = window_of(c);
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_pooling_forward_desc_create(&pd, op_engine, prop_kind, alg, &src, &dst,
                             w.strides, w.kernel, w.dilation, w.pad_l, w.pad_r, NULL),
            OK);
    return pd;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        op_expect(cases[i].name, create(&pd, &cases[i], MEAN, NULL), cases[i].expected, &pd);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md(SRC), dst = op_md(DST);
    const window_t w = window_of(&cases[0]);
    for (int i = 0; i < 5; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_pooling_backward_desc_create(i == 0 ? NULL : &pd,
                i == 1 ? NULL : op_engine, MEAN, &src, &dst, i == 2 ? NULL : w.strides,
                i == 3 ? NULL : w.kernel, NULL, i == 4 ? NULL : w.pad_l, w.pad_r, NULL, NULL);
        op_expect("null", st, BAD, &pd);
    }
    prim_desc_t *pd = UNTOUCHED;
    op_expect("algorithm", create(&pd, &cases[0], PRIM_SOFTMAX_LOG, NULL), BAD, &pd);
}

static void test_attributes(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md(SRC), dst = op_md(DST);
    const window_t w = window_of(&cases[0]);
    prim_post_ops_t *chain = NULL;
    prim_attr_t *attr = NULL;
    assert_int_equal(prim_post_ops_create(&chain), OK);
    assert_int_equal(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0, 0), OK);
    assert_int_equal(prim_attr_create(&attr), OK);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), OK);
    prim_desc_t *pd = UNTOUCHED;
    op_expect("post-op",
            prim_pooling_backward_desc_create(&pd, op_engine, MEAN, &src, &dst, w.strides, w.kernel,
                    w.dilation, w.pad_l, w.pad_r, NULL, attr),
            UN, &pd);
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
}

/// A maximum needs the workspace of the forward pass of its own problem.
static void test_hint(void **state)
{
    (void)state;
    static const case_t *const plain = &cases[0];
    const case_t other_shape = {"", "f32 abcd 2x5x8x8", "f32 abcd 2x5x4x4", OK, 0, 0, 0, 0};
    const case_t other_kernel = {"", SRC, DST, OK, 0, 2, 0, 0};
    prim_desc_t *const same = forward(plain, PRIM_FORWARD_TRAINING, MAXIMUM);
    prim_desc_t *const inference = forward(plain, PRIM_FORWARD_INFERENCE, MAXIMUM);
    prim_desc_t *const mean = forward(plain, PRIM_FORWARD_TRAINING, MEAN);
    prim_desc_t *const shape = forward(&other_shape, PRIM_FORWARD_TRAINING, MAXIMUM);
    prim_desc_t *const kernel = forward(&other_kernel, PRIM_FORWARD_TRAINING, MAXIMUM);
    prim_desc_t *softmax = NULL, *backward = NULL, *pd = UNTOUCHED;
    const prim_memory_desc_t src = op_md(SRC);
    assert_int_equal(prim_softmax_forward_desc_create(&softmax, op_engine, PRIM_FORWARD_TRAINING,
                             PRIM_SOFTMAX_ACCURATE, &src, &src, 1, NULL),
            OK);
    op_expect("no hint", create(&pd, plain, MAXIMUM, NULL), BAD, &pd);
    op_expect("inference", create(&pd, plain, MAXIMUM, inference), BAD, &pd);
    op_expect("another algorithm", create(&pd, plain, MAXIMUM, mean), BAD, &pd);
    op_expect("another shape", create(&pd, plain, MAXIMUM, shape), BAD, &pd);
    op_expect("another shape of a mean", create(&pd, plain, MEAN, shape), BAD, &pd);
    op_expect("another kernel", create(&pd, plain, MAXIMUM, kernel), BAD, &pd);
    op_expect("another operation", create(&pd, plain, MAXIMUM, softmax), BAD, &pd);
    assert_int_equal(create(&backward, plain, MAXIMUM, same), OK);
    op_expect("a backward pass", create(&pd, plain, MAXIMUM, backward), BAD, &pd);
    prim_desc_t *const all[] = {same, inference, mean, shape, kernel, softmax, backward};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) prim_desc_destroy(all[i]);
}

static void test_layouts(void **state)
{
    (void)state;
    static const case_t channels_last = {
            "", "f32 acdb 2x3x8x8", "f32 acdb 2x3x4x4", OK, 0, 0, 0, 0};
    static const case_t open = {"", "f32 any 2x3x8x8", "f32 any 2x3x4x4", OK, 0, 0, 0, 0};
    static const prim_alg_kind_t algs[] = {MAXIMUM, MEAN};
    for (int i = 0; i < 2; ++i) {
        prim_desc_t *const hint = forward(&channels_last, PRIM_FORWARD_TRAINING, algs[i]);
        prim_desc_t *pd = NULL;
        assert_int_equal(create(&pd, &open, algs[i], hint), OK);
        op_expect_tag(pd, PRIM_ARG_DIFF_DST, "acdb");
        op_expect_tag(pd, PRIM_ARG_DIFF_SRC, "acdb");
        prim_desc_destroy(pd);
        assert_int_equal(create(&pd, &cases[0], algs[i], hint), OK);
        op_expect_tag(pd, PRIM_ARG_DIFF_DST, "abcd");
        prim_desc_destroy(pd);
        prim_desc_destroy(hint);
    }
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, &open, MEAN, NULL), OK);
    op_expect_tag(pd, PRIM_ARG_DIFF_SRC, "abcd");
    prim_desc_destroy(pd);
}

/// 1-D windows of 3 at every other one of 5 elements, padding 1 at both ends.
static void run(prim_alg_kind_t alg, float *diff_dst, uint8_t *winners, float *diff_src)
{
    const prim_memory_desc_t src = op_md("f32 abc 1x1x5"), dst = op_md("f32 abc 1x1x3");
    const prim_memory_desc_t ws = op_md("u8 abc 1x1x3");
    const prim_dim_t stride = 2, kernel = 3, pad = 1;
    prim_desc_t *hint = NULL, *pd = NULL;
    assert_int_equal(prim_pooling_forward_desc_create(&hint, op_engine, PRIM_FORWARD_TRAINING, alg,
                             &src, &dst, &stride, &kernel, NULL, &pad, NULL, NULL),
            OK);
    assert_int_equal(prim_pooling_backward_desc_create(&pd, op_engine, alg, &src, &dst, &stride,
                             &kernel, NULL, &pad, NULL, hint, NULL),
            OK);
    prim_desc_destroy(hint);
    op_run(pd, alg == MAXIMUM ? 3 : 2,
            (prim_arg_t[]){{PRIM_ARG_DIFF_DST, op_memory(&dst, diff_dst)},
                    {PRIM_ARG_DIFF_SRC, op_memory(&src, diff_src)},
                    {PRIM_ARG_WORKSPACE, alg == MAXIMUM ? op_memory(&ws, winners) : NULL}});
}

static void test_values(void **state)
{
    (void)state;
    float diff_dst[3] = {6, 12, 24}, diff_src[5];
    uint8_t winners[3] = {2, 0, 1};
    run(MAXIMUM, diff_dst, winners, diff_src);
    assert_true(diff_src[0] == 0 && diff_src[1] == 18 && diff_src[2] == 0);
    assert_true(diff_src[3] == 0 && diff_src[4] == 24);
    run(PRIM_POOLING_AVG_INCLUDE_PADDING, diff_dst, NULL, diff_src);
    assert_true(diff_src[0] == 2 && diff_src[1] == 6 && diff_src[2] == 4);
    assert_true(diff_src[3] == 12 && diff_src[4] == 8);
    run(MEAN, diff_dst, NULL, diff_src);
    assert_true(diff_src[0] == 3 && diff_src[1] == 7 && diff_src[2] == 4);
    assert_true(diff_src[3] == 16 && diff_src[4] == 12);
}

/// A workspace of another descriptor, and none.
static void test_workspace(void **state)
{
    (void)state;
    float diff_dst[96] = {0}, diff_src[384];
    int32_t winners[96] = {0};
    const prim_memory_desc_t src = op_md(SRC), dst = op_md(DST), wide = op_md("s32 abcd 2x3x4x4");
    prim_desc_t *const hint = forward(&cases[0], PRIM_FORWARD_TRAINING, MAXIMUM);
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(create(&pd, &cases[0], MAXIMUM, hint), OK);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_WORKSPACE_MD, 0),
            prim_desc_query_md(hint, PRIM_QUERY_WORKSPACE_MD, 0)));
    assert_int_equal(prim_create(&primitive, pd), OK);
    const prim_arg_t args[] = {{PRIM_ARG_DIFF_DST, op_memory(&dst, diff_dst)},
            {PRIM_ARG_DIFF_SRC, op_memory(&src, diff_src)},
            {PRIM_ARG_WORKSPACE, op_memory(&wide, winners)}};
    assert_int_equal(prim_execute(primitive, op_stream, 3, args), BAD);
    assert_non_null(strstr(prim_last_error(), "workspace"));
    assert_int_equal(prim_execute(primitive, op_stream, 2, args), BAD);
    assert_non_null(strstr(prim_last_error(), "workspace"));
    for (int i = 0; i < 3; ++i) prim_memory_destroy(args[i].memory);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_desc_destroy(hint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_hint),
            cmocka_unit_test(test_layouts),
            cmocka_unit_test(test_values),
            cmocka_unit_test(test_workspace),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
