// SPDX-License-Identifier: Apache-2.0
// Reduction of dimensions of which one is contiguous: one or more work-items for each slice of the
// elements behind an element of dst.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_reduction.h"

extern const ocl_source_t prim__ocl_reduction_inner_cl;
extern const impl_t prim__ocl_reduction_inner;

/// A work-item of a GPU has so many vectors before others share its row, or its slice.
enum { ITEM_VECTORS = 8, SLICE_VECTORS = 16 };

/// So many work-items share a row that each has a few vectors; the groups of few rows share them
/// by slices.
static void set_rows(ocl_reduction_pd_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const int64_t nvectors = prim__ceil_div(pd->data.nouter * pd->data.inner, pd->vec);
    const size_t most = device->max_group_items;
    pd->group_items = device->is_cpu ? 1 : most < REDUCTION_GROUP ? 1 : REDUCTION_GROUP;
    pd->row_items = 1;
    while (pd->row_items < pd->group_items && pd->row_items * ITEM_VECTORS < nvectors)
        pd->row_items *= 2;
    // Few rows: all units take part.
    while (!device->is_cpu && pd->row_items < pd->group_items && pd->row_items < nvectors &&
            pd->data.ndst * pd->row_items < (int64_t)device->compute_units * pd->group_items)
        pd->row_items *= 2;
    const int64_t ngroups = prim__ceil_div(pd->data.ndst, pd->group_items / pd->row_items);
    // Slices are joined by a second kernel, in whose time a work-item of the first reads so many.
    const int64_t alone =
            prim__ocl_measured_int(device, MEASURED_REDUCTION_INNER_ALONE_VECTORS, 64);
    const bool is_short = !device->is_cpu && nvectors <= pd->row_items * alone;
    const int64_t useful =
            is_short ? 1 : prim__ceil_div(nvectors, (int64_t)pd->row_items * SLICE_VECTORS);
    // Where src is not aligned, work-items take element by element.
    const int64_t nelems = pd->data.nouter * pd->data.inner;
    const int64_t needed = prim__ceil_div(nelems, (int64_t)OCL_LONGEST_SUM * pd->row_items);
    // Groups that several elements share do not count themselves.
    const int64_t ntiles = pd->row_items < pd->group_items ? INT64_MAX : pd->data.ndst;
    prim__ocl_reduction_set_slices(pd, ngroups, ntiles, useful, needed);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_reduction_pd_t *const pd = (ocl_reduction_pd_t *)base;
    TRY(prim__ocl_reduction_init_pd(pd, true));
    set_rows(pd);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_reduction_init(primitive, &prim__ocl_reduction_inner_cl, "reduction_inner");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_reduction_pd_t *const pd = (const ocl_reduction_pd_t *)primitive->pd;
    const int64_t nrows = pd->data.ndst * pd->data.nslices;
    return prim__ocl_reduction_execute(
            primitive, ctx, prim__ceil_div(nrows, pd->group_items / pd->row_items));
}

const impl_t prim__ocl_reduction_inner = {
        .name = "ocl:reduction:inner",
        .pd_size = sizeof(ocl_reduction_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
