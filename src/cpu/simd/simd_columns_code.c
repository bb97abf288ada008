// SPDX-License-Identifier: Apache-2.0
// Rows whose elements have values of their own. Compiled for each level: simd_level.h.
#include "simd_columns.h"
#include "simd_vec.h"

SIMD_INLINE vf_t load_at(const float *x, prim_dim_t i, prim_dim_t n)
{
    return v_load_at(x, i, n, 0);
}

SIMD_INLINE void add_at(float *sums, vf_t x, prim_dim_t i, prim_dim_t n)
{
    v_store_at(sums, load_at(sums, i, n) + x, i, n);
}

static void add(float *sums, const float *x, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) add_at(sums, load_at(x, i, n), i, n);
}

static void add_squares(float *sums, const float *x, const float *mean, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t distance = load_at(x, i, n) - load_at(mean, i, n);
        add_at(sums, distance * distance, i, n);
    }
}

static void add_moments(
        float *sums, float *squares, const float *x, const float *mean, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t distance = load_at(x, i, n) - load_at(mean, i, n);
        add_at(sums, distance, i, n);
        add_at(squares, distance * distance, i, n);
    }
}

static void add_gradients(float *gradients, float *products, const float *y, const float *x,
        const float *mean, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t diff = load_at(y, i, n);
        add_at(gradients, diff, i, n);
        add_at(products, diff * (load_at(x, i, n) - load_at(mean, i, n)), i, n);
    }
}

static void normalize(float *out, const float *x, const float *mean, const float *factor,
        const float *shift, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t distance = load_at(x, i, n) - load_at(mean, i, n);
        v_store_at(out, distance * load_at(factor, i, n) + load_at(shift, i, n), i, n);
    }
}

static void mask(float *out, const float *y, const uint8_t *by, prim_dim_t n)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES)
        v_store(out + i, v_select(v_load_u8(by + i) > 0.0F, v_load(y + i), v_set(0)));
    for (; i < n; ++i) out[i] = by[i] ? y[i] : 0.0F;
}

static void clamp(float *out, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t x = load_at(out, i, n);
        v_store_at(out, v_select(x > 0.0F, x, v_set(0)), i, n);
    }
}

static void differentiate(
        float *out, const float *y, const float *x, const float *const *tables, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t distance = load_at(x, i, n) - load_at(tables[SIMD_COLUMNS_MEAN], i, n);
        const vf_t own = load_at(y, i, n) * load_at(tables[SIMD_COLUMNS_FACTOR], i, n) -
                         load_at(tables[SIMD_COLUMNS_SHIFT], i, n);
        v_store_at(out, own - distance * load_at(tables[SIMD_COLUMNS_SLOPE], i, n), i, n);
    }
}

const simd_columns_code_t SIMD_NAME(prim__simd_columns_code) = {.add = add,
        .add_squares = add_squares,
        .add_moments = add_moments,
        .add_gradients = add_gradients,
        .normalize = normalize,
        .mask = mask,
        .clamp = clamp,
        .differentiate = differentiate};
