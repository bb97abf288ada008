// SPDX-License-Identifier: Apache-2.0
// The cost model of tiles whose warps share K, and the bounds of their use.
#include "ocl_conv_mma_split_k_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

typedef struct {
    int tm, tn, warps, batch;
    int unit_groups; ///< that a compute unit holds at a time
} depth_tile_t;

static const depth_tile_t depth_tiles[] = {
        {16, 16, 8, 4, 2},
        {16, 32, 8, 3, 2},
        {16, 32, 8, 2, 2},
        {16, 32, 8, 4, 1},
        {32, 16, 8, 2, 2},
        {32, 32, 8, 2, 1},
        {32, 32, 8, 3, 1},
        {32, 32, 8, 1, 2},
        {32, 32, 4, 3, 3},
        {32, 32, 4, 2, 3},
        {32, 32, 4, 1, 4},
        {64, 32, 4, 2, 2},
        {64, 32, 4, 1, 3},
        {32, 64, 4, 1, 3},
        {16, 64, 4, 2, 3},
        {16, 16, 4, 4, 4},
};

enum { NDEPTH_TILES = sizeof depth_tiles / sizeof *depth_tiles, DEPTH_SMALLEST = NDEPTH_TILES - 1 };

/// Of a group of ocl_conv_mma_split_k: cycles until the first loads leave, that a batch of loads
/// takes at least, from the last product to the end, of a warp in the sum; bytes in a cycle of a
/// unit.
typedef struct {
    double start, batch, end, warp, load_bytes;
} depth_costs_t;

static depth_costs_t depth_costs_of(const ocl_device_t *device)
{
    return (depth_costs_t){
            .start = prim__ocl_measured(device, MEASURED_CONV_MMA_SPLIT_K_START_CYCLES,
                    prim__ocl_estimate_cycles(device, 1.3)),
            .batch = prim__ocl_measured(device, MEASURED_CONV_MMA_SPLIT_K_BATCH_CYCLES,
                    prim__ocl_estimate_cycles(device, 0.65)),
            .end = prim__ocl_measured(device, MEASURED_CONV_MMA_SPLIT_K_END_CYCLES,
                    prim__ocl_estimate_cycles(device, 0.35)),
            // A warp adds its part of the tile, and waits for a barrier.
            .warp = prim__ocl_measured(device, MEASURED_CONV_MMA_SPLIT_K_WARP_CYCLES, 30),
            // Half of what its lanes could take, as for any load from the cache.
            .load_bytes = prim__ocl_measured(device, MEASURED_CONV_MMA_SPLIT_K_LOAD_BYTES,
                    0.4 * prim__ocl_estimate_lanes(device)),
    };
}

/// The units' time: groups come in rounds, loads of a round share the unit's way to the cache.
static double depth_cycles(const ocl_conv_depth_plan_t *plan, const depth_tile_t *t,
        const ocl_conv_depth_product_t *p, int nunits, const depth_costs_t *c)
{
    const int64_t nblocks = p->ntaps * prim__ceil_div(p->channels, OCL_CONV_DEPTH_BLOCK);
    const int64_t of_unit = prim__ceil_div((int64_t)plan->ntiles_m * plan->ntiles_n, nunits);
    const int64_t nbatches = prim__ceil_div(nblocks, t->warps * t->batch);
    const double bytes = (double)(of_unit * nblocks) * (t->tm + t->tn) * OCL_CONV_DEPTH_BLOCK * 2;
    const double waits = (double)(nbatches * prim__ceil_div(of_unit, t->unit_groups)) * c->batch;
    const double loads = bytes / c->load_bytes > waits ? bytes / c->load_bytes : waits;
    return c->start + loads + (c->end + t->warps * c->warp) * (double)of_unit;
}

bool prim__ocl_conv_mma_split_k_plan(ocl_conv_depth_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, size_t max_items, uint64_t local_bytes,
        const ocl_conv_depth_product_t *p)
{
    const int nunits = prim__ocl_estimate_units(device);
    const depth_costs_t costs = depth_costs_of(device);
    for (int i = 0; i < NDEPTH_TILES; ++i) {
        const depth_tile_t *const t = &depth_tiles[i];
        const int sums = 4 * t->warps * t->tm * (t->tn + 8);
        if (!p->has_unit && i != DEPTH_SMALLEST) continue;
        if ((size_t)t->warps * 32 > max_items) continue;
        if ((uint64_t)(sums + 1024 + 16 * t->tm) > local_bytes) continue;
        ocl_conv_depth_plan_t candidate = {.tm = t->tm,
                .tn = t->tn,
                .warps = t->warps,
                .batch = t->batch,
                .ntiles_m = (int32_t)prim__ceil_div(p->pixels, t->tm),
                .ntiles_n = (int32_t)prim__ceil_div(p->outputs, t->tn)};
        candidate.cycles = depth_cycles(&candidate, t, p, nunits, &costs);
        const ocl_tune_params_t params = {{t->tm, t->tn, t->warps, t->batch}};
        if (prim__ocl_tune_offer(tune, candidate.cycles, params)) *plan = candidate;
    }
    return prim__ocl_tune_has_choice(tune);
}

/// Outputs up to which it is faster than larger tiles: as many as give a compute unit about four of
/// its groups of 16 × 16. More where K is so short that nothing is copied ahead, and twice
/// as many with so few channels that all groups read the same weights.
static prim_dim_t most_outputs_of(const ocl_device_t *device, prim_dim_t depth, prim_dim_t channels)
{
    const int most = prim__ocl_measured_int(device, MEASURED_CONV_MMA_SPLIT_K_MOST_OUTPUTS,
            4 * 16 * 16 * prim__ocl_estimate_units(device));
    if (depth <= 64)
        return prim__ocl_measured_int(
                device, MEASURED_CONV_MMA_SPLIT_K_MOST_OUTPUTS_SHALLOW, 8 * most);
    if (channels > 64) return most;
    return prim__ocl_measured_int(device, MEASURED_CONV_MMA_SPLIT_K_MOST_OUTPUTS_NARROW, 2 * most);
}

/// Products up to which it is: what the lanes of all units multiply in four microseconds.
static prim_dim_t most_products_of(const ocl_device_t *device)
{
    const double in_a_cycle = (double)prim__ocl_estimate_units(device) *
                              prim__ocl_estimate_lanes(device) *
                              prim__ocl_estimate_cycles(device, 4);
    const int most = in_a_cycle < 1 << 30 ? (int)in_a_cycle : 1 << 30;
    return prim__ocl_measured_int(device, MEASURED_CONV_MMA_SPLIT_K_MOST_PRODUCTS, most);
}

bool prim__ocl_conv_mma_split_k_pays(const ocl_device_t *device, const ocl_conv_depth_product_t *p)
{
    const prim_dim_t depth = p->ntaps * p->channels, outputs = p->pixels * p->outputs;
    // Two blocks, for two warps.
    const prim_dim_t least_depth = prim__ocl_measured_int(
            device, MEASURED_CONV_MMA_SPLIT_K_LEAST_DEPTH, 2 * OCL_CONV_DEPTH_BLOCK);
    return depth >= least_depth && outputs <= most_outputs_of(device, depth, p->outputs) &&
           outputs <= most_products_of(device) / depth;
}
