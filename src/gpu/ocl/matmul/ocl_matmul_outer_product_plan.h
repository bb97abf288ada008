// SPDX-License-Identifier: Apache-2.0
// Tiles of ocl_matmul_outer_product.cl, and which depths it is for.
#ifndef PRIM_OCL_MATMUL_OUTER_PRODUCT_PLAN_H
#define PRIM_OCL_MATMUL_OUTER_PRODUCT_PLAN_H

#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_gemm.h"

/// Work-items along the columns, groups of them along the rows, and all of a work-group.
enum { OCL_OUTER_PRODUCT_LANES = 32, OCL_OUTER_PRODUCT_TEAMS = 8, OCL_OUTER_PRODUCT_ITEMS = 256 };

/// Rows and columns of a work-item, and the most indices of K that local memory holds.
typedef struct {
    int tm, tn, bk;
} ocl_outer_product_tile_t;

/// The largest first.
enum { OCL_OUTER_PRODUCT_NTILES = 6 };
extern const ocl_outer_product_tile_t prim__ocl_outer_product_tiles[OCL_OUTER_PRODUCT_NTILES];

/// Whether strides are below 2^23, so that 32 bits address what a group reads of an operand.
bool prim__ocl_outer_product_takes(const matmul_shape_t *shape);

/// The most K up to which products take no longer than the stores of their sums; elements of src
/// have so many bytes.
prim_dim_t prim__ocl_outer_product_most_depth(const ocl_device_t *device, size_t src_bytes);

/// Whether groups of the device hold the tile, and less than half of its columns are outside of
/// dst.
bool prim__ocl_outer_product_fits(
        const ocl_device_t *device, const matmul_shape_t *shape, int tile);

/// The number of the largest that fits and leaves two groups for each compute unit, else of the
/// smallest; -1 where none fits.
int prim__ocl_outer_product_tile(const ocl_device_t *device, const matmul_shape_t *shape);

/// Work-groups of the tile.
prim_dim_t prim__ocl_outer_product_ngroups(const matmul_shape_t *shape, int tile);

/// Whether this variant is the fastest: up to that depth, but for few rows or columns of f32 or of
/// many groups, which others read in fewer steps; and deeper where all groups run at once and the
/// elements of 16 bits are not 16-byte aligned: matrix units wait for them several times.
bool prim__ocl_outer_product_pays(
        const ocl_device_t *device, const matmul_shape_t *shape, size_t src_bytes);

/// Indices of K that local memory holds, a power of 2: no more than a product needs.
int prim__ocl_outer_product_panel_depth(const matmul_shape_t *shape, int tile);
uint64_t prim__ocl_outer_product_local_bytes(const matmul_shape_t *shape, int tile, int depth);

#endif
