// SPDX-License-Identifier: Apache-2.0
// simd:binary:row_vector: operations of two tensors, and select, in vectors along rows of dst; each
// source is contiguous or constant along them, or gathered. Short rows go together: sources that
// are broadcast are spread over them.
#include "common/post_ops_check.h"
#include "cpu/ref/ref_finish.h"
#include "simd_chain.h"
#include "simd_rows.h"

extern const impl_t prim__simd_binary_row_vector;

enum { DST, SRC_0, SRC_1, CONDITION };
enum {
    SHORT_ROW = 64, ///< elements up to which rows go together
    CHUNK_ELEMS = 8 * SIMD_ROW,
};

typedef struct {
    prim_desc_t base;
    int nsources;     ///< 3 of select
    simd_nest_t nest; ///< where rows go together: of the outer loops
    simd_loop_t row;  ///< where rows go together: the loop along them; else n = 0
} binary_pd_t;

_Static_assert(offsetof(binary_pd_t, base) == 0, "the base comes first");

static const int args[] = {PRIM_ARG_DST, PRIM_ARG_SRC_0, PRIM_ARG_SRC_1, PRIM_ARG_SRC_2};

/// Takes the innermost loop out of the nest where it is short and dst continues behind it.
static void join_short_rows(binary_pd_t *pd)
{
    simd_nest_t *const nest = &pd->nest;
    pd->row.n = 0;
    if (nest->nloops < 2 || nest->ntensors > 1 + pd->nsources) return;
    const simd_loop_t *const row = &nest->loops[nest->nloops - 1], *const outer = row - 1;
    if (row->n == 0 || row->n > SHORT_ROW) return;
    if (row->strides[DST] != 1 || outer->strides[DST] != row->n) return;
    pd->row = *row;
    --nest->nloops;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    binary_pd_t *const pd = (binary_pd_t *)base;
    TRY(prim__pd_follow(base));
    pd->nsources = base->op.alg_kind == PRIM_BINARY_SELECT ? 3 : 2;
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS];
    int ntensors = 1 + pd->nsources;
    for (int t = 0; t < ntensors; ++t) {
        tensors[t] = prim__pd_md(base, args[t]);
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "a tensor is not f32, f16, bf16, s8 or u8");
        REQUIRE(base, prim__quant_is_common(prim__attr_scale(&base->attr, args[t])),
                "a source has more than one scale");
    }
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    TRY(prim__simd_nest_init(&pd->nest, base, tensors, ntensors));
    join_short_rows(pd);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const binary_pd_t *pd;
    const prim_dim_t *strides; ///< along a row
    const simd_rows_code_t *rows;
    bool has_sum; ///< dst is read before it is written
    simd_array_t arrays[CONDITION + 1];
    float scales[CONDITION + 1];
    simd_chain_t chain;
} run_t;

/// Elements of source t that meet n of dst; one, where it is the same for all.
static const float *read_elements(
        const run_t *run, float *room, int t, prim_dim_t offset, prim_dim_t *n)
{
    const binary_pd_t *const pd = run->pd;
    const prim_dim_t stride = run->strides[t];
    const prim_dim_t row_stride = pd->row.n == 0 ? 0 : prim__simd_nest_strides(&pd->nest)[t];
    if (stride == 0 && row_stride == 0) *n = 1;
    if (pd->row.n == 0 || *n == 1)
        return prim__simd_read(run->chain.convert, room, &run->arrays[t], offset, stride, *n);
    const simd_grid_t grid = {pd->row.n, stride, *n / pd->row.n, row_stride};
    return prim__simd_read_grid(run->chain.convert, room, &run->arrays[t], offset, &grid);
}

/// Source t of a row, scaled.
static simd_operand_t read_source(
        const run_t *run, float *room, int t, const prim_dim_t *offsets, prim_dim_t n)
{
    prim_dim_t count = n;
    const float *row = read_elements(run, room, t, offsets[t], &count);
    if (run->scales[t] != 1.0F) {
        run->rows->scale(room, row, run->scales[t], count);
        row = room;
    }
    return (simd_operand_t){row, count < n};
}

static void compute_row(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    const simd_binary_code_t *const code = run->chain.binary;
    const prim_alg_kind_t alg = run->pd->base.op.alg_kind;
    float rooms[CONDITION + 1][SIMD_ROW];
    float *const out = run->has_sum ? rooms[DST]
                                    : prim__simd_row(rooms[DST], &run->arrays[DST], offsets[DST],
                                              run->strides[DST]);
    const simd_operand_t a = read_source(run, rooms[SRC_0], SRC_0, offsets, n);
    const simd_operand_t b = read_source(run, rooms[SRC_1], SRC_1, offsets, n);
    if (alg == PRIM_BINARY_SELECT) {
        const simd_operand_t condition = read_source(run, rooms[CONDITION], CONDITION, offsets, n);
        code->select(out, &condition, &a, &b, n);
    } else {
        code->compute(alg, out, &a, &b, n);
    }
    prim__simd_chain_row(&run->chain, out, offsets, run->strides, n);
    prim__simd_write(
            run->chain.convert, &run->arrays[DST], offsets[DST], run->strides[DST], out, n);
}

static void compute_rows(const prim_dim_t *offsets, prim_dim_t nrows, void *arg)
{
    const run_t *const run = arg;
    compute_row(offsets, nrows * run->pd->row.n, arg);
}

static void walk(const binary_pd_t *pd, run_t *run)
{
    if (pd->row.n == 0) {
        prim__simd_nest_walk(&pd->nest, compute_row, run);
        return;
    }
    const prim_dim_t nrows = SIMD_ROW / pd->row.n;
    prim__simd_nest_walk_by(&pd->nest, nrows, CHUNK_ELEMS / SIMD_ROW, compute_rows, run);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const binary_pd_t *const pd = (const binary_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .strides = pd->row.n > 0 ? pd->row.strides : prim__simd_nest_strides(&pd->nest),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .has_sum = prim__post_ops_find_sum(&base->attr.post_ops) != NULL};
    for (int t = 0; t <= pd->nsources; ++t) {
        run.arrays[t] = prim__simd_array(base, ctx, args[t]);
        run.scales[t] = t == DST ? 1 : prim__simd_scale(base, ctx, args[t]);
    }
    prim__simd_chain_init(&run.chain, base, ctx, 1 + pd->nsources);
    walk(pd, &run);
    prim__ref_clear_padding(prim__ref_pointer(ctx, PRIM_ARG_DST), prim__pd_md(base, PRIM_ARG_DST));
    return PRIM_SUCCESS;
}

const impl_t prim__simd_binary_row_vector = {
        .name = "simd:binary:row_vector",
        .pd_size = sizeof(binary_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
