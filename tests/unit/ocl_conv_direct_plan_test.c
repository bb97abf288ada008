// SPDX-License-Identifier: Apache-2.0
// Phases and tiles of ocl:conv:direct and of the gradient by the same kernel.
#include "gpu/ocl/conv/ocl_conv_direct_plan.h"

#include "gpu/ocl/tune/ocl_measured.h"
#include "support/unit_test.h"

// ---- Phases: the pairs of rows that a tap joins, by the formula and by the phases --------------

static conv_shape_t row_of(
        prim_dim_t in, prim_dim_t kernel, prim_dim_t stride, prim_dim_t dilation, prim_dim_t pad)
{
    const prim_dim_t reach = (kernel - 1) * dilation + 1;
    const prim_dim_t out = (in + 2 * pad - reach) / stride + 1;
    return (conv_shape_t){.nspatial = 1,
            .mb = 1,
            .g = 1,
            .ic = 1,
            .oc = 1,
            .in = {1, 1, in},
            .out = {1, 1, out},
            .kernel = {1, 1, kernel},
            .stride = {1, 1, stride},
            .dilation = {1, 1, dilation},
            .pad = {0, 0, pad}};
}

/// Which row of src the kernel reads for tap `tap` of row `to` of dst; −1: none.
static prim_dim_t row_met(const ocl_conv_direct_axis_t *axis, prim_dim_t to, prim_dim_t tap)
{
    const ocl_conv_direct_phase_t *const phase = &axis->phases[to % axis->move];
    const prim_dim_t i = to / axis->move;
    assert_int_equal(phase->at, to % axis->move);
    assert_true(i < phase->n);
    for (prim_dim_t k = 0; k < axis->ntaps; ++k) {
        if (phase->first + k * axis->step != tap) continue;
        const prim_dim_t row = phase->start + i * axis->stride + k * axis->dilation;
        return row >= 0 && row < axis->in ? row : -1;
    }
    return -1;
}

static void check_rows(const conv_shape_t *s)
{
    const ocl_conv_direct_axis_t forward = prim__ocl_conv_direct_forward(s, CONV_W);
    const ocl_conv_direct_axis_t gradient = prim__ocl_conv_direct_gradient(s, CONV_W);
    const prim_dim_t stride = s->stride[CONV_W];
    for (prim_dim_t tap = 0; tap < s->kernel[CONV_W]; ++tap) {
        const prim_dim_t shift = tap * s->dilation[CONV_W] - s->pad[CONV_W];
        for (prim_dim_t out = 0; out < s->out[CONV_W]; ++out) {
            const prim_dim_t in = out * stride + shift;
            assert_int_equal(row_met(&forward, out, tap), in < s->in[CONV_W] && in >= 0 ? in : -1);
        }
        for (prim_dim_t in = 0; in < s->in[CONV_W]; ++in) {
            const prim_dim_t at = in - shift;
            const bool is_met = at >= 0 && at % stride == 0 && at / stride < s->out[CONV_W];
            assert_int_equal(row_met(&gradient, in, tap), is_met ? at / stride : -1);
        }
    }
}

static void phases_join_the_rows_of_the_formula(void **state)
{
    (void)state;
    for (prim_dim_t kernel = 1; kernel <= 7; ++kernel)
        for (prim_dim_t stride = 1; stride <= CONV_DIRECT_PHASES; ++stride)
            for (prim_dim_t dilation = 1; dilation <= 4; ++dilation)
                for (prim_dim_t pad = 0; pad <= 5; ++pad) {
                    const conv_shape_t s = row_of(29, kernel, stride, dilation, pad);
                    check_rows(&s);
                }
}

static void phases_without_rows_are_empty(void **state)
{
    (void)state;
    const conv_shape_t s = row_of(2, 1, 4, 1, 0);
    const ocl_conv_direct_axis_t axis = prim__ocl_conv_direct_gradient(&s, CONV_W);
    const int n[] = {1, 1, 0, 0};
    assert_int_equal(axis.nphases, 4);
    for (int i = 0; i < 4; ++i) assert_int_equal(axis.phases[i].n, n[i]);
}

// ---- Tiles -------------------------------------------------------------------------------------

static ocl_device_t h200(void)
{
    ocl_device_t device = {.compute_units = 132,
            .clock_mhz = 1980,
            .nv_capability_major = 9,
            .local_bytes = 48 << 10,
            .max_group_items = 1024};
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, NULL), PRIM_SUCCESS);
    return device;
}

/// Of f32 planes, or of pixels of f16 if `channels_run`.
static ocl_conv_direct_problem_t problem_of(const conv_shape_t *s, bool channels_run)
{
    return (ocl_conv_direct_problem_t){.mb = s->mb,
            .g = s->g,
            .ic = s->ic,
            .oc = s->oc,
            .h = prim__ocl_conv_direct_forward(s, CONV_H),
            .w = prim__ocl_conv_direct_forward(s, CONV_W),
            .src_bytes = channels_run ? 2 : 4,
            .dst_bytes = channels_run ? 2 : 4,
            .src_pitch = channels_run ? s->g * s->ic : 1,
            .dst_pitch = channels_run ? s->g * s->oc : 1,
            .channels_run = channels_run,
            .most_vec = channels_run && s->ic % 8 == 0 ? 8 : 1};
}

static conv_shape_t square(
        prim_dim_t g, prim_dim_t ic, prim_dim_t oc, prim_dim_t size, prim_dim_t kernel)
{
    return (conv_shape_t){.nspatial = 2,
            .has_groups = g > 1,
            .mb = 8,
            .g = g,
            .ic = ic,
            .oc = oc,
            .in = {1, size, size},
            .out = {1, size, size},
            .kernel = {1, kernel, kernel},
            .stride = {1, 1, 1},
            .dilation = {1, 1, 1},
            .pad = {0, kernel / 2, kernel / 2}};
}

static void tiles_cover_the_problem(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    for (prim_dim_t g = 1; g <= 40; g += 13)
        for (prim_dim_t c = 1; c <= 24; c += c < 8 ? 1 : 8)
            for (prim_dim_t kernel = 1; kernel <= 11; kernel += 2)
                for (int run = 0; run < 2; ++run) {
                    const conv_shape_t s = square(g, c, c, 30, kernel);
                    const ocl_conv_direct_problem_t p = problem_of(&s, run);
                    ocl_conv_direct_plan_t t;
                    if (!prim__ocl_conv_direct_plan(&t, &device, &p)) continue;
                    assert_true(t.th * t.ocb <= 32 && t.ocb * t.nblocks >= c);
                    assert_true(t.th * t.nbands >= 30 && t.th * (t.nbands - 1) < 30);
                    assert_true(t.nparts >= t.nblocks && t.nparts * t.groups >= g * t.nblocks);
                    assert_true(
                            t.ngroups * OCL_CONV_DIRECT_ITEMS >= t.nitems * t.groups * t.nparts);
                    assert_int_equal(t.ncolumns * t.vec, c * kernel);
                    assert_true(t.local_fours * 16 <= 32 << 10);
                    assert_true(t.local_fours * 4 >= c * kernel * kernel * t.ocb * t.groups);
                }
    prim__ocl_measured_destroy(device.measured);
}

static ocl_conv_direct_plan_t plan_of(const conv_shape_t *s, bool channels_run)
{
    ocl_device_t device = h200();
    const ocl_conv_direct_problem_t p = problem_of(s, channels_run);
    ocl_conv_direct_plan_t t;
    assert_true(prim__ocl_conv_direct_plan(&t, &device, &p));
    prim__ocl_measured_destroy(device.measured);
    return t;
}

static void groups_lie_side_by_side_in_nhwc(void **state)
{
    (void)state;
    const conv_shape_t one = square(1, 4, 2, 30, 1), two = square(2, 4, 2, 30, 1);
    const conv_shape_t many = square(40, 1, 1, 30, 1);
    assert_int_equal(plan_of(&one, true).groups, 1);
    assert_int_equal(plan_of(&two, true).groups, 2);
    assert_true(plan_of(&many, true).groups >= 8);
    assert_int_equal(plan_of(&many, false).groups, 1);
}

static void teams_share_deep_windows_of_few_pixels(void **state)
{
    (void)state;
    conv_shape_t few = square(1, 64, 2, 20, 3), many = square(1, 64, 2, 200, 3);
    few.mb = 1;
    many.mb = 64;
    assert_int_equal(plan_of(&few, false).teams, 4);
    assert_int_equal(plan_of(&many, false).teams, 1);
    const conv_shape_t shallow = square(1, 1, 2, 20, 3);
    assert_int_equal(plan_of(&shallow, false).teams, 1);
}

/// What direct convolutions are for, and what matrix products are for.
static void cost_grows_with_channels_that_are_far_apart(void **state)
{
    (void)state;
    const conv_shape_t even = square(1, 32, 4, 100, 3), odd = square(1, 31, 4, 100, 3);
    assert_true(plan_of(&odd, true).cycles > plan_of(&even, true).cycles);
    assert_true(plan_of(&odd, true).cycles > plan_of(&odd, false).cycles);
}

static void columns_and_weights_have_bounds(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    ocl_conv_direct_plan_t t;
    const conv_shape_t tall = square(1, 1, 1, 40, 16), taller = square(1, 1, 1, 40, 17);
    ocl_conv_direct_problem_t p = problem_of(&tall, false);
    assert_true(prim__ocl_conv_direct_plan(&t, &device, &p));
    p = problem_of(&taller, false);
    assert_false(prim__ocl_conv_direct_plan(&t, &device, &p));
    const conv_shape_t deep = square(1, 2048, 1, 8, 1), deeper = square(1, 2049, 1, 8, 1);
    p = problem_of(&deep, false);
    assert_true(prim__ocl_conv_direct_plan(&t, &device, &p));
    p = problem_of(&deeper, false);
    assert_false(prim__ocl_conv_direct_plan(&t, &device, &p));
    prim__ocl_measured_destroy(device.measured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(phases_join_the_rows_of_the_formula),
            cmocka_unit_test(phases_without_rows_are_empty),
            cmocka_unit_test(tiles_cover_the_problem),
            cmocka_unit_test(groups_lie_side_by_side_in_nhwc),
            cmocka_unit_test(teams_share_deep_windows_of_few_pixels),
            cmocka_unit_test(cost_grows_with_channels_that_are_far_apart),
            cmocka_unit_test(columns_and_weights_have_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
