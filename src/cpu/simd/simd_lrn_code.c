// SPDX-License-Identifier: Apache-2.0
// Rows of local response normalisation. Compiled for each level: simd_level.h.
#include "simd_lrn.h"
#include "simd_vec.h"

SIMD_INLINE vf_t load_at(const float *x, prim_dim_t i, prim_dim_t n)
{
    return n - i >= LANES ? v_load(x + i) : v_load_part(x + i, n - i, 1);
}

SIMD_INLINE void store_at(float *out, vf_t x, prim_dim_t i, prim_dim_t n)
{
    if (n - i >= LANES)
        v_store(out + i, x);
    else
        v_store_part(out + i, x, n - i);
}

/// w^β
SIMD_INLINE vf_t raise(vf_t w, simd_lrn_power_t power)
{
    if (power == SIMD_LRN_ONE) return w;
    const vf_t root = v_sqrt(w);
    return power == SIMD_LRN_HALF ? root : root * v_sqrt(root);
}

static void scale(float *out, float *w, const float *x, const float *sums, float k, float factor,
        simd_lrn_power_t power, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t base = load_at(sums, i, n) * factor + k;
        store_at(out, load_at(x, i, n) / raise(base, power), i, n);
        store_at(w, base, i, n);
    }
}

static void term(float *out, const float *y, const float *x, const float *w, simd_lrn_power_t power,
        prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t base = load_at(w, i, n);
        const vf_t quotient = load_at(y, i, n) / raise(base, power);
        store_at(out, quotient * load_at(x, i, n) / base, i, n);
    }
}

static void differentiate(float *out, const float *y, const float *x, const float *w,
        const float *sums, float factor, simd_lrn_power_t power, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t own = load_at(y, i, n) / raise(load_at(w, i, n), power);
        store_at(out, own - load_at(x, i, n) * factor * load_at(sums, i, n), i, n);
    }
}

const simd_lrn_code_t SIMD_NAME(prim__simd_lrn_code) = {
        .scale = scale, .term = term, .differentiate = differentiate};
