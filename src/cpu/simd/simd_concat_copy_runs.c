// SPDX-License-Identifier: Apache-2.0
// simd:concat:copy_runs: each source as a nest of loops over its part of dst; rows are copied, or
// converted in vectors.
#include <string.h>

#include "common/data_type.h"
#include "cpu/ref/ref_finish.h"
#include "simd_convert.h"
#include "simd_nest.h"
#include "simd_rows.h"

extern const impl_t prim__simd_concat_copy_runs;

enum { DST, SRC };
/// Elements of a run that is copied at once, and runs that pay for a thread.
enum { RUN_ELEMS = 16384 };

static bool has_scale(const prim_desc_t *pd, int i)
{
    return prim__attr_scale(&pd->attr, pd->tensors[i].arg) != NULL;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    TRY(prim__ref_require_types(pd));
    for (int i = 0; i < pd->ntensors; ++i) {
        const prim_memory_desc_t *const md = &pd->tensors[i].md;
        REQUIRE(pd, prim__md_is_plain(md) && !prim__md_is_padded(md),
                "tensor %d is blocked or padded", i);
        REQUIRE(pd, !prim__md_has_runtime(md), "a dimension is known only at execution");
        if (md->data_type == dst->data_type && !has_scale(pd, i)) continue;
        REQUIRE(pd, prim__simd_takes_type(md->data_type) && prim__simd_takes_type(dst->data_type),
                "tensor %d is to be converted or scaled, and it or dst is not f32, f16, bf16, s8 "
                "or u8",
                i);
    }
    return PRIM_SUCCESS;
}

/// A source and its part of dst.
typedef struct {
    const prim_dim_t *strides;
    size_t elem_bytes;
    const simd_convert_code_t *convert;
    const simd_rows_code_t *rows;
    simd_array_t dst, src;
    float scale;
} part_t;

static void copy_run(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const part_t *const part = arg;
    memcpy(prim__simd_at(&part->dst, offsets[DST]), prim__simd_at(&part->src, offsets[SRC]),
            (size_t)n * part->elem_bytes);
}

static void convert_row(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const part_t *const part = arg;
    float room[SIMD_ROW], scaled[SIMD_ROW];
    const float *row =
            prim__simd_read(part->convert, room, &part->src, offsets[SRC], part->strides[SRC], n);
    if (part->scale != 1.0F) {
        part->rows->scale(scaled, row, part->scale, n);
        row = scaled;
    }
    prim__simd_write(part->convert, &part->dst, offsets[DST], part->strides[DST], row, n);
}

/// Elements that no vector converts are copied one by one.
static void copy_strided(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const part_t *const part = arg;
    for (prim_dim_t i = 0; i < n; ++i)
        memcpy(prim__simd_at(&part->dst, offsets[DST] + i * part->strides[DST]),
                prim__simd_at(&part->src, offsets[SRC] + i * part->strides[SRC]), part->elem_bytes);
}

static void copy_part(part_t *part, const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    prim_memory_desc_t window = *src; // the dimensions of src, where dst has them
    memcpy(window.strides, dst->strides, sizeof window.strides);
    simd_nest_t nest;
    prim__simd_nest_make(&nest, (const prim_memory_desc_t *const[]){&window, src}, 2);
    part->strides = prim__simd_nest_strides(&nest);
    part->elem_bytes = prim__dt_bytes(src->data_type);
    const bool is_copy = src->data_type == dst->data_type && part->scale == 1.0F;
    const prim_dim_t row_elems = nest.loops[nest.nloops - 1].n;
    const bool is_run = (part->strides[DST] == 1 && part->strides[SRC] == 1) || row_elems == 1;
    if (!is_copy)
        prim__simd_nest_walk(&nest, convert_row, part);
    else if (!is_run)
        prim__simd_nest_walk(&nest, copy_strided, part);
    else
        prim__simd_nest_walk_by(&nest, RUN_ELEMS,
                row_elems > 0 && row_elems < RUN_ELEMS ? (RUN_ELEMS + row_elems - 1) / row_elems
                                                       : 1,
                copy_run, part);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const int axis = pd->op.u.axis.axis;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const simd_array_t whole = prim__simd_array(pd, ctx, PRIM_ARG_DST);
    prim_dim_t start = 0;
    for (int i = 0; i < pd->ntensors - 1; ++i) {
        const tensor_t *const src = &pd->tensors[i];
        part_t part = {.convert = SIMD_CHOOSE(prim__simd_convert_code),
                .rows = SIMD_CHOOSE(prim__simd_rows_code),
                .dst = {prim__simd_at(&whole, start * dst->strides[axis]), dst->data_type},
                .src = prim__simd_array(pd, ctx, src->arg),
                .scale = (float)prim__ref_scale(pd, ctx, src->arg)};
        start += src->md.dims[axis];
        if (!prim__md_is_empty(&src->md)) copy_part(&part, &src->md, dst);
    }
    return PRIM_SUCCESS;
}

const impl_t prim__simd_concat_copy_runs = {
        .name = "simd:concat:copy_runs",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
