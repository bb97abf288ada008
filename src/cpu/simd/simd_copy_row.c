// SPDX-License-Identifier: Apache-2.0
#include "simd_copy_row.h"

#include <string.h>

#include "common/data_type.h"

static void copy_1(
        void *dst, prim_dim_t dst_stride, const void *src, prim_dim_t src_stride, prim_dim_t n)
{
    uint8_t *const to = dst;
    const uint8_t *const from = src;
    if (dst_stride == 1 && src_stride == 1) {
        memcpy(to, from, (size_t)n);
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) to[i * dst_stride] = from[i * src_stride];
}

static void copy_2(
        void *dst, prim_dim_t dst_stride, const void *src, prim_dim_t src_stride, prim_dim_t n)
{
    uint16_t *const to = dst;
    const uint16_t *const from = src;
    if (dst_stride == 1 && src_stride == 1) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) to[i * dst_stride] = from[i * src_stride];
}

static void copy_4(
        void *dst, prim_dim_t dst_stride, const void *src, prim_dim_t src_stride, prim_dim_t n)
{
    uint32_t *const to = dst;
    const uint32_t *const from = src;
    if (dst_stride == 1 && src_stride == 1) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) to[i * dst_stride] = from[i * src_stride];
}

static void copy_8(
        void *dst, prim_dim_t dst_stride, const void *src, prim_dim_t src_stride, prim_dim_t n)
{
    uint64_t *const to = dst;
    const uint64_t *const from = src;
    if (dst_stride == 1 && src_stride == 1) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) to[i * dst_stride] = from[i * src_stride];
}

simd_copy_row_t prim__simd_copy_row(prim_data_type_t dt)
{
    if (!prim__dt_is_supported(dt)) return NULL;
    switch (prim__dt_bytes(dt)) {
    case 1: return copy_1;
    case 2: return copy_2;
    case 4: return copy_4;
    case 8: return copy_8;
    default: return NULL;
    }
}
