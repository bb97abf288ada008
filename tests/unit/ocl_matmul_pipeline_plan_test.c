// SPDX-License-Identifier: Apache-2.0
// The choice of ocl:matmul:pipeline between a product and its transpose, on both sides of each
// boundary, and the tiles that it is between.
#include "gpu/ocl/matmul/ocl_matmul_pipeline_plan.h"

#include <math.h>
#include <string.h>

#include "gpu/ocl/tune/ocl_tune_text.h"
#include "support/unit_test.h"

static const uint64_t local_bytes = 226 << 10;

static ocl_device_t bare(void)
{
    return (ocl_device_t){.compute_units = 132,
            .clock_mhz = 1980,
            .max_group_items = 1024,
            .max_group_item_sizes = {1024, 1024, 64}};
}

static ocl_device_t h200(void)
{
    ocl_device_t device = bare();
    device.nv_capability_major = 9;
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, NULL), PRIM_SUCCESS);
    return device;
}

/// All three row-major.
static matmul_shape_t product(prim_dim_t m, prim_dim_t k, prim_dim_t n)
{
    return (matmul_shape_t){.m = m,
            .n = n,
            .k = k,
            .src_m = k,
            .src_k = 1,
            .wei_k = n,
            .wei_n = 1,
            .dst_m = n,
            .dst_n = 1};
}

static bool swaps(const ocl_device_t *device, prim_dim_t m, prim_dim_t k, prim_dim_t n)
{
    const matmul_shape_t s = product(m, k, n);
    return prim__ocl_pipeline_swaps(device, &s, local_bytes, OCL_LONGEST_SUM);
}

/// Tiles for few rows are as high as 32: more columns than that run on others, whose copies are
/// slower along k.
static void few_columns_become_rows(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    assert_true(swaps(&device, 8192, 4096, 1));
    assert_true(swaps(&device, 8192, 4096, 32));
    assert_false(swaps(&device, 8192, 4096, 33));
    assert_false(swaps(&device, 8192, 4096, 8192));
    assert_false(swaps(&device, 32, 4096, 8192)); // few rows are rows already
    prim__ocl_measured_destroy(device.measured);
}

/// Neighbours in a column of dst are stored one by one, which a short depth does not hide.
static void stores_of_columns_count(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    assert_true(swaps(&device, 2048, 1024, 12));
    assert_false(swaps(&device, 2048, 1024, 13));
    assert_true(swaps(&device, 8192, 2048, 15));
    assert_false(swaps(&device, 8192, 2048, 16));
    prim__ocl_measured_destroy(device.measured);
}

/// By the estimates alone, too.
static void an_unknown_device_has_an_estimate(void **state)
{
    (void)state;
    const ocl_device_t device = bare();
    assert_true(swaps(&device, 8192, 4096, 32));
    assert_false(swaps(&device, 8192, 4096, 33));
    assert_false(swaps(&device, 32, 4096, 8192));
}

/// The cheapest tile gets `slower` times slower, and nothing else does.
static void slower_products_cost_more(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    const matmul_shape_t s = product(4096, 4096, 4096);
    const double once = prim__ocl_pipeline_cycles(&device, &s, local_bytes, OCL_LONGEST_SUM, 1);
    const double twice = prim__ocl_pipeline_cycles(&device, &s, local_bytes, OCL_LONGEST_SUM, 2);
    assert_true(twice > 1.9 * once && twice < 2 * once);
    assert_true(prim__ocl_pipeline_cycles(&device, &s, 1 << 10, OCL_LONGEST_SUM, 1) == 0);
    prim__ocl_measured_destroy(device.measured);
}

static void operands_are_read_along_what_is_contiguous(void **state)
{
    (void)state;
    matmul_shape_t s = product(8, 12, 16);
    ocl_pipeline_operands_t by = prim__ocl_pipeline_operands(&s);
    assert_true(by.src_along_k && !by.wei_along_k);
    assert_int_equal(by.wei_vec, 4);
    prim__ocl_gemm_swap(&s);
    by = prim__ocl_pipeline_operands(&s);
    assert_true(!by.src_along_k && by.wei_along_k);
    assert_int_equal(by.src_vec, 4);
    s = product(8, 12, 15);
    assert_int_equal(prim__ocl_pipeline_operands(&s).wei_vec, 1);
    s = product(8, 12, 16);
    s.nbatch = 1;
    s.batch[0] = 2;
    s.wei_batch[0] = 12 * 16 + 2;
    assert_int_equal(prim__ocl_pipeline_operands(&s).wei_vec, 1);
}

/// Groups of 128 to 256 work-items, but for one tile: a device whose groups are smaller has that
/// one, and none where not even that fits.
static void tiles_fit_the_device(void **state)
{
    (void)state;
    ocl_device_t device = bare();
    const ocl_pipeline_operands_t along = {.src_along_k = true, .src_vec = 1, .wei_vec = 4},
                                  across = {.src_vec = 4, .wei_vec = 4};
    const ocl_pipeline_tile_t *const large = &prim__ocl_pipeline_tiles[0],
                                     *const small =
                                             &prim__ocl_pipeline_tiles[OCL_PIPELINE_NTILES - 1];
    assert_int_equal(prim__ocl_pipeline_items(large), 256);
    assert_int_equal(prim__ocl_pipeline_items(small), 32);
    const uint64_t bytes = 3 * 16 * (128 + 4 + 256) * 4;
    assert_int_equal(prim__ocl_pipeline_local_bytes(large, &along), bytes);
    assert_int_equal(prim__ocl_pipeline_local_bytes(large, &across), bytes - 3 * 16 * 4 * 4);
    assert_true(prim__ocl_pipeline_fits(&device, large, &along, bytes));
    assert_false(prim__ocl_pipeline_fits(&device, large, &along, bytes - 1));
    device.max_group_item_sizes[0] = 255;
    assert_false(prim__ocl_pipeline_fits(&device, large, &along, bytes));
    assert_true(prim__ocl_pipeline_fits(&device, small, &along, bytes));
    device = bare();
    device.max_group_items = 255;
    assert_false(prim__ocl_pipeline_fits(&device, large, &along, bytes));
}

/// A device with an own line over its family's table.
static ocl_device_t h200_with(const char *line)
{
    ocl_device_t device = bare();
    ocl_tune_results_t lines = {0};
    device.nv_capability_major = 9;
    (void)prim__ocl_tune_text_parse(&lines, line, strlen(line), "me", NULL);
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, &lines), PRIM_SUCCESS);
    prim__ocl_tune_results_fini(&lines);
    return device;
}

/// K in two parts, because one sum does not hold all of it. With a compute unit for each group,
/// groups add up their shares of a tile; else one of them reads all partial sums of it.
static double joined_cycles(const char *line, prim_dim_t ntiles)
{
    const ocl_tile_speed_t speed = {
            .bm = 64, .bn = 64, .bk = 16, .rate_alone = 64, .rate_full = 64};
    const matmul_shape_t s = product(64, 16 * 4, 64 * ntiles);
    ocl_device_t device = h200_with(line);
    const double cycles = prim__ocl_tiling_cycles(&device, &s, &speed, 16 * 2);
    prim__ocl_measured_destroy(device.measured);
    return cycles;
}

static void groups_without_a_unit_leave_the_sums_to_one(void **state)
{
    (void)state;
    const char *const table = "device me\nocl:matmul | limit join_elems | 10 elements/cycle\n",
                      *const slower =
                              "device me\nocl:matmul | limit join_elems | 5 elements/cycle\n";
    const double extra = 2 * 64 * 64 / 10;
    assert_true(joined_cycles(table, 66) == joined_cycles(slower, 66));
    const double cycles = joined_cycles(table, 67);
    assert_true(fabs(joined_cycles(slower, 67) - cycles - extra) < 1);
    assert_true(joined_cycles("", 67) == cycles); // as the table says
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(few_columns_become_rows),
            cmocka_unit_test(stores_of_columns_count),
            cmocka_unit_test(an_unknown_device_has_an_estimate),
            cmocka_unit_test(slower_products_cost_more),
            cmocka_unit_test(operands_are_read_along_what_is_contiguous),
            cmocka_unit_test(tiles_fit_the_device),
            cmocka_unit_test(groups_without_a_unit_leave_the_sums_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
