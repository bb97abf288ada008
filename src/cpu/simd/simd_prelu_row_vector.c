// SPDX-License-Identifier: Apache-2.0
// simd:prelu:row_vector: x > 0 ? x : x·w in vectors along rows; weights are contiguous or constant
// along them.
#include <string.h>

#include "cpu/ref/ref_finish.h"
#include "simd_binary.h"
#include "simd_convert.h"
#include "simd_nest.h"

extern const impl_t prim__simd_prelu_row_vector;

enum { DST, SRC, WEIGHTS, NTENSORS };

static const int args[NTENSORS] = {PRIM_ARG_DST, PRIM_ARG_SRC, PRIM_ARG_WEIGHTS};

typedef struct {
    prim_desc_t base;
    simd_nest_t nest;
} prelu_pd_t;

_Static_assert(offsetof(prelu_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *tensors[NTENSORS];
    for (int t = 0; t < NTENSORS; ++t) {
        tensors[t] = prim__pd_md(base, args[t]);
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "a tensor is not f32, f16, bf16, s8 or u8");
    }
    return prim__simd_nest_init(&((prelu_pd_t *)base)->nest, base, tensors, NTENSORS);
}

/// One execution.
typedef struct {
    const prim_dim_t *strides;
    const simd_convert_code_t *convert;
    const simd_binary_code_t *binary;
    simd_array_t arrays[NTENSORS];
} run_t;

static void compute_row(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t *const strides = run->strides;
    float room[SIMD_ROW], slope_room[SIMD_ROW];
    const bool is_constant = strides[WEIGHTS] == 0;
    const float *const x =
            prim__simd_read(run->convert, room, &run->arrays[SRC], offsets[SRC], strides[SRC], n);
    const float *const slopes = prim__simd_read(run->convert, slope_room, &run->arrays[WEIGHTS],
            offsets[WEIGHTS], strides[WEIGHTS], is_constant ? 1 : n);
    float *const row = prim__simd_row(room, &run->arrays[DST], offsets[DST], strides[DST]);
    run->binary->prelu(row, x, &(simd_operand_t){slopes, is_constant}, n);
    prim__simd_write(run->convert, &run->arrays[DST], offsets[DST], strides[DST], row, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prelu_pd_t *const pd = (const prelu_pd_t *)primitive->pd;
    run_t run = {.strides = prim__simd_nest_strides(&pd->nest),
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .binary = SIMD_CHOOSE(prim__simd_binary_code)};
    for (int t = 0; t < NTENSORS; ++t) run.arrays[t] = prim__simd_array(&pd->base, ctx, args[t]);
    prim__simd_nest_walk(&pd->nest, compute_row, &run);
    prim__ref_clear_padding(
            prim__ref_pointer(ctx, PRIM_ARG_DST), prim__pd_md(&pd->base, PRIM_ARG_DST));
    return PRIM_SUCCESS;
}

const impl_t prim__simd_prelu_row_vector = {
        .name = "simd:prelu:row_vector",
        .pd_size = sizeof(prelu_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
