// SPDX-License-Identifier: Apache-2.0
// Inner product on the CPU through the packed f32 matrix product, for f32, f16 and bf16.
#include "x64_matmul.h"

static bool make_shape(matmul_shape_t *shape, const prim_desc_t *pd)
{
    return prim__inner_product_shape(shape, prim__pd_md(pd, PRIM_ARG_SRC),
            prim__pd_md(pd, PRIM_ARG_WEIGHTS), prim__pd_md(pd, PRIM_ARG_BIAS),
            prim__pd_md(pd, PRIM_ARG_DST));
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    if (!prim__md_is_any(wei) && prim__md_is_plain(wei)) TRY(prim__md_set_like_if_any(src, wei));
    TRY(prim__md_set_row_major_if_any(src));
    TRY(prim__x64_matmul_set_weights(wei, 0, src));
    if (prim__pd_has(pd, PRIM_ARG_BIAS))
        TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS)));
    TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST)));

    matmul_shape_t shape;
    REQUIRE(pd, make_shape(&shape, pd),
            "src or weights have gaps, or order channels and spatial positions differently: they "
            "are no matrices");
    return prim__x64_matmul_init_pd(pd, &shape);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    matmul_shape_t shape;
    (void)make_shape(&shape, primitive->pd); // init_pd has seen that it can be done
    return prim__x64_matmul_execute(primitive->pd, ctx, &shape);
}

const impl_t prim__x64_ip_gemm = {
        .name = "x64:ip:gemm",
        .pd_size = sizeof(x64_matmul_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
