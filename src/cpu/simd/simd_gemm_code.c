// SPDX-License-Identifier: Apache-2.0
// The f32 matrix product's register tile with vectors of four lanes. Compiled for the levels that
// have these: simd_level.h.
#include "simd_gemm_kernel.h"
#include "simd_vec.h"

// The sums, a row of B and an element of A stay in registers: 64-bit ARM has 32, SSE2 16.
#if SIMD_LEVEL == 3
enum { MR = 6, VECTORS = 4 };
#else
enum { MR = 4, VECTORS = 2 };
#endif
enum { NR = VECTORS * LANES };

/// In front of a loop of constant length that must leave its arrays in registers.
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/// p[0..n), 0 beyond; 1 <= n <= LANES.
SIMD_INLINE vf_t load_first(const float *p, int n)
{
    if (n == LANES) return v_load(p);
    return (vf_t){p[0], n > 1 ? p[1] : 0.0F, n > 2 ? p[2] : 0.0F};
}

SIMD_INLINE void store_first(float *p, int n, vf_t x)
{
    if (n == LANES)
        v_store(p, x);
    else
        v_store_part(p, x, n);
}

/// Where a tile lies, and how much of it is wanted.
typedef struct {
    prim_dim_t k;
    const float *a, *b;
    prim_dim_t b_row;
    float *c;
    prim_dim_t c_row;
    int rows;
    int rest; ///< wanted lanes of the last vector
    bool accumulates;
} tile_t;

SIMD_INLINE void store_tile(
        const tile_t *t, vf_t acc[MR][VECTORS], const int rows, const int vectors, const int rest)
{
    UNROLL
    for (int i = 0; i < rows; ++i) {
        if (i >= t->rows) return;
        UNROLL
        for (int v = 0; v < vectors; ++v) {
            float *const out = t->c + i * t->c_row + v * LANES;
            const int n = v + 1 < vectors ? LANES : rest;
            const vf_t x = acc[i][v];
            store_first(out, n, t->accumulates ? load_first(out, n) + x : x);
        }
    }
}

/// `rows` are those that are computed, of which t->rows are stored.
SIMD_INLINE void tile(const tile_t *t, const int rows, const int vectors, const bool is_whole)
{
    const int rest = is_whole ? LANES : t->rest;
    const float *a = t->a, *b = t->b;
    vf_t acc[MR][VECTORS];
    UNROLL
    for (int i = 0; i < rows; ++i) {
        UNROLL
        for (int v = 0; v < vectors; ++v) acc[i][v] = v_set(0);
    }
    for (prim_dim_t p = 0; p < t->k; ++p, a += MR, b += t->b_row) {
        vf_t bs[VECTORS];
        UNROLL
        for (int v = 0; v < vectors; ++v)
            bs[v] = load_first(b + v * LANES, v + 1 < vectors ? LANES : rest);
        // Lanes of two registers, which multiply without a copy: six elements would take six.
        const vf_t first = v_load_factors(a), last = v_load_factors(a + MR - LANES);
        UNROLL
        for (int i = 0; i < rows; ++i) {
            const float x = i < LANES ? first[i] : last[i - (MR - LANES)];
            UNROLL
            for (int v = 0; v < vectors; ++v) acc[i][v] += x * bs[v];
        }
    }
    store_tile(t, acc, rows, vectors, rest);
}

SIMD_INLINE void tile_of_rows(const tile_t *t, const int vectors, const bool is_whole)
{
    if (t->rows == 1)
        tile(t, 1, vectors, is_whole);
    else if (t->rows == 2)
        tile(t, 2, vectors, is_whole);
    else if (MR > 4 && t->rows <= 4)
        tile(t, 4, vectors, is_whole);
    else
        tile(t, MR, vectors, is_whole);
}

SIMD_INLINE void tile_of_vectors(const tile_t *t, const int vectors)
{
    if (t->rest == LANES)
        tile_of_rows(t, vectors, true);
    else
        tile_of_rows(t, vectors, false);
}

static void kernel(prim_dim_t k, const float *a, prim_dim_t a_row, const float *b, prim_dim_t b_row,
        float *c, prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    (void)a_row; // columns of a panel follow each other
    const int vectors = (cols + LANES - 1) / LANES;
    const int rest = cols - (vectors - 1) * LANES;
    const tile_t t = {k, a, b, b_row, c, c_row, rows, rest, accumulates};
    switch (vectors) {
    case 1: tile_of_vectors(&t, 1); return;
    case 2: tile_of_vectors(&t, 2); return;
#if SIMD_LEVEL == 3
    case 3: tile_of_vectors(&t, 3); return;
#endif
    default: tile_of_vectors(&t, VECTORS); return;
    }
}

SIMD_INLINE void transpose_4x4(vf_t x[LANES])
{
    const vf_t a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
    const vf_t b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
    const vf_t c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
    const vf_t d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

static void transpose_lanes(const void *src, prim_dim_t row_bytes, int count, prim_dim_t depth,
        float *panel, int width, int wanted)
{
    for (prim_dim_t p = 0; p < depth; p += LANES) {
        const int np = depth - p < LANES ? (int)(depth - p) : LANES;
        vf_t x[LANES];
        UNROLL
        for (int r = 0; r < LANES; ++r) {
            const char *const row = (const char *)src + r * row_bytes + p * 4;
            x[r] = r < count ? load_first((const float *)(const void *)row, np) : v_set(0);
        }
        transpose_4x4(x);
        UNROLL
        for (int q = 0; q < LANES; ++q) {
            if (q < np) store_first(panel + (p + q) * width, wanted, x[q]);
        }
    }
}

const simd_gemm_code_t SIMD_NAME(prim__simd_gemm_code) = {
        .shape = {.mr = MR, .nr = NR, .mc = 24 * MR, .nc = 512, .kc = 256},
        .kernel = kernel,
        .products = 8,
        .lanes = LANES,
        .transpose = transpose_lanes,
};
