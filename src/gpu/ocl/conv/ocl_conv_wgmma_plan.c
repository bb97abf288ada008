// SPDX-License-Identifier: Apache-2.0
// The cost model: a few tiles, a few numbers of splits, tensor maps or gathering, the cheapest
// of them.
#include "ocl_conv_wgmma_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_plan.h"

typedef struct {
    int bm, bn, stages;
    int unit_groups; ///< that a compute unit holds at a time
    bool has_boxes;
} tile_t;

static const tile_t tiles[] = {
        {128, 256, 4, 1, true},
        {128, 192, 5, 1, true},
        {256, 128, 4, 1, true},
        {256, 96, 4, 1, true},
        {256, 32, 6, 1, true},
        {128, 32, 5, 2, true},
        {128, 96, 3, 2, true},
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

/// Of a compute unit: products in a cycle; bytes in a cycle from local memory, from the cache of
/// the device, and of stores; cycles that a slice takes at least; that work-items take for a row
/// they gather; until the first slice is there, and what tensor maps add to that; between the last
/// slice and the first store; of a second kernel.
typedef struct {
    double products, local_bytes, cache_bytes, store_bytes;
    double slice, row, start, tensor_maps, end, sum;
} costs_t;

static costs_t costs_of(const ocl_device_t *device)
{
    const double lanes = prim__ocl_estimate_lanes(device);
    return (costs_t){
            // 16 times the products of the lanes; a byte for each lane from local memory, a part of
            // which is lost to conflicts, 0.4 from the cache, and half of that to the memory.
            .products = prim__ocl_measured(device, MEASURED_CONV_WGMMA_PRODUCTS, 16 * lanes),
            .local_bytes = prim__ocl_measured(device, MEASURED_CONV_WGMMA_LOCAL_BYTES, 0.9 * lanes),
            .cache_bytes = prim__ocl_measured(device, MEASURED_CONV_WGMMA_CACHE_BYTES, 0.4 * lanes),
            .store_bytes = prim__ocl_measured(device, MEASURED_CONV_WGMMA_STORE_BYTES, 0.2 * lanes),
            // A barrier and its latency; five instructions of a warp.
            .slice = prim__ocl_measured(device, MEASURED_CONV_WGMMA_SLICE_CYCLES, 180),
            .row = prim__ocl_measured(device, MEASURED_CONV_WGMMA_ROW_CYCLES, 5),
            .start = prim__ocl_measured(device, MEASURED_CONV_WGMMA_START_CYCLES,
                    prim__ocl_estimate_cycles(device, 1.8)),
            .tensor_maps = prim__ocl_measured(device, MEASURED_CONV_WGMMA_TENSOR_MAP_CYCLES,
                    prim__ocl_estimate_cycles(device, 1.3)),
            .end = prim__ocl_measured(device, MEASURED_CONV_WGMMA_END_CYCLES,
                    prim__ocl_estimate_cycles(device, 0.25)),
            .sum = prim__ocl_measured(
                    device, MEASURED_CONV_WGMMA_SUM_CYCLES, prim__ocl_estimate_cycles(device, 6)),
    };
}

static const int64_t rows_spread_bytes = 47 << 10; ///< so that as many fit, on any device

static int copiers_of(const tile_t *t)
{
    return t->has_boxes ? 32 : 128;
}

static int items_of(const tile_t *t)
{
    return t->bm / 64 * 128 + copiers_of(t);
}

/// OWN_BYTES of clh/conv_wgmma_epilogue.h, of a warp.
static int own_bytes(bool is_short, bool has_words)
{
    const int words = has_words ? 16 * 152 : 0;
    return is_short ? words : 16 * 272;
}

/// Plain C has sums of copying work-items, too, and four words for each work-item.
static uint64_t local_bytes_of(const tile_t *t, const ocl_conv_wgmma_product_t *p)
{
    const int warps = p->has_unit ? t->bm / 16 : items_of(t) / 32;
    const int own = own_bytes(p->is_short, p->has_words) * warps,
              copy = t->has_boxes ? 256 : 16 * t->bm;
    const int lanes = p->has_unit ? 0 : 16 * items_of(t);
    return (uint64_t)(t->stages * 128 * (t->bm + t->bn) + 1024 + copy + own + lanes);
}

/// Whether work-items find registers for what they read beside their sums: half as many sums as
/// there are columns, and what the kernel needs besides by its compilers, more where it reads two
/// rounds early (AHEAD of clh/conv_wgmma_epilogue.h). What they lack spills.
static bool has_registers(
        const tile_t *t, const ocl_device_t *device, const ocl_conv_wgmma_product_t *p)
{
    const int needed = t->bn / 2 + (t->bn == 128 ? 100 : 80);
    return p->beside_bytes == 0 || device->nv_group_registers == 0 ||
           (int64_t)needed * items_of(t) * t->unit_groups <= device->nv_group_registers;
}

/// Whether groups are large enough for it. Plain C takes the smallest tiles, two or three stages:
/// more are but slow to compile.
static bool suits(tile_t *t, const ocl_device_t *device, const ocl_conv_wgmma_product_t *p)
{
    const size_t nitems = (size_t)items_of(t), along_x = device->max_group_item_sizes[0];
    // Operands across K are blocks of 64, and so is what goes to dst by way of local memory.
    if (t->bn % 64 != 0 && (p->is_across || !p->is_short)) return false;
    if (!p->has_unit && (t->bn > 64 || t->bm > 128 || t->unit_groups == 1)) return false;
    if (!p->has_unit) t->stages = t->bm > 64 ? 2 : 3;
    return nitems <= device->max_group_items && (!along_x || nitems <= along_x) &&
           has_registers(t, device, p);
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
            for (int d = 0; d < 3; ++d) ntiles *= prim__ceil_div(p->size[d], box[d]);
            if (best_tiles > 0 &&
                    (ntiles > best_tiles || (ntiles == best_tiles && edge >= best_edge)))
                continue;
            best_tiles = ntiles;
            best_edge = edge;
            for (int d = 0; d < 3; ++d) {
                plan->box[d] = (int32_t)box[d];
                plan->box_tiles[d] = (int32_t)prim__ceil_div(p->size[d], box[d]);
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
    plan.slices_c = (int32_t)prim__ceil_div(p->channels, OCL_CONV_WGMMA_DEPTH);
    if (t->has_boxes) {
        choose_box(&plan, p);
        plan.nslices = (int32_t)p->ntaps * plan.slices_c;
    } else {
        plan.ntiles_m = (int32_t)prim__ceil_div(p->pixels, t->bm);
        for (int d = 0; d < 3; ++d) plan.box_tiles[d] = d == 0 ? plan.ntiles_m : 1;
        plan.nslices = (int32_t)prim__ceil_div(p->ntaps * p->channels, OCL_CONV_WGMMA_DEPTH);
    }
    plan.ntiles_n = (int32_t)prim__ceil_div(p->outputs, t->bn);
    plan.ntiles = (int32_t)(p->g * plan.ntiles_m * plan.ntiles_n);
    return plan;
}

static double slice_cycles(const tile_t *t, const costs_t *c)
{
    const double bytes = 128. * (t->bm + t->bn);
    const double local = bytes + 4. * t->bm / 64 * (2048 + 32 * t->bn);
    const double costs[] = {(double)t->bm * t->bn * OCL_CONV_WGMMA_DEPTH / c->products,
            local / c->local_bytes, bytes / c->cache_bytes,
            t->has_boxes ? 0 : c->row * (t->bm + t->bn)};
    double most = 0;
    for (int i = 0; i < 4; ++i) most = costs[i] > most ? costs[i] : most;
    return most;
}

static void estimate(ocl_conv_wgmma_plan_t *plan, const tile_t *t,
        const ocl_conv_wgmma_product_t *p, int nunits, const costs_t *c)
{
    const int64_t nworks = (int64_t)plan->ntiles * plan->nsplits;
    const int64_t room = (int64_t)nunits * t->unit_groups;
    const int64_t rounds = prim__ceil_div(nworks, room); // of a group
    const double together =
            (double)(nworks < room ? prim__ceil_div(nworks, nunits) : t->unit_groups);
    const double own = slice_cycles(t, c), alone = own > c->slice ? own : c->slice;
    const double slice = own * together > alone ? own * together : alone;
    const int bytes = plan->nsplits > 1 ? 4 : p->dst_bytes;
    // The sums of wide tiles leave no registers for what would be read early.
    const double beside = plan->nsplits > 1 ? 0 : p->beside_bytes * (t->bn > 128 ? 2 : 1);
    const double store = (double)t->bm * t->bn * (bytes + beside) / c->store_bytes * together;
    plan->ngroups = (int32_t)(nworks < room ? nworks : room);
    plan->cycles = c->start + (t->has_boxes ? c->tensor_maps : 0) +
                   (double)rounds * (plan->split_slices * slice + c->end + store);
    if (plan->nsplits > 1)
        plan->cycles +=
                c->sum + (double)t->bm * t->bn * 4 * (double)nworks / nunits / c->store_bytes;
}

/// Whether f32 holds the sums of its splits without loss.
static bool sums_are_short(const ocl_conv_wgmma_plan_t *plan, const ocl_conv_wgmma_product_t *p)
{
    const int64_t ntaps = p->most_taps > 0 ? p->most_taps : p->ntaps;
    const int64_t nslices = prim__ceil_div(plan->nslices * ntaps, p->ntaps);
    return prim__ceil_div(nslices, plan->nsplits) * OCL_CONV_WGMMA_DEPTH <= OCL_LONGEST_SUM;
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
    const int nunits = prim__ocl_estimate_units(device);
    const costs_t costs = costs_of(device);
    for (int i = 0; i < NTILES; ++i) {
        tile_t t = tiles[i];
        if (t.has_boxes ? !product->may_box : !product->may_gather) continue;
        if (!suits(&t, device, product)) continue;
        while (t.stages > MIN_STAGES && local_bytes_of(&t, product) > local_bytes) --t.stages;
        if (local_bytes_of(&t, product) > local_bytes) continue;
        ocl_conv_wgmma_plan_t candidate = cut(&t, product);
        for (size_t s = 0; s < sizeof splits / sizeof *splits; ++s) {
            if (splits[s] > candidate.nslices) break;
            candidate.split_slices = (int32_t)prim__ceil_div(candidate.nslices, splits[s]);
            candidate.nsplits = (int32_t)prim__ceil_div(candidate.nslices, candidate.split_slices);
            if (!sums_are_short(&candidate, product)) continue;
            estimate(&candidate, &t, product, nunits, &costs);
            if (offer(tune, &candidate)) *plan = candidate;
        }
    }
    return prim__ocl_tune_has_choice(tune);
}

int64_t prim__ocl_conv_wgmma_partials(const ocl_conv_wgmma_plan_t *plan)
{
    return plan->nsplits > 1 ? (int64_t)plan->nsplits * plan->ntiles * plan->bm * plan->bn : 0;
}

/// Tiles of all groups of a compute unit follow each other: their loads are what takes the time, 4
/// of each of 4 warps in a step, or twice as many of single elements, of 8 neighbouring windows.
static double rows_cycles(const ocl_conv_rows_plan_t *plan, const ocl_device_t *device,
        const ocl_conv_rows_product_t *p)
{
    const costs_t costs = costs_of(device);
    const double line =
            prim__ocl_measured(device, MEASURED_CONV_WGMMA_FEW_CHANNELS_LINE_CYCLES, 2.5);
    const double span = 1 + 8. * (double)p->step_bytes / 128, lines = span < 8 ? span : 8;
    const double step = (p->has_pairs ? 16 : 32) * lines * line;
    const double store =
            (double)OCL_CONV_ROWS_BM * OCL_CONV_ROWS_BN * p->dst_bytes / costs.store_bytes;
    const int64_t ntiles = (int64_t)plan->ntiles * plan->ntiles_n;
    const int64_t of_unit = prim__ceil_div(ntiles, prim__ocl_estimate_units(device));
    return costs.start + (double)of_unit * (plan->nsteps * step + costs.end + store);
}

bool prim__ocl_conv_few_channels_plan(
        ocl_conv_rows_plan_t *plan, const ocl_device_t *device, const ocl_conv_rows_product_t *p)
{
    const int64_t nunits = prim__ocl_estimate_units(device);
    const int64_t max_elems = OCL_CONV_ROWS_MAX_STEPS * 16;
    if (p->nrows > 32 || p->row_elems > max_elems) return false;
    // Rows that start at odd distances are read from the element before on.
    const int64_t row_chunks = prim__ceil_div(p->row_elems + p->has_pairs, 8);
    const int64_t nsteps = prim__ceil_div(p->nrows * row_chunks, 2);
    if (nsteps > OCL_CONV_ROWS_MAX_STEPS) return false;
    const int64_t ntiles = prim__ceil_div(p->pixels, OCL_CONV_ROWS_BM);
    const int64_t ntiles_n = prim__ceil_div(p->outputs, OCL_CONV_ROWS_BN);
    // Registers: 128 work-items of 128 each.
    const int unit_groups =
            prim__ocl_measured_int(device, MEASURED_CONV_WGMMA_FEW_CHANNELS_UNIT_GROUPS,
                    device->nv_group_registers > 0 ? device->nv_group_registers / (128 * 128) : 4);
    int64_t teams = nunits * unit_groups / ntiles_n; // a group of each block of outputs
    if (teams > ntiles) teams = ntiles;
    if (teams < 1) teams = 1;
    const int64_t fixed = prim__ceil_div(nsteps, 4) * OCL_CONV_ROWS_BN * 128 +
                          own_bytes(p->is_short, p->has_words) * OCL_CONV_ROWS_ITEMS / 32;
    const int64_t raw = OCL_CONV_ROWS_BN * p->nrows * row_chunks * 16 + 32;
    const bool spreads = fixed + raw <= rows_spread_bytes;
    *plan = (ocl_conv_rows_plan_t){.row_chunks = (int)row_chunks,
            .nsteps = (int)nsteps,
            .spreads = spreads,
            .local_bytes = (uint64_t)(fixed + (spreads ? raw : 0)),
            .ntiles = (int32_t)ntiles,
            .ntiles_n = (int32_t)ntiles_n,
            .ngroups = (int32_t)(teams * ntiles_n)};
    plan->cycles = rows_cycles(plan, device, p);
    return true;
}

typedef struct {
    int bm, bn, wm, wn, stages;
    int unit_groups; ///< that a compute unit holds at a time
} mma_tile_t;

static const mma_tile_t mma_tiles[] = {
        {128, 256, 64, 64, 3, 1}, {256, 128, 64, 64, 3, 1}, {128, 128, 64, 32, 3, 2},
        {128, 64, 64, 32, 3, 2}, {64, 64, 32, 32, 3, 4},
        {64, 64, 32, 32, 2, 4},  // 32 KiB of local memory
        {32, 32, 16, 16, 2, 8},  // what plain C is compiled for
        {64, 128, 32, 64, 3, 2}, // few output channels, more columns
};

enum { NMMA_TILES = sizeof mma_tiles / sizeof *mma_tiles };

/// Whether the product may have the tile. Those that are read across K are 64 wide at least, rows
/// of 128 bytes; they alone may have more columns than rows: others have more pixels.
static bool mma_suits(const mma_tile_t *t, const ocl_conv_mma_product_t *p)
{
    const bool is_across = p->longest > 0;
    const int smallest = is_across ? 64 : 32;
    if (!p->has_unit) return t->bm == smallest && t->bn == smallest && t->stages == 2;
    return is_across ? t->bm >= 64 : t->bm != 64 || t->bn != 128;
}

/// Of a unit: products in a cycle, as many groups of a tile at work; of a group of
/// ocl_conv_mma_tiled: cycles until the first slice is there, from the last product to the end.
typedef struct {
    double products, start, end;
} mma_costs_t;

static mma_costs_t mma_costs_of(const ocl_device_t *device, const mma_tile_t *t)
{
    // A warp's matrix unit has 8 times the products of its lanes, and images take longer to find
    // than rows of a matrix.
    const double products =
            prim__ocl_estimate_tile_rate(8. * prim__ocl_estimate_lanes(device), t->bm, t->bn);
    // A tile of 64 rows is as fast as its mirror image.
    const int bm = t->bm == 64 && t->bn > 64 ? t->bn : t->bm, bn = t->bm + t->bn - bm;
    const ocl_measured_values_t speed = prim__ocl_measured_config(device, MEASURED_CONV_MMA_TILES,
            (ocl_tune_params_t){{bm, bn, t->stages}}, (ocl_measured_values_t){{products}});
    return (mma_costs_t){.products = speed.values[0],
            .start = prim__ocl_measured(device, MEASURED_CONV_MMA_TILED_START_CYCLES,
                    prim__ocl_estimate_cycles(device, 1.5)),
            .end = prim__ocl_measured(device, MEASURED_CONV_MMA_TILED_END_CYCLES,
                    prim__ocl_estimate_cycles(device, 0.75))};
}

size_t prim__ocl_conv_mma_items(const ocl_conv_mma_plan_t *plan)
{
    return (size_t)(plan->bm / plan->wm * (plan->bn / plan->wn) * 32);
}

static uint64_t mma_local_bytes(const mma_tile_t *t)
{
    const int stages = t->stages * (t->bm + t->bn) * 128, sums = t->bm * (t->bn + 8) * 4;
    return (uint64_t)((stages > sums ? stages : sums) + 24 * t->bm + 512);
}

static double mma_cycles(const ocl_conv_mma_plan_t *plan, const mma_tile_t *t,
        const ocl_conv_mma_product_t *p, const ocl_device_t *device)
{
    const int nunits = prim__ocl_estimate_units(device);
    const mma_costs_t c = mma_costs_of(device, t);
    const int64_t ntiles = p->g * plan->ntiles_m * plan->ntiles_n * plan->nsplits;
    const int64_t of_unit = prim__ceil_div(ntiles, nunits),
                  rounds = prim__ceil_div(of_unit, t->unit_groups);
    const int64_t together = of_unit < t->unit_groups ? of_unit : t->unit_groups;
    const double least = c.products / t->unit_groups; // of a group by itself, at least
    // Fewer groups than fit on a unit share what it does among fewer.
    const double more = prim__ocl_measured(device, MEASURED_CONV_MMA_TILED_FEW_GROUPS, 1.5);
    const double rate = least * (double)together * (together < t->unit_groups ? more : 1);
    const double slice = (double)(t->bm * t->bn * OCL_CONV_WGMMA_DEPTH * together) /
                         (rate < c.products ? rate : c.products);
    const double products = (double)rounds * (plan->split_slices * slice + c.start + c.end);
    if (plan->nsplits == 1) return products;
    const double bytes = 4. * (double)(p->g * p->pixels * p->outputs) * (plan->nsplits + 1);
    return products + prim__ocl_conv_move_cycles(device, bytes, 1);
}

static void offer_mma(ocl_conv_mma_plan_t *plan, ocl_tune_t *tune, ocl_conv_mma_plan_t *candidate,
        const mma_tile_t *t, const ocl_conv_mma_product_t *p, const ocl_device_t *device)
{
    int64_t splits[OCL_CONV_MAX_SPLITS];
    const int64_t ntiles = p->g * candidate->ntiles_m * candidate->ntiles_n;
    const int n = prim__ocl_conv_list_splits(splits, device, ntiles, p->nslices, p->longest);
    for (int i = 0; i < (p->longest > 0 ? n : 1); ++i) {
        candidate->split_slices = (int32_t)prim__ceil_div(p->nslices, splits[i]);
        candidate->nsplits = (int32_t)prim__ceil_div(p->nslices, candidate->split_slices);
        candidate->cycles = mma_cycles(candidate, t, p, device);
        ocl_tune_params_t params = {{t->bm, t->bn, t->stages}};
        if (p->longest > 0) params.values[3] = candidate->nsplits;
        if (prim__ocl_tune_offer(tune, candidate->cycles, params)) *plan = *candidate;
    }
}

bool prim__ocl_conv_mma_plan(ocl_conv_mma_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, uint64_t local_bytes, const ocl_conv_mma_product_t *p)
{
    const size_t along_x = device->max_group_item_sizes[0];
    for (int i = 0; i < NMMA_TILES; ++i) {
        const mma_tile_t *const t = &mma_tiles[i];
        if (!mma_suits(t, p)) continue;
        ocl_conv_mma_plan_t candidate = {.bm = t->bm,
                .bn = t->bn,
                .wm = t->wm,
                .wn = t->wn,
                .stages = t->stages,
                .ntiles_m = (int32_t)prim__ceil_div(p->pixels, t->bm),
                .ntiles_n = (int32_t)prim__ceil_div(p->outputs, t->bn)};
        const size_t nitems = prim__ocl_conv_mma_items(&candidate);
        if (nitems > device->max_group_items || (along_x && nitems > along_x)) continue;
        if (mma_local_bytes(t) > local_bytes) continue;
        offer_mma(plan, tune, &candidate, t, p, device);
    }
    return prim__ocl_tune_has_choice(tune);
}
