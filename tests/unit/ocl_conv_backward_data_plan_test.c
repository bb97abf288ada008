// SPDX-License-Identifier: Apache-2.0
// Plans of a convolution's gradients by src: tiles cover the problem and fit, and every rule of
// the choice between implementations is met on both sides of its boundary.
#include "gpu/ocl/conv/ocl_conv_backward_data_depthwise_plan.h"
#include "gpu/ocl/conv/ocl_conv_backward_data_few_channels_plan.h"
#include "gpu/ocl/conv/ocl_conv_backward_data_phases_plan.h"
#include "gpu/ocl/conv/ocl_conv_winograd.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "support/unit_test.h"

/// A square problem of one group.
static conv_shape_t square(
        prim_dim_t mb, prim_dim_t ic, prim_dim_t in, prim_dim_t oc, prim_dim_t kernel)
{
    conv_shape_t s = {.nspatial = 2, .mb = mb, .g = 1, .ic = ic, .oc = oc};
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        const bool is_open = d != CONV_D;
        s.in[d] = is_open ? in : 1;
        s.kernel[d] = is_open ? kernel : 1;
        s.stride[d] = s.dilation[d] = 1;
        s.pad[d] = is_open ? kernel / 2 : 0;
    }
    return s;
}

static conv_shape_t with_strides(conv_shape_t s, prim_dim_t h, prim_dim_t w)
{
    s.stride[CONV_H] = h;
    s.stride[CONV_W] = w;
    for (int d = 0; d < CONV_NSPATIAL; ++d)
        s.out[d] = (s.in[d] + 2 * s.pad[d] - s.kernel[d]) / s.stride[d] + 1;
    return s;
}

static conv_shape_t with_kernel(conv_shape_t s, prim_dim_t h, prim_dim_t w)
{
    s.kernel[CONV_H] = h;
    s.kernel[CONV_W] = w;
    return s;
}

static ocl_device_t h200(void)
{
    ocl_device_t device = {.compute_units = 132,
            .clock_mhz = 1980,
            .nv_capability_major = 9,
            .local_bytes = 48 << 10,
            .max_group_items = 1024,
            .max_group_item_sizes = {1024, 1024, 64}};
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, NULL), PRIM_SUCCESS);
    return device;
}

// ---- backward_data_few_channels ----------------------------------------------------------------

static ocl_conv_few_src_plan_t few_channels(
        const ocl_device_t *device, const conv_shape_t *s, int vec)
{
    ocl_conv_few_src_plan_t plan;
    assert_true(prim__ocl_conv_few_src_plan(&plan, device, s, vec));
    assert_int_equal(plan.lx * plan.ly, OCL_CONV_FEW_SRC_ITEMS);
    const prim_dim_t rows = (s->in[CONV_H] + s->stride[CONV_H] - 1) / s->stride[CONV_H];
    const prim_dim_t columns = (s->in[CONV_W] + s->stride[CONV_W] - 1) / s->stride[CONV_W];
    const prim_dim_t tile_rows = (prim_dim_t)plan.ly * plan.bh;
    assert_true(plan.tiles_h * tile_rows >= rows && (plan.tiles_h - 1) * tile_rows < rows);
    assert_true(plan.tiles_w * plan.lx >= columns && (plan.tiles_w - 1) * plan.lx < columns);
    assert_int_equal(plan.ngroups, s->mb * plan.tiles_h * plan.tiles_w);
    assert_true(plan.depth >= vec && plan.depth <= OCL_CONV_FEW_SRC_MOST_DEPTH);
    assert_true(plan.bh == 1 ||
                prim__ocl_conv_few_src_block_sums(s) * plan.bh <= OCL_CONV_FEW_SRC_MOST_SUMS);
    assert_true(plan.cycles > 0);
    return plan;
}

static void few_channels_cover_the_problem(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    static const prim_dim_t sizes[] = {1, 2, 7, 8, 9, 63, 64, 65, 224, 1001};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
        for (prim_dim_t stride = 1; stride <= 4; ++stride)
            for (prim_dim_t kernel = 1; kernel <= 11; kernel += 2) {
                const conv_shape_t s =
                        with_strides(square(3, 6, sizes[i], 40, kernel), stride, 5 - stride);
                (void)few_channels(&device, &s, 1);
                (void)few_channels(&device, &s, 4);
            }
    prim__ocl_measured_destroy(device.measured);
}

/// 1280 products of a channel are unrolled: 20 taps of 8 channels in 8 blocks, 21 in fewer.
static void few_channels_unroll_so_much(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    const conv_shape_t s = square(64, 8, 512, 64, 3);
    const conv_shape_t most = with_kernel(s, 4, 5), more = with_kernel(s, 3, 7);
    assert_int_equal(few_channels(&device, &most, 1).bh, 8);
    assert_true(few_channels(&device, &more, 1).bh < 8);
    // 96 sums in 8 blocks of 12, and 6 of 16.
    const conv_shape_t two = with_strides(square(64, 3, 512, 64, 3), 2, 2),
                       four = with_strides(square(64, 4, 512, 64, 3), 2, 2);
    assert_int_equal(few_channels(&device, &two, 1).bh, 8);
    assert_int_equal(few_channels(&device, &four, 1).bh, 6);
    prim__ocl_measured_destroy(device.measured);
}

/// A channel of the smallest tile takes 1284 bytes.
static void few_channels_fit_local_memory(void **state)
{
    (void)state;
    const conv_shape_t s = square(1, 3, 8, 16, 3);
    ocl_device_t device = {.compute_units = 10, .local_bytes = 8 * 1284};
    ocl_conv_few_src_plan_t plan;
    assert_int_equal(few_channels(&device, &s, 8).depth, 8);
    device.local_bytes = 8 * 1284 - 1;
    assert_false(prim__ocl_conv_few_src_plan(&plan, &device, &s, 8));
    assert_int_equal(few_channels(&device, &s, 4).depth, 4);
    device.local_bytes = 1284;
    assert_int_equal(few_channels(&device, &s, 1).depth, 1);
    device.local_bytes = 1283;
    assert_false(prim__ocl_conv_few_src_plan(&plan, &device, &s, 1));
}

/// An image is a work-group here: as many as compute units have at a time cost as much as one, and
/// one more costs twice as much.
static void check_round(const ocl_device_t *device, prim_dim_t nimages)
{
    const conv_shape_t one = square(1, 3, 8, 16, 3), all = square(nimages, 3, 8, 16, 3),
                       more = square(nimages + 1, 3, 8, 16, 3);
    const double cycles = few_channels(device, &one, 1).cycles;
    assert_true(few_channels(device, &all, 1).cycles == cycles);
    assert_true(few_channels(device, &more, 1).cycles == 2 * cycles);
}

static void few_channels_run_in_rounds(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    check_round(&device, 7 * 132); // of the table
    prim__ocl_measured_destroy(device.measured);
    // Of a device that nobody measured: what local memory holds, of groups of 15072 bytes.
    device = (ocl_device_t){.compute_units = 10, .local_bytes = 4 * 15072};
    check_round(&device, 4 * 10);
    device.local_bytes = 4 * 15072 - 1;
    check_round(&device, 3 * 10);
    device.local_bytes = 4 << 20;
    check_round(&device, 8 * 10);
}

/// More channels of diff_dst are more chunks, one after the other, while a matrix product splits
/// them. 16 of them are cheaper here, 24 are not.
static void few_channels_give_way_to_products(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    const uint64_t local = 226 << 10;
    const conv_shape_t few = square(1, 8, 28, 16, 3), many = square(1, 8, 28, 24, 3);
    assert_true(few_channels(&device, &few, 8).cycles <=
                prim__ocl_conv_few_src_wgmma_cycles(&device, &few, local, 2));
    assert_true(few_channels(&device, &many, 8).cycles >
                prim__ocl_conv_few_src_wgmma_cycles(&device, &many, local, 2));
    assert_true(few_channels(&device, &few, 1).cycles <=
                prim__ocl_conv_few_src_phases_cycles(&device, &few, local));
    assert_true(few_channels(&device, &many, 1).cycles >
                prim__ocl_conv_few_src_phases_cycles(&device, &many, local));
    // The first layer of ResNet-50, which was measured: most rows of a product are empty.
    const conv_shape_t first = with_strides(square(64, 3, 224, 64, 7), 2, 2);
    assert_true(few_channels(&device, &first, 4).cycles <
                prim__ocl_conv_few_src_wgmma_cycles(&device, &first, local, 2));
    assert_true(few_channels(&device, &first, 1).cycles <
                prim__ocl_conv_few_src_phases_cycles(&device, &first, local));
    prim__ocl_measured_destroy(device.measured);
    // Without a matrix product that fits there is no choice.
    device = (ocl_device_t){.compute_units = 10, .local_bytes = 1 << 10};
    assert_true(prim__ocl_conv_few_src_phases_cycles(&device, &few, 0) > 1e300);
    assert_true(prim__ocl_conv_few_src_wgmma_cycles(&device, &few, 1 << 10, 2) > 1e300);
}

// ---- backward_data_phases ----------------------------------------------------------------------

static void phases_are_counted(void **state)
{
    (void)state;
    const conv_shape_t pointwise = with_strides(square(2, 3, 5, 7, 1), 2, 2);
    ocl_conv_phases_t p = prim__ocl_conv_phases(&pointwise);
    assert_int_equal(p.nphases, 4);
    assert_int_equal(p.nmeeting, 1);
    assert_int_equal(p.ntaps, 1);
    assert_int_equal(p.most_taps, 1);
    assert_int_equal(p.most_pixels, 2 * 9);
    assert_int_equal(p.nempty, 2 * (25 - 9) * 3);
    const conv_shape_t cubic = with_strides(square(2, 3, 6, 7, 3), 2, 2);
    p = prim__ocl_conv_phases(&cubic);
    assert_int_equal(p.nmeeting, 4);
    assert_int_equal(p.ntaps, 9);
    assert_int_equal(p.most_taps, 4);
    assert_int_equal(p.most_pixels, 2 * 9);
    assert_int_equal(p.nempty, 0);
    const conv_shape_t dense = with_strides(square(2, 3, 6, 7, 5), 1, 1);
    p = prim__ocl_conv_phases(&dense);
    assert_int_equal(p.nphases, 1);
    assert_int_equal(p.ntaps, 25);
    assert_int_equal(p.nempty, 0);
}

/// Bytes of a diff_src that take as long to clear as `nempty` elements one by one on an H200: three
/// cycles each beside 15 bytes in a cycle and two launches of 8800 cycles.
static double bytes_as_long(int64_t nempty)
{
    return 15 * (3. * (double)nempty - 132 * 2 * 8800.);
}

static void many_empty_elements_are_cleared(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    const int64_t nempty = 2000000;
    ocl_conv_empty_cycles_t c =
            prim__ocl_conv_empty_cycles(&device, nempty, bytes_as_long(nempty) + 100);
    assert_true(c.one_by_one < c.cleared);
    c = prim__ocl_conv_empty_cycles(&device, nempty, bytes_as_long(nempty) - 100);
    assert_true(c.one_by_one > c.cleared);
    // Pointwise layers of stride 2 in ResNet-50, 64 images: cleared was measured three times as
    // fast. Strides of 1 leave nothing to clear.
    const conv_shape_t strided = with_strides(square(64, 256, 56, 512, 1), 2, 2);
    const conv_shape_t dense = with_strides(square(64, 256, 56, 512, 1), 1, 1);
    const double bytes = 64. * 256 * 56 * 56 * 4;
    c = prim__ocl_conv_empty_cycles(&device, prim__ocl_conv_phases(&strided).nempty, bytes);
    assert_true(c.one_by_one > c.cleared);
    c = prim__ocl_conv_empty_cycles(&device, prim__ocl_conv_phases(&dense).nempty, bytes);
    assert_true(c.one_by_one == 0 && c.cleared > 0);
    prim__ocl_measured_destroy(device.measured);
    // A device that nobody measured has an estimate of both.
    device.measured = NULL;
    device.nv_capability_major = 8;
    c = prim__ocl_conv_empty_cycles(&device, 132000000, 4);
    assert_true(c.one_by_one > c.cleared && c.cleared > 0);
}

/// Where strides of 1 are left to the implementation that nests Winograd's algorithm.
static void winograd_takes_3x3_of_stride_1(void **state)
{
    (void)state;
    const conv_shape_t is = square(2, 64, 14, 64, 3);
    assert_true(prim__ocl_winograd_suits(&is));
    conv_shape_t no[] = {with_strides(is, 2, 1), with_strides(is, 1, 2), with_kernel(is, 3, 2),
            with_kernel(is, 5, 3), is, is, is, is};
    no[4].dilation[CONV_W] = 2;
    no[5].g = 2;
    no[6].has_groups = true;
    no[7].nspatial = 3;
    for (size_t i = 0; i < COUNT_OF(no); ++i) assert_false(prim__ocl_winograd_suits(&no[i]));
}

// ---- backward_data_depthwise -------------------------------------------------------------------

static conv_shape_t depthwise(prim_dim_t g, prim_dim_t h, prim_dim_t w, prim_dim_t kernel)
{
    conv_shape_t s = square(1, 1, h, 1, kernel);
    s.g = g;
    s.has_groups = true;
    s.in[CONV_W] = w;
    return s;
}

static void registers_hold_so_many_taps(void **state)
{
    (void)state;
    static const struct {
        prim_dim_t h, w;
        bool fits;
    } kernels[] = {{7, 7, true}, {5, 10, false}, {10, 5, false}, {49, 1, true}, {50, 1, false},
            {1, 11, true}, {4, 11, true}, {4, 12, false}, {1, 12, false}};
    for (size_t i = 0; i < COUNT_OF(kernels); ++i) {
        const conv_shape_t s = with_kernel(depthwise(8, 8, 8, 1), kernels[i].h, kernels[i].w);
        assert_int_equal(prim__ocl_conv_backward_data_depthwise_fits(&s), kernels[i].fits);
    }
}

static void check_vector(prim_dim_t g, prim_dim_t h, prim_dim_t w, int most_vec, int vec)
{
    const ocl_device_t device = {.compute_units = 1};
    const conv_shape_t s = with_kernel(depthwise(g, 40, 40, 1), h, w);
    assert_int_equal(prim__ocl_conv_backward_data_depthwise_plan(&device, &s, most_vec).vec, vec);
}

static void more_taps_take_fewer_channels(void **state)
{
    (void)state;
    check_vector(64, 3, 3, 4, 4);
    check_vector(64, 2, 5, 4, 2);
    check_vector(64, 5, 5, 4, 2);
    check_vector(64, 2, 13, 4, 1);
    check_vector(62, 3, 3, 4, 2);
    check_vector(63, 3, 3, 4, 1);
    check_vector(64, 3, 3, 2, 2);
    check_vector(64, 3, 3, 1, 1);
    check_vector(64, 3, 3, 0, 1);
}

typedef struct {
    conv_shape_t shape;
    int most_vec, th, tw;
} slide_t;

static void check_slides(const ocl_device_t *device, const slide_t *slides, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const conv_shape_t *const s = &slides[i].shape;
        const ocl_conv_backward_data_depthwise_plan_t p =
                prim__ocl_conv_backward_data_depthwise_plan(device, s, slides[i].most_vec);
        assert_int_equal(p.th, slides[i].th);
        assert_int_equal(p.tw, slides[i].tw);
        const prim_dim_t rows = s->in[CONV_H] + s->pad[CONV_H] % s->stride[CONV_H];
        const prim_dim_t columns = s->in[CONV_W] + s->pad[CONV_W] % s->stride[CONV_W];
        assert_true(p.nbands * p.th >= rows && (p.nbands - 1) * p.th < rows);
        assert_true(p.ncolumns * p.tw >= columns && (p.ncolumns - 1) * p.tw < columns);
        assert_int_equal(p.nitems, s->mb * (s->g / p.vec) * p.nbands * p.ncolumns);
    }
}

static void tiles_slide_where_items_are_enough(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    const conv_shape_t many = depthwise(4, 1024, 1056, 3), fewer = depthwise(4, 1024, 1055, 3);
    const slide_t slides[] = {
            // 8 elements of 4 channels: 1024 work-items on each of 132 units, and one column less.
            {many, 4, 4, 2},
            {fewer, 4, 2, 2},
            // Rows of diff_src that no vector holds; strides are the width of a tile.
            {many, 0, 8, 1},
            {with_strides(many, 1, 2), 4, 4, 2},
            {with_strides(many, 2, 2), 4, 4, 2},
            {with_strides(many, 4, 3), 0, 4, 3},
            {depthwise(4, 1024, 1, 3), 4, 1, 1},
            // No longer than diff_src is high.
            {depthwise(1 << 20, 3, 64, 3), 4, 2, 2},
            {depthwise(1 << 20, 4, 64, 3), 4, 4, 2},
            // Weights of more than 25 taps leave registers for two elements.
            {with_kernel(depthwise(1 << 20, 64, 64, 5), 5, 5), 0, 8, 1},
            {with_kernel(depthwise(1 << 20, 64, 64, 5), 2, 13), 0, 2, 1},
    };
    check_slides(&device, slides, COUNT_OF(slides));
    prim__ocl_measured_destroy(device.measured);
    // Without a table, eight for each lane: 512 of these, a tenth of them in four slides.
    device = (ocl_device_t){.compute_units = 1};
    const slide_t estimated[] = {
            {depthwise(4, 64, 64, 3), 4, 4, 2},
            {depthwise(4, 64, 63, 3), 4, 2, 2},
    };
    check_slides(&device, estimated, COUNT_OF(estimated));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(few_channels_cover_the_problem),
            cmocka_unit_test(few_channels_unroll_so_much),
            cmocka_unit_test(few_channels_fit_local_memory),
            cmocka_unit_test(few_channels_run_in_rounds),
            cmocka_unit_test(few_channels_give_way_to_products),
            cmocka_unit_test(phases_are_counted),
            cmocka_unit_test(many_empty_elements_are_cleared),
            cmocka_unit_test(winograd_takes_3x3_of_stride_1),
            cmocka_unit_test(registers_hold_so_many_taps),
            cmocka_unit_test(more_taps_take_fewer_channels),
            cmocka_unit_test(tiles_slide_where_items_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
