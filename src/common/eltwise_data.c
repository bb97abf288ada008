// SPDX-License-Identifier: Apache-2.0
#include "eltwise_data.h"

#include "memory_desc.h"

int prim__eltwise_data_arg(prim_alg_kind_t alg)
{
    const bool takes_dst =
            alg >= PRIM_ELTWISE_RELU_USE_DST_FOR_BWD && alg <= PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD;
    return takes_dst ? PRIM_ARG_DST : PRIM_ARG_SRC;
}

prim_status_t prim__eltwise_backward_follow(prim_desc_t *pd)
{
    prim_memory_desc_t *const diff_dst = prim__pd_md_mutable(pd, PRIM_ARG_DIFF_DST);
    TRY(prim__md_set_like_if_any(
            diff_dst, prim__pd_md(pd, prim__eltwise_data_arg(pd->op.alg_kind))));
    return prim__md_set_like_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DIFF_SRC), diff_dst);
}
