// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis of short rows on GPUs: a work-item per row, a work-group's rows
// through local memory.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_row_per_item_tile_cl;
extern const impl_t prim__ocl_softmax_row_per_item_tile;

enum {
    GROUP_ITEMS = 128, ///< four warps
    MOST_ELEMS = 64,   ///< that a work-item keeps in registers
    FEW_ELEMS = 8,     ///< one or two vectors: so few that a group would not be busy
};

static prim_status_t init_pd(prim_desc_t *pd)
{
    softmax_pd_t *const softmax = (softmax_pd_t *)pd;
    TRY(prim__ocl_softmax_init_rows(pd));
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int64_t n = softmax->axis_elems;
    softmax->vec = prim__ocl_raw_vec(pd);
    REQUIRE(pd, n <= MOST_ELEMS, "rows of %lld elements; this variant takes up to %d", (long long)n,
            MOST_ELEMS);
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    REQUIRE(pd,
            type == prim__pd_md(pd, PRIM_ARG_DST)->data_type &&
                    (type == PRIM_F32 || type == PRIM_F16 || type == PRIM_BF16),
            "src and dst are not both f32, f16 or bf16");
    REQUIRE(pd, softmax->nest.first_loop >= NEST_ROW - 1,
            "the dimensions outside the axis cannot be merged into one");
    for (int t = 0; t < 2; ++t)
        REQUIRE(pd, softmax->nitems == 1 || softmax->nest.strides[t][NEST_ROW - 1] == n,
                "rows of src or dst have gaps between them");
    REQUIRE(pd, device->max_group_items >= GROUP_ITEMS,
            "the device runs work-groups of at most %zu work-items, %d are needed",
            device->max_group_items, GROUP_ITEMS);
    softmax->per_item = softmax->vec;
    while (softmax->per_item < n) softmax->per_item *= 2;
    const size_t tile_bytes = (size_t)(softmax->per_item / softmax->vec) * 16 * GROUP_ITEMS;
    REQUIRE(pd, device->local_bytes >= tile_bytes,
            "the device has less than %zu bytes of local memory", tile_bytes);
    const int most = prim__ocl_measured_int(device, MEASURED_SOFTMAX_TILE_ELEMS, MOST_ELEMS);
    PREFER_OTHER_UNLESS(pd, !device->is_cpu,
            "the device is CPU-type: `softmax:row_per_item` gives a work-item whole rows");
    PREFER_OTHER_UNLESS(pd, n <= FEW_ELEMS || (n <= most && n % softmax->vec != 0),
            "rows of %lld elements: above %d, and multiples of the vector width, others are faster",
            (long long)n, most);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const softmax_pd_t *const pd = (const softmax_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_options(&options, primitive->pd);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "PER_ITEM", pd->per_item / pd->vec);
    prim__ocl_options_int(&options, "GROUP_ITEMS", GROUP_ITEMS);
    prim__ocl_softmax_row_options(&options, primitive->pd, prim__ocl_is_raw(primitive->pd), false);
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_softmax_row_per_item_tile_cl, &options, "softmax_row_per_item_tile"));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const softmax_pd_t *const pd = (const softmax_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_softmax_args(&args, primitive->pd, ctx);
    prim__ocl_args_i32(&args, (int32_t)pd->axis_elems);
    prim__ocl_args_i64(&args, pd->nitems);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range =
            prim__ocl_range_groups(prim__ceil_div(pd->nitems, GROUP_ITEMS), GROUP_ITEMS);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_row_per_item_tile = {
        .name = "ocl:softmax:row_per_item_tile",
        .pd_size = sizeof(softmax_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
