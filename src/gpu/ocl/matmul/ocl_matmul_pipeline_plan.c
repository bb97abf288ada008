// SPDX-License-Identifier: Apache-2.0
// The tiles, what they cost, and what exchanged operands cost beside them.
#include "ocl_matmul_pipeline_plan.h"

#include "gpu/ocl/tune/ocl_estimate.h"

const ocl_pipeline_tile_t prim__ocl_pipeline_tiles[OCL_PIPELINE_NTILES] = {
        {128, 256, 16, 32, 128, 8, 16, 3, 1}, // large products
        {128, 128, 32, 32, 128, 8, 16, 3, 2}, // half as many elements of dst
        {64, 128, 16, 64, 32, 8, 8, 3, 1},    // a quarter, two to a compute unit
        {64, 64, 16, 64, 32, 8, 8, 3, 2},     // an eighth, several
        {32, 32, 32, 32, 32, 4, 8, 4, 4},     // small products without splits
        {32, 128, 32, 32, 128, 8, 16, 3, 8},  // few rows
        {16, 256, 32, 16, 256, 8, 16, 3, 8},  // fewer
        {32, 32, 16, 32, 32, 4, 8, 2, 1},     // groups of 32, 10 KiB
};

// Elements of a copy: rows of operands start at multiples of 4, but perhaps for a common rest.
static int vec_of(const matmul_shape_t *s, prim_dim_t stride, const prim_dim_t *batch)
{
    return prim__ocl_gemm_are_multiples(s, stride, batch, 4) ? 4 : 1;
}

ocl_pipeline_operands_t prim__ocl_pipeline_operands(const matmul_shape_t *s)
{
    return (ocl_pipeline_operands_t){.src_along_k = s->src_k == 1 || s->k == 1,
            .wei_along_k = !(s->wei_n == 1 || s->n == 1),
            .src_vec = vec_of(s, s->src_k, s->src_batch),
            .wei_vec = vec_of(s, s->wei_k, s->wei_batch)};
}

size_t prim__ocl_pipeline_items(const ocl_pipeline_tile_t *t)
{
    return (size_t)(t->bm / t->wm * (t->bn / t->wn) * 32 * t->slices);
}

uint64_t prim__ocl_pipeline_local_bytes(
        const ocl_pipeline_tile_t *t, const ocl_pipeline_operands_t *operands)
{
    const int rows = t->bm + (operands->src_along_k ? 4 : 0);
    const int cols = t->bn + (operands->wei_along_k ? 4 : 0);
    const int elems = t->stages * t->bk * (rows + cols);
    const int sums = t->slices / 2 * t->bm * t->bn;
    return (uint64_t)(elems > sums ? elems : sums) * sizeof(float);
}

bool prim__ocl_pipeline_fits(const ocl_device_t *device, const ocl_pipeline_tile_t *t,
        const ocl_pipeline_operands_t *operands, uint64_t local_bytes)
{
    const size_t nitems = prim__ocl_pipeline_items(t), along_x = device->max_group_item_sizes[0];
    return nitems <= device->max_group_items && (!along_x || nitems <= along_x) &&
           prim__ocl_pipeline_local_bytes(t, operands) <= local_bytes &&
           (operands->src_along_k || t->bm * t->bk >= (int)nitems * operands->src_vec);
}

// Products in a cycle of a compute unit. Its four schedulers need a warp each: fewer work-items
// leave some idle when the group is alone, and half of them when there are as many groups as a unit
// takes.
ocl_tile_speed_t prim__ocl_pipeline_speed(const ocl_device_t *device, const ocl_pipeline_tile_t *t)
{
    const double items = (double)prim__ocl_pipeline_items(t);
    const double full =
            (items < 128 ? 0.5 : 1) *
            prim__ocl_estimate_tile_rate(prim__ocl_estimate_lanes(device), t->bm, t->bn);
    const double alone = 0.9 * full * (items < 128 ? items / 128 : 1);
    const ocl_measured_values_t speeds = prim__ocl_measured_config(device,
            MEASURED_MATMUL_PIPELINE_TILES, (ocl_tune_params_t){{t->bm, t->bn, t->bk, t->stages}},
            (ocl_measured_values_t){{alone, full}});
    return (ocl_tile_speed_t){
            t->bm, t->bn, t->bk, speeds.values[0], speeds.values[1], false, false, 0, 0};
}

double prim__ocl_pipeline_cycles(const ocl_device_t *device, const matmul_shape_t *shape,
        uint64_t local_bytes, prim_dim_t longest, double slower)
{
    const ocl_pipeline_operands_t operands = prim__ocl_pipeline_operands(shape);
    double best = 0;
    for (int i = 0; i < OCL_PIPELINE_NTILES; ++i) {
        const ocl_pipeline_tile_t *const tile = &prim__ocl_pipeline_tiles[i];
        if (!prim__ocl_pipeline_fits(device, tile, &operands, local_bytes)) continue;
        ocl_tile_speed_t speed = prim__ocl_pipeline_speed(device, tile);
        speed.rate_alone /= slower;
        speed.rate_full /= slower;
        const double cycles = prim__ocl_tiling_cycles(device, shape, &speed, longest);
        if (best == 0 || cycles < best) best = cycles;
    }
    return best;
}

// What exchanged sides cost beside the tiles: neighbours in a column of dst are stored, a sector of
// the cache for each element, and the wide side of a tile is src, which comes along k in copies of
// 4 bytes. For few columns that is what the low tiles were measured with.
static double swapped_cycles(
        const ocl_device_t *device, const matmul_shape_t *swapped, double products)
{
    const prim_dim_t elems = prim__matmul_nbatches(swapped) * swapped->m * swapped->n;
    const double store = prim__ocl_measured(device, MEASURED_MATMUL_PIPELINE_COLUMN_CYCLES, 4);
    const int low_rows = prim__ocl_measured_int(
            device, MEASURED_MATMUL_PIPELINE_LOW_ROWS, 32); // of the tiles for few rows
    const double slower = swapped->m <= low_rows ? 1
                                                 : prim__ocl_measured(device,
                                                           MEASURED_MATMUL_PIPELINE_SLOWER, 1.2);
    return slower * products + store * (double)elems / prim__ocl_estimate_units(device);
}

bool prim__ocl_pipeline_swaps(const ocl_device_t *device, const matmul_shape_t *shape,
        uint64_t local_bytes, prim_dim_t longest)
{
    matmul_shape_t swapped = *shape;
    prim__ocl_gemm_swap(&swapped);
    const double as_it_is = prim__ocl_pipeline_cycles(device, shape, local_bytes, longest, 1);
    const double products = prim__ocl_pipeline_cycles(device, &swapped, local_bytes, longest, 1);
    return swapped_cycles(device, &swapped, products) < as_it_is;
}
