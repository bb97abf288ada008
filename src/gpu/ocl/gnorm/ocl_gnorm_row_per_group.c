// SPDX-License-Identifier: Apache-2.0
// Group normalisation of NCHW: one work-group for each group of channels of an image.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_gnorm.h"

extern const ocl_source_t prim__ocl_gnorm_row_per_group_cl;
extern const impl_t prim__ocl_gnorm_row_per_group;

enum {
    MOST_KEPT = 8,  ///< vectors of a work-item, of a row that is in registers alone
    REGISTERS = 64, ///< of it, of 16 bits, so that several rows share a compute unit
    // Of rows in local memory.
    WARP = 32,
    VECTOR_BYTES = 16,
    LEAST_VECTORS = 4, ///< of a work-item
    MOST_VECTORS = 16,
    MOST_ITEMS = 512,
    CPU_VECTORS = 2,      ///< at least: CPU-type devices run that code, too
    LEAST_REGISTERS = 40, ///< of a work-item, whose last vector is in registers
    MOST_REGISTERS = 128,
    LEAST_ROWS = 2,         ///< on a compute unit
    LOCAL_OF_DRIVER = 1024, ///< bytes of a work-group
    LEAST_CHANNELS = 8,
    MOST_CHANNELS = 1024
};

/// Channels for whose scales and shifts there is room.
static int room_channels(const gnorm_rows_pd_t *pd)
{
    int room = LEAST_CHANNELS;
    while (room < pd->data.group_channels) room *= 2;
    return room;
}

/// Work-items, whole warps, each with as many vectors, of which the fewest lie behind the end of
/// the row; 0: no number has few enough and enough of them.
static int even_items(int64_t nvectors)
{
    int64_t fewest = INT64_MAX;
    int found = 0;
    for (int items = 2 * WARP; items <= MOST_ITEMS; items += WARP) {
        const int64_t vectors = prim__ceil_div(nvectors, items);
        if (vectors < LEAST_VECTORS || vectors > MOST_VECTORS) continue;
        if (vectors * items >= fewest) continue;
        fewest = vectors * items;
        found = items;
    }
    return found;
}

/// The limit of registers with which as many rows share a compute unit as its local memory holds,
/// or fewer where that leaves a work-item too few; 0: fewer than LEAST_ROWS fit, a row is too long
/// for the local memory of one work-group, or the compiler takes no limit.
static int registers_of(const gnorm_rows_pd_t *pd, int items, int vectors)
{
    const prim_engine_t *const engine = pd->base.engine;
    const ocl_device_t *const device = prim__ocl_device(engine);
    const int pairs = room_channels(pd) + items / WARP;
    const size_t row_bytes = (size_t)((vectors - 1) * items) * VECTOR_BYTES +
                             (size_t)pairs * 2 * sizeof(cl_float) + LOCAL_OF_DRIVER;
    if (row_bytes > device->local_bytes) return 0;
    int nrows = (int)(prim__ocl_feature_local_bytes(engine) / row_bytes);
    for (; nrows >= LEAST_ROWS; --nrows) {
        const int registers = prim__ocl_device_registers_for(device, nrows, items);
        if (registers < LEAST_REGISTERS) continue;
        return registers < MOST_REGISTERS ? registers : MOST_REGISTERS;
    }
    return 0;
}

/// Whether there are more rows than compute units, and asynchronous copies take their vectors, of
/// 16 bits an element, to local memory past the registers.
static bool gains_by_local(const gnorm_rows_pd_t *pd)
{
    const prim_engine_t *const engine = pd->base.engine;
    const ocl_device_t *const device = prim__ocl_device(engine);
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const size_t bytes = prim__dt_bytes(src->data_type);
    return bytes == 2 && bytes * (size_t)pd->vec == VECTOR_BYTES &&
           src->dims[0] * pd->data.groups > prim__ocl_estimate_units(device) &&
           prim__ocl_device_trusts(engine, OCL_FEATURE_ASYNC_COPY);
}

/// Keeps rows in local memory where a compute unit then holds several of them: one is loaded while
/// another is summed or stored.
static void keep_local(gnorm_rows_pd_t *pd)
{
    const int64_t nvectors = pd->data.elems / pd->vec;
    const int items = even_items(nvectors);
    if (items == 0 || !gains_by_local(pd)) return;
    const int vectors = (int)prim__ceil_div(nvectors, items);
    const int registers = registers_of(pd, items, vectors);
    if (registers == 0) return;
    pd->group_items = items;
    pd->per_item = 1;
    pd->local_vectors = vectors - 1;
    pd->registers = registers;
    pd->copies_async = true;
}

static void keep_row(gnorm_rows_pd_t *pd)
{
    const prim_data_type_t type = prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type;
    prim__ocl_gnorm_keep_rows(pd, MOST_KEPT);
    if (pd->per_item == 0 || (pd->base.op.u.norm.flags & PRIM_USE_GLOBAL_STATS)) return;
    if (pd->data.group_channels > MOST_CHANNELS) return;
    if (!prim__ocl_device(pd->base.engine)->is_cpu) {
        keep_local(pd);
    } else if (pd->per_item >= CPU_VECTORS && prim__dt_bytes(type) == 2) {
        pd->local_vectors = pd->per_item - 1;
        pd->per_item = 1;
    }
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gnorm_init_rows(pd, PRIM_ARG_DST, 0));
    REQUIRE(pd, pd->attr.post_ops.len == 0, "there are %d post-ops; this variant has none",
            pd->attr.post_ops.len);
    REQUIRE(pd, pd->attr.nscales == 0, "src or dst has a scale");
    keep_row((gnorm_rows_pd_t *)pd);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const gnorm_rows_pd_t *const rows = (const gnorm_rows_pd_t *)pd;
    ocl_options_t options;
    prim__ocl_gnorm_options(&options, rows);
    prim__ocl_options_type(&options, "DST", prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "WITH_SHIFT", prim__pd_has(pd, PRIM_ARG_SHIFT));
    prim__ocl_options_int(
            &options, "ARE_GIVEN", (pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) != 0);
    prim__ocl_gnorm_limit_registers(&options, rows, REGISTERS);
    const bool is_local = rows->local_vectors > 0;
    if (is_local) prim__ocl_options_int(&options, "MOST_CHANNELS", room_channels(rows));
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_gnorm_row_per_group_cl, &options,
            is_local ? "gnorm_row_in_local" : "gnorm_row_per_group"));
    return prim__ocl_primitive_add_data(p, &rows->data, sizeof rows->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_MEAN, PRIM_ARG_VARIANCE, PRIM_ARG_SCALE,
            PRIM_ARG_SHIFT, PRIM_ARG_DST};
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i)
        prim__ocl_args_tensor(&args, ctx, tensors[i]);
    const ocl_range_t range = prim__ocl_gnorm_range((const gnorm_rows_pd_t *)primitive->pd);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_gnorm_row_per_group = {
        .name = "ocl:gnorm:row_per_group",
        .pd_size = sizeof(gnorm_rows_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
