// SPDX-License-Identifier: Apache-2.0
// A memory descriptor as kernels see it (clh/md.h).
#ifndef PRIM_OCL_MD_H
#define PRIM_OCL_MD_H

#include "common/memory_desc.h"
#include "gpu/ocl/clh/shared/md_data.h"

/// What tensors of 32-bit kernels may reach in elements. Sizes of them are rounded up to whole
/// vectors, pieces and tiles, on the host and in kernels: that stays within 32 bits, too.
enum { OCL_I32_ELEMS = INT32_MAX - (1 << 16) };

// Descriptors go into the struct of constant data that the primitive uploads (ocl_primitive.h),
// never by value into kernel arguments.
_Static_assert(MAX_NDIMS == PRIM_MAX_NDIMS, "ranks of kernels are those of the API");

/// `md` is blocked without run-time values, or absent (ndims 0: everything 0).
ocl_md_t prim__ocl_md(const prim_memory_desc_t *md);

#endif
