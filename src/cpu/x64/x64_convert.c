// SPDX-License-Identifier: Apache-2.0
// Short floats to f32 and back: shifts for bf16, the processor's conversion or software for f16.
#include "x64_convert.h"

#include <string.h>

#include "common/data_type.h"
#include "cpu/cpu_isa.h"
#include "cpu/ref/ref_finish.h"

bool prim__x64_takes_type(prim_data_type_t dt)
{
    return dt == PRIM_F32 || dt == PRIM_F16 || dt == PRIM_BF16;
}

void *prim__x64_tensor(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
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

#if PRIM_X64
X64_AVX2 static prim_dim_t load_f16_avx2(float *row, const uint16_t *src, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)(src + i));
        _mm256_storeu_ps(row + i, _mm256_cvtph_ps(bits));
    }
    return i;
}
#endif

// Returns how many of the n elements it did.
static prim_dim_t load_f16(float *row, const uint16_t *src, prim_dim_t n)
{
#if PRIM_X64
    if (prim__cpu_isa() >= CPU_ISA_AVX2) return load_f16_avx2(row, src, n);
#endif
    (void)row;
    (void)src;
    (void)n;
    return 0;
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

void prim__x64_load_row(float *row, const void *base, prim_data_type_t dt, prim_dim_t offset,
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
    if (stride == 1) i = load_f16(row, src, n);
    for (; i < n; ++i) row[i] = (float)prim__load(src, PRIM_F16, i * stride);
}

const float *prim__x64_read_row(
        float *room, const void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n)
{
    if (dt == PRIM_F32) return (const float *)base + offset;
    prim__x64_load_row(room, base, dt, offset, 1, n);
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

#if PRIM_X64
X64_AVX2 static prim_dim_t store_f16_avx2(uint16_t *dst, const float *row, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i bits = _mm256_cvtps_ph(_mm256_loadu_ps(row + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(dst + i), bits);
    }
    return i;
}
#endif

// Returns how many of the n elements it did.
static prim_dim_t store_f16(uint16_t *dst, const float *row, prim_dim_t n)
{
#if PRIM_X64
    if (prim__cpu_isa() >= CPU_ISA_AVX2) return store_f16_avx2(dst, row, n);
#endif
    (void)dst;
    (void)row;
    (void)n;
    return 0;
}

void prim__x64_store_row(
        const float *row, void *base, prim_data_type_t dt, prim_dim_t offset, prim_dim_t n)
{
    prim_dim_t i = 0;
    if (dt == PRIM_F32) {
        memcpy((float *)base + offset, row, (size_t)n * sizeof *row);
        return;
    }
    uint16_t *const dst = (uint16_t *)base + offset;
    if (dt == PRIM_BF16) {
        for (; i < n; ++i) dst[i] = to_bf16(row[i]);
        return;
    }
    i = store_f16(dst, row, n);
    for (; i < n; ++i) prim__store(dst, PRIM_F16, i, (double)row[i]);
}
