// SPDX-License-Identifier: Apache-2.0
// simd:binary:row_vector: operations of two tensors, and select, in vectors along rows of dst; each
// source is contiguous or constant along them, or gathered.
#include "common/post_ops_check.h"
#include "cpu/ref/ref_finish.h"
#include "simd_chain.h"
#include "simd_rows.h"

extern const impl_t prim__simd_binary_row_vector;

enum { DST, SRC_0, SRC_1, CONDITION };

typedef struct {
    prim_desc_t base;
    int nsources; ///< 3 of select
    simd_nest_t nest;
} binary_pd_t;

_Static_assert(offsetof(binary_pd_t, base) == 0, "the base comes first");

static const int args[] = {PRIM_ARG_DST, PRIM_ARG_SRC_0, PRIM_ARG_SRC_1, PRIM_ARG_SRC_2};

static bool is_common(const quant_t *setting)
{
    return !setting || (setting->mask == 0 && setting->ngroups == 0);
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
        REQUIRE(base, is_common(prim__attr_scale(&base->attr, args[t])),
                "a source has more than one scale");
    }
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    return prim__simd_nest_init(&pd->nest, base, tensors, ntensors);
}

/// One execution.
typedef struct {
    const binary_pd_t *pd;
    const prim_dim_t *strides;
    const simd_rows_code_t *rows;
    bool has_sum; ///< dst is read before it is written
    simd_array_t arrays[CONDITION + 1];
    float scales[CONDITION + 1];
    simd_chain_t chain;
} run_t;

/// Source t of a row, scaled.
static simd_operand_t read_source(
        const run_t *run, float *room, int t, const prim_dim_t *offsets, prim_dim_t n)
{
    const prim_dim_t stride = run->strides[t], count = stride == 0 ? 1 : n;
    const float *row =
            prim__simd_read(run->chain.convert, room, &run->arrays[t], offsets[t], stride, count);
    if (run->scales[t] != 1.0F) {
        run->rows->scale(room, row, run->scales[t], count);
        row = room;
    }
    return (simd_operand_t){row, stride == 0};
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

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const binary_pd_t *const pd = (const binary_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .strides = prim__simd_nest_strides(&pd->nest),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .has_sum = prim__post_ops_find_sum(&base->attr.post_ops) != NULL};
    for (int t = 0; t <= pd->nsources; ++t) {
        run.arrays[t] = prim__simd_array(base, ctx, args[t]);
        run.scales[t] = t == DST ? 1 : prim__simd_scale(base, ctx, args[t]);
    }
    prim__simd_chain_init(&run.chain, base, ctx, 1 + pd->nsources);
    prim__simd_nest_walk(&pd->nest, compute_row, &run);
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
