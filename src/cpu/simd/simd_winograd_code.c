// SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's convolution, first along rows, then along columns. Compiled for each
// level: simd_level.h.
#include "simd_winograd.h"

#include "simd_parts.h"
#include "simd_vec.h"

/// In front of a loop of constant length that must leave its arrays in registers.
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

enum { TILE = SIMD_WINOGRAD_TILE, PATCH = SIMD_WINOGRAD_PATCH, TAPS = 3 };
enum { AHEAD = 2, LINE_BYTES = 64 }; ///< channels, and bytes, of what is prefetched

/// LANES elements at p, or n < LANES and zeros; dt is a constant of the caller's.
SIMD_INLINE vf_t load(const void *p, const prim_data_type_t dt, prim_dim_t n)
{
    if (dt == PRIM_BF16) return n >= LANES ? v_load_bf16(p) : v_load_part_bf16(p, n);
    if (dt == PRIM_F16) return n >= LANES ? v_load_f16(p) : v_load_part_f16(p, n);
    return n >= LANES ? v_load(p) : v_load_part_f32(p, n);
}

/// Bᵀ·x
SIMD_INLINE void transform_source(vf_t y[PATCH], const vf_t x[PATCH])
{
    const vf_t p = x[4] - x[2] * 4, q = x[3] - x[1] * 4, r = x[4] - x[2], s = x[3] - x[1];
    y[0] = x[0] * 4 - x[2] * 5 + x[4];
    y[1] = p + q;
    y[2] = p - q;
    y[3] = r + s * 2;
    y[4] = r - s * 2;
    y[5] = x[1] * 4 - x[3] * 5 + x[5];
}

/// G·x
SIMD_INLINE void transform_taps(vf_t y[PATCH], const vf_t x[TAPS])
{
    const vf_t even = (x[0] + x[2]) * (-1.0F / 6), odd = x[1] * (1.0F / 6);
    const vf_t mixed = x[0] * (1.0F / 24) + x[2] * (1.0F / 6), half = x[1] * (1.0F / 12);
    y[0] = x[0] * 0.25F;
    y[1] = even - odd;
    y[2] = even + odd;
    y[3] = mixed + half;
    y[4] = mixed - half;
    y[5] = x[2];
}

/// Aᵀ·x
SIMD_INLINE void transform_products(vf_t y[TILE], const vf_t x[PATCH])
{
    const vf_t even = x[1] + x[2], odd = x[1] - x[2];
    const vf_t even_2 = x[3] + x[4], odd_2 = x[3] - x[4];
    y[0] = x[0] + even + even_2;
    y[1] = odd + odd_2 * 2;
    y[2] = even + even_2 * 4;
    y[3] = odd + odd_2 * 8 + x[5];
}

/// n <= LANES channels from c on.
SIMD_INLINE void patch_vector(const simd_winograd_patch_t *a, const prim_data_type_t dt,
        const size_t elem_bytes, prim_dim_t c, prim_dim_t n)
{
    vf_t rows[PATCH][PATCH];
    UNROLL
    for (int i = 0; i < PATCH; ++i) {
        vf_t x[PATCH];
        UNROLL
        for (int j = 0; j < PATCH; ++j)
            x[j] = load((const char *)a->pixels[i * PATCH + j] + (size_t)c * elem_bytes, dt, n);
        transform_source(rows[i], x);
    }
    UNROLL
    for (int j = 0; j < PATCH; ++j) {
        vf_t x[PATCH], y[PATCH];
        UNROLL
        for (int i = 0; i < PATCH; ++i) x[i] = rows[i][j];
        transform_source(y, x);
        UNROLL
        for (int i = 0; i < PATCH; ++i) v_store(a->v + (i * PATCH + j) * a->point_step + c, y[i]);
    }
}

SIMD_INLINE void patch_of(
        const simd_winograd_patch_t *a, const prim_data_type_t dt, const size_t elem_bytes)
{
    const simd_winograd_patch_t patch = *a; // stores cannot change it
    prim_dim_t c = 0;
    for (; c + LANES <= a->n; c += LANES) patch_vector(&patch, dt, elem_bytes, c, LANES);
    if (c < a->n) patch_vector(&patch, dt, elem_bytes, c, a->n - c);
}

static void transform_patch(const simd_winograd_patch_t *a)
{
    switch (a->dt) {
    case PRIM_BF16: patch_of(a, PRIM_BF16, 2); return;
    case PRIM_F16: patch_of(a, PRIM_F16, 2); return;
    default: patch_of(a, PRIM_F32, 4);
    }
}

SIMD_INLINE void weights_of(
        const simd_winograd_weights_t *a, const prim_data_type_t dt, const size_t elem_bytes)
{
    const char *from = a->wei;
    float *u = a->u;
    const prim_dim_t step = a->point_step, n = a->n;
    const size_t channel_bytes = TAPS * TAPS * LANES * elem_bytes;
    for (prim_dim_t c = 0; c < n; ++c, u += LANES) {
        // Weights that are read once come from memory, through which processors fetch page by page.
        const uintptr_t ahead = (uintptr_t)from + AHEAD * channel_bytes;
        for (size_t b = 0; b < channel_bytes; b += LINE_BYTES)
            __builtin_prefetch((const char *)ahead + b);
        vf_t rows[TAPS][PATCH];
        UNROLL
        for (int i = 0; i < TAPS; ++i) {
            vf_t x[TAPS];
            UNROLL
            for (int j = 0; j < TAPS; ++j, from += LANES * elem_bytes) x[j] = load(from, dt, LANES);
            transform_taps(rows[i], x);
        }
        UNROLL
        for (int j = 0; j < PATCH; ++j) {
            const vf_t x[TAPS] = {rows[0][j], rows[1][j], rows[2][j]};
            vf_t y[PATCH];
            transform_taps(y, x);
            UNROLL
            for (int i = 0; i < PATCH; ++i) v_store(u + (i * PATCH + j) * step, y[i]);
        }
    }
}

static void transform_weights(const simd_winograd_weights_t *a)
{
    switch (a->dt) {
    case PRIM_BF16: weights_of(a, PRIM_BF16, 2); return;
    case PRIM_F16: weights_of(a, PRIM_F16, 2); return;
    default: weights_of(a, PRIM_F32, 4);
    }
}

static void transform_tile(const simd_winograd_tile_t *tile)
{
    const simd_winograd_tile_t copy = *tile, *const a = &copy; // stores cannot change it
    for (prim_dim_t c = 0; c < a->n; c += LANES) {
        vf_t rows[PATCH][TILE];
        UNROLL
        for (int i = 0; i < PATCH; ++i) {
            vf_t x[PATCH];
            UNROLL
            for (int j = 0; j < PATCH; ++j)
                x[j] = v_load(a->m + (i * PATCH + j) * a->point_step + c);
            transform_products(rows[i], x);
        }
        UNROLL
        for (int j = 0; j < TILE; ++j) {
            vf_t x[PATCH], y[TILE];
            UNROLL
            for (int i = 0; i < PATCH; ++i) x[i] = rows[i][j];
            transform_products(y, x);
            UNROLL
            for (int i = 0; i < TILE; ++i)
                v_store(a->sums + i * a->row_step + j * a->pixel_step + c, y[i]);
        }
    }
}

const simd_winograd_code_t SIMD_NAME(prim__simd_winograd_code) = {
        .transform_patch = transform_patch,
        .transform_weights = transform_weights,
        .transform_tile = transform_tile,
};
