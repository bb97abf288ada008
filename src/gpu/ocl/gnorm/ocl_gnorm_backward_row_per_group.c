// SPDX-License-Identifier: Apache-2.0
// Gradients of group normalisation of NCHW: one work-group for each group of channels of an image,
// then the sums of planes over the images.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_norm_backward.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_gnorm.h"

extern const ocl_source_t prim__ocl_gnorm_backward_row_per_group_cl;
extern const impl_t prim__ocl_gnorm_backward_row_per_group;

typedef struct {
    gnorm_rows_pd_t rows;
    size_t planes_bytes_at; ///< in the scratchpad
} backward_pd_t;

_Static_assert(offsetof(backward_pd_t, rows) == 0, "the base comes first");

enum {
    CPU_KEPT = 4, ///< vectors of each tensor, of a work-item of a CPU-type device
    // Registers of 32 bits that GPUs have.
    VECTOR_REGISTERS = 8, ///< for a vector of src and one of diff_dst
    UNIT_REGISTERS = 65536,
    ITEM_REGISTERS = 255,
    HALVES_REGISTERS = 128, ///< of a work-item that keeps 16 bits: two groups of 256 on a unit
    HALVES_KEPT = 13,       ///< vectors of each tensor that it keeps under that limit
};

/// Vectors of each tensor that a work-item keeps where its work-group has a compute unit to itself.
static int most_kept(const ocl_device_t *device, int items)
{
    if (device->is_cpu) return CPU_KEPT;
    const int most = prim__ocl_measured_int(device, MEASURED_GNORM_BACKWARD_ITEM_VECTORS, CPU_KEPT);
    const int spare = prim__ocl_measured_int(device, MEASURED_GNORM_BACKWARD_SPARE_REGISTERS, 32);
    const int all = UNIT_REGISTERS / items;
    const int fit = ((all < ITEM_REGISTERS ? all : ITEM_REGISTERS) - spare) / VECTOR_REGISTERS;
    return fit < most ? fit : most;
}

static bool keep_row(gnorm_rows_pd_t *rows, int items)
{
    const int64_t nvectors = rows->data.spatial / rows->vec;
    if (items < rows->slots) return false;
    const int64_t per_item = prim__ceil_div(nvectors, items / rows->slots);
    if (per_item > most_kept(prim__ocl_device(rows->base.engine), items)) return false;
    rows->group_items = items;
    rows->per_item = (int)per_item;
    return true;
}

/// A work-item keeps vectors of one plane alone, where there are as many slots as channels. The
/// fewer work-items have a row, the more of its loads are in flight, for each has more registers;
/// but rows that leave compute units idle have as many as they can.
static void keep_rows(gnorm_rows_pd_t *rows)
{
    const ocl_device_t *const device = prim__ocl_device(rows->base.engine);
    const ocl_gnorm_data_t *const data = &rows->data;
    if (rows->slots != data->group_channels || data->spatial % rows->vec != 0) return;
    const int64_t nrows = prim__pd_md(&rows->base, PRIM_ARG_SRC)->dims[0] * data->groups;
    const bool are_few = nrows < prim__ocl_estimate_units(device);
    const int most = rows->group_items, few = prim__ocl_gnorm_least_items(device);
    const int least = most < few ? most : few;
    for (int k = 1; k <= most / least; k *= 2)
        if (keep_row(rows, are_few ? most / k : least * k)) return;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    backward_pd_t *const backward = (backward_pd_t *)pd;
    TRY(prim__ocl_gnorm_init_rows(pd, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC));
    keep_rows(&backward->rows);
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    backward->planes_bytes_at =
            prim__pd_book_scratchpad(pd, (size_t)(src->dims[0] * src->dims[1]) * 2 * sizeof(float));
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const gnorm_rows_pd_t *const rows = (const gnorm_rows_pd_t *)pd;
    ocl_options_t options;
    prim__ocl_gnorm_options(&options, rows);
    prim__ocl_options_type(&options, "DIFF_DST", prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(&options, "DIFF_SRC", prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(
            &options, "ARE_CONSTANTS", (pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0);
    const int fit = UNIT_REGISTERS / rows->group_items;
    const int limit = fit < HALVES_REGISTERS ? fit : HALVES_REGISTERS;
    prim__ocl_gnorm_limit_registers(&options, rows, rows->per_item <= HALVES_KEPT ? limit : 0);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_gnorm_backward_row_per_group_cl, &options,
            "gnorm_backward_row_per_group"));
    TRY(prim__ocl_primitive_add_data(p, &rows->data, sizeof rows->data));
    return prim__ocl_norm_backward_add_channels(p, rows->data.groups, 1);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE, PRIM_ARG_DIFF_DST,
            PRIM_ARG_SCALE, PRIM_ARG_DIFF_SRC};
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const backward_pd_t *const pd = (const backward_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i)
        prim__ocl_args_tensor(&args, ctx, tensors[i]);
    prim__ocl_args_scratchpad(&args, ctx, pd->planes_bytes_at, 2 * sizeof(float));
    const ocl_range_t range = prim__ocl_gnorm_range(&pd->rows);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_norm_backward_channels(p, ctx, 1, pd->planes_bytes_at);
}

const impl_t prim__ocl_gnorm_backward_row_per_group = {
        .name = "ocl:gnorm:backward_row_per_group",
        .pd_size = sizeof(backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
