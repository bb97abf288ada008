// SPDX-License-Identifier: Apache-2.0
// The matrix product of benchdnn itself: blocks of a few rows by many columns, so that sums stay in
// the nearest cache and a row of weights serves them all.
#include "matmul_ref.h"

#include <string.h>

#include "core/driver.h"

enum { ROWS = 4, COLS = 256, DEPTH = 4 };

typedef struct {
    const matmul_ref_t *run;
    int64_t m, n, k;
    int64_t nblocks_m, nblocks_n;
} matmul_run_t;

/// One block: up to ROWS × COLS sums.
typedef struct {
    prim_dims_t at; ///< position of its first element in dst
    int64_t rows, cols;
    double sums[ROWS][COLS];
} block_t;

/// Row-major offset of a position of dst in a tensor whose dimensions of 1 are broadcast; the last
/// `nlast` dimensions are taken as 0.
static int64_t offset_at(
        const matmul_ref_t *run, const prim_dim_t *dims, const prim_dim_t *at, int nlast)
{
    int64_t offset = 0;
    for (int d = 0; d < run->ndims; ++d) {
        const bool counts = dims[d] != 1 && d < run->ndims - nlast;
        offset = offset * dims[d] + (counts ? at[d] : 0);
    }
    return offset;
}

/// sum[x] += Σ a[p]·b[p][x] for DEPTH rows of b, n apart.
static void add_rows(
        double *restrict sum, const double *a, const double *restrict b, int64_t n, int64_t cols)
{
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const double *restrict b1 = b + n, *restrict b2 = b + 2 * n, *restrict b3 = b + 3 * n;
    for (int64_t x = 0; x < cols; ++x) sum[x] += a0 * b[x] + a1 * b1[x] + (a2 * b2[x] + a3 * b3[x]);
}

static void sum_block(const matmul_run_t *run, block_t *block)
{
    const matmul_ref_t *const r = run->run;
    const int64_t m0 = block->at[r->ndims - 2], n0 = block->at[r->ndims - 1];
    const double *const a = r->src + offset_at(r, r->src_dims, block->at, 2) + m0 * run->k;
    const double *const b = r->wei + offset_at(r, r->wei_dims, block->at, 2) + n0;
    int64_t k = 0;
    for (; k + DEPTH <= run->k; k += DEPTH) {
        for (int64_t i = 0; i < block->rows; ++i)
            add_rows(block->sums[i], a + i * run->k + k, b + k * run->n, run->n, block->cols);
    }
    for (; k < run->k; ++k) {
        for (int64_t i = 0; i < block->rows; ++i) {
            const double x = a[i * run->k + k];
            for (int64_t j = 0; j < block->cols; ++j) block->sums[i][j] += x * b[k * run->n + j];
        }
    }
}

static void store_block(const matmul_run_t *run, block_t *block)
{
    const matmul_ref_t *const r = run->run;
    prim_dim_t *const m = &block->at[r->ndims - 2], *const n = &block->at[r->ndims - 1];
    const int64_t n0 = *n;
    for (int64_t i = 0; i < block->rows; ++i, ++*m) {
        *n = n0;
        double *const row = r->dst + offset_at(r, r->dst_dims, block->at, 0);
        for (int64_t j = 0; j < block->cols; ++j, ++*n) {
            const double bias = r->bias ? r->bias[offset_at(r, r->bias_dims, block->at, 0)] : 0.0;
            row[j] = block->sums[i][j] + bias;
        }
    }
}

static int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void compute_blocks(void *context, int64_t begin, int64_t end)
{
    const matmul_run_t *const run = context;
    const matmul_ref_t *const r = run->run;
    const int ndims = r->ndims;
    block_t block;
    for (int64_t index = begin; index < end; ++index) {
        int64_t batch = index / run->nblocks_n / run->nblocks_m;
        block.at[ndims - 2] = index / run->nblocks_n % run->nblocks_m * ROWS;
        block.at[ndims - 1] = index % run->nblocks_n * COLS;
        for (int d = ndims - 3; d >= 0; --d) {
            block.at[d] = batch % r->dst_dims[d];
            batch /= r->dst_dims[d];
        }
        block.rows = min_i64(ROWS, run->m - block.at[ndims - 2]);
        block.cols = min_i64(COLS, run->n - block.at[ndims - 1]);
        memset(block.sums, 0, sizeof block.sums);
        sum_block(run, &block);
        store_block(run, &block);
    }
}

void matmul_ref(const matmul_ref_t *r)
{
    const int ndims = r->ndims;
    matmul_run_t run = {
            .run = r,
            .m = r->dst_dims[ndims - 2],
            .n = r->dst_dims[ndims - 1],
            .k = r->src_dims[ndims - 1],
    };
    run.nblocks_m = (run.m + ROWS - 1) / ROWS;
    run.nblocks_n = (run.n + COLS - 1) / COLS;
    int64_t nblocks = run.nblocks_m * run.nblocks_n;
    for (int d = 0; d < ndims - 2; ++d) nblocks *= r->dst_dims[d];
    bench_parallel(nblocks, 1, compute_blocks, &run);
}
