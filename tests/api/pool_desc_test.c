// SPDX-License-Identifier: Apache-2.0
// What prim_pooling_forward_desc_create() accepts and refuses, and the workspace it promises.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <prim/prim.h>

static prim_engine_t *engine;

static int set_up(void **state)
{
    (void)state;
    return prim_engine_create(&engine, PRIM_CPU, 0) != PRIM_SUCCESS;
}

static int tear_down(void **state)
{
    (void)state;
    prim_engine_destroy(engine);
    return 0;
}

/// One call: a good one, in which a case changes what it is about.
typedef struct {
    prim_prop_kind_t prop_kind;
    prim_alg_kind_t alg;
    int src_ndims, dst_ndims;
    prim_dims_t src, dst, strides, kernel, dilation, pad_l, pad_r;
    prim_format_tag_t src_tag, dst_tag;
    bool has_dilation, has_pad_r;
} call_t;

static const call_t good = {
        .prop_kind = PRIM_FORWARD_INFERENCE,
        .alg = PRIM_POOLING_MAX,
        .src_ndims = 4,
        .dst_ndims = 4,
        .src = {2, 3, 8, 9},
        .dst = {2, 3, 4, 5},
        .strides = {2, 2},
        .kernel = {3, 3},
        .dilation = {0, 0},
        .pad_l = {1, 1},
        .pad_r = {0, 1},
        .src_tag = PRIM_NCHW,
        .dst_tag = PRIM_FORMAT_ANY,
        .has_dilation = true,
        .has_pad_r = true,
};

static prim_status_t create_with(prim_desc_t **pd, const call_t *call, const prim_attr_t *attr)
{
    prim_memory_desc_t src, dst;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&src, call->src_ndims, call->src, PRIM_F32, call->src_tag),
            PRIM_SUCCESS);
    assert_int_equal(
            prim_memory_desc_init_by_tag(&dst, call->dst_ndims, call->dst, PRIM_F32, call->dst_tag),
            PRIM_SUCCESS);
    return prim_pooling_forward_desc_create(pd, engine, call->prop_kind, call->alg, &src, &dst,
            call->strides, call->kernel, call->has_dilation ? call->dilation : NULL, call->pad_l,
            call->has_pad_r ? call->pad_r : NULL, attr);
}

static prim_status_t create(prim_desc_t **pd, const call_t *call)
{
    return create_with(pd, call, NULL);
}

static void expect_refusal(const call_t *call, prim_status_t expected)
{
    prim_desc_t *const untouched = (prim_desc_t *)&engine;
    prim_desc_t *pd = untouched;
    assert_int_equal(create(&pd, call), expected);
    assert_ptr_equal(pd, untouched);
    assert_true(strlen(prim_last_error()) > 0);
}

static void accepts_the_good_call(void **state)
{
    (void)state;
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, &good), PRIM_SUCCESS);
    const prim_memory_desc_t *const dst = prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0);
    char tag[64];
    assert_int_equal(prim_memory_desc_get_tag(dst, tag, sizeof tag), PRIM_SUCCESS);
    assert_string_equal(tag, "abcd");
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_WORKSPACE_MD, 0)->ndims, 0);
    prim_desc_destroy(pd);
}

static void takes_null_dilation_and_null_back_padding(void **state)
{
    (void)state;
    call_t call = good;
    call.has_dilation = call.has_pad_r = false;
    call.src[2] = 9;
    call.dst[2] = 5;
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, &call), PRIM_SUCCESS);
    const prim_dims_t *dilation = NULL, *pad_r = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_DILATIONS, 0, &dilation), PRIM_SUCCESS);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_PADDING_R, 0, &pad_r), PRIM_SUCCESS);
    assert_int_equal((*dilation)[0], 0);
    assert_int_equal((*pad_r)[0], 1);
    prim_desc_destroy(pd);
}

static void refuses_nulls(void **state)
{
    (void)state;
    prim_memory_desc_t src, dst;
    assert_int_equal(prim_memory_desc_init_by_tag(&src, 4, good.src, PRIM_F32, PRIM_NCHW), 0);
    assert_int_equal(prim_memory_desc_init_by_tag(&dst, 4, good.dst, PRIM_F32, PRIM_NCHW), 0);
    prim_desc_t *pd = NULL;
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(prim_pooling_forward_desc_create(i == 0 ? NULL : &pd,
                                 i == 1 ? NULL : engine, PRIM_FORWARD_INFERENCE, PRIM_POOLING_MAX,
                                 i == 2 ? NULL : &src, i == 3 ? NULL : &dst,
                                 i == 4 ? NULL : good.strides, i == 5 ? NULL : good.kernel,
                                 good.dilation, i == 6 ? NULL : good.pad_l, good.pad_r, NULL),
                PRIM_INVALID_ARGUMENTS);
        assert_null(pd);
    }
}

static void refuses_bad_kinds(void **state)
{
    (void)state;
    call_t call = good;
    call.prop_kind = PRIM_BACKWARD_DATA;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.alg = PRIM_ELTWISE_RELU;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
}

static void refuses_bad_tensors(void **state)
{
    (void)state;
    call_t call = good;
    call.src_tag = PRIM_FORMAT_ANY;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.src_ndims = call.dst_ndims = 2;
    call.src_tag = PRIM_NC;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.dst_ndims = 3;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    for (int d = 0; d < 4; ++d) {
        call = good;
        ++call.dst[d];
        expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    }
    call = good;
    call.src[2] = call.dst[2] = PRIM_RUNTIME_DIM_VAL;
    call.dst_tag = PRIM_NCHW;
    expect_refusal(&call, PRIM_UNIMPLEMENTED);
}

static void refuses_bad_windows(void **state)
{
    (void)state;
    call_t call = good;
    call.strides[0] = 0;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.kernel[1] = 0;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.dilation[0] = -1;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.pad_l[1] = -1;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.pad_r[0] = -3; // below -stride
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
    call = good;
    call.kernel[0] = INT64_MAX;
    call.dilation[0] = INT64_MAX;
    expect_refusal(&call, PRIM_INVALID_ARGUMENTS);
}

/// A row of windows, and whether one of them misses src altogether.
typedef struct {
    prim_dim_t in, out, kernel, stride, dilation, pad_l, pad_r;
    bool is_hollow;
} window_case_t;

static const window_case_t window_cases[] = {
        {4, 5, 2, 1, 0, 1, 1, false},  // every window touches
        {4, 7, 2, 1, 0, 2, 2, true},   // the first lies in front
        {4, 6, 2, 1, 0, 1, 2, true},   // the last lies behind
        {4, 3, 2, 2, 0, 1, 2, false},  // the last starts on the last element
        {2, 5, 2, 1, 2, 3, 3, true},   // a tap on either side
        {3, 3, 2, 1, 2, 1, 2, false},  // one tap inside each
        {1, 1, 2, 1, 3, 2, 2, true},   // skips over the only element
        {2, 1, 1, 1, 0, 0, -1, false}, // the last element is in none
};

static void the_mean_without_padding_needs_an_element(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof window_cases / sizeof window_cases[0]; ++i) {
        const window_case_t *const c = &window_cases[i];
        call_t call = {.prop_kind = PRIM_FORWARD_INFERENCE,
                .alg = PRIM_POOLING_AVG_INCLUDE_PADDING,
                .src_ndims = 3,
                .dst_ndims = 3,
                .src = {1, 1, c->in},
                .dst = {1, 1, c->out},
                .strides = {c->stride},
                .kernel = {c->kernel},
                .dilation = {c->dilation},
                .pad_l = {c->pad_l},
                .pad_r = {c->pad_r},
                .src_tag = PRIM_NCW,
                .dst_tag = PRIM_NCW,
                .has_dilation = true,
                .has_pad_r = true};
        prim_desc_t *pd = NULL;
        assert_int_equal(create(&pd, &call), PRIM_SUCCESS);
        prim_desc_destroy(pd);
        call.alg = PRIM_POOLING_AVG_EXCLUDE_PADDING;
        pd = NULL;
        assert_int_equal(create(&pd, &call), c->is_hollow ? PRIM_INVALID_ARGUMENTS : PRIM_SUCCESS);
        prim_desc_destroy(pd);
    }
}

static void training_maxima_have_a_workspace(void **state)
{
    (void)state;
    static const struct {
        prim_dim_t kernel;
        prim_data_type_t data_type;
    } cases[] = {{1, PRIM_U8}, {255, PRIM_U8}, {256, PRIM_S32}};
    for (size_t i = 0; i < 3; ++i) {
        call_t call = good;
        call.prop_kind = PRIM_FORWARD_TRAINING;
        call.src[2] = 300;
        call.kernel[0] = cases[i].kernel;
        call.kernel[1] = 1;
        call.strides[0] = call.strides[1] = 1;
        call.pad_l[0] = call.pad_l[1] = call.pad_r[0] = call.pad_r[1] = 0;
        call.dst[2] = 301 - cases[i].kernel;
        call.dst[3] = 9;
        prim_desc_t *pd = NULL;
        assert_int_equal(create(&pd, &call), PRIM_SUCCESS);
        const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_WORKSPACE_MD, 0);
        assert_int_equal(md->ndims, 4);
        assert_int_equal(md->data_type, cases[i].data_type);
        assert_memory_equal(md->dims, call.dst, 4 * sizeof call.dst[0]);
        prim_desc_destroy(pd);
        call.alg = PRIM_POOLING_AVG_INCLUDE_PADDING;
        assert_int_equal(create(&pd, &call), PRIM_SUCCESS);
        assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_WORKSPACE_MD, 0)->ndims, 0);
        prim_desc_destroy(pd);
    }
}

static void takes_eltwise_and_binary_alone(void **state)
{
    (void)state;
    static const struct {
        prim_primitive_kind_t kind;
        prim_status_t expected;
    } cases[] = {{PRIM_ELTWISE, PRIM_SUCCESS}, {PRIM_BINARY, PRIM_SUCCESS},
            {PRIM_SUM, PRIM_UNIMPLEMENTED}, {PRIM_PRELU, PRIM_UNIMPLEMENTED}};
    prim_memory_desc_t operand;
    assert_int_equal(prim_memory_desc_init_by_tag(
                             &operand, 4, (prim_dims_t){1, 3, 1, 1}, PRIM_F32, PRIM_NCHW),
            PRIM_SUCCESS);
    for (size_t i = 0; i < 4; ++i) {
        prim_attr_t *attr = NULL;
        prim_post_ops_t *chain = NULL;
        assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
        assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
        switch (cases[i].kind) {
        case PRIM_ELTWISE: prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0.f, 0.f); break;
        case PRIM_BINARY: prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &operand); break;
        case PRIM_SUM: prim_post_ops_append_sum(chain, 1.f, 0, PRIM_DATA_TYPE_UNDEF); break;
        default: prim_post_ops_append_prelu(chain, 2); break;
        }
        assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
        prim_desc_t *pd = NULL;
        assert_int_equal(create_with(&pd, &good, attr), cases[i].expected);
        prim_desc_destroy(pd);
        prim_post_ops_destroy(chain);
        prim_attr_destroy(attr);
    }
    prim_attr_t *attr = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32), PRIM_SUCCESS);
    prim_desc_t *pd = NULL;
    assert_int_equal(create_with(&pd, &good, attr), PRIM_UNIMPLEMENTED);
    prim_attr_destroy(attr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(accepts_the_good_call),
            cmocka_unit_test(takes_null_dilation_and_null_back_padding),
            cmocka_unit_test(refuses_nulls),
            cmocka_unit_test(refuses_bad_kinds),
            cmocka_unit_test(refuses_bad_tensors),
            cmocka_unit_test(refuses_bad_windows),
            cmocka_unit_test(the_mean_without_padding_needs_an_element),
            cmocka_unit_test(training_maxima_have_a_workspace),
            cmocka_unit_test(takes_eltwise_and_binary_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
