// SPDX-License-Identifier: Apache-2.0
// Epilogue of matmul and inner product: on rows of f32 where the post-ops allow it, else element by
// element as in the reference.
#include "simd_matmul_finish.h"

#include <string.h>

#include "cpu/ref/ref_row.h"
#include "simd_eltwise_row.h"

enum { LEAST_COLUMNS = 8 }; ///< of a row that an epilogue takes on its own

static bool is_row_step(const post_op_t *step, int index)
{
    if (step->kind == PRIM_ELTWISE) return true;
    if (step->kind != PRIM_SUM || index != 0) return false;
    return step->data_type == PRIM_F32 || step->data_type == PRIM_DATA_TYPE_UNDEF;
}

bool prim__simd_matmul_is_row_chain(const prim_attr_t *attr)
{
    if (prim__attr_scale(attr, PRIM_ARG_DST) || prim__attr_zero_point(attr, PRIM_ARG_DST))
        return false;
    for (int i = 0; i < attr->post_ops.len; ++i) {
        if (!is_row_step(&attr->post_ops.entries[i], i)) return false;
    }
    return true;
}

/// Elements of a row of dst, if its rows follow each other and nothing but `vector` has to know
/// where they are.
static prim_dim_t joined_row(const simd_product_chain_t *vector)
{
    const prim_memory_desc_t *const md = vector->mds[0];
    prim_dim_t expected = 1;
    for (int d = md->ndims - 1; d >= 0; --d) {
        if (md->dims[d] > 1 && md->strides[d] != expected) return 0;
        expected *= md->dims[d];
    }
    const prim_dim_t n = md->dims[md->ndims - 1];
    return vector->ntensors == 1 && n <= REF_ROW_ELEMS ? n : 0;
}

/// The bias of one row, for all rows of all products.
static bool is_one_row(const matmul_shape_t *shape)
{
    bool is = shape->bia_m == 0 && shape->bia_n == 1;
    for (int d = 0; d < shape->nbatch; ++d) is = is && shape->bia_batch[d] == 0;
    return is;
}

bool prim__simd_matmul_has_epilogue(
        const prim_desc_t *pd, const matmul_shape_t *shape, bool skips_first)
{
    return shape && shape->dst_n == 1 && (!prim__pd_has(pd, PRIM_ARG_BIAS) || is_one_row(shape)) &&
           prim__simd_epilogue_takes(pd, skips_first);
}

prim_dim_t prim__simd_matmul_bias_room(const prim_desc_t *pd, const matmul_shape_t *shape)
{
    if (!prim__pd_has(pd, PRIM_ARG_BIAS)) return 0;
    return prim__pd_md(pd, PRIM_ARG_BIAS)->data_type == PRIM_F32 ? 0 : shape->n;
}

/// The bias in f32.
static const float *bias_row(const simd_matmul_finish_t *finish, float *room, prim_dim_t n)
{
    if (finish->bia_dt == PRIM_F32) return (const float *)finish->bia + finish->bia_offset0;
    for (prim_dim_t j = 0; j < n; j += REF_ROW_ELEMS) {
        double wide[REF_ROW_ELEMS];
        const prim_dim_t count = n - j < REF_ROW_ELEMS ? n - j : REF_ROW_ELEMS;
        prim__ref_load_row(wide, finish->bia, finish->bia_dt, finish->bia_offset0 + j, 1, count);
        for (prim_dim_t i = 0; i < count; ++i) room[j + i] = (float)wide[i];
    }
    return room;
}

static void init_epilogue(simd_matmul_finish_t *finish, const prim_desc_t *pd,
        const exec_ctx_t *ctx, const matmul_shape_t *shape, const simd_matmul_finish_plan_t *plan)
{
    finish->has_epilogue = true;
    finish->epilogue_code = prim__simd_epilogue_choose(prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    finish->dst_row = shape->dst_m;
    prim__simd_epilogue_init(&finish->epilogue, pd, ctx, plan->skips_first);
    finish->epilogue.factor = finish->factors;
    if (finish->bia) finish->epilogue.shift = bias_row(finish, plan->bias, shape->n);
}

/// Rows i.., columns j..j+n of a product.
static void finish_by_epilogue(const simd_matmul_finish_t *finish, const simd_matmul_tile_t *tile,
        float *sums, prim_dim_t i, prim_dim_t nrows, prim_dim_t j, prim_dim_t n)
{
    simd_epilogue_t epilogue = finish->epilogue;
    if (epilogue.factor) epilogue.factor += j;
    if (epilogue.shift) epilogue.shift += j;
    const simd_epilogue_rows_t rows = {.sums = sums,
            .sums_row = tile->row_elems,
            .nrows = nrows,
            .n = n,
            .at = tile->dst + i * finish->dst_row + j,
            .dst_row = finish->dst_row};
    finish->epilogue_code->finish(&epilogue, &rows);
}

void prim__simd_matmul_finish_init(simd_matmul_finish_t *finish, const prim_desc_t *pd,
        const exec_ctx_t *ctx, const matmul_shape_t *shape, const simd_matmul_finish_plan_t *plan,
        const float *factors)
{
    const prim_memory_desc_t *const bia = prim__ctx_md(ctx, pd, PRIM_ARG_BIAS);
    *finish = (simd_matmul_finish_t){
            .chain = &pd->attr.post_ops,
            .first_step = plan->skips_first ? 1 : 0,
            .is_row_chain = plan->is_row_chain,
            .is_vector = plan->is_vector,
            .has_integers = plan->has_integers,
            .factors = factors,
            .bia_m = shape->bia_m,
            .bia_n = shape->bia_n,
    };
    if (prim__pd_has(pd, PRIM_ARG_BIAS)) {
        finish->bia = prim__ref_pointer(ctx, PRIM_ARG_BIAS);
        finish->bia_dt = bia->data_type;
        finish->bia_offset0 = bia->offset0;
    }
    finish->is_empty = plan->is_sums || (plan->is_row_chain && !finish->bia && !factors &&
                                                finish->chain->len == finish->first_step);
    if (plan->is_vector) {
        prim__simd_product_chain_init(&finish->vector, pd, ctx);
        finish->joined = joined_row(&finish->vector);
    }
    if (plan->has_epilogue) init_epilogue(finish, pd, ctx, shape, plan);
    prim__ref_finish_init(&finish->ref, pd, ctx);
    finish->is_copy = plan->has_integers && finish->ref.is_plain && !finish->bia && !factors &&
                      shape->dst_n == 1;
}

void prim__simd_matmul_fill_factors(
        float *factors, const prim_desc_t *pd, const exec_ctx_t *ctx, prim_dim_t n)
{
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    ref_quant_t src_scale, wei_scale;
    prim__ref_scales_init(&src_scale, pd, ctx, PRIM_ARG_SRC, prim__pd_md(pd, PRIM_ARG_SRC));
    prim__ref_scales_init(&wei_scale, pd, ctx, PRIM_ARG_WEIGHTS, wei);
    prim_dims_t at = {0};
    const double common = prim__ref_quant_at(&src_scale, at, 1);
    for (prim_dim_t j = 0; j < n; ++j) {
        at[wei->ndims - 1] = j;
        factors[j] = (float)(common * prim__ref_quant_at(&wei_scale, at, 1));
    }
}

static void add_bias(
        const simd_matmul_finish_t *finish, float *row, prim_dim_t offset, prim_dim_t n)
{
    if (finish->bia_dt == PRIM_F32 && finish->bia_n == 1) {
        const float *const bia = (const float *)finish->bia + offset;
        for (prim_dim_t j = 0; j < n; ++j) row[j] += bia[j];
        return;
    }
    double bia[REF_ROW_ELEMS];
    prim__ref_load_row(bia, finish->bia, finish->bia_dt, offset, finish->bia_n, n);
    for (prim_dim_t j = 0; j < n; ++j) row[j] = (float)((double)row[j] + bia[j]);
}

/// Elements j0..j0+n of row `number` of dst.
static void store(const simd_matmul_finish_t *finish, float *row, prim_dim_t number, prim_dim_t j0,
        prim_dim_t n)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const int last = md->ndims - 1;
    prim_dims_t position;
    prim__position(position, last, md->dims, number);
    position[last] = j0;
    if (finish->is_vector) {
        prim__simd_product_chain_store(&finish->vector, row, position, last, n);
        return;
    }
    double wide[REF_ROW_ELEMS];
    for (prim_dim_t j = 0; j < n; ++j) wide[j] = (double)row[j];
    prim__ref_finish_store_row(&finish->ref, wide, position, last, n);
}

static void scale_and_add(const simd_matmul_finish_t *finish, const simd_matmul_tile_t *tile,
        float *row, prim_dim_t i, prim_dim_t j, prim_dim_t n)
{
    const prim_dim_t bias = finish->bia_offset0 + tile->bias + i * finish->bia_m;
    if (finish->factors)
        for (prim_dim_t c = 0; c < n; ++c) row[c] *= finish->factors[j + c];
    if (finish->bia) add_bias(finish, row, bias + j * finish->bia_n, n);
}

static void finish_floats(const simd_matmul_finish_t *finish, const simd_matmul_tile_t *tile,
        float *row, prim_dim_t i, prim_dim_t j, prim_dim_t n)
{
    if (finish->has_epilogue) {
        finish_by_epilogue(finish, tile, row, i, 1, j, n);
        return;
    }
    scale_and_add(finish, tile, row, i, j, n);
    if (!finish->is_row_chain) {
        store(finish, row, tile->first_row + i, j, n);
        return;
    }
    for (int s = finish->first_step; s < finish->chain->len; ++s)
        prim__simd_eltwise_row(&finish->chain->entries[s], row, n);
}

/// Whole rows of dst, as many at a time as `vector` takes.
static void finish_joined(const simd_matmul_finish_t *finish, const simd_matmul_tile_t *tile,
        float *sums, prim_dim_t i0, prim_dim_t ni)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const prim_dim_t n = finish->joined, most = SIMD_ROW / n;
    for (prim_dim_t i = 0; i < ni; i += most, sums += most * n) {
        const prim_dim_t nrows = ni - i < most ? ni - i : most;
        for (prim_dim_t r = 0; r < nrows && (finish->factors || finish->bia); ++r)
            scale_and_add(finish, tile, sums + r * n, i0 + i + r, 0, n);
        prim_dims_t position;
        prim__position(position, md->ndims - 1, md->dims, tile->first_row + i0 + i);
        position[md->ndims - 1] = 0;
        prim__simd_product_chain_store_contiguous(&finish->vector, sums, position, nrows * n);
    }
}

/// Integers go to s32, which may be too narrow: the nearest it holds.
static void store_integers(
        const simd_matmul_finish_t *finish, const double *row, prim_dim_t offset, prim_dim_t n)
{
    int32_t *const to = (int32_t *)finish->ref.dst + offset;
    for (prim_dim_t c = 0; c < n; ++c) {
        const double low = row[c] < INT32_MIN ? INT32_MIN : row[c];
        to[c] = (int32_t)(low > INT32_MAX ? INT32_MAX : low);
    }
}

/// Sums of integers that f32 need not hold, in double.
static void finish_doubles(const simd_matmul_finish_t *finish, const simd_matmul_tile_t *tile,
        double *row, prim_dim_t i, prim_dim_t j, prim_dim_t n)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const prim_dim_t bias = finish->bia_offset0 + tile->bias + i * finish->bia_m;
    const int last = md->ndims - 1;
    prim_dims_t position;
    prim__position(position, last, md->dims, tile->first_row + i);
    position[last] = j;
    if (finish->is_copy) {
        store_integers(finish, row, prim__md_offset(md, position), n);
        return;
    }
    for (prim_dim_t c = 0; c < n && finish->factors; ++c) row[c] *= (double)finish->factors[j + c];
    if (finish->bia) {
        double addends[REF_ROW_ELEMS];
        prim__ref_load_row(
                addends, finish->bia, finish->bia_dt, bias + j * finish->bia_n, finish->bia_n, n);
        for (prim_dim_t c = 0; c < n; ++c) row[c] += addends[c];
    }
    prim__ref_finish_store_row(&finish->ref, row, position, last, n);
}

static void widen(double *wide, const float *sums, prim_dim_t n)
{
    int32_t whole[REF_ROW_ELEMS];
    memcpy(whole, sums, (size_t)n * sizeof *whole);
    for (prim_dim_t c = 0; c < n; ++c) wide[c] = whole[c];
}

void prim__simd_matmul_finish(const simd_matmul_finish_t *finish, const simd_matmul_tile_t *tile,
        float *sums, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const bool is_joined = finish->joined == nj && tile->row_elems == nj && !finish->has_integers;
    if (finish->has_epilogue && (!is_joined || nj >= LEAST_COLUMNS)) {
        finish_by_epilogue(finish, tile, sums, i0, ni, j0, nj);
        return;
    }
    if (is_joined) {
        finish_joined(finish, tile, sums, i0, ni);
        return;
    }
    for (prim_dim_t i = i0; i < i0 + ni; ++i, sums += tile->row_elems) {
        for (prim_dim_t j = 0; j < nj; j += REF_ROW_ELEMS) {
            const prim_dim_t n = nj - j < REF_ROW_ELEMS ? nj - j : REF_ROW_ELEMS;
            if (!finish->has_integers) {
                finish_floats(finish, tile, sums + j, i, j0 + j, n);
                continue;
            }
            double wide[REF_ROW_ELEMS];
            widen(wide, sums + j, n);
            finish_doubles(finish, tile, wide, i, j0 + j, n);
        }
    }
}

/// Columns j..j+n of a row, in double, which holds them whatever the zero points are.
static void subtract_zeros(const simd_matmul_zeros_t *zeros, double *row,
        const int32_t *column_sums, double row_sum, prim_dim_t j, prim_dim_t n)
{
    for (prim_dim_t c = 0; c < n && column_sums; ++c) row[c] -= zeros->src * column_sums[c];
    for (prim_dim_t c = 0; c < n && zeros->wei; ++c) row[c] -= zeros->wei[j + c] * row_sum;
}

void prim__simd_matmul_finish_sums(const simd_matmul_finish_t *finish,
        const simd_matmul_tile_t *tile, float *sums, const int32_t *column_sums, prim_dim_t i0,
        prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const simd_matmul_zeros_t *const zeros = &finish->zeros;
    for (prim_dim_t i = i0; i < i0 + ni; ++i, sums += tile->row_elems) {
        const double row_sum = zeros->wei ? zeros->row_sums[tile->first_row + i] : 0.;
        for (prim_dim_t j = 0; j < nj; j += REF_ROW_ELEMS) {
            const prim_dim_t n = nj - j < REF_ROW_ELEMS ? nj - j : REF_ROW_ELEMS;
            double wide[REF_ROW_ELEMS];
            widen(wide, sums + j, n);
            subtract_zeros(zeros, wide, column_sums ? column_sums + j : NULL, row_sum, j0 + j, n);
            if (finish->has_integers) {
                finish_doubles(finish, tile, wide, i, j0 + j, n);
                continue;
            }
            for (prim_dim_t c = 0; c < n; ++c) sums[j + c] = (float)wide[c];
            finish_floats(finish, tile, sums + j, i, j0 + j, n);
        }
    }
}
