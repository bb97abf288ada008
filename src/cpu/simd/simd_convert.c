// SPDX-License-Identifier: Apache-2.0
// Rows of tensors as f32: in place, converted in vectors, or gathered element by element.
#include "simd_convert.h"

#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "cpu/ref/ref_finish.h"

bool prim__simd_takes_type(prim_data_type_t dt)
{
    return dt == PRIM_F32 || dt == PRIM_F16 || dt == PRIM_BF16 || prim__dt_is_int8(dt);
}

simd_array_t prim__simd_array(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    const simd_array_t array = {prim__ref_pointer(ctx, arg), md->data_type};
    return (simd_array_t){prim__simd_at(&array, md->offset0), md->data_type};
}

simd_array_t prim__simd_array_if_any(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    return prim__pd_has(pd, arg) ? prim__simd_array(pd, ctx, arg) : (simd_array_t){0};
}

float *prim__simd_values(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    const simd_array_t array = prim__simd_array_if_any(pd, ctx, arg);
    return array.base ? prim__simd_at(&array, 0) : NULL;
}

void *prim__simd_at(const simd_array_t *array, prim_dim_t offset)
{
    return array->base + offset * (prim_dim_t)prim__dt_bytes(array->dt);
}

/// Elements that are gathered or scattered at once.
enum { GATHERED = 256 };

static void gather(void *to, const void *from, size_t bytes, prim_dim_t stride, prim_dim_t n)
{
    if (bytes == 4) {
        for (prim_dim_t i = 0; i < n; ++i)
            ((uint32_t *)to)[i] = ((const uint32_t *)from)[i * stride];
    } else if (bytes == 2) {
        for (prim_dim_t i = 0; i < n; ++i)
            ((uint16_t *)to)[i] = ((const uint16_t *)from)[i * stride];
    } else {
        for (prim_dim_t i = 0; i < n; ++i) ((uint8_t *)to)[i] = ((const uint8_t *)from)[i * stride];
    }
}

static void scatter(void *to, const void *from, size_t bytes, prim_dim_t stride, prim_dim_t n)
{
    if (bytes == 4) {
        for (prim_dim_t i = 0; i < n; ++i)
            ((uint32_t *)to)[i * stride] = ((const uint32_t *)from)[i];
    } else if (bytes == 2) {
        for (prim_dim_t i = 0; i < n; ++i)
            ((uint16_t *)to)[i * stride] = ((const uint16_t *)from)[i];
    } else {
        for (prim_dim_t i = 0; i < n; ++i) ((uint8_t *)to)[i * stride] = ((const uint8_t *)from)[i];
    }
}

const float *prim__simd_read(const simd_convert_code_t *code, float *room,
        const simd_array_t *array, prim_dim_t offset, prim_dim_t stride, prim_dim_t n)
{
    const void *const src = prim__simd_at(array, offset);
    const bool is_f32 = array->dt == PRIM_F32;
    if (stride == 1 || n == 1) {
        if (is_f32) return src;
        code->load(room, src, array->dt, n);
        return room;
    }
    if (is_f32) {
        gather(room, src, sizeof *room, stride, n);
        return room;
    }
    for (prim_dim_t i = 0; i < n; i += GATHERED) {
        uint16_t elems[GATHERED];
        const prim_dim_t count = prim__min(n - i, GATHERED);
        gather(elems, prim__simd_at(array, offset + i * stride), prim__dt_bytes(array->dt), stride,
                count);
        code->load(room + i, elems, array->dt, count);
    }
    return room;
}

/// Rows of n elements, each the same value: those of a column.
static void repeat_values(const simd_convert_code_t *code, float *room, const simd_array_t *array,
        prim_dim_t offset, const simd_grid_t *grid)
{
    for (prim_dim_t first = 0; first < grid->nrows; first += GATHERED) {
        float column[GATHERED];
        const prim_dim_t nrows = prim__min(grid->nrows - first, GATHERED);
        const float *const values = prim__simd_read(
                code, column, array, offset + first * grid->row_stride, grid->row_stride, nrows);
        for (prim_dim_t k = 0; k < nrows; ++k)
            for (prim_dim_t i = 0; i < grid->n; ++i) *room++ = values[k];
    }
}

const float *prim__simd_read_grid(const simd_convert_code_t *code, float *room,
        const simd_array_t *array, prim_dim_t offset, const simd_grid_t *grid)
{
    const prim_dim_t n = grid->n, nelems = n * grid->nrows;
    if (grid->row_stride == n * grid->stride)
        return prim__simd_read(code, room, array, offset, grid->stride, nelems);
    if (grid->stride == 0) {
        repeat_values(code, room, array, offset, grid);
        return room;
    }
    const prim_dim_t nread = grid->row_stride == 0 ? 1 : grid->nrows;
    for (prim_dim_t k = 0; k < nread; ++k) {
        float *const to = room + k * n;
        const float *const row =
                prim__simd_read(code, to, array, offset + k * grid->row_stride, grid->stride, n);
        if (row != to) memcpy(to, row, (size_t)n * sizeof *to);
    }
    // One row for all: what is there doubles.
    for (prim_dim_t done = n * nread; done < nelems; done *= 2)
        memcpy(room + done, room, (size_t)prim__min(done, nelems - done) * sizeof *room);
    return room;
}

float *prim__simd_row(float *room, const simd_array_t *array, prim_dim_t offset, prim_dim_t stride)
{
    return array->dt == PRIM_F32 && stride == 1 ? prim__simd_at(array, offset) : room;
}

void prim__simd_write(const simd_convert_code_t *code, const simd_array_t *array, prim_dim_t offset,
        prim_dim_t stride, const float *row, prim_dim_t n)
{
    void *const dst = prim__simd_at(array, offset);
    if (dst == row) return;
    if (stride == 1 || n == 1) {
        code->store(dst, row, array->dt, n);
        return;
    }
    const size_t bytes = prim__dt_bytes(array->dt);
    for (prim_dim_t i = 0; i < n; i += GATHERED) {
        float elems[GATHERED];
        const prim_dim_t count = prim__min(n - i, GATHERED);
        code->store(elems, row + i, array->dt, count);
        scatter(prim__simd_at(array, offset + i * stride), elems, bytes, stride, count);
    }
}

simd_line_t prim__simd_line(const simd_convert_code_t *code, float *room, prim_dim_t nroom,
        const simd_array_t *array, prim_dim_t offset, prim_dim_t stride, prim_dim_t n)
{
    simd_line_t line = {code, array, offset, stride, NULL};
    if (n <= nroom || (array->dt == PRIM_F32 && stride == 1))
        line.kept = prim__simd_read(code, room, array, offset, stride, n);
    return line;
}

const float *prim__simd_line_piece(
        const simd_line_t *line, float *room, prim_dim_t at, prim_dim_t n)
{
    if (line->kept) return line->kept + at;
    return prim__simd_read(
            line->code, room, line->array, line->offset + at * line->stride, line->stride, n);
}
