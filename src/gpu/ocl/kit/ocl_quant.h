// SPDX-License-Identifier: Apache-2.0
// Scales and zero points as run-time arguments, with any mask and groups.
#ifndef PRIM_OCL_QUANT_H
#define PRIM_OCL_QUANT_H

#include "gpu/ocl/clh/shared/quant_data.h"
#include "gpu/ocl/launch/ocl_kernel.h"

/// The setting of `arg` in the primitive's attributes; `md` is the tensor the mask speaks of.
ocl_quant_t prim__ocl_scales(const prim_desc_t *pd, int arg, const prim_memory_desc_t *md);
ocl_quant_t prim__ocl_zero_points(const prim_desc_t *pd, int arg, const prim_memory_desc_t *md);

/// The type of the scales of `arg`, as kernels know it; PRIM_DATA_TYPE_UNDEF without any.
int32_t prim__ocl_scale_type(const prim_desc_t *pd, int arg);

/// The values' two kernel parameters: `__global const void *`, `long` offset in elements. Null and
/// 0 when not set.
void prim__ocl_args_scales(ocl_args_t *args, const exec_ctx_t *ctx, int arg);
void prim__ocl_args_zero_points(ocl_args_t *args, const exec_ctx_t *ctx, int arg);

#endif
