// SPDX-License-Identifier: Apache-2.0
// Binary on GPUs where src0, src1 and dst are contiguous and of one layout: one vector of at least
// 16 bytes per work-item.
#include "common/data_type.h"
#include "common/int_math.h"
#include "ocl_binary.h"

extern const ocl_source_t prim__ocl_binary_dense_cl;
extern const impl_t prim__ocl_binary_dense;

typedef struct {
    prim_desc_t base;
    int vec; ///< elements of a work-item
} dense_pd_t;

_Static_assert(offsetof(dense_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_binary_init(pd));
    const prim_memory_desc_t *const mds[] = {prim__pd_md(pd, PRIM_ARG_DST),
            prim__pd_md(pd, PRIM_ARG_SRC_0), prim__pd_md(pd, PRIM_ARG_SRC_1)};
    REQUIRE(pd, prim__ocl_binary_are_dense(pd, mds, 3),
            "src0, src1 and dst differ in shape or layout or have gaps; this variant treats them "
            "as one contiguous array");
    TRY(prim__ocl_binary_require_two_floats(pd));
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    ((dense_pd_t *)pd)->vec = prim__ocl_binary_vec(device, mds);
    PREFER_OTHER_UNLESS(pd, !device->is_cpu,
            "the device is CPU-type: one vector per work-item is too little work");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const int vec = ((const dense_pd_t *)pd)->vec;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC0", prim__pd_md(pd, PRIM_ARG_SRC_0)->data_type);
    prim__ocl_options_type(&options, "SRC1", prim__pd_md(pd, PRIM_ARG_SRC_1)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->op.alg_kind);
    prim__ocl_options_int(&options, "VEC", vec);
    prim__ocl_options_int(&options, "REAL_WIDTH", vec);
    return prim__ocl_primitive_add_kernel(
            (ocl_primitive_t *)primitive, &prim__ocl_binary_dense_cl, &options, "binary_dense");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const int vec = ((const dense_pd_t *)primitive->pd)->vec;
    const prim_dim_t nelems = prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_DST));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_0);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, nelems);
    const ocl_range_t range = prim__ocl_range_short(p->kernels[0], prim__ceil_div(nelems, vec));
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_binary_dense = {
        .name = "ocl:binary:dense",
        .pd_size = sizeof(dense_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
