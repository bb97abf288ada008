// SPDX-License-Identifier: Apache-2.0
// Post-op chains as prim.h promises them: entries come back, every refusal, outputs untouched.
#include "untouched.h"

static prim_post_ops_t *chain;
static prim_memory_desc_t src1;

/// A chain of one entry of each kind: sum, eltwise, binary, prelu.
static int create_chain(void **state)
{
    (void)state;
    if (prim_memory_desc_init_by_tag(&src1, 2, (prim_dims_t){1, 3}, PRIM_F16, PRIM_ab)) return 1;
    if (prim_post_ops_create(&chain)) return 1;
    if (prim_post_ops_append_sum(chain, 0.5F, -3, PRIM_S8)) return 1;
    if (prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_CLIP, -1, 6)) return 1;
    if (prim_post_ops_append_binary(chain, PRIM_BINARY_MAX, &src1)) return 1;
    return prim_post_ops_append_prelu(chain, 2) != PRIM_SUCCESS;
}

static int destroy_chain(void **state)
{
    (void)state;
    prim_post_ops_destroy(chain);
    return 0;
}

static void check_chain(const prim_post_ops_t *c)
{
    float scale = 0, alpha = 0, beta = 0;
    int32_t zero_point = 0;
    prim_data_type_t dt = PRIM_DATA_TYPE_UNDEF;
    prim_alg_kind_t alg = PRIM_ALG_UNDEF;
    const prim_memory_desc_t *md = NULL;
    int mask = 0;
    assert_int_equal(prim_post_ops_len(c), 4);
    assert_int_equal(prim_post_ops_get_kind(c, 0), PRIM_SUM);
    assert_int_equal(prim_post_ops_get_kind(c, 1), PRIM_ELTWISE);
    assert_int_equal(prim_post_ops_get_kind(c, 2), PRIM_BINARY);
    assert_int_equal(prim_post_ops_get_kind(c, 3), PRIM_PRELU);
    assert_int_equal(prim_post_ops_get_params_sum(c, 0, &scale, &zero_point, &dt), PRIM_SUCCESS);
    assert_true(scale == 0.5F && zero_point == -3 && dt == PRIM_S8);
    assert_int_equal(prim_post_ops_get_params_eltwise(c, 1, &alg, &alpha, &beta), PRIM_SUCCESS);
    assert_true(alg == PRIM_ELTWISE_CLIP && alpha == -1 && beta == 6);
    assert_int_equal(prim_post_ops_get_params_binary(c, 2, &alg, &md), PRIM_SUCCESS);
    assert_true(alg == PRIM_BINARY_MAX && prim_memory_desc_equal(md, &src1));
    assert_int_equal(prim_post_ops_get_params_prelu(c, 3, &mask), PRIM_SUCCESS);
    assert_int_equal(mask, 2);
}

static void entries_come_back(void **state)
{
    (void)state;
    check_chain(chain);
    prim_post_ops_t *clone;
    assert_int_equal(prim_post_ops_clone(&clone, chain), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_prelu(chain, 0), PRIM_SUCCESS);
    check_chain(clone);
    prim_post_ops_destroy(clone);
}

static void life(void **state)
{
    (void)state;
    prim_post_ops_t *other;
    fill_pattern(&other, sizeof other);
    assert_refused(prim_post_ops_create(NULL));
    assert_refused(prim_post_ops_clone(NULL, chain));
    assert_refused(prim_post_ops_clone(&other, NULL));
    assert_pattern(&other, sizeof other);
    prim_post_ops_destroy(NULL);
    assert_int_equal(prim_post_ops_len(NULL), 0);
    assert_int_equal(prim_post_ops_get_kind(NULL, 0), PRIM_PRIMITIVE_UNDEF);
    assert_int_equal(prim_post_ops_get_kind(chain, -1), PRIM_PRIMITIVE_UNDEF);
    assert_int_equal(prim_post_ops_get_kind(chain, 4), PRIM_PRIMITIVE_UNDEF);
}

static void a_chain_has_at_most_32_entries(void **state)
{
    (void)state;
    for (int i = 4; i < PRIM_MAX_POST_OPS; ++i)
        assert_int_equal(prim_post_ops_append_prelu(chain, 0), PRIM_SUCCESS);
    assert_fails(prim_post_ops_append_prelu(chain, 0), PRIM_OUT_OF_MEMORY);
    assert_fails(prim_post_ops_append_sum(chain, 1, 0, PRIM_F32), PRIM_OUT_OF_MEMORY);
    assert_fails(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_ABS, 0, 0), PRIM_OUT_OF_MEMORY);
    assert_fails(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &src1), PRIM_OUT_OF_MEMORY);
    assert_int_equal(prim_post_ops_len(chain), PRIM_MAX_POST_OPS);
}

static void append_sum(void **state)
{
    (void)state;
    assert_refused(prim_post_ops_append_sum(NULL, 1, 0, PRIM_DATA_TYPE_UNDEF));
    assert_refused(prim_post_ops_append_sum(chain, 1, 0, (prim_data_type_t)16));
    assert_refused(prim_post_ops_append_sum(chain, 1, 0, (prim_data_type_t)-1));
    check_chain(chain);
    assert_int_equal(prim_post_ops_append_sum(chain, 1, 0, PRIM_DATA_TYPE_UNDEF), PRIM_SUCCESS);
}

typedef struct {
    int alg;
    float alpha, beta;
    bool is_sound;
} eltwise_case_t;

static const eltwise_case_t eltwise_cases[] = {
        {PRIM_ELTWISE_RELU, -1, 0, true},
        {PRIM_ELTWISE_HARDSWISH, 0, 0, true},
        {PRIM_ELTWISE_CLIP, 1, 1, true},
        {PRIM_ELTWISE_CLIP, 2, 1, false},
        {PRIM_ELTWISE_CLIP_V2, 2, 1, false},
        {PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD, 2, 1, false},
        {PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD, 1, 2, true},
        {PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, 0, 0, true},
        {PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, -0.1F, 0, false},
        {PRIM_ELTWISE_ELU_USE_DST_FOR_BWD, -0.1F, 0, false},
        {PRIM_ALG_UNDEF, 0, 0, false},
        {PRIM_CONVOLUTION_AUTO, 0, 0, false},
        {PRIM_ELTWISE_RELU - 1, 0, 0, false},
        {PRIM_ELTWISE_HARDSWISH + 1, 0, 0, false},
        {PRIM_ELTWISE_RELU_USE_DST_FOR_BWD - 1, 0, 0, false},
        {PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD + 1, 0, 0, false},
        {PRIM_BINARY_ADD, 0, 0, false},
        {PRIM_SOFTMAX_LOG, 0, 0, false},
        {-1, 0, 0, false},
};

static void append_eltwise(void **state)
{
    (void)state;
    assert_refused(prim_post_ops_append_eltwise(NULL, PRIM_ELTWISE_ABS, 0, 0));
    for (size_t i = 0; i < COUNT_OF(eltwise_cases); ++i) {
        const eltwise_case_t *const c = &eltwise_cases[i];
        const int before = prim_post_ops_len(chain);
        const prim_status_t st =
                prim_post_ops_append_eltwise(chain, (prim_alg_kind_t)c->alg, c->alpha, c->beta);
        if (c->is_sound)
            assert_int_equal(st, PRIM_SUCCESS);
        else
            assert_refused(st);
        assert_int_equal(prim_post_ops_len(chain), before + c->is_sound);
    }
}

static void append_binary(void **state)
{
    (void)state;
    const prim_memory_desc_t absent = {0};
    prim_memory_desc_t broken = src1, any;
    broken.strides[1] = -1;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&any, 2, (prim_dims_t){1, 3}, PRIM_F32, PRIM_FORMAT_ANY),
            PRIM_SUCCESS);
    assert_refused(prim_post_ops_append_binary(NULL, PRIM_BINARY_ADD, &src1));
    assert_refused(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, NULL));
    assert_refused(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &absent));
    assert_refused(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &broken));
    assert_refused(prim_post_ops_append_binary(chain, PRIM_BINARY_SELECT, &src1));
    assert_refused(
            prim_post_ops_append_binary(chain, (prim_alg_kind_t)(PRIM_BINARY_ADD - 1), &src1));
    assert_refused(prim_post_ops_append_binary(chain, PRIM_ELTWISE_RELU, &src1));
    check_chain(chain);
    for (int alg = PRIM_BINARY_ADD; alg <= PRIM_BINARY_NE; ++alg) {
        assert_int_equal(
                prim_post_ops_append_binary(chain, (prim_alg_kind_t)alg, &any), PRIM_SUCCESS);
    }
}

/// A condition for select, and for select alone.
static void append_binary_v2(void **state)
{
    (void)state;
    const prim_memory_desc_t absent = {0};
    prim_memory_desc_t condition = src1, unsigned_one = src1, broken = src1;
    condition.data_type = broken.data_type = PRIM_S8;
    unsigned_one.data_type = PRIM_U8;
    broken.strides[1] = -1;
    const prim_alg_kind_t select = PRIM_BINARY_SELECT;
    assert_refused(prim_post_ops_append_binary_v2(NULL, select, &src1, &condition));
    assert_refused(prim_post_ops_append_binary_v2(chain, select, NULL, &condition));
    assert_refused(prim_post_ops_append_binary_v2(chain, select, &absent, &condition));
    assert_refused(prim_post_ops_append_binary_v2(chain, select, &src1, NULL));
    assert_refused(prim_post_ops_append_binary_v2(chain, select, &src1, &absent));
    assert_refused(prim_post_ops_append_binary_v2(chain, select, &src1, &broken));
    assert_refused(prim_post_ops_append_binary_v2(chain, select, &src1, &src1)); // f16
    assert_refused(prim_post_ops_append_binary_v2(chain, select, &src1, &unsigned_one));
    assert_refused(prim_post_ops_append_binary_v2(
            chain, (prim_alg_kind_t)(PRIM_BINARY_SELECT + 1), &src1, &condition));
    assert_refused(prim_post_ops_append_binary_v2(chain, PRIM_BINARY_ADD, &src1, &condition));
    check_chain(chain);

    assert_int_equal(
            prim_post_ops_append_binary_v2(chain, select, &src1, &condition), PRIM_SUCCESS);
    assert_int_equal(
            prim_post_ops_append_binary_v2(chain, PRIM_BINARY_ADD, &src1, NULL), PRIM_SUCCESS);
    assert_int_equal(
            prim_post_ops_append_binary_v2(chain, PRIM_BINARY_LT, &src1, &absent), PRIM_SUCCESS);
    prim_alg_kind_t alg = PRIM_ALG_UNDEF;
    const prim_memory_desc_t *md = NULL, *other = NULL;
    assert_int_equal(prim_post_ops_get_kind(chain, 4), PRIM_BINARY);
    assert_int_equal(prim_post_ops_get_params_binary_v2(chain, 4, &alg, &md, &other), PRIM_SUCCESS);
    assert_true(alg == select && prim_memory_desc_equal(md, &src1));
    assert_true(prim_memory_desc_equal(other, &condition));
    assert_int_equal(prim_post_ops_get_params_binary(chain, 4, &alg, &md), PRIM_SUCCESS);
    assert_true(alg == select && prim_memory_desc_equal(md, &src1));
    assert_int_equal(prim_post_ops_get_params_binary_v2(chain, 5, &alg, &md, &other), PRIM_SUCCESS);
    assert_true(alg == PRIM_BINARY_ADD && prim_memory_desc_equal(md, &src1) && !other);
}

static void append_prelu(void **state)
{
    (void)state;
    assert_refused(prim_post_ops_append_prelu(NULL, 0));
    assert_refused(prim_post_ops_append_prelu(chain, -1));
    assert_refused(prim_post_ops_append_prelu(chain, 4096));
    check_chain(chain);
    assert_int_equal(prim_post_ops_append_prelu(chain, 4095), PRIM_SUCCESS);
}

/// Wrong positions and kinds, then each NULL; the other outputs keep their bytes.
static void get_params_sum_and_eltwise(void **state)
{
    (void)state;
    float a, b;
    int32_t zero_point;
    prim_data_type_t dt;
    prim_alg_kind_t alg;
    fill_pattern(&a, sizeof a);
    fill_pattern(&b, sizeof b);
    fill_pattern(&zero_point, sizeof zero_point);
    fill_pattern(&dt, sizeof dt);
    fill_pattern(&alg, sizeof alg);
    static const int not_sum[] = {-1, 1, 2, 3, 4}, not_eltwise[] = {-1, 0, 2, 3, 4};
    for (size_t i = 0; i < COUNT_OF(not_sum); ++i) {
        assert_refused(prim_post_ops_get_params_sum(chain, not_sum[i], &a, &zero_point, &dt));
        assert_refused(prim_post_ops_get_params_eltwise(chain, not_eltwise[i], &alg, &a, &b));
    }
    assert_refused(prim_post_ops_get_params_sum(NULL, 0, &a, &zero_point, &dt));
    assert_refused(prim_post_ops_get_params_sum(chain, 0, NULL, &zero_point, &dt));
    assert_refused(prim_post_ops_get_params_sum(chain, 0, &a, NULL, &dt));
    assert_refused(prim_post_ops_get_params_sum(chain, 0, &a, &zero_point, NULL));
    assert_refused(prim_post_ops_get_params_eltwise(NULL, 1, &alg, &a, &b));
    assert_refused(prim_post_ops_get_params_eltwise(chain, 1, NULL, &a, &b));
    assert_refused(prim_post_ops_get_params_eltwise(chain, 1, &alg, NULL, &b));
    assert_refused(prim_post_ops_get_params_eltwise(chain, 1, &alg, &a, NULL));
    assert_pattern(&a, sizeof a);
    assert_pattern(&b, sizeof b);
    assert_pattern(&zero_point, sizeof zero_point);
    assert_pattern(&dt, sizeof dt);
    assert_pattern(&alg, sizeof alg);
}

static void get_params_binary_and_prelu(void **state)
{
    (void)state;
    prim_alg_kind_t alg;
    const prim_memory_desc_t *md, *other;
    int mask;
    fill_pattern(&alg, sizeof alg);
    fill_pattern(&md, sizeof md);
    fill_pattern(&other, sizeof other);
    fill_pattern(&mask, sizeof mask);
    static const int not_binary[] = {-1, 0, 1, 3, 4}, not_prelu[] = {-1, 0, 1, 2, 4};
    for (size_t i = 0; i < COUNT_OF(not_binary); ++i) {
        assert_refused(prim_post_ops_get_params_binary(chain, not_binary[i], &alg, &md));
        assert_refused(prim_post_ops_get_params_binary_v2(chain, not_binary[i], &alg, &md, &other));
        assert_refused(prim_post_ops_get_params_prelu(chain, not_prelu[i], &mask));
    }
    assert_refused(prim_post_ops_get_params_binary(NULL, 2, &alg, &md));
    assert_refused(prim_post_ops_get_params_binary(chain, 2, NULL, &md));
    assert_refused(prim_post_ops_get_params_binary(chain, 2, &alg, NULL));
    assert_refused(prim_post_ops_get_params_binary_v2(NULL, 2, &alg, &md, &other));
    assert_refused(prim_post_ops_get_params_binary_v2(chain, 2, NULL, &md, &other));
    assert_refused(prim_post_ops_get_params_binary_v2(chain, 2, &alg, NULL, &other));
    assert_refused(prim_post_ops_get_params_binary_v2(chain, 2, &alg, &md, NULL));
    assert_refused(prim_post_ops_get_params_prelu(NULL, 3, &mask));
    assert_refused(prim_post_ops_get_params_prelu(chain, 3, NULL));
    assert_pattern(&alg, sizeof alg);
    assert_pattern(&md, sizeof md);
    assert_pattern(&other, sizeof other);
    assert_pattern(&mask, sizeof mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(entries_come_back, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(life, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(
                    a_chain_has_at_most_32_entries, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(append_sum, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(append_eltwise, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(append_binary, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(append_binary_v2, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(append_prelu, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(
                    get_params_sum_and_eltwise, create_chain, destroy_chain),
            cmocka_unit_test_setup_teardown(
                    get_params_binary_and_prelu, create_chain, destroy_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
