// SPDX-License-Identifier: Apache-2.0
// What the vectorised variants of softmax share.
#include "simd_softmax.h"

prim_status_t prim__simd_softmax_init_pd(simd_softmax_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    TRY(prim__pd_follow(base));
    const int axis = base->op.u.axis.axis;
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {
            [SIMD_SOFTMAX_DST] = prim__pd_md(base, PRIM_ARG_DST),
            [SIMD_SOFTMAX_SRC] = prim__pd_md(base, PRIM_ARG_SRC)};
    int ntensors = SIMD_SOFTMAX_OPERANDS;
    for (int t = 0; t < ntensors; ++t)
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "src or dst is not f32, f16, bf16, s8 or u8");
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    pd->is_log = base->op.alg_kind == PRIM_SOFTMAX_LOG;
    pd->naxis = prim__pd_md(base, PRIM_ARG_SRC)->dims[axis];
    REQUIRE(base, pd->naxis > 0, "the axis has no elements");
    return prim__simd_nest_init_around(&pd->nest, pd->strides, base, tensors, ntensors, axis);
}

void prim__simd_softmax_run_init(
        simd_softmax_run_t *run, const simd_softmax_pd_t *pd, const exec_ctx_t *ctx)
{
    *run = (simd_softmax_run_t){.pd = pd,
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .dst = prim__simd_array(&pd->base, ctx, PRIM_ARG_DST),
            .src = prim__simd_array(&pd->base, ctx, PRIM_ARG_SRC),
            .src_scale = prim__simd_scale(&pd->base, ctx, PRIM_ARG_SRC)};
    prim__simd_chain_init(&run->chain, &pd->base, ctx, SIMD_SOFTMAX_OPERANDS);
}
