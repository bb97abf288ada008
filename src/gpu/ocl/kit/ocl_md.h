// SPDX-License-Identifier: Apache-2.0
// A memory descriptor as kernels see it; the twin of md_t in clh/md.h, byte for byte.
#ifndef PRIM_OCL_MD_H
#define PRIM_OCL_MD_H

#include "common/memory_desc.h"

/// What tensors of 32-bit kernels may reach in elements. Sizes of them are rounded up to whole
/// vectors, pieces and tiles, on the host and in kernels: that stays within 32 bits, too.
enum { OCL_I32_ELEMS = INT32_MAX - (1 << 16) };

/// Put it into the struct of constant data that the primitive uploads (ocl_primitive.h), never by
/// value into kernel arguments. offset0 is not here: it is in the tensor's `long` argument.
typedef struct {
    int64_t dims[PRIM_MAX_NDIMS], padded_dims[PRIM_MAX_NDIMS], padded_offsets[PRIM_MAX_NDIMS];
    int64_t strides[PRIM_MAX_NDIMS];
    int64_t nelems, nelems_padded;
    int32_t inner_blks[PRIM_MAX_NDIMS], inner_idxs[PRIM_MAX_NDIMS];
    int32_t ndims, data_type, inner_nblks, is_padded;
} ocl_md_t;

/// `md` is blocked without run-time values, or absent (ndims 0: everything 0).
ocl_md_t prim__ocl_md(const prim_memory_desc_t *md);

#endif
