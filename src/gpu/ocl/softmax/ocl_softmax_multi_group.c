// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis for rows too long for one work-group: several work-groups share
// a row and exchange their results through a grid barrier.
#include "common/data_type.h"
#include "gpu/ocl/clh/shared/scratch_data.h"
#include "gpu/ocl/kit/ocl_grid_barrier.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_multi_group_cl;
extern const impl_t prim__ocl_softmax_multi_group;

typedef struct {
    softmax_pd_t softmax;
    bool is_raw;
    ocl_softmax_kept_t kept;
    ocl_softmax_pieces_t pieces;
    ocl_grid_barrier_t barrier;
} multi_group_pd_t;

_Static_assert(offsetof(multi_group_pd_t, softmax) == 0, "the base comes first");

enum { JOINT, CLEAR };

static void choose_pieces(multi_group_pd_t *multi, const ocl_device_t *device)
{
    softmax_pd_t *const softmax = &multi->softmax;
    multi->kept = prim__ocl_softmax_kept(device, softmax->vec != 4);
    softmax->per_item = multi->kept.vectors;
    softmax->group_items = multi->kept.items;
    while ((size_t)softmax->group_items > device->max_group_items) softmax->group_items /= 2;
    multi->pieces = prim__ocl_softmax_pieces(
            softmax->axis_elems, softmax->group_items * softmax->per_item, softmax->vec);
}

// All work-groups of a row must be resident at once, beside those of other rows. Where
// src fits the cache, one group reads it twice in the same time.
static prim_status_t prefer_others(prim_desc_t *pd)
{
    const multi_group_pd_t *const multi = (const multi_group_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int64_t n = multi->softmax.axis_elems, nrows = multi->softmax.nitems;
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const uint64_t src_bytes = (uint64_t)(n * nrows) * prim__dt_bytes(src);
    // What a work-group of 1024 keeps, 32 elements a work-item.
    const int least = prim__ocl_measured_int(device, MEASURED_SOFTMAX_MULTI_LEAST_ELEMS, 1024 * 32);
    PREFER_OTHER_UNLESS(pd, n > least,
            "rows of %lld elements: one work-group holds a row in registers", (long long)n);
    PREFER_OTHER_UNLESS(pd, multi->is_raw, "src and dst differ in data type");
    PREFER_OTHER_UNLESS(pd,
            multi->softmax.nest.strides[0][NEST_ROW - 1] % multi->softmax.vec == 0 &&
                    multi->softmax.nest.strides[1][NEST_ROW - 1] % multi->softmax.vec == 0,
            "rows of src or dst do not start at multiples of the vector width");
    return prim__ocl_grid_barrier_prefer(pd, "row", (int)multi->pieces.count, 1, src_bytes);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    multi_group_pd_t *const multi = (multi_group_pd_t *)pd;
    softmax_pd_t *const softmax = &multi->softmax;
    TRY(prim__ocl_softmax_init_rows(pd));
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int64_t n = softmax->axis_elems;
    softmax->vec = prim__ocl_raw_vec(pd);
    REQUIRE(pd, softmax->nest.first_loop >= NEST_ROW - 1,
            "the dimensions outside the axis cannot be merged into one");
    REQUIRE(pd, n % softmax->vec == 0,
            "rows of %lld elements are not a multiple of the vector width %d", (long long)n,
            softmax->vec);
    REQUIRE(pd, n <= INT32_MAX && softmax->nitems <= INT32_MAX / n,
            "src spans 2^31 elements; this variant indexes with 32 bits");
    choose_pieces(multi, device);
    const size_t local_bytes = (size_t)multi->kept.items * sizeof(float);
    REQUIRE(pd, device->local_bytes >= local_bytes,
            "the device has less than %zu bytes of local memory", local_bytes);
    REQUIRE(pd, device->is_cpu || softmax->group_items == multi->kept.items,
            "the device's work-groups are smaller than %d work-items", (int)multi->kept.items);
    multi->is_raw = prim__ocl_is_raw(pd);
    TRY(prefer_others(pd));
    TRY(prim__ocl_grid_barrier_require(pd));
    prim__ocl_grid_barrier_book(&multi->barrier, pd, 2 * softmax->nitems * multi->pieces.count);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const multi_group_pd_t *const multi = (const multi_group_pd_t *)primitive->pd;
    const softmax_pd_t *const pd = &multi->softmax;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_options(&options, primitive->pd);
    prim__ocl_options_int(&options, "PER_ITEM", pd->per_item);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_softmax_row_options(&options, primitive->pd, multi->is_raw, false);
    prim__ocl_grid_barrier_options(&options, primitive->pd, &multi->barrier, multi->kept.registers);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_softmax_multi_group_cl, &options, "softmax_multi_group"));
    TRY(prim__ocl_grid_barrier_add_kernel(p));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const multi_group_pd_t *const multi = (const multi_group_pd_t *)primitive->pd;
    const softmax_pd_t *const pd = &multi->softmax;
    TRY(prim__ocl_grid_barrier_clear(ctx, p->kernels[CLEAR], &multi->barrier));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_softmax_args(&args, primitive->pd, ctx);
    prim__ocl_args_i64(&args, pd->nest.strides[1][NEST_ROW - 1]);
    prim__ocl_args_i64(&args, pd->nest.strides[0][NEST_ROW - 1]);
    prim__ocl_args_i64(&args, pd->axis_elems);
    prim__ocl_args_i32(&args, multi->pieces.count);
    prim__ocl_args_i32(&args, multi->pieces.elems);
    prim__ocl_grid_barrier_args(&args, ctx, &multi->barrier);
    prim__ocl_args_local(&args, SCRATCH_OF_A_ROW((size_t)pd->group_items) * sizeof(float));
    prim__ocl_args_local(&args, sizeof(cl_int));
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range =
            prim__ocl_range_groups(pd->nitems * multi->pieces.count, (size_t)pd->group_items);
    return prim__ocl_launch(ctx, p->kernels[JOINT], &range, &args);
}

const impl_t prim__ocl_softmax_multi_group = {
        .name = "ocl:softmax:multi_group",
        .pd_size = sizeof(multi_group_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
