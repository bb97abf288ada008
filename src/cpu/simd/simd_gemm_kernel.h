// SPDX-License-Identifier: Apache-2.0
// What an instruction set contributes to the matrix product of a kind of word: the size of its
// register tile, the micro-kernel and the packing functions.
#ifndef PRIM_CPU_SIMD_GEMM_KERNEL_H
#define PRIM_CPU_SIMD_GEMM_KERNEL_H

#include "cpu/cpu_isa.h"
#include "simd_gemm.h"

/// The inner product of one panel of A, [k][mr] words or (a_in_rows) [mr][a_row], zeros from k up
/// to a multiple of 16, and k rows of B, b_row words apart: rows × cols elements of C, of which
/// rows <= mr and cols <= nr are wanted. Reads no column of B from cols on. Elements of C are f32,
/// or the bits of s32 if words are bytes. With a_in_rows and both multiples of 16, rows of C may
/// overlap: the wanted elements are those of smaller columns, then of greater rows.
typedef void simd_gemm_kernel_t(prim_dim_t k, const float *a, prim_dim_t a_row, const float *b,
        prim_dim_t b_row, float *c, prim_dim_t c_row, int rows, int cols, bool accumulates);

/// panel[p*width + r] = word p of row r for r < count, zero for count <= r < wanted; p =
/// 0..depth-1. Rows are row_bytes apart, at any address. wanted <= lanes.
typedef void simd_gemm_transpose_t(const void *src, prim_dim_t row_bytes, int count,
        prim_dim_t depth, float *panel, int width, int wanted);

/// panel[r], r < width: the word of element r of each of `nrows` rows, which are row_bytes apart;
/// zero from `count` on, and in the place of missing rows. Elements from `width` on go to panels
/// `step` words further each.
typedef void simd_gemm_interleave_t(const void *src, prim_dim_t row_bytes, int nrows,
        prim_dim_t count, float *panel, int width, prim_dim_t step);

/// rows[r*step + p] = word p of row r, p < ceil(bytes/4), zeros in the rest of the last one. Rows
/// are row_bytes apart.
typedef void simd_gemm_copy_rows_t(const void *src, prim_dim_t row_bytes, prim_dim_t nrows,
        prim_dim_t bytes, float *rows, prim_dim_t step);

typedef struct {
    simd_gemm_shape_t shape;
    simd_gemm_kernel_t *kernel;
    simd_gemm_kernel_t *signed_kernel; ///< bytes: the same for s8 in A; NULL: none
    prim_dim_t deepest; ///< depth that is added up in one pass if it is beyond kc; 0: none
    int products;       ///< of words in a cycle, about; one is packed in the meantime
    bool a_in_rows;     ///< panels of A have their rows one after another, else their columns
    /// What each thread does around its calls of `kernel`. NULL: nothing.
    void (*begin)(void);
    void (*end)(void);
    int lanes; ///< columns of a panel that `transpose` fills
    simd_gemm_transpose_t *transpose;
    simd_gemm_interleave_t *interleave; ///< words of several elements alone
    simd_gemm_copy_rows_t *copy_rows;   ///< the same
    /// Bytes alone: sums[j] += the bytes of column j < nr of k rows of B.
    void (*add_columns)(prim_dim_t k, const float *b, prim_dim_t b_row, int32_t *sums);
    /// Bytes alone: subtracts offset·column_sums[j] from the s32 row[j], which may become f32.
    void (*settle)(float *row, const int32_t *column_sums, int64_t offset, bool to_float, int n);
} simd_gemm_code_t;

/// Words from one row of A in rows to the next.
X64_INLINE prim_dim_t simd_gemm_row_words(prim_dim_t k)
{
    return (k + 15) / 16 * 16;
}

enum { SIMD_MAX_NC = 1024 }; ///< shape.nc is at most this

// simd_gemm_amx_code.c, which tests also build in plain C.
simd_gemm_kernel_t prim__simd_gemm_amx_kernel_bf16, prim__simd_gemm_amx_kernel_bytes;
simd_gemm_kernel_t prim__simd_gemm_amx_kernel_signed;
void prim__simd_gemm_amx_begin_bf16(void);
void prim__simd_gemm_amx_end_bf16(void);
void prim__simd_gemm_amx_begin_bytes(void);
void prim__simd_gemm_amx_end_bytes(void);

extern const simd_gemm_code_t prim__simd_gemm_code_portable;
#if PRIM_NEON
extern const simd_gemm_code_t prim__simd_gemm_code_neon;
#endif
#if PRIM_X64
extern const simd_gemm_code_t prim__simd_gemm_avx2;
extern const simd_gemm_code_t prim__simd_gemm_avx512_f32;
extern const simd_gemm_code_t prim__simd_gemm_avx512_bf16;
extern const simd_gemm_code_t prim__simd_gemm_avx512_bytes;
extern const simd_gemm_code_t prim__simd_gemm_amx_bf16;
extern const simd_gemm_code_t prim__simd_gemm_amx_bytes;
simd_gemm_transpose_t prim__simd_gemm_transpose_avx512;
#endif

#endif
