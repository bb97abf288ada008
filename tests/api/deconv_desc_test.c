// SPDX-License-Identifier: Apache-2.0
// prim_deconvolution_forward_desc_create(): every documented refusal, layouts for `any`,
// attributes, queries.
#include "op_test.h"

#include <string.h>

#define INFER PRIM_FORWARD_INFERENCE
#define OK PRIM_SUCCESS
#define BAD PRIM_INVALID_ARGUMENTS
#define UN PRIM_UNIMPLEMENTED

/// One call: a good one, in which a case changes what it is about.
typedef struct {
    prim_prop_kind_t prop_kind;
    prim_alg_kind_t alg;
    const char *src, *wei, *bia, *dst;
    prim_dims_t strides, dilates, pad_l, pad_r;
    bool has_dilates, has_pad_r;
} call_t;

static const call_t good = {
        .prop_kind = INFER,
        .alg = PRIM_DECONVOLUTION_DIRECT,
        .src = "f32 abcd 2x3x4x5",
        .wei = "f32 abcd 4x3x3x3",
        .bia = "f32 a 4",
        .dst = "f32 abcd 2x4x8x9",
        .strides = {2, 2},
        .pad_l = {1, 1},
        .pad_r = {0, 1},
        .has_dilates = true,
        .has_pad_r = true,
};

static prim_status_t create_with(prim_desc_t **pd, const call_t *call, const prim_attr_t *attr)
{
    prim_memory_desc_t mds[4];
    const prim_memory_desc_t *const src = op_md_or_null(&mds[0], call->src);
    const prim_memory_desc_t *const wei = op_md_or_null(&mds[1], call->wei);
    const prim_memory_desc_t *const bia = op_md_or_null(&mds[2], call->bia);
    const prim_memory_desc_t *const dst = op_md_or_null(&mds[3], call->dst);
    return prim_deconvolution_forward_desc_create(pd, op_engine, call->prop_kind, call->alg, src,
            wei, bia, dst, call->strides, call->has_dilates ? call->dilates : NULL, call->pad_l,
            call->has_pad_r ? call->pad_r : NULL, attr);
}

static void expect(const char *name, const call_t *call, prim_status_t expected)
{
    prim_desc_t *pd = UNTOUCHED;
    op_expect(name, create_with(&pd, call, NULL), expected, &pd);
}

typedef struct {
    const char *name;
    const char *src, *wei, *bia, *dst;
    prim_status_t expected;
} tensors_case_t;

/// With the good call's strides, dilation and padding.
static const tensors_case_t tensors_cases[] = {
        {"plain", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", "f32 a 4", "f32 abcd 2x4x8x9", OK},
        {"absent bias", "f32 acdb 2x3x4x5", "f32 any 4x3x3x3", "", "f32 any 2x4x8x9", OK},
        {"one group", "f32 abcd 2x3x4x5", "f32 abcde 1x4x3x3x3", NULL, "f32 abcd 2x4x8x9", OK},
        {"groups", "f32 abcd 2x6x4x5", "f32 abcde 2x2x3x3x3", "f32 a 4", "f32 abcd 2x4x8x9", OK},
        {"integers", "u8 abcd 2x3x4x5", "s8 abcd 4x3x3x3", "s32 a 4", "s8 abcd 2x4x8x9", OK},
        {"no image", "f32 abcd 0x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 0x4x8x9", OK},
        {"no room", "f32 abcd 2x3x0x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x1x9", OK},
        {"empty dst", "f32 abcd 2x3x4x1", "f32 abcd 4x3x3x1", NULL, "f32 abcd 2x4x8x0", OK},
        {"one more row of dst", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x9x9",
                OK},

        {"null src", NULL, "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x8x9", BAD},
        {"null weights", "f32 abcd 2x3x4x5", NULL, NULL, "f32 abcd 2x4x8x9", BAD},
        {"null dst", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, NULL, BAD},
        {"absent src", "", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x8x9", BAD},
        {"absent weights", "f32 abcd 2x3x4x5", "", NULL, "f32 abcd 2x4x8x9", BAD},
        {"absent dst", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "", BAD},
        {"rank 2", "f32 ab 2x3", "f32 ab 4x3", NULL, "f32 ab 2x4", BAD},
        {"rank 6", "f32 any 2x3x4x5x1x1", "f32 any 4x3x3x3x1x1", NULL, "f32 any 2x4x8x9x1x1", BAD},
        {"rank of dst", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abc 2x4x4", BAD},
        {"rank of weights", "f32 abcd 2x3x4x5", "f32 abc 4x3x3", NULL, "f32 abcd 2x4x8x9", BAD},
        {"two groupings", "f32 abcd 2x3x4x5", "f32 any 1x1x4x3x3x3", NULL, "f32 abcd 2x4x8x9", BAD},
        {"rank of bias", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", "f32 ab 1x4", "f32 any 2x4x8x9",
                BAD},
        {"N", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 3x4x8x9", BAD},
        {"IC", "f32 abcd 2x5x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x8x9", BAD},
        {"IC of groups", "f32 abcd 2x3x4x5", "f32 abcde 2x2x3x3x3", NULL, "f32 abcd 2x4x8x9", BAD},
        {"OC", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x5x8x9", BAD},
        {"OC of groups", "f32 abcd 2x6x4x5", "f32 abcde 2x2x3x3x3", NULL, "f32 abcd 2x2x8x9", BAD},
        {"OC of bias", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", "f32 a 3", "f32 abcd 2x4x8x9", BAD},
        {"height", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x6x9", BAD},
        {"width", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x8x8", BAD},
        {"no tap", "f32 abcd 2x3x4x5", "f32 abcd 4x3x0x3", NULL, "f32 abcd 2x4x8x9", BAD},
        {"no input channel", "f32 abcd 2x0x4x5", "f32 abcd 4x0x3x3", NULL, "f32 any 2x4x8x9", BAD},

        {"run-time N", "f32 abcd rx3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd rx4x8x9", UN},
        {"run-time OC", "f32 abcd 2x3x4x5", "f32 abcd rx3x3x3", NULL, "f32 abcd 2xrx8x9", UN},
        {"run-time bias", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", "f32 a r", "f32 any 2x4x8x9", UN},
        {"src by name only", "s4 abcd 2x4x4x5", "f32 abcd 4x4x3x3", NULL, "f32 any 2x4x8x9", UN},
        {"dst by name only", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "u4 any 2x4x8x9", UN},
};

static void test_tensors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tensors_cases / sizeof tensors_cases[0]; ++i) {
        const tensors_case_t *const c = &tensors_cases[i];
        call_t call = good;
        call.src = c->src;
        call.wei = c->wei;
        call.bia = c->bia;
        call.dst = c->dst;
        expect(c->name, &call, c->expected);
    }
}

static void test_nulls(void **state)
{
    (void)state;
    const prim_memory_desc_t src = op_md(good.src), wei = op_md(good.wei), dst = op_md(good.dst);
    for (int i = 0; i < 4; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = prim_deconvolution_forward_desc_create(i == 0 ? NULL : &pd,
                i == 1 ? NULL : op_engine, INFER, PRIM_DECONVOLUTION_DIRECT, &src, &wei, NULL, &dst,
                i == 2 ? NULL : good.strides, good.dilates, i == 3 ? NULL : good.pad_l, good.pad_r,
                NULL);
        op_expect("null", st, BAD, &pd);
    }
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        prim_prop_kind_t prop_kind;
        prim_alg_kind_t alg;
        prim_status_t expected;
    } kinds[] = {
            {"training", PRIM_FORWARD_TRAINING, PRIM_DECONVOLUTION_DIRECT, OK},
            {"Winograd's", INFER, PRIM_DECONVOLUTION_WINOGRAD, UN},
            {"convolution's", INFER, PRIM_CONVOLUTION_DIRECT, BAD},
            {"backward", PRIM_BACKWARD_WEIGHTS, PRIM_DECONVOLUTION_DIRECT, BAD},
            {"algorithm of another", INFER, PRIM_ELTWISE_RELU, BAD},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        call_t call = good;
        call.prop_kind = kinds[i].prop_kind;
        call.alg = kinds[i].alg;
        expect(kinds[i].name, &call, kinds[i].expected);
    }
}

/// A row of windows.
typedef struct {
    const char *name;
    prim_dim_t stride, dilation, pad_l, pad_r;
    const char *src;
    prim_status_t expected;
} window_case_t;

#define HUGE (((prim_dim_t)1 << 40) + 1)

/// dst of 9, a kernel of 3.
static const window_case_t window_cases[] = {
        {"dense", 1, 0, 0, 0, "f32 abc 1x1x7", OK},
        {"dilated", 1, 1, 0, 0, "f32 abc 1x1x5", OK},
        {"strides over the rest", 4, 0, 0, 0, "f32 abc 1x1x2", OK},
        {"padding of all windows", 1, 0, 5, 5, "f32 abc 1x1x17", OK},
        {"negative padding behind", 3, 0, 0, -2, "f32 abc 1x1x2", OK},
        {"another size", 1, 0, 0, 0, "f32 abc 1x1x8", BAD},
        {"stride 0", 0, 0, 0, 0, "f32 abc 1x1x7", BAD},
        {"negative stride", -1, 0, 0, 0, "f32 abc 1x1x7", BAD},
        {"negative dilation", 1, -1, 0, 0, "f32 abc 1x1x9", BAD},
        {"negative padding in front", 1, 0, -1, 0, "f32 abc 1x1x6", BAD},
        {"padding behind of minus the stride", 3, 0, 0, -3, "f32 abc 1x1x2", BAD},
        {"too large a stride", HUGE, 0, 0, 0, "f32 abc 1x1x1", BAD},
        {"too large a dilation", 1, HUGE / 2, 0, 0, "f32 abc 1x1x0", BAD},
        {"too much padding in front", 1, 0, HUGE, 0, "f32 abc 1x1x7", BAD},
        {"too much padding behind", 1, 0, 0, HUGE, "f32 abc 1x1x7", BAD},
};

static void test_windows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof window_cases / sizeof window_cases[0]; ++i) {
        const window_case_t *const c = &window_cases[i];
        call_t call = good;
        call.src = c->src;
        call.wei = "f32 abc 1x1x3";
        call.bia = NULL;
        call.dst = "f32 abc 1x1x9";
        call.strides[0] = c->stride;
        call.dilates[0] = c->dilation;
        call.pad_l[0] = c->pad_l;
        call.pad_r[0] = c->pad_r;
        expect(c->name, &call, c->expected);
    }
}

static void test_defaults(void **state)
{
    (void)state;
    call_t call = good;
    call.has_dilates = call.has_pad_r = false;
    call.dst = "f32 abcd 2x4x8x9";
    prim_desc_t *pd = NULL;
    assert_int_equal(create_with(&pd, &call, NULL), PRIM_SUCCESS);
    const prim_dims_t *dilates = NULL, *pad_r = NULL, *kernel = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_DILATIONS, 0, &dilates), PRIM_SUCCESS);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PADDING_R, 0, &pad_r), PRIM_SUCCESS);
    assert_int_equal((*dilates)[0], 0);
    assert_int_equal((*pad_r)[0], 1);
    assert_int_equal((*pad_r)[1], 1);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_KERNEL, 0, &kernel), UN);
    assert_null(kernel);
    prim_desc_destroy(pd);
}

typedef struct {
    const char *name;
    bool is_zero_point;
    int arg, mask, ngroups;
    prim_status_t expected, expected_grouped;
} quant_case_t;

static const quant_case_t quant_cases[] = {
        {"scale of src", false, PRIM_ARG_SRC, 0, 0, OK, OK},
        {"scale of weights", false, PRIM_ARG_WEIGHTS, 0, 0, OK, OK},
        {"scales of output channels", false, PRIM_ARG_WEIGHTS, 1, 0, OK, UN},
        {"scales of grouped output channels", false, PRIM_ARG_WEIGHTS, 3, 0, UN, OK},
        {"scale of dst", false, PRIM_ARG_DST, 0, 0, OK, OK},
        {"scales of channels of dst", false, PRIM_ARG_DST, 2, 0, UN, UN},
        {"scales of channels of src", false, PRIM_ARG_SRC, 2, 0, UN, UN},
        {"scales of bias", false, PRIM_ARG_SRC_1, 0, 0, UN, UN},
        {"groups of weights", false, PRIM_ARG_WEIGHTS, 1, 2, UN, UN},
        {"zero point of src", true, PRIM_ARG_SRC, 0, 0, OK, OK},
        {"zero points of channels of src", true, PRIM_ARG_SRC, 2, 0, OK, OK},
        {"zero point of weights", true, PRIM_ARG_WEIGHTS, 0, 0, UN, UN},
        {"zero points of output channels", true, PRIM_ARG_WEIGHTS, 1, 0, UN, UN},
        {"zero points of channels of dst", true, PRIM_ARG_DST, 2, 0, OK, OK},
        {"zero points of images", true, PRIM_ARG_DST, 1, 0, UN, UN},
};

static void test_quantisation(void **state)
{
    (void)state;
    const prim_dim_t groups[2] = {1, 1};
    for (size_t i = 0; i < sizeof quant_cases / sizeof quant_cases[0]; ++i) {
        const quant_case_t *const c = &quant_cases[i];
        prim_attr_t *attr = NULL;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        assert_int_equal(c->is_zero_point ? prim_attr_set_zero_points(attr, c->arg, c->mask,
                                                    c->ngroups, groups, PRIM_S32)
                                          : prim_attr_set_scales(attr, c->arg, c->mask, c->ngroups,
                                                    groups, PRIM_F32),
                PRIM_SUCCESS);
        prim_desc_t *pd = UNTOUCHED;
        call_t call = good;
        call.src = "u8 abcd 2x6x4x5";
        call.wei = "s8 abcd 4x6x3x3";
        call.dst = "u8 abcd 2x4x8x9";
        op_expect(c->name, create_with(&pd, &call, attr), c->expected, &pd);
        call.wei = "s8 abcde 2x2x3x3x3";
        op_expect(c->name, create_with(&pd, &call, attr), c->expected_grouped, &pd);
        prim_attr_destroy(attr);
    }
}

static prim_status_t create_good(prim_desc_t **pd, const prim_attr_t *attr)
{
    return create_with(pd, &good, attr);
}

static void test_post_ops(void **state)
{
    (void)state;
    op_expect_post_ops(create_good, "f32 any 1x4x1x1", "f32 any 1x3x1x1", 2);
}

/// src and dst follow each other.
static void test_any(void **state)
{
    (void)state;
    static const struct {
        const char *src, *dst, *tag;
    } layouts[] = {
            {"f32 acdb 2x3x4x5", "f32 any 2x4x8x9", "acdb"},
            {"f32 abcd 2x3x4x5", "f32 any 2x4x8x9", "abcd"},
            {"f32 any 2x3x4x5", "f32 acdb 2x4x8x9", "acdb"},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
        call_t call = good;
        call.src = layouts[i].src;
        call.dst = layouts[i].dst;
        call.wei = "f32 any 4x3x3x3";
        call.bia = "f32 any 4";
        prim_desc_t *pd = NULL;
        assert_int_equal(create_with(&pd, &call, NULL), PRIM_SUCCESS);
        op_expect_tag(pd, PRIM_ARG_SRC, layouts[i].tag);
        op_expect_tag(pd, PRIM_ARG_DST, layouts[i].tag);
        op_expect_tag(pd, PRIM_ARG_BIAS, "a");
        const prim_memory_desc_t *const wei = prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0);
        const prim_dim_t dims[] = {4, 3, 3, 3};
        assert_int_equal(wei->format_kind, PRIM_FORMAT_KIND_BLOCKED);
        assert_memory_equal(wei->dims, dims, sizeof dims);
        prim_desc_destroy(pd);
    }
}

static void test_queries(void **state)
{
    (void)state;
    prim_desc_t *pd = NULL;
    call_t call = good;
    assert_int_equal(create_with(&pd, &call, NULL), PRIM_SUCCESS);
    prim_primitive_kind_t kind = PRIM_REORDER;
    prim_prop_kind_t prop_kind = PRIM_BACKWARD;
    prim_alg_kind_t alg = PRIM_ALG_UNDEF;
    const prim_dims_t *strides = NULL, *pad_l = NULL, *pad_r = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PRIMITIVE_KIND, 0, &kind), OK);
    assert_int_equal(kind, PRIM_DECONVOLUTION);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PROP_KIND, 0, &prop_kind), OK);
    assert_int_equal(prop_kind, INFER);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_ALG_KIND, 0, &alg), OK);
    assert_int_equal(alg, PRIM_DECONVOLUTION_DIRECT);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_STRIDES, 0, &strides), OK);
    assert_memory_equal(*strides, good.strides, 2 * sizeof good.strides[0]);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PADDING_L, 0, &pad_l), OK);
    assert_memory_equal(*pad_l, good.pad_l, 2 * sizeof good.pad_l[0]);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PADDING_R, 0, &pad_r), OK);
    assert_memory_equal(*pad_r, good.pad_r, 2 * sizeof good.pad_r[0]);
    const prim_memory_desc_t bia = op_md(good.bia), dst = op_md(good.dst);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 1), &bia));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &dst));
    prim_desc_destroy(pd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_tensors),
            cmocka_unit_test(test_nulls),
            cmocka_unit_test(test_kinds),
            cmocka_unit_test(test_windows),
            cmocka_unit_test(test_defaults),
            cmocka_unit_test(test_quantisation),
            cmocka_unit_test(test_post_ops),
            cmocka_unit_test(test_any),
            cmocka_unit_test(test_queries),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
