// SPDX-License-Identifier: Apache-2.0
// prim_gemm_u8s8s32() and prim_gemm_s8s8s32(): f32 products of so short a depth that their sums of
// integers are exact, added up in double.
#include <math.h>

#include "common/alloc.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/status.h"
#include "cpu/cpu_gemm.h"
#include "prim/prim_gemm.h"
#include "simd_gemm.h"
#include "simd_gemm_levels.h"

enum {
    /// Without their offsets, bytes are within ±255: 256 products stay below 2^24.
    DEPTH = 256,
    /// Of a part of C that a thread computes at a time.
    ROWS = 192,
    COLS = 384,
    LINE_BYTES = 64
};

/// Bytes of an operand: element (i, p) of A, or (p, i) of B, at data[i*along + p*down].
typedef struct {
    const uint8_t *data;
    prim_dim_t along, down;
    int flip, offset; ///< the value is (byte ^ flip) − offset
} bytes_t;

/// Signed bytes become those of value + 128.
static bytes_t operand_of(
        const void *data, bool is_signed, int offset, prim_dim_t along, prim_dim_t down)
{
    const int bias = is_signed ? 128 : 0;
    return (bytes_t){data, along, down, bias, offset + bias};
}

typedef struct {
    const cpu_gemm_t *gemm;
    bytes_t a, b;
    float alpha, beta;
    int32_t *c;
    const int32_t *co;
    prim_dim_t co_row, co_col; ///< 0: all rows, columns share a value
    prim_dim_t ncols, nparts;  ///< parts of C in a row, and in all
    char *scratch;
    size_t thread_bytes, sums_offset, totals_offset; ///< the product's own scratch comes first
} product_t;

/// A part of C, and a stretch of the depth.
typedef struct {
    const product_t *product;
    prim_dim_t i0, j0, p0;
} stretch_t;

static void pack(const bytes_t *x, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np,
        int width, float *panels)
{
    for (prim_dim_t i = 0; i < ni; i += width, panels += np * width) {
        const uint8_t *const first = x->data + (i0 + i) * x->along + p0 * x->down;
        const prim_dim_t count = prim__min(ni - i, width);
        for (prim_dim_t p = 0; p < np; ++p) {
            for (prim_dim_t r = 0; r < count; ++r)
                panels[p * width + r] =
                        (float)((first[r * x->along + p * x->down] ^ x->flip) - x->offset);
            for (prim_dim_t r = count; r < width; ++r) panels[p * width + r] = 0.F;
        }
    }
}

static void pack_a(
        const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const stretch_t *const s = arg;
    pack(&s->product->a, s->i0 + i0, ni, s->p0 + p0, np, prim__simd_gemm_shape(SIMD_WORD_F32)->mr,
            panels);
}

static void pack_b(
        const void *arg, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const stretch_t *const s = arg;
    pack(&s->product->b, s->j0 + j0, nj, s->p0 + p0, np, prim__simd_gemm_shape(SIMD_WORD_F32)->nr,
            panels);
}

/// alpha·sum + beta·C + co, rounded to even.
static void finish_row(
        const product_t *p, prim_dim_t i, prim_dim_t j0, prim_dim_t nj, const double *totals)
{
    int32_t *const row = p->c + i * p->gemm->c_row + j0;
    for (prim_dim_t j = 0; j < nj; ++j) {
        const double old = p->beta == 0.F ? 0. : (double)p->beta * row[j];
        const double shift = p->co[i * p->co_row + (j0 + j) * p->co_col];
        const double x = (double)p->alpha * totals[j] + old + shift;
        row[j] = x >= INT32_MAX   ? INT32_MAX
                 : x <= INT32_MIN ? INT32_MIN
                 : isnan(x)       ? 0
                                  : (int32_t)nearbyint(x);
    }
}

static void multiply_part(const product_t *p, prim_dim_t part, char *scratch)
{
    float *const sums = (float *)(void *)(scratch + p->sums_offset);
    double *const totals = (double *)(void *)(scratch + p->totals_offset);
    stretch_t stretch = {p, part / p->ncols * ROWS, part % p->ncols * COLS, 0};
    const prim_dim_t ni = prim__min(p->gemm->m - stretch.i0, ROWS);
    const prim_dim_t nj = prim__min(p->gemm->n - stretch.j0, COLS);
    for (prim_dim_t i = 0; i < ni * nj; ++i) totals[i] = 0.;
    for (; stretch.p0 < p->gemm->k; stretch.p0 += DEPTH) {
        const simd_gemm_t gemm = {.m = ni,
                .n = nj,
                .k = prim__min(p->gemm->k - stretch.p0, DEPTH),
                .c = sums,
                .c_row = nj,
                .pack_a = pack_a,
                .pack_b = pack_b,
                .pack_arg = &stretch};
        prim__simd_gemm_serial(&gemm, scratch);
        for (prim_dim_t i = 0; i < ni * nj; ++i) totals[i] += (double)sums[i];
    }
    for (prim_dim_t i = 0; i < ni; ++i)
        finish_row(p, stretch.i0 + i, stretch.j0, nj, totals + i * nj);
}

static void work(int ithr, int nthr, void *arg)
{
    const product_t *const p = arg;
    prim_dim_t start, end;
    prim__balance211(p->nparts, nthr, ithr, &start, &end);
    for (prim_dim_t part = start; part < end; ++part)
        multiply_part(p, part, p->scratch + (size_t)ithr * p->thread_bytes);
}

static prim_status_t multiply(product_t *p)
{
    const cpu_gemm_t *const g = p->gemm;
    const prim_dim_t ni = prim__min(g->m, ROWS), nj = prim__min(g->n, COLS);
    const prim_dim_t nelems = prim__round_up(ni * nj, LINE_BYTES);
    p->ncols = prim__ceil_div(g->n, COLS);
    p->nparts = prim__ceil_div(g->m, ROWS) * p->ncols;
    p->sums_offset = prim__simd_gemm_scratch_bytes(SIMD_WORD_F32, ni, nj, prim__min(g->k, DEPTH));
    p->totals_offset = p->sums_offset + (size_t)nelems * sizeof(float);
    p->thread_bytes = p->totals_offset + (size_t)nelems * sizeof(double);
    const prim_dim_t nthr = prim__min(prim__max_threads(), p->nparts);
    p->scratch = prim__malloc_aligned(p->thread_bytes * (size_t)nthr);
    if (!p->scratch) return prim__fail_memory(p->thread_bytes * (size_t)nthr);
    prim__parallel((int)nthr, work, p);
    prim__free(p->scratch);
    return PRIM_SUCCESS;
}

/// What the elements of co belong to.
static prim_status_t take_offsets(product_t *p, const char *function, char offsetc)
{
    const bool is_column = offsetc == 'C' || offsetc == 'c';
    const bool is_row = offsetc == 'R' || offsetc == 'r';
    CHECK(is_column || is_row || offsetc == 'F' || offsetc == 'f',
            "%s: offsetc has code %d, none of 'F', 'C' and 'R'", function, (int)offsetc);
    CHECK(p->co || (is_column && p->gemm->m == 0) || (is_row && p->gemm->n == 0), "%s: co is NULL",
            function);
    p->co_row = is_column;
    p->co_col = is_row;
    return PRIM_SUCCESS;
}

/// The two functions differ in the type of A alone.
static prim_status_t multiply_bytes(const char *function, bool a_is_signed, char transa,
        char transb, char offsetc, prim_dim_t m, prim_dim_t n, prim_dim_t k, float alpha,
        const void *a, prim_dim_t lda, int ao, const int8_t *b, prim_dim_t ldb, int8_t bo,
        float beta, int32_t *c, prim_dim_t ldc, const int32_t *co)
{
    cpu_gemm_t g;
    TRY(prim__cpu_gemm_init(&g, function, &(cpu_matrix_t){"a", transa, m, k, lda, a},
            &(cpu_matrix_t){"b", transb, k, n, ldb, b}, &(cpu_matrix_t){"c", 'N', m, n, ldc, c}));
    product_t p = {.gemm = &g,
            .a = operand_of(a, a_is_signed, ao, g.a_row, g.a_col),
            .b = operand_of(b, true, bo, g.b_col, g.b_row),
            .alpha = alpha,
            .beta = beta,
            .c = c,
            .co = co};
    TRY(take_offsets(&p, function, offsetc));
    if (g.m == 0 || g.n == 0) return PRIM_SUCCESS;
    prim__parallel_use(prim__parallel_default(), NULL);
    const prim_status_t st = multiply(&p);
    prim__parallel_use(PRIM_RUNTIME_NONE, NULL);
    return st;
}

prim_status_t prim_gemm_u8s8s32(char transa, char transb, char offsetc, prim_dim_t m, prim_dim_t n,
        prim_dim_t k, float alpha, const uint8_t *a, prim_dim_t lda, uint8_t ao, const int8_t *b,
        prim_dim_t ldb, int8_t bo, float beta, int32_t *c, prim_dim_t ldc, const int32_t *co)
{
    return multiply_bytes("gemm_u8s8s32", false, transa, transb, offsetc, m, n, k, alpha, a, lda,
            ao, b, ldb, bo, beta, c, ldc, co);
}

prim_status_t prim_gemm_s8s8s32(char transa, char transb, char offsetc, prim_dim_t m, prim_dim_t n,
        prim_dim_t k, float alpha, const int8_t *a, prim_dim_t lda, int8_t ao, const int8_t *b,
        prim_dim_t ldb, int8_t bo, float beta, int32_t *c, prim_dim_t ldc, const int32_t *co)
{
    return multiply_bytes("gemm_s8s8s32", true, transa, transb, offsetc, m, n, k, alpha, a, lda, ao,
            b, ldb, bo, beta, c, ldc, co);
}
