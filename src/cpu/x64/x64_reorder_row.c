// SPDX-License-Identifier: Apache-2.0
#include "x64_reorder_row.h"

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

/// The bits of the nearest bf16, halves to even; NaN stays one.
static uint16_t to_bf16(uint32_t bits)
{
    const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    const uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(is_nan ? (bits >> 16 | 0x40U) : rounded);
}

static void f32_to_bf16(
        void *dst, prim_dim_t dst_stride, const void *src, prim_dim_t src_stride, prim_dim_t n)
{
    uint16_t *const to = dst;
    const uint32_t *const from = src;
    if (dst_stride == 1 && src_stride == 1) {
        for (prim_dim_t i = 0; i < n; ++i) to[i] = to_bf16(from[i]);
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) to[i * dst_stride] = to_bf16(from[i * src_stride]);
}

static void bf16_to_f32(
        void *dst, prim_dim_t dst_stride, const void *src, prim_dim_t src_stride, prim_dim_t n)
{
    uint32_t *const to = dst;
    const uint16_t *const from = src;
    if (dst_stride == 1 && src_stride == 1) {
        for (prim_dim_t i = 0; i < n; ++i) to[i] = (uint32_t)from[i] << 16;
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) to[i * dst_stride] = (uint32_t)from[i * src_stride] << 16;
}

x64_reorder_row_t prim__x64_reorder_row(prim_data_type_t src, prim_data_type_t dst)
{
    if (src == PRIM_F32 && dst == PRIM_BF16) return f32_to_bf16;
    if (src == PRIM_BF16 && dst == PRIM_F32) return bf16_to_f32;
    if (src != dst || !prim__dt_is_supported(src)) return NULL;
    switch (prim__dt_bytes(src)) {
    case 1: return copy_1;
    case 2: return copy_2;
    case 4: return copy_4;
    case 8: return copy_8;
    default: return NULL;
    }
}
