// SPDX-License-Identifier: Apache-2.0
// Layouts `any` of inner products.
#include "ip_layout.h"

prim_status_t prim__ip_set_layouts(prim_desc_t *pd)
{
    static const int others[] = {
            PRIM_ARG_BIAS, PRIM_ARG_DIFF_BIAS, PRIM_ARG_DST, PRIM_ARG_DIFF_DST};
    prim_memory_desc_t *const images = prim__pd_md_mutable(
            pd, prim__pd_has(pd, PRIM_ARG_SRC) ? PRIM_ARG_SRC : PRIM_ARG_DIFF_SRC);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(
            pd, prim__pd_has(pd, PRIM_ARG_WEIGHTS) ? PRIM_ARG_WEIGHTS : PRIM_ARG_DIFF_WEIGHTS);
    if (!prim__md_is_any(wei)) TRY(prim__md_set_like_if_any(images, wei));
    TRY(prim__md_set_row_major_if_any(images));
    TRY(prim__md_set_like_if_any(wei, images));
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (prim__pd_has(pd, others[i]))
            TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, others[i])));
    return PRIM_SUCCESS;
}
