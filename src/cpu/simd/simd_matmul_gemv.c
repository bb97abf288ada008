// SPDX-License-Identifier: Apache-2.0
// simd:matmul:gemv: products of f32, f16 or bf16 with few rows or few columns: the larger operand
// is read once, where it lies, as the memory gives it.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/matmul_shape.h"
#include "common/parallel.h"
#include "common/post_ops_check.h"
#include "simd_float_rows.h"
#include "simd_gemv.h"
#include "simd_matmul_finish.h"

extern const impl_t prim__simd_matmul_gemv;

enum {
    PIECE = 16384,    ///< of the depth: elements whose products are one sum
    PIECE_ROWS = 512, ///< the same where rows of the matrix are terms: they are far apart
    CHUNK = 2048,     ///< results that are computed together, at most
    LEAST = 64        ///< that pay for a thread
};

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    matmul_shape_t shape;
    bool is_src; ///< the matrix is src, vectors are columns of weights; else the other way round
    bool is_dot; ///< the matrix is contiguous along the depth
    int nvectors;
    prim_dim_t nresults;                              ///< of a vector
    prim_dim_t npieces, piece, x_row;                 ///< of the depth
    prim_dim_t nchunks, chunk;                        ///< of the results
    bool is_vector;                                   ///< the finish runs in vectors
    bool has_epilogue;                                ///< in one pass
    size_t vectors_offset, parts_offset, bias_offset; ///< in the scratchpad
} gemv_pd_t;

_Static_assert(offsetof(gemv_pd_t, base) == 0, "the base comes first");

/// A matrix whose layout is open has the depth innermost: each row is one stream.
static prim_status_t set_weights(prim_desc_t *pd)
{
    static const char *const tags[] = {"ba", "acb", "abdc"};
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const int last = wei->ndims - 1;
    const bool is_matrix = src->dims[src->ndims - 2] < wei->dims[last];
    if (is_matrix && wei->ndims <= 4) TRY(prim__md_set_tag_if_any(wei, tags[wei->ndims - 2]));
    return prim__md_set_row_major_if_any(wei);
}

static prim_status_t check_problem(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};
    TRY(set_weights(pd));
    for (int i = 0; i < 4; ++i) {
        if (!prim__pd_has(pd, args[i])) continue;
        TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, args[i])));
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, !prim__md_has_runtime(md), "a dimension is known only at execution");
        REQUIRE(pd, prim__md_is_plain(md), "a tensor has a blocked layout");
    }
    REQUIRE(pd,
            prim__simd_takes_float(prim__pd_md(pd, PRIM_ARG_SRC)->data_type) &&
                    prim__simd_takes_float(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type),
            "src or weights are not f32, f16 or bf16");
    REQUIRE(pd, prim__pd_md(pd, PRIM_ARG_DST)->data_type != PRIM_F64,
            "dst is f64; this variant accumulates in f32");
    static const int operands[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS};
    for (int i = 0; i < 2; ++i)
        REQUIRE(pd,
                !prim__attr_scale(&pd->attr, operands[i]) &&
                        !prim__attr_zero_point(&pd->attr, operands[i]),
                "src or weights have scales or zero points");
    return prim__ref_require_types(pd);
}

/// Which operand is the matrix, and how it lies.
static prim_status_t choose_matrix(gemv_pd_t *pd)
{
    const matmul_shape_t *const s = &pd->shape;
    prim_desc_t *const base = &pd->base;
    pd->is_src = s->n <= s->m;
    pd->nresults = pd->is_src ? s->m : s->n;
    const prim_dim_t nvectors = pd->is_src ? s->n : s->m;
    REQUIRE(base, nvectors <= SIMD_GEMV_VECTORS,
            "%lld rows and %lld columns: this variant takes at most %d of one of them",
            (long long)s->m, (long long)s->n, SIMD_GEMV_VECTORS);
    pd->nvectors = (int)nvectors;
    const prim_dim_t along = pd->is_src ? s->src_k : s->wei_k;
    const prim_dim_t across = pd->is_src ? s->src_m : s->wei_n;
    REQUIRE(base, along == 1 || across == 1 || s->k == 1 || pd->nresults == 1,
            "neither rows nor columns of the larger operand are contiguous");
    pd->is_dot = along == 1 || (across != 1 && s->k == 1);
    return PRIM_SUCCESS;
}

/// Rows of the matrix that fill vectors.
static prim_status_t prefer_others(gemv_pd_t *pd)
{
    enum { LEAST_DEPTH = 32, LEAST_RESULTS = 16 };
    PREFER_OTHER_UNLESS(&pd->base, !pd->is_dot || pd->shape.k >= LEAST_DEPTH,
            "the depth is %lld: each sum of a vector's elements takes longer than its products",
            (long long)pd->shape.k);
    PREFER_OTHER_UNLESS(&pd->base, pd->is_dot || pd->nresults >= LEAST_RESULTS,
            "rows of the larger operand have %lld elements, which fill no vector",
            (long long)pd->nresults);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    gemv_pd_t *const pd = (gemv_pd_t *)base;
    matmul_shape_t *const s = &pd->shape;
    TRY(check_problem(base));
    REQUIRE(base,
            prim__matmul_shape(s, prim__pd_md(base, PRIM_ARG_SRC),
                    prim__pd_md(base, PRIM_ARG_WEIGHTS), prim__pd_md(base, PRIM_ARG_BIAS),
                    prim__pd_md(base, PRIM_ARG_DST)),
            "a tensor has a blocked layout");
    REQUIRE(base, s->k > 0 && !prim__md_is_empty(prim__pd_md(base, PRIM_ARG_DST)),
            "a tensor has no elements");
    TRY(choose_matrix(pd));
    TRY(prefer_others(pd));
    pd->piece = pd->is_dot ? PIECE : PIECE_ROWS;
    pd->npieces = prim__ceil_div(s->k, pd->piece);
    pd->x_row = prim__round_up(s->k, SIMD_GEMV_MULTIPLE);
    const prim_dim_t share = prim__ceil_div(pd->nresults, 2 * (prim_dim_t)prim__planned_threads());
    pd->chunk = prim__min(prim__round_up(share, LEAST), CHUNK); // no bit depends on it
    pd->nchunks = prim__ceil_div(pd->nresults, pd->chunk);
    pd->is_vector = prim__simd_product_chain_takes(base);
    pd->has_epilogue = prim__simd_matmul_has_epilogue(base, s, false);
    if (pd->has_epilogue)
        pd->bias_offset = prim__pd_book_scratchpad(
                base, (size_t)prim__simd_matmul_bias_room(base, s) * sizeof(float));
    const prim_dim_t nvectors = prim__matmul_nbatches(s) * pd->nvectors;
    pd->vectors_offset =
            prim__pd_book_scratchpad(base, (size_t)(nvectors * pd->x_row) * sizeof(float));
    if (pd->npieces > 1)
        pd->parts_offset = prim__pd_book_scratchpad(
                base, (size_t)(nvectors * pd->npieces * pd->nchunks * CHUNK) * sizeof(float));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const gemv_pd_t *pd;
    const simd_gemv_code_t *code;
    simd_array_t matrix, vectors;
    float *x;     ///< [batch][vector][x_row]
    float *parts; ///< [batch][chunk][piece][vector][CHUNK]; NULL: there is one piece
    simd_matmul_finish_t finish;
} run_t;

/// A vector as `code` takes it.
static void copy_vector(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const gemv_pd_t *const pd = run->pd;
    const matmul_shape_t *const s = &pd->shape;
    const prim_dim_t batch = index / pd->nvectors, v = index % pd->nvectors;
    const prim_dim_t from =
            pd->is_src ? prim__matmul_batch_offset(s, s->wei_batch, batch) + v * s->wei_n
                       : prim__matmul_batch_offset(s, s->src_batch, batch) + v * s->src_m;
    float *const x = run->x + index * pd->x_row;
    prim__simd_load_row(
            x, run->vectors.base, run->vectors.dt, from, pd->is_src ? s->wei_k : s->src_k, s->k);
    memset(x + s->k, 0, (size_t)(pd->x_row - s->k) * sizeof *x);
    if (pd->is_dot) run->code->arrange(x, run->matrix.dt, pd->x_row);
}

/// Results of a chunk of one product.
typedef struct {
    prim_dim_t batch, first, n;
} chunk_t;

static chunk_t chunk_at(const gemv_pd_t *pd, prim_dim_t index)
{
    const prim_dim_t first = index % pd->nchunks * pd->chunk;
    return (chunk_t){index / pd->nchunks, first, prim__min(pd->nresults - first, pd->chunk)};
}

static void multiply_piece(const run_t *run, const chunk_t *chunk, prim_dim_t piece, float *y)
{
    const gemv_pd_t *const pd = run->pd;
    const matmul_shape_t *const s = &pd->shape;
    const prim_dim_t k0 = piece * pd->piece, depth = prim__min(s->k - k0, pd->piece);
    const prim_dim_t *const batch = pd->is_src ? s->src_batch : s->wei_batch;
    const prim_dim_t along = pd->is_src ? s->src_k : s->wei_k;
    const prim_dim_t across = pd->is_src ? s->src_m : s->wei_n;
    const prim_dim_t at =
            prim__matmul_batch_offset(s, batch, chunk->batch) + k0 * along + chunk->first * across;
    const simd_gemv_t product = {.matrix = prim__simd_at(&run->matrix, at),
            .dt = run->matrix.dt,
            .step = pd->is_dot ? across : along,
            .x = run->x + chunk->batch * pd->nvectors * pd->x_row + k0,
            .x_row = pd->x_row,
            .nvectors = pd->nvectors,
            .y = y,
            .y_row = CHUNK};
    if (pd->is_dot)
        run->code->dot(&product, chunk->n, depth);
    else
        run->code->combine(&product, depth, chunk->n);
}

/// Sums in rows of dst, then what follows them.
static void finish_chunk(const run_t *run, const chunk_t *chunk, float *y)
{
    const gemv_pd_t *const pd = run->pd;
    const matmul_shape_t *const s = &pd->shape;
    simd_matmul_tile_t tile = {.first_row = chunk->batch * s->m,
            .bias = prim__matmul_batch_offset(s, s->bia_batch, chunk->batch),
            .dst = prim__matmul_batch_offset(s, s->dst_batch, chunk->batch),
            .row_elems = CHUNK};
    if (!pd->is_src) {
        prim__simd_matmul_finish(&run->finish, &tile, y, 0, s->m, chunk->first, chunk->n);
        return;
    }
    float rows[CHUNK * SIMD_GEMV_VECTORS];
    for (prim_dim_t i = 0; i < chunk->n; ++i)
        for (int v = 0; v < pd->nvectors; ++v) rows[i * pd->nvectors + v] = y[v * CHUNK + i];
    tile.row_elems = pd->nvectors;
    prim__simd_matmul_finish(&run->finish, &tile, rows, chunk->first, chunk->n, 0, s->n);
}

static void compute_chunk(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const chunk_t chunk = chunk_at(run->pd, index);
    float y[SIMD_GEMV_VECTORS * CHUNK];
    multiply_piece(run, &chunk, 0, y);
    finish_chunk(run, &chunk, y);
}

static float *part_at(const run_t *run, prim_dim_t index)
{
    return run->parts + index * run->pd->nvectors * CHUNK;
}

static void compute_part(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const chunk_t chunk = chunk_at(run->pd, index / run->pd->npieces);
    multiply_piece(run, &chunk, index % run->pd->npieces, part_at(run, index));
}

/// The pieces in their order, whoever computed them.
static void add_parts(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t npieces = run->pd->npieces;
    const chunk_t chunk = chunk_at(run->pd, index);
    float *const y = part_at(run, index * npieces);
    for (prim_dim_t p = 1; p < npieces; ++p) {
        const float *const part = part_at(run, index * npieces + p);
        for (int i = 0; i < run->pd->nvectors * CHUNK; ++i) y[i] += part[i];
    }
    finish_chunk(run, &chunk, y);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const gemv_pd_t *const pd = (const gemv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    const prim_dim_t nbatches = prim__matmul_nbatches(&pd->shape);
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_gemv_code),
            .matrix = prim__simd_array(base, ctx, pd->is_src ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS),
            .vectors = prim__simd_array(base, ctx, pd->is_src ? PRIM_ARG_WEIGHTS : PRIM_ARG_SRC),
            .x = (float *)(void *)(scratchpad + pd->vectors_offset),
            .parts = (float *)(void *)(scratchpad + pd->parts_offset)};
    const simd_matmul_finish_plan_t plan = {.is_vector = pd->is_vector,
            .has_epilogue = pd->has_epilogue,
            .bias = (float *)(void *)(scratchpad + pd->bias_offset)};
    prim__simd_matmul_finish_init(&run.finish, base, ctx, &pd->shape, &plan, NULL);
    prim__parallel_for(nbatches * pd->nvectors, copy_vector, &run);
    if (pd->npieces == 1) {
        prim__parallel_for(nbatches * pd->nchunks, compute_chunk, &run);
        return PRIM_SUCCESS;
    }
    prim__parallel_for(nbatches * pd->nchunks * pd->npieces, compute_part, &run);
    prim__parallel_for(nbatches * pd->nchunks, add_parts, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_matmul_gemv = {
        .name = "simd:matmul:gemv",
        .pd_size = sizeof(gemv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
