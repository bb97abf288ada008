// SPDX-License-Identifier: Apache-2.0
// Rows of sums to dst in one pass. Compiled for each level: simd_level.h.
#include "simd_epilogue.h"
#include "simd_parts.h"

typedef vf_t load_t(const void *p);
typedef vf_t load_part_t(const void *p, int64_t n);
typedef void store_t(void *p, vf_t x);
typedef void store_part_t(void *p, vf_t x, int64_t n);

/// One row: where its sums, factors, shifts, addend and results are.
typedef struct {
    const float *sums, *factor, *shift;
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

/// Elements i.. of a row: a vector, or the n < LANES that are left.
SIMD_INLINE void finish_vector(const simd_epilogue_t *e, const row_t *row, prim_dim_t i,
        prim_dim_t n, load_t *load, load_part_t *load_part, store_t *store,
        store_part_t *store_part, prim_dim_t bytes)
{
    const bool is_part = n < LANES;
    vf_t x = is_part ? v_load_part(row->sums + i, n, 0) : v_load(row->sums + i);
    if (row->factor) x *= values(row->factor, e->is_of_rows, i, n);
    if (row->shift) x += values(row->shift, e->is_of_rows, i, n);
    if (row->addend) {
        const char *const from = row->addend + i * bytes;
        x += e->addend_scale * ((is_part ? load_part(from, n) : load(from)) - e->addend_zero);
    }
    if (is_part)
        store_part(row->dst + i * bytes, apply(e, x), n);
    else
        store(row->dst + i * bytes, apply(e, x));
}

SIMD_INLINE void finish_row(const simd_epilogue_t *e, const row_t *row, prim_dim_t n, load_t *load,
        load_part_t *load_part, store_t *store, store_part_t *store_part, prim_dim_t bytes)
{
    prim_dim_t i = 0;
    for (; i + LANES <= n; i += LANES)
        finish_vector(e, row, i, LANES, load, load_part, store, store_part, bytes);
    if (i < n) finish_vector(e, row, i, n - i, load, load_part, store, store_part, bytes);
}

SIMD_INLINE void finish_any_rows(const simd_epilogue_t *e, const simd_epilogue_rows_t *rows,
        load_t *load, load_part_t *load_part, store_t *store, store_part_t *store_part,
        prim_dim_t bytes)
{
    for (prim_dim_t r = 0; r < rows->nrows; ++r) {
        const prim_dim_t at = (rows->at + r * rows->dst_row) * bytes, first = e->is_of_rows ? r : 0;
        const row_t row = {.sums = rows->sums + r * rows->sums_row,
                .factor = e->factor ? e->factor + first : NULL,
                .shift = e->shift ? e->shift + first : NULL,
                .addend = e->addend ? e->addend + at : NULL,
                .dst = e->dst + at};
        finish_row(e, &row, rows->n, load, load_part, store, store_part, bytes);
    }
}

/// What follows most sums: maybe a shift of each column, an addend, and one of two functions or
/// none. Both are constants of the caller's, so that a vector takes a handful of instructions.
SIMD_INLINE void finish_common_rows(const simd_epilogue_t *e, const simd_epilogue_rows_t *rows,
        const simd_epilogue_function_t function, const bool has_addend, load_t *load,
        load_part_t *load_part, store_t *store, store_part_t *store_part, prim_dim_t bytes)
{
    simd_epilogue_t one = *e;
    one.function = function;
    one.is_scaled = one.is_of_rows = false;
    for (prim_dim_t r = 0; r < rows->nrows; ++r) {
        const prim_dim_t at = (rows->at + r * rows->dst_row) * bytes;
        const row_t row = {.sums = rows->sums + r * rows->sums_row,
                .shift = e->shift,
                .addend = has_addend ? e->addend + at : NULL,
                .dst = e->dst + at};
        finish_row(&one, &row, rows->n, load, load_part, store, store_part, bytes);
    }
}

SIMD_INLINE bool is_common(const simd_epilogue_t *e)
{
    return !e->factor && !(e->shift && e->is_of_rows) && !e->is_scaled;
}

/// The same by the function that is asked for.
SIMD_INLINE void finish_by_function(const simd_epilogue_t *e, const simd_epilogue_rows_t *rows,
        const bool has_addend, load_t *load, load_part_t *load_part, store_t *store,
        store_part_t *store_part, prim_dim_t bytes)
{
    switch (e->function) {
    case SIMD_EPILOGUE_RELU:
        finish_common_rows(
                e, rows, SIMD_EPILOGUE_RELU, has_addend, load, load_part, store, store_part, bytes);
        return;
    case SIMD_EPILOGUE_CLIP:
        finish_common_rows(
                e, rows, SIMD_EPILOGUE_CLIP, has_addend, load, load_part, store, store_part, bytes);
        return;
    case SIMD_EPILOGUE_LINEAR:
        finish_common_rows(e, rows, SIMD_EPILOGUE_LINEAR, has_addend, load, load_part, store,
                store_part, bytes);
        return;
    default:
        finish_common_rows(e, rows, SIMD_EPILOGUE_NOTHING, has_addend, load, load_part, store,
                store_part, bytes);
    }
}

SIMD_INLINE void finish_rows(const simd_epilogue_t *e, const simd_epilogue_rows_t *rows,
        load_t *load, load_part_t *load_part, store_t *store, store_part_t *store_part,
        prim_dim_t bytes)
{
    if (!is_common(e))
        finish_any_rows(e, rows, load, load_part, store, store_part, bytes);
    else if (e->addend)
        finish_by_function(e, rows, true, load, load_part, store, store_part, bytes);
    else
        finish_by_function(e, rows, false, load, load_part, store, store_part, bytes);
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
    switch (e->dt) {
    case PRIM_F16:
        finish_rows(e, rows, v_load_f16, v_load_part_f16, v_store_f16, v_store_part_f16, 2);
        return;
    case PRIM_BF16:
        finish_rows(e, rows, v_load_bf16, v_load_part_bf16, v_store_bf16, v_store_part_bf16, 2);
        return;
    case PRIM_S8:
        finish_rows(e, rows, v_load_s8, v_load_part_s8, v_store_s8, v_store_part_s8, 1);
        return;
    case PRIM_U8:
        finish_rows(e, rows, v_load_u8, v_load_part_u8, v_store_u8, v_store_part_u8, 1);
        return;
    default: finish_rows(e, rows, v_load, v_load_part_f32, v_store, v_store_part_f32, 4);
    }
}

const simd_epilogue_code_t SIMD_NAME(prim__simd_epilogue_code) = {.finish = finish};
