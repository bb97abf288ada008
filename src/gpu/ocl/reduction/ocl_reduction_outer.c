// SPDX-License-Identifier: Apache-2.0
// Reduction of dimensions none of which is contiguous: a work-group for a tile of neighbouring
// elements of dst, or for a slice of the rows behind them.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_reduction.h"

extern const ocl_source_t prim__ocl_reduction_outer_cl;
extern const impl_t prim__ocl_reduction_outer;

/// A work-item of a GPU has so many rows of a slice, and neighbouring work-items so many vectors of
/// a row at most.
enum { ITEM_ROWS = 16, MOST_COLUMN_ITEMS = 32, LEAST_COLUMN_ITEMS = 8 };

/// Slices are joined by a second kernel, in whose time a work-item of the first reads so many rows.
static int64_t alone_rows(const ocl_reduction_pd_t *pd)
{
    return prim__ocl_measured_int(
            prim__ocl_device(pd->base.engine), MEASURED_REDUCTION_OUTER_ALONE_ROWS, 64);
}

/// Rows of bytes that a work-item adds up: 32 bits hold the sums of a group.
enum { LONGEST_BYTES = 16384 };

/// Work-groups for a slice.
static int64_t count_tiles(const ocl_reduction_pd_t *pd)
{
    const int64_t per_row = prim__ceil_div(pd->data.inner, pd->vec);
    return prim__ceil_div(per_row, pd->group_items / pd->row_items) *
           (pd->data.ndst / pd->data.inner);
}

/// Shares a group among rows and neighbouring vectors of them.
static void set_group(ocl_reduction_pd_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const int64_t nrows = pd->data.nouter, per_row = prim__ceil_div(pd->data.inner, pd->vec);
    const bool is_alone = device->is_cpu || device->max_group_items < REDUCTION_GROUP;
    int column_items = 1;
    pd->group_items = is_alone ? 1 : REDUCTION_GROUP;
    while (column_items < per_row && column_items < MOST_COLUMN_ITEMS &&
            column_items < pd->group_items)
        column_items *= 2;
    pd->row_items = pd->group_items / column_items;
    // Few tiles, too short for slices: their rows go to more work-items.
    while (column_items > LEAST_COLUMN_ITEMS && count_tiles(pd) < device->compute_units &&
            nrows > (int64_t)pd->row_items * prim__ocl_reduction_at_once(pd) &&
            nrows <= pd->row_items * 2 * alone_rows(pd)) {
        column_items /= 2;
        pd->row_items *= 2;
    }
}

/// Slices of as many rows as pay.
static int64_t useful_slices(const ocl_reduction_pd_t *pd)
{
    const int64_t nrows = pd->data.nouter;
    const bool is_cpu = prim__ocl_device(pd->base.engine)->is_cpu;
    if (!is_cpu && nrows <= pd->row_items * alone_rows(pd)) return 1;
    return prim__ceil_div(nrows, (int64_t)ITEM_ROWS * pd->row_items);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_reduction_pd_t *const pd = (ocl_reduction_pd_t *)base;
    TRY(prim__ocl_reduction_init_pd(pd, false));
    pd->has_few_groups = !prim__ocl_device(base->engine)->is_cpu;
    set_group(pd);
    const int64_t nrows = pd->data.nouter;
    const int64_t useful = useful_slices(pd);
    const int longest = prim__ocl_reduction_has_integers(base) ? LONGEST_BYTES : OCL_LONGEST_SUM;
    const int64_t needed = prim__ceil_div(nrows, (int64_t)longest * pd->row_items);
    prim__ocl_reduction_set_slices(pd, count_tiles(pd), count_tiles(pd), useful, needed);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_reduction_init(primitive, &prim__ocl_reduction_outer_cl, "reduction_outer");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_reduction_pd_t *const pd = (const ocl_reduction_pd_t *)primitive->pd;
    return prim__ocl_reduction_execute(primitive, ctx, count_tiles(pd) * pd->data.nslices);
}

const impl_t prim__ocl_reduction_outer = {
        .name = "ocl:reduction:outer",
        .pd_size = sizeof(ocl_reduction_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
