// SPDX-License-Identifier: Apache-2.0
// Zero points of src and weights in a matmul of bytes: rows of src are added up before the product,
// which itself adds up the columns of weights.
#include "simd_matmul_zeros.h"

#include "common/int_math.h"
#include "common/parallel.h"

enum { ROWS = 32 }; ///< whose sums one call computes

int64_t prim__simd_matmul_source_offset(const prim_desc_t *pd, const exec_ctx_t *ctx, bool flips)
{
    return (int64_t)prim__ref_zero_point(pd, ctx, PRIM_ARG_SRC) + (flips ? 128 : 0);
}

size_t prim__simd_matmul_zeros_bytes(const matmul_shape_t *shape)
{
    const prim_dim_t nrows = prim__matmul_nbatches(shape) * shape->m;
    return (size_t)(shape->n + nrows) * sizeof(double);
}

typedef struct {
    const matmul_shape_t *shape;
    const uint8_t *src;
    uint8_t flip; ///< of the bytes of src, which makes u8 of them
    double offset;
    double *sums;
    prim_dim_t nblocks; ///< of the rows of one product
} row_sums_t;

/// The block's rows in dst are neighbours, those of src src_m apart.
static void sum_rows(prim_dim_t index, void *arg)
{
    const row_sums_t *const x = arg;
    const matmul_shape_t *const s = x->shape;
    const prim_dim_t product = index / x->nblocks, i = index % x->nblocks * ROWS;
    const prim_dim_t n = prim__min(s->m - i, ROWS);
    const uint8_t *const first =
            x->src + prim__matmul_batch_offset(s, s->src_batch, product) + i * s->src_m;
    const uint8_t flip = x->flip;
    int32_t sums[ROWS] = {0};
    if (s->src_k == 1) {
        for (prim_dim_t r = 0; r < n; ++r) {
            const uint8_t *const row = first + r * s->src_m;
            for (prim_dim_t k = 0; k < s->k; ++k) sums[r] += row[k] ^ flip;
        }
    } else {
        for (prim_dim_t k = 0; k < s->k; ++k)
            for (prim_dim_t r = 0; r < n; ++r) sums[r] += first[r * s->src_m + k * s->src_k] ^ flip;
    }
    for (prim_dim_t r = 0; r < n; ++r)
        x->sums[product * s->m + i + r] = sums[r] - x->offset * (double)s->k;
}

static void fill_columns(
        double *zeros, const prim_desc_t *pd, const exec_ctx_t *ctx, const matmul_shape_t *shape)
{
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const double flip = wei->data_type == PRIM_U8 ? 128. : 0.;
    ref_quant_t zero_points;
    prim__ref_zero_points_init(&zero_points, pd, ctx, PRIM_ARG_WEIGHTS, wei);
    prim_dims_t at = {0};
    for (prim_dim_t j = 0; j < shape->n; ++j) {
        at[wei->ndims - 1] = j;
        zeros[j] = prim__ref_quant_at(&zero_points, at, 0) - flip;
    }
}

void prim__simd_matmul_fill_zeros(simd_matmul_zeros_t *zeros, void *buffer, const prim_desc_t *pd,
        const exec_ctx_t *ctx, const matmul_shape_t *shape, bool flips)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const bool is_signed = src->data_type == PRIM_S8;
    double *const columns = buffer;
    *zeros = (simd_matmul_zeros_t){.src = (double)prim__simd_matmul_source_offset(pd, ctx, flips)};
    if (!prim__attr_zero_point(&pd->attr, PRIM_ARG_WEIGHTS) &&
            prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type != PRIM_U8)
        return;
    fill_columns(columns, pd, ctx, shape);
    row_sums_t rows = {.shape = shape,
            .src = (const uint8_t *)prim__ref_pointer(ctx, PRIM_ARG_SRC) + src->offset0,
            .flip = is_signed ? 0x80 : 0,
            .offset = (double)prim__simd_matmul_source_offset(pd, ctx, is_signed),
            .sums = columns + shape->n,
            .nblocks = prim__ceil_div(shape->m, ROWS)};
    prim__parallel_for(prim__matmul_nbatches(shape) * rows.nblocks, sum_rows, &rows);
    zeros->wei = columns;
    zeros->row_sums = rows.sums;
}
