// SPDX-License-Identifier: Apache-2.0
// Rows of local response normalisation. Compiled for each level: simd_level.h.
#include "simd_lrn.h"
#include "simd_vec.h"

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
        const vf_t base = v_load_at(sums, i, n, 1) * factor + k;
        v_store_at(out, v_load_at(x, i, n, 1) / raise(base, power), i, n);
        v_store_at(w, base, i, n);
    }
}

static void term(float *out, const float *y, const float *x, const float *w, simd_lrn_power_t power,
        prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t base = v_load_at(w, i, n, 1);
        const vf_t quotient = v_load_at(y, i, n, 1) / raise(base, power);
        v_store_at(out, quotient * v_load_at(x, i, n, 1) / base, i, n);
    }
}

static void differentiate(float *out, const float *y, const float *x, const float *w,
        const float *sums, float factor, simd_lrn_power_t power, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t own = v_load_at(y, i, n, 1) / raise(v_load_at(w, i, n, 1), power);
        v_store_at(out, own - v_load_at(x, i, n, 1) * factor * v_load_at(sums, i, n, 1), i, n);
    }
}

const simd_lrn_code_t SIMD_NAME(prim__simd_lrn_code) = {
        .scale = scale, .term = term, .differentiate = differentiate};
