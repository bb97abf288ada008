// SPDX-License-Identifier: Apache-2.0
// What most often follows the sums of a product, in one pass over them: x·factor + shift, an
// addend, one simple function, scale and zero point of dst, and the conversion to its type.
#ifndef PRIM_CPU_SIMD_EPILOGUE_H
#define PRIM_CPU_SIMD_EPILOGUE_H

#include "common/impl.h"
#include "simd_level.h"

typedef enum {
    SIMD_EPILOGUE_NOTHING = 0,
    SIMD_EPILOGUE_RELU = 1,  ///< x > 0 ? x : alpha·x
    SIMD_EPILOGUE_CLIP = 2,  ///< between alpha and beta
    SIMD_EPILOGUE_LINEAR = 3 ///< alpha·x + beta
} simd_epilogue_function_t;

/// One execution, or one call's rows of it.
typedef struct {
    const float *factor, *shift;     ///< of the first row or column; NULL: none
    bool is_of_rows;                 ///< they belong to rows; else to columns
    const char *addend;              ///< of dst's type, at the offsets of dst; NULL: none
    float addend_scale, addend_zero; ///< scale·(addend − zero)
    simd_epilogue_function_t function;
    float alpha, beta;
    bool is_scaled; ///< x / scale + zero_point
    float scale, zero_point;
    char *dst; ///< its first element
    prim_data_type_t dt;
} simd_epilogue_t;

/// Rows of sums: sums[r·sums_row + i] becomes the element at + r·dst_row + i of dst, whose memory
/// the sums may be.
typedef struct {
    float *sums;
    bool are_integers; ///< the sums are s32 and are rounded to f32 first
    prim_dim_t sums_row, nrows, n, at, dst_row;
} simd_epilogue_rows_t;

typedef struct {
    void (*finish)(const simd_epilogue_t *epilogue, const simd_epilogue_rows_t *rows);
} simd_epilogue_code_t;

SIMD_DECLARE(simd_epilogue_code_t, prim__simd_epilogue_code);
#if PRIM_X64
extern const simd_epilogue_code_t prim__simd_epilogue_code_bf16; ///< from CPU_ISA_AVX512_BF16 on
#endif

/// This processor's for a type of dst.
const simd_epilogue_code_t *prim__simd_epilogue_choose(prim_data_type_t dst);

/// Whether it does all that follows (layouts fixed): of a plain dst of f32, f16, bf16, s8 or u8,
/// after a sum at the head of the chain if `skips_first`.
bool prim__simd_epilogue_takes(const prim_desc_t *pd, bool skips_first);

/// Without factors and shifts, which are the caller's.
void prim__simd_epilogue_init(
        simd_epilogue_t *epilogue, const prim_desc_t *pd, const exec_ctx_t *ctx, bool skips_first);

/// The offset of an element of dst.
prim_dim_t prim__simd_epilogue_offset(const prim_memory_desc_t *dst, const prim_dim_t *position);

#endif
