// SPDX-License-Identifier: Apache-2.0
// Sums of outer products, in registers over all pixels. Compiled for each level: simd_level.h.
#include "simd_outer.h"
#include "simd_vec.h"

// Rows × vectors of sums; with fewer rows there are more vectors, since one sum waits for another.
#if SIMD_LEVEL >= 2
enum { ROWS = 8, VECTORS = 3, VECTORS_OF_FOUR = 5, VECTORS_OF_FEW = 8 };
#else
enum { ROWS = 4, VECTORS = 2, VECTORS_OF_FOUR = 2, VECTORS_OF_FEW = 4 };
#endif

enum { MOST_ROWS = 8, MOST_VECTORS = 8 };

/// nrows and nvectors are constants of the caller's; the last vector has `last` elements.
SIMD_INLINE void add_tile(const simd_outer_t *p, prim_dim_t r0, prim_dim_t j0, const int nrows,
        const int nvectors, prim_dim_t last)
{
    vf_t sums[MOST_ROWS][MOST_VECTORS];
    float *const to = p->sums + r0 * p->sums_row + j0;
    for (int r = 0; r < nrows; ++r)
        for (int k = 0; k < nvectors; ++k) sums[r][k] = v_set(0);
    for (prim_dim_t i = 0; i < p->npixels; ++i) {
        const float *const a = p->a + p->a_at[i] + r0, *const b = p->b + p->b_at[i] + j0;
        vf_t x[MOST_VECTORS];
        for (int k = 0; k < nvectors - 1; ++k) x[k] = v_load(b + k * LANES);
        x[nvectors - 1] = v_load_at(b + (nvectors - 1) * LANES, 0, last, 0);
        for (int r = 0; r < nrows; ++r) {
            const vf_t w = v_set(a[r]);
            for (int k = 0; k < nvectors; ++k) sums[r][k] += w * x[k];
        }
    }
    for (int r = 0; r < nrows; ++r) {
        float *const row = to + r * p->sums_row;
        for (int k = 0; k < nvectors - 1; ++k)
            v_store(row + k * LANES, v_load(row + k * LANES) + sums[r][k]);
        const int k = nvectors - 1;
        v_store_at(row + k * LANES, v_load_at(row + k * LANES, 0, last, 0) + sums[r][k], 0, last);
    }
}

/// All of b against rows r0...
SIMD_INLINE void add_rows(
        const simd_outer_t *p, prim_dim_t r0, const int nrows, const int most_vectors)
{
    prim_dim_t j = 0;
    for (; j + most_vectors * LANES <= p->nb; j += most_vectors * LANES)
        add_tile(p, r0, j, nrows, most_vectors, LANES);
    for (; j + 2 * LANES <= p->nb; j += 2 * LANES) add_tile(p, r0, j, nrows, 2, LANES);
    if (p->nb - j > LANES)
        add_tile(p, r0, j, nrows, 2, p->nb - j - LANES);
    else if (j < p->nb)
        add_tile(p, r0, j, nrows, 1, p->nb - j);
}

static void add(const simd_outer_t *p)
{
    prim_dim_t r = 0;
    for (; r + ROWS <= p->na; r += ROWS) add_rows(p, r, ROWS, VECTORS);
    for (; r + 4 <= p->na; r += 4) add_rows(p, r, 4, VECTORS_OF_FOUR);
    for (; r + 2 <= p->na; r += 2) add_rows(p, r, 2, VECTORS_OF_FEW);
    for (; r < p->na; ++r) add_rows(p, r, 1, VECTORS_OF_FEW);
}

const simd_outer_code_t SIMD_NAME(prim__simd_outer_code) = {.add = add};
