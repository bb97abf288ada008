// SPDX-License-Identifier: Apache-2.0
// Broadcasts by strides of 0, in every operation: each input may be one along each of its
// dimensions, and each output that is one is refused with a sentence that names it.
#include <stdio.h>
#include <string.h>

#include "op_test.h"

enum { MAX_TENSORS = 5 };

/// One creator; `m` are its tensors in the order of the case.
typedef struct {
    const char *name;
    prim_status_t (*create)(prim_desc_t **pd, const prim_memory_desc_t *m, const prim_desc_t *hint);
    /// The names of outputs in sentences; "" for inputs.
    const char *outputs[MAX_TENSORS];
    const char *tensors[MAX_TENSORS];
    prim_status_t (*forward)(
            prim_desc_t **pd, const prim_memory_desc_t *m, const prim_desc_t *hint);
} case_t;

#define CREATE(name)           \
    static prim_status_t name( \
            prim_desc_t **pd, const prim_memory_desc_t *m, const prim_desc_t *hint)

static const prim_dim_t one[] = {1, 1}, none[] = {0, 0}, two[] = {2, 2};

CREATE(reorder)
{
    (void)hint;
    return prim_reorder_desc_create(pd, &m[0], op_engine, &m[1], op_engine, NULL);
}

CREATE(concat)
{
    (void)hint;
    return prim_concat_desc_create(
            pd, op_engine, &m[2], 2, 1, (const prim_memory_desc_t *const[]){&m[0], &m[1]}, NULL);
}

CREATE(sum)
{
    (void)hint;
    return prim_sum_desc_create(pd, op_engine, &m[2], 2, (const float[]){1, 2},
            (const prim_memory_desc_t *const[]){&m[0], &m[1]}, NULL);
}

CREATE(conv)
{
    (void)hint;
    return prim_convolution_forward_desc_create(pd, op_engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_DIRECT, &m[0], &m[1], &m[2], &m[3], one, NULL, none, none, NULL);
}

CREATE(conv_data)
{
    return prim_convolution_backward_data_desc_create(pd, op_engine, PRIM_CONVOLUTION_DIRECT, &m[0],
            &m[1], &m[2], one, NULL, none, none, hint, NULL);
}

CREATE(conv_weights)
{
    return prim_convolution_backward_weights_desc_create(pd, op_engine, PRIM_CONVOLUTION_DIRECT,
            &m[0], &m[1], &m[2], &m[3], one, NULL, none, none, hint, NULL);
}

CREATE(deconv)
{
    (void)hint;
    return prim_deconvolution_forward_desc_create(pd, op_engine, PRIM_FORWARD_INFERENCE,
            PRIM_DECONVOLUTION_DIRECT, &m[0], &m[1], &m[2], &m[3], one, NULL, none, none, NULL);
}

CREATE(deconv_data)
{
    return prim_deconvolution_backward_data_desc_create(pd, op_engine, PRIM_DECONVOLUTION_DIRECT,
            &m[0], &m[1], &m[2], one, NULL, none, none, hint, NULL);
}

CREATE(deconv_weights)
{
    return prim_deconvolution_backward_weights_desc_create(pd, op_engine, PRIM_DECONVOLUTION_DIRECT,
            &m[0], &m[1], &m[2], &m[3], one, NULL, none, none, hint, NULL);
}

CREATE(matmul)
{
    (void)hint;
    return prim_matmul_desc_create(pd, op_engine, &m[0], &m[1], &m[2], &m[3], NULL);
}

CREATE(ip)
{
    (void)hint;
    return prim_inner_product_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, &m[0], &m[1], &m[2], &m[3], NULL);
}

CREATE(ip_data)
{
    return prim_inner_product_backward_data_desc_create(
            pd, op_engine, &m[0], &m[1], &m[2], hint, NULL);
}

CREATE(ip_weights)
{
    return prim_inner_product_backward_weights_desc_create(
            pd, op_engine, &m[0], &m[1], &m[2], &m[3], hint, NULL);
}

CREATE(pool)
{
    (void)hint;
    return prim_pooling_forward_desc_create(pd, op_engine, PRIM_FORWARD_TRAINING, PRIM_POOLING_MAX,
            &m[0], &m[1], two, two, NULL, none, none, NULL);
}

CREATE(pool_data)
{
    return prim_pooling_backward_desc_create(
            pd, op_engine, PRIM_POOLING_MAX, &m[0], &m[1], two, two, NULL, none, none, hint, NULL);
}

CREATE(eltwise)
{
    (void)hint;
    return prim_eltwise_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &m[0], &m[1], 0, 0, NULL);
}

CREATE(eltwise_data)
{
    return prim_eltwise_backward_desc_create(
            pd, op_engine, PRIM_ELTWISE_RELU, &m[0], &m[1], &m[2], 0, 0, hint, NULL);
}

CREATE(binary)
{
    (void)hint;
    return prim_binary_desc_create(pd, op_engine, PRIM_BINARY_ADD, &m[0], &m[1], NULL, &m[2], NULL);
}

CREATE(choose)
{
    (void)hint;
    return prim_binary_desc_create(
            pd, op_engine, PRIM_BINARY_SELECT, &m[0], &m[1], &m[2], &m[3], NULL);
}

CREATE(softmax)
{
    (void)hint;
    return prim_softmax_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &m[0], &m[1], 1, NULL);
}

CREATE(softmax_data)
{
    return prim_softmax_backward_desc_create(
            pd, op_engine, PRIM_SOFTMAX_ACCURATE, &m[0], &m[1], &m[2], 1, hint, NULL);
}

CREATE(bnorm)
{
    (void)hint;
    return prim_batch_normalization_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_TRAINING, &m[0], &m[1], 0.1f, 0, NULL);
}

CREATE(bnorm_data)
{
    return prim_batch_normalization_backward_desc_create(
            pd, op_engine, PRIM_BACKWARD, &m[0], &m[1], &m[2], 0.1f, 0, hint, NULL);
}

/// Statistics are computed.
CREATE(lnorm)
{
    (void)hint;
    return prim_layer_normalization_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_TRAINING, &m[0], &m[1], &m[2], PRIM_F32, 0.1f, 0, NULL);
}

/// Statistics are given.
CREATE(lnorm_global)
{
    (void)hint;
    return prim_layer_normalization_forward_desc_create(pd, op_engine, PRIM_FORWARD_TRAINING, &m[0],
            &m[1], &m[2], PRIM_F32, 0.1f, PRIM_USE_GLOBAL_STATS, NULL);
}

CREATE(lnorm_data)
{
    return prim_layer_normalization_backward_desc_create(pd, op_engine, PRIM_BACKWARD, &m[0], &m[1],
            &m[2], &m[3], PRIM_F32, PRIM_F32, 0.1f, 0, hint, NULL);
}

CREATE(gnorm)
{
    (void)hint;
    return prim_group_normalization_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, &m[0], &m[1], 3, 0.1f, 0, NULL);
}

CREATE(gnorm_data)
{
    return prim_group_normalization_backward_desc_create(
            pd, op_engine, PRIM_BACKWARD, &m[0], &m[1], &m[2], 3, 0.1f, 0, hint, NULL);
}

CREATE(resampling)
{
    (void)hint;
    return prim_resampling_forward_desc_create(pd, op_engine, PRIM_FORWARD_INFERENCE,
            PRIM_RESAMPLING_LINEAR, NULL, &m[0], &m[1], NULL);
}

CREATE(resampling_data)
{
    return prim_resampling_backward_desc_create(
            pd, op_engine, PRIM_RESAMPLING_LINEAR, NULL, &m[0], &m[1], hint, NULL);
}

CREATE(lrn)
{
    (void)hint;
    return prim_lrn_forward_desc_create(pd, op_engine, PRIM_FORWARD_TRAINING,
            PRIM_LRN_ACROSS_CHANNELS, &m[0], &m[1], 3, 1, 1, 1, NULL);
}

CREATE(lrn_data)
{
    return prim_lrn_backward_desc_create(
            pd, op_engine, PRIM_LRN_ACROSS_CHANNELS, &m[0], &m[1], &m[2], 3, 1, 1, 1, hint, NULL);
}

CREATE(reduction)
{
    (void)hint;
    return prim_reduction_desc_create(pd, op_engine, PRIM_REDUCTION_SUM, &m[0], &m[1], 0, 0, NULL);
}

CREATE(prelu)
{
    (void)hint;
    return prim_prelu_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_TRAINING, &m[0], &m[1], &m[2], NULL);
}

CREATE(prelu_data)
{
    return prim_prelu_backward_desc_create(
            pd, op_engine, &m[0], &m[1], &m[2], &m[3], &m[4], hint, NULL);
}

CREATE(shuffle)
{
    (void)hint;
    return prim_shuffle_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_TRAINING, &m[0], &m[1], 1, 3, NULL);
}

CREATE(shuffle_data)
{
    return prim_shuffle_backward_desc_create(pd, op_engine, &m[0], &m[1], 1, 3, hint, NULL);
}

#define DATA "f32 abc 2x6x4"

static const case_t cases[] = {
        {"reorder", reorder, {"", "dst"}, {DATA, DATA}, NULL},
        {"concat", concat, {"", "", "dst"}, {DATA, "f32 abc 2x3x4", "f32 abc 2x9x4"}, NULL},
        {"sum", sum, {"", "", "dst"}, {DATA, DATA, DATA}, NULL},
        {"conv", conv, {"", "", "", "dst"}, {DATA, "f32 abc 5x6x2", "f32 a 5", "f32 abc 2x5x3"},
                NULL},
        {"conv by src", conv_data, {"diff_src", "", ""}, {DATA, "f32 abc 5x6x2", "f32 abc 2x5x3"},
                NULL},
        {"conv by weights", conv_weights, {"", "diff_weights", "diff_bias", ""},
                {DATA, "f32 abc 5x6x2", "f32 a 5", "f32 abc 2x5x3"}, NULL},
        {"deconv", deconv, {"", "", "", "dst"}, {DATA, "f32 abc 5x6x2", "f32 a 5", "f32 abc 2x5x5"},
                NULL},
        {"deconv by src", deconv_data, {"diff_src", "", ""},
                {DATA, "f32 abc 5x6x2", "f32 abc 2x5x5"}, NULL},
        {"deconv by weights", deconv_weights, {"", "diff_weights", "diff_bias", ""},
                {DATA, "f32 abc 5x6x2", "f32 a 5", "f32 abc 2x5x5"}, NULL},
        {"matmul", matmul, {"", "", "", "dst"},
                {"f32 abc 2x6x4", "f32 abc 2x4x5", "f32 abc 2x1x5", "f32 abc 2x6x5"}, NULL},
        {"ip", ip, {"", "", "", "dst"}, {DATA, "f32 abc 5x6x4", "f32 a 5", "f32 ab 2x5"}, NULL},
        {"ip by src", ip_data, {"diff_src", "", ""}, {DATA, "f32 abc 5x6x4", "f32 ab 2x5"}, NULL},
        {"ip by weights", ip_weights, {"", "diff_weights", "diff_bias", ""},
                {DATA, "f32 abc 5x6x4", "f32 a 5", "f32 ab 2x5"}, NULL},
        {"pool", pool, {"", "dst"}, {DATA, "f32 abc 2x6x2"}, NULL},
        {"pool by src", pool_data, {"diff_src", ""}, {DATA, "f32 abc 2x6x2"}, pool},
        {"eltwise", eltwise, {"", "dst"}, {DATA, DATA}, NULL},
        {"eltwise by src", eltwise_data, {"diff_src", "", ""}, {DATA, DATA, DATA}, NULL},
        {"binary", binary, {"", "", "dst"}, {DATA, DATA, DATA}, NULL},
        {"select", choose, {"", "", "", "dst"}, {DATA, DATA, "s8 abc 2x6x4", DATA}, NULL},
        {"softmax", softmax, {"", "dst"}, {DATA, DATA}, NULL},
        {"softmax by src", softmax_data, {"diff_src", "", ""}, {DATA, DATA, DATA}, NULL},
        {"bnorm", bnorm, {"", "dst"}, {DATA, DATA}, NULL},
        {"bnorm by src", bnorm_data, {"diff_src", "", ""}, {DATA, DATA, DATA}, NULL},
        {"lnorm", lnorm, {"", "dst", "mean"}, {DATA, DATA, "f32 ab 2x6"}, NULL},
        {"lnorm of given statistics", lnorm_global, {"", "dst", ""}, {DATA, DATA, "f32 ab 2x6"},
                NULL},
        {"lnorm by src", lnorm_data, {"diff_src", "", "", ""}, {DATA, DATA, DATA, "f32 ab 2x6"},
                NULL},
        {"gnorm", gnorm, {"", "dst"}, {DATA, DATA}, NULL},
        {"gnorm by src", gnorm_data, {"diff_src", "", ""}, {DATA, DATA, DATA}, NULL},
        {"resampling", resampling, {"", "dst"}, {DATA, "f32 abc 2x6x8"}, NULL},
        {"resampling by src", resampling_data, {"diff_src", ""}, {DATA, "f32 abc 2x6x8"}, NULL},
        {"lrn", lrn, {"", "dst"}, {DATA, DATA}, NULL},
        {"lrn by src", lrn_data, {"diff_src", "", ""}, {DATA, DATA, DATA}, lrn},
        {"reduction", reduction, {"", "dst"}, {DATA, "f32 abc 2x6x1"}, NULL},
        {"prelu", prelu, {"", "", "dst"}, {DATA, "f32 abc 1x6x4", DATA}, NULL},
        {"prelu by src and weights", prelu_data, {"", "", "diff_src", "diff_weights", ""},
                {DATA, "f32 abc 1x6x4", DATA, "f32 abc 1x6x4", DATA}, NULL},
        {"shuffle", shuffle, {"", "dst"}, {DATA, DATA}, NULL},
        {"shuffle by src", shuffle_data, {"diff_src", ""}, {DATA, DATA}, NULL},
};

static void expect_refusal(
        const case_t *c, int tensor, const prim_memory_desc_t *m, const prim_desc_t *hint)
{
    prim_desc_t *pd = UNTOUCHED;
    const prim_status_t st = c->create(&pd, m, hint);
    char name[64];
    snprintf(name, sizeof name, " %s has stride 0 in dimension ", c->outputs[tensor]);
    if (st != PRIM_INVALID_ARGUMENTS || pd != UNTOUCHED || !strstr(prim_last_error(), name))
        fail_msg("%s with %s as a broadcast: %s, \"%s\"", c->name, c->outputs[tensor],
                prim_status_name(st), prim_last_error());
}

/// Every tensor of a case by itself, along each of its dimensions.
static void try_case(const case_t *c, const prim_memory_desc_t *m, int n, const prim_desc_t *hint)
{
    for (int t = 0; t < n; ++t)
        for (int d = 0; d < m[t].ndims; ++d) {
            prim_memory_desc_t changed[MAX_TENSORS];
            prim_desc_t *pd = UNTOUCHED;
            memcpy(changed, m, sizeof changed);
            changed[t].strides[d] = 0;
            if (c->outputs[t][0] && m[t].dims[d] > 1) {
                expect_refusal(c, t, changed, hint);
            } else {
                const prim_status_t st = c->create(&pd, changed, hint);
                op_expect(c->name, st, PRIM_SUCCESS, &pd);
            }
        }
}

static void inputs_are_broadcasts_and_outputs_are_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const case_t *const c = &cases[i];
        prim_memory_desc_t m[MAX_TENSORS] = {{0}};
        prim_desc_t *hint = NULL;
        int n = 0;
        for (; n < MAX_TENSORS && c->tensors[n]; ++n) m[n] = op_md(c->tensors[n]);
        if (c->forward) assert_int_equal(c->forward(&hint, m, NULL), PRIM_SUCCESS);
        try_case(c, m, n, hint);
        prim_desc_destroy(hint);
    }
}

/// What follows src takes the order of its dimensions, and none of its broadcasts.
static void open_outputs_are_dense(void **state)
{
    (void)state;
    static const struct {
        prim_dims_t strides;
        const char *dst;
    } rows[] = {{{0, 4, 1}, "abc"}, {{0, 0, 0}, "abc"}, {{6, 1, 0}, "abc"}, {{0, 1, 6}, "acb"},
            {{4, 0, 1}, "abc"}, {{1, 0, 2}, "cab"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        prim_memory_desc_t m[] = {op_md(DATA), op_md("f32 any 2x6x4")};
        prim_desc_t *pd = NULL;
        memcpy(m[0].strides, rows[i].strides, 3 * sizeof(prim_dim_t));
        assert_int_equal(eltwise(&pd, m, NULL), PRIM_SUCCESS);
        op_expect_tag(pd, PRIM_ARG_DST, rows[i].dst);
        prim_desc_destroy(pd);
    }
}

static void operands_of_post_ops_are_broadcasts(void **state)
{
    (void)state;
    prim_memory_desc_t src = op_md(DATA), operand = op_md(DATA);
    operand.strides[0] = operand.strides[2] = 0;
    operand.strides[1] = 1;
    float x[48], y[48], values[6];
    for (int i = 0; i < 48; ++i) x[i] = (float)i;
    for (int i = 0; i < 6; ++i) values[i] = (float)(100 * i);
    prim_post_ops_t *post_ops = NULL;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_post_ops_create(&post_ops), PRIM_SUCCESS);
    assert_int_equal(
            prim_post_ops_append_binary(post_ops, PRIM_BINARY_ADD, &operand), PRIM_SUCCESS);
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_post_ops(attr, post_ops), PRIM_SUCCESS);
    assert_int_equal(prim_eltwise_forward_desc_create(&pd, op_engine, PRIM_FORWARD_INFERENCE,
                             PRIM_ELTWISE_RELU, &src, &src, 0, 0, attr),
            PRIM_SUCCESS);
    op_run(pd, 3,
            (prim_arg_t[]){{PRIM_ARG_SRC, op_memory(&src, x)}, {PRIM_ARG_DST, op_memory(&src, y)},
                    {PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1,
                            op_memory(&operand, values)}});
    for (int i = 0; i < 48; ++i) assert_true(y[i] == x[i] + values[i / 4 % 6]);
    prim_attr_destroy(attr);
    prim_post_ops_destroy(post_ops);
}

/// A memory is as large as what it holds: 4 elements for 2·6·4 positions.
static void a_row_is_read_again_and_again(void **state)
{
    (void)state;
    prim_memory_desc_t src = op_md(DATA), dst = op_md(DATA);
    src.strides[0] = src.strides[1] = 0;
    assert_int_equal(prim_memory_desc_get_size(&src), 4 * sizeof(float));
    float row[] = {1, 2, 3, 4}, all[48] = {0};
    prim_desc_t *pd = NULL;
    assert_int_equal(
            prim_reorder_desc_create(&pd, &src, op_engine, &dst, op_engine, NULL), PRIM_SUCCESS);
    op_run(pd, 2,
            (prim_arg_t[]){
                    {PRIM_ARG_FROM, op_memory(&src, row)}, {PRIM_ARG_TO, op_memory(&dst, all)}});
    for (int i = 0; i < 48; ++i) assert_true(all[i] == row[i % 4]);
}

/// The status of a product [2, 6]·[6, 4] whose strides come with the memories.
static prim_status_t multiply(const prim_t *primitive, const prim_memory_desc_t m[3])
{
    float src[12], wei[24], dst[8] = {0};
    for (int i = 0; i < 12; ++i) src[i] = (float)i;
    for (int i = 0; i < 24; ++i) wei[i] = (float)i;
    prim_memory_t *const memory[] = {
            op_memory(&m[0], src), op_memory(&m[1], wei), op_memory(&m[2], dst)};
    const prim_arg_t args[] = {
            {PRIM_ARG_SRC, memory[0]}, {PRIM_ARG_WEIGHTS, memory[1]}, {PRIM_ARG_DST, memory[2]}};
    prim_status_t st = prim_execute(primitive, op_stream, 3, args);
    if (st == PRIM_SUCCESS) st = prim_stream_wait(op_stream);
    for (int i = 0; i < 3; ++i) prim_memory_destroy(memory[i]);
    return st;
}

static void outputs_that_come_at_execution_are_no_broadcasts(void **state)
{
    (void)state;
    const prim_dims_t open = {PRIM_RUNTIME_DIM_VAL, PRIM_RUNTIME_DIM_VAL};
    prim_memory_desc_t m[] = {op_md("f32 ab 2x6"), op_md("f32 ab 6x4"), op_md("f32 ab 2x4")};
    prim_memory_desc_t pds[3];
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    memcpy(pds, m, sizeof pds);
    for (int i = 0; i < 3; ++i) memcpy(pds[i].strides, open, 2 * sizeof(prim_dim_t));
    assert_int_equal(prim_matmul_desc_create(&pd, op_engine, &pds[0], &pds[1], NULL, &pds[2], NULL),
            PRIM_SUCCESS);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    assert_int_equal(multiply(primitive, m), PRIM_SUCCESS);
    m[0].strides[0] = m[1].strides[1] = 0;
    assert_int_equal(multiply(primitive, m), PRIM_SUCCESS);
    m[2].strides[0] = 0;
    assert_int_equal(multiply(primitive, m), PRIM_INVALID_ARGUMENTS);
    assert_non_null(strstr(prim_last_error(), "matmul dst has stride 0 in dimension 0 (of 2)"));
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(inputs_are_broadcasts_and_outputs_are_not),
            cmocka_unit_test(open_outputs_are_dense),
            cmocka_unit_test(operands_of_post_ops_are_broadcasts),
            cmocka_unit_test(a_row_is_read_again_and_again),
            cmocka_unit_test(outputs_that_come_at_execution_are_no_broadcasts),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
