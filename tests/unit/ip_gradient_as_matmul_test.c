// SPDX-License-Identifier: Apache-2.0
// Gradients of inner product as nested matmuls, run on the CPU's: what the matmul gets for each
// order of dimensions, with and without a transposed copy of diff_dst, and what comes out.
#include "common/ip_gradient_as_matmul.h"
#include "fake_problem.h"
#include "support/unit_test.h"

enum { N = 3, OC = 5, IC = 4, WIDTH = 2, LENGTH = IC * WIDTH };

typedef struct {
    prim_desc_t base;
    ip_gradient_t gradient;
} gradient_pd_t;

static bool is_along_k;

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ip_gradient_as_matmul_init_pd(&((gradient_pd_t *)pd)->gradient, pd, is_along_k);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const gradient_pd_t *const pd = (const gradient_pd_t *)primitive->pd;
    return prim__ip_gradient_as_matmul_execute(&pd->gradient, primitive, ctx);
}

static const impl_t impl = {.name = "t:ip:gradient_matmul",
        .pd_size = sizeof(gradient_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__matmul_schema,
        .nests_generic = true};
static const impl_t *const list[] = {&impl, NULL};

static prim_engine_t *engine;
static prim_stream_t *stream;

static int set_up(void **state)
{
    (void)state;
    is_along_k = false;
    assert_int_equal(prim_engine_create(&engine, PRIM_CPU, 0), PRIM_SUCCESS);
    return prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT) == PRIM_SUCCESS ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    return 0;
}

/// The tensors of a gradient: two inputs and the result.
typedef struct {
    prim_prop_kind_t prop_kind;
    tensor_t tensors[3];
} problem_t;

static problem_t by_src(const char *diff, const char *wei, const char *src)
{
    return (problem_t){PRIM_BACKWARD_DATA,
            {{.arg = PRIM_ARG_DIFF_DST, .md = fake_md(diff)},
                    {.arg = PRIM_ARG_WEIGHTS, .md = fake_md(wei)},
                    {.arg = PRIM_ARG_DIFF_SRC, .is_output = true, .md = fake_md(src)}}};
}

static problem_t by_weights(const char *diff, const char *wei, const char *src)
{
    return (problem_t){PRIM_BACKWARD_WEIGHTS,
            {{.arg = PRIM_ARG_SRC, .md = fake_md(src)},
                    {.arg = PRIM_ARG_DIFF_DST, .md = fake_md(diff)},
                    {.arg = PRIM_ARG_DIFF_WEIGHTS, .is_output = true, .md = fake_md(wei)}}};
}

/// NULL when it is declined.
static prim_desc_t *make(const problem_t *problem)
{
    const op_desc_t op = {.kind = PRIM_INNER_PRODUCT, .prop_kind = problem->prop_kind};
    prim_desc_t *pd = NULL;
    const prim_status_t st = prim__desc_create_from(
            &pd, list, engine, NULL, &op, problem->tensors, COUNT_OF(problem->tensors), NULL);
    assert_true(st == PRIM_SUCCESS || st == PRIM_UNIMPLEMENTED);
    return pd;
}

/// Small integers by argument and logical position.
static float value_at(int arg, const prim_dim_t *at)
{
    const int of = arg == PRIM_ARG_DIFF_DST ? 3 : arg == PRIM_ARG_SRC ? 5 : 7;
    const prim_dim_t x = at[0] * 11 + at[1] * of + at[2] * 13;
    return (float)(x % 9 - 4);
}

static prim_memory_t *make_memory(const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    prim_memory_t *memory = NULL;
    void *data = NULL;
    assert_int_equal(prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    assert_int_equal(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (prim_dim_t i = 0; i < prim__md_nelems(md); ++i) {
        prim_dims_t at = {0};
        prim_dim_t rest = i;
        for (int d = md->ndims - 1; d >= 0; rest /= md->dims[d--]) at[d] = rest % md->dims[d];
        ((float *)data)[prim__md_offset(md, at)] = value_at(arg, at);
    }
    assert_int_equal(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return memory;
}

static double expected_at(bool is_by_weights, prim_dim_t a, const prim_dim_t *at)
{
    double sum = 0;
    for (prim_dim_t b = 0; b < (is_by_weights ? N : OC); ++b) {
        const prim_dim_t diff[3] = {is_by_weights ? b : a, is_by_weights ? a : b, 0};
        const prim_dim_t other[3] = {b, at[1], at[2]};
        sum += (double)value_at(PRIM_ARG_DIFF_DST, diff) *
               (double)value_at(is_by_weights ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS, other);
    }
    return sum;
}

static void run(const prim_desc_t *pd, const problem_t *problem)
{
    prim_t *primitive = NULL;
    prim_arg_t args[3];
    void *data = NULL;
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    for (int i = 0; i < 3; ++i)
        args[i] = (prim_arg_t){problem->tensors[i].arg, make_memory(pd, problem->tensors[i].arg)};
    assert_int_equal(prim_execute(primitive, stream, 3, args), PRIM_SUCCESS);
    assert_int_equal(prim_memory_map_data(args[2].memory, &data), PRIM_SUCCESS);
    const prim_memory_desc_t *const md = prim__pd_md(pd, args[2].arg);
    const bool is_by_weights = problem->prop_kind == PRIM_BACKWARD_WEIGHTS;
    for (prim_dim_t a = 0; a < md->dims[0]; ++a)
        for (prim_dim_t i = 0; i < LENGTH; ++i) {
            const prim_dim_t at[3] = {a, i / WIDTH, i % WIDTH};
            const double got = (double)((const float *)data)[prim__md_offset(md, at)];
            assert_true(got == expected_at(is_by_weights, a, at));
        }
    assert_int_equal(prim_memory_unmap_data(args[2].memory, data), PRIM_SUCCESS);
    for (int i = 0; i < 3; ++i) prim_memory_destroy(args[i].memory);
    prim_destroy(primitive);
}

static void expect_matrix(const prim_desc_t *pd, int arg, prim_dim_t rows, prim_dim_t columns,
        prim_dim_t row_stride, prim_dim_t column_stride)
{
    const prim_memory_desc_t *const md = prim__nested_md(pd, 0, arg);
    assert_int_equal(md->dims[0], rows);
    assert_int_equal(md->dims[1], columns);
    assert_int_equal(md->strides[0], row_stride);
    assert_int_equal(md->strides[1], column_stride);
}

static void results_are_right_in_all_orders(void **state)
{
    (void)state;
    static const char *const diffs[] = {"f32:ab:3x5", "f32:ba:3x5", "f32:any:3x5"};
    static const char *const orders[][2] = {{"f32:abc:5x4x2", "f32:abc:3x4x2"},
            {"f32:acb:5x4x2", "f32:acb:3x4x2"}, {"f32:cba:5x4x2", "f32:acb:3x4x2"},
            {"f32:acb:5x4x2", "f32:cba:3x4x2"}, {"f32:any:5x4x2", "f32:any:3x4x2"},
            {"f32:bca:5x4x2", "f32:any:3x4x2"}, {"f32:any:5x4x2", "f32:bca:3x4x2"}};
    for (int copies = 0; copies < 2; ++copies)
        for (size_t i = 0; i < COUNT_OF(orders) * COUNT_OF(diffs); ++i) {
            const char *const *const order = orders[i / COUNT_OF(diffs)];
            const char *const diff = diffs[i % COUNT_OF(diffs)];
            is_along_k = copies;
            for (int pass = 0; pass < 2; ++pass) {
                const problem_t problem = pass == 0 ? by_src(diff, order[0], order[1])
                                                    : by_weights(diff, order[0], order[1]);
                prim_desc_t *const pd = make(&problem);
                assert_non_null(pd);
                run(pd, &problem);
                prim_desc_destroy(pd);
            }
        }
}

static void operands_are_matrices_over_the_same_memory(void **state)
{
    (void)state;
    problem_t problem = by_src("f32:ab:3x5", "f32:abc:5x4x2", "f32:abc:3x4x2");
    prim_desc_t *pd = make(&problem);
    expect_matrix(pd, PRIM_ARG_SRC, N, OC, OC, 1);
    expect_matrix(pd, PRIM_ARG_WEIGHTS, OC, LENGTH, LENGTH, 1);
    expect_matrix(pd, PRIM_ARG_DST, N, LENGTH, LENGTH, 1);
    prim_desc_destroy(pd);

    problem = by_weights("f32:ab:3x5", "f32:abc:5x4x2", "f32:abc:3x4x2");
    pd = make(&problem);
    expect_matrix(pd, PRIM_ARG_SRC, OC, N, 1, OC);
    expect_matrix(pd, PRIM_ARG_WEIGHTS, N, LENGTH, LENGTH, 1);
    expect_matrix(pd, PRIM_ARG_DST, OC, LENGTH, LENGTH, 1);
    prim_desc_destroy(pd);

    // Weights that are contiguous along the output channels: everything is transposed.
    problem = by_weights("f32:ab:3x5", "f32:bca:5x4x2", "f32:abc:3x4x2");
    pd = make(&problem);
    expect_matrix(pd, PRIM_ARG_SRC, LENGTH, N, 1, LENGTH);
    expect_matrix(pd, PRIM_ARG_WEIGHTS, N, OC, OC, 1);
    expect_matrix(pd, PRIM_ARG_DST, LENGTH, OC, OC, 1);
    prim_desc_destroy(pd);
}

static void the_copy_of_diff_dst_is_contiguous_along_the_sums(void **state)
{
    (void)state;
    is_along_k = true;
    problem_t problem = by_weights("f32:ab:3x5", "f32:abc:5x4x2", "f32:abc:3x4x2");
    prim_desc_t *pd = make(&problem);
    expect_matrix(pd, PRIM_ARG_SRC, OC, N, 4, 1); // 16 bytes
    assert_int_equal(pd->nnested, 2);
    prim_desc_destroy(pd);
    problem = by_weights("f32:ba:3x5", "f32:abc:5x4x2", "f32:abc:3x4x2");
    pd = make(&problem);
    assert_int_equal(pd->nnested, 1); // it is already
    prim_desc_destroy(pd);
    problem = by_src("f32:ab:3x5", "f32:abc:5x4x2", "f32:abc:3x4x2");
    pd = make(&problem);
    assert_int_equal(pd->nnested, 1);
    prim_desc_destroy(pd);
}

static void what_is_no_matrix_is_declined(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"f32:ab:3x5", "f32:acb:5x4x2", "f32:abc:3x4x2"},
            {"f32:ab:3x5", "f32:aBc4b:5x4x2", "f32:abc:3x4x2"},
            {"f32:ab:3x5", "f32:abc:5x4x2", "f32:aBc4b:3x4x2"},
            {"f32:aB8b:3x5", "f32:abc:5x4x2", "f32:abc:3x4x2"}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        const problem_t data = by_src(cases[i][0], cases[i][1], cases[i][2]);
        const problem_t weights = by_weights(cases[i][0], cases[i][1], cases[i][2]);
        assert_null(make(&data));
        assert_null(make(&weights));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(results_are_right_in_all_orders),
            TEST(operands_are_matrices_over_the_same_memory),
            TEST(the_copy_of_diff_dst_is_contiguous_along_the_sums),
            TEST(what_is_no_matrix_is_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
