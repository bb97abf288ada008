// SPDX-License-Identifier: Apache-2.0
// The public functions of primitive descriptors and primitives, on every kind of engine.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

static void write_vector(const prim_memory_t *memory, const float *values, int n)
{
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    memcpy(pointer, values, (size_t)n * sizeof *values);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
}

static void read_vector(const prim_memory_t *memory, float *values, int n)
{
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    memcpy(values, pointer, (size_t)n * sizeof *values);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
}

static void runs_every_implementation(void **state)
{
    (void)state;
    const float x[4] = {-1, 2, -3, 4};
    const prim_memory_desc_t md = api_vector(4);
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *const pd = api_relu_desc(api_engine(e), 4, NULL);
        prim_stream_t *const stream = api_stream(api_engine(e));
        prim_status_t status = PRIM_SUCCESS;
        while (status == PRIM_SUCCESS) {
            prim_memory_t *const src = api_memory(&md, api_engine(e));
            prim_memory_t *const dst = api_memory(&md, api_engine(e));
            const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
            prim_t *relu = NULL;
            api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
            write_vector(src, x, 4);
            api_expect(prim_execute(relu, stream, 2, args), PRIM_SUCCESS);
            api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
            float y[4];
            read_vector(dst, y, 4);
            for (int i = 0; i < 4; ++i) assert_true(y[i] == (x[i] > 0 ? x[i] : 0));
            prim_destroy(relu);
            prim_memory_destroy(src);
            prim_memory_destroy(dst);
            status = prim_desc_next_impl(pd);
        }
        api_expect(status, PRIM_LAST_IMPL_REACHED);
        prim_stream_destroy(stream);
        prim_desc_destroy(pd);
    }
}

static void answers_general_queries(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *const pd = api_relu_desc(api_engine(e), 4, NULL);
        prim_engine_t *engine = NULL;
        prim_primitive_kind_t kind = PRIM_PRIMITIVE_UNDEF;
        prim_prop_kind_t prop_kind = PRIM_PROP_KIND_UNDEF;
        prim_alg_kind_t alg = PRIM_ALG_UNDEF;
        int ninputs = -1, noutputs = -1;
        double seconds = -1;
        int64_t bytes = -1;
        float alpha = -1, beta = -1;
        const char *name = NULL, *declined = NULL;
        api_expect(prim_desc_query(pd, PRIM_QUERY_ENGINE, 0, &engine), PRIM_SUCCESS);
        assert_ptr_equal(engine, api_engine(e));
        api_expect(prim_desc_query(pd, PRIM_QUERY_SCRATCHPAD_ENGINE, 0, &engine), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_PRIMITIVE_KIND, 0, &kind), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_PROP_KIND, 0, &prop_kind), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_ALG_KIND, 0, &alg), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_NUM_OF_INPUTS_S32, 0, &ninputs), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_NUM_OF_OUTPUTS_S32, 0, &noutputs), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_TIME_ESTIMATE_F64, 0, &seconds), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_MEMORY_CONSUMPTION_S64, 0, &bytes), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_ALPHA_F32, 0, &alpha), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_BETA_F32, 0, &beta), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
        api_expect(prim_desc_query(pd, PRIM_QUERY_DECLINED_STR, 0, &declined), PRIM_SUCCESS);
        assert_int_equal(kind, PRIM_ELTWISE);
        assert_int_equal(prop_kind, PRIM_FORWARD_INFERENCE);
        assert_int_equal(alg, PRIM_ELTWISE_RELU);
        assert_int_equal(ninputs, 1);
        assert_int_equal(noutputs, 1);
        assert_true(seconds >= 0 && bytes >= 0 && alpha == 0 && beta == 0);
        assert_non_null(strstr(name, ":eltwise:"));
        assert_non_null(declined);
        prim_desc_destroy(pd);
    }
}

static void refuses_queries_that_do_not_fit(void **state)
{
    (void)state;
    static const prim_query_t foreign[] = {PRIM_QUERY_REORDER_SRC_ENGINE,
            PRIM_QUERY_REORDER_DST_ENGINE, PRIM_QUERY_CACHE_BLOB_ID_SIZE_S64,
            PRIM_QUERY_CACHE_BLOB_ID, PRIM_QUERY_STRIDES, PRIM_QUERY_DILATIONS,
            PRIM_QUERY_PADDING_L, PRIM_QUERY_PADDING_R, PRIM_QUERY_EPSILON_F32, PRIM_QUERY_FLAGS,
            PRIM_QUERY_AXIS_S32, PRIM_QUERY_LOCAL_SIZE_S64, PRIM_QUERY_K_F32, PRIM_QUERY_P_F32,
            PRIM_QUERY_FACTORS, PRIM_QUERY_CELL_KIND, PRIM_QUERY_DIRECTION,
            PRIM_QUERY_ACTIVATION_KIND, PRIM_QUERY_KERNEL, PRIM_QUERY_GROUP_SIZE_S64};
    prim_desc_t *const pd = api_relu_desc(api_engine(0), 4, NULL);
    unsigned char result[64], before[64];
    memset(result, 0x5a, sizeof result);
    memcpy(before, result, sizeof before);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i)
        api_expect(prim_desc_query(pd, foreign[i], 0, result), PRIM_UNIMPLEMENTED);
    api_expect(prim_desc_query(pd, (prim_query_t)200, 0, result), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_ENGINE, -1, result), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_desc_query(NULL, PRIM_QUERY_ENGINE, 0, result), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_ENGINE, 0, NULL), PRIM_INVALID_ARGUMENTS);
    assert_memory_equal(result, before, sizeof result);
    assert_null(prim_desc_query_md(pd, PRIM_QUERY_ENGINE, 0));
    assert_null(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, -1));
    assert_null(prim_desc_query_md(NULL, PRIM_QUERY_SRC_MD, 0));
    prim_desc_destroy(pd);
}

static void tells_the_descriptors_of_its_tensors(void **state)
{
    (void)state;
    static const prim_query_t unused[] = {PRIM_QUERY_WEIGHTS_MD, PRIM_QUERY_DIFF_SRC_MD,
            PRIM_QUERY_DIFF_WEIGHTS_MD, PRIM_QUERY_DIFF_DST_MD, PRIM_QUERY_WORKSPACE_MD,
            PRIM_QUERY_SCRATCHPAD_MD};
    const prim_memory_desc_t md = api_vector(4);
    prim_post_ops_t *chain = NULL;
    prim_attr_t *attr = NULL;
    api_expect(prim_post_ops_create(&chain), PRIM_SUCCESS);
    api_expect(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &md), PRIM_SUCCESS);
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    prim_desc_t *const pd = api_relu_desc(api_engine(0), 4, attr);
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);

    const int operand = PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1;
    const prim_memory_desc_t *const found[] = {prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0),
            prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0),
            prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_SRC),
            prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_DST),
            prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, operand)};
    for (size_t i = 0; i < sizeof found / sizeof *found; ++i)
        assert_true(prim_memory_desc_equal(found[i], &md));
    for (size_t i = 0; i < sizeof unused / sizeof *unused; ++i)
        assert_int_equal(prim_desc_query_md(pd, unused[i], 0)->ndims, 0);
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 1)->ndims, 0);
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, operand + 1)->ndims, 0);
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD,
                             PRIM_ARG_ATTR_MULTIPLE_POST_OP(1) | PRIM_ARG_SRC_1)
                             ->ndims,
            0);

    const prim_memory_desc_t *through_query = NULL;
    api_expect(prim_desc_query(pd, PRIM_QUERY_DST_MD, 0, &through_query), PRIM_SUCCESS);
    assert_ptr_equal(through_query, found[1]);
    int ninputs = 0;
    api_expect(prim_desc_query(pd, PRIM_QUERY_NUM_OF_INPUTS_S32, 0, &ninputs), PRIM_SUCCESS);
    assert_int_equal(ninputs, 2);
    prim_desc_destroy(pd);
}

static void refuses_null_pointers(void **state)
{
    (void)state;
    prim_desc_t *const pd = api_relu_desc(api_engine(0), 4, NULL);
    prim_desc_t *clone = UNTOUCHED(prim_desc_t *);
    prim_t *primitive = UNTOUCHED(prim_t *);
    const prim_attr_t *attr = UNTOUCHED(const prim_attr_t *);
    const prim_desc_t *got = UNTOUCHED(const prim_desc_t *);
    api_expect(prim_desc_next_impl(NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_desc_clone(NULL, pd), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_desc_clone(&clone, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_desc_get_attr(NULL, &attr), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_desc_get_attr(pd, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_create(NULL, pd), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_create(&primitive, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_get_desc(NULL, &got), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_execute(NULL, NULL, 0, NULL), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(clone, api_untouched());
    assert_ptr_equal(primitive, api_untouched());
    assert_ptr_equal(attr, api_untouched());
    assert_ptr_equal(got, api_untouched());
    prim_desc_destroy(NULL);
    prim_destroy(NULL);

    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_get_desc(primitive, NULL), PRIM_INVALID_ARGUMENTS);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

static void outlives_what_it_was_made_from(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        prim_attr_t *attr = NULL;
        api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
        api_expect(prim_attr_set_deterministic(attr, true), PRIM_SUCCESS);
        prim_desc_t *const pd = api_relu_desc(api_engine(e), 4, attr);
        prim_desc_t *clone = NULL;
        api_expect(prim_desc_clone(&clone, pd), PRIM_SUCCESS);
        prim_attr_destroy(attr);
        prim_desc_destroy(pd);
        prim_t *relu = NULL;
        api_expect(prim_create(&relu, clone), PRIM_SUCCESS);
        prim_desc_destroy(clone);

        const prim_desc_t *kept = NULL;
        const prim_attr_t *kept_attr = NULL;
        bool is_deterministic = false;
        api_expect(prim_get_desc(relu, &kept), PRIM_SUCCESS);
        api_expect(prim_desc_get_attr(kept, &kept_attr), PRIM_SUCCESS);
        api_expect(prim_attr_get_deterministic(kept_attr, &is_deterministic), PRIM_SUCCESS);
        assert_true(is_deterministic);
        prim_destroy(relu);
    }
}

static void refuses_foreign_memories_and_streams(void **state)
{
    (void)state;
    if (!api_engine(1)) skip(); // one engine alone: nothing is foreign
    const prim_memory_desc_t md = api_vector(4);
    for (int e = 0; e < 2; ++e) {
        prim_desc_t *const pd = api_relu_desc(api_engine(e), 4, NULL);
        prim_t *relu = NULL;
        api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
        prim_stream_t *const stream = api_stream(api_engine(e));
        prim_stream_t *const foreign_stream = api_stream(api_engine(1 - e));
        prim_memory_t *const mine = api_memory(&md, api_engine(e));
        prim_memory_t *const foreign = api_memory(&md, api_engine(1 - e));
        const prim_arg_t good[] = {{PRIM_ARG_SRC, mine}, {PRIM_ARG_DST, mine}};
        const prim_arg_t bad_src[] = {{PRIM_ARG_SRC, foreign}, {PRIM_ARG_DST, mine}};
        const prim_arg_t bad_dst[] = {{PRIM_ARG_SRC, mine}, {PRIM_ARG_DST, foreign}};
        api_expect(prim_execute(relu, stream, 2, bad_src), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_execute(relu, stream, 2, bad_dst), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_execute(relu, foreign_stream, 2, good), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_execute(relu, stream, 1, good), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_execute(relu, stream, 2, good), PRIM_SUCCESS);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        prim_memory_destroy(mine);
        prim_memory_destroy(foreign);
        prim_stream_destroy(stream);
        prim_stream_destroy(foreign_stream);
        prim_destroy(relu);
        prim_desc_destroy(pd);
    }
}

static void comes_from_the_cache_the_second_time(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        api_expect(prim_set_primitive_cache_capacity(16), PRIM_SUCCESS);
        prim_desc_t *const pd = api_relu_desc(api_engine(e), 5, NULL);
        prim_t *first = NULL, *second = NULL;
        api_expect(prim_create(&first, pd), PRIM_SUCCESS);
        api_expect(prim_create(&second, pd), PRIM_SUCCESS);
        assert_ptr_equal(first, second);
        prim_destroy(second);
        api_expect(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
        api_expect(prim_create(&second, pd), PRIM_SUCCESS);
        assert_ptr_not_equal(first, second);
        prim_destroy(first);
        prim_destroy(second);
        prim_desc_destroy(pd);
    }
    api_expect(prim_set_primitive_cache_capacity(1024), PRIM_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(runs_every_implementation),
            cmocka_unit_test(answers_general_queries),
            cmocka_unit_test(refuses_queries_that_do_not_fit),
            cmocka_unit_test(tells_the_descriptors_of_its_tensors),
            cmocka_unit_test(refuses_null_pointers),
            cmocka_unit_test(outlives_what_it_was_made_from),
            cmocka_unit_test(refuses_foreign_memories_and_streams),
            cmocka_unit_test(comes_from_the_cache_the_second_time),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
