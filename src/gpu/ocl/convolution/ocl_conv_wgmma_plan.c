// SPDX-License-Identifier: Apache-2.0
// The cost model: a few tiles, a few splits, two ways to copy, the cheapest of them.
#include "ocl_conv_wgmma_plan.h"

typedef struct {
    int bm, bn, stages;
    int unit_groups; ///< that a compute unit holds at a time
    bool has_boxes;
} tile_t;

static const tile_t tiles[] = {
        {128, 256, 4, 1, true},
        {256, 128, 4, 1, true},
        {128, 128, 6, 1, true},
        {192, 128, 5, 1, true},
        {256, 64, 5, 1, true},
        {128, 64, 4, 2, true},
        {64, 256, 5, 1, true},
        {64, 128, 4, 2, true},
        {64, 64, 6, 2, true},
        {64, 64, 12, 1, true},
        {128, 128, 6, 1, false},
        {128, 64, 8, 1, false},
        {64, 128, 4, 2, false},
        {64, 64, 6, 2, false},
};

enum { NTILES = sizeof tiles / sizeof *tiles, MIN_STAGES = 2 };

// Of a compute unit of 9.0: products in a cycle; bytes in a cycle from local memory, and from the
// cache of the device; cycles that a slice takes at least; that items take for a row they gather.
static const double unit_products = 2048, local_rate = 115, cache_rate = 50, slice_least = 180;
static const double gather_row = 5;
// Until the first slice is there, by gathering and by maps; between the last slice and the first
// store; of a second kernel.
static const double start_cycles = 3500, maps_cycles = 2500, end_cycles = 500, sum_cycles = 12000;
static const double store_rate = 24; ///< bytes in a cycle of a unit

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int copiers_of(const tile_t *t)
{
    return t->has_boxes ? 32 : 128;
}

static uint64_t local_bytes_of(const tile_t *t, bool is_short)
{
    const int own = is_short ? 0 : 272 * t->bm, copy = t->has_boxes ? 256 : 16 * t->bm;
    return (uint64_t)(t->stages * 128 * (t->bm + t->bn) + 1024 + copy + own);
}

/// The box of at most bm pixels that covers dst with the fewest; of those, the one with the fewest
/// neighbours.
static void choose_box(ocl_conv_wgmma_plan_t *plan, const ocl_conv_wgmma_product_t *p)
{
    int64_t best_tiles = 0, best_edge = 0;
    for (int64_t w = 1; w <= plan->bm && w <= p->size[0] && w * p->element_step[0] <= 256; ++w) {
        for (int64_t h = 1; w * h <= plan->bm && h <= p->size[1] && h * p->element_step[1] <= 256;
                ++h) {
            const int64_t room = plan->bm / (w * h), n = room < p->size[2] ? room : p->size[2];
            const int64_t box[3] = {w, h, n}, edge = (w + 1) * (h + 1) * n;
            int64_t ntiles = 1;
            for (int d = 0; d < 3; ++d) ntiles *= ceil_div(p->size[d], box[d]);
            if (best_tiles > 0 &&
                    (ntiles > best_tiles || (ntiles == best_tiles && edge >= best_edge)))
                continue;
            best_tiles = ntiles;
            best_edge = edge;
            for (int d = 0; d < 3; ++d) {
                plan->box[d] = (int32_t)box[d];
                plan->box_tiles[d] = (int32_t)ceil_div(p->size[d], box[d]);
            }
        }
    }
    plan->ntiles_m = (int32_t)best_tiles;
}

static ocl_conv_wgmma_plan_t cut(const tile_t *t, const ocl_conv_wgmma_product_t *p)
{
    ocl_conv_wgmma_plan_t plan = {.bm = t->bm,
            .bn = t->bn,
            .stages = t->stages,
            .copiers = copiers_of(t),
            .has_boxes = t->has_boxes};
    plan.slices_c = (int32_t)ceil_div(p->channels, OCL_CONV_WGMMA_DEPTH);
    if (t->has_boxes) {
        choose_box(&plan, p);
        plan.nslices = (int32_t)p->ntaps * plan.slices_c;
    } else {
        plan.ntiles_m = (int32_t)ceil_div(p->pixels, t->bm);
        for (int d = 0; d < 3; ++d) plan.box_tiles[d] = d == 0 ? plan.ntiles_m : 1;
        plan.nslices = (int32_t)ceil_div(p->ntaps * p->channels, OCL_CONV_WGMMA_DEPTH);
    }
    plan.ntiles_n = (int32_t)ceil_div(p->outputs, t->bn);
    plan.ntiles = (int32_t)(p->g * plan.ntiles_m * plan.ntiles_n);
    return plan;
}

static double slice_cycles(const tile_t *t)
{
    const double bytes = 128. * (t->bm + t->bn);
    const double local = bytes + 4. * t->bm / 64 * (2048 + 32 * t->bn);
    const double costs[] = {(double)t->bm * t->bn * OCL_CONV_WGMMA_DEPTH / unit_products,
            local / local_rate, bytes / cache_rate,
            t->has_boxes ? 0 : gather_row * (t->bm + t->bn)};
    double most = 0;
    for (int i = 0; i < 4; ++i) most = costs[i] > most ? costs[i] : most;
    return most;
}

static void estimate(
        ocl_conv_wgmma_plan_t *plan, const tile_t *t, const ocl_conv_wgmma_product_t *p, int nunits)
{
    const int64_t nworks = (int64_t)plan->ntiles * plan->nsplits;
    const int64_t room = (int64_t)nunits * t->unit_groups;
    const int64_t rounds = ceil_div(nworks, room); // of a group
    const double together = (double)(nworks < room ? ceil_div(nworks, nunits) : t->unit_groups);
    const double alone = slice_cycles(t) > slice_least ? slice_cycles(t) : slice_least;
    const double slice = slice_cycles(t) * together > alone ? slice_cycles(t) * together : alone;
    const int bytes = plan->nsplits > 1 ? 4 : p->dst_bytes;
    const double store = (double)t->bm * t->bn * bytes / store_rate * together;
    plan->ngroups = (int32_t)(nworks < room ? nworks : room);
    plan->cycles = start_cycles + (t->has_boxes ? maps_cycles : 0) +
                   (double)rounds * (plan->split_slices * slice + end_cycles + store);
    if (plan->nsplits > 1)
        plan->cycles +=
                sum_cycles + (double)t->bm * t->bn * 4 * (double)nworks / nunits / store_rate;
}

static bool offer(ocl_tune_t *tune, const ocl_conv_wgmma_plan_t *plan)
{
    const ocl_tune_params_t params = {
            {plan->bm, plan->bn, plan->stages, plan->has_boxes, plan->nsplits}};
    return prim__ocl_tune_offer(tune, plan->cycles, params);
}

bool prim__ocl_conv_wgmma_plan(ocl_conv_wgmma_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, uint64_t local_bytes, const ocl_conv_wgmma_product_t *product)
{
    static const int splits[] = {1, 2, 3, 4, 6, 8, 12, 16};
    const int nunits = device->compute_units > 0 ? device->compute_units : 1;
    for (int i = 0; i < NTILES; ++i) {
        tile_t t = tiles[i];
        if (t.has_boxes ? !product->may_box : !product->may_gather) continue;
        while (t.stages > MIN_STAGES && local_bytes_of(&t, product->is_short) > local_bytes)
            --t.stages;
        if (local_bytes_of(&t, product->is_short) > local_bytes) continue;
        ocl_conv_wgmma_plan_t candidate = cut(&t, product);
        for (size_t s = 0; s < sizeof splits / sizeof *splits; ++s) {
            if (splits[s] > candidate.nslices) break;
            candidate.split_slices = (int32_t)ceil_div(candidate.nslices, splits[s]);
            candidate.nsplits = (int32_t)ceil_div(candidate.nslices, candidate.split_slices);
            estimate(&candidate, &t, product, nunits);
            if (offer(tune, &candidate)) *plan = candidate;
        }
    }
    return prim__ocl_tune_has_choice(tune);
}

int64_t prim__ocl_conv_wgmma_partials(const ocl_conv_wgmma_plan_t *plan)
{
    return plan->nsplits > 1 ? (int64_t)plan->nsplits * plan->ntiles * plan->bm * plan->bn : 0;
}
