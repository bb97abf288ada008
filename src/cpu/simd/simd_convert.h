// SPDX-License-Identifier: Apache-2.0
// Rows of every vectorised data type to rows of f32 and back.
#ifndef PRIM_CPU_SIMD_CONVERT_H
#define PRIM_CPU_SIMD_CONVERT_H

#include "common/impl.h"
#include "simd_level.h"

typedef struct {
    /// row[i] = src[i], contiguous elements of `dt`.
    void (*load)(float *row, const void *src, prim_data_type_t dt, prim_dim_t n);
    /// The way back, rounded as prim__store() does (but for the bits of a NaN).
    void (*store)(void *dst, const float *row, prim_data_type_t dt, prim_dim_t n);
} simd_convert_code_t;

SIMD_DECLARE(simd_convert_code_t, prim__simd_convert_code);

/// f32, f16, bf16, s8 or u8.
bool prim__simd_takes_type(prim_data_type_t dt);

/// An array of elements.
typedef struct {
    char *base; ///< of element 0, offset0 added
    prim_data_type_t dt;
} simd_array_t;

/// The tensor of an argument at execution.
simd_array_t prim__simd_array(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);
/// The same; base NULL where the problem has no such tensor.
simd_array_t prim__simd_array_if_any(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);
/// The values of an f32 argument; NULL where the problem has none.
float *prim__simd_values(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);
/// The address of an element.
void *prim__simd_at(const simd_array_t *array, prim_dim_t offset);

/// Elements offset, offset + stride, … as f32: where they are, or converted into `room`, which has
/// n floats.
const float *prim__simd_read(const simd_convert_code_t *code, float *room,
        const simd_array_t *array, prim_dim_t offset, prim_dim_t stride, prim_dim_t n);
/// Rows of n elements, `stride` apart, the rows `row_stride`.
typedef struct {
    prim_dim_t n, stride, nrows, row_stride;
} simd_grid_t;

/// Rows from `offset` on as one row of f32: where they are, or in `room`, which has as many floats.
const float *prim__simd_read_grid(const simd_convert_code_t *code, float *room,
        const simd_array_t *array, prim_dim_t offset, const simd_grid_t *grid);
/// The way back. Nothing is left to do where `row` is the array's own memory.
void prim__simd_write(const simd_convert_code_t *code, const simd_array_t *array, prim_dim_t offset,
        prim_dim_t stride, const float *row, prim_dim_t n);
/// Where to compute a row that prim__simd_write() is to write: in the array, if it is contiguous
/// f32, or in `room`.
float *prim__simd_row(float *room, const simd_array_t *array, prim_dim_t offset, prim_dim_t stride);

/// A long row that is read several times, in pieces.
typedef struct {
    const simd_convert_code_t *code;
    const simd_array_t *array;
    prim_dim_t offset, stride;
    const float *kept; ///< the whole row; NULL: pieces are converted when they are read
} simd_line_t;

/// n elements from `offset` on. They are converted at once where `room`, of nroom floats, holds
/// them.
simd_line_t prim__simd_line(const simd_convert_code_t *code, float *room, prim_dim_t nroom,
        const simd_array_t *array, prim_dim_t offset, prim_dim_t stride, prim_dim_t n);
/// Elements at..at+n−1; `room` has n floats.
const float *prim__simd_line_piece(
        const simd_line_t *line, float *room, prim_dim_t at, prim_dim_t n);

#endif
