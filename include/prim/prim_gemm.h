// SPDX-License-Identifier: Apache-2.0
/// @file prim_gemm.h
/// Matrix products as BLAS has them, on host memory, without engines and descriptors. Part of
/// prim.h, which includes it.
#ifndef PRIM_GEMM_H
#define PRIM_GEMM_H

#include "prim_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup gemm BLAS-like matrix products
/// All matrices are row-major, their rows `ld…` elements apart. op(X) is X for 'N' or 'n' and its
/// transpose for 'T' or 't': A is m×k, or k×m if transa; B is k×n, or n×k if transb; C is m×n and
/// overlaps neither. The product is computed when the function returns, by the threads of a
/// CPU stream of prim_stream_create(); any number of threads may call. Errors:
/// @retval PRIM_INVALID_ARGUMENTS a letter that is none of these, a negative size, a leading
/// dimension that is shorter than a row, a matrix that has elements and is NULL
/// @retval PRIM_OUT_OF_MEMORY no memory for packed parts of the operands
/// @{

/// C = alpha·op(A)·op(B) + beta·C in f32. C is not read if beta is 0, A and B are not if alpha or
/// k is 0.
PRIM_API prim_status_t prim_sgemm(char transa, char transb, prim_dim_t m, prim_dim_t n,
        prim_dim_t k, float alpha, const float *a, prim_dim_t lda, const float *b, prim_dim_t ldb,
        float beta, float *c, prim_dim_t ldc);

/// C = alpha·(op(A) − ao)·(op(B) − bo) + beta·C + co: the sum of products is exact, alpha, beta and
/// co are applied in double, the result is rounded to the nearest integer, halfway to even, and
/// saturates. `offsetc` says what co holds: 'F' one value for all of C, 'C' one for each of the m
/// rows (a column), 'R' one for each of the n columns (a row); lower case too. C is not read if
/// beta is 0.
PRIM_API prim_status_t prim_gemm_u8s8s32(char transa, char transb, char offsetc, prim_dim_t m,
        prim_dim_t n, prim_dim_t k, float alpha, const uint8_t *a, prim_dim_t lda, uint8_t ao,
        const int8_t *b, prim_dim_t ldb, int8_t bo, float beta, int32_t *c, prim_dim_t ldc,
        const int32_t *co);

/// The same with a signed A.
PRIM_API prim_status_t prim_gemm_s8s8s32(char transa, char transb, char offsetc, prim_dim_t m,
        prim_dim_t n, prim_dim_t k, float alpha, const int8_t *a, prim_dim_t lda, int8_t ao,
        const int8_t *b, prim_dim_t ldb, int8_t bo, float beta, int32_t *c, prim_dim_t ldc,
        const int32_t *co);

/// @}

#ifdef __cplusplus
}
#endif

#endif
