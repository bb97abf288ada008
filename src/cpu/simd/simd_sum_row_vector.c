// SPDX-License-Identifier: Apache-2.0
// simd:sum:row_vector: Σ scales[i]·src_i in vectors of f32: tensors of one layout as arrays, any
// number of them, others along rows of dst, where sources are contiguous or gathered.
#include "cpu/ref/ref_finish.h"
#include "simd_binary.h"
#include "simd_convert.h"
#include "simd_nest.h"
#include "simd_rows.h"

extern const impl_t prim__simd_sum_row_vector;

typedef struct {
    prim_desc_t base;
    bool are_alike; ///< the tensors, and the nest is that of dst alone
    simd_nest_t nest;
} sum_pd_t;

_Static_assert(offsetof(sum_pd_t, base) == 0, "the base comes first");

static bool are_alike(const prim_desc_t *pd, const prim_memory_desc_t *dst)
{
    if (!prim__md_is_dense(dst)) return false;
    for (int i = 0; i < pd->ntensors; ++i) {
        if (!prim__md_same_layout_moved(&pd->tensors[i].md, dst)) return false;
    }
    return true;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    sum_pd_t *const pd = (sum_pd_t *)base;
    const int nsources = base->ntensors - 1;
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {prim__pd_md(base, PRIM_ARG_DST)};
    for (int i = 0; i < base->ntensors; ++i)
        REQUIRE(base, prim__simd_takes_type(base->tensors[i].md.data_type),
                "a tensor is not f32, f16, bf16, s8 or u8");
    pd->are_alike = are_alike(base, tensors[0]);
    REQUIRE(base, pd->are_alike || nsources < SIMD_NEST_TENSORS,
            "%d sources of several layouts: at most %d are read at once", nsources,
            SIMD_NEST_TENSORS - 1);
    for (int i = 0; i < nsources && !pd->are_alike; ++i) tensors[1 + i] = &base->tensors[i].md;
    (void)prim__pd_book_scratchpad(base, (size_t)nsources * sizeof(simd_array_t));
    return prim__simd_nest_init(&pd->nest, base, tensors, pd->are_alike ? 1 : 1 + nsources);
}

/// One execution.
typedef struct {
    const sum_pd_t *pd;
    const prim_dim_t *strides;
    const simd_convert_code_t *convert;
    const simd_binary_code_t *binary;
    const simd_rows_code_t *rows;
    simd_array_t dst;
    simd_array_t *sources; ///< in the scratchpad
} run_t;

static void sum_row(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const run_t *const run = arg;
    const prim_desc_t *const base = &run->pd->base;
    float sums[SIMD_ROW];
    for (int i = 0; i < base->ntensors - 1; ++i) {
        float room[SIMD_ROW];
        const int place = run->pd->are_alike ? 0 : 1 + i;
        const float scale = base->tensors[i].scale;
        const float *const x = prim__simd_read(
                run->convert, room, &run->sources[i], offsets[place], run->strides[place], n);
        if (i == 0)
            run->rows->scale(sums, x, scale, n);
        else
            run->binary->add_scaled(sums, x, scale, 0, n);
    }
    // dst may have the memory of a source, whose row has been read.
    prim__simd_write(run->convert, &run->dst, offsets[0], run->strides[0], sums, n);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const sum_pd_t *const pd = (const sum_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .strides = prim__simd_nest_strides(&pd->nest),
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .binary = SIMD_CHOOSE(prim__simd_binary_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .dst = prim__simd_array(base, ctx, PRIM_ARG_DST),
            .sources = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD)};
    for (int i = 0; i < base->ntensors - 1; ++i)
        run.sources[i] = prim__simd_array(base, ctx, base->tensors[i].arg);
    prim__simd_nest_walk(&pd->nest, sum_row, &run);
    // A scale below 0 makes −0 of the sources' padding.
    prim__ref_clear_padding(prim__ref_pointer(ctx, PRIM_ARG_DST), prim__pd_md(base, PRIM_ARG_DST));
    return PRIM_SUCCESS;
}

const impl_t prim__simd_sum_row_vector = {
        .name = "simd:sum:row_vector",
        .pd_size = sizeof(sum_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
