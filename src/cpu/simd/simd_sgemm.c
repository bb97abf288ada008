// SPDX-License-Identifier: Apache-2.0
// prim_sgemm(): the packed f32 matrix product on the caller's matrices. C is scaled by beta first,
// and A by alpha while it is packed.
#include "common/alloc.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/status.h"
#include "cpu/cpu_gemm.h"
#include "prim/prim_gemm.h"
#include "simd_gemm.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack.h"

typedef struct {
    const float *a;
    prim_dim_t row, col;
    float alpha;
} scaled_t;

static void pack_scaled(
        const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const scaled_t *const s = arg;
    const int mr = prim__simd_gemm_shape(SIMD_WORD_F32)->mr;
    const simd_gemm_operand_t a = {s->a, PRIM_F32, s->row, s->col};
    prim__simd_gemm_pack(&a, i0, ni, p0, np, mr, panels);
    const prim_dim_t n = prim__round_up(ni, mr) * np;
    for (prim_dim_t i = 0; i < n; ++i) panels[i] *= s->alpha;
}

typedef struct {
    const cpu_gemm_t *gemm;
    float *c, beta;
} target_t;

static void scale_row(prim_dim_t i, void *arg)
{
    const target_t *const t = arg;
    float *const row = t->c + i * t->gemm->c_row;
    for (prim_dim_t j = 0; j < t->gemm->n; ++j) row[j] = t->beta == 0.F ? 0.F : t->beta * row[j];
}

/// C += alpha·op(A)·op(B), or C = … for beta 0.
static void multiply(const cpu_gemm_t *g, float alpha, const float *a, const float *b, float beta,
        float *c, void *scratch, int nthr)
{
    const scaled_t scaled = {a, g->a_row, g->a_col, alpha};
    simd_gemm_t gemm = {.m = g->m,
            .n = g->n,
            .k = g->k,
            .a = a,
            .a_row = g->a_row,
            .a_col = g->a_col,
            .b = b,
            .b_row = g->b_row,
            .b_col = g->b_col,
            .c = c,
            .c_row = g->c_row,
            .accumulates = beta != 0.F};
    if (alpha != 1.F) {
        gemm.pack_a = pack_scaled;
        gemm.pack_arg = &scaled;
    }
    prim__simd_gemm_run(&gemm, scratch, nthr);
}

static prim_status_t run(
        const cpu_gemm_t *g, float alpha, const float *a, const float *b, float beta, float *c)
{
    const bool reads_operands = alpha != 0.F && g->k > 0;
    const int nthr = prim__max_threads();
    const size_t bytes =
            prim__simd_gemm_scratch_bytes(SIMD_WORD_F32, g->m, g->n, g->k) * (size_t)nthr;
    void *const scratch = reads_operands ? prim__malloc_aligned(bytes) : NULL;
    if (reads_operands && !scratch) return prim__fail_memory(bytes);
    target_t target = {g, c, beta};
    if (beta != 1.F && (beta != 0.F || !reads_operands))
        prim__parallel_for(g->m, scale_row, &target);
    if (reads_operands) multiply(g, alpha, a, b, beta, c, scratch, nthr);
    prim__free(scratch);
    return PRIM_SUCCESS;
}

prim_status_t prim_sgemm(char transa, char transb, prim_dim_t m, prim_dim_t n, prim_dim_t k,
        float alpha, const float *a, prim_dim_t lda, const float *b, prim_dim_t ldb, float beta,
        float *c, prim_dim_t ldc)
{
    cpu_gemm_t gemm;
    TRY(prim__cpu_gemm_init(&gemm, "sgemm", &(cpu_matrix_t){"a", transa, m, k, lda, a},
            &(cpu_matrix_t){"b", transb, k, n, ldb, b}, &(cpu_matrix_t){"c", 'N', m, n, ldc, c}));
    if (m == 0 || n == 0) return PRIM_SUCCESS;
    prim__parallel_use(prim__parallel_default(), NULL);
    const prim_status_t st = run(&gemm, alpha, a, b, beta, c);
    prim__parallel_use(PRIM_RUNTIME_NONE, NULL);
    return st;
}
