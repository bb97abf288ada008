// SPDX-License-Identifier: Apache-2.0
#include "ocl_raw_vec.h"

#include "common/data_type.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "gpu/ocl/feature/ocl_feature.h"

int prim__ocl_raw_vec(const prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return prim__dt_bytes(src) < 4 && prim__dt_bytes(dst) < 4 ? 8 : 4;
}

bool prim__ocl_is_raw(const prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    return prim__ocl_device(pd->engine)->splits_unaligned &&
           src == prim__pd_md(pd, PRIM_ARG_DST)->data_type &&
           (src == PRIM_F32 || src == PRIM_F16 || src == PRIM_BF16);
}

void prim__ocl_raw_vec_options(ocl_options_t *options, const prim_desc_t *pd, bool is_raw)
{
    prim__ocl_options_int(options, "IS_RAW", is_raw);
    prim__ocl_options_int(options, "CACHE_HINTS",
            is_raw && prim__ocl_device_trusts(pd->engine, OCL_FEATURE_CACHE_HINTS));
}
