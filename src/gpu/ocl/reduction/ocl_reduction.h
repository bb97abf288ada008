// SPDX-License-Identifier: Apache-2.0
// What the typed variants of reduction share.
#ifndef PRIM_OCL_REDUCTION_H
#define PRIM_OCL_REDUCTION_H

#include "gpu/ocl/clh/shared/reduction_data.h"
#include "gpu/ocl/kit/ocl_primitive.h"

enum {
    REDUCTION_AT_ONCE = 4, ///< vectors that a work-item loads together
    REDUCTION_MORE_AT_ONCE =
            8, ///< of few groups, and of vectors shorter than REDUCTION_SHORT_BYTES
    REDUCTION_SHORT_BYTES = 8,
    REDUCTION_JOINED = 8,  ///< elements of dst that a group of a GPU joins slices of
    REDUCTION_GROUP = 256, ///< work-items of a group on GPUs
};

typedef struct {
    prim_desc_t base;
    ocl_reduction_data_t data;
    int vec;
    bool peels;                           ///< contiguous rows begin and end within a vector
    int group_items;                      ///< of the kernel that reads src
    int row_items;                        ///< its work-items that share an element of dst
    int join_group_items, join_row_items; ///< of the one that joins slices
    size_t slices_bytes_at;               ///< of the scratchpad
    bool has_few_groups;                  ///< slices are for few groups with many loads in flight
    bool is_counted;                      ///< the last group of a tile joins its slices
} ocl_reduction_pd_t;

_Static_assert(offsetof(ocl_reduction_pd_t, base) == 0, "the base comes first");

/// Whether bytes are added up or compared, exactly; their products are floats.
bool prim__ocl_reduction_has_integers(const prim_desc_t *pd);
/// Vectors that a work-item loads together.
int prim__ocl_reduction_at_once(const ocl_reduction_pd_t *pd);
/// Types, layouts, and loops whose contiguous one is reduced, or stays (init_pd).
prim_status_t prim__ocl_reduction_init_pd(ocl_reduction_pd_t *pd, bool inner_is_reduced);
/// Sets the number of slices, books their room and sets the groups that join them (init_pd).
/// Without slices there are `ngroups` work-groups; more than `useful` slices are too short to pay,
/// less than `needed` are too long for a sum of f32. `ntiles`: parts of dst whose slices one group
/// each stores.
void prim__ocl_reduction_set_slices(
        ocl_reduction_pd_t *pd, int64_t ngroups, int64_t ntiles, int64_t useful, int64_t needed);

/// impl_t.init: the kernel that reads src, and the one that joins slices, if there are any.
prim_status_t prim__ocl_reduction_init(
        prim_t *primitive, const ocl_source_t *source, const char *name);
/// impl_t.execute: `ngroups` work-groups read src.
prim_status_t prim__ocl_reduction_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int64_t ngroups);

#endif
