// SPDX-License-Identifier: Apache-2.0
// Which depths ocl:matmul:outer_product is for, and its tiles, on both sides of each boundary; how
// rows that are not aligned are read; how many registers leave room for its groups; which products
// have all of K in local memory, read few rows where they lie, or are bound by stores.
#include "gpu/ocl/matmul/ocl_matmul_align.h"
#include "gpu/ocl/matmul/ocl_matmul_mma_split_k.h"
#include "gpu/ocl/matmul/ocl_matmul_mma_whole_k.h"
#include "gpu/ocl/matmul/ocl_matmul_outer_product_plan.h"
#include "gpu/ocl/matmul/ocl_matmul_pingpong.h"

#include "support/unit_test.h"

static ocl_device_t bare(void)
{
    return (ocl_device_t){.compute_units = 132,
            .clock_mhz = 1980,
            .local_bytes = 48 << 10,
            .max_group_items = 1024,
            .max_group_item_sizes = {1024, 1024, 64}};
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

static const ocl_outer_product_tile_t *tile_of(
        const ocl_device_t *device, prim_dim_t m, prim_dim_t n)
{
    const matmul_shape_t s = product(m, 3, n);
    const int tile = prim__ocl_outer_product_tile(device, &s);
    return tile < 0 ? NULL : &prim__ocl_outer_product_tiles[tile];
}

static void depths_are_measured(void **state)
{
    (void)state;
    ocl_device_t device = bare();
    assert_int_equal(prim__ocl_outer_product_most_depth(&device, 4), 16);
    assert_int_equal(prim__ocl_outer_product_most_depth(&device, 2), 8);
    assert_int_equal(prim__ocl_outer_product_most_depth(&device, 1), 8);
    device.nv_capability_major = 9;
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, NULL), PRIM_SUCCESS);
    assert_int_equal(prim__ocl_outer_product_most_depth(&device, 4), 20);
    assert_int_equal(prim__ocl_outer_product_most_depth(&device, 2), 7);
    assert_int_equal(prim__ocl_outer_product_most_depth(&device, 1), 16);
    prim__ocl_measured_destroy(device.measured);
}

/// 132 compute units: 264 groups are two for each.
static void tiles_leave_two_groups_for_each_unit(void **state)
{
    (void)state;
    const ocl_device_t device = bare();
    const ocl_outer_product_tile_t *t = tile_of(&device, 64 * 132, 256);
    assert_true(t && t->tm == 8 && t->tn == 4);
    t = tile_of(&device, 64 * 131, 256);
    assert_true(t && t->tm == 8 && t->tn == 2);
    t = tile_of(&device, 64 * 65, 256);
    assert_true(t && t->tm == 4 && t->tn == 2);
    t = tile_of(&device, 16, 64);
    assert_true(t && t->tm == 2 && t->tn == 2);
}

static void few_columns_have_tiles_of_their_own(void **state)
{
    (void)state;
    const ocl_device_t device = bare();
    const ocl_outer_product_tile_t *t = tile_of(&device, 1 << 20, 65);
    assert_true(t && t->tn == 4);
    t = tile_of(&device, 1 << 20, 64);
    assert_true(t && t->tn == 2);
    t = tile_of(&device, 1 << 20, 33);
    assert_true(t && t->tn == 2);
    t = tile_of(&device, 1 << 20, 32);
    assert_true(t && t->tn == 1 && t->tm == 8);
}

static void devices_hold_the_tile_or_not(void **state)
{
    (void)state;
    ocl_device_t device = bare();
    device.max_group_items = 128;
    assert_true(tile_of(&device, 1000, 1000) == NULL);
    device = bare();
    device.local_bytes = 24 << 10; // 32 · (68 + 128) · 4 bytes do not fit
    const ocl_outer_product_tile_t *const t = tile_of(&device, 1 << 20, 1000);
    assert_true(t && t->tm == 8 && t->tn == 2);
}

static void panels_are_no_deeper_than_k(void **state)
{
    (void)state;
    static const int depths[][2] = {{1, 1}, {2, 2}, {3, 4}, {16, 16}, {17, 32}, {33, 32}};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i) {
        const matmul_shape_t s = product(100, depths[i][0], 100);
        assert_int_equal(prim__ocl_outer_product_panel_depth(&s, 0), depths[i][1]);
    }
}

static void far_rows_are_declined(void **state)
{
    (void)state;
    matmul_shape_t s = product(100, 3, 100);
    assert_true(prim__ocl_outer_product_takes(&s));
    s.src_m = INT32_MAX / 256 + 1;
    assert_false(prim__ocl_outer_product_takes(&s));
}

static double slowdown_of(size_t bytes, prim_dim_t k, prim_dim_t n, bool src_alone)
{
    const ocl_device_t device = bare();
    const matmul_shape_t s = product(300, k, n);
    ocl_align_t align;
    prim__ocl_align_init(&align, &s, false, bytes);
    prim__ocl_align_copy(&align.src, &s, bytes); // into aligned rows, which do not count
    return prim__ocl_align_slowdown(&align, &s, &device, src_alone);
}

static void words_are_read_faster_than_what_lies_across_them(void **state)
{
    (void)state;
    assert_true(slowdown_of(2, 1004, 16, true) == 1.2); // rows of 2008 bytes
    assert_true(slowdown_of(2, 1002, 16, true) == 1.6);
    assert_true(slowdown_of(2, 1001, 16, true) == 2);
    assert_true(slowdown_of(1, 1000, 16, true) == 1.2);
    assert_true(slowdown_of(1, 1004, 16, true) == 1.6);
    assert_true(slowdown_of(1, 1002, 16, true) == 2);
    assert_true(slowdown_of(2, 1001, 16, false) == 2);
    assert_true(slowdown_of(2, 1004, 18, false) == 1.6);
    assert_true(slowdown_of(2, 1004, 17, false) == 2);
    assert_true(slowdown_of(2, 1004, 17, true) == 1.2); // what the weights do does not count
}

static void short_products_pay_at_any_address(void **state)
{
    (void)state;
    const ocl_device_t device = bare(); // 132 units; most depths of 16, 8 and 8
    const struct {
        matmul_shape_t shape;
        size_t bytes;
        bool pays;
    } cases[] = {
            {product(1000, 8, 1000), 2, true}, {product(1000, 9, 1000), 2, false}, // many groups
            {product(5000, 8, 1), 2, true}, // one column of few groups, 16 rows each
            {product(50000, 8, 1), 2, false},
            {product(7, 8, 31), 4, false}, // of f32, few rows or columns are for others
            {product(8, 16, 32), 4, true}, {product(100, 45, 3), 2, true},
            {product(100, 64, 3), 2, true}, // weights are not aligned
            {product(100, 64, 8), 2, false}, {product(100, 60, 8), 2, true}, // src is not
            {product(100, 65, 3), 2, false}, {product(100, 45, 3), 1, false},
            {product(100, 45, 3), 4, false},
            {product(5000, 45, 3), 2, false}, // groups wait for others
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        if (prim__ocl_outer_product_pays(&device, &cases[i].shape, cases[i].bytes) != cases[i].pays)
            fail_msg("case %zu", i);
}

static void limits_of_registers_keep_groups_resident(void **state)
{
    (void)state;
    char none[] = "", extensions[] = "cl_khr_fp16 cl_nv_compiler_options";
    ocl_device_t device = bare();
    device.nv_group_registers = 65536;
    device.extensions = device.language_features = none;
    assert_int_equal(prim__ocl_device_registers_for(&device, 3, 256), 0); // no such option
    device.extensions = extensions;
    assert_int_equal(prim__ocl_device_registers_for(&device, 3, 256), 80); // 85, by eights
    assert_int_equal(prim__ocl_device_registers_for(&device, 2, 256), 128);
    assert_int_equal(prim__ocl_device_registers_for(&device, 3, 128), 168);
    device.nv_group_registers = 0; // not reported
    assert_int_equal(prim__ocl_device_registers_for(&device, 3, 256), 0);
}

/// A tile has 64 rows and 128 columns; 132 of them are one for each unit.
static void all_of_little_k_is_for_rows_at_any_address(void **state)
{
    (void)state;
    const ocl_device_t device = bare();
    static const struct {
        prim_dim_t m, k, n;
        bool pays;
    } cases[] = {
            {64 * 132, 8, 127, true},
            {64 * 132, 32, 127, true},
            {64 * 132, 7, 127, false},  // outer products
            {64 * 132, 33, 127, false}, // products take longer than stores
            {64 * 131, 9, 127, false},  // a unit without a tile
            {64 * 132, 8, 128, true},   // all rows are aligned
            {64 * 132, 24, 128, true},  // likewise
            {64 * 132, 32, 128, false}, // tensor maps load that much faster
            {64 * 132, 25, 128, true},  // but not rows of src that are unaligned
            {64 * 132, 32, 129, true},  // nor those of weights and dst
            {64 * 132, 9, 31, false},   // most of a tile is outside of dst
            {31, 9, 128 * 132, false},
            {32, 9, 128 * 132, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const matmul_shape_t s = product(cases[i].m, cases[i].k, cases[i].n);
        if (prim__ocl_mma_whole_k_pays(&device, &s) != cases[i].pays) fail_msg("case %zu", i);
    }
}

/// What is added to element (i, j) belongs to (j, i) of the transposed product.
static void bias_is_exchanged_with_the_sides(void **state)
{
    (void)state;
    matmul_shape_t s = product(5, 6, 7);
    s.bia_m = 0, s.bia_n = 1;
    prim__ocl_gemm_swap(&s);
    assert_int_equal(s.m, 7);
    assert_int_equal(s.n, 5);
    assert_int_equal(s.dst_m, 1);
    assert_int_equal(s.dst_n, 7);
    assert_int_equal(s.bia_m, 1);
    assert_int_equal(s.bia_n, 0);
}

/// 132 tiles of 32 columns are one for each unit.
static void few_rows_are_read_where_they_lie(void **state)
{
    (void)state;
    const ocl_device_t device = bare();
    static const struct {
        prim_dim_t m, k, n;
        bool along_k, reads_well;
    } cases[] = {
            {16, 1001, 1000, false, true},        // odd rows of src
            {16, 1000, 1001, false, true},        // of weights
            {16, 1001, 1000, true, true},         // of both
            {16, 1002, 1002, true, false},        // words are gathered
            {17, 1001, 1001, true, false},        // weights are used often enough to be copied
            {9, 1002, 132 * 32, true, false},     // likewise, at words
            {8, 1002, 1002, true, true},          // weights along k
            {8, 1002, 1002, false, false},        // few columns
            {8, 1002, 131 * 32 + 2, false, true}, // as many tiles as units
            {8, 1002, 131 * 32, false, false},
            {2, 1001, 1001, true, true},
            {1, 1001, 1001, true, false}, // single rows are for work-items
            {2, 1001, 1001, false, false},
            {3, 1001, 1001, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        matmul_shape_t s = product(cases[i].m, cases[i].k, cases[i].n);
        if (cases[i].along_k) s.wei_k = 1, s.wei_n = s.k;
        if (prim__ocl_mma_split_k_suits_unaligned(&device, &s, cases[i].along_k) !=
                cases[i].reads_well)
            fail_msg("case %zu", i);
    }
}

/// One stage is 128 bytes of K, a sector 32 bytes of a row of dst.
static void little_k_and_whole_sectors_are_bound_by_stores(void **state)
{
    (void)state;
    const matmul_shape_t whole = product(512, 64, 48), deep = product(512, 65, 48),
                         part = product(512, 64, 56);
    assert_true(prim__ocl_pingpong_is_bound_by_stores(&whole, 2, 2));
    assert_false(prim__ocl_pingpong_is_bound_by_stores(&deep, 2, 2));
    assert_false(prim__ocl_pingpong_is_bound_by_stores(&part, 2, 2));
    assert_true(prim__ocl_pingpong_is_bound_by_stores(&part, 2, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(bias_is_exchanged_with_the_sides),
            cmocka_unit_test(few_rows_are_read_where_they_lie),
            cmocka_unit_test(little_k_and_whole_sectors_are_bound_by_stores),
            cmocka_unit_test(all_of_little_k_is_for_rows_at_any_address),
            cmocka_unit_test(depths_are_measured),
            cmocka_unit_test(tiles_leave_two_groups_for_each_unit),
            cmocka_unit_test(few_columns_have_tiles_of_their_own),
            cmocka_unit_test(devices_hold_the_tile_or_not),
            cmocka_unit_test(panels_are_no_deeper_than_k),
            cmocka_unit_test(far_rows_are_declined),
            cmocka_unit_test(words_are_read_faster_than_what_lies_across_them),
            cmocka_unit_test(short_products_pay_at_any_address),
            cmocka_unit_test(limits_of_registers_keep_groups_resident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
