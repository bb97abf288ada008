// SPDX-License-Identifier: Apache-2.0
// The cost model: a few tiles, boxes that divide images, a few numbers of splits, the cheapest of
// them.
#include "ocl_conv_backward_weights_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_plan.h"

enum {
    BLOCK = OCL_CONV_WEIGHTS_BLOCK,
    COPIERS = 32,
    MIN_STAGES = 3,
    MAX_STAGES = 8,
    PLAIN_STAGES = 2
};
enum { PIXELS_STEP = 16, MAX_PIXELS = 128, MAX_BOX = 256, PLAIN_PIXELS = 32 };
enum { FIXED_BYTES = 4096 }; ///< of a group, beside its stages

typedef struct {
    int groups_m, groups_n, bn;
    int unit_groups; ///< that a compute unit holds at a time
} tile_t;

static const tile_t tiles[] = {
        // clang-format off
        {2, 1, 256, 1}, {2, 1, 192, 1}, {2, 1, 128, 1}, {2, 1, 128, 2}, {4, 1, 128, 1},
        {1, 3, 192, 1}, {1, 2, 192, 1}, {1, 1, 256, 2}, {1, 1, 192, 2}, {1, 1, 128, 2},
        {1, 1, 64, 2}, {2, 1, 64, 2}, {4, 1, 64, 1}, {1, 2, 64, 2}, {2, 2, 64, 1},
        // clang-format on
};

enum { NTILES = sizeof tiles / sizeof *tiles };

/// Of a compute unit: products in a cycle; bytes in a cycle from the cache of the device and of
/// stores; cycles until a copy has arrived; until the first slice is there; of a second kernel;
/// until the groups of a tile have seen that all splits are stored.
typedef struct {
    double products, cache_bytes, store_bytes, latency, slice, start, sum, team;
} costs_t;

static costs_t costs_of(const ocl_device_t *device)
{
    const double lanes = prim__ocl_estimate_lanes(device);
    return (costs_t){
            .products = prim__ocl_measured(device, MEASURED_CONV_WGMMA_PRODUCTS, 16 * lanes),
            .cache_bytes = prim__ocl_measured(
                    device, MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_CACHE_BYTES, 0.3 * lanes),
            .store_bytes = prim__ocl_measured(device, MEASURED_CONV_WGMMA_STORE_BYTES, 0.2 * lanes),
            .latency = prim__ocl_measured(device, MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_COPY_CYCLES,
                    prim__ocl_estimate_cycles(device, 0.6)),
            .slice = prim__ocl_measured(
                    device, MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_SLICE_CYCLES, 60),
            .start = prim__ocl_measured(device, MEASURED_CONV_WGMMA_START_CYCLES,
                             prim__ocl_estimate_cycles(device, 1.8)) +
                     prim__ocl_measured(device, MEASURED_CONV_WGMMA_TENSOR_MAP_CYCLES,
                             prim__ocl_estimate_cycles(device, 1.3)),
            .sum = prim__ocl_measured(device, MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_SUM_CYCLES,
                    prim__ocl_estimate_cycles(device, 6)),
            .team = prim__ocl_measured(device, MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_TEAM_CYCLES,
                    prim__ocl_estimate_cycles(device, 2)),
    };
}

static size_t items_of(const tile_t *t)
{
    return (size_t)(t->groups_m * t->groups_n * 128 + COPIERS);
}

size_t prim__ocl_conv_weights_items(const ocl_conv_weights_plan_t *plan)
{
    return (size_t)(plan->groups_m * plan->groups_n * 128 + COPIERS);
}

static int columns_of(const tile_t *t)
{
    return t->groups_n * t->bn;
}

static int pixel_bytes(const tile_t *t)
{
    return 2 * (t->groups_m * BLOCK + columns_of(t));
}

/// Plain C takes two tiles and one depth: more are but slow to compile.
static bool suits(const tile_t *t, const ocl_device_t *device, bool has_unit)
{
    const size_t along_x = device->max_group_item_sizes[0];
    if (!has_unit && (t->bn > 64 || t->groups_m != t->groups_n)) return false;
    return items_of(t) <= device->max_group_items && (!along_x || items_of(t) <= along_x);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/// Cycles of a slice: of the matrix units, of the cache, or of the wait for one of the stages.
static double slice_cycles(const ocl_conv_weights_plan_t *plan, const tile_t *t, const costs_t *c)
{
    const double products =
            (double)t->groups_m * BLOCK * columns_of(t) * plan->pixels / c->products + c->slice;
    const double copies = (double)plan->pixels * pixel_bytes(t) / c->cache_bytes + c->slice;
    const double together = t->unit_groups;
    const double waits = (c->latency + together * (products + copies)) / plan->stages;
    return most(most(products, copies) * together, waits);
}

/// The box of at most `pixels` pixels that covers diff_dst with the fewest. Unless pixels of src
/// lie as those of diff_dst do, its width and height divide them: beyond the edge there were pixels
/// of src, next to zeros in place of diff_dst, that have no part in a sum.
static bool choose_box(ocl_conv_weights_plan_t *plan, const ocl_conv_weights_product_t *p)
{
    int64_t fewest = 0;
    for (int64_t w = 1; w <= p->size[0] && w <= plan->pixels; ++w) {
        if ((p->size[0] % w != 0 && !p->is_plain) || w * p->element_step[0] > MAX_BOX) continue;
        for (int64_t h = 1; h <= p->size[1] && w * h <= plan->pixels; ++h) {
            if ((p->size[1] % h != 0 && !p->is_plain) || h * p->element_step[1] > MAX_BOX) continue;
            const int64_t room = plan->pixels / (w * h), n = room < p->size[2] ? room : p->size[2];
            const int64_t box[] = {w, h, n};
            int64_t count = 1;
            for (int d = 0; d < 3; ++d) count *= prim__ceil_div(p->size[d], box[d]);
            if (n > MAX_BOX) continue;
            // Of equals the widest: its rows are contiguous.
            if (fewest > 0 && count > fewest) continue;
            fewest = count;
            for (int d = 0; d < 3; ++d) {
                plan->box[d] = (int32_t)box[d];
                plan->nboxes[d] = (int32_t)prim__ceil_div(p->size[d], box[d]);
            }
        }
    }
    return fewest > 0;
}

static int64_t boxes_of(const ocl_conv_weights_plan_t *plan)
{
    return (int64_t)plan->nboxes[0] * plan->nboxes[1] * plan->nboxes[2];
}

/// The pixels of a stage for which all boxes of a tile take the fewest cycles; false where not even
/// the smallest fit.
static bool cut(ocl_conv_weights_plan_t *plan, const tile_t *t, const ocl_conv_weights_product_t *p,
        uint64_t local_bytes, const costs_t *c)
{
    const uint64_t room = local_bytes / (uint64_t)t->unit_groups;
    double best = 0;
    const int blocks = (int)(prim__ceil_div(p->ic, BLOCK) * p->ntaps);
    ocl_conv_weights_plan_t own = {.groups_m = t->groups_m,
            .groups_n = t->groups_n,
            .bn = t->bn,
            .ntiles_m = (int32_t)prim__ceil_div(p->oc, t->groups_m * BLOCK),
            .ntiles_n = (int32_t)prim__ceil_div(blocks, columns_of(t) / BLOCK)};
    for (own.pixels = PIXELS_STEP; own.pixels <= MAX_PIXELS; own.pixels += PIXELS_STEP) {
        const uint64_t stage = (uint64_t)(own.pixels * pixel_bytes(t));
        if (!p->has_unit && own.pixels != PLAIN_PIXELS) continue;
        const uint64_t stages = room < FIXED_BYTES ? 0 : (room - FIXED_BYTES) / stage;
        if (stages < (p->has_unit ? MIN_STAGES : PLAIN_STAGES)) break;
        own.stages = (int)least((double)stages, p->has_unit ? MAX_STAGES : PLAIN_STAGES);
        if (!choose_box(&own, p)) continue;
        const double cycles = (double)boxes_of(&own) * slice_cycles(&own, t, c);
        if (best > 0 && cycles >= best) continue;
        best = cycles;
        *plan = own;
    }
    return best > 0;
}

static void estimate(ocl_conv_weights_plan_t *plan, const tile_t *t,
        const ocl_conv_weights_product_t *p, int nunits, const costs_t *c)
{
    const int64_t nworks = p->g * plan->ntiles_m * plan->ntiles_n * plan->nsplits;
    const int64_t rounds = prim__ceil_div(nworks, (int64_t)nunits * t->unit_groups);
    plan->is_one_round = rounds == 1;
    const double sums = (double)t->groups_m * BLOCK * columns_of(t) * t->unit_groups;
    plan->cycles = c->start + (double)rounds * (plan->split_boxes * slice_cycles(plan, t, c) +
                                                       4 * sums / c->store_bytes);
    if (plan->nsplits == 1) return;
    if (plan->is_one_round) {
        plan->cycles += c->team + 4 * sums / c->cache_bytes;
        return;
    }
    const double nweights = (double)(p->g * p->oc * p->ic * p->ntaps);
    plan->cycles += c->sum + 4 * nweights * (plan->nsplits + 1) / nunits / c->store_bytes;
}

static void offer_splits(ocl_conv_weights_plan_t *plan, ocl_tune_t *tune,
        const ocl_conv_weights_plan_t *start, const tile_t *t, const ocl_conv_weights_product_t *p,
        const ocl_device_t *device, const costs_t *c)
{
    int64_t splits[OCL_CONV_MAX_SPLITS];
    const int64_t ntiles = p->g * start->ntiles_m * start->ntiles_n, nboxes = boxes_of(start);
    const int64_t longest = OCL_LONGEST_SUM / start->pixels;
    const int n = prim__ocl_conv_list_splits(splits, device, ntiles, nboxes, longest);
    for (int i = 0; i < n; ++i) {
        ocl_conv_weights_plan_t own = *start;
        own.split_boxes = (int32_t)prim__ceil_div(nboxes, splits[i]);
        own.nsplits = (int32_t)prim__ceil_div(nboxes, own.split_boxes);
        estimate(&own, t, p, prim__ocl_estimate_units(device), c);
        const ocl_tune_params_t params = {
                {own.groups_m, own.groups_n, own.bn, own.pixels, own.nsplits}};
        if (prim__ocl_tune_offer(tune, own.cycles, params)) *plan = own;
    }
}

bool prim__ocl_conv_weights_plan(ocl_conv_weights_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, uint64_t local_bytes, const ocl_conv_weights_product_t *p)
{
    const costs_t costs = costs_of(device);
    for (int i = 0; i < NTILES; ++i) {
        ocl_conv_weights_plan_t own = {0};
        if (!suits(&tiles[i], device, p->has_unit)) continue;
        if (!cut(&own, &tiles[i], p, local_bytes, &costs)) continue;
        offer_splits(plan, tune, &own, &tiles[i], p, device, &costs);
    }
    return prim__ocl_tune_has_choice(tune);
}
