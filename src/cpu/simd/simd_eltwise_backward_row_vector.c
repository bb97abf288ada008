// SPDX-License-Identifier: Apache-2.0
// simd:eltwise:backward_row_vector: gradients of eltwise functions in vectors of f32 along rows.
#include "common/eltwise_data.h"
#include "cpu/ref/ref_finish.h"
#include "simd_convert.h"
#include "simd_eltwise.h"
#include "simd_nest.h"

extern const impl_t prim__simd_eltwise_backward_row_vector;

enum { DIFF_SRC, DIFF_DST, DATA, NTENSORS };

typedef struct {
    prim_desc_t base;
    simd_nest_t nest;
} eltwise_pd_t;

_Static_assert(offsetof(eltwise_pd_t, base) == 0, "the base comes first");

static void list_args(int *args, const prim_desc_t *pd)
{
    args[DIFF_SRC] = PRIM_ARG_DIFF_SRC;
    args[DIFF_DST] = PRIM_ARG_DIFF_DST;
    args[DATA] = prim__eltwise_data_arg(pd->op.alg_kind);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    TRY(prim__pd_follow(base));
    int args[NTENSORS];
    list_args(args, base);
    const prim_memory_desc_t *tensors[NTENSORS];
    for (int t = 0; t < NTENSORS; ++t) {
        tensors[t] = prim__pd_md(base, args[t]);
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "a tensor is not f32, f16 or bf16");
    }
    return prim__simd_nest_init(&((eltwise_pd_t *)base)->nest, base, tensors, NTENSORS);
}

/// One execution.
typedef struct {
    const prim_dim_t *strides;
    const simd_convert_code_t *convert;
    const simd_eltwise_code_t *code;
    simd_eltwise_t function;
    simd_array_t arrays[NTENSORS];
} run_t;

static void differentiate_row(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    const simd_array_t *const arrays = run->arrays;
    const prim_dim_t *const strides = run->strides;
    float data_room[SIMD_ROW], diff_room[SIMD_ROW];
    const float *const x = prim__simd_read(
            run->convert, data_room, &arrays[DATA], offsets[DATA], strides[DATA], n);
    const float *const y = prim__simd_read(
            run->convert, diff_room, &arrays[DIFF_DST], offsets[DIFF_DST], strides[DIFF_DST], n);
    float *const row =
            prim__simd_row(diff_room, &arrays[DIFF_SRC], offsets[DIFF_SRC], strides[DIFF_SRC]);
    run->code->backward(&run->function, row, y, x, n);
    prim__simd_write(run->convert, &arrays[DIFF_SRC], offsets[DIFF_SRC], strides[DIFF_SRC], row, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const eltwise_pd_t *const pd = (const eltwise_pd_t *)primitive->pd;
    const op_desc_t *const op = &pd->base.op;
    int args[NTENSORS];
    list_args(args, &pd->base);
    run_t run = {.strides = prim__simd_nest_strides(&pd->nest),
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .code = SIMD_CHOOSE(prim__simd_eltwise_code),
            .function = {op->alg_kind, op->u.eltwise.alpha, op->u.eltwise.beta}};
    for (int t = 0; t < NTENSORS; ++t) run.arrays[t] = prim__simd_array(&pd->base, ctx, args[t]);
    prim__simd_nest_walk(&pd->nest, differentiate_row, &run);
    prim__ref_clear_padding(
            prim__ref_pointer(ctx, PRIM_ARG_DIFF_SRC), prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC));
    return PRIM_SUCCESS;
}

const impl_t prim__simd_eltwise_backward_row_vector = {
        .name = "simd:eltwise:backward_row_vector",
        .pd_size = sizeof(eltwise_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
