// SPDX-License-Identifier: Apache-2.0
// Operands of post-ops whose shapes come at execution: every implementation that takes them reads
// them where they lie, on every kind of engine; shapes that do not go with dst are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { M = 3, K = 4, OPEN = 1, PITCH = 40 };

static const prim_dim_t any_dim = PRIM_RUNTIME_DIM_VAL;

static prim_memory_desc_t matrix_of(prim_dim_t rows, prim_dim_t cols, prim_data_type_t dt)
{
    const prim_dim_t dims[] = {rows, cols}, strides[] = {PITCH, 1};
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_strides(&md, 2, dims, dt, strides), PRIM_SUCCESS);
    return md;
}

static prim_memory_desc_t matrix(prim_dim_t rows, prim_dim_t cols)
{
    return matrix_of(rows, cols, PRIM_F32);
}

static float src_at(int i, int k)
{
    return (float)((i + 1) * (k - 1));
}

static float wei_at(int k, int j)
{
    return (float)((k + j) % 5 - 2);
}

static float addend_at(int i, int j)
{
    return (float)(i * 7 + j);
}

static float slope_at(int i, int j)
{
    return (float)(2 + j - i);
}

static signed char condition_at(int i, int j)
{
    return (signed char)((i + j) % 3 == 0 ? 0 : -2 * j - 2);
}

// The condition of every element.
static prim_memory_t *conditions(prim_engine_t *engine, prim_dim_t rows, prim_dim_t cols)
{
    const prim_memory_desc_t md = matrix_of(rows, cols, PRIM_S8);
    prim_memory_t *const memory = api_memory(&md, engine);
    void *p = NULL;
    api_expect(prim_memory_map_data(memory, &p), PRIM_SUCCESS);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) ((signed char *)p)[i * PITCH + j] = condition_at(i, j);
    }
    api_expect(prim_memory_unmap_data(memory, p), PRIM_SUCCESS);
    return memory;
}

static prim_memory_t *filled(
        prim_engine_t *engine, prim_dim_t rows, prim_dim_t cols, float (*at)(int, int))
{
    const prim_memory_desc_t md = matrix(rows, cols);
    prim_memory_t *const memory = api_memory(&md, engine);
    void *p = NULL;
    api_expect(prim_memory_map_data(memory, &p), PRIM_SUCCESS);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) ((float *)p)[i * PITCH + j] = at ? at(i, j) : 0;
    }
    api_expect(prim_memory_unmap_data(memory, p), PRIM_SUCCESS);
    return memory;
}

// condition ? prelu(src · wei + addend) : addend, where the addend has one row or all, slopes are
// by column.
static float expected_at(int i, int j, bool is_row)
{
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += src_at(i, k) * wei_at(k, j);
    sum += addend_at(is_row ? 0 : i, j);
    if (condition_at(i, j) == 0) return addend_at(is_row ? 0 : i, j);
    return sum > 0 ? sum : sum * slope_at(0, j);
}

static void expect_values(const prim_memory_t *dst, int n, bool is_row, const char *impl)
{
    void *p = NULL;
    api_expect(prim_memory_map_data(dst, &p), PRIM_SUCCESS);
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < n; ++j) {
            const float found = ((const float *)p)[i * PITCH + j];
            const float expected = expected_at(i, j, is_row);
            if (found != expected)
                fail_msg("%s: dst[%d][%d] of %d columns is %g, not %g", impl, i, j, n,
                        (double)found, (double)expected);
        }
    }
    api_expect(prim_memory_unmap_data(dst, p), PRIM_SUCCESS);
}

// The addend's columns are known at execution, or all it has; dst's too, or they are `n`.
static prim_desc_t *make(prim_engine_t *engine, prim_dim_t n, bool is_row)
{
    const prim_memory_desc_t src = matrix(M, K), wei = matrix(K, n), dst = matrix(M, n);
    const prim_memory_desc_t addend = matrix(is_row ? 1 : any_dim, any_dim);
    prim_post_ops_t *chain = NULL;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    api_expect(prim_post_ops_create(&chain), PRIM_SUCCESS);
    api_expect(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &addend), PRIM_SUCCESS);
    api_expect(prim_post_ops_append_prelu(chain, 1 << OPEN), PRIM_SUCCESS);
    const prim_memory_desc_t condition = matrix_of(M, any_dim, PRIM_S8);
    api_expect(prim_post_ops_append_binary_v2(chain, PRIM_BINARY_SELECT, &addend, &condition),
            PRIM_SUCCESS);
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    api_expect(prim_matmul_desc_create(&pd, engine, &src, &wei, NULL, &dst, attr), PRIM_SUCCESS);
    prim_attr_destroy(attr);
    prim_post_ops_destroy(chain);
    return pd;
}

// Executes with `n` columns and an addend of rows × cols.
static prim_status_t run(const prim_t *primitive, prim_engine_t *engine, int n, int rows, int cols,
        bool is_row, const char *impl)
{
    prim_stream_t *const stream = api_stream(engine);
    prim_memory_desc_t slopes_md =
            api_md(2, (const prim_dim_t[]){1, n}, PRIM_ab); // an operand of prelu is row-major
    prim_memory_t *const slopes = api_memory(&slopes_md, engine);
    void *p = NULL;
    api_expect(prim_memory_map_data(slopes, &p), PRIM_SUCCESS);
    for (int j = 0; j < n; ++j) ((float *)p)[j] = slope_at(0, j);
    api_expect(prim_memory_unmap_data(slopes, p), PRIM_SUCCESS);
    prim_memory_t *const all[] = {filled(engine, M, K, src_at), filled(engine, K, n, wei_at),
            filled(engine, rows, cols, addend_at), filled(engine, M, n, NULL), slopes,
            conditions(engine, M, cols)};
    const prim_arg_t args[] = {{PRIM_ARG_SRC, all[0]}, {PRIM_ARG_WEIGHTS, all[1]},
            {PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1, all[2]}, {PRIM_ARG_DST, all[3]},
            {PRIM_ARG_ATTR_MULTIPLE_POST_OP(1) | PRIM_ARG_WEIGHTS, slopes},
            {PRIM_ARG_ATTR_MULTIPLE_POST_OP(2) | PRIM_ARG_SRC_1, all[2]},
            {PRIM_ARG_ATTR_MULTIPLE_POST_OP(2) | PRIM_ARG_SRC_2, all[5]}};
    const prim_status_t status = prim_execute(primitive, stream, 7, args);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    if (status == PRIM_SUCCESS) expect_values(all[3], n, is_row, impl);
    for (int i = 0; i < 6; ++i) prim_memory_destroy(all[i]);
    prim_stream_destroy(stream);
    return status;
}

static void check(prim_engine_t *engine, prim_dim_t n, bool is_row)
{
    prim_desc_t *const pd = make(engine, n, is_row);
    const int rows = is_row ? 1 : M, known = n == any_dim ? 5 : (int)n;
    prim_status_t status = PRIM_SUCCESS;
    for (; status == PRIM_SUCCESS; status = prim_desc_next_impl(pd)) {
        const char *name = NULL;
        prim_t *primitive = NULL;
        api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
        api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
        api_expect(run(primitive, engine, known, rows, known, is_row, name), PRIM_SUCCESS);
        if (n == any_dim)
            api_expect(run(primitive, engine, 33, rows, 33, is_row, name), PRIM_SUCCESS);
        // A shape that does not broadcast to dst would be read beyond its end.
        api_expect(run(primitive, engine, known, rows, known - 1, is_row, name),
                PRIM_INVALID_ARGUMENTS);
        if (!is_row)
            api_expect(
                    run(primitive, engine, known, 2, known, is_row, name), PRIM_INVALID_ARGUMENTS);
        prim_destroy(primitive);
    }
    api_expect(status, PRIM_LAST_IMPL_REACHED);
    prim_desc_destroy(pd);
}

static void operands_of_matmul(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (int is_row = 0; is_row < 2; ++is_row) {
            check(api_engine(e), any_dim, is_row);
            check(api_engine(e), 6, is_row);
        }
    }
}

// Six addends with unknown shapes, of which the OpenCL implementations take five, the CPU's all.
static void too_many_are_declined_with_a_sentence(void **state)
{
    (void)state;
    const prim_memory_desc_t src = matrix(M, K), wei = matrix(K, 8), dst = matrix(M, 8);
    const prim_memory_desc_t addend = matrix(1, any_dim);
    prim_post_ops_t *chain = NULL;
    prim_attr_t *attr = NULL;
    api_expect(prim_post_ops_create(&chain), PRIM_SUCCESS);
    for (int i = 0; i < 6; ++i)
        api_expect(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &addend), PRIM_SUCCESS);
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *pd = UNTOUCHED(prim_desc_t *);
        const prim_status_t status =
                prim_matmul_desc_create(&pd, api_engine(e), &src, &wei, NULL, &dst, attr);
        api_expect(status, e == 0 ? PRIM_SUCCESS : PRIM_UNIMPLEMENTED);
        if (status == PRIM_SUCCESS)
            prim_desc_destroy(pd);
        else
            assert_ptr_equal(pd, UNTOUCHED(prim_desc_t *));
    }
    prim_attr_destroy(attr);
    prim_post_ops_destroy(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(operands_of_matmul),
            cmocka_unit_test(too_many_are_declined_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
