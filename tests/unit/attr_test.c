// SPDX-License-Identifier: Apache-2.0
// Attributes as the operations read them: order, rules, masks, and chains against a destination.

#include <math.h>
#include <string.h>

#include "common/attr.h"
#include "common/memory_desc.h"
#include "common/post_ops_check.h"
#include "support/unit_test.h"

static prim_attr_t attr;

static int fresh(void **state)
{
    (void)state;
    prim__attr_init(&attr);
    return 0;
}

static int dispose(void **state)
{
    (void)state;
    prim__attr_fini(&attr);
    prim__attr_fini(&attr); // of zeroes
    return 0;
}

static prim_memory_desc_t make(int ndims, const prim_dim_t *dims, const char *tag)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, ndims, dims, PRIM_F32, tag), PRIM_SUCCESS);
    return md;
}

static void set_scale(int arg, int mask)
{
    assert_int_equal(prim_attr_set_scales(&attr, arg, mask, 0, NULL, PRIM_F32), PRIM_SUCCESS);
}

static void settings_are_sorted_and_replaced(void **state)
{
    (void)state;
    assert_true(prim__attr_is_plain(&attr));
    static const int args[] = {PRIM_ARG_WEIGHTS, PRIM_ARG_MULTIPLE_SRC + 3, PRIM_ARG_SRC,
            PRIM_ARG_DST, PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_SRC_1};
    for (size_t i = 0; i < COUNT_OF(args); ++i) set_scale(args[i], (int)i);
    assert_int_equal(attr.nscales, COUNT_OF(args));
    for (int i = 1; i < attr.nscales; ++i) assert_true(attr.scales[i - 1].arg < attr.scales[i].arg);
    for (size_t i = 0; i < COUNT_OF(args); ++i)
        assert_int_equal(prim__attr_scale(&attr, args[i])->mask, i);
    assert_null(prim__attr_scale(&attr, PRIM_ARG_SRC_2));
    assert_null(prim__attr_zero_point(&attr, PRIM_ARG_SRC));
    assert_false(prim__attr_is_plain(&attr));

    assert_int_equal(
            prim_attr_set_scales(&attr, PRIM_ARG_SRC, 3, 2, (prim_dims_t){1, 32}, PRIM_F16),
            PRIM_SUCCESS);
    assert_int_equal(attr.nscales, COUNT_OF(args));
    const quant_t *const quant = prim__attr_scale(&attr, PRIM_ARG_SRC);
    assert_true(quant->mask == 3 && quant->data_type == PRIM_F16 && quant->ngroups == 2);
    assert_true(quant->groups[0] == 1 && quant->groups[1] == 32);
    set_scale(PRIM_ARG_SRC, 0);
    assert_true(quant->ngroups == 0 && quant->groups[1] == 0);

    assert_int_equal(
            prim_attr_set_zero_points(&attr, PRIM_ARG_DST, 2, 0, NULL, PRIM_U8), PRIM_SUCCESS);
    assert_int_equal(prim__attr_zero_point(&attr, PRIM_ARG_DST)->mask, 2);
    assert_int_equal(prim__attr_zero_point(&attr, PRIM_ARG_DST)->data_type, PRIM_U8);
}

static void copies_own_what_they_hold(void **state)
{
    (void)state;
    set_scale(PRIM_ARG_SRC, 1);
    assert_int_equal(
            prim_attr_set_zero_points(&attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32), PRIM_SUCCESS);
    prim_post_ops_t *chain;
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_prelu(chain, 3), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_post_ops(&attr, chain), PRIM_SUCCESS);
    prim_post_ops_destroy(chain);
    attr.is_deterministic = true;
    attr.accumulation_mode = PRIM_ACCUMULATION_F16;

    prim_attr_t copy;
    assert_int_equal(prim__attr_copy(&copy, &attr), PRIM_SUCCESS);
    assert_true(copy.scales != attr.scales && copy.zero_points != attr.zero_points);
    assert_true(copy.post_ops.entries != attr.post_ops.entries);
    dispose(NULL);
    assert_int_equal(prim__attr_scale(&copy, PRIM_ARG_SRC)->mask, 1);
    assert_int_equal(copy.nzero_points, 1);
    assert_int_equal(prim__attr_zero_point(&copy, PRIM_ARG_SRC)->mask, 0);
    assert_int_equal(prim__attr_zero_point(&copy, PRIM_ARG_SRC)->data_type, PRIM_S32);
    assert_int_equal(copy.post_ops.len, 1);
    assert_int_equal(copy.post_ops.entries[0].mask, 3);
    assert_true(copy.is_deterministic && copy.accumulation_mode == PRIM_ACCUMULATION_F16);
    prim__attr_fini(&copy);
}

typedef struct {
    int mask, ngroups;
    prim_dim_t groups[2];
    prim_dims_t md, dims;
    prim_dim_t n;
} quant_case_t;

static const quant_case_t quant_cases[] = {
        {0, 0, {0}, {2, 3, 8, 64}, {1, 1, 1, 1}, 1},
        {2, 0, {0}, {2, 3, 8, 64}, {1, 3, 1, 1}, 3},
        {15, 0, {0}, {2, 3, 8, 64}, {2, 3, 8, 64}, 3072},
        {12, 2, {1, 32}, {2, 3, 8, 64}, {1, 1, 8, 2}, 16},
        {12, 2, {4, 1}, {2, 3, 8, 64}, {1, 1, 2, 64}, 128},
        {4, 2, {4, 32}, {2, 3, 8, 64}, {1, 1, 2, 1}, 2},
        {12, 2, {3, 64}, {2, 3, 8, 64}, {1, 1, 3, 1}, 3}, // the last group is shorter
        {3, 2, {4, 32}, {2, 3, 8, 64}, {2, 3, 1, 1}, 6},
        {5, 0, {0}, {2, 3, PRIM_RUNTIME_DIM_VAL, 64}, {2, 1, PRIM_RUNTIME_DIM_VAL, 1},
                PRIM_RUNTIME_DIM_VAL},
        {1, 0, {0}, {2, 3, PRIM_RUNTIME_DIM_VAL, 64}, {2, 1, 1, 1}, 2},
        {1, 0, {0}, {0, 3, 8, 64}, {0, 1, 1, 1}, 0},
};

static void shapes_of_scales(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(quant_cases); ++i) {
        const quant_case_t *const c = &quant_cases[i];
        const prim_memory_desc_t md = make(4, c->md, "abcd");
        const quant_t quant = {.arg = PRIM_ARG_SRC,
                .mask = c->mask,
                .data_type = PRIM_F32,
                .ngroups = c->ngroups,
                .groups = {c->groups[0], c->groups[1]}};
        prim_dims_t dims;
        assert_true(prim__quant_dims(dims, &quant, &md) == c->n);
        assert_memory_equal(dims, c->dims, sizeof dims);
    }
    // Of a vector the second group is that of its only dimension.
    const prim_memory_desc_t vector = make(1, (prim_dims_t){64}, "a");
    const quant_t quant = {.mask = 1, .data_type = PRIM_F32, .ngroups = 2, .groups = {4, 32}};
    prim_dims_t dims;
    assert_int_equal(prim__quant_dims(dims, &quant, &vector), 2);
}

typedef struct {
    prim_alg_kind_t alg;
    float alpha, beta;
    bool moves_zero;
} zero_case_t;

static const zero_case_t zero_cases[] = {
        {PRIM_ELTWISE_RELU, 0.5F, 0, false},
        {PRIM_ELTWISE_RELU, INFINITY, 0, true},
        {PRIM_ELTWISE_TANH, 0, 0, false},
        {PRIM_ELTWISE_ELU, 2, 0, false},
        {PRIM_ELTWISE_SQUARE, 0, 0, false},
        {PRIM_ELTWISE_ABS, 0, 0, false},
        {PRIM_ELTWISE_SQRT, 0, 0, false},
        {PRIM_ELTWISE_LINEAR, 3, 0, false},
        {PRIM_ELTWISE_LINEAR, 3, 1, true},
        {PRIM_ELTWISE_SOFT_RELU, 1, 0, true},
        {PRIM_ELTWISE_HARDSIGMOID, 1, 0.5F, true},
        {PRIM_ELTWISE_HARDSIGMOID, 1, -0.5F, false},
        {PRIM_ELTWISE_LOGISTIC, 0, 0, true},
        {PRIM_ELTWISE_EXP, 0, 0, true},
        {PRIM_ELTWISE_GELU_TANH, 0, 0, false},
        {PRIM_ELTWISE_SWISH, 1, 0, false},
        {PRIM_ELTWISE_LOG, 0, 0, true},
        {PRIM_ELTWISE_CLIP, -1, 1, false},
        {PRIM_ELTWISE_CLIP, 1, 2, true},
        {PRIM_ELTWISE_CLIP_V2, -2, -1, true},
        {PRIM_ELTWISE_POW, 2, 3, false},
        {PRIM_ELTWISE_POW, 2, 0, true},
        {PRIM_ELTWISE_POW, 2, -1, true},
        {PRIM_ELTWISE_GELU_ERF, 0, 0, false},
        {PRIM_ELTWISE_ROUND, 0, 0, false},
        {PRIM_ELTWISE_MISH, 0, 0, false},
        {PRIM_ELTWISE_HARDSWISH, 1, 0.5F, false},
        {PRIM_ELTWISE_EXP_USE_DST_FOR_BWD, 0, 0, true},
        {PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, 0.5F, 0, false},
        {PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD, 0, 0, true},
};

static void chains_that_move_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(zero_cases); ++i) {
        const zero_case_t *const c = &zero_cases[i];
        post_op_t entry = {.kind = PRIM_ELTWISE, .alg = c->alg, .alpha = c->alpha, .beta = c->beta};
        const prim_post_ops_t chain = {1, &entry};
        if (prim__post_ops_move_zero(&chain) != c->moves_zero)
            fail_msg("%s(%g, %g)", prim_alg_kind_name(c->alg), (double)c->alpha, (double)c->beta);
    }
    post_op_t sum[2] = {
            {.kind = PRIM_SUM, .scale = 2}, {.kind = PRIM_ELTWISE, .alg = PRIM_ELTWISE_ABS}};
    const prim_post_ops_t chain = {2, sum};
    assert_false(prim__post_ops_move_zero(&chain));
    assert_ptr_equal(prim__post_ops_find_sum(&chain), &sum[0]);
    sum[0].zero_point = 1;
    assert_true(prim__post_ops_move_zero(&chain));
    sum[0] = (post_op_t){.kind = PRIM_BINARY, .alg = PRIM_BINARY_MUL};
    assert_true(prim__post_ops_move_zero(&chain));
    assert_null(prim__post_ops_find_sum(&chain));
    sum[0] = (post_op_t){.kind = PRIM_PRELU};
    assert_true(prim__post_ops_move_zero(&chain));
    assert_false(prim__post_ops_move_zero(&(prim_post_ops_t){0}));
}

typedef struct {
    int ndims;
    prim_dims_t src1, dst;
    prim_status_t status;
} broadcast_case_t;

static const broadcast_case_t broadcasts[] = {
        {3, {2, 3, 4}, {2, 3, 4}, PRIM_SUCCESS},
        {3, {1, 3, 1}, {2, 3, 4}, PRIM_SUCCESS},
        {3, {1, 1, 1}, {2, 3, 4}, PRIM_SUCCESS},
        {3, {2, 3, 5}, {2, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {3, {2, 3, 0}, {2, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {2, {3, 4}, {2, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {3, {2, 3, 4}, {PRIM_RUNTIME_DIM_VAL, 3, 4}, PRIM_SUCCESS},
        {3, {PRIM_RUNTIME_DIM_VAL, 3, 4}, {PRIM_RUNTIME_DIM_VAL, 3, 4}, PRIM_SUCCESS},
        {3, {PRIM_RUNTIME_DIM_VAL, 3, 5}, {PRIM_RUNTIME_DIM_VAL, 3, 4}, PRIM_INVALID_ARGUMENTS},
};

static void binary_operands_broadcast_to_dst(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(broadcasts); ++i) {
        const broadcast_case_t *const c = &broadcasts[i];
        const prim_memory_desc_t dst = make(3, c->dst, "abc");
        post_op_t entry = {.kind = PRIM_BINARY,
                .alg = PRIM_BINARY_ADD,
                .src1_md = make(c->ndims, c->src1, "any")};
        prim_post_ops_t chain = {1, &entry};
        assert_int_equal(prim__post_ops_resolve(&chain, &dst), c->status);
        if (c->status == PRIM_SUCCESS) assert_true(prim__md_is_row_major(&entry.src1_md));
    }
    // A layout that is known stays.
    const prim_memory_desc_t dst = make(3, (prim_dims_t){2, 3, 4}, "abc");
    post_op_t entry = {.kind = PRIM_BINARY,
            .alg = PRIM_BINARY_ADD,
            .src1_md = make(3, (prim_dims_t){2, 3, 4}, "aBc8b")};
    prim_post_ops_t chain = {1, &entry};
    assert_int_equal(prim__post_ops_resolve(&chain, &dst), PRIM_SUCCESS);
    assert_true(prim__md_matches_tag(&entry.src1_md, "aBc8b"));
}

static void each_kind_is_allowed_by_its_own_bit(void **state)
{
    (void)state;
    static const struct {
        prim_primitive_kind_t kind;
        unsigned allowance;
    } kinds[] = {{PRIM_SUM, ALLOW_SUM}, {PRIM_ELTWISE, ALLOW_ELTWISE}, {PRIM_BINARY, ALLOW_BINARY},
            {PRIM_PRELU, ALLOW_PRELU}, {PRIM_CONVOLUTION, ALLOW_DEPTHWISE}};
    for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
        post_op_t entry = {.kind = kinds[i].kind};
        const prim_post_ops_t chain = {1, &entry};
        for (unsigned bit = ALLOW_SUM; bit <= ALLOW_DEPTHWISE; bit *= 2)
            assert_int_equal(prim__post_ops_check_kinds(&chain, "it", bit),
                    bit == kinds[i].allowance ? PRIM_SUCCESS : PRIM_UNIMPLEMENTED);
    }
}

/// The condition of a select by itself, as src1.
static void conditions_broadcast_to_dst(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(broadcasts); ++i) {
        const broadcast_case_t *const c = &broadcasts[i];
        const prim_memory_desc_t dst = make(3, c->dst, "abc");
        post_op_t entry = {.kind = PRIM_BINARY,
                .alg = PRIM_BINARY_SELECT,
                .src1_md = make(3, (prim_dims_t){1, 1, 1}, "abc"),
                .src2_md = make(c->ndims, c->src1, "any")};
        prim_post_ops_t chain = {1, &entry};
        assert_int_equal(prim__post_ops_resolve(&chain, &dst), c->status);
        if (c->status == PRIM_SUCCESS) assert_true(prim__md_is_row_major(&entry.src2_md));
        if (c->status != PRIM_SUCCESS) assert_non_null(strstr(prim_last_error(), "src2"));
    }
    const prim_memory_desc_t dst = make(3, (prim_dims_t){2, 3, 4}, "abc");
    post_op_t entry = {.kind = PRIM_BINARY,
            .alg = PRIM_BINARY_SELECT,
            .src1_md = make(3, (prim_dims_t){2, 3, 5}, "abc"),
            .src2_md = dst};
    prim_post_ops_t chain = {1, &entry};
    assert_int_equal(prim__post_ops_resolve(&chain, &dst), PRIM_INVALID_ARGUMENTS);
}

static void prelu_and_sum_meet_dst(void **state)
{
    (void)state;
    const prim_memory_desc_t dst = make(3, (prim_dims_t){2, 3, 4}, "acb");
    post_op_t entry = {.kind = PRIM_PRELU, .mask = 5};
    prim_post_ops_t chain = {1, &entry};
    assert_int_equal(prim__post_ops_resolve(&chain, &dst), PRIM_SUCCESS);
    const prim_memory_desc_t expected = make(3, (prim_dims_t){2, 1, 4}, "abc");
    assert_memory_equal(&entry.src1_md, &expected, sizeof expected);
    entry.mask = 8;
    assert_int_equal(prim__post_ops_resolve(&chain, &dst), PRIM_INVALID_ARGUMENTS);

    entry = (post_op_t){.kind = PRIM_SUM, .scale = 1};
    static const prim_data_type_t types[] = {
            PRIM_DATA_TYPE_UNDEF, PRIM_F32, PRIM_S32, PRIM_F16, PRIM_U8, PRIM_F64};
    for (size_t i = 0; i < COUNT_OF(types); ++i) {
        entry.data_type = types[i];
        assert_int_equal(prim__post_ops_resolve(&chain, &dst),
                i < 3 ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(settings_are_sorted_and_replaced, fresh, dispose),
            cmocka_unit_test_setup_teardown(copies_own_what_they_hold, fresh, dispose),
            cmocka_unit_test_setup_teardown(shapes_of_scales, fresh, dispose),
            cmocka_unit_test_setup_teardown(chains_that_move_zero, fresh, dispose),
            cmocka_unit_test_setup_teardown(binary_operands_broadcast_to_dst, fresh, dispose),
            cmocka_unit_test_setup_teardown(each_kind_is_allowed_by_its_own_bit, fresh, dispose),
            cmocka_unit_test_setup_teardown(conditions_broadcast_to_dst, fresh, dispose),
            cmocka_unit_test_setup_teardown(prelu_and_sum_meet_dst, fresh, dispose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
