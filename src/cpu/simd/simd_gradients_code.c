// SPDX-License-Identifier: Apache-2.0
// Gradients of rows. Compiled for each level: simd_level.h.
#include "simd_gradients.h"
#include "simd_math.h"

/// Vectors that are summed side by side, so that an addition need not wait for the one before.
enum { NSUMS = 4 };

static float dot(const float *y, const float *x, prim_dim_t n)
{
    vf_t sums[NSUMS] = {{0}};
    prim_dim_t i = 0;
    for (; i + NSUMS * LANES <= n; i += NSUMS * LANES) {
        for (int k = 0; k < NSUMS; ++k)
            sums[k] += v_load(y + i + k * LANES) * v_load(x + i + k * LANES);
    }
    for (; i < n; i += LANES) sums[0] += v_load_at(y, i, n, 0) * v_load_at(x, i, n, 0);
    return v_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

static void softmax(float *out, const float *y, const float *x, float sum, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        v_store_at(out, v_load_at(x, i, n, 0) * (v_load_at(y, i, n, 0) - sum), i, n);
}

static void log_softmax(float *out, const float *y, const float *x, float sum, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        v_store_at(out, v_load_at(y, i, n, 0) - v_exp(v_load_at(x, i, n, 0)) * sum, i, n);
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
        const vf_t g =
                scale ? v_load_at(y, i, n, 0) * v_load_at(scale, i, n, 0) : v_load_at(y, i, n, 0);
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
        vf_t g = v_load_at(y, i, n, 0) * map->factor;
        if (scale) g *= v_load_at(scale, i, n, 0);
        v_store_at(out, (g - map->shift) - (v_load_at(x, i, n, 0) - map->mean) * map->slope, i, n);
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
        const vf_t diff = v_load_at(y, i, n, 0), v = v_load_at(x, i, n, 0);
        v_store_at(out, v_select(v > 0.0F, diff, diff * slope), i, n);
        sums[0] += v_select(v > 0.0F, v_set(0), diff * v);
    }
    return v_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

static void prelu_columns(
        float *sums, float *out, const float *y, const float *x, const float *slopes, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t diff = v_load_at(y, i, n, 0), v = v_load_at(x, i, n, 0),
                   sum = v_load_at(sums, i, n, 0);
        v_store_at(sums, sum + v_select(v > 0.0F, v_set(0), diff * v), i, n);
        v_store_at(out, v_select(v > 0.0F, diff, diff * v_load_at(slopes, i, n, 0)), i, n);
    }
}

static void dot_columns(float *sums, const float *y, const float *x, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t term = x ? v_load_at(y, i, n, 0) * v_load_at(x, i, n, 0) : v_load_at(y, i, n, 0);
        v_store_at(sums, v_load_at(sums, i, n, 0) + term, i, n);
    }
}

static void softmax_columns(
        float *out, const float *y, const float *x, const float *sums, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        v_store_at(out, v_load_at(x, i, n, 0) * (v_load_at(y, i, n, 0) - v_load_at(sums, i, n, 0)),
                i, n);
}

static void log_softmax_columns(
        float *out, const float *y, const float *x, const float *sums, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES)
        v_store_at(out,
                v_load_at(y, i, n, 0) - v_exp(v_load_at(x, i, n, 0)) * v_load_at(sums, i, n, 0), i,
                n);
}

static void sum_columns(float *gradients, float *products, const float *y, const float *x,
        float mean, float factor, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; i += LANES) {
        const vf_t g = v_load_at(y, i, n, 0), normalized = (v_load_at(x, i, n, 0) - mean) * factor;
        v_store_at(gradients, v_load_at(gradients, i, n, 0) + g, i, n);
        v_store_at(products, v_load_at(products, i, n, 0) + g * normalized, i, n);
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
