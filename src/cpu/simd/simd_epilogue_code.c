// SPDX-License-Identifier: Apache-2.0
// Rows of sums to dst in one pass. Compiled for each level (simd_level.h), and with SIMD_WORD for a
// dst of bf16 and a processor that converts to it.
#include "simd_epilogue.h"
#include "simd_parts.h"

/// How elements of dst become vectors, and vectors elements: whole ones, the first n < LANES lanes,
/// or SIMD_FOUR whole ones at a time.
typedef struct {
    vf_t (*load)(const void *p);
    vf_t (*load_part)(const void *p, int64_t n);
    void (*store)(void *p, vf_t x);
    void (*store_part)(void *p, vf_t x, int64_t n);
    void (*store_four)(void *p, const vf_t *x);
    prim_dim_t bytes;
} type_t;

static const type_t bf16_type = {
        v_load_bf16, v_load_part_bf16, v_store_bf16, v_store_part_bf16, v_store_four_bf16, 2};
#ifndef SIMD_WORD
static const type_t f32_type = {
        v_load, v_load_part_f32, v_store, v_store_part_f32, v_store_four_f32, 4};
static const type_t f16_type = {
        v_load_f16, v_load_part_f16, v_store_f16, v_store_part_f16, v_store_four_f16, 2};
static const type_t s8_type = {
        v_load_s8, v_load_part_s8, v_store_s8, v_store_part_s8, v_store_four_s8, 1};
static const type_t u8_type = {
        v_load_u8, v_load_part_u8, v_store_u8, v_store_part_u8, v_store_four_u8, 1};
#endif

/// One row: where its sums, factors, shifts, addend and results are.
typedef struct {
    const float *sums, *factor, *shift;
    bool are_integers; ///< the sums are
    const char *addend;
    char *dst;
} row_t;

/// Factors or shifts of a vector's lanes.
SIMD_INLINE vf_t values(const float *of, bool is_of_rows, prim_dim_t i, prim_dim_t n)
{
    return is_of_rows ? v_set(*of) : n < LANES ? v_load_part(of + i, n, 0) : v_load(of + i);
}

SIMD_INLINE vf_t apply(const simd_epilogue_t *e, vf_t x)
{
    if (e->function == SIMD_EPILOGUE_RELU) x = v_select(x > 0.0F, x, e->alpha * x);
    if (e->function == SIMD_EPILOGUE_CLIP)
        x = v_at_most(v_at_least(x, v_set(e->alpha)), v_set(e->beta));
    if (e->function == SIMD_EPILOGUE_LINEAR) x = e->alpha * x + e->beta;
    return e->is_scaled ? x / e->scale + e->zero_point : x;
}

/// What elements i.. of a row become: a vector, or the n < LANES that are left.
SIMD_INLINE vf_t result(
        const simd_epilogue_t *e, const row_t *row, prim_dim_t i, prim_dim_t n, const type_t *type)
{
    const bool is_part = n < LANES;
    vf_t x = is_part ? v_load_part(row->sums + i, n, 0) : v_load(row->sums + i);
    if (row->are_integers) x = __builtin_convertvector((vi_t)x, vf_t);
    if (row->factor) x *= values(row->factor, e->is_of_rows, i, n);
    if (row->shift) x += values(row->shift, e->is_of_rows, i, n);
    if (row->addend) {
        const char *const from = row->addend + i * type->bytes;
        x += e->addend_scale *
             ((is_part ? type->load_part(from, n) : type->load(from)) - e->addend_zero);
    }
    return apply(e, x);
}

SIMD_INLINE void finish_row(
        const simd_epilogue_t *e, const row_t *row, prim_dim_t n, const type_t *type)
{
    prim_dim_t i = 0;
    for (; i + SIMD_FOUR * LANES <= n; i += SIMD_FOUR * LANES) {
        vf_t x[SIMD_FOUR];
        for (int v = 0; v < SIMD_FOUR; ++v) x[v] = result(e, row, i + v * LANES, LANES, type);
        type->store_four(row->dst + i * type->bytes, x);
    }
    for (; i + LANES <= n; i += LANES)
        type->store(row->dst + i * type->bytes, result(e, row, i, LANES, type));
    if (i < n) type->store_part(row->dst + i * type->bytes, result(e, row, i, n - i, type), n - i);
}

SIMD_INLINE void finish_any_rows(
        const simd_epilogue_t *e, const simd_epilogue_rows_t *rows, const type_t *type)
{
    for (prim_dim_t r = 0; r < rows->nrows; ++r) {
        const prim_dim_t at = (rows->at + r * rows->dst_row) * type->bytes;
        const prim_dim_t first = e->is_of_rows ? r : 0;
        const row_t row = {.sums = rows->sums + r * rows->sums_row,
                .factor = e->factor ? e->factor + first : NULL,
                .shift = e->shift ? e->shift + first : NULL,
                .are_integers = rows->are_integers,
                .addend = e->addend ? e->addend + at : NULL,
                .dst = e->dst + at};
        finish_row(e, &row, rows->n, type);
    }
}

/// What follows most sums: maybe a shift of each column, an addend, and one of two functions or
/// none. Both are constants of the caller's, so that a vector takes a handful of instructions.
SIMD_INLINE void finish_common_rows(const simd_epilogue_t *e, const simd_epilogue_rows_t *rows,
        const simd_epilogue_function_t function, const bool has_addend, const type_t *type)
{
    simd_epilogue_t one = *e;
    one.function = function;
    one.is_scaled = one.is_of_rows = false;
    for (prim_dim_t r = 0; r < rows->nrows; ++r) {
        const prim_dim_t at = (rows->at + r * rows->dst_row) * type->bytes;
        const row_t row = {.sums = rows->sums + r * rows->sums_row,
                .shift = e->shift,
                .are_integers = rows->are_integers,
                .addend = has_addend ? e->addend + at : NULL,
                .dst = e->dst + at};
        finish_row(&one, &row, rows->n, type);
    }
}

SIMD_INLINE bool is_common(const simd_epilogue_t *e)
{
    return !e->factor && !(e->shift && e->is_of_rows) && !e->is_scaled;
}

/// The same by the function that is asked for.
SIMD_INLINE void finish_by_function(const simd_epilogue_t *e, const simd_epilogue_rows_t *rows,
        const bool has_addend, const type_t *type)
{
    switch (e->function) {
    case SIMD_EPILOGUE_RELU:
        finish_common_rows(e, rows, SIMD_EPILOGUE_RELU, has_addend, type);
        return;
    case SIMD_EPILOGUE_CLIP:
        finish_common_rows(e, rows, SIMD_EPILOGUE_CLIP, has_addend, type);
        return;
    case SIMD_EPILOGUE_LINEAR:
        finish_common_rows(e, rows, SIMD_EPILOGUE_LINEAR, has_addend, type);
        return;
    default: finish_common_rows(e, rows, SIMD_EPILOGUE_NOTHING, has_addend, type);
    }
}

SIMD_INLINE void finish_rows(
        const simd_epilogue_t *e, const simd_epilogue_rows_t *rows, const type_t *type)
{
    if (!is_common(e))
        finish_any_rows(e, rows, type);
    else if (e->addend)
        finish_by_function(e, rows, true, type);
    else
        finish_by_function(e, rows, false, type);
}

/// Rows that follow each other, on both sides, and have nothing of their own.
static bool are_one(const simd_epilogue_t *e, const simd_epilogue_rows_t *rows)
{
    return !e->factor && !e->shift && rows->sums_row == rows->n && rows->dst_row == rows->n;
}

static void finish(const simd_epilogue_t *epilogue, const simd_epilogue_rows_t *some)
{
    // Copies, which what is stored cannot change.
    const simd_epilogue_t local = *epilogue, *const e = &local;
    simd_epilogue_rows_t joined = *some, *const rows = &joined;
    if (are_one(epilogue, some)) {
        joined.n *= joined.nrows;
        joined.nrows = 1;
    }
#ifdef SIMD_WORD
    finish_rows(e, rows, &bf16_type);
#else
    switch (e->dt) {
    case PRIM_F16: finish_rows(e, rows, &f16_type); return;
    case PRIM_BF16: finish_rows(e, rows, &bf16_type); return;
    case PRIM_S8: finish_rows(e, rows, &s8_type); return;
    case PRIM_U8: finish_rows(e, rows, &u8_type); return;
    default: finish_rows(e, rows, &f32_type);
    }
#endif
}

#ifdef SIMD_WORD
const simd_epilogue_code_t prim__simd_epilogue_code_bf16 = {.finish = finish};
#else
const simd_epilogue_code_t SIMD_NAME(prim__simd_epilogue_code) = {.finish = finish};
#endif
