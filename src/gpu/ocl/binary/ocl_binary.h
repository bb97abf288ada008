// SPDX-License-Identifier: Apache-2.0
// Binary: what the OpenCL implementations share on the host.
#ifndef PRIM_OCL_BINARY_H
#define PRIM_OCL_BINARY_H

#include "gpu/ocl/kit/ocl_primitive.h"

/// Types, layouts, and a layout for src1 and dst where they are `any` (init_pd).
prim_status_t prim__ocl_binary_init(prim_desc_t *pd);
/// Integers to integers without attributes: computed in integers, exactly.
bool prim__ocl_binary_is_int(const prim_desc_t *pd);
/// Two sources, computed in f32, and no attributes.
prim_status_t prim__ocl_binary_require_two_floats(prim_desc_t *pd);
/// Whether `n` tensors, dst first, have one layout without gaps, so that they are one contiguous
/// array each, padding included.
bool prim__ocl_binary_are_dense(const prim_desc_t *pd, const prim_memory_desc_t *const *mds, int n);
/// Elements of vectors of dst, src0 and src1: 16 bytes of the shortest type, at least four.
int prim__ocl_binary_vec(const ocl_device_t *device, const prim_memory_desc_t *const *mds);

#endif
