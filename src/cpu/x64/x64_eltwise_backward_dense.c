// SPDX-License-Identifier: Apache-2.0
// x64:eltwise:backward_dense: gradients of the eltwise functions whose derivative takes arithmetic
// alone, where all tensors are contiguous and of one layout.
#include <math.h>

#include "common/eltwise_data.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "x64_convert.h"
#include "x64_isa.h"

extern const impl_t prim__x64_eltwise_backward_dense;

/// Elements of a row in the caches, and of a thread's smallest share.
enum { ROW = 512, CHUNK = 16 * ROW };

/// f'(x); of the algorithms that take dst x is f's value. NaN: not one of these functions.
X64_INLINE float slope(const prim_alg_kind_t alg, float x, float alpha, float beta)
{
    const float line = alpha * x + beta;
    switch (alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: return x > 0 ? 1 : alpha;
    case PRIM_ELTWISE_LINEAR: return alpha;
    case PRIM_ELTWISE_SQUARE: return 2 * x;
    case PRIM_ELTWISE_ABS: return (x > 0 ? 1.0F : 0.0F) - (x < 0 ? 1.0F : 0.0F);
    case PRIM_ELTWISE_CLIP: return x > alpha && x <= beta ? 1 : 0;
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: return x > alpha && x < beta ? 1 : 0;
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD: return (1 - x) * (1 + x);
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD: return x * (1 - x);
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: return x;
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: return x > 0 ? 1 : x + alpha;
    case PRIM_ELTWISE_HARDSIGMOID: return line <= 0 || line >= 1 ? 0 : alpha;
    case PRIM_ELTWISE_HARDSWISH: return line <= 0 ? 0 : line >= 1 ? 1 : 2 * alpha * x + beta;
    default: return NAN;
    }
}

/// A row: out = y·f'(x).
typedef struct {
    float *out;
    const float *y, *x;
    float alpha, beta;
    prim_dim_t n;
} row_t;

X64_INLINE void multiply(const prim_alg_kind_t alg, const row_t *row)
{
    const float *restrict const x = row->x, *restrict const y = row->y;
    const float alpha = row->alpha, beta = row->beta;
    float *restrict const out = row->out;
    for (prim_dim_t i = 0; i < row->n; ++i) out[i] = y[i] * slope(alg, x[i], alpha, beta);
}

/// The algorithm is a constant of each loop.
X64_INLINE void multiply_row(prim_alg_kind_t alg, const row_t *row)
{
    switch (alg) {
    case PRIM_ELTWISE_RELU: multiply(PRIM_ELTWISE_RELU, row); return;
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: multiply(PRIM_ELTWISE_RELU, row); return;
    case PRIM_ELTWISE_LINEAR: multiply(PRIM_ELTWISE_LINEAR, row); return;
    case PRIM_ELTWISE_SQUARE: multiply(PRIM_ELTWISE_SQUARE, row); return;
    case PRIM_ELTWISE_ABS: multiply(PRIM_ELTWISE_ABS, row); return;
    case PRIM_ELTWISE_CLIP: multiply(PRIM_ELTWISE_CLIP, row); return;
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: multiply(PRIM_ELTWISE_CLIP_V2, row); return;
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD:
        multiply(PRIM_ELTWISE_TANH_USE_DST_FOR_BWD, row);
        return;
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD:
        multiply(PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD, row);
        return;
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: multiply(PRIM_ELTWISE_EXP_USE_DST_FOR_BWD, row); return;
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: multiply(PRIM_ELTWISE_ELU_USE_DST_FOR_BWD, row); return;
    case PRIM_ELTWISE_HARDSIGMOID: multiply(PRIM_ELTWISE_HARDSIGMOID, row); return;
    default: multiply(PRIM_ELTWISE_HARDSWISH, row); return;
    }
}

static void multiply_portable(prim_alg_kind_t alg, const row_t *row)
{
    multiply_row(alg, row);
}

#if PRIM_X64
X64_AVX2 static void multiply_avx2(prim_alg_kind_t alg, const row_t *row)
{
    multiply_row(alg, row);
}

X64_AVX512 static void multiply_avx512(prim_alg_kind_t alg, const row_t *row)
{
    multiply_row(alg, row);
}
#endif

static prim_status_t init_pd(prim_desc_t *pd)
{
    const int data_arg = prim__eltwise_data_arg(pd->op.alg_kind);
    const int args[] = {data_arg, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC};
    REQUIRE(pd, !isnan(slope(pd->op.alg_kind, 0.5F, 0.5F, 0.5F)),
            "the derivative of %s takes more than arithmetic", prim_alg_kind_name(pd->op.alg_kind));
    TRY(prim__pd_follow(pd));
    const prim_memory_desc_t *const data = prim__pd_md(pd, data_arg);
    REQUIRE(pd, !prim__md_has_runtime(data), "dimensions are known only at execution");
    REQUIRE(pd, prim__md_is_dense(data) && !prim__md_is_padded(data), "src or dst has gaps");
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, prim__x64_takes_type(md->data_type), "a tensor is not f32, f16 or bf16");
        REQUIRE(pd, prim__md_same_layout_moved(md, data), "the tensors differ in layout");
    }
    return PRIM_SUCCESS;
}

/// One execution. Data have offset0 added.
typedef struct {
    const op_desc_t *op;
    void (*multiply)(prim_alg_kind_t alg, const row_t *row);
    prim_dim_t nelems;
    const void *data, *diff_dst;
    void *diff_src;
    prim_data_type_t data_dt, diff_dst_dt, diff_src_dt;
} run_t;

static void differentiate_chunk(prim_dim_t chunk, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t past = prim__min((chunk + 1) * CHUNK, run->nelems);
    for (prim_dim_t at = chunk * CHUNK; at < past; at += ROW) {
        float data_room[ROW], diff_room[ROW], out[ROW];
        const prim_dim_t n = prim__min(past - at, ROW);
        const row_t row = {.out = out,
                .y = prim__x64_read_row(diff_room, run->diff_dst, run->diff_dst_dt, at, n),
                .x = prim__x64_read_row(data_room, run->data, run->data_dt, at, n),
                .alpha = run->op->u.eltwise.alpha,
                .beta = run->op->u.eltwise.beta,
                .n = n};
        run->multiply(run->op->alg_kind, &row);
        prim__x64_store_row(out, run->diff_src, run->diff_src_dt, at, n);
    }
}

static void choose_code(run_t *run)
{
    run->multiply = multiply_portable;
#if PRIM_X64
    const x64_isa_t isa = prim__x64_isa();
    if (isa == X64_PORTABLE) return;
    run->multiply = isa == X64_ISA_AVX512 ? multiply_avx512 : multiply_avx2;
#endif
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const int data_arg = prim__eltwise_data_arg(pd->op.alg_kind);
    const prim_memory_desc_t *const data = prim__pd_md(pd, data_arg);
    run_t run = {.op = &pd->op,
            .nelems = prim__md_nelems(data),
            .data = prim__x64_tensor(pd, ctx, data_arg),
            .diff_dst = prim__x64_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .diff_src = prim__x64_tensor(pd, ctx, PRIM_ARG_DIFF_SRC),
            .data_dt = data->data_type,
            .diff_dst_dt = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type,
            .diff_src_dt = prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->data_type};
    choose_code(&run);
    prim__parallel_for(prim__ceil_div(run.nelems, CHUNK), differentiate_chunk, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__x64_eltwise_backward_dense = {
        .name = "x64:eltwise:backward_dense",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
