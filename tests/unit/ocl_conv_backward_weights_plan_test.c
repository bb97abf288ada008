// SPDX-License-Identifier: Apache-2.0
// Plans of gradients of a convolution's weights by WGMMA: whatever is chosen covers the problem
// once and fits.
#include "gpu/ocl/conv/ocl_conv_backward_weights_plan.h"
#include "gpu/ocl/conv/ocl_conv_plan.h"

#include "common/impl.h"
#include "support/unit_test.h"

static const ocl_conv_weights_product_t products[] = {
        {1, 256, 256, 9, {14, 14, 64}, {1, 1}, false, true},
        {1, 512, 512, 9, {7, 7, 1}, {1, 1}, false, true},
        {1, 8, 8, 1, {1, 1, 1}, {1, 1}, true, true},
        {1, 2048, 512, 1, {3136, 1, 1}, {1, 1}, true, true},
        {1, 64, 72, 9, {100, 90, 3}, {8, 7}, false, true},
        {5, 40, 104, 9, {13, 11, 3}, {2, 2}, false, true},
        {1, 264, 72, 25, {251, 127, 2}, {1, 1}, false, true},
        {2, 64, 64, 1, {1021, 1, 1}, {1, 1}, true, true},
        {1, 32, 32, 1, {64, 64, 4096}, {1, 1}, false, true},
};

enum { NPRODUCTS = sizeof products / sizeof *products };

static bool has_plan(ocl_conv_weights_plan_t *plan, const ocl_conv_weights_product_t *p, int nunits,
        uint64_t local_bytes)
{
    const ocl_device_t device = {.compute_units = nunits, .max_group_items = 1024};
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    return prim__ocl_conv_weights_plan(plan, &tune, &device, local_bytes, p);
}

static void check_pixels(const ocl_conv_weights_plan_t *plan, const ocl_conv_weights_product_t *p)
{
    int64_t nboxes = 1, box = 1;
    for (int d = 0; d < 3; ++d) {
        const int64_t covered = (int64_t)plan->box[d] * plan->nboxes[d];
        assert_true(covered >= p->size[d] && covered - plan->box[d] < p->size[d]);
        assert_true(plan->box[d] * (d < 2 ? p->element_step[d] : 1) <= 256);
        if (d < 2 && !p->is_plain) assert_int_equal(covered, p->size[d]);
        nboxes *= plan->nboxes[d];
        box *= plan->box[d];
    }
    assert_true(box <= plan->pixels && plan->pixels % 16 == 0);
    assert_true((int64_t)plan->split_boxes * plan->nsplits >= nboxes);      // all of them,
    assert_true((int64_t)plan->split_boxes * (plan->nsplits - 1) < nboxes); // and no part is empty
    assert_true(plan->split_boxes * box <= 65536 || plan->split_boxes == 1);
}

static void check(const ocl_conv_weights_plan_t *plan, const ocl_conv_weights_product_t *p,
        uint64_t local_bytes)
{
    const int64_t rows = (int64_t)plan->groups_m * OCL_CONV_WEIGHTS_BLOCK;
    const int64_t blocks = (p->ic + 63) / 64 * p->ntaps;
    const int64_t columns = (int64_t)plan->groups_n * plan->bn / OCL_CONV_WEIGHTS_BLOCK;
    check_pixels(plan, p);
    assert_true(plan->ntiles_m * rows >= p->oc && (plan->ntiles_m - 1) * rows < p->oc);
    assert_true(plan->ntiles_n * columns >= blocks && (plan->ntiles_n - 1) * columns < blocks);
    assert_true(plan->stages >= 2);
    assert_true((uint64_t)plan->stages * (uint64_t)plan->pixels * 128 *
                        (uint64_t)(plan->groups_m + columns) <
                local_bytes);
    assert_int_equal(
            prim__ocl_conv_weights_items(plan), plan->groups_m * plan->groups_n * 128 + 32);
}

static void plans_cover_the_problem(void **state)
{
    (void)state;
    static const struct {
        int nunits;
        uint64_t local_bytes;
    } devices[] = {{132, 227 * 1024}, {1, 227 * 1024}, {1000, 100 * 1024}};
    for (int i = 0; i < NPRODUCTS; ++i) {
        for (int d = 0; d < 3; ++d) {
            ocl_conv_weights_plan_t plan = {0};
            assert_true(has_plan(&plan, &products[i], devices[d].nunits, devices[d].local_bytes));
            check(&plan, &products[i], devices[d].local_bytes);
        }
    }
}

static void plain_c_has_small_tiles(void **state)
{
    (void)state;
    for (int i = 0; i < NPRODUCTS; ++i) {
        ocl_conv_weights_product_t p = products[i];
        ocl_conv_weights_plan_t plan = {0};
        p.has_unit = false;
        assert_true(has_plan(&plan, &p, 2, 80 * 1024));
        assert_true(plan.bn == 64 && plan.groups_m <= 2 && plan.groups_n <= 2);
        assert_true(plan.pixels == 32 && plan.stages == 2);
        check(&plan, &p, 80 * 1024);
    }
}

/// Few tiles and many pixels: the pixels fill the device.
static void few_tiles_are_split(void **state)
{
    (void)state;
    const ocl_conv_weights_product_t p = {1, 64, 64, 1, {200704, 1, 1}, {1, 1}, true, true};
    ocl_conv_weights_plan_t plan = {0};
    assert_true(has_plan(&plan, &p, 132, 227 * 1024));
    assert_true(plan.nsplits * plan.ntiles_m * plan.ntiles_n >= 66);
}

static void too_little_memory_has_no_plan(void **state)
{
    (void)state;
    ocl_conv_weights_plan_t plan = {0};
    assert_false(has_plan(&plan, &products[0], 132, 10 * 1024));
}

/// Starts of kernels take as long, however slow the products are.
static void products_alone_are_slowed(void **state)
{
    (void)state;
    const ocl_device_t device = {.compute_units = 132, .clock_mhz = 2000, .local_bytes = 48 << 10};
    ocl_conv_plan_t plan = {.nsplits = 1, .cycles = 10000};
    assert_true(prim__ocl_conv_plan_slowed(&device, &plan, 1) == 10000);
    assert_true(prim__ocl_conv_plan_slowed(&device, &plan, 3) == 7000 + 3 * 3000); // 3.5 us
    plan.nsplits = 2;
    plan.cycles = 20000;
    assert_true(prim__ocl_conv_plan_slowed(&device, &plan, 3) == 16000 + 3 * 4000); // and 4.5
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(plans_cover_the_problem),
            cmocka_unit_test(plain_c_has_small_tiles),
            cmocka_unit_test(few_tiles_are_split),
            cmocka_unit_test(too_little_memory_has_no_plan),
            cmocka_unit_test(products_alone_are_slowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
