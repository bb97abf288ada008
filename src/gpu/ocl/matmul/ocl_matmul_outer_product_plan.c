// SPDX-License-Identifier: Apache-2.0
// Tiles and depths of ocl:matmul:outer_product.
#include "ocl_matmul_outer_product_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"

enum { LANES = OCL_OUTER_PRODUCT_LANES, ITEMS = OCL_OUTER_PRODUCT_ITEMS };

const ocl_outer_product_tile_t prim__ocl_outer_product_tiles[OCL_OUTER_PRODUCT_NTILES] = {
        {8, 4, 32}, // more sums would take the registers of another group
        {8, 2, 32},
        {4, 2, 32},
        {2, 2, 32},
        {8, 1, 32}, // few columns
        {2, 1, 32},
};

static int rows_of(int tile)
{
    return OCL_OUTER_PRODUCT_TEAMS * prim__ocl_outer_product_tiles[tile].tm;
}

static int cols_of(int tile)
{
    return LANES * prim__ocl_outer_product_tiles[tile].tn;
}

bool prim__ocl_outer_product_takes(const matmul_shape_t *s)
{
    const prim_dim_t most = INT32_MAX / 256; // rows, columns and indices of K together
    return s->src_m <= most && s->src_k <= most && s->wei_k <= most && s->wei_n <= most;
}

// Matrix units multiply short elements faster.
prim_dim_t prim__ocl_outer_product_most_depth(const ocl_device_t *device, size_t src_bytes)
{
    switch (src_bytes) {
    case 4: return prim__ocl_measured_int(device, MEASURED_OUTER_PRODUCT_DEPTH, 16);
    case 2: return prim__ocl_measured_int(device, MEASURED_OUTER_PRODUCT_DEPTH_SHORT, 8);
    default: return prim__ocl_measured_int(device, MEASURED_OUTER_PRODUCT_DEPTH_BYTE, 8);
    }
}

// As in the .cl.
uint64_t prim__ocl_outer_product_local_bytes(const matmul_shape_t *s, int tile, int depth)
{
    const int src_pitch = rows_of(tile) + 4, wei_pitch = cols_of(tile) + (s->wei_n != 1 ? 2 : 0);
    return (uint64_t)(depth * (src_pitch + wei_pitch)) * sizeof(float);
}

bool prim__ocl_outer_product_fits(const ocl_device_t *device, const matmul_shape_t *s, int tile)
{
    const ocl_outer_product_tile_t *const t = &prim__ocl_outer_product_tiles[tile];
    const size_t along_x = device->max_group_item_sizes[0];
    const bool suits = t->tn == 1 ? s->n <= LANES : s->n > cols_of(tile) / 2;
    return suits && ITEMS <= device->max_group_items && (along_x == 0 || ITEMS <= along_x) &&
           prim__ocl_outer_product_local_bytes(s, tile, t->bk) <= device->local_bytes;
}

prim_dim_t prim__ocl_outer_product_ngroups(const matmul_shape_t *s, int tile)
{
    return prim__matmul_nbatches(s) * prim__ceil_div(s->m, rows_of(tile)) *
           prim__ceil_div(s->n, cols_of(tile));
}

int prim__ocl_outer_product_tile(const ocl_device_t *device, const matmul_shape_t *s)
{
    const prim_dim_t enough = 2 * (prim_dim_t)prim__ocl_estimate_units(device);
    int chosen = -1;
    for (int i = 0; i < OCL_OUTER_PRODUCT_NTILES; ++i) {
        if (!prim__ocl_outer_product_fits(device, s, i)) continue;
        chosen = i;
        if (prim__ocl_outer_product_ngroups(s, i) >= enough) break;
    }
    return chosen;
}

// Whether neighbours of an operand begin at multiples of 16 bytes: `pitch` is the greater stride.
static bool is_aligned(
        const matmul_shape_t *s, prim_dim_t pitch, const prim_dim_t *batch, size_t bytes)
{
    return prim__ocl_gemm_are_multiples(s, pitch, batch, 16 / (prim_dim_t)bytes);
}

bool prim__ocl_outer_product_pays(
        const ocl_device_t *device, const matmul_shape_t *s, size_t src_bytes)
{
    const int tile = prim__ocl_outer_product_tile(device, s);
    const prim_dim_t ngroups = tile >= 0 ? prim__ocl_outer_product_ngroups(s, tile) : INT64_MAX;
    const prim_dim_t units = prim__ocl_estimate_units(device);
    if (s->k <= prim__ocl_outer_product_most_depth(device, src_bytes))
        return (s->m >= OCL_OUTER_PRODUCT_TEAMS && s->n >= LANES) ||
               (src_bytes < 4 && ngroups <= 4 * units);
    const bool are_aligned =
            is_aligned(s, s->src_k == 1 ? s->src_m : s->src_k, s->src_batch, src_bytes) &&
            is_aligned(s, s->wei_n == 1 ? s->wei_k : s->wei_n, s->wei_batch, src_bytes);
    const int depth = prim__ocl_measured_int(device, MEASURED_OUTER_PRODUCT_DEPTH_FEW, 64);
    return src_bytes == 2 && !are_aligned && s->k <= depth && ngroups <= units;
}

int prim__ocl_outer_product_panel_depth(const matmul_shape_t *s, int tile)
{
    int depth = 1;
    while (depth < prim__ocl_outer_product_tiles[tile].bk && depth < s->k) depth *= 2;
    return depth;
}
