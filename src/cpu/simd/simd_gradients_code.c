// SPDX-License-Identifier: Apache-2.0
// Gradients of rows. Compiled for each level: simd_level.h.
#include "simd_gradients.h"
#include "simd_math.h"

/// Vectors that are summed side by side, so that an addition need not wait for the one before.
enum { NSUMS = 4 };

/// Vector `i` of a row; lanes beyond its n elements are 0.
SIMD_INLINE vf_t load_at(const float *x, prim_dim_t i, prim_dim_t n)
{
    return n - i >= LANES ? v_load(x + i) : v_load_part(x + i, n - i, 0);
}

SIMD_INLINE void store_at(float *out, vf_t x, prim_dim_t i, prim_dim_t n)
{
    if (n - i >= LANES)
        v_store(out + i, x);
    else
        v_store_part(out + i, x, n - i);
}

static float dot(const float *y, const float *x, prim_dim_t n)
{
    vf_t sums[NSUMS] = {{0}};
    prim_dim_t i = 0;
    for (; i + NSUMS * LANES <= n; i += NSUMS * LANES) {
        for (int k = 0; k < NSUMS; ++k)
            sums[k] += v_load(y + i + k * LANES) * v_load(x + i + k * LANES);
    }
    for (; i < n; i += LANES) sums[0] += load_at(y, i, n) * load_at(x, i, n);
    return v_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

static void softmax(float *out, const float *y, const float *x, float sum, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        store_at(out, load_at(x, i, n) * (load_at(y, i, n) - sum), i, n);
}

static void log_softmax(float *out, const float *y, const float *x, float sum, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        store_at(out, load_at(y, i, n) - v_exp(load_at(x, i, n)) * sum, i, n);
}

static simd_gradient_sums_t sum(
        const float *y, const float *x, const float *scale, float mean, prim_dim_t n)
{
    vf_t gradients[NSUMS] = {{0}}, products[NSUMS] = {{0}};
    prim_dim_t i = 0;
    for (; i + NSUMS * LANES <= n; i += NSUMS * LANES) {
        for (int k = 0; k < NSUMS; ++k) {
            const prim_dim_t at = i + k * LANES;
            const vf_t g = scale ? v_load(y + at) * v_load(scale + at) : v_load(y + at);
            gradients[k] += g;
            products[k] += g * (v_load(x + at) - mean);
        }
    }
    for (; i < n; i += LANES) {
        const vf_t g = scale ? load_at(y, i, n) * load_at(scale, i, n) : load_at(y, i, n);
        gradients[0] += g;
        // The missing lanes of x − mean are −mean, which may be infinite; those of g are 0.
        const vf_t distance =
                n - i >= LANES ? v_load(x + i) - mean : v_load_part(x + i, n - i, mean) - mean;
        products[0] += g * distance;
    }
    return (simd_gradient_sums_t){
            v_sum((gradients[0] + gradients[1]) + (gradients[2] + gradients[3])),
            v_sum((products[0] + products[1]) + (products[2] + products[3]))};
}

static void map_row(float *out, const float *y, const float *x, const float *scale,
        const simd_gradient_map_t *map, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        vf_t g = load_at(y, i, n) * map->factor;
        if (scale) g *= load_at(scale, i, n);
        store_at(out, (g - map->shift) - (load_at(x, i, n) - map->mean) * map->slope, i, n);
    }
}

static float prelu(float *out, const float *y, const float *x, float slope, prim_dim_t n)
{
    vf_t sums[NSUMS] = {{0}};
    prim_dim_t i = 0;
    for (; i + NSUMS * LANES <= n; i += NSUMS * LANES) {
        for (int k = 0; k < NSUMS; ++k) {
            const vf_t diff = v_load(y + i + k * LANES), v = v_load(x + i + k * LANES);
            v_store(out + i + k * LANES, v_select(v > 0.0F, diff, diff * slope));
            sums[k] += v_select(v > 0.0F, v_set(0), diff * v);
        }
    }
    for (; i < n; i += LANES) {
        const vf_t diff = load_at(y, i, n), v = load_at(x, i, n);
        store_at(out, v_select(v > 0.0F, diff, diff * slope), i, n);
        sums[0] += v_select(v > 0.0F, v_set(0), diff * v);
    }
    return v_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

static void prelu_columns(
        float *sums, float *out, const float *y, const float *x, const float *slopes, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t diff = load_at(y, i, n), v = load_at(x, i, n), sum = load_at(sums, i, n);
        store_at(sums, sum + v_select(v > 0.0F, v_set(0), diff * v), i, n);
        store_at(out, v_select(v > 0.0F, diff, diff * load_at(slopes, i, n)), i, n);
    }
}

static void dot_columns(float *sums, const float *y, const float *x, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t term = x ? load_at(y, i, n) * load_at(x, i, n) : load_at(y, i, n);
        store_at(sums, load_at(sums, i, n) + term, i, n);
    }
}

static void softmax_columns(
        float *out, const float *y, const float *x, const float *sums, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        store_at(out, load_at(x, i, n) * (load_at(y, i, n) - load_at(sums, i, n)), i, n);
}

static void log_softmax_columns(
        float *out, const float *y, const float *x, const float *sums, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        store_at(out, load_at(y, i, n) - v_exp(load_at(x, i, n)) * load_at(sums, i, n), i, n);
}

static void sum_columns(float *gradients, float *products, const float *y, const float *x,
        float mean, float factor, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t g = load_at(y, i, n), normalized = (load_at(x, i, n) - mean) * factor;
        store_at(gradients, load_at(gradients, i, n) + g, i, n);
        store_at(products, load_at(products, i, n) + g * normalized, i, n);
    }
}

const simd_gradients_code_t SIMD_NAME(prim__simd_gradients_code) = {.dot = dot,
        .softmax = softmax,
        .log_softmax = log_softmax,
        .sum = sum,
        .map = map_row,
        .prelu = prelu,
        .dot_columns = dot_columns,
        .softmax_columns = softmax_columns,
        .log_softmax_columns = log_softmax_columns,
        .sum_columns = sum_columns,
        .prelu_columns = prelu_columns};
