// SPDX-License-Identifier: Apache-2.0
// simd:eltwise:row_vector: eltwise functions in vectors of f32 along rows; bytes to bytes by a
// table of all results where f32 would round one of them wrongly.
#include <string.h>

#include "common/data_type.h"
#include "cpu/ref/ref_finish.h"
#include "simd_chain.h"

extern const impl_t prim__simd_eltwise_row_vector;

enum { NBYTES = 256 };

typedef struct {
    prim_desc_t base;
    simd_nest_t nest;
} eltwise_pd_t;

_Static_assert(offsetof(eltwise_pd_t, base) == 0, "the base comes first");

typedef struct {
    prim_t base;
    bool is_table;         ///< bytes to bytes, and f32 would round some of them wrongly
    uint8_t table[NBYTES]; ///< f of each byte
} eltwise_primitive_t;

_Static_assert(offsetof(eltwise_primitive_t, base) == 0, "the base comes first");

static simd_eltwise_t function_of(const prim_desc_t *pd)
{
    return (simd_eltwise_t){pd->op.alg_kind, pd->op.u.eltwise.alpha, pd->op.u.eltwise.beta};
}

static prim_status_t init_pd(prim_desc_t *base)
{
    eltwise_pd_t *const pd = (eltwise_pd_t *)base;
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    REQUIRE(base, prim__simd_takes_type(src->data_type) && prim__simd_takes_type(dst->data_type),
            "src or dst is not f32, f16, bf16, s8 or u8");
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {dst, src};
    int ntensors = 2;
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    TRY(prim__simd_nest_init(&pd->nest, base, tensors, ntensors));
    return PRIM_SUCCESS;
}

/// f of each byte by the formula, rounded once.
static void fill_table(uint8_t *table, const prim_desc_t *pd)
{
    const prim_data_type_t src_dt = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t dst_dt = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    for (int i = 0; i < NBYTES; ++i) {
        const uint8_t byte = (uint8_t)i;
        const double x = prim__load(&byte, src_dt, 0);
        prim__store(table, dst_dt, i,
                prim__ref_eltwise(pd->op.alg_kind, x, (double)pd->op.u.eltwise.alpha,
                        (double)pd->op.u.eltwise.beta));
    }
}

/// Whether f32 gives each byte the same, as it does unless alpha or beta has many digits.
static bool agree_vectors(const uint8_t *table, const prim_desc_t *pd)
{
    const simd_eltwise_t function = function_of(pd);
    const simd_convert_code_t *const convert = SIMD_CHOOSE(prim__simd_convert_code);
    uint8_t bytes[NBYTES], results[NBYTES];
    float row[NBYTES];
    for (int i = 0; i < NBYTES; ++i) bytes[i] = (uint8_t)i;
    convert->load(row, bytes, prim__pd_md(pd, PRIM_ARG_SRC)->data_type, NBYTES);
    SIMD_CHOOSE(prim__simd_eltwise_code)->forward(&function, row, row, NBYTES);
    convert->store(results, row, prim__pd_md(pd, PRIM_ARG_DST)->data_type, NBYTES);
    return memcmp(results, table, NBYTES) == 0;
}

static prim_status_t init(prim_t *base)
{
    eltwise_primitive_t *const primitive = (eltwise_primitive_t *)base;
    const prim_desc_t *const pd = base->pd;
    if (pd->attr.post_ops.len > 0 || !prim__dt_is_int8(prim__pd_md(pd, PRIM_ARG_SRC)->data_type) ||
            !prim__dt_is_int8(prim__pd_md(pd, PRIM_ARG_DST)->data_type))
        return PRIM_SUCCESS;
    fill_table(primitive->table, pd);
    primitive->is_table = !agree_vectors(primitive->table, pd);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const prim_dim_t *strides;
    const simd_convert_code_t *convert;
    const simd_eltwise_code_t *code;
    simd_eltwise_t function;
    const uint8_t *table;
    simd_array_t dst, src;
    simd_chain_t chain;
} run_t;

static void compute_row(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    float room[SIMD_ROW];
    const float *const x =
            prim__simd_read(run->convert, room, &run->src, offsets[1], run->strides[1], n);
    float *const row = prim__simd_row(room, &run->dst, offsets[0], run->strides[0]);
    run->code->forward(&run->function, row, x, n);
    prim__simd_chain_row(&run->chain, row, offsets, run->strides, n);
    prim__simd_write(run->convert, &run->dst, offsets[0], run->strides[0], row, n);
}

static void look_up_row(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    uint8_t *const dst = prim__simd_at(&run->dst, offsets[0]);
    const uint8_t *const src = prim__simd_at(&run->src, offsets[1]);
    for (prim_dim_t i = 0; i < n; ++i)
        dst[i * run->strides[0]] = run->table[src[i * run->strides[1]]];
}

static prim_status_t execute(const prim_t *base, const exec_ctx_t *ctx)
{
    const eltwise_pd_t *const pd = (const eltwise_pd_t *)base->pd;
    const eltwise_primitive_t *const primitive = (const eltwise_primitive_t *)base;
    run_t run = {.strides = prim__simd_nest_strides(&pd->nest),
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .code = SIMD_CHOOSE(prim__simd_eltwise_code),
            .function = function_of(&pd->base),
            .table = primitive->table,
            .dst = prim__simd_array(&pd->base, ctx, PRIM_ARG_DST),
            .src = prim__simd_array(&pd->base, ctx, PRIM_ARG_SRC)};
    prim__simd_chain_init(&run.chain, &pd->base, ctx, 2);
    prim__simd_nest_walk(&pd->nest, primitive->is_table ? look_up_row : compute_row, &run);
    prim__ref_clear_padding(
            prim__ref_pointer(ctx, PRIM_ARG_DST), prim__pd_md(&pd->base, PRIM_ARG_DST));
    return PRIM_SUCCESS;
}

const impl_t prim__simd_eltwise_row_vector = {
        .name = "simd:eltwise:row_vector",
        .pd_size = sizeof(eltwise_pd_t),
        .primitive_size = sizeof(eltwise_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
};
