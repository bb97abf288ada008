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
    for (prim_dim_t i = 0; i < n; ++i) row[i] = (float)((src[i * stride] ^ bias) - bias);
}

void prim__simd_load_row(float *row, const void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n)
{
    if (stride == 1) {
        const char *const src = (const char *)base + (size_t)offset * prim__dt_bytes(dt);
        SIMD_CHOOSE(prim__simd_convert_code)->load(row, src, dt, n);
        return;
    }
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
    for (; i < n; ++i) row[i] = (float)prim__load(src, PRIM_F16, i * stride);
}

const float *prim__simd_read_row(
        float *room, const void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n)
{
    if (dt == PRIM_F32) return (const float *)base + offset;
    prim__simd_load_row(room, base, dt, offset, 1, n);
    return room;
}

void prim__simd_store_row(
        const float *row, void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n)
{
    char *const dst = (char *)base + (size_t)offset * prim__dt_bytes(dt);
    SIMD_CHOOSE(prim__simd_convert_code)->store(dst, row, dt, n);
}
