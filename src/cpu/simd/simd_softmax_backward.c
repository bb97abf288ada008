// SPDX-License-Identifier: Apache-2.0
// What the vectorised variants of softmax's gradients share.
#include "simd_softmax_backward.h"

static const int args[SIMD_SOFTMAX_GRADIENTS] = {[SIMD_SOFTMAX_DIFF_SRC] = PRIM_ARG_DIFF_SRC,
        [SIMD_SOFTMAX_DIFF_DST] = PRIM_ARG_DIFF_DST,
        [SIMD_SOFTMAX_RESULT] = PRIM_ARG_DST};

prim_status_t prim__simd_softmax_backward_init_pd(simd_softmax_backward_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *tensors[SIMD_SOFTMAX_GRADIENTS];
    for (int t = 0; t < SIMD_SOFTMAX_GRADIENTS; ++t) {
        tensors[t] = prim__pd_md(base, args[t]);
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "dst, diff_dst or diff_src is not f32, f16 or bf16");
    }
    const int axis = base->op.u.axis.axis;
    pd->naxis = tensors[SIMD_SOFTMAX_RESULT]->dims[axis];
    REQUIRE(base, pd->naxis > 0, "the axis has no elements");
    return prim__simd_nest_init_around(
            &pd->nest, pd->strides, base, tensors, SIMD_SOFTMAX_GRADIENTS, axis);
}

void prim__simd_softmax_backward_run_init(simd_softmax_backward_run_t *run,
        const simd_softmax_backward_pd_t *pd, const exec_ctx_t *ctx)
{
    *run = (simd_softmax_backward_run_t){.pd = pd,
            .is_log = pd->base.op.alg_kind == PRIM_SOFTMAX_LOG,
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .code = SIMD_CHOOSE(prim__simd_gradients_code)};
    for (int t = 0; t < SIMD_SOFTMAX_GRADIENTS; ++t)
        run->arrays[t] = prim__simd_array(&pd->base, ctx, args[t]);
}
