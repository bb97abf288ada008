// SPDX-License-Identifier: Apache-2.0
// Host side of the grid barrier (clh/grid_barrier.h), at which the work-groups of one kernel
// exchange partial results: the barrier's slots in the scratchpad, which are 0 when the kernel
// starts.
//
//     TRY(prim__ocl_grid_barrier_require(pd));                     // init_pd
//     prim__ocl_grid_barrier_book(&barrier, pd, nslots);
//     prim__ocl_grid_barrier_options(&options, pd, &barrier, 128); // init
//     TRY(prim__ocl_grid_barrier_add_kernel(primitive));
//     TRY(prim__ocl_grid_barrier_clear(ctx, kernel, &barrier));    // execute
//     // __global uint *barrier_slots, long barrier_slots_off, int max_polls
//     prim__ocl_grid_barrier_args(&args, ctx, &barrier);
#ifndef PRIM_OCL_GRID_BARRIER_H
#define PRIM_OCL_GRID_BARRIER_H

#include "ocl_primitive.h"

typedef struct {
    size_t bytes_at;   ///< of the scratchpad
    int64_t nslots;    ///< 32-bit words
    int32_t max_polls; ///< looks before a group does without the others
    bool waits;        ///< groups run beside each other
} ocl_grid_barrier_t;

/// Declines where groups were not seen to wait for each other, or on processors to do without.
prim_status_t prim__ocl_grid_barrier_require(prim_desc_t *pd);
/// Books `nslots` slots and fills *barrier.
void prim__ocl_grid_barrier_book(ocl_grid_barrier_t *barrier, prim_desc_t *pd, int64_t nslots);
/// Work-groups that a compute unit has at a time, at least, where work-items have so many registers
/// at most; 1 where the compiler does not limit them.
int prim__ocl_grid_barrier_unit_groups(
        const prim_engine_t *engine, int group_items, int registers, size_t local_bytes);
/// For kernels that hold src in registers between two passes: prefers other variants unless the
/// `ngroups` work-groups of a `unit` ("row") are resident at once, and where src, of `src_bytes`,
/// is read again from the cache in less time.
prim_status_t prim__ocl_grid_barrier_prefer(
        prim_desc_t *pd, const char *unit, int ngroups, int unit_groups, uint64_t src_bytes);
/// Adds RELAXED_ATOMICS, LANE_SHUFFLE, and REGISTERS: how many of them a work-item may have so that
/// enough work-groups are resident, where the compiler has such an option, else 0.
void prim__ocl_grid_barrier_options(ocl_options_t *options, const prim_desc_t *pd,
        const ocl_grid_barrier_t *barrier, int registers);
/// Adds the kernel that clears the slots.
prim_status_t prim__ocl_grid_barrier_add_kernel(ocl_primitive_t *primitive);
/// Launches it.
prim_status_t prim__ocl_grid_barrier_clear(
        const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const ocl_grid_barrier_t *barrier);
/// Adds the slots: two parameters.
void prim__ocl_grid_barrier_slots(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_grid_barrier_t *barrier);
/// Adds the slots and max_polls.
void prim__ocl_grid_barrier_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_grid_barrier_t *barrier);

#endif
