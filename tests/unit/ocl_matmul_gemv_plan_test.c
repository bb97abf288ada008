// SPDX-License-Identifier: Apache-2.0
// How products of few rows read operands that are one row or one column, or lie at odd places.
#include "gpu/ocl/matmul/ocl_matmul_gemv_plan.h"

#include "support/unit_test.h"

/// src M×K and weights N×K, without gaps.
static matmul_shape_t along_k(prim_dim_t m, prim_dim_t k, prim_dim_t n)
{
    return (matmul_shape_t){.m = m, .n = n, .k = k, .src_m = k, .src_k = 1, .wei_k = 1, .wei_n = k};
}

static bool is_aligned(matmul_shape_t s, size_t elem_bytes)
{
    prim__ocl_gemv_drop_distances(&s);
    return prim__ocl_gemv_is_aligned_along_k(&s, 0, 0, elem_bytes);
}

/// The memory of K×1 is that of 1×K: what the layout calls the distance to the next column counts
/// for nothing, on either side of the product.
static void one_column_is_one_row(void **state)
{
    (void)state;
    matmul_shape_t s = along_k(6136, 824, 1);
    s.wei_n = 1; // row-major
    assert_true(is_aligned(s, 4));
    prim__ocl_gemm_swap(&s);
    assert_true(is_aligned(s, 4));
    s = along_k(1, 823, 1);
    assert_true(is_aligned(s, 4));
}

/// With a second row or column, the distance to it does.
static void distances_to_neighbours_count(void **state)
{
    (void)state;
    assert_true(is_aligned(along_k(2, 824, 2), 4));
    assert_true(is_aligned(along_k(2, 828, 2), 4));
    assert_false(is_aligned(along_k(2, 828, 2), 2));
    matmul_shape_t s = along_k(2, 824, 2);
    s.src_m = 825;
    assert_false(is_aligned(s, 4));
    s = along_k(2, 824, 2);
    s.wei_n = 825;
    assert_false(is_aligned(s, 4));
    prim__ocl_gemv_drop_distances(&s);
    assert_int_equal(s.src_m, 824);
    assert_int_equal(s.wei_n, 825);
}

static void products_and_offsets_count(void **state)
{
    (void)state;
    matmul_shape_t s = along_k(2, 824, 2);
    assert_true(prim__ocl_gemv_is_aligned_along_k(&s, 8, 4, 4));
    assert_false(prim__ocl_gemv_is_aligned_along_k(&s, 2, 4, 4));
    assert_false(prim__ocl_gemv_is_aligned_along_k(&s, 8, 5, 4));
    s.nbatch = 1;
    s.batch[0] = 3;
    s.src_batch[0] = s.wei_batch[0] = 2 * 824;
    assert_true(is_aligned(s, 4));
    s.src_batch[0] += 2;
    assert_false(is_aligned(s, 4));
    s.src_batch[0] -= 2;
    s.wei_batch[0] += 2;
    assert_false(is_aligned(s, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(one_column_is_one_row),
            cmocka_unit_test(distances_to_neighbours_count),
            cmocka_unit_test(products_and_offsets_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
