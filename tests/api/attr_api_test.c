// SPDX-License-Identifier: Apache-2.0
// Attributes as prim.h promises them: what is set comes back, every refusal, outputs untouched.
#include "untouched.h"

static prim_attr_t *attr;

static int create_attr(void **state)
{
    (void)state;
    return prim_attr_create(&attr) != PRIM_SUCCESS;
}

static int destroy_attr(void **state)
{
    (void)state;
    prim_attr_destroy(attr);
    return 0;
}

static void life(void **state)
{
    (void)state;
    prim_attr_t *clone;
    fill_pattern(&clone, sizeof clone);
    assert_refused(prim_attr_create(NULL));
    assert_refused(prim_attr_clone(NULL, attr));
    assert_refused(prim_attr_clone(&clone, NULL));
    assert_pattern(&clone, sizeof clone);
    prim_attr_destroy(NULL);

    prim_scratchpad_mode_t mode;
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER), PRIM_SUCCESS);
    assert_int_equal(prim_attr_clone(&clone, attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_LIBRARY), PRIM_SUCCESS);
    assert_int_equal(prim_attr_get_scratchpad_mode(clone, &mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_SCRATCHPAD_USER);
    prim_attr_destroy(clone);
}

static void scratchpad_mode(void **state)
{
    (void)state;
    prim_scratchpad_mode_t mode;
    assert_int_equal(prim_attr_get_scratchpad_mode(attr, &mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_SCRATCHPAD_LIBRARY);
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER), PRIM_SUCCESS);
    assert_refused(prim_attr_set_scratchpad_mode(NULL, PRIM_SCRATCHPAD_USER));
    assert_refused(prim_attr_set_scratchpad_mode(attr, (prim_scratchpad_mode_t)2));
    assert_refused(prim_attr_set_scratchpad_mode(attr, (prim_scratchpad_mode_t)-1));
    assert_refused(prim_attr_get_scratchpad_mode(attr, NULL));
    fill_pattern(&mode, sizeof mode);
    assert_refused(prim_attr_get_scratchpad_mode(NULL, &mode));
    assert_pattern(&mode, sizeof mode);
    assert_int_equal(prim_attr_get_scratchpad_mode(attr, &mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_SCRATCHPAD_USER);
}

static void fpmath_mode(void **state)
{
    (void)state;
    prim_fpmath_mode_t mode;
    bool applies;
    assert_int_equal(prim_attr_get_fpmath_mode(attr, &mode, &applies), PRIM_SUCCESS);
    assert_true(mode == PRIM_FPMATH_STRICT && !applies);
    assert_int_equal(prim_attr_set_fpmath_mode(attr, PRIM_FPMATH_TF32, true), PRIM_SUCCESS);
    assert_refused(prim_attr_set_fpmath_mode(NULL, PRIM_FPMATH_ANY, false));
    assert_refused(prim_attr_set_fpmath_mode(attr, (prim_fpmath_mode_t)5, false));
    assert_refused(prim_attr_set_fpmath_mode(attr, (prim_fpmath_mode_t)-1, false));
    fill_pattern(&mode, sizeof mode);
    assert_refused(prim_attr_get_fpmath_mode(NULL, &mode, &applies));
    assert_refused(prim_attr_get_fpmath_mode(attr, NULL, &applies));
    assert_refused(prim_attr_get_fpmath_mode(attr, &mode, NULL));
    assert_pattern(&mode, sizeof mode);
    assert_int_equal(prim_attr_get_fpmath_mode(attr, &mode, &applies), PRIM_SUCCESS);
    assert_true(mode == PRIM_FPMATH_TF32 && applies);
}

static void accumulation_mode(void **state)
{
    (void)state;
    prim_accumulation_mode_t mode;
    assert_int_equal(prim_attr_get_accumulation_mode(attr, &mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_ACCUMULATION_STRICT);
    for (int i = PRIM_ACCUMULATION_STRICT; i <= PRIM_ACCUMULATION_F16; ++i) {
        assert_int_equal(
                prim_attr_set_accumulation_mode(attr, (prim_accumulation_mode_t)i), PRIM_SUCCESS);
        assert_int_equal(prim_attr_get_accumulation_mode(attr, &mode), PRIM_SUCCESS);
        assert_int_equal(mode, i);
    }
    assert_refused(prim_attr_set_accumulation_mode(NULL, PRIM_ACCUMULATION_F32));
    assert_refused(prim_attr_set_accumulation_mode(attr, (prim_accumulation_mode_t)6));
    assert_refused(prim_attr_set_accumulation_mode(attr, (prim_accumulation_mode_t)-1));
    assert_refused(prim_attr_get_accumulation_mode(attr, NULL));
    fill_pattern(&mode, sizeof mode);
    assert_refused(prim_attr_get_accumulation_mode(NULL, &mode));
    assert_pattern(&mode, sizeof mode);
}

static void deterministic(void **state)
{
    (void)state;
    bool is = true;
    assert_int_equal(prim_attr_get_deterministic(attr, &is), PRIM_SUCCESS);
    assert_false(is);
    assert_int_equal(prim_attr_set_deterministic(attr, true), PRIM_SUCCESS);
    assert_int_equal(prim_attr_get_deterministic(attr, &is), PRIM_SUCCESS);
    assert_true(is);
    assert_refused(prim_attr_set_deterministic(NULL, true));
    assert_refused(prim_attr_get_deterministic(attr, NULL));
    is = false;
    assert_refused(prim_attr_get_deterministic(NULL, &is));
    assert_false(is);
}

/// Scales and zero points have one rule but for the types.
typedef prim_status_t (*set_quant_t)(prim_attr_t *attr, int arg, int mask, int ngroup_dims,
        const prim_dim_t *group_dims, prim_data_type_t data_type);

typedef struct {
    int arg, mask, ngroups;
    prim_dim_t groups[2];
    bool is_sound;
} quant_case_t;

static const quant_case_t quant_cases[] = {
        {PRIM_ARG_SRC, 0, 0, {0}, true},
        {PRIM_ARG_SRC_1, 0, 0, {0}, true},
        {PRIM_ARG_WEIGHTS, 4095, 0, {0}, true},
        {PRIM_ARG_DST, 2, 0, {0}, true},
        {PRIM_ARG_MULTIPLE_SRC, 0, 0, {0}, true},
        {PRIM_ARG_MULTIPLE_SRC + 1023, 0, 0, {0}, true},
        {PRIM_ARG_WEIGHTS, 3, 2, {1, 32}, true},
        {PRIM_ARG_UNDEF, 0, 0, {0}, false},
        {-1, 0, 0, {0}, false},
        {5, 0, 0, {0}, false},
        {PRIM_ARG_BIAS, 0, 0, {0}, false},
        {PRIM_ARG_MULTIPLE_DST, 0, 0, {0}, false},
        {PRIM_ARG_ATTR_SCALES | PRIM_ARG_SRC, 0, 0, {0}, false},
        {PRIM_ARG_SRC, -1, 0, {0}, false},
        {PRIM_ARG_SRC, 4096, 0, {0}, false},
        {PRIM_ARG_WEIGHTS, 3, 1, {32}, false},
        {PRIM_ARG_WEIGHTS, 3, 3, {1, 32}, false},
        {PRIM_ARG_WEIGHTS, 3, -1, {1, 32}, false},
        {PRIM_ARG_WEIGHTS, 3, 2, {0, 32}, false},
        {PRIM_ARG_WEIGHTS, 3, 2, {1, -1}, false},
        {PRIM_ARG_WEIGHTS, 3, 2, {1, PRIM_RUNTIME_DIM_VAL}, false},
};

typedef prim_status_t (*get_quant_t)(const prim_attr_t *attr, int arg, int *mask, int *ngroup_dims,
        prim_dim_t *group_dims, prim_data_type_t *data_type);

/// What a getter writes.
typedef struct {
    int mask, ngroups;
    prim_dim_t groups[2];
    prim_data_type_t type;
} got_t;

static prim_status_t get_into(got_t *got, get_quant_t get, const prim_attr_t *from, int arg)
{
    fill_pattern(got, sizeof *got);
    return get(from, arg, &got->mask, &got->ngroups, got->groups, &got->type);
}

static void expect_got(
        get_quant_t get, const prim_attr_t *from, const quant_case_t *wanted, prim_data_type_t type)
{
    got_t got;
    assert_int_equal(get_into(&got, get, from, wanted->arg), PRIM_SUCCESS);
    assert_int_equal(got.mask, wanted->mask);
    assert_int_equal(got.ngroups, wanted->ngroups);
    assert_memory_equal(got.groups, wanted->groups, sizeof got.groups);
    assert_int_equal(got.type, type);
}

/// What is set comes back, from a copy too, and from nothing else than what it was set for.
static void check_getter(get_quant_t get, get_quant_t get_other, set_quant_t set,
        prim_data_type_t type, prim_data_type_t second_type)
{
    static const quant_case_t weights = {PRIM_ARG_WEIGHTS, 3, 2, {1, 32}, true};
    static const quant_case_t dst = {PRIM_ARG_DST, 2, 0, {0}, true};
    static const quant_case_t unset = {PRIM_ARG_WEIGHTS, 0, 0, {0}, true};
    expect_got(get, attr, &unset, PRIM_DATA_TYPE_UNDEF);
    assert_int_equal(set(attr, PRIM_ARG_WEIGHTS, 3, 2, weights.groups, type), PRIM_SUCCESS);
    assert_int_equal(set(attr, PRIM_ARG_DST, 2, 0, NULL, second_type), PRIM_SUCCESS);
    prim_attr_t *clone;
    assert_int_equal(prim_attr_clone(&clone, attr), PRIM_SUCCESS);
    expect_got(get, attr, &weights, type);
    expect_got(get, clone, &weights, type);
    expect_got(get, clone, &dst, second_type);
    expect_got(get_other, clone, &unset, PRIM_DATA_TYPE_UNDEF);
    prim_attr_destroy(clone);

    got_t got;
    assert_refused(get_into(&got, get, NULL, PRIM_ARG_WEIGHTS));
    assert_pattern(&got, sizeof got);
    assert_refused(get_into(&got, get, attr, PRIM_ARG_BIAS));
    assert_refused(get(attr, PRIM_ARG_DST, NULL, &got.ngroups, got.groups, &got.type));
    assert_refused(get(attr, PRIM_ARG_DST, &got.mask, NULL, got.groups, &got.type));
    assert_refused(get(attr, PRIM_ARG_DST, &got.mask, &got.ngroups, NULL, &got.type));
    assert_refused(get(attr, PRIM_ARG_DST, &got.mask, &got.ngroups, got.groups, NULL));
    assert_pattern(&got, sizeof got);
}

static void check_quant(set_quant_t set, const prim_data_type_t *types, prim_data_type_t other)
{
    assert_refused(set(NULL, PRIM_ARG_SRC, 0, 0, NULL, types[0]));
    assert_refused(set(attr, PRIM_ARG_WEIGHTS, 3, 2, NULL, types[0]));
    for (size_t i = 0; i < COUNT_OF(quant_cases); ++i) {
        const quant_case_t *const c = &quant_cases[i];
        const prim_status_t st = set(attr, c->arg, c->mask, c->ngroups, c->groups, types[0]);
        if (c->is_sound)
            assert_int_equal(st, PRIM_SUCCESS);
        else
            assert_refused(st);
    }
    for (int dt = -1; dt <= 16; ++dt) {
        const prim_data_type_t type = (prim_data_type_t)dt;
        const prim_status_t st = set(attr, PRIM_ARG_SRC, 0, 0, NULL, type);
        if (type == types[0] || type == types[1] || type == types[2])
            assert_int_equal(st, PRIM_SUCCESS);
        else
            assert_refused(st);
    }
    assert_refused(set(attr, PRIM_ARG_SRC, 0, 0, NULL, other));
}

static void scales(void **state)
{
    (void)state;
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_BF16};
    check_getter(prim_attr_get_scales, prim_attr_get_zero_points, prim_attr_set_scales, PRIM_F16,
            PRIM_F32);
    check_quant(prim_attr_set_scales, types, PRIM_S32);
}

static void zero_points(void **state)
{
    (void)state;
    static const prim_data_type_t types[] = {PRIM_S32, PRIM_S8, PRIM_U8};
    check_getter(prim_attr_get_zero_points, prim_attr_get_scales, prim_attr_set_zero_points,
            PRIM_U8, PRIM_S32);
    check_quant(prim_attr_set_zero_points, types, PRIM_F32);
}

static void post_ops(void **state)
{
    (void)state;
    const prim_post_ops_t *borrowed;
    prim_post_ops_t *chain;
    assert_int_equal(prim_attr_get_post_ops(attr, &borrowed), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_len(borrowed), 0);
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_TANH, 0, 0), PRIM_SUCCESS);
    assert_refused(prim_attr_set_post_ops(NULL, chain));
    assert_refused(prim_attr_set_post_ops(NULL, NULL));
    assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    // A copy: the chain goes its own way.
    assert_int_equal(prim_post_ops_append_prelu(chain, 1), PRIM_SUCCESS);
    assert_int_equal(prim_attr_get_post_ops(attr, &borrowed), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_len(borrowed), 1);
    assert_int_equal(prim_post_ops_get_kind(borrowed, 0), PRIM_ELTWISE);
    // Its own chain is legal too.
    assert_int_equal(prim_attr_set_post_ops(attr, borrowed), PRIM_SUCCESS);
    prim_post_ops_destroy(chain);
    assert_int_equal(prim_attr_set_post_ops(attr, NULL), PRIM_SUCCESS);
    assert_int_equal(prim_attr_get_post_ops(attr, &borrowed), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_len(borrowed), 0);
    assert_refused(prim_attr_get_post_ops(attr, NULL));
    fill_pattern(&borrowed, sizeof borrowed);
    assert_refused(prim_attr_get_post_ops(NULL, &borrowed));
    assert_pattern(&borrowed, sizeof borrowed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(life, create_attr, destroy_attr),
            cmocka_unit_test_setup_teardown(scratchpad_mode, create_attr, destroy_attr),
            cmocka_unit_test_setup_teardown(fpmath_mode, create_attr, destroy_attr),
            cmocka_unit_test_setup_teardown(accumulation_mode, create_attr, destroy_attr),
            cmocka_unit_test_setup_teardown(deterministic, create_attr, destroy_attr),
            cmocka_unit_test_setup_teardown(scales, create_attr, destroy_attr),
            cmocka_unit_test_setup_teardown(zero_points, create_attr, destroy_attr),
            cmocka_unit_test_setup_teardown(post_ops, create_attr, destroy_attr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
