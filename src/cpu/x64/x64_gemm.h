// SPDX-License-Identifier: Apache-2.0
// f32 matrix product C = A·B for the implementations of the CPU engine: packed, cache-blocked,
// with the widest vectors the processor has. Nothing here allocates.
#ifndef PRIM_CPU_X64_GEMM_H
#define PRIM_CPU_X64_GEMM_H

#include "prim/prim_types.h"

/// The register tile of this processor and the blocks that are cut for its caches.
typedef struct {
    int mr, nr;            ///< rows and columns of C that stay in registers
    prim_dim_t mc, nc, kc; ///< rows of A, columns of B and depth packed at a time; mc is a multiple
                           ///< of mr, nc of nr
} x64_gemm_shape_t;

/// One product C[m, n] = A[m, k]·B[k, n]. Zero it, then set what is needed. Strides are in elements
/// and of any sign and order: a transposed operand has its two strides swapped. If C is stored
/// column by column, compute Cᵀ = Bᵀ·Aᵀ instead.
typedef struct {
    prim_dim_t m, n, k;
    const float *a; ///< element (i, p) at a[i*a_row + p*a_col]
    prim_dim_t a_row, a_col;
    const float *b; ///< element (p, j) at b[p*b_row + j*b_col]
    prim_dim_t b_row, b_col;
    float *c; ///< element (i, j) at c[i*c_row + j]; overlaps neither A nor B
    prim_dim_t c_row;
    bool accumulates; ///< C += A·B instead of C = A·B

    /// Instead of `b`: all of B already in panels, [ceil(n/nr)][k][nr] floats with zeros in the
    /// columns from n on (the layout of `b` blocked by nr columns). NULL: from `b`.
    const float *b_panels;

    /// Instead of `a` and `b`: writes rows i0..i0+ni of A, or columns j0..j0+nj of B, for the depth
    /// p0..p0+np, to `panels`: A as [ceil(ni/mr)][np][mr], B as [ceil(nj/nr)][np][nr], zeros in the
    /// rows and columns beyond. That is where a convolution gathers its source. i0 and j0 are
    /// multiples of mr and nr. Threads may call them at the same time. NULL: from `a`, `b`.
    void (*pack_a)(const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np,
            float *panels);
    void (*pack_b)(const void *arg, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np,
            float *panels);
    const void *pack_arg;

    /// Called once for each rectangle of C after its last addition, while it is in the cache: rows
    /// i0..i0+ni, columns j0..j0+nj, of which tile[0] is the first element (rows are c_row apart).
    /// The place for bias and post-ops. Threads may call it at the same time. NULL: nothing.
    void (*finish)(const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0,
            prim_dim_t nj);
    const void *finish_arg;
} x64_gemm_t;

/// An operand that is packed from a tensor: element (i, p) of A, or (p, i) of B, at
/// data[i*along + p*down].
typedef struct {
    const void *data;
    prim_data_type_t dt; ///< f32, f16, bf16, s8 or u8
    prim_dim_t along, down;
} x64_gemm_operand_t;

/// What pack_a (width mr) and pack_b (width nr) have to do, for an operand that is a plain tensor.
void prim__x64_gemm_pack(const x64_gemm_operand_t *operand, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, int width, float *panels);

/// The shape for this processor. Borrowed, lives for ever.
const x64_gemm_shape_t *prim__x64_gemm_shape(void);

/// Scratch bytes for one thread's product of at most these sizes (0 is possible).
size_t prim__x64_gemm_scratch_bytes(prim_dim_t m, prim_dim_t n, prim_dim_t k);

/// The product on the calling thread alone: for callers that split their own work. `scratch`:
/// prim__x64_gemm_scratch_bytes(m, n, k), aligned to 64 bytes. m, n or k may be 0 (k = 0 leaves C
/// zero or, if it accumulates, as it was; `finish` is called all the same).
void prim__x64_gemm_f32_serial(const x64_gemm_t *gemm, void *scratch);

/// The product on nthr threads, C split into rectangles by prim__balance2d(). `scratch`: nthr times
/// prim__x64_gemm_scratch_bytes(m, n, k), aligned to 64 bytes; book it for prim__planned_threads()
/// and pass the same number. The bits of the result do not depend on nthr.
void prim__x64_gemm_f32(const x64_gemm_t *gemm, void *scratch, int nthr);

#endif
