// SPDX-License-Identifier: Apache-2.0
// Tiles of ocl_matmul_pipeline.cl, and the cost model that says whether dstᵀ = weiᵀ·srcᵀ fits them
// better.
#ifndef PRIM_OCL_MATMUL_PIPELINE_PLAN_H
#define PRIM_OCL_MATMUL_PIPELINE_PLAN_H

#include "ocl_gemm_tile.h"

/// A work-group's tile of dst and depth of a stage; a warp's tile; a work-item's; stages in local
/// memory; parts of a stage's depth that warps of their own add up.
typedef struct {
    int bm, bn, bk, wm, wn, tm, tn, stages, slices;
} ocl_pipeline_tile_t;

enum { OCL_PIPELINE_NTILES = 8 };
extern const ocl_pipeline_tile_t prim__ocl_pipeline_tiles[OCL_PIPELINE_NTILES];

/// How operands are read.
typedef struct {
    bool src_along_k, wei_along_k;
    int src_vec, wei_vec; ///< elements of a copy across k
} ocl_pipeline_operands_t;

/// Each of them is contiguous along k or across.
ocl_pipeline_operands_t prim__ocl_pipeline_operands(const matmul_shape_t *shape);

/// Work-items and local memory of a group.
size_t prim__ocl_pipeline_items(const ocl_pipeline_tile_t *tile);
uint64_t prim__ocl_pipeline_local_bytes(
        const ocl_pipeline_tile_t *tile, const ocl_pipeline_operands_t *operands);

/// Whether groups of the device with so much local memory hold the tile.
bool prim__ocl_pipeline_fits(const ocl_device_t *device, const ocl_pipeline_tile_t *tile,
        const ocl_pipeline_operands_t *operands, uint64_t local_bytes);
ocl_tile_speed_t prim__ocl_pipeline_speed(
        const ocl_device_t *device, const ocl_pipeline_tile_t *tile);

/// Cycles of the cheapest tile that fits, `slower` times slower than its speed says; no part of K
/// is deeper than `longest`. 0: none fits.
double prim__ocl_pipeline_cycles(const ocl_device_t *device, const matmul_shape_t *shape,
        uint64_t local_bytes, prim_dim_t longest, double slower);

/// Whether dstᵀ = weiᵀ·srcᵀ is cheaper: tiles for few rows are low and wide, those for few columns
/// are not there.
bool prim__ocl_pipeline_swaps(const ocl_device_t *device, const matmul_shape_t *shape,
        uint64_t local_bytes, prim_dim_t longest);

#endif
