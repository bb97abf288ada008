// SPDX-License-Identifier: Apache-2.0
// What variants ask of a device's matrix units.
#include "ocl_matrix_units.h"

#include "gpu/ocl/feature/ocl_feature.h"

bool prim__ocl_has_mma(const prim_desc_t *pd)
{
    return prim__ocl_device_trusts_type(
            pd->engine, OCL_FEATURE_MMA_SYNC_F16, prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
}

prim_status_t prim__ocl_prefer_matrix_units(prim_desc_t *pd, bool has_unit)
{
    PREFER_OTHER_UNLESS(pd, has_unit, "the device has no matrix units that this variant supports");
    return PRIM_SUCCESS;
}
