// SPDX-License-Identifier: Apache-2.0
// Options of kernels that use a feature where the device is trusted with it, and do without it
// elsewhere.
#ifndef PRIM_OCL_FEATURE_OPTIONS_H
#define PRIM_OCL_FEATURE_OPTIONS_H

#include "gpu/ocl/program/ocl_options.h"
#include "ocl_feature.h"

/// LANE_SHUFFLE of clh/lanes.h.
void prim__ocl_options_lane_shuffle(ocl_options_t *options, const prim_engine_t *engine);
/// CACHE_HINTS of clh/raw_vec.h.
void prim__ocl_options_cache_hints(ocl_options_t *options, const prim_engine_t *engine);

#endif
