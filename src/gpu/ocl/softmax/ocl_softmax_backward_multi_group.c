// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax over the contiguous axis for rows too long for one work-group: several
// work-groups share a row and exchange their sums through a grid barrier.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/scratch_data.h"
#include "gpu/ocl/kit/ocl_grid_barrier.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "ocl_softmax.h"
#include "ocl_softmax_backward.h"

extern const ocl_source_t prim__ocl_softmax_backward_multi_group_cl;
extern const impl_t prim__ocl_softmax_backward_multi_group;

enum { GROUP_KEEPS = 1 << 15 }; ///< elements of a row up to which one work-group is as fast

typedef struct {
    softmax_backward_pd_t row;
    bool is_raw;
    ocl_softmax_kept_t kept; ///< vectors: of dst, and as many of diff_dst
    ocl_softmax_pieces_t pieces;
    ocl_grid_barrier_t barrier;
} multi_group_pd_t;

_Static_assert(offsetof(multi_group_pd_t, row) == 0, "the base comes first");

enum { JOINT, CLEAR };
enum { NEST_DIFF_SRC, NEST_DST, NEST_DIFF_DST, NTENSORS };

static int64_t row_step(const multi_group_pd_t *multi, int tensor)
{
    return multi->row.nest.strides[tensor][NEST_ROW - 1];
}

static void choose_pieces(multi_group_pd_t *multi, const ocl_device_t *device)
{
    multi->kept = prim__ocl_softmax_kept(device, multi->row.vec != 4);
    multi->kept.vectors = (int32_t)prim__max(multi->kept.vectors / 2, 1);
    multi->pieces = prim__ocl_softmax_pieces(
            multi->row.elems, multi->kept.items * multi->kept.vectors, multi->row.vec);
}

static bool is_raw(const prim_desc_t *pd)
{
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return prim__ocl_device(pd->engine)->splits_unaligned &&
           dst == prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type &&
           dst == prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->data_type;
}

// All work-groups of a row must be resident at once, beside those of other rows. Where dst and
// diff_dst fit the cache, one group reads them twice in the same time.
static prim_status_t prefer_others(prim_desc_t *pd)
{
    const multi_group_pd_t *const multi = (const multi_group_pd_t *)pd;
    const int64_t n = multi->row.elems;
    const size_t elem_bytes = prim__ocl_softmax_backward_elem_bytes(pd);
    const uint64_t bytes = 2 * (uint64_t)(n * multi->row.nrows) * elem_bytes;
    PREFER_OTHER_UNLESS(
            pd, n > GROUP_KEEPS, "rows of %lld elements: one work-group is as fast", (long long)n);
    PREFER_OTHER_UNLESS(
            pd, multi->is_raw, "the data types of dst, diff_dst and diff_src are not the same");
    for (int t = 0; t < NTENSORS; ++t)
        PREFER_OTHER_UNLESS(pd, row_step(multi, t) % multi->row.vec == 0,
                "rows of a tensor do not start at multiples of the vector width");
    return prim__ocl_grid_barrier_prefer(pd, "row", (int)multi->pieces.count, 1, bytes);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    multi_group_pd_t *const multi = (multi_group_pd_t *)pd;
    softmax_backward_pd_t *const row = &multi->row;
    TRY(prim__ocl_softmax_backward_init(pd));
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int64_t n = row->elems;
    row->vec = prim__ocl_softmax_backward_elem_bytes(pd) < 4 ? 8 : 4;
    REQUIRE(pd, row->nest.first_loop >= NEST_ROW - 1,
            "the dimensions outside the axis cannot be merged into one");
    REQUIRE(pd, n % row->vec == 0,
            "rows of %lld elements are not a multiple of the vector width %d", (long long)n,
            row->vec);
    REQUIRE(pd, n <= INT32_MAX && row->nrows <= INT32_MAX / n,
            "dst has 2^31 elements; this variant counts with 32 bits");
    choose_pieces(multi, device);
    const size_t local_bytes = SCRATCH_OF_A_ROW((size_t)multi->kept.items) * sizeof(float);
    REQUIRE(pd, device->local_bytes >= local_bytes + sizeof(cl_int),
            "the device has less than %zu bytes of local memory", local_bytes);
    REQUIRE(pd, device->max_group_items >= (size_t)multi->kept.items,
            "the device's work-groups are smaller than %d work-items", (int)multi->kept.items);
    multi->is_raw = is_raw(pd);
    TRY(prefer_others(pd));
    TRY(prim__ocl_grid_barrier_require(pd));
    prim__ocl_grid_barrier_book(&multi->barrier, pd, row->nrows * multi->pieces.count);
    return PRIM_SUCCESS;
}

/// Work-groups on all compute units, where the registers of each decide; else any number.
static int resident_groups(const ocl_device_t *device, const ocl_softmax_kept_t *kept)
{
    const int registers = kept->registers * kept->items;
    const int on_one = registers > 0 ? device->nv_group_registers / registers : 0;
    return (int)device->compute_units * (on_one > 0 ? on_one : 1);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const base = primitive->pd;
    const multi_group_pd_t *const multi = (const multi_group_pd_t *)base;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_backward_options(&options, &multi->row);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_int(&options, "PER_ITEM", multi->kept.vectors);
    prim__ocl_options_int(&options, "GROUP_ITEMS", multi->kept.items);
    prim__ocl_options_int(
            &options, "AHEAD", resident_groups(prim__ocl_device(base->engine), &multi->kept));
    prim__ocl_raw_vec_options(&options, base, multi->is_raw);
    prim__ocl_grid_barrier_options(&options, base, &multi->barrier, multi->kept.registers);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_softmax_backward_multi_group_cl, &options,
            "softmax_backward_multi_group"));
    return prim__ocl_grid_barrier_add_kernel(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const multi_group_pd_t *const multi = (const multi_group_pd_t *)primitive->pd;
    TRY(prim__ocl_grid_barrier_clear(ctx, p->kernels[CLEAR], &multi->barrier));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_i64(&args, row_step(multi, NEST_DST));
    prim__ocl_args_i64(&args, row_step(multi, NEST_DIFF_DST));
    prim__ocl_args_i64(&args, row_step(multi, NEST_DIFF_SRC));
    prim__ocl_args_i64(&args, multi->row.elems);
    prim__ocl_args_i32(&args, multi->pieces.count);
    prim__ocl_args_i32(&args, multi->pieces.elems);
    prim__ocl_grid_barrier_args(&args, ctx, &multi->barrier);
    prim__ocl_args_local(&args, SCRATCH_OF_A_ROW((size_t)multi->kept.items) * sizeof(float));
    prim__ocl_args_local(&args, sizeof(cl_int));
    const ocl_range_t range = prim__ocl_range_groups(
            multi->row.nrows * multi->pieces.count, (size_t)multi->kept.items);
    return prim__ocl_launch(ctx, p->kernels[JOINT], &range, &args);
}

const impl_t prim__ocl_softmax_backward_multi_group = {
        .name = "ocl:softmax:backward_multi_group",
        .pd_size = sizeof(multi_group_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
