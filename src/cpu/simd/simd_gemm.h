// SPDX-License-Identifier: Apache-2.0
// Matrix products C = A·B for the implementations of the CPU engine: packed, cache-blocked, with
// the widest vectors the processor has. Nothing here allocates. Panels consist of words of 32 bits:
// one element of f32, two of bf16 or four bytes, neighbours in depth; the processor multiplies the
// words of A and B and adds up their products in f32, or bytes in s32.
#ifndef PRIM_CPU_SIMD_GEMM_H
#define PRIM_CPU_SIMD_GEMM_H

#include "prim/prim_types.h"

typedef enum {
    SIMD_WORD_F32 = 0,
    SIMD_WORD_BF16 = 1,  ///< subnormal numbers count as 0
    SIMD_WORD_BYTES = 2, ///< u8 in A, s8 in B
} simd_gemm_word_t;      // 2^value elements to the word

/// The register tile of this processor and the blocks that are cut for its caches.
typedef struct {
    int mr, nr;            ///< rows and columns of C that stay in registers
    prim_dim_t mc, nc, kc; ///< rows of A, columns of B and depth packed at a time; mc is a multiple
                           ///< of mr, nc of nr
} simd_gemm_shape_t;

/// One product C[m, n] = A[m, k]·B[k, n], k in words. Zero it, then set what is needed. Strides are
/// in elements and of any sign and order: a transposed operand has its two strides swapped. If C is
/// stored column by column, compute Cᵀ = Bᵀ·Aᵀ instead.
typedef struct {
    prim_dim_t m, n, k;
    simd_gemm_word_t word;
    /// Bytes alone: what is subtracted from each element of A. 128 makes s8 of bytes whose sign
    /// bits are flipped.
    int64_t a_offset;
    bool a_is_signed;    ///< bytes: those of A are s8; where prim__simd_gemm_has_signed() alone
    bool keeps_integers; ///< bytes: `finish` gets s32; else they have become f32 before
    const float *a;      ///< element (i, p) at a[i*a_row + p*a_col]
    prim_dim_t a_row, a_col;
    const float *b; ///< element (p, j) at b[p*b_row + j*b_col]
    prim_dim_t b_row, b_col;
    /// Element (i, j) at c[i*c_row + j]; overlaps neither A nor B. NULL: `finish` takes all sums
    /// from strips in the scratch, c_row is that of prim__simd_gemm_strip_row().
    float *c;
    prim_dim_t c_row;
    bool accumulates; ///< C += A·B instead of C = A·B; not with bytes

    /// Instead of `b`: all of B already in panels, [ceil(n/nr)][k][nr] words with zeros in the
    /// columns from n on (f32: the layout of `b` blocked by nr columns). NULL: from `b`.
    const float *b_panels;

    /// Instead of `a` and `b`: writes rows i0..i0+ni of A, or columns j0..j0+nj of B, for the depth
    /// p0..p0+np, to `panels`: A as [ceil(ni/mr)][np][mr], B as [ceil(nj/nr)][np][nr], zeros in the
    /// rows and columns beyond. That is where a convolution gathers its source. i0 and j0 are
    /// multiples of mr and nr. Threads may call them at the same time. NULL: from `a`, `b`, which
    /// are f32. Depth is counted in words; words of B have zeros beyond the last element.
    void (*pack_a)(const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np,
            float *panels);
    void (*pack_b)(const void *arg, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np,
            float *panels);
    /// Where a micro-kernel takes A by rows, instead of pack_a, which is there too: writes word p0
    /// + p of row i0 + i to rows[i*step + p], p < np. NULL: from what pack_a writes.
    void (*pack_a_rows)(const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np,
            float *rows, prim_dim_t step);
    /// Where a micro-kernel takes A by rows: all of A, rows a_words_row words apart, k a multiple
    /// of 16, beside pack_a for rows that fill no tile. NULL: there is no such A.
    const void *a_words;
    prim_dim_t a_words_row;
    const void *pack_arg;

    /// Called once for each rectangle of C after its last addition, while it is in the cache: rows
    /// i0..i0+ni, columns j0..j0+nj, of which tile[0] is the first element (rows are c_row apart).
    /// The place for bias and post-ops. Threads may call it at the same time. NULL: nothing.
    void (*finish)(const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0,
            prim_dim_t nj);
    const void *finish_arg;
    /// Bytes alone, instead of `finish`: gets the sums in s32, a_offset not subtracted, and those
    /// of the columns of B from j0 on (NULL: k is 0). The place for zero points of both operands.
    void (*finish_sums)(const void *arg, float *tile, const int32_t *column_sums, prim_dim_t i0,
            prim_dim_t ni, prim_dim_t j0, prim_dim_t nj);
} simd_gemm_t;

/// Scratch bytes for one thread's product of at most these sizes (0 is possible).
size_t prim__simd_gemm_scratch_bytes(
        simd_gemm_word_t word, prim_dim_t m, prim_dim_t n, prim_dim_t k);

/// The product on the calling thread alone: for callers that split their own work. `scratch`:
/// prim__simd_gemm_scratch_bytes(), aligned to 64 bytes. m, n or k may be 0 (k = 0 leaves C
/// zero or, if it accumulates, as it was; `finish` is called all the same).
void prim__simd_gemm_serial(const simd_gemm_t *gemm, void *scratch);

/// Those of the largest product, whatever its sizes.
size_t prim__simd_gemm_most_scratch_bytes(simd_gemm_word_t word);

/// Distance of the rows of a strip: sums of a few rows of C that are added up in one pass, and live
/// in a thread's scratch until `finish` has taken them. 0: such a depth takes several passes, or
/// none.
prim_dim_t prim__simd_gemm_strip_row(
        simd_gemm_word_t word, prim_dim_t m, prim_dim_t n, prim_dim_t k);

/// Bytes of a strip, behind those of prim__simd_gemm_scratch_bytes().
size_t prim__simd_gemm_strip_bytes(simd_gemm_word_t word, prim_dim_t strip_row);

/// How products are cut into parts: a grid of rectangles of C.
typedef struct {
    int rows, cols;
} simd_gemm_grid_t;

/// The grid for `nproducts` products of these sizes whose parts nthr threads share evenly: that
/// which makes the largest share cheapest. The bits of a result do not depend on it.
simd_gemm_grid_t prim__simd_gemm_grid(
        simd_gemm_word_t word, prim_dim_t m, prim_dim_t n, prim_dim_t nproducts, int nthr);

/// Part `index` of the product, < rows·cols of its grid, on the calling thread alone; else as
/// prim__simd_gemm_serial().
void prim__simd_gemm_part(const simd_gemm_t *gemm, simd_gemm_grid_t grid, int index, void *scratch);

/// The product on nthr threads, by such a grid. `scratch`: nthr times
/// prim__simd_gemm_scratch_bytes(), aligned to 64 bytes; book it for prim__planned_threads()
/// and pass the same number.
void prim__simd_gemm_run(const simd_gemm_t *gemm, void *scratch, int nthr);

#endif
