// SPDX-License-Identifier: Apache-2.0
// Matmul on the CPU: the sum over k in double for any type, layout, broadcast, scale, zero point
// and post-op. A few rows of dst are computed together, so that a row of weights is converted once.
#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_row.h"

enum { ROWS = 8, COLS = REF_ROW_ELEMS };

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};
    TRY(prim__ref_require_types(pd));
    for (int i = 0; i < 4; ++i) {
        if (prim__pd_has(pd, args[i]))
            TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, args[i])));
    }
    return PRIM_SUCCESS;
}

/// An input with its scales and zero points.
typedef struct {
    const void *data; ///< NULL: absent
    const prim_memory_desc_t *md;
    ref_quant_t scales, zero_points;
} operand_t;

typedef struct {
    operand_t src, wei, bia;
    ref_finish_t finish;
    prim_dim_t m, n, k;
    prim_dim_t nblocks_m, nblocks_n;
    prim_dim_t wei_col; ///< distance of neighbours along N; 0 when blocks cut that dimension
} matmul_t;

/// A block of dst: a position, of which the last two entries move, and its extent.
typedef struct {
    prim_dims_t at;
    prim_dim_t m0, n0;
    int rows, cols;
} block_t;

static double dequantize(const operand_t *operand, double x, const prim_dim_t *position)
{
    const double zero_point = prim__ref_quant_at(&operand->zero_points, position, 0);
    return (x - zero_point) * prim__ref_quant_at(&operand->scales, position, 1);
}

/// The operand's position for one of dst: batch dimensions of 1 are broadcast.
static void operand_position(prim_dim_t *position, const operand_t *operand, const prim_dim_t *at)
{
    const prim_memory_desc_t *const md = operand->md;
    for (int d = 0; d < md->ndims; ++d) position[d] = md->dims[d] == 1 ? 0 : at[d];
}

static double load_src(const matmul_t *p, prim_dim_t *position, prim_dim_t m, prim_dim_t k)
{
    const prim_memory_desc_t *const md = p->src.md;
    position[md->ndims - 2] = m;
    position[md->ndims - 1] = k;
    const double x = prim__load(p->src.data, md->data_type, prim__md_offset(md, position));
    return dequantize(&p->src, x, position);
}

static void load_wei_row(
        const matmul_t *p, double *row, prim_dim_t *position, prim_dim_t k, prim_dim_t n0, int cols)
{
    const prim_memory_desc_t *const md = p->wei.md;
    prim_dim_t *const n = &position[md->ndims - 1];
    position[md->ndims - 2] = k;
    *n = n0;
    if (p->wei_col) {
        prim__ref_load_row(
                row, p->wei.data, md->data_type, prim__md_offset(md, position), p->wei_col, cols);
    } else {
        for (int j = 0; j < cols; ++j, ++*n)
            row[j] = prim__load(p->wei.data, md->data_type, prim__md_offset(md, position));
    }
    if (!p->wei.scales.values && !p->wei.zero_points.values) return;
    for (int j = 0; j < cols; ++j) {
        *n = n0 + j;
        row[j] = dequantize(&p->wei, row[j], position);
    }
}

static void accumulate(const matmul_t *p, const block_t *block, double sums[ROWS][COLS])
{
    prim_dims_t src_at, wei_at;
    double row[COLS];
    operand_position(src_at, &p->src, block->at);
    operand_position(wei_at, &p->wei, block->at);
    for (int i = 0; i < block->rows; ++i) {
        for (int j = 0; j < block->cols; ++j) sums[i][j] = 0;
    }
    for (prim_dim_t k = 0; k < p->k; ++k) {
        load_wei_row(p, row, wei_at, k, block->n0, block->cols);
        for (int i = 0; i < block->rows; ++i) {
            const double x = load_src(p, src_at, block->m0 + i, k);
            for (int j = 0; j < block->cols; ++j) sums[i][j] += x * row[j];
        }
    }
}

static double load_bias(const matmul_t *p, const prim_dim_t *at)
{
    if (!p->bia.data) return 0;
    prim_dims_t position;
    operand_position(position, &p->bia, at);
    return prim__load(p->bia.data, p->bia.md->data_type, prim__md_offset(p->bia.md, position));
}

static void multiply_block(prim_dim_t index, void *arg)
{
    const matmul_t *const p = arg;
    const prim_memory_desc_t *const dst_md = p->finish.dst_md;
    const int m = dst_md->ndims - 2, n = dst_md->ndims - 1;
    block_t block;
    block.n0 = index % p->nblocks_n * COLS;
    block.m0 = index / p->nblocks_n % p->nblocks_m * ROWS;
    prim__position(block.at, m, dst_md->dims, index / p->nblocks_n / p->nblocks_m);
    block.at[m] = block.at[n] = 0;
    block.rows = (int)(p->m - block.m0 < ROWS ? p->m - block.m0 : ROWS);
    block.cols = (int)(p->n - block.n0 < COLS ? p->n - block.n0 : COLS);

    double sums[ROWS][COLS];
    accumulate(p, &block, sums);
    for (int i = 0; i < block.rows; ++i) {
        for (int j = 0; j < block.cols; ++j) {
            block.at[m] = block.m0 + i;
            block.at[n] = block.n0 + j;
            prim__ref_finish_store(&p->finish, sums[i][j] + load_bias(p, block.at), block.at);
        }
    }
}

static void init_operand(operand_t *operand, const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    operand->md = prim__ctx_md(ctx, pd, arg);
    operand->data = prim__ref_pointer_if_any(ctx, pd, arg);
    prim__ref_scales_init(&operand->scales, pd, ctx, arg, operand->md);
    prim__ref_zero_points_init(&operand->zero_points, pd, ctx, arg, operand->md);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    matmul_t p = {0};
    init_operand(&p.src, pd, ctx, PRIM_ARG_SRC);
    init_operand(&p.wei, pd, ctx, PRIM_ARG_WEIGHTS);
    init_operand(&p.bia, pd, ctx, PRIM_ARG_BIAS);
    prim__ref_finish_init(&p.finish, pd, ctx);
    const prim_memory_desc_t *const dst_md = p.finish.dst_md;
    const int n = dst_md->ndims - 1;
    p.m = dst_md->dims[n - 1];
    p.n = dst_md->dims[n];
    p.k = p.src.md->dims[n];
    p.wei_col = prim__md_is_cut(p.wei.md, n) ? 0 : p.wei.md->strides[n];
    p.nblocks_m = prim__ceil_div(p.m, ROWS);
    p.nblocks_n = prim__ceil_div(p.n, COLS);
    prim_dim_t nblocks = p.nblocks_m * p.nblocks_n;
    for (int d = 0; d < n - 1; ++d) nblocks *= dst_md->dims[d];
    prim__parallel_for(nblocks, multiply_block, &p);
    prim__ref_clear_padding(p.finish.dst, dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_matmul_any = {
        .name = "ref:matmul:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
