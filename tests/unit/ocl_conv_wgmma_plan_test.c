// SPDX-License-Identifier: Apache-2.0
// Plans of convolutions on matrix units: whatever is chosen covers the problem once and fits.
#include "gpu/ocl/conv/ocl_conv_wgmma_plan.h"

#include "common/impl.h"
#include "gpu/ocl/conv/ocl_conv_mma_split_k_plan.h"
#include "gpu/ocl/conv/ocl_conv_plan.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "support/unit_test.h"

typedef struct {
    const char *name;
    int64_t g, outputs, ntaps, channels;
    int64_t size[3];
    int element_step[2];
    bool may_box, may_gather, is_short;
} case_t;

static const case_t cases[] = {
        {"resnet 3x3", 1, 256, 9, 256, {14, 14, 64}, {1, 1}, true, true, true},
        {"one image", 1, 512, 9, 512, {7, 7, 1}, {1, 1}, true, true, true},
        {"one pixel", 1, 1, 1, 8, {1, 1, 1}, {1, 1}, true, true, true},
        {"row of all pixels", 1, 2048, 1, 512, {3136, 1, 1}, {1, 1}, true, true, false},
        {"large steps", 1, 64, 9, 64, {100, 90, 3}, {8, 7}, true, true, true},
        {"groups", 5, 40, 9, 8, {13, 11, 3}, {2, 2}, false, true, false},
        {"windows", 1, 64, 4, 32, {112, 112, 64}, {1, 1}, true, false, true},
        {"prime sizes", 1, 257, 25, 72, {251, 127, 2}, {1, 1}, true, true, false},
        {"long sums", 1, 64, 121, 1144, {16, 33, 27}, {1, 1}, true, true, true},
};

static ocl_conv_wgmma_product_t product_of(const case_t *c)
{
    ocl_conv_wgmma_product_t p = {.has_unit = true,
            .g = c->g,
            .pixels = c->size[0] * c->size[1] * c->size[2],
            .outputs = c->outputs,
            .ntaps = c->ntaps,
            .channels = c->channels,
            .may_box = c->may_box,
            .may_gather = c->may_gather,
            .dst_bytes = 2,
            .is_short = c->is_short};
    for (int d = 0; d < 3; ++d) p.size[d] = c->size[d];
    for (int d = 0; d < 2; ++d) p.element_step[d] = c->element_step[d];
    return p;
}

static void check_pixels(const ocl_conv_wgmma_plan_t *plan, const ocl_conv_wgmma_product_t *p)
{
    int64_t ntiles = 1, box = 1;
    if (!plan->has_boxes) {
        assert_true(plan->ntiles_m * (int64_t)plan->bm >= p->pixels);
        assert_int_equal(plan->box_tiles[0], plan->ntiles_m);
        return;
    }
    for (int d = 0; d < 3; ++d) {
        const int64_t covered = (int64_t)plan->box[d] * plan->box_tiles[d];
        assert_true(covered >= p->size[d] && covered - plan->box[d] < p->size[d]);
        ntiles *= plan->box_tiles[d];
        box *= plan->box[d];
        if (d < 2) assert_true(plan->box[d] * p->element_step[d] <= 256);
    }
    assert_true(box <= plan->bm);
    assert_int_equal(ntiles, plan->ntiles_m);
}

static void check(const case_t *c, int nunits, uint64_t local_bytes)
{
    const ocl_conv_wgmma_product_t p = product_of(c);
    const ocl_device_t device = {.compute_units = nunits, .max_group_items = 1024};
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    ocl_conv_wgmma_plan_t plan = {0};
    assert_true(prim__ocl_conv_wgmma_plan(&plan, &tune, &device, local_bytes, &p));
    assert_true(plan.has_boxes ? p.may_box : p.may_gather);
    assert_true((uint64_t)plan.stages * 128 * (uint64_t)(plan.bm + plan.bn) < local_bytes);
    check_pixels(&plan, &p);
    assert_true(plan.ntiles_n * (int64_t)plan.bn >= p.outputs);
    assert_int_equal(plan.ntiles, p.g * plan.ntiles_m * plan.ntiles_n);
    assert_true(plan.nslices * (int64_t)OCL_CONV_WGMMA_DEPTH >= p.ntaps * p.channels);
    assert_true(plan.split_slices * plan.nsplits >= plan.nslices);      // all of the depth,
    assert_true(plan.split_slices * (plan.nsplits - 1) < plan.nslices); // and no part is empty
    assert_true(plan.split_slices * OCL_CONV_WGMMA_DEPTH <= OCL_LONGEST_SUM);
    assert_true(plan.ngroups > 0 && plan.ngroups <= (int64_t)plan.ntiles * plan.nsplits);
    const int64_t partials = prim__ocl_conv_wgmma_partials(&plan);
    assert_true(plan.nsplits == 1 ? partials == 0 : partials >= p.g * p.pixels * p.outputs);
}

static void plans_cover_the_problem(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        check(&cases[i], 132, 227 * 1024);
        check(&cases[i], 1, 227 * 1024);
        check(&cases[i], 1000, 100 * 1024);
    }
}

/// Without units: small tiles, by boxes and by rows.
static void plain_c_has_small_tiles(void **state)
{
    (void)state;
    bool has_boxes[2] = {false, false};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ocl_conv_wgmma_product_t p = product_of(&cases[i]);
        const ocl_device_t device = {.compute_units = 2, .max_group_items = 256};
        prim_desc_t pd = {0};
        ocl_tune_t tune = {.pd = &pd};
        ocl_conv_wgmma_plan_t plan = {0};
        p.has_unit = false;
        assert_true(prim__ocl_conv_wgmma_plan(&plan, &tune, &device, 80 * 1024, &p));
        assert_true(plan.bm / 64 * 128 + plan.copiers <= 256 && plan.bn == 64);
        check_pixels(&plan, &p);
        has_boxes[plan.has_boxes] = true;
    }
    assert_true(has_boxes[false] && has_boxes[true]);
}

static void too_little_memory_has_no_plan(void **state)
{
    (void)state;
    const ocl_conv_wgmma_product_t p = product_of(&cases[0]);
    const ocl_device_t device = {.compute_units = 132, .max_group_items = 1024};
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    ocl_conv_wgmma_plan_t plan = {0};
    assert_false(prim__ocl_conv_wgmma_plan(&plan, &tune, &device, 16 * 1024, &p));
}

static void rows_plan_covers(const ocl_conv_rows_product_t *p, int nunits)
{
    const ocl_device_t device = {.compute_units = nunits};
    ocl_conv_rows_plan_t plan = {0};
    assert_true(prim__ocl_conv_few_channels_plan(&plan, &device, p));
    assert_true(plan.row_chunks * 8 >= p->row_elems + (p->has_pairs ? 1 : 0));
    assert_true(plan.row_chunks * 8 < p->row_elems + (p->has_pairs ? 1 : 0) + 8);
    assert_true(plan.nsteps * 16 >= plan.row_chunks * 8 * p->nrows);
    assert_true(plan.nsteps <= OCL_CONV_ROWS_MAX_STEPS);
    const uint64_t raw = (uint64_t)(p->nrows * plan.row_chunks * 16 * OCL_CONV_ROWS_BN);
    assert_true(plan.local_bytes >=
                (uint64_t)plan.nsteps * 32 * OCL_CONV_ROWS_BN + (plan.spreads ? raw : 0));
    assert_true(!plan.spreads || plan.local_bytes <= 48 * 1024);
    assert_true(plan.ntiles * (int64_t)OCL_CONV_ROWS_BM >= p->pixels);
    assert_true(plan.ntiles_n * (int64_t)OCL_CONV_ROWS_BN >= p->outputs);
    // Each block of outputs has as many groups as any other, and none has no tile.
    assert_int_equal(plan.ngroups % plan.ntiles_n, 0);
    assert_true(plan.ngroups > 0 && plan.ngroups <= (int64_t)plan.ntiles * plan.ntiles_n);
}

static void plans_of_rows_cover_the_problem(void **state)
{
    (void)state;
    static const ocl_conv_rows_product_t products[] = {
            {64LL * 112 * 112, 64, 7, 21, true, true, 2, true, 12},
            {1, 1, 1, 1, false, false, 2, true, 12},
            {5000, 130, 11, 33, true, false, 2, true, 12},
            {77, 20000, 32, 8, false, true, 2, true, 12},
            {1 << 20, 65, 1, 511, true, true, 2, true, 12},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        rows_plan_covers(&products[i], 132);
        rows_plan_covers(&products[i], 1);
    }
}

static void windows_too_large_have_no_plan(void **state)
{
    (void)state;
    static const ocl_conv_rows_product_t products[] = {
            {64, 64, 33, 3, true, true, 2, true, 12},
            {64, 64, 1, 512, true, true, 2, true, 12}, // one more element in front
            {64, 64, 22, 22, false, true, 2, true, 12},
            {64, 64, 1, (int64_t)1 << 40, false, true, 2, true, 12},
    };
    const ocl_device_t device = {.compute_units = 132};
    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        ocl_conv_rows_plan_t plan = {0};
        assert_false(prim__ocl_conv_few_channels_plan(&plan, &device, &products[i]));
    }
}

static void check_depth(
        const ocl_conv_depth_product_t *p, int nunits, size_t max_items, uint64_t local_bytes)
{
    const ocl_device_t device = {.compute_units = nunits};
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    ocl_conv_depth_plan_t plan = {0};
    assert_true(prim__ocl_conv_mma_split_k_plan(&plan, &tune, &device, max_items, local_bytes, p));
    assert_true((size_t)plan.warps * 32 <= max_items);
    assert_true((uint64_t)(plan.warps * plan.tm * plan.tn) * 4 < local_bytes);
    assert_true(plan.ntiles_m * (int64_t)plan.tm >= p->pixels);
    assert_true((plan.ntiles_m - 1) * (int64_t)plan.tm < p->pixels);
    assert_true(plan.ntiles_n * (int64_t)plan.tn >= p->outputs);
    assert_true((plan.ntiles_n - 1) * (int64_t)plan.tn < p->outputs);
    assert_true(plan.tm % 16 == 0 && plan.tn % 8 == 0 && plan.batch > 0);
}

static void plans_of_shared_depth_cover_the_problem(void **state)
{
    (void)state;
    static const ocl_conv_depth_product_t products[] = {
            {49, 512, 9, 512, true},
            {1, 1, 1, 32, true},
            {3136, 64, 1, 64, false},
            {1000001, 257, 25, 96, true},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        check_depth(&products[i], 132, 1024, 48 * 1024);
        check_depth(&products[i], 2, 128, 48 * 1024);
        check_depth(&products[i], 132, 256, 20 * 1024);
    }
    const ocl_device_t device = {.compute_units = 132};
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    ocl_conv_depth_plan_t plan = {0};
    assert_false(
            prim__ocl_conv_mma_split_k_plan(&plan, &tune, &device, 64, 48 * 1024, &products[0]));
}

static void check_mma(
        const ocl_conv_mma_product_t *p, int nunits, size_t max_items, uint64_t local_bytes)
{
    const ocl_device_t device = {.compute_units = nunits, .max_group_items = max_items};
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    ocl_conv_mma_plan_t plan = {0};
    assert_true(prim__ocl_conv_mma_plan(&plan, &tune, &device, local_bytes, p));
    assert_true(prim__ocl_conv_mma_items(&plan) <= max_items);
    assert_true((uint64_t)plan.stages * 128 * (uint64_t)(plan.bm + plan.bn) < local_bytes);
    assert_true((uint64_t)(plan.bm * plan.bn) * 4 < local_bytes); // sums in the epilogue
    assert_true(plan.ntiles_m * (int64_t)plan.bm >= p->pixels);
    assert_true((plan.ntiles_m - 1) * (int64_t)plan.bm < p->pixels);
    assert_true(plan.ntiles_n * (int64_t)plan.bn >= p->outputs);
    assert_true((plan.ntiles_n - 1) * (int64_t)plan.bn < p->outputs);
    // Work-items copy whole rows of both operands.
    assert_int_equal(plan.bm * 8 % (int)prim__ocl_conv_mma_items(&plan), 0);
    assert_int_equal(plan.bn * 8 % (int)prim__ocl_conv_mma_items(&plan), 0);
}

static void plans_of_warps_cover_the_problem(void **state)
{
    (void)state;
    static const ocl_conv_mma_product_t products[] = {
            {1, 50176, 128, 18, true, 0},
            {1, 1, 1, 1, true, 0},
            {32, 3136, 4, 5, true, 0},
            {3, 1000001, 257, 38, true, 0},
            {1, 49, 512, 72, false, 0},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        check_mma(&products[i], 132, 1024, 227 * 1024);
        check_mma(&products[i], 84, 1024, 99 * 1024);
        check_mma(&products[i], 2, 128, 48 * 1024);
        check_mma(&products[i], 132, 128, 32 * 1024);
    }
    const ocl_device_t device = {.compute_units = 132, .max_group_items = 64};
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    ocl_conv_mma_plan_t plan = {0};
    assert_false(prim__ocl_conv_mma_plan(&plan, &tune, &device, 48 * 1024, &products[0]));
}

static void splits_cover_the_pixels(void **state)
{
    (void)state;
    // Gradients of weights: OC × columns, slices of pixels.
    static const ocl_conv_mma_product_t products[] = {
            {1, 64, 576, 3136, true, 1024},
            {1, 2048, 512, 49, true, 1024},
            {32, 4, 36, 100000, true, 1024},
            {1, 64, 147, 12544, false, 1024},
            {1, 8, 8, 1, true, 1024},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        const ocl_conv_mma_product_t *const p = &products[i];
        const ocl_device_t device = {.compute_units = 132, .max_group_items = 1024};
        prim_desc_t pd = {0};
        ocl_tune_t tune = {.pd = &pd};
        ocl_conv_mma_plan_t plan = {0};
        check_mma(p, 132, 1024, 227 * 1024);
        check_mma(p, 2, 128, 48 * 1024);
        assert_true(prim__ocl_conv_mma_plan(&plan, &tune, &device, 227 * 1024, p));
        assert_true(plan.bm % 64 == 0 && plan.bn % 64 == 0); // rows of 128 bytes
        assert_true(plan.split_slices >= 1 && plan.split_slices <= p->longest);
        assert_true((int64_t)plan.split_slices * plan.nsplits >= p->nslices);
        assert_true((int64_t)plan.split_slices * (plan.nsplits - 1) < p->nslices);
    }
}

/// What the table of an NVIDIA H200 decides for a 3×3 layer of ResNet-50.
typedef struct {
    int64_t extent, images, channels;
    int wgmma[4];    ///< bm, bn, stages, splits
    int pipeline[3]; ///< bm, bn, splits
    int split_k[3];  ///< tm, tn, batch
    int tiled[3];    ///< bm, bn, stages
} layer_t;

static void check_wgmma(const layer_t *l, const ocl_device_t *device)
{
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    const case_t layer = {"layer", 1, l->channels, 9, l->channels,
            {l->extent, l->extent, l->images}, {1, 1}, true, true, true};
    const ocl_conv_wgmma_product_t product = product_of(&layer);
    ocl_conv_wgmma_plan_t plan = {0};
    assert_true(prim__ocl_conv_wgmma_plan(&plan, &tune, device, 226 * 1024, &product));
    const int is[] = {plan.bm, plan.bn, plan.stages, plan.nsplits};
    assert_memory_equal(is, l->wgmma, sizeof is);
}

static void check_pipeline(const layer_t *l, const ocl_device_t *device)
{
    const ocl_conv_product_t product = {.g = 1,
            .m = l->channels,
            .n = l->extent * l->extent * l->images,
            .ntaps = 9,
            .channels = l->channels,
            .may_split = true,
            .pipeline_bytes = 226 * 1024};
    ocl_conv_plan_t plan = {0};
    assert_true(prim__ocl_conv_plan(&plan, NULL, device, &product));
    const int is[] = {plan.bm, plan.bn, plan.nsplits};
    assert_memory_equal(is, l->pipeline, sizeof is);
}

static void check_split_k(const layer_t *l, const ocl_device_t *device)
{
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    const ocl_conv_depth_product_t product = {
            l->extent * l->extent * l->images, l->channels, 9, l->channels, true};
    ocl_conv_depth_plan_t plan = {0};
    assert_true(prim__ocl_conv_mma_split_k_plan(&plan, &tune, device, 1024, 48 * 1024, &product));
    const int is[] = {plan.tm, plan.tn, plan.batch};
    assert_memory_equal(is, l->split_k, sizeof is);
}

static void check_tiled(const layer_t *l, const ocl_device_t *device)
{
    prim_desc_t pd = {0};
    ocl_tune_t tune = {.pd = &pd};
    const ocl_conv_mma_product_t product = {
            1, l->extent * l->extent * l->images, l->channels, 9 * l->channels / 64, true, 0};
    ocl_conv_mma_plan_t plan = {0};
    assert_true(prim__ocl_conv_mma_plan(&plan, &tune, device, 226 * 1024, &product));
    const int is[] = {plan.bm, plan.bn, plan.stages};
    assert_memory_equal(is, l->tiled, sizeof is);
}

/// The plans with which doc/performance_convolution.md was measured: a number of the table that
/// changes by mistake shows here.
static void an_h200_takes_the_plans_that_were_measured(void **state)
{
    (void)state;
    static const layer_t layers[] = {
            {56, 64, 64, {256, 64, 5, 1}, {64, 128, 1}, {64, 32, 2}, {128, 64, 3}},
            {28, 64, 128, {128, 128, 6, 1}, {64, 128, 1}, {64, 32, 2}, {256, 128, 3}},
            {14, 64, 256, {128, 256, 4, 1}, {64, 128, 1}, {64, 32, 2}, {128, 256, 3}},
            {7, 64, 512, {128, 128, 6, 1}, {128, 64, 2}, {64, 32, 2}, {64, 64, 3}},
            {14, 1, 256, {64, 64, 6, 1}, {64, 64, 8}, {16, 32, 3}, {128, 64, 3}},
            {7, 1, 512, {64, 64, 6, 15}, {64, 64, 16}, {16, 16, 4}, {128, 64, 3}},
    };
    ocl_device_t device = {.compute_units = 132,
            .clock_mhz = 1980,
            .nv_capability_major = 9,
            .max_group_items = 1024,
            .max_group_item_sizes = {1024, 1024, 64}};
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, NULL), PRIM_SUCCESS);
    for (size_t i = 0; i < COUNT_OF(layers); ++i) {
        check_wgmma(&layers[i], &device);
        check_pipeline(&layers[i], &device);
        check_split_k(&layers[i], &device);
        check_tiled(&layers[i], &device);
    }
    prim__ocl_measured_destroy(device.measured);
}

/// A residual that is added takes the tiles from 128 × 256 to narrower ones, which have registers
/// for it.
static void a_residual_takes_narrower_tiles(void **state)
{
    (void)state;
    static const case_t last = {"1x1", 1, 256, 1, 64, {56, 56, 64}, {1, 1}, true, true, true};
    const ocl_device_t device = {.compute_units = 132,
            .nv_capability_major = 9,
            .nv_group_registers = 65536,
            .max_group_items = 1024};
    for (int bytes = 0; bytes <= 2; bytes += 2) {
        prim_desc_t pd = {0};
        ocl_tune_t tune = {.pd = &pd};
        ocl_conv_wgmma_product_t product = product_of(&last);
        product.beside_bytes = bytes;
        ocl_conv_wgmma_plan_t plan = {0};
        assert_true(prim__ocl_conv_wgmma_plan(&plan, &tune, &device, 226 * 1024, &product));
        assert_int_equal(plan.bn > 128, bytes == 0);
        assert_true(bytes == 0 || plan.bm * plan.bn <= 128 * 128);
    }
}

/// Bounds of sharing K among warps: of the table of an H200, and estimated for 100 units.
typedef struct {
    ocl_conv_depth_product_t product;
    bool on_h200, on_unknown;
} bound_t;

static void check_bounds(const ocl_device_t *device, bool is_known)
{
    static const bound_t bounds[] = {
            // K of two blocks at least.
            {{49, 512, 1, 64, true}, true, true},
            {{49, 512, 1, 63, true}, false, false},
            // 2^17 outputs; more than 64 channels of them.
            {{1024, 128, 1, 65, true}, true, false},
            {{1025, 128, 1, 65, true}, false, false},
            {{1600, 64, 1, 65, true}, true, true},
            {{800, 128, 1, 65, true}, true, true},
            {{801, 128, 1, 65, true}, true, false},
            // 2^18 where channels are up to 64, eight times as many where K is as short.
            {{4096, 64, 1, 65, true}, true, false},
            {{4097, 64, 1, 65, true}, false, false},
            {{8192, 128, 1, 64, true}, true, false},
            {{8193, 128, 1, 64, true}, false, false},
            {{4000, 128, 1, 64, true}, true, true},
            // 2^27 products.
            {{1024, 128, 8, 128, true}, true, false},
            {{1024, 128, 8, 129, true}, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(bounds); ++i)
        if (prim__ocl_conv_mma_split_k_pays(device, &bounds[i].product) !=
                (is_known ? bounds[i].on_h200 : bounds[i].on_unknown))
            fail_msg("bound %zu, known %d", i, is_known);
}

static void shared_depth_pays_within_bounds(void **state)
{
    (void)state;
    ocl_device_t device = {.compute_units = 132, .clock_mhz = 1980, .nv_capability_major = 9};
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, NULL), PRIM_SUCCESS);
    check_bounds(&device, true);
    prim__ocl_measured_destroy(device.measured);
    device = (ocl_device_t){.compute_units = 100, .clock_mhz = 1500};
    check_bounds(&device, false);
}

/// Of 3 million indices of K a split has no more than one sum takes.
static void long_sums_are_split(void **state)
{
    (void)state;
    const ocl_device_t device = {.compute_units = 132,
            .clock_mhz = 1980,
            .local_bytes = 48 * 1024,
            .max_group_items = 1024,
            .max_group_item_sizes = {1024, 1024, 64}};
    const int64_t depth = 3 << 20;
    assert_int_equal(prim__ocl_conv_longest(OCL_LONGEST_SUM), 0);
    const ocl_conv_product_t product = {.g = 1,
            .m = 2000,
            .n = 2000,
            .ntaps = 3,
            .channels = depth / 3,
            .may_split = true,
            .longest = prim__ocl_conv_longest(depth)};
    ocl_conv_plan_t plan = {0};
    assert_true(prim__ocl_conv_plan(&plan, NULL, &device, &product));
    assert_true((int64_t)plan.split_slices * plan.bk <= OCL_LONGEST_SUM);
    assert_true((int64_t)plan.split_slices * plan.bk * plan.nsplits >= depth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(plans_cover_the_problem),
            cmocka_unit_test(plain_c_has_small_tiles),
            cmocka_unit_test(too_little_memory_has_no_plan),
            cmocka_unit_test(plans_of_rows_cover_the_problem),
            cmocka_unit_test(windows_too_large_have_no_plan),
            cmocka_unit_test(plans_of_shared_depth_cover_the_problem),
            cmocka_unit_test(plans_of_warps_cover_the_problem),
            cmocka_unit_test(splits_cover_the_pixels),
            cmocka_unit_test(shared_depth_pays_within_bounds),
            cmocka_unit_test(long_sums_are_split),
            cmocka_unit_test(a_residual_takes_narrower_tiles),
            cmocka_unit_test(an_h200_takes_the_plans_that_were_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
