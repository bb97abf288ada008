// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax on OpenCL devices along an axis that is not contiguous: vectors across
// rows.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_softmax_backward.h"

extern const ocl_source_t prim__ocl_softmax_backward_strided_cl;
extern const impl_t prim__ocl_softmax_backward_strided;

enum {
    MAX_GROUP = 512,  ///< work-items of a work-group, which leaves each 128 registers
    MAX_COLUMNS = 32, ///< a warp's
    MIN_COLUMNS = 8,  ///< a cache line of f32 in vectors of 4
    MAX_PER_ITEM =
            8, ///< vectors of dst, and as many of diff_dst, that a work-item keeps in registers
};

typedef struct {
    softmax_backward_pd_t row;
    int64_t chunks; ///< vectors of the contiguous dimension
    int columns, slices, per_item;
} strided_pd_t;

_Static_assert(offsetof(strided_pd_t, row) == 0, "the base comes first");

/// So many work-items share a column that a GPU keeps it in registers and the device has enough of
/// them.
static void share_columns(strided_pd_t *pd, const ocl_device_t *device)
{
    const int64_t gpu_items =
            prim__ocl_estimate_units(device) * 4 * (int64_t)prim__ocl_estimate_lanes(device);
    const int64_t wanted = device->is_cpu ? prim__ocl_estimate_core_items(device) : gpu_items;
    const int64_t ncolumns = pd->row.nrows * pd->chunks, n = pd->row.elems;
    const int most = device->max_group_items < MAX_GROUP ? (int)device->max_group_items : MAX_GROUP;
    const int least_columns = device->is_cpu ? 1 : MIN_COLUMNS;
    const int most_columns = device->is_cpu ? 1 : MAX_COLUMNS;
    pd->slices = 1;
    while (pd->slices * 2 * least_columns <= most && pd->slices < n &&
            ((!device->is_cpu && n > (int64_t)pd->slices * MAX_PER_ITEM) ||
                    ncolumns * pd->slices < wanted))
        pd->slices *= 2;
    pd->columns = least_columns;
    while (pd->columns < most_columns && pd->columns * 2 * pd->slices <= most) pd->columns *= 2;
    pd->per_item = 1;
    while ((int64_t)pd->per_item * pd->slices < n && pd->per_item <= MAX_PER_ITEM)
        pd->per_item *= 2;
    if (pd->per_item > MAX_PER_ITEM) pd->per_item = 0;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    strided_pd_t *const strided = (strided_pd_t *)pd;
    softmax_backward_pd_t *const row = &strided->row;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_softmax_backward_init_columns(pd));
    row->vec = device->is_cpu && device->vector_width_f32 >= 8 ? 16 : 4;
    strided->chunks = prim__ceil_div(row->nest.extents[NEST_INNER], row->vec);
    share_columns(strided, device);
    REQUIRE(pd, device->max_group_items >= (size_t)(strided->columns * strided->slices),
            "the device runs work-groups of at most %zu work-items, %d are needed",
            device->max_group_items, strided->columns * strided->slices);
    REQUIRE(pd, row->elems / strided->slices <= OCL_LONGEST_SUM,
            "rows are so long that f32 loses precision in the sum of a work-item");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const strided_pd_t *const pd = (const strided_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_backward_options(&options, &pd->row);
    prim__ocl_options_int(&options, "COLUMNS", pd->columns);
    prim__ocl_options_int(&options, "SLICES", pd->slices);
    prim__ocl_options_int(&options, "PER_ITEM", pd->per_item);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_softmax_backward_strided_cl, &options, "softmax_backward_strided"));
    return prim__ocl_primitive_add_data(p, &pd->row.nest, sizeof pd->row.nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const strided_pd_t *const pd = (const strided_pd_t *)primitive->pd;
    const int64_t ncolumns = pd->row.nrows * pd->chunks;
    ocl_args_t args;
    prim__ocl_softmax_backward_args(&args, p, ctx);
    prim__ocl_args_i64(&args, pd->row.nest.extents[NEST_INNER]);
    prim__ocl_args_i64(&args, pd->chunks);
    const ocl_range_t range = prim__ocl_range_groups(
            prim__ceil_div(ncolumns, pd->columns), (size_t)(pd->columns * pd->slices));
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_backward_strided = {
        .name = "ocl:softmax:backward_strided",
        .pd_size = sizeof(strided_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
