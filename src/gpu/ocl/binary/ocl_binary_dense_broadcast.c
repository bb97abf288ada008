// SPDX-License-Identifier: Apache-2.0
// Binary on GPUs where dst and src0 are contiguous and of one layout, and src1 is broadcast.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/binary_dense_broadcast_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_loops.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_binary.h"

extern const ocl_source_t prim__ocl_binary_dense_broadcast_cl;
extern const impl_t prim__ocl_binary_dense_broadcast;

enum { LOOPS_DST, LOOPS_SRC_0, LOOPS_SRC_1, NTENSORS };
enum { OUTER, MIDDLE, INNER, NLOOPS };

typedef struct {
    prim_desc_t base;
    ocl_binary_dense_broadcast_data_t data;
    int vec;     ///< elements of a vector
    int at_once; ///< vectors of a work-item
    int inner_step;
    int rows; ///< ROWS of the kernel
} broadcast_pd_t;

_Static_assert(offsetof(broadcast_pd_t, base) == 0, "the base comes first");

/// Whether the loops of a tensor are those of a contiguous array.
static bool are_contiguous(const loops_t *loops, int tensor)
{
    int64_t elems = 1;
    for (int l = loops->n - 1; l >= 0; --l) {
        if (loops->extents[l] != 1 && loops->strides[tensor][l] != elems) return false;
        elems *= loops->extents[l];
    }
    return true;
}

static prim_status_t set_loops(broadcast_pd_t *pd, const prim_memory_desc_t *const *mds)
{
    prim_desc_t *const base = &pd->base;
    ocl_binary_dense_broadcast_data_t *const data = &pd->data;
    loops_t loops;
    REQUIRE(base, prim__ocl_loops_init(&loops, mds, NTENSORS),
            "the block sizes of src0, src1 and dst do not divide each other");
    REQUIRE(base, loops.ntails == 0, "a blocked dimension is padded");
    REQUIRE(base, are_contiguous(&loops, LOOPS_DST) && are_contiguous(&loops, LOOPS_SRC_0),
            "dst or src0 has gaps, or src0 is broadcast");
    REQUIRE(base, loops.n <= NLOOPS, "src1 is broadcast by %d loops, at most %d are taken", loops.n,
            NLOOPS);
    prim__ocl_loops_pad(&loops, NLOOPS);
    const int64_t *const steps = loops.strides[LOOPS_SRC_1];
    REQUIRE(base, steps[INNER] == 0 || steps[INNER] == 1,
            "src1 is neither contiguous nor constant along the contiguous dimension of dst");
    const int64_t inner = loops.extents[INNER];
    const bool are_vectors =
            inner % pd->vec == 0 &&
            (steps[INNER] == 0 || (steps[MIDDLE] % pd->vec == 0 && steps[OUTER] % pd->vec == 0));
    pd->rows = are_vectors ? 2 : inner >= pd->vec;
    pd->inner_step = (int)steps[INNER];
    data->inner = prim__ocl_divisor((int32_t)inner);
    data->middle = prim__ocl_divisor((int32_t)loops.extents[MIDDLE]);
    data->middle_step = (int32_t)steps[MIDDLE];
    data->outer_step = (int32_t)steps[OUTER];
    data->nelems = (int32_t)prim__md_nelems(mds[LOOPS_DST]);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    broadcast_pd_t *const pd = (broadcast_pd_t *)base;
    TRY(prim__ocl_binary_init(base));
    TRY(prim__ocl_binary_require_two_floats(base));
    const prim_memory_desc_t *const mds[] = {prim__pd_md(base, PRIM_ARG_DST),
            prim__pd_md(base, PRIM_ARG_SRC_0), prim__pd_md(base, PRIM_ARG_SRC_1)};
    REQUIRE(base, !prim__md_is_empty(mds[0]), "dst has no elements");
    REQUIRE(base, prim__ocl_fits_i32(base), "a tensor has 2^31 elements or more");
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    pd->vec = prim__ocl_binary_vec(device, mds);
    TRY(set_loops(pd, mds));
    // Two vectors where every unit has as many work-items as it holds, 16 for each lane, twice.
    const int64_t busy = (int64_t)device->compute_units * 32 * prim__ocl_estimate_lanes(device);
    pd->at_once = pd->data.nelems / pd->vec >= 2 * busy ? 2 : 1;
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: one vector per work-item is too little work");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const base = primitive->pd;
    const broadcast_pd_t *const pd = (const broadcast_pd_t *)base;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC0", prim__pd_md(base, PRIM_ARG_SRC_0)->data_type);
    prim__ocl_options_type(&options, "SRC1", prim__pd_md(base, PRIM_ARG_SRC_1)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(base, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "ALG", (int64_t)base->op.alg_kind);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "REAL_WIDTH", pd->vec);
    prim__ocl_options_int(&options, "AT_ONCE", pd->at_once);
    prim__ocl_options_int(&options, "INNER_STEP", pd->inner_step);
    prim__ocl_options_int(&options, "ROWS", pd->rows);
    return prim__ocl_primitive_add_kernel((ocl_primitive_t *)primitive,
            &prim__ocl_binary_dense_broadcast_cl, &options, "binary_dense_broadcast");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const broadcast_pd_t *const pd = (const broadcast_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_0);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    const ocl_range_t range = prim__ocl_range_short(
            p->kernels[0], prim__ceil_div(pd->data.nelems, (int64_t)pd->vec * pd->at_once));
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_binary_dense_broadcast = {
        .name = "ocl:binary:dense_broadcast",
        .pd_size = sizeof(broadcast_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
