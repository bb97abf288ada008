// SPDX-License-Identifier: Apache-2.0
// Products of a matrix and a few vectors. Compiled for each level: simd_level.h.
#include "simd_gemv.h"
#include "simd_vec.h"

enum { PAIR = 2 * LANES };

_Static_assert(SIMD_GEMV_MULTIPLE % PAIR == 0, "vectors end with whole pairs");

typedef struct {
    vf_t v[2];
} pair_t;

SIMD_INLINE size_t elem_bytes(prim_data_type_t dt)
{
    return dt == PRIM_F32 ? 4 : 2;
}

/// PAIR elements. Those of bf16 are halves of words: the even ones first, then the odd ones, an
/// operation each.
SIMD_INLINE pair_t load_pair(prim_data_type_t dt, const void *p)
{
    if (dt == PRIM_F32) return (pair_t){{v_load(p), v_load((const float *)p + LANES)}};
    if (dt == PRIM_F16) return (pair_t){{v_load_f16(p), v_load_f16((const uint16_t *)p + LANES)}};
    vu_t words;
    memcpy(&words, p, sizeof words);
    return (pair_t){{(vf_t)(words << 16), (vf_t)(words & 0xffff0000U)}};
}

SIMD_INLINE vf_t load_vector(prim_data_type_t dt, const void *p)
{
    return dt == PRIM_F32 ? v_load(p) : dt == PRIM_F16 ? v_load_f16(p) : v_load_bf16(p);
}

/// The last n < PAIR elements of a row, then zeros.
SIMD_INLINE pair_t load_pair_end(prim_data_type_t dt, const void *p, prim_dim_t n)
{
#if SIMD_LEVEL == 2
    const __mmask32 mask = (__mmask32)((1U << n) - 1);
    if (dt == PRIM_F32)
        return (pair_t){{(vf_t)_mm512_maskz_loadu_ps((__mmask16)mask, p),
                (vf_t)_mm512_maskz_loadu_ps((__mmask16)(mask >> 16), (const float *)p + LANES)}};
    const __m512i halves = _mm512_maskz_loadu_epi16(mask, p);
    return load_pair(dt, &halves);
#else
    char room[PAIR * sizeof(float)] = {0};
    memcpy(room, p, (size_t)n * elem_bytes(dt));
    return load_pair(dt, room);
#endif
}

/// The same of n < LANES.
SIMD_INLINE vf_t load_vector_end(prim_data_type_t dt, const void *p, prim_dim_t n)
{
    if (dt == PRIM_F32) return v_load_part(p, n, 0);
    uint16_t room[LANES] = {0};
    memcpy(room, p, (size_t)n * sizeof *room);
    return load_vector(dt, room);
}

static void arrange(float *x, prim_data_type_t dt, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n && dt == PRIM_BF16; i += PAIR) {
        float from[PAIR];
        memcpy(from, x + i, sizeof from);
        for (int k = 0; k < LANES; ++k) {
            x[i + k] = from[2 * k];
            x[i + LANES + k] = from[2 * k + 1];
        }
    }
}

enum { NSUMS = 8 }; // side by side, so that an addition need not wait for the one before

/// One row times all vectors; nvectors is a constant of the caller's. Sum c is of vector
/// c / 2 % nvectors, of the even or the odd half of a pair.
SIMD_INLINE void dot_row(
        const simd_gemv_t *g, prim_data_type_t dt, int nvectors, prim_dim_t i, prim_dim_t n)
{
    const int npairs = NSUMS / 2 / nvectors;
    const size_t bytes = elem_bytes(dt);
    const char *const row = (const char *)g->matrix + (size_t)(i * g->step) * bytes;
    vf_t sums[NSUMS] = {{0}};
    prim_dim_t k = 0;
    for (; k + npairs * PAIR <= n; k += npairs * PAIR) {
        for (int c = 0; c < NSUMS; ++c) {
            const prim_dim_t at = k + c / 2 / nvectors * PAIR;
            const float *const x = g->x + c / 2 % nvectors * g->x_row + at;
            sums[c] += load_pair(dt, row + (size_t)at * bytes).v[c % 2] * v_load(x + c % 2 * LANES);
        }
    }
    for (; k < n; k += PAIR) {
        const void *const from = row + (size_t)k * bytes;
        const pair_t a = n - k < PAIR ? load_pair_end(dt, from, n - k) : load_pair(dt, from);
        for (int c = 0; c < 2 * nvectors; ++c)
            sums[c] += a.v[c % 2] * v_load(g->x + c / 2 * g->x_row + k + c % 2 * LANES);
    }
    for (int v = 0; v < nvectors; ++v) {
        vf_t sum = sums[2 * v] + sums[2 * v + 1];
        for (int p = 1; p < npairs; ++p) {
            const int c = 2 * (p * nvectors + v);
            sum += sums[c] + sums[c + 1];
        }
        g->y[v * g->y_row + i] = v_sum(sum);
    }
}

SIMD_INLINE void dot_all(
        const simd_gemv_t *g, prim_data_type_t dt, int nvectors, prim_dim_t nrows, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < nrows; ++i) dot_row(g, dt, nvectors, i, n);
}

SIMD_INLINE void dot_type(const simd_gemv_t *g, prim_data_type_t dt, prim_dim_t nrows, prim_dim_t n)
{
    if (g->nvectors == 1)
        dot_all(g, dt, 1, nrows, n);
    else
        dot_all(g, dt, SIMD_GEMV_VECTORS, nrows, n);
}

static void dot(const simd_gemv_t *g, prim_dim_t nrows, prim_dim_t n)
{
    if (g->dt == PRIM_F32)
        dot_type(g, PRIM_F32, nrows, n);
    else if (g->dt == PRIM_F16)
        dot_type(g, PRIM_F16, nrows, n);
    else
        dot_type(g, PRIM_BF16, nrows, n);
}

/// y += rows k..k+depth times their elements of x; depth and nvectors are constants of the
/// caller's.
SIMD_INLINE void add_rows(const simd_gemv_t *g, prim_data_type_t dt, int depth, int nvectors,
        prim_dim_t k, prim_dim_t n)
{
    enum { MOST = 8 };
    const size_t bytes = elem_bytes(dt);
    const char *const first = (const char *)g->matrix + (size_t)(k * g->step) * bytes;
    const size_t step_bytes = (size_t)g->step * bytes;
    vf_t x[MOST][SIMD_GEMV_VECTORS];
    for (int d = 0; d < depth; ++d)
        for (int v = 0; v < nvectors; ++v) x[d][v] = v_set(g->x[v * g->x_row + k + d]);
    for (prim_dim_t j = 0; j < n; j += LANES) {
        vf_t sums[SIMD_GEMV_VECTORS];
        for (int v = 0; v < nvectors; ++v)
            sums[v] = v_load_at(g->y + v * g->y_row + j, 0, n - j, 0);
        for (int d = 0; d < depth; ++d) {
            const char *const from = first + (size_t)d * step_bytes + (size_t)j * bytes;
            const vf_t a = n - j < LANES ? load_vector_end(dt, from, n - j) : load_vector(dt, from);
            for (int v = 0; v < nvectors; ++v) sums[v] += a * x[d][v];
        }
        for (int v = 0; v < nvectors; ++v) v_store_at(g->y + v * g->y_row + j, sums[v], 0, n - j);
    }
}

SIMD_INLINE void combine_all(
        const simd_gemv_t *g, prim_data_type_t dt, int nvectors, prim_dim_t nrows, prim_dim_t n)
{
    for (int v = 0; v < nvectors; ++v) memset(g->y + v * g->y_row, 0, (size_t)n * sizeof *g->y);
    enum { DEPTH = 8 };
    prim_dim_t k = 0;
    for (; k + DEPTH <= nrows; k += DEPTH) add_rows(g, dt, DEPTH, nvectors, k, n);
    for (; k < nrows; ++k) add_rows(g, dt, 1, nvectors, k, n);
}

SIMD_INLINE void combine_type(
        const simd_gemv_t *g, prim_data_type_t dt, prim_dim_t nrows, prim_dim_t n)
{
    if (g->nvectors == 1)
        combine_all(g, dt, 1, nrows, n);
    else
        combine_all(g, dt, SIMD_GEMV_VECTORS, nrows, n);
}

static void combine(const simd_gemv_t *g, prim_dim_t nrows, prim_dim_t n)
{
    if (g->dt == PRIM_F32)
        combine_type(g, PRIM_F32, nrows, n);
    else if (g->dt == PRIM_F16)
        combine_type(g, PRIM_F16, nrows, n);
    else
        combine_type(g, PRIM_BF16, nrows, n);
}

const simd_gemv_code_t SIMD_NAME(prim__simd_gemv_code) = {
        .arrange = arrange, .dot = dot, .combine = combine};
