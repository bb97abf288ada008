// SPDX-License-Identifier: Apache-2.0
// Options by what the device is trusted with.
#include "ocl_feature_options.h"

void prim__ocl_options_lane_shuffle(ocl_options_t *options, const prim_engine_t *engine)
{
    prim__ocl_options_int(
            options, "LANE_SHUFFLE", prim__ocl_device_trusts(engine, OCL_FEATURE_LANE_SHUFFLE));
}

void prim__ocl_options_cache_hints(ocl_options_t *options, const prim_engine_t *engine)
{
    prim__ocl_options_int(
            options, "CACHE_HINTS", prim__ocl_device_trusts(engine, OCL_FEATURE_CACHE_HINTS));
}
