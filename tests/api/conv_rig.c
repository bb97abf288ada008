// SPDX-License-Identifier: Apache-2.0
#include "conv_rig.h"

#include <stdio.h>
#include <string.h>

const conv_op_t conv_direct = {.kind = PRIM_CONVOLUTION,
        .direct = PRIM_CONVOLUTION_DIRECT,
        .src_size = "8x9",
        .dst_size = "4x5",
        .src_length = "5",
        .dst_length = "3",
        .other = PRIM_CONVOLUTION_AUTO,
        .other_status = OK,
        .dst_channel_scales = OK,
        .weights_zero_point = OK,
        .forward = prim_convolution_forward_desc_create,
        .backward_data = prim_convolution_backward_data_desc_create,
        .backward_weights = prim_convolution_backward_weights_desc_create};

const conv_op_t conv_transposed = {.kind = PRIM_DECONVOLUTION,
        .direct = PRIM_DECONVOLUTION_DIRECT,
        .src_size = "4x5",
        .dst_size = "8x9",
        .src_length = "3",
        .dst_length = "5",
        .other = PRIM_DECONVOLUTION_WINOGRAD,
        .other_status = UN,
        .dst_channel_scales = UN,
        .weights_zero_point = UN,
        .forward = prim_deconvolution_forward_desc_create,
        .backward_data = prim_deconvolution_backward_data_desc_create,
        .backward_weights = prim_deconvolution_backward_weights_desc_create};

const prim_memory_desc_t *conv_md(prim_memory_desc_t *storage, const char *text)
{
    char filled[64] = "";
    if (!text) return NULL;
    for (size_t n = 0; *text; ++text, n = strlen(filled)) {
        const char one[2] = {*text, 0};
        const char *const part = *text == 'S'   ? conv_op->src_size
                                 : *text == 'D' ? conv_op->dst_size
                                                : one;
        (void)snprintf(filled + n, sizeof filled - n, "%s", part);
    }
    return op_md_or_null(storage, filled);
}

conv_call_t conv_good(void)
{
    return (conv_call_t){
            .prop_kind = INFER,
            .alg = conv_op->direct,
            .src = "f32 abcd 2x3xS",
            .wei = "f32 abcd 4x3x3x3",
            .bia = "f32 a 4",
            .dst = "f32 abcd 2x4xD",
            .strides = {2, 2},
            .pad_l = {1, 1},
            .pad_r = {0, 1},
            .has_dilates = true,
            .has_pad_r = true,
    };
}

static prim_status_t create_with(prim_desc_t **pd, const conv_call_t *call, const prim_attr_t *attr)
{
    prim_memory_desc_t mds[4];
    const prim_memory_desc_t *const src = conv_md(&mds[0], call->src);
    const prim_memory_desc_t *const wei = conv_md(&mds[1], call->wei);
    const prim_memory_desc_t *const bia = conv_md(&mds[2], call->bia);
    const prim_memory_desc_t *const dst = conv_md(&mds[3], call->dst);
    return conv_op->forward(pd, op_engine, call->prop_kind, call->alg, src, wei, bia, dst,
            call->strides, call->has_dilates ? call->dilates : NULL, call->pad_l,
            call->has_pad_r ? call->pad_r : NULL, attr);
}

void conv_expect(const char *name, const conv_call_t *call, prim_status_t expected)
{
    prim_desc_t *pd = UNTOUCHED;
    op_expect(name, create_with(&pd, call, NULL), expected, &pd);
}

/// With the good call's strides, dilation and padding.
static const conv_case_t tensors_cases[] = {
        {"plain", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", "f32 a 4", "f32 abcd 2x4xD", OK, OK},
        {"absent bias", "f32 acdb 2x3xS", "f32 any 4x3x3x3", "", "f32 any 2x4xD", OK, OK},
        {"one group", "f32 abcd 2x3xS", "f32 abcde 1x4x3x3x3", NULL, "f32 abcd 2x4xD", OK, OK},
        {"groups", "f32 abcd 2x6xS", "f32 abcde 2x2x3x3x3", "f32 a 4", "f32 abcd 2x4xD", OK, OK},
        {"integers", "u8 abcd 2x3xS", "s8 abcd 4x3x3x3", "s32 a 4", "s8 abcd 2x4xD", OK, OK},
        {"no image", "f32 abcd 0x3xS", "f32 abcd 4x3x3x3", NULL, "f32 abcd 0x4xD", OK, OK},
        {"null src", NULL, "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"null weights", "f32 abcd 2x3xS", NULL, NULL, "f32 abcd 2x4xD", BAD, OK},
        {"null dst", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", NULL, NULL, BAD, OK},
        {"absent src", "", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"absent weights", "f32 abcd 2x3xS", "", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"absent dst", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", NULL, "", BAD, OK},
        {"rank 2", "f32 ab 2x3", "f32 ab 4x3", NULL, "f32 ab 2x4", BAD, OK},
        {"rank 6", "f32 any 2x3xSx1x1", "f32 any 4x3x3x3x1x1", NULL, "f32 any 2x4xDx1x1", BAD, OK},
        {"rank of dst", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", NULL, "f32 abc 2x4x4", BAD, OK},
        {"rank of weights", "f32 abcd 2x3xS", "f32 abc 4x3x3", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"two groupings", "f32 abcd 2x3xS", "f32 any 1x1x4x3x3x3", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"rank of bias", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", "f32 ab 1x4", "f32 any 2x4xD", BAD,
                OK},
        {"N", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", NULL, "f32 abcd 3x4xD", BAD, OK},
        {"IC", "f32 abcd 2x5xS", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"IC of groups", "f32 abcd 2x3xS", "f32 abcde 2x2x3x3x3", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"OC", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x5xD", BAD, OK},
        {"OC of groups", "f32 abcd 2x6xS", "f32 abcde 2x2x3x3x3", NULL, "f32 abcd 2x2xD", BAD, OK},
        {"OC of bias", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", "f32 a 3", "f32 abcd 2x4xD", BAD, OK},
        {"no tap", "f32 abcd 2x3xS", "f32 abcd 4x3x0x3", NULL, "f32 abcd 2x4xD", BAD, OK},
        {"no input channel", "f32 abcd 2x0xS", "f32 abcd 4x0x3x3", NULL, "f32 any 2x4xD", BAD, OK},
        {"run-time N", "f32 abcd rx3xS", "f32 abcd 4x3x3x3", NULL, "f32 abcd rx4xD", UN, OK},
        {"run-time OC", "f32 abcd 2x3xS", "f32 abcd rx3x3x3", NULL, "f32 abcd 2xrxD", UN, OK},
        {"run-time bias", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", "f32 a r", "f32 any 2x4xD", UN, OK},
        {"src by name only", "s4 abcd 2x4xS", "f32 abcd 4x4x3x3", NULL, "f32 any 2x4xD", UN, OK},
        {"dst by name only", "f32 abcd 2x3xS", "f32 abcd 4x3x3x3", NULL, "u4 any 2x4xD", UN, OK},
};

static void expect_tensors(const conv_case_t *c)
{
    conv_call_t call = conv_good();
    call.src = c->src;
    call.wei = c->wei;
    call.bia = c->bia;
    call.dst = c->dst;
    conv_expect(c->name, &call, c->expected);
}

void conv_expect_tensors(const conv_case_t *cases, size_t n)
{
    for (size_t i = 0; i < sizeof tensors_cases / sizeof tensors_cases[0]; ++i)
        expect_tensors(&tensors_cases[i]);
    for (size_t i = 0; i < n; ++i) expect_tensors(&cases[i]);
}

void conv_expect_windows(const conv_window_t *windows, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const conv_window_t *const c = &windows[i];
        conv_call_t call = conv_good();
        call.src = c->src;
        call.wei = "f32 abc 1x1x3";
        call.bia = NULL;
        call.dst = c->dst;
        call.strides[0] = c->stride;
        call.dilates[0] = c->dilation;
        call.pad_l[0] = c->pad_l;
        call.pad_r[0] = c->pad_r;
        conv_expect(c->name, &call, c->expected);
    }
}

void conv_test_nulls(void **state)
{
    (void)state;
    const conv_call_t good = conv_good();
    prim_memory_desc_t mds[3];
    const prim_memory_desc_t *const src = conv_md(&mds[0], good.src);
    const prim_memory_desc_t *const wei = conv_md(&mds[1], good.wei);
    const prim_memory_desc_t *const dst = conv_md(&mds[2], good.dst);
    for (int i = 0; i < 4; ++i) {
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t st = conv_op->forward(i == 0 ? NULL : &pd, i == 1 ? NULL : op_engine,
                INFER, conv_op->direct, src, wei, NULL, dst, i == 2 ? NULL : good.strides,
                good.dilates, i == 3 ? NULL : good.pad_l, good.pad_r, NULL);
        op_expect("null", st, BAD, &pd);
    }
}

void conv_test_defaults(void **state)
{
    (void)state;
    conv_call_t call = conv_good();
    call.has_dilates = call.has_pad_r = false;
    call.dst = "f32 abcd 2x4xD";
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
        {"scales of channels of src", false, PRIM_ARG_SRC, 2, 0, UN, UN},
        {"scales of bias", false, PRIM_ARG_SRC_1, 0, 0, UN, UN},
        {"groups of weights", false, PRIM_ARG_WEIGHTS, 1, 2, UN, UN},
        {"zero point of src", true, PRIM_ARG_SRC, 0, 0, OK, OK},
        {"zero points of channels of src", true, PRIM_ARG_SRC, 2, 0, OK, OK},
        {"zero points of output channels", true, PRIM_ARG_WEIGHTS, 1, 0, UN, UN},
        {"zero points of channels of dst", true, PRIM_ARG_DST, 2, 0, OK, OK},
        {"zero points of images", true, PRIM_ARG_DST, 1, 0, UN, UN},
};

static void expect_quantised(const quant_case_t *c)
{
    const prim_dim_t groups[2] = {1, 1};
    prim_attr_t *attr = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(
            c->is_zero_point
                    ? prim_attr_set_zero_points(attr, c->arg, c->mask, c->ngroups, groups, PRIM_S32)
                    : prim_attr_set_scales(attr, c->arg, c->mask, c->ngroups, groups, PRIM_F32),
            PRIM_SUCCESS);
    prim_desc_t *pd = UNTOUCHED;
    conv_call_t call = conv_good();
    call.src = "u8 abcd 2x6xS";
    call.wei = "s8 abcd 4x6x3x3";
    call.dst = "u8 abcd 2x4xD";
    op_expect(c->name, create_with(&pd, &call, attr), c->expected, &pd);
    call.wei = "s8 abcde 2x2x3x3x3";
    op_expect(c->name, create_with(&pd, &call, attr), c->expected_grouped, &pd);
    prim_attr_destroy(attr);
}

void conv_test_quantisation(void **state)
{
    (void)state;
    const prim_status_t of_dst = conv_op->dst_channel_scales, of_wei = conv_op->weights_zero_point;
    const quant_case_t own[] = {
            {"scales of channels of dst", false, PRIM_ARG_DST, 2, 0, of_dst, of_dst},
            {"zero point of weights", true, PRIM_ARG_WEIGHTS, 0, 0, of_wei, of_wei},
    };
    for (size_t i = 0; i < sizeof quant_cases / sizeof quant_cases[0]; ++i)
        expect_quantised(&quant_cases[i]);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) expect_quantised(&own[i]);
}

static prim_status_t create_good(prim_desc_t **pd, const prim_attr_t *attr)
{
    const conv_call_t good = conv_good();
    return create_with(pd, &good, attr);
}

void conv_test_post_ops(void **state)
{
    (void)state;
    op_expect_post_ops(create_good, "f32 any 1x4x1x1", "f32 any 1x3x1x1", 2);
}

/// src and dst follow each other.
void conv_test_any(void **state)
{
    (void)state;
    static const struct {
        const char *src, *dst, *tag;
    } layouts[] = {
            {"f32 acdb 2x3xS", "f32 any 2x4xD", "acdb"},
            {"f32 abcd 2x3xS", "f32 any 2x4xD", "abcd"},
            {"f32 any 2x3xS", "f32 acdb 2x4xD", "acdb"},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
        conv_call_t call = conv_good();
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

void conv_test_queries(void **state)
{
    (void)state;
    prim_desc_t *pd = NULL;
    conv_call_t call = conv_good();
    const conv_call_t good = conv_good();
    if (conv_op->other_status == OK) call.alg = conv_op->other;
    assert_int_equal(create_with(&pd, &call, NULL), PRIM_SUCCESS);
    prim_primitive_kind_t kind = PRIM_REORDER;
    prim_prop_kind_t prop_kind = PRIM_BACKWARD;
    prim_alg_kind_t alg = PRIM_ALG_UNDEF;
    const prim_dims_t *strides = NULL, *pad_l = NULL, *pad_r = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PRIMITIVE_KIND, 0, &kind), OK);
    assert_int_equal(kind, conv_op->kind);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PROP_KIND, 0, &prop_kind), OK);
    assert_int_equal(prop_kind, INFER);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_ALG_KIND, 0, &alg), OK);
    assert_int_equal(alg, conv_op->direct);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_STRIDES, 0, &strides), OK);
    assert_memory_equal(*strides, good.strides, 2 * sizeof good.strides[0]);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PADDING_L, 0, &pad_l), OK);
    assert_memory_equal(*pad_l, good.pad_l, 2 * sizeof good.pad_l[0]);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PADDING_R, 0, &pad_r), OK);
    assert_memory_equal(*pad_r, good.pad_r, 2 * sizeof good.pad_r[0]);
    prim_memory_desc_t bia, dst;
    conv_md(&bia, good.bia);
    conv_md(&dst, good.dst);
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 1), &bia));
    assert_true(prim_memory_desc_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), &dst));
    prim_desc_destroy(pd);
}
