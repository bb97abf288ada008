// SPDX-License-Identifier: Apache-2.0
// Elements along one dimension from one place to another.
#ifndef PRIM_CPU_SIMD_COPY_ROW_H
#define PRIM_CPU_SIMD_COPY_ROW_H

#include "common/impl.h"

/// dst[i·dst_stride] = src[i·src_stride] for i = 0..n−1; strides in elements.
typedef void (*simd_copy_row_t)(
        void *dst, prim_dim_t dst_stride, const void *src, prim_dim_t src_stride, prim_dim_t n);

/// Copies elements of this type; NULL: a type that is stored in parts of bytes.
simd_copy_row_t prim__simd_copy_row(prim_data_type_t dt);

#endif
