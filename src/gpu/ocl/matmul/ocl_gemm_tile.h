// SPDX-License-Identifier: Apache-2.0
// Host side of clh/gemm_tile.h: products in tiles of dst, K split over work-groups where tiles
// are too few to fill the device, and the cost model that chooses tiles and splits.
#ifndef PRIM_OCL_GEMM_TILE_H
#define PRIM_OCL_GEMM_TILE_H

#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_gemm.h"

/// What a kernel does in one group, and how fast.
typedef struct {
    int bm, bn, bk;
    /// Multiplications and additions in a cycle of a compute unit with one group on it, and with as
    /// many as it holds.
    double rate_alone, rate_full;
    bool overlaps_ends; ///< a group stores a tile while it loads the next
    bool takes_all_k;   ///< K is not split
    double finish;      ///< of bias and post-ops, in cycles of an element of dst
    /// K is not split into more groups than so many for each compute unit, which keep its memory
    /// busy; 0: as many as the model likes.
    int unit_groups;
} ocl_tile_speed_t;

/// How a product is cut.
typedef struct {
    int bm, bn;
    int nsplits, split_k;  ///< parts of K, and the length of one
    size_t partial_offset; ///< booked in the scratchpad if nsplits > 1
    bool sums_in_kernel;   ///< the kernel may add the partial sums itself: clh/gemm_splits.h
    int max_polls;         ///< looks of a group for the others of its tile then
    bool waits;            ///< groups wait for each other for other things than partial sums
} ocl_tiling_t;

/// The names of what prim__ocl_tiling_offer() offers.
#define OCL_TILING_PARAMS "bm bn bk stages splits"

/// Offers the tile with every number of splits that may make sense; whether one of them is to be
/// taken, which is then in `tiling`. One model for all kernels gives the cost in cycles of the
/// device: work-groups go to compute units round-robin, the busiest unit decides; splits pay for
/// the traffic of partial sums and for another launch. No part is deeper than `longest`, which
/// prim__ocl_gemm_longest() allows. `stages` distinguishes tiles of the same sizes.
bool prim__ocl_tiling_offer(ocl_tiling_t *tiling, ocl_tune_t *tune, const ocl_device_t *device,
        const matmul_shape_t *shape, const ocl_tile_speed_t *speed, prim_dim_t longest, int stages);

/// The cycles of the cheapest number of splits of such an offer.
double prim__ocl_tiling_cycles(const ocl_device_t *device, const matmul_shape_t *shape,
        const ocl_tile_speed_t *speed, prim_dim_t longest);

/// Whether sizes are what these kernels index with 32 bits, and partial sums in reasonable bounds.
bool prim__ocl_tiling_fits(const matmul_shape_t *shape);

/// Adds GEMM_TILE_PARAMS and GEMM_PARAMS, the last parameters.
prim_status_t prim__ocl_tiling_args(ocl_args_t *args, ocl_gemm_vectors_t *vectors,
        const ocl_tiling_t *tiling, const ocl_gemm_t *gemm, const ocl_primitive_t *primitive,
        const exec_ctx_t *ctx, int wei_skip);
/// The groups of the main kernel, of `items` work-items; `src_skip`, `wei_skip` rows and
/// columns are computed on top.
ocl_range_t prim__ocl_tiling_range(const ocl_tiling_t *tiling, const matmul_shape_t *shape,
        int src_skip, int wei_skip, size_t items);
/// How the main kernel is launched: work-items of a work-group, and rows of src and columns of
/// weights that are computed on top.
typedef struct {
    size_t items;
    int src_skip, wei_skip;
} ocl_tiling_launch_t;

/// Adds the last parameters, launches kernels[0], and reduces the partial sums.
prim_status_t prim__ocl_tiling_run(const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        ocl_args_t *args, ocl_gemm_vectors_t *vectors, const ocl_tiling_t *tiling,
        const ocl_gemm_t *gemm, const ocl_tiling_launch_t *launch);

/// The element, counted from a multiple of 4096 bytes, at which the tensor starts that is the last
/// two arguments.
int64_t prim__ocl_tiling_place(const ocl_args_t *args, size_t elem_bytes);
/// Starts the arguments with src, weights and dst. Clears the flag of an operand that does not
/// start at a multiple of 16 bytes.
void prim__ocl_tiling_args_tensors(ocl_args_t *args, const exec_ctx_t *ctx, size_t elem_bytes,
        bool *src_is_aligned, bool *wei_is_aligned);
/// Whether that tensor starts at a multiple of 16 bytes.
bool prim__ocl_tiling_starts_aligned(const ocl_args_t *args, size_t elem_bytes);
/// Elements by which that tensor starts behind a multiple of `vec`; takes them off, so that the
/// kernel starts there.
int prim__ocl_tiling_align(ocl_args_t *args, int vec, size_t elem_bytes);

#endif
