// SPDX-License-Identifier: Apache-2.0
// Host side of clh/gnorm_slices.h: work-groups that share an image's block of channels of
// contiguous NHWC, keep a slice of its positions of one or two tensors each, and exchange sums
// through a grid barrier.
#ifndef PRIM_OCL_GNORM_SLICES_H
#define PRIM_OCL_GNORM_SLICES_H

#include "gpu/ocl/kit/ocl_grid_barrier.h"
#include "ocl_gnorm_nhwc.h"

/// What a work-item may keep: vectors of each tensor in registers and in local memory.
typedef struct {
    int item_vectors, local_vectors, ntensors;
} gnorm_kept_t;

typedef struct {
    gnorm_nhwc_pd_t nhwc;
    gnorm_kept_t kept;
    bool copies_async;       ///< to local memory
    bool groups_are_vectors; ///< groups are whole vectors
    int team;                ///< work-items that add up a group
    int32_t block_groups;    ///< groups of a block
    size_t local_bytes;      ///< floats of a work-group
    ocl_grid_barrier_t barrier;
} gnorm_slices_pd_t;

_Static_assert(offsetof(gnorm_slices_pd_t, nhwc) == 0, "the base comes first");

/// Behind prim__ocl_gnorm_nhwc_init_tensors(): blocks and slices for work-items that keep at most
/// that much of src, and of a second tensor `other` if there are two; declines statistics that are
/// given (init_pd).
prim_status_t prim__ocl_gnorm_slices_init(gnorm_slices_pd_t *pd, gnorm_kept_t most, int other);
/// Sets local_bytes to what is kept and so many floats, and declines devices with less.
prim_status_t prim__ocl_gnorm_slices_require_local(gnorm_slices_pd_t *pd, int64_t floats);
/// Prefers other variants where a second pass over the tensors costs less than the barrier of
/// work-items that have so many registers at most.
prim_status_t prim__ocl_gnorm_slices_prefer(gnorm_slices_pd_t *pd, int registers);
/// Books the slots of `rounds` rounds, and `centres` words behind them for each group of an image.
prim_status_t prim__ocl_gnorm_slices_book(gnorm_slices_pd_t *pd, int rounds, int centres);
/// Adds SRC, VEC, GROUP_ITEMS, CACHE_HINTS, ASYNC_COPY, COPY_16_KEEPS and those of
/// clh/gnorm_slices.h, clh/grid_barrier.h with that limit of registers.
void prim__ocl_gnorm_slices_options(
        ocl_options_t *options, const gnorm_slices_pd_t *pd, int registers);
/// Adds the barrier's slots, max_polls and both local arrays.
void prim__ocl_gnorm_slices_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const gnorm_slices_pd_t *pd);
ocl_range_t prim__ocl_gnorm_slices_range(const gnorm_slices_pd_t *pd);

#endif
