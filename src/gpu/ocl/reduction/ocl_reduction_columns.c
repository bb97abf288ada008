// SPDX-License-Identifier: Apache-2.0
// Reduction of dimensions none of which is contiguous: a work-item for a vector of neighbouring
// elements of dst, or for a slice of the elements behind them.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "ocl_reduction.h"

extern const ocl_source_t prim__ocl_reduction_columns_cl;
extern const impl_t prim__ocl_reduction_columns;

/// A slice has so many rows at least.
enum { LEAST_ROWS = 4 * REDUCTION_AT_ONCE };

static int64_t count_vectors(const ocl_reduction_pd_t *pd)
{
    return prim__ceil_div(pd->data.inner, pd->vec) * (pd->data.ndst / pd->data.inner);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_reduction_pd_t *const pd = (ocl_reduction_pd_t *)base;
    TRY(prim__ocl_reduction_init_pd(pd, false));
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    pd->group_items =
            device->is_cpu || device->max_group_items < REDUCTION_GROUP ? 1 : REDUCTION_GROUP;
    pd->row_items = 1;
    const int64_t nrows = pd->data.nouter;
    const int64_t fill = prim__ceil_div(prim__ocl_reduction_wanted_items(base), count_vectors(pd));
    const int64_t useful = prim__ceil_div(nrows, LEAST_ROWS);
    const int64_t by_length = prim__ceil_div(nrows, (int64_t)REDUCTION_AT_ONCE * OCL_FOLD);
    const int64_t n = fill < useful ? fill : useful;
    prim__ocl_reduction_set_slices(pd, n > by_length ? n : by_length);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_reduction_init(
            primitive, &prim__ocl_reduction_columns_cl, "reduction_columns");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_reduction_pd_t *const pd = (const ocl_reduction_pd_t *)primitive->pd;
    return prim__ocl_reduction_execute(
            primitive, ctx, prim__ceil_div(count_vectors(pd) * pd->data.nslices, pd->group_items));
}

const impl_t prim__ocl_reduction_columns = {
        .name = "ocl:reduction:columns",
        .pd_size = sizeof(ocl_reduction_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
