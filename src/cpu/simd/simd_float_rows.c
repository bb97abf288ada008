// SPDX-License-Identifier: Apache-2.0
// Short floats to f32 and back: shifts for bf16, the vector layer's conversion for f16.
#include "simd_float_rows.h"

#include <string.h>

#include "common/data_type.h"
#include "cpu/ref/ref_finish.h"
#include "simd_convert.h"

bool prim__simd_takes_float(prim_data_type_t dt)
{
    return dt == PRIM_F32 || dt == PRIM_F16 || dt == PRIM_BF16;
}

void *prim__simd_tensor(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    return (char *)prim__ref_pointer(ctx, arg) +
           (size_t)md->offset0 * prim__dt_bytes(md->data_type);
}

static float from_bf16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/// Signed bytes are those of value + 128 with the first bit flipped.
static void load_bytes(float *row, const uint8_t *src, int bias, prim_dim_t stride, prim_dim_t n)
{
    if (stride == 1) { // a loop of its own, which compilers vectorise
        for (prim_dim_t i = 0; i < n; ++i) row[i] = (float)((src[i] ^ bias) - bias);
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) row[i] = (float)((src[i * stride] ^ bias) - bias);
}

void prim__simd_load_row(float *row, const void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n)
{
    prim_dim_t i = 0;
    if (dt == PRIM_F32) {
        const float *const src = (const float *)base + offset;
        for (; i < n; ++i) row[i] = src[i * stride];
        return;
    }
    if (dt == PRIM_S8 || dt == PRIM_U8) {
        load_bytes(row, (const uint8_t *)base + offset, dt == PRIM_S8 ? 128 : 0, stride, n);
        return;
    }
    const uint16_t *const src = (const uint16_t *)base + offset;
    if (dt == PRIM_BF16) {
        for (; i < n; ++i) row[i] = from_bf16(src[i * stride]);
        return;
    }
    if (stride == 1) {
        SIMD_CHOOSE(prim__simd_convert_code)->load(row, src, PRIM_F16, n);
        return;
    }
    for (; i < n; ++i) row[i] = (float)prim__load(src, PRIM_F16, i * stride);
}

const float *prim__simd_read_row(
        float *room, const void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n)
{
    if (dt == PRIM_F32) return (const float *)base + offset;
    prim__simd_load_row(room, base, dt, offset, 1, n);
    return room;
}

/// To the nearest, ties to even; every NaN becomes one.
static uint16_t to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t magnitude = bits & 0x7fffffffU;
    const uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
    const uint32_t nan = (bits >> 16 & 0x8000U) | 0x7fc0U;
    return (uint16_t)(magnitude > 0x7f800000U ? nan : rounded);
}

void prim__simd_store_row(
        const float *row, void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n)
{
    if (dt == PRIM_F32) {
        memcpy((float *)base + offset, row, (size_t)n * sizeof *row);
        return;
    }
    uint16_t *const dst = (uint16_t *)base + offset;
    if (dt == PRIM_BF16) {
        for (prim_dim_t i = 0; i < n; ++i) dst[i] = to_bf16(row[i]);
        return;
    }
    SIMD_CHOOSE(prim__simd_convert_code)->store(dst, row, PRIM_F16, n);
}
