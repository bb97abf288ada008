// SPDX-License-Identifier: Apache-2.0
// Tiles of ocl:conv:depthwise_sliding, on both sides of each bound.
#include "gpu/ocl/conv/ocl_conv_depthwise_sliding_plan.h"

#include "gpu/ocl/tune/ocl_measured.h"
#include "support/unit_test.h"

/// One image of g channels, [h, w] outputs.
static conv_shape_t depthwise(
        prim_dim_t g, prim_dim_t h, prim_dim_t w, prim_dim_t taps_h, prim_dim_t taps_w)
{
    return (conv_shape_t){.nspatial = 2,
            .has_groups = true,
            .mb = 1,
            .g = g,
            .ic = 1,
            .oc = 1,
            .out = {1, h, w},
            .kernel = {1, taps_h, taps_w},
            .stride = {1, 1, 1},
            .dilation = {1, 1, 1}};
}

static void registers_hold_so_many_taps(void **state)
{
    (void)state;
    static const struct {
        prim_dim_t h, w;
        bool fits;
    } kernels[] = {{7, 7, true}, {8, 7, false}, {49, 1, true}, {50, 1, false}, {1, 7, true},
            {1, 8, false}, {12, 4, true}, {13, 4, false}};
    for (size_t i = 0; i < COUNT_OF(kernels); ++i) {
        const conv_shape_t s = depthwise(8, 8, 8, kernels[i].h, kernels[i].w);
        assert_int_equal(prim__ocl_conv_depthwise_sliding_fits(&s), kernels[i].fits);
    }
}

static void more_taps_take_fewer_channels(void **state)
{
    (void)state;
    static const struct {
        prim_dim_t g, h, w;
        int most_vec, vec;
    } rows[] = {{64, 3, 3, 4, 4}, {64, 2, 5, 4, 2}, {64, 5, 5, 4, 2}, {64, 13, 2, 4, 1},
            {62, 3, 3, 4, 2}, {63, 3, 3, 4, 1}, {64, 3, 3, 2, 2}, {64, 3, 3, 1, 1},
            {64, 3, 3, 0, 1}};
    const ocl_device_t device = {.compute_units = 1};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        const conv_shape_t s = depthwise(rows[i].g, 40, 40, rows[i].h, rows[i].w);
        assert_int_equal(
                prim__ocl_conv_depthwise_sliding_plan(&device, &s, rows[i].most_vec, 1).vec,
                rows[i].vec);
    }
}

static void check_tile(const ocl_device_t *device, conv_shape_t s, prim_dim_t stride_h,
        int most_vec, int columns, int th, int tw)
{
    s.stride[CONV_H] = stride_h;
    const ocl_conv_depthwise_sliding_plan_t p =
            prim__ocl_conv_depthwise_sliding_plan(device, &s, most_vec, columns);
    assert_int_equal(p.th, th);
    assert_int_equal(p.tw, tw);
    assert_true(p.nbands * th >= s.out[CONV_H] && (p.nbands - 1) * th < s.out[CONV_H]);
    assert_true(p.ncolumns * tw >= s.out[CONV_W] && (p.ncolumns - 1) * tw < s.out[CONV_W]);
    assert_int_equal(p.nitems, s.mb * (s.g / p.vec) * p.nbands * p.ncolumns);
}

static void tiles_slide_where_items_are_enough(void **state)
{
    (void)state;
    ocl_device_t device = {.compute_units = 132, .clock_mhz = 1980, .nv_capability_major = 9};
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, NULL), PRIM_SUCCESS);
    // 8 outputs of 4 channels for 1024 work-items on each of 132 units, and a column less.
    check_tile(&device, depthwise(4, 1024, 1056, 3, 3), 1, 4, 1, 4, 2);
    check_tile(&device, depthwise(4, 1024, 1055, 3, 3), 1, 4, 1, 2, 2);
    // Rows of dst that make vectors, or not.
    check_tile(&device, depthwise(4, 1024, 1056, 3, 3), 1, 0, 1, 8, 1);
    check_tile(&device, depthwise(4, 1024, 1056, 3, 3), 1, 0, 4, 2, 4);
    check_tile(&device, depthwise(4, 1 << 20, 1, 3, 3), 1, 4, 1, 4, 1);
    // No longer than dst is high.
    check_tile(&device, depthwise(1 << 20, 3, 64, 3, 3), 1, 4, 1, 2, 2);
    check_tile(&device, depthwise(1 << 20, 4, 64, 3, 3), 1, 4, 1, 4, 2);
    // Vectors of channels do not slide by 2; single channels do.
    check_tile(&device, depthwise(1 << 20, 64, 64, 3, 3), 2, 4, 1, 1, 2);
    check_tile(&device, depthwise(1 << 20, 64, 64, 3, 3), 2, 0, 1, 8, 1);
    // More than 25 taps leave registers for two sums.
    check_tile(&device, depthwise(1 << 20, 64, 64, 5, 5), 1, 0, 4, 2, 4);
    check_tile(&device, depthwise(1 << 20, 64, 64, 13, 2), 1, 0, 4, 1, 2);
    prim__ocl_measured_destroy(device.measured);
    // Without a table, eight work-items for each lane.
    device = (ocl_device_t){.compute_units = 1};
    check_tile(&device, depthwise(4, 64, 64, 3, 3), 1, 4, 1, 4, 2);
    check_tile(&device, depthwise(4, 64, 63, 3, 3), 1, 4, 1, 2, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(registers_hold_so_many_taps),
            cmocka_unit_test(more_taps_take_fewer_channels),
            cmocka_unit_test(tiles_slide_where_items_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
