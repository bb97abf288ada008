// SPDX-License-Identifier: Apache-2.0
// The loops of batch normalisation over a row, compiled for each instruction set.
#include "x64_bnorm.h"
#include "x64_isa.h"

X64_INLINE void add(float *restrict sums, const float *restrict x, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) sums[i] += x[i];
}

X64_INLINE void add_squares(
        float *restrict sums, const float *restrict x, const float *restrict mean, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) sums[i] += (x[i] - mean[i]) * (x[i] - mean[i]);
}

X64_INLINE void add_gradients(float *restrict gradients, float *restrict products,
        const float *restrict y, const float *restrict x, const float *restrict mean, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        gradients[i] += y[i];
        products[i] += y[i] * (x[i] - mean[i]);
    }
}

X64_INLINE void normalize(float *restrict out, const float *restrict x, const float *restrict mean,
        const float *restrict factor, const float *restrict shift, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) out[i] = (x[i] - mean[i]) * factor[i] + shift[i];
}

X64_INLINE void mask(
        float *restrict out, const float *restrict y, const uint8_t *restrict by, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        const float x = y[i]; // unconditional, so that loads become vectors
        out[i] = by[i] ? x : 0.0F;
    }
}

X64_INLINE void clamp(float *out, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        const float x = out[i];
        out[i] = x > 0 ? x : 0.0F;
    }
}

X64_INLINE void differentiate(float *restrict out, const float *restrict y, const float *restrict x,
        const float *const *tables, prim_dim_t n)
{
    const float *restrict const mean = tables[X64_BNORM_MEAN];
    const float *restrict const factor = tables[X64_BNORM_FACTOR];
    const float *restrict const shift = tables[X64_BNORM_SHIFT];
    const float *restrict const slope = tables[X64_BNORM_SLOPE];
    for (prim_dim_t i = 0; i < n; ++i)
        out[i] = y[i] * factor[i] - shift[i] - (x[i] - mean[i]) * slope[i];
}

static void add_portable(float *sums, const float *x, prim_dim_t n)
{
    add(sums, x, n);
}

static void add_squares_portable(float *sums, const float *x, const float *mean, prim_dim_t n)
{
    add_squares(sums, x, mean, n);
}

static void add_gradients_portable(float *gradients, float *products, const float *y,
        const float *x, const float *mean, prim_dim_t n)
{
    add_gradients(gradients, products, y, x, mean, n);
}

static void normalize_portable(float *out, const float *x, const float *mean, const float *factor,
        const float *shift, prim_dim_t n)
{
    normalize(out, x, mean, factor, shift, n);
}

static void mask_portable(float *out, const float *y, const uint8_t *by, prim_dim_t n)
{
    mask(out, y, by, n);
}

static void clamp_portable(float *out, prim_dim_t n)
{
    clamp(out, n);
}

static void differentiate_portable(
        float *out, const float *y, const float *x, const float *const *tables, prim_dim_t n)
{
    differentiate(out, y, x, tables, n);
}

static const x64_bnorm_code_t portable = {.add = add_portable,
        .add_squares = add_squares_portable,
        .add_gradients = add_gradients_portable,
        .normalize = normalize_portable,
        .mask = mask_portable,
        .clamp = clamp_portable,
        .differentiate = differentiate_portable};

#if PRIM_X64
X64_AVX2 static void add_avx2(float *sums, const float *x, prim_dim_t n)
{
    add(sums, x, n);
}

X64_AVX2 static void add_squares_avx2(float *sums, const float *x, const float *mean, prim_dim_t n)
{
    add_squares(sums, x, mean, n);
}

X64_AVX2 static void add_gradients_avx2(float *gradients, float *products, const float *y,
        const float *x, const float *mean, prim_dim_t n)
{
    add_gradients(gradients, products, y, x, mean, n);
}

X64_AVX2 static void normalize_avx2(float *out, const float *x, const float *mean,
        const float *factor, const float *shift, prim_dim_t n)
{
    normalize(out, x, mean, factor, shift, n);
}

X64_AVX2 static void mask_avx2(float *out, const float *y, const uint8_t *by, prim_dim_t n)
{
    mask(out, y, by, n);
}

X64_AVX2 static void clamp_avx2(float *out, prim_dim_t n)
{
    clamp(out, n);
}

X64_AVX2 static void differentiate_avx2(
        float *out, const float *y, const float *x, const float *const *tables, prim_dim_t n)
{
    differentiate(out, y, x, tables, n);
}

static const x64_bnorm_code_t avx2 = {.add = add_avx2,
        .add_squares = add_squares_avx2,
        .add_gradients = add_gradients_avx2,
        .normalize = normalize_avx2,
        .mask = mask_avx2,
        .clamp = clamp_avx2,
        .differentiate = differentiate_avx2};

X64_AVX512 static void add_avx512(float *sums, const float *x, prim_dim_t n)
{
    add(sums, x, n);
}

X64_AVX512 static void add_squares_avx512(
        float *sums, const float *x, const float *mean, prim_dim_t n)
{
    add_squares(sums, x, mean, n);
}

X64_AVX512 static void add_gradients_avx512(float *gradients, float *products, const float *y,
        const float *x, const float *mean, prim_dim_t n)
{
    add_gradients(gradients, products, y, x, mean, n);
}

X64_AVX512 static void normalize_avx512(float *out, const float *x, const float *mean,
        const float *factor, const float *shift, prim_dim_t n)
{
    normalize(out, x, mean, factor, shift, n);
}

X64_AVX512 static void mask_avx512(float *out, const float *y, const uint8_t *by, prim_dim_t n)
{
    mask(out, y, by, n);
}

X64_AVX512 static void clamp_avx512(float *out, prim_dim_t n)
{
    clamp(out, n);
}

X64_AVX512 static void differentiate_avx512(
        float *out, const float *y, const float *x, const float *const *tables, prim_dim_t n)
{
    differentiate(out, y, x, tables, n);
}

static const x64_bnorm_code_t avx512 = {.add = add_avx512,
        .add_squares = add_squares_avx512,
        .add_gradients = add_gradients_avx512,
        .normalize = normalize_avx512,
        .mask = mask_avx512,
        .clamp = clamp_avx512,
        .differentiate = differentiate_avx512};
#endif

const x64_bnorm_code_t *prim__x64_bnorm_code(void)
{
#if PRIM_X64
    const x64_isa_t isa = prim__x64_isa();
    if (isa >= X64_ISA_AVX512) return &avx512;
    if (isa == X64_ISA_AVX2) return &avx2;
#endif
    return &portable;
}
