// SPDX-License-Identifier: Apache-2.0
// What the implementations of group normalisation for contiguous planes share on the host.
#ifndef PRIM_OCL_GNORM_H
#define PRIM_OCL_GNORM_H

#include "gpu/ocl/clh/shared/gnorm_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_primitive.h"

typedef struct {
    prim_desc_t base;
    int vec, group_items, slots;
    int per_item;      ///< vectors that a work-item keeps in registers; 0: the row is read again
    int local_vectors; ///< that it keeps in local memory beside them
    int registers;     ///< limit of a work-item where there are such; 0: none
    bool copies_async; ///< to local memory
    ocl_gnorm_data_t data;
} gnorm_rows_pd_t;

_Static_assert(offsetof(gnorm_rows_pd_t, base) == 0, "the base comes first");

/// The fewest work-items of a work-group that takes a row.
int prim__ocl_gnorm_least_items(const ocl_device_t *device);
/// Elements of a vector: 16 bytes of the largest type on GPUs. `dst` and `diff_src` are arguments;
/// 0: none.
int prim__ocl_gnorm_vec(const prim_desc_t *pd, int dst, int diff_src);
/// Types, layouts; fills all but per_item. `dst` and `diff_src` are the arguments of data->dst and
/// data->diff_src; 0: none (init_pd).
prim_status_t prim__ocl_gnorm_init_rows(prim_desc_t *pd, int dst, int diff_src);
/// Sets per_item, and work-items for it, if a row is contiguous in src and in the tensor `dst` of
/// the data and short enough for `most` vectors of a work-item.
void prim__ocl_gnorm_keep_rows(gnorm_rows_pd_t *pd, int most);
/// Adds SRC, VEC, GROUP_ITEMS, SLOTS, LANE_SHUFFLE, CACHE_HINTS, PER_ITEM, PER_LOCAL, ASYNC_COPY,
/// COPY_16_KEEPS and WITH_SCALE.
void prim__ocl_gnorm_options(ocl_options_t *options, const gnorm_rows_pd_t *pd);
/// Limits the registers of a work-item that keeps vectors of 16 bits, where the compiler takes a
/// limit.
void prim__ocl_gnorm_limit_registers(ocl_options_t *options, const gnorm_rows_pd_t *pd, int most);
/// A work-group for each group of each image.
ocl_range_t prim__ocl_gnorm_range(const gnorm_rows_pd_t *pd);

#endif
