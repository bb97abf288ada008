// SPDX-License-Identifier: Apache-2.0
// The cost model of tiled products with split-K; arguments and ranges of their kernels.
#include "ocl_gemm_tile.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_matmul_reduce.h"

enum {
    MIN_STEPS = 3, // tiles of a split
    MAX_SPLITS = 24,
};
static const double max_partial_bytes = 256.0 * 1024 * 1024;

// Of the model, in cycles.
typedef struct {
    double group;         // start of a group
    double join;          // groups of a tile wait for each other, or another kernel for the first
    double partial_bytes; // of partial sums in a cycle, written and read again
    double sum;           // first tiles of operands, and epilogue of a group, of an element of dst
    double join_elems;    // partial sums that a group reads in a cycle
} costs_t;

// Where groups are not known to wait for each other, another kernel adds their sums.
static double join_of(const ocl_device_t *device)
{
    const bool waits = device->nv_capability_major > 0 && !device->waits_hold_cores;
    if (!waits)
        return prim__ocl_measured(
                device, MEASURED_MATMUL_LAUNCH_CYCLES, prim__ocl_estimate_cycles(device, 6));
    return prim__ocl_measured(
            device, MEASURED_MATMUL_JOIN_CYCLES, prim__ocl_estimate_cycles(device, 3));
}

static costs_t costs_of(const ocl_device_t *device)
{
    // Two waits for the memory; a launch by the host's side; a unit's share of the memory's
    // bandwidth; ten words for each sum, a word in four cycles of a lane.
    return (costs_t){
            .group = prim__ocl_measured(
                    device, MEASURED_MATMUL_GROUP_CYCLES, prim__ocl_estimate_cycles(device, 0.8)),
            .join = join_of(device),
            .partial_bytes = prim__ocl_measured(
                    device, MEASURED_MATMUL_PARTIAL_BYTES, 16. * prim__ocl_estimate_units(device)),
            .sum = prim__ocl_measured(
                    device, MEASURED_MATMUL_SUM_CYCLES, 40. / prim__ocl_estimate_lanes(device)),
            // 0.4 bytes for each lane from the cache.
            .join_elems = prim__ocl_measured(
                    device, MEASURED_MATMUL_JOIN_ELEMS, 0.1 * prim__ocl_estimate_lanes(device)),
    };
}

static double cost(const ocl_device_t *device, const costs_t *costs, const matmul_shape_t *s,
        const ocl_tile_speed_t *speed, prim_dim_t nsplits, prim_dim_t split_k)
{
    const double nproducts = (double)prim__matmul_nbatches(s);
    const double tiles = nproducts * (double)prim__ceil_div(s->m, speed->bm) *
                         (double)prim__ceil_div(s->n, speed->bn);
    const double units = prim__ocl_estimate_units(device);
    const double groups = tiles * (double)nsplits;
    const double rounds =
            groups <= units ? 1 : (double)prim__ceil_div((prim_dim_t)groups, (prim_dim_t)units);
    double rate = rounds * speed->rate_alone;
    if (rate > speed->rate_full) rate = speed->rate_full;
    const double tile = (double)speed->bm * (double)speed->bn;
    const double products = tile * (double)split_k / rate;
    // Beside the products of each group stand its start and its end, unless another group's
    // products, or the next tile's copies, run meanwhile.
    const double ends = costs->group + (costs->sum + speed->finish) * tile;
    const bool is_hidden = speed->rate_full > speed->rate_alone || speed->overlaps_ends;
    const double left = is_hidden ? ends / 2 - products : ends;
    double cycles = rounds * products + ends + (rounds - 1) * (left > 0 ? left : 0);
    if (nsplits > 1) {
        const double bytes = 4.0 * nproducts * (double)s->m * (double)s->n * (double)nsplits;
        cycles += costs->join + 2 * bytes / costs->partial_bytes;
        // Groups that have no compute unit of their own leave the sums to the last of a tile.
        if (groups > units) cycles += (double)nsplits * tile / costs->join_elems;
        if (bytes > max_partial_bytes) cycles *= 1e6;
    }
    return cycles;
}

// The tile with K in the fewest parts that `longest` allows, and `extra` more; false where more
// make no sense. No part is empty.
static bool split(ocl_tiling_t *tiling, const ocl_device_t *device, const matmul_shape_t *shape,
        const ocl_tile_speed_t *speed, prim_dim_t longest, int extra)
{
    const prim_dim_t ntiles = prim__matmul_nbatches(shape) * prim__ceil_div(shape->m, speed->bm) *
                              prim__ceil_div(shape->n, speed->bn);
    if (extra > 0 && ntiles >= 2 * (prim_dim_t)prim__ocl_estimate_units(device)) return false;
    const prim_dim_t nsteps = prim__ceil_div(shape->k, speed->bk);
    if (extra > 0 && speed->takes_all_k) return false;
    const int fewest = nsteps > 0 ? (int)prim__ceil_div(nsteps, longest / speed->bk) : 1;
    const int wanted = fewest + extra;
    const prim_dim_t most_groups =
            (prim_dim_t)speed->unit_groups * (prim_dim_t)prim__ocl_estimate_units(device);
    if (extra > 0 && most_groups > 0 && ntiles * wanted > most_groups) return false;
    if (extra > 0 && (wanted > MAX_SPLITS || nsteps < (prim_dim_t)wanted * MIN_STEPS)) return false;
    const prim_dim_t split_k = nsteps > 0 ? prim__ceil_div(nsteps, wanted) * speed->bk : speed->bk;
    const prim_dim_t nsplits = shape->k > 0 ? prim__ceil_div(shape->k, split_k) : 1;
    *tiling = (ocl_tiling_t){
            .bm = speed->bm, .bn = speed->bn, .nsplits = (int)nsplits, .split_k = (int)split_k};
    return true;
}

bool prim__ocl_tiling_offer(ocl_tiling_t *tiling, ocl_tune_t *tune, const ocl_device_t *device,
        const matmul_shape_t *shape, const ocl_tile_speed_t *speed, prim_dim_t longest, int stages)
{
    const costs_t costs = costs_of(device);
    bool is_taken = false;
    ocl_tiling_t offer;
    for (int extra = 0; split(&offer, device, shape, speed, longest, extra); ++extra) {
        const double cycles = cost(device, &costs, shape, speed, offer.nsplits, offer.split_k);
        const ocl_tune_params_t params = {{speed->bm, speed->bn, speed->bk, stages, offer.nsplits}};
        if (!prim__ocl_tune_offer(tune, cycles, params)) continue;
        is_taken = true;
        *tiling = offer;
    }
    return is_taken;
}

double prim__ocl_tiling_cycles(const ocl_device_t *device, const matmul_shape_t *shape,
        const ocl_tile_speed_t *speed, prim_dim_t longest)
{
    const costs_t costs = costs_of(device);
    double best = 0;
    ocl_tiling_t offer;
    for (int extra = 0; split(&offer, device, shape, speed, longest, extra); ++extra) {
        const double cycles = cost(device, &costs, shape, speed, offer.nsplits, offer.split_k);
        if (extra == 0 || cycles < best) best = cycles;
    }
    return best;
}

bool prim__ocl_tiling_fits(const matmul_shape_t *shape)
{
    const prim_dim_t limit = INT32_MAX - 4096;
    return shape->m <= limit && shape->n <= limit && shape->k <= limit;
}

prim_status_t prim__ocl_tiling_args(ocl_args_t *args, ocl_gemm_vectors_t *vectors,
        const ocl_tiling_t *tiling, const ocl_gemm_t *gemm, const ocl_primitive_t *primitive,
        const exec_ctx_t *ctx, int wei_skip)
{
    const matmul_shape_t *const s = &gemm->shape;
    prim__ocl_args_i32(args, (int32_t)s->n + wei_skip);
    prim__ocl_args_i32(args, (int32_t)s->k);
    prim__ocl_args_i64(args, s->dst_m);
    prim__ocl_args_i64(args, s->dst_n);
    prim__ocl_gemm_args_batch(args, vectors, s, s->dst_batch, 0);
    prim__ocl_args_i32(args, wei_skip);
    prim__ocl_tiling_args_partial(args, tiling, ctx);
    prim__ocl_args_i32(args, tiling->nsplits);
    prim__ocl_args_i32(args, tiling->split_k);
    TRY(prim__ocl_tiling_args_counters(args, tiling, ctx));
    prim__ocl_gemm_args(args, vectors, gemm, s, primitive, ctx, false);
    return PRIM_SUCCESS;
}

ocl_range_t prim__ocl_tiling_range(const ocl_tiling_t *tiling, const matmul_shape_t *shape,
        int src_skip, int wei_skip, size_t items)
{
    const prim_dim_t ntiles = prim__matmul_nbatches(shape) *
                              prim__ceil_div(shape->m + src_skip, tiling->bm) *
                              prim__ceil_div(shape->n + wei_skip, tiling->bn);
    const bool is_empty = shape->m == 0 || shape->n == 0;
    return (ocl_range_t){
            2, {is_empty ? 0 : (size_t)ntiles * items, (size_t)tiling->nsplits}, {items, 1}};
}

prim_status_t prim__ocl_tiling_run(const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        ocl_args_t *args, ocl_gemm_vectors_t *vectors, const ocl_tiling_t *tiling,
        const ocl_gemm_t *gemm, const ocl_tiling_launch_t *launch)
{
    TRY(prim__ocl_tiling_args(args, vectors, tiling, gemm, primitive, ctx, launch->wei_skip));
    const ocl_range_t range = prim__ocl_tiling_range(
            tiling, &gemm->shape, launch->src_skip, launch->wei_skip, launch->items);
    TRY(prim__ocl_launch(ctx, primitive->kernels[0], &range, args));
    return prim__ocl_tiling_reduce(primitive, tiling, gemm, ctx);
}

// Buffers start at multiples of everything, pointers of shared virtual memory anywhere.
int64_t prim__ocl_tiling_place(const ocl_args_t *args, size_t elem_bytes)
{
    const ocl_arg_t *const base = &args->entries[args->nargs - 2];
    const int64_t off = args->entries[args->nargs - 1].value.i64;
    if (base->kind != OCL_ARG_SVM) return off;
    return off + (int64_t)((uintptr_t)base->value.pointer % 4096 / elem_bytes);
}

bool prim__ocl_tiling_starts_aligned(const ocl_args_t *args, size_t elem_bytes)
{
    return prim__ocl_tiling_place(args, elem_bytes) * (int64_t)elem_bytes % 16 == 0;
}

void prim__ocl_tiling_args_tensors(ocl_args_t *args, const exec_ctx_t *ctx, size_t elem_bytes,
        bool *src_is_aligned, bool *wei_is_aligned)
{
    prim__ocl_args_init(args);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    *src_is_aligned = *src_is_aligned && prim__ocl_tiling_starts_aligned(args, elem_bytes);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_WEIGHTS);
    *wei_is_aligned = *wei_is_aligned && prim__ocl_tiling_starts_aligned(args, elem_bytes);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
}

int prim__ocl_tiling_align(ocl_args_t *args, int vec, size_t elem_bytes)
{
    int64_t *const off = &args->entries[args->nargs - 1].value.i64;
    const int skip = (int)(prim__ocl_tiling_place(args, elem_bytes) % vec);
    *off -= skip;
    return skip;
}
