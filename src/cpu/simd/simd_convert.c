// SPDX-License-Identifier: Apache-2.0
// Rows of tensors as f32: in place, converted in vectors, or gathered element by element.
#include "simd_convert.h"

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
