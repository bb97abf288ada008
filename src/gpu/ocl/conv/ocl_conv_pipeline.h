// SPDX-License-Identifier: Apache-2.0
// What ocl_conv_pipeline.c asks of a problem, also for the cost model.
#ifndef PRIM_OCL_CONV_PIPELINE_H
#define PRIM_OCL_CONV_PIPELINE_H

#include "ocl_conv.h"

/// Whether four pixels from a multiple of four on are four neighbours of src: the window is one tap
/// that moves by one and stays inside, and images are rows of a multiple of four.
bool prim__ocl_conv_pipeline_has_quads(const conv_shape_t *shape, const prim_dim_t data[5]);
/// Local memory for plans of ocl_conv_pipeline.cl. For init_pd.
size_t prim__ocl_conv_pipeline_bytes(const prim_engine_t *engine);

#endif
