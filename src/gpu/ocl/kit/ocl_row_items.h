// SPDX-License-Identifier: Apache-2.0
// How many work-items share a contiguous row that they reduce together.
#ifndef PRIM_OCL_ROW_ITEMS_H
#define PRIM_OCL_ROW_ITEMS_H

#include "ocl_primitive.h"

enum {
    OCL_ROW_MAX_GROUP = 1024, ///< the most work-items that share a row
    OCL_ROW_MIN_ITEMS = 8,    ///< the fewest on a GPU: a cache line of f32 in vectors of 4
};

typedef struct {
    int row_items;   ///< work-items of a row, a power of two
    int group_items; ///< of a work-group: those of one row or of several
    int per_item; ///< vectors of a row that a work-item keeps in registers; 0: the row does not fit
} ocl_row_items_t;

/// For `nrows` rows of `elems` elements in vectors of `vec`, of which a work-item may keep
/// `max_elems` elements (init_pd, tunable as "items"). By estimate a work-item keeps as much as it
/// may, so that few take part in the row's reductions, unless there are too few rows to fill the
/// device.
ocl_row_items_t prim__ocl_row_items(
        prim_desc_t *pd, int64_t nrows, int64_t elems, int vec, int max_elems);

/// Declines devices whose work-groups or local memory are too small for rows shared like this.
prim_status_t prim__ocl_require_row_groups(prim_desc_t *pd);
/// Adds PER_ITEM, ROW_ITEMS, GROUP_ITEMS and LANE_SHUFFLE.
void prim__ocl_row_items_options(
        ocl_options_t *options, const ocl_row_items_t *items, prim_engine_t *engine);
/// As many work-groups as `nrows` rows take.
ocl_range_t prim__ocl_range_row_items(const ocl_row_items_t *items, int64_t nrows);

#endif
