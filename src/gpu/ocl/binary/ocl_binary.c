// SPDX-License-Identifier: Apache-2.0
// What the OpenCL implementations of binary share.
#include "ocl_binary.h"

#include "common/data_type.h"

prim_status_t prim__ocl_binary_init(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    const prim_memory_desc_t *src0 = prim__pd_md(pd, PRIM_ARG_SRC_0);
    TRY(prim__md_set_like_if_any(prim__pd_md_mutable(pd, PRIM_ARG_SRC_1), src0));
    prim_memory_desc_t *dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    const bool src0_is_whole = prim__md_same_dims(src0, dst);
    return prim__md_set_like_if_any(dst, src0_is_whole ? src0 : prim__pd_md(pd, PRIM_ARG_SRC_1));
}

bool prim__ocl_binary_is_int(const prim_desc_t *pd)
{
    return prim__attr_is_plain(&pd->attr) &&
           prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_SRC_0)->data_type) &&
           prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_SRC_1)->data_type) &&
           prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_DST)->data_type);
}
