// SPDX-License-Identifier: Apache-2.0
// The rules that all operations share: which mistake of a caller gets which status. Each of them by
// an operation that stands for the others; what is particular is in the tests of each operation.
#include "op_test.h"

#include <string.h>

/// A creation with one mistake in it: the tensors, and what it has to return.
typedef struct {
    const char *name;
    prim_status_t (*create)(prim_desc_t **pd, const prim_memory_desc_t *src,
            const prim_memory_desc_t *dst, const prim_attr_t *attr);
    const char *src, *dst; ///< NULL: no pointer
    prim_status_t expected;
} mistake_t;

static prim_status_t relu(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_eltwise_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, src, dst, 0, 0, attr);
}

static prim_status_t a_sum_of_no_function(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_eltwise_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_REDUCTION_SUM, src, dst, 0, 0, attr);
}

static prim_status_t relu_backward_as_forward(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_eltwise_forward_desc_create(
            pd, op_engine, PRIM_BACKWARD, PRIM_ELTWISE_RELU, src, dst, 0, 0, attr);
}

static prim_status_t softmax(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_softmax_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, src, dst, 1, attr);
}

static prim_status_t softmax_of_axis_2(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_softmax_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, src, dst, 2, attr);
}

static prim_status_t max_of_pairs(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    static const prim_dim_t two[] = {2}, zero[] = {0};
    return prim_pooling_forward_desc_create(pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_POOLING_MAX,
            src, dst, two, two, zero, zero, zero, attr);
}

static prim_status_t rows(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_layer_normalization_forward_desc_create(pd, op_engine, PRIM_FORWARD_INFERENCE, src,
            dst, NULL, PRIM_F32, 1e-5f, PRIM_NORM_FLAGS_NONE, attr);
}

static prim_status_t rows_of_unknown_flags(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_layer_normalization_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, src, dst, NULL, PRIM_F32, 1e-5f, 1u << 20, attr);
}

static prim_status_t sum_of_one(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    static const float one[] = {1};
    return prim_sum_desc_create(pd, op_engine, dst, 1, one, &src, attr);
}

static prim_status_t concat_of_one(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_concat_desc_create(pd, op_engine, dst, 1, 0, &src, attr);
}

static prim_status_t enlarge(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_resampling_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_NEAREST, NULL, src, dst, attr);
}

static prim_status_t maximum(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_reduction_desc_create(pd, op_engine, PRIM_REDUCTION_MAX, src, dst, 0, 0, attr);
}

static prim_status_t groups_of_three(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_shuffle_forward_desc_create(
            pd, op_engine, PRIM_FORWARD_INFERENCE, src, dst, 1, 3, attr);
}

static prim_status_t square(prim_desc_t **pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    return prim_matmul_desc_create(pd, op_engine, src, src, NULL, dst, attr);
}

static const mistake_t mistakes[] = {
        {"no src", relu, NULL, "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"no dst", relu, "f32 ab 4x6", NULL, PRIM_INVALID_ARGUMENTS},
        {"ranks", relu, "f32 ab 4x6", "f32 abc 4x6x1", PRIM_INVALID_ARGUMENTS},
        {"rank", max_of_pairs, "f32 ab 4x6", "f32 ab 4x3", PRIM_INVALID_ARGUMENTS},
        {"dims", softmax, "f32 ab 4x6", "f32 ab 4x7", PRIM_INVALID_ARGUMENTS},
        {"alg", a_sum_of_no_function, "f32 ab 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"prop", relu_backward_as_forward, "f32 ab 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"axis", softmax_of_axis_2, "f32 ab 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"flags", rows_of_unknown_flags, "f32 ab 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"identity", maximum, "f32 ab 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"groups", groups_of_three, "f32 ab 4x8", "f32 ab 4x8", PRIM_INVALID_ARGUMENTS},
        {"any relu", relu, "f32 any 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"any softmax", softmax, "f32 any 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"any pooling", max_of_pairs, "f32 any 2x4x6", "f32 abc 2x4x3", PRIM_INVALID_ARGUMENTS},
        {"any norm", rows, "f32 any 4x6", "f32 ab 4x6", PRIM_INVALID_ARGUMENTS},
        {"run-time relu", relu, "f32 ab rx6", "f32 ab rx6", PRIM_UNIMPLEMENTED},
        {"run-time softmax", softmax, "f32 ab rx6", "f32 ab rx6", PRIM_UNIMPLEMENTED},
        {"run-time pooling", max_of_pairs, "f32 abc rx4x6", "f32 abc rx4x3", PRIM_UNIMPLEMENTED},
        {"run-time sum", sum_of_one, "f32 ab rx6", "f32 ab rx6", PRIM_INVALID_ARGUMENTS},
        {"run-time concat", concat_of_one, "f32 ab 4x6", "f32 ab rx6", PRIM_INVALID_ARGUMENTS},
        {"run-time enlarged", enlarge, "f32 abc rx4x6", "f32 abc rx4x9", PRIM_INVALID_ARGUMENTS},
        {"type", softmax, "f4_e2m1 ab 4x6", "f32 ab 4x6", PRIM_UNIMPLEMENTED},
};

static void mistakes_have_their_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        const mistake_t *const m = &mistakes[i];
        prim_memory_desc_t src, dst;
        prim_desc_t *pd = UNTOUCHED;
        const prim_status_t got =
                m->create(&pd, op_md_or_null(&src, m->src), op_md_or_null(&dst, m->dst), NULL);
        op_expect(m->name, got, m->expected, &pd);
    }
}

/// Sets one thing that the operation does not have.
typedef struct {
    const char *name;
    prim_status_t (*create)(prim_desc_t **pd, const prim_memory_desc_t *src,
            const prim_memory_desc_t *dst, const prim_attr_t *attr);
    void (*set)(prim_attr_t *attr);
    prim_status_t expected;
} foreign_t;

static void set_scale_of_src(prim_attr_t *attr)
{
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32), PRIM_SUCCESS);
}

static void set_scales_of_rows(prim_attr_t *attr)
{
    assert_int_equal(
            prim_attr_set_scales(attr, PRIM_ARG_SRC, 1 << 0, 0, NULL, PRIM_F32), PRIM_SUCCESS);
}

static void set_zero_point(prim_attr_t *attr)
{
    assert_int_equal(
            prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32), PRIM_SUCCESS);
}

static void append(prim_attr_t *attr, prim_status_t (*add)(prim_post_ops_t *chain))
{
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    assert_int_equal(add(chain), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    prim_post_ops_destroy(chain);
}

static prim_status_t add_sum(prim_post_ops_t *chain)
{
    return prim_post_ops_append_sum(chain, 1, 0, PRIM_DATA_TYPE_UNDEF);
}

static prim_status_t add_operand(prim_post_ops_t *chain, const char *text)
{
    const prim_memory_desc_t md = op_md(text);
    return prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &md);
}

static prim_status_t add_vector(prim_post_ops_t *chain)
{
    return add_operand(chain, "f32 a 6");
}

static prim_status_t add_other_columns(prim_post_ops_t *chain)
{
    return add_operand(chain, "f32 ab 1x5");
}

static void set_sum(prim_attr_t *attr)
{
    append(attr, add_sum);
}

static void set_operand_of_one_dimension(prim_attr_t *attr)
{
    append(attr, add_vector);
}

static void set_operand_that_does_not_broadcast(prim_attr_t *attr)
{
    append(attr, add_other_columns);
}

static void foreign_attributes_have_their_status(void **state)
{
    (void)state;
    const foreign_t foreign[] = {{"scale of relu", relu, set_scale_of_src, PRIM_UNIMPLEMENTED},
            {"zero point of softmax", softmax, set_zero_point, PRIM_UNIMPLEMENTED},
            {"sum behind softmax", softmax, set_sum, PRIM_UNIMPLEMENTED},
            {"sum behind relu", relu, set_sum, PRIM_UNIMPLEMENTED},
            {"scales of rows of softmax", softmax, set_scales_of_rows, PRIM_UNIMPLEMENTED},
            {"operand's rank", square, set_operand_of_one_dimension, PRIM_INVALID_ARGUMENTS},
            {"operand's columns", square, set_operand_that_does_not_broadcast,
                    PRIM_INVALID_ARGUMENTS}};
    const prim_memory_desc_t md = op_md("f32 ab 6x6");
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i) {
        prim_attr_t *attr = NULL;
        prim_desc_t *pd = UNTOUCHED;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        foreign[i].set(attr);
        op_expect(
                foreign[i].name, foreign[i].create(&pd, &md, &md, attr), foreign[i].expected, &pd);
        prim_attr_destroy(attr);
    }
}

static void a_chain_has_32_steps(void **state)
{
    (void)state;
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    for (int i = 0; i < 32; ++i) assert_int_equal(add_sum(chain), PRIM_SUCCESS);
    assert_int_equal(add_sum(chain), PRIM_OUT_OF_MEMORY);
    assert_true(*prim_last_error());
    prim_post_ops_destroy(chain);
}

static void there_is_a_last_implementation(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 4x6");
    prim_desc_t *pd = NULL;
    assert_int_equal(relu(&pd, &md, &md, NULL), PRIM_SUCCESS);
    prim_status_t st = PRIM_SUCCESS;
    for (int i = 0; st == PRIM_SUCCESS && i < 64; ++i) st = prim_desc_next_impl(pd);
    assert_int_equal(st, PRIM_LAST_IMPL_REACHED);
    prim_desc_destroy(pd);
}

static prim_memory_t *allocated(const prim_memory_desc_t *md)
{
    prim_memory_t *memory = NULL;
    assert_int_equal(
            prim_memory_create(&memory, md, op_engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    return memory;
}

static void expect_execution(const prim_t *primitive, prim_stream_t *stream, int nargs,
        const prim_arg_t *args, prim_status_t expected)
{
    assert_int_equal(prim_execute(primitive, stream, nargs, args), expected);
    if (expected != PRIM_SUCCESS) assert_true(*prim_last_error());
    assert_int_equal(prim_stream_wait(op_stream), PRIM_SUCCESS);
}

static void arguments_of_an_execution(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 4x6");
    prim_memory_t *const src = allocated(&md), *const dst = allocated(&md);
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(relu(&pd, &md, &md, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}, {PRIM_ARG_WEIGHTS, src}};
    const prim_arg_t twice[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}, {PRIM_ARG_SRC, src}};
    expect_execution(primitive, op_stream, 2, args, PRIM_SUCCESS);
    expect_execution(primitive, op_stream, 1, args, PRIM_INVALID_ARGUMENTS);
    expect_execution(primitive, op_stream, 3, twice, PRIM_INVALID_ARGUMENTS);
    expect_execution(primitive, op_stream, 3, args, PRIM_SUCCESS); // what it does not need
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
}

static void a_scale_that_is_not_given(void **state)
{
    (void)state;
    const prim_memory_desc_t md = op_md("f32 ab 6x6");
    prim_memory_t *const src = allocated(&md), *const dst = allocated(&md);
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    set_scale_of_src(attr);
    assert_int_equal(softmax(&pd, &md, &md, attr), PRIM_SUCCESS);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    expect_execution(primitive, op_stream, 2, args, PRIM_INVALID_ARGUMENTS);
    assert_non_null(strstr(prim_last_error(), "scale"));
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_attr_destroy(attr);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(mistakes_have_their_status),
            cmocka_unit_test(foreign_attributes_have_their_status),
            cmocka_unit_test(a_chain_has_32_steps),
            cmocka_unit_test(there_is_a_last_implementation),
            cmocka_unit_test(arguments_of_an_execution),
            cmocka_unit_test(a_scale_that_is_not_given),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
