// SPDX-License-Identifier: Apache-2.0
// Matmul through the packed matrix product: which problems it takes, and the loop
// over the products of a batch.
#include "simd_matmul.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/post_ops_check.h"
#include "cpu/ref/ref_finish.h"
#include "simd_float_rows.h"
#include "simd_gemm.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack.h"
#include "simd_gemm_pack_words.h"
#include "simd_matmul_finish.h"
#include "simd_matmul_zeros.h"

/// Words of a depth of k elements.
static prim_dim_t depth_in_words(prim_dim_t k, simd_gemm_word_t word)
{
    return prim__ceil_div(k, (prim_dim_t)1 << word);
}

static bool is_byte(prim_data_type_t dt)
{
    return dt == PRIM_S8 || dt == PRIM_U8;
}

/// What the panels of a problem hold.
static simd_gemm_word_t word_of(const prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    if (is_byte(src) && is_byte(wei)) return SIMD_WORD_BYTES;
    if (src == PRIM_BF16 && wei == PRIM_BF16 && prim__simd_gemm_has(SIMD_WORD_BF16))
        return SIMD_WORD_BF16;
    return SIMD_WORD_F32;
}

/// One value, or one for each column of weights.
static bool is_of_columns(const quant_t *setting, const prim_memory_desc_t *wei)
{
    return prim__quant_is_common(setting) ||
           (setting->mask == 1 << (wei->ndims - 1) && setting->ngroups == 0);
}

static prim_status_t check_quants(prim_desc_t *pd, bool has_bytes)
{
    const quant_t *const src = prim__attr_scale(&pd->attr, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const quant_t *const zero = prim__attr_zero_point(&pd->attr, PRIM_ARG_SRC);
    const quant_t *const wei_zero = prim__attr_zero_point(&pd->attr, PRIM_ARG_WEIGHTS);
    REQUIRE(pd, prim__quant_is_common(src), "src has more than one scale");
    REQUIRE(pd, is_of_columns(prim__attr_scale(&pd->attr, PRIM_ARG_WEIGHTS), wei),
            "weights have scales for others than columns");
    REQUIRE(pd, !wei_zero || (has_bytes && is_of_columns(wei_zero, wei)),
            "weights have zero points and are no integers, or for others than columns");
    REQUIRE(pd, !zero || (has_bytes && prim__quant_is_common(zero)),
            "src has a zero point and is no integer, or it has several");
    return PRIM_SUCCESS;
}

// A sum at the head of the chain is what the product adds to.
static bool starts_with_sum(const prim_post_ops_t *chain)
{
    if (chain->len == 0 || chain->entries[0].kind != PRIM_SUM) return false;
    const prim_data_type_t dt = chain->entries[0].data_type;
    return dt == PRIM_F32 || dt == PRIM_DATA_TYPE_UNDEF;
}

static bool has_scales(const prim_desc_t *pd)
{
    return prim__attr_scale(&pd->attr, PRIM_ARG_SRC) ||
           prim__attr_scale(&pd->attr, PRIM_ARG_WEIGHTS);
}

/// Bytes: a processor that multiplies them, and sums that s32 holds.
static prim_status_t check_bytes(prim_desc_t *pd, const matmul_shape_t *shape)
{
    REQUIRE(pd, prim__simd_gemm_has(SIMD_WORD_BYTES),
            "src and weights are integers, and the processor has no AVX-512 VNNI");
    REQUIRE(pd, shape, "src and weights are integers, and dimensions are known only at execution");
    REQUIRE(pd, shape->k <= INT32_MAX / (255 * 128), "sums of %lld products may leave s32",
            (long long)shape->k);
    return PRIM_SUCCESS;
}

static prim_status_t check_types(
        prim_desc_t *pd, const matmul_shape_t *shape, simd_gemm_word_t word)
{
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    if (word == SIMD_WORD_BYTES) {
        TRY(check_bytes(pd, shape));
    } else {
        REQUIRE(pd,
                prim__simd_takes_float(prim__pd_md(pd, PRIM_ARG_SRC)->data_type) &&
                        prim__simd_takes_float(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type),
                "src and weights are neither f32, f16 or bf16, nor both integers");
    }
    REQUIRE(pd, dst != PRIM_F64, "dst is f64; this variant accumulates in f32");
    TRY(prim__ref_require_types(pd));
    REQUIRE(pd, shape || !has_scales(pd),
            "src or weights have scales, and dimensions are known only at execution");
    return check_quants(pd, word == SIMD_WORD_BYTES);
}

static prim_status_t check_weights(prim_desc_t *pd, const matmul_shape_t *shape)
{
    const int nr = prim__simd_gemm_shape(SIMD_WORD_F32)->nr;
    if (!shape || shape->wei_block == 0) return PRIM_SUCCESS;
    REQUIRE(pd, shape->wei_block == nr && shape->wei_k == nr && shape->wei_n == shape->k * nr,
            "weights are blocked, but not in the panel layout of this processor");
    return PRIM_SUCCESS;
}

/// Zero points that the finish subtracts, since the product itself does not, or only in f32.
static bool has_zeros(const prim_desc_t *pd)
{
    return prim__attr_zero_point(&pd->attr, PRIM_ARG_WEIGHTS) ||
           prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type == PRIM_U8 ||
           (prim__attr_zero_point(&pd->attr, PRIM_ARG_SRC) &&
                   prim__pd_md(pd, PRIM_ARG_DST)->data_type == PRIM_S32);
}

/// Whether nothing follows the product.
static bool is_bare(const prim_desc_t *pd)
{
    return !prim__pd_has(pd, PRIM_ARG_BIAS) && pd->attr.post_ops.len == 0 && !has_scales(pd) &&
           !prim__attr_scale(&pd->attr, PRIM_ARG_DST) &&
           !prim__attr_zero_point(&pd->attr, PRIM_ARG_DST);
}

/// The epilogue.
static void choose_finish(simd_matmul_pd_t *p, const matmul_shape_t *shape)
{
    const prim_desc_t *const pd = &p->base;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    const bool has_rows = (shape ? shape->dst_n : dst->strides[dst->ndims - 1]) == 1;
    p->has_factors = has_scales(pd);
    p->has_zeros = p->word == SIMD_WORD_BYTES && has_zeros(pd);
    p->is_sums = has_rows && p->word == SIMD_WORD_BYTES && dst->data_type == PRIM_S32 &&
                 !p->has_zeros && is_bare(pd);
    const bool is_in_place = has_rows && (dst->data_type == PRIM_F32 || p->is_sums);
    // The product adds to what dst holds before the sums are scaled, and bytes to integers.
    p->is_row_chain = is_in_place && !p->is_sums && prim__simd_matmul_is_row_chain(&pd->attr) &&
                      !(starts_with_sum(chain) && (p->has_factors || p->word == SIMD_WORD_BYTES));
    p->has_first_sum = p->is_row_chain && starts_with_sum(chain);
    p->is_vector = !p->is_row_chain && !p->is_sums && shape && prim__simd_product_chain_takes(pd);
    p->has_epilogue = !p->is_sums && prim__simd_matmul_has_epilogue(pd, shape, p->has_first_sum);
    p->uses_sums = !is_in_place || (!p->is_row_chain && prim__post_ops_find_sum(chain) != NULL);
}

static void book(simd_matmul_pd_t *p, const matmul_shape_t *shape)
{
    prim_desc_t *const pd = &p->base;
    p->nthr = prim__planned_threads();
    p->thread_bytes = shape ? prim__simd_gemm_scratch_bytes(p->word, shape->m, shape->n,
                                      depth_in_words(shape->k, p->word))
                            : prim__simd_gemm_most_scratch_bytes(p->word);
    if (p->uses_sums) {
        p->strip_row = prim__simd_gemm_strip_row(
                p->word, shape->m, shape->n, depth_in_words(shape->k, p->word));
        p->thread_bytes += prim__simd_gemm_strip_bytes(p->word, p->strip_row);
    }
    p->scratch_offset = prim__pd_book_scratchpad(pd, p->thread_bytes * (size_t)p->nthr);
    if (p->uses_sums && !p->strip_row) {
        const prim_dim_t nsums = prim__matmul_nbatches(shape) * shape->m * shape->n;
        p->sums_offset = prim__pd_book_scratchpad(pd, (size_t)nsums * sizeof(float));
    }
    if (p->has_factors)
        p->factors_offset = prim__pd_book_scratchpad(pd, (size_t)shape->n * sizeof(float));
    if (p->has_epilogue)
        p->bias_offset = prim__pd_book_scratchpad(
                pd, (size_t)prim__simd_matmul_bias_room(pd, shape) * sizeof(float));
    if (p->has_zeros)
        p->zeros_offset = prim__pd_book_scratchpad(pd, prim__simd_matmul_zeros_bytes(shape));
}

prim_status_t prim__simd_matmul_init_pd(prim_desc_t *pd, const matmul_shape_t *shape)
{
    simd_matmul_pd_t *const p = (simd_matmul_pd_t *)pd;
    p->word = word_of(pd);
    p->flips_src = p->word == SIMD_WORD_BYTES && !prim__simd_gemm_has_signed() &&
                   prim__pd_md(pd, PRIM_ARG_SRC)->data_type == PRIM_S8;
    TRY(check_types(pd, shape, p->word));
    TRY(check_weights(pd, shape));
    choose_finish(p, shape);
    REQUIRE(pd, shape || !p->uses_sums,
            "dst needs a buffer of f32 sums (its type or layout differs), and M or N is known only "
            "at execution");
    book(p, shape);
    return PRIM_SUCCESS;
}

prim_status_t prim__simd_matmul_set_weights(prim_memory_desc_t *wei, const prim_memory_desc_t *like)
{
    if (!prim__md_is_any(wei)) return PRIM_SUCCESS;
    return prim__matmul_set_panels(wei, prim__simd_gemm_shape(SIMD_WORD_F32)->nr, like);
}

// One execution.
typedef struct {
    const simd_matmul_pd_t *pd;
    const matmul_shape_t *shape;
    prim_data_type_t src_dt, wei_dt;
    const char *src, *wei; ///< offset0 added
    float *c;              ///< dst, or the sums
    char *scratch;
    int64_t a_offset; ///< of the bytes of src as the product has them
    simd_gemm_grid_t grid;
    simd_matmul_finish_t finish;
} run_t;

// One product of it.
typedef struct {
    const run_t *run;
    simd_gemm_operand_t a, b;
    simd_matmul_tile_t tile;
} product_t;

static const char *at_element(const void *base, prim_data_type_t dt, prim_dim_t offset)
{
    return (const char *)base + offset * (prim_dim_t)prim__dt_bytes(dt);
}

/// An operand of bf16 or bytes.
static void pack_words(const product_t *product, const simd_gemm_operand_t *operand, prim_dim_t i0,
        prim_dim_t ni, prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    const simd_gemm_words_t words = {.elems = *operand,
            .depth = product->run->shape->k,
            .flips = operand == &product->a ? product->run->pd->flips_src : operand->dt == PRIM_U8};
    prim__simd_gemm_pack_words(&words, i0, ni, p0, np, width, panels);
}

static void pack_a(
        const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const product_t *const product = arg;
    const int mr = prim__simd_gemm_shape(product->run->pd->word)->mr;
    if (product->run->pd->word == SIMD_WORD_F32)
        prim__simd_gemm_pack(&product->a, i0, ni, p0, np, mr, panels);
    else
        pack_words(product, &product->a, i0, ni, p0, np, mr, panels);
}

/// Words whose elements are neighbours in src.
static void pack_a_rows(const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np,
        float *rows, prim_dim_t step)
{
    const product_t *const product = arg;
    const simd_gemm_words_t words = {.elems = product->a,
            .depth = product->run->shape->k,
            .flips = product->run->pd->flips_src};
    prim__simd_gemm_pack_rows(&words, i0, ni, p0, np, rows, step);
}

static void pack_b_words(const product_t *product, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0,
        prim_dim_t np, float *panels)
{
    const matmul_shape_t *const shape = product->run->shape;
    const int nr = prim__simd_gemm_shape(SIMD_WORD_F32)->nr;
    if (shape->wei_block == 0) {
        pack_words(product, &product->b, j0, nj, p0, np, nr, panels);
        return;
    }
    for (prim_dim_t j = j0; j < j0 + nj; j += nr, panels += np * nr) {
        const simd_gemm_operand_t panel = {
                at_element(product->b.data, product->b.dt, j * shape->k), product->b.dt, 1, nr};
        pack_words(product, &panel, 0, nr, p0, np, nr, panels);
    }
}

static void pack_b(
        const void *arg, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const product_t *const product = arg;
    const matmul_shape_t *const shape = product->run->shape;
    const int nr = prim__simd_gemm_shape(SIMD_WORD_F32)->nr;
    if (product->run->pd->word != SIMD_WORD_F32) {
        pack_b_words(product, j0, nj, p0, np, panels);
        return;
    }
    if (shape->wei_block == 0) {
        prim__simd_gemm_pack(&product->b, j0, nj, p0, np, nr, panels);
        return;
    }
    for (prim_dim_t j = j0; j < j0 + nj; j += nr, panels += np * nr) {
        prim__simd_load_row(
                panels, product->b.data, product->b.dt, j * shape->k + p0 * nr, 1, np * nr);
    }
}

static void finish_tile(
        const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const product_t *const product = arg;
    prim__simd_matmul_finish(&product->run->finish, &product->tile, tile, i0, ni, j0, nj);
}

static void finish_sums(const void *arg, float *tile, const int32_t *column_sums, prim_dim_t i0,
        prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const product_t *const product = arg;
    prim__simd_matmul_finish_sums(
            &product->run->finish, &product->tile, tile, column_sums, i0, ni, j0, nj);
}

/// src whose elements are neighbours in depth: words where it lies, if they are whole in each row.
static void take_rows(simd_gemm_t *gemm, const product_t *product)
{
    enum { TILE_WORDS = 16 };
    const simd_matmul_pd_t *const pd = product->run->pd;
    const prim_dim_t elems = (prim_dim_t)1 << pd->word;
    gemm->pack_a_rows = pack_a_rows;
    if (pd->flips_src || product->run->shape->k % (TILE_WORDS * elems) != 0 ||
            product->a.along % elems != 0)
        return;
    gemm->a_words = product->a.data;
    gemm->a_words_row = product->a.along / elems;
}

static void init_product(product_t *product, simd_gemm_t *gemm, const run_t *run, prim_dim_t index)
{
    const matmul_shape_t *const s = run->shape;
    const prim_dim_t src = prim__matmul_batch_offset(s, s->src_batch, index);
    const prim_dim_t wei = prim__matmul_batch_offset(s, s->wei_batch, index);
    const prim_dim_t dst = run->pd->uses_sums ? index * s->m * s->n
                                              : prim__matmul_batch_offset(s, s->dst_batch, index);
    *product = (product_t){
            .run = run,
            .a = {at_element(run->src, run->src_dt, src), run->src_dt, s->src_m, s->src_k},
            .b = {at_element(run->wei, run->wei_dt, wei), run->wei_dt, s->wei_n, s->wei_k},
    };
    *gemm = (simd_gemm_t){.m = s->m,
            .n = s->n,
            .k = depth_in_words(s->k, run->pd->word),
            .word = run->pd->word,
            .a_offset = run->a_offset,
            .a_is_signed = run->src_dt == PRIM_S8 && run->pd->word == SIMD_WORD_BYTES &&
                           !run->pd->flips_src,
            .keeps_integers = run->finish.has_integers,
            .pack_arg = product};
    if (!run->pd->strip_row) gemm->c = run->c + dst;
    gemm->c_row = run->pd->strip_row ? run->pd->strip_row : run->pd->uses_sums ? s->n : s->dst_m;
    gemm->accumulates = run->pd->has_first_sum;
    if (run->src_dt == PRIM_F32) {
        gemm->a = product->a.data;
        gemm->a_row = s->src_m;
        gemm->a_col = s->src_k;
    } else {
        gemm->pack_a = pack_a;
        if (s->src_k == 1 && run->pd->word != SIMD_WORD_F32) take_rows(gemm, product);
    }
    if (run->wei_dt != PRIM_F32) {
        gemm->pack_b = pack_b;
    } else if (s->wei_block) {
        gemm->b_panels = product->b.data;
    } else {
        gemm->b = product->b.data;
        gemm->b_row = s->wei_k;
        gemm->b_col = s->wei_n;
    }
    product->tile = (simd_matmul_tile_t){
            .first_row = index * s->m,
            .bias = prim__matmul_batch_offset(s, s->bia_batch, index),
            .dst = prim__matmul_batch_offset(s, s->dst_batch, index),
            .row_elems = gemm->c_row,
    };
    if (!run->finish.is_empty) gemm->finish = finish_tile;
    if (run->pd->has_zeros) gemm->finish_sums = finish_sums;
    gemm->finish_arg = product;
}

// The parts of all products, one after the other.
static void work_on_parts(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t nparts = (prim_dim_t)run->grid.rows * run->grid.cols;
    prim_dim_t start, end;
    prim__balance211(prim__matmul_nbatches(run->shape) * nparts, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        product_t product;
        simd_gemm_t gemm;
        init_product(&product, &gemm, run, i / nparts);
        prim__simd_gemm_part(&gemm, run->grid, (int)(i % nparts),
                run->scratch + (size_t)ithr * run->pd->thread_bytes);
    }
}

static void run_products(run_t *run)
{
    const matmul_shape_t *const s = run->shape;
    const int nthr = run->pd->nthr;
    run->grid = prim__simd_gemm_grid(run->pd->word, s->m, s->n, prim__matmul_nbatches(s), nthr);
    prim__parallel(nthr, work_on_parts, run);
}

// dst becomes what the first step of the chain adds.
static void scale_row(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const matmul_shape_t *const s = run->shape;
    const post_op_t *const sum = &run->pd->base.attr.post_ops.entries[0];
    float *const row = run->c + prim__matmul_batch_offset(s, s->dst_batch, index / s->m) +
                       index % s->m * s->dst_m;
    for (prim_dim_t j = 0; j < s->n; ++j) row[j] = sum->scale * (row[j] - (float)sum->zero_point);
}

static void init_finish(run_t *run, const exec_ctx_t *ctx, char *scratchpad)
{
    const simd_matmul_pd_t *const p = run->pd;
    const prim_desc_t *const pd = &p->base;
    const simd_matmul_finish_plan_t plan = {.is_row_chain = p->is_row_chain,
            .has_epilogue = p->has_epilogue,
            .bias = (float *)(void *)(scratchpad + p->bias_offset),
            .skips_first = p->has_first_sum,
            .is_vector = p->is_vector,
            .is_sums = p->is_sums,
            .has_integers = p->word == SIMD_WORD_BYTES &&
                            prim__pd_md(pd, PRIM_ARG_DST)->data_type == PRIM_S32};
    float *factors = NULL;
    if (p->has_factors) {
        factors = (float *)(void *)(scratchpad + p->factors_offset);
        prim__simd_matmul_fill_factors(factors, pd, ctx, run->shape->n);
    }
    prim__simd_matmul_finish_init(&run->finish, pd, ctx, run->shape, &plan, factors);
    if (p->has_zeros)
        prim__simd_matmul_fill_zeros(&run->finish.zeros, scratchpad + p->zeros_offset, pd, ctx,
                run->shape, p->flips_src);
}

prim_status_t prim__simd_matmul_execute(
        const prim_desc_t *pd, const exec_ctx_t *ctx, const matmul_shape_t *shape)
{
    const simd_matmul_pd_t *const p = (const simd_matmul_pd_t *)pd;
    const prim_memory_desc_t *const src = prim__ctx_md(ctx, pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__ctx_md(ctx, pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__ctx_md(ctx, pd, PRIM_ARG_DST);
    if (prim__md_is_empty(dst)) return PRIM_SUCCESS;
    void *scratch = NULL;
    if (ctx->scratchpad) TRY(pd->engine->ops->memory_get_handle(ctx->scratchpad, &scratch));
    run_t run = {
            .pd = p,
            .shape = shape,
            .src_dt = src->data_type,
            .wei_dt = wei->data_type,
            .src = at_element(prim__ref_pointer(ctx, PRIM_ARG_SRC), src->data_type, src->offset0),
            .wei = at_element(
                    prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS), wei->data_type, wei->offset0),
            .scratch = (char *)scratch + p->scratch_offset,
    };
    run.c = p->uses_sums ? (float *)(void *)((char *)scratch + p->sums_offset)
                         : (float *)prim__ref_pointer(ctx, PRIM_ARG_DST) + dst->offset0;
    if (p->word == SIMD_WORD_BYTES)
        run.a_offset = prim__simd_matmul_source_offset(pd, ctx, p->flips_src);
    init_finish(&run, ctx, scratch);
    if (p->has_first_sum) {
        const post_op_t *const sum = &pd->attr.post_ops.entries[0];
        if (sum->scale != 1.0F || sum->zero_point != 0)
            prim__parallel_for(prim__matmul_nbatches(shape) * shape->m, scale_row, &run);
    }
    run_products(&run);
    return PRIM_SUCCESS;
}
