// SPDX-License-Identifier: Apache-2.0
// Matmul on the CPU through the packed f32 matrix product, for f32, f16 and bf16.
#include "simd_matmul.h"

static bool has_runtime(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        if (prim__md_has_runtime(&pd->tensors[i].md)) return true;
    }
    return false;
}

// What is known of run-time tensors must leave them plain.
static bool are_plain(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        if (!prim__md_is_plain(&pd->tensors[i].md)) return false;
    }
    return true;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_BIAS, PRIM_ARG_DST};
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    for (int i = 0; i < 3; ++i) {
        if (prim__pd_has(pd, args[i]))
            TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, args[i])));
    }
    if (has_runtime(pd)) {
        TRY(prim__md_set_row_major_if_any(wei));
        REQUIRE(pd, are_plain(pd), "a tensor has a blocked layout");
        return prim__simd_matmul_init_pd(pd, NULL);
    }
    prim_memory_desc_t row_major = *wei;
    TRY(prim__md_set_row_major_if_any(&row_major));
    TRY(prim__simd_matmul_set_weights(wei, &row_major));
    matmul_shape_t shape;
    REQUIRE(pd,
            prim__matmul_shape(&shape, prim__pd_md(pd, PRIM_ARG_SRC), wei,
                    prim__pd_md(pd, PRIM_ARG_BIAS), prim__pd_md(pd, PRIM_ARG_DST)),
            "a tensor has a blocked layout that is not the panel layout of this processor");
    return prim__simd_matmul_init_pd(pd, &shape);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    matmul_shape_t shape;
    if (!prim__matmul_shape(&shape, prim__ctx_md(ctx, pd, PRIM_ARG_SRC),
                prim__ctx_md(ctx, pd, PRIM_ARG_WEIGHTS), prim__ctx_md(ctx, pd, PRIM_ARG_BIAS),
                prim__ctx_md(ctx, pd, PRIM_ARG_DST))) {
        return prim__fail(PRIM_INVALID_ARGUMENTS, "a matmul memory has blocks");
    }
    return prim__simd_matmul_execute(pd, ctx, &shape);
}

const impl_t prim__simd_matmul_gemm = {
        .name = "simd:matmul:gemm",
        .pd_size = sizeof(simd_matmul_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
