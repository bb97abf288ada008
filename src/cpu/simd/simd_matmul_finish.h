// SPDX-License-Identifier: Apache-2.0
// Epilogue of matmul and inner product on accumulated sums: bias, post-ops, conversion to dst.
#ifndef PRIM_CPU_SIMD_MATMUL_FINISH_H
#define PRIM_CPU_SIMD_MATMUL_FINISH_H

#include "common/matmul_shape.h"
#include "cpu/ref/ref_finish.h"
#include "simd_epilogue.h"
#include "simd_product_chain.h"

/// Zero points of a product of bytes: Σ(a - za)(b - zb) = Σab - za·Σb - zb·Σ(a - za).
typedef struct {
    double src;             ///< what is subtracted from each element of A
    const double *wei;      ///< the same of each column of B; NULL: nothing
    const double *row_sums; ///< Σ(a - za) of each row among the rows of dst
} simd_matmul_zeros_t;

/// Prepared once for each execution.
typedef struct {
    const void *bia; ///< NULL: none
    prim_data_type_t bia_dt;
    prim_dim_t bia_offset0, bia_m, bia_n;
    const float *factors;      ///< of each column, multiplied before the bias; NULL: none
    bool has_integers;         ///< sums are the bits of s32
    bool is_copy;              ///< of integers: nothing but a conversion to rows of s32
    simd_matmul_zeros_t zeros; ///< for prim__simd_matmul_finish_sums() alone
    bool has_epilogue;         ///< the bias and what follows it, in one pass: `epilogue`
    simd_epilogue_t epilogue;
    const simd_epilogue_code_t *epilogue_code;
    prim_dim_t dst_row; ///< distance of rows of a product in dst
    bool is_vector;     ///< what follows the bias goes through `vector`
    simd_product_chain_t vector;
    prim_dim_t
            joined; ///< elements of a row of dst where `vector` takes several rows; 0: one by one
    const prim_post_ops_t *chain;
    int first_step;    ///< of the chain
    bool is_row_chain; ///< works in place on rows of f32; else through `ref`
    bool is_empty;     ///< nothing to do
    ref_finish_t ref;
} simd_matmul_finish_t;

/// Where a product lies among all.
typedef struct {
    prim_dim_t first_row; ///< number of its first row among the rows of dst
    prim_dim_t bias;      ///< offset of its bias
    prim_dim_t dst;       ///< offset of its first element of dst
    prim_dim_t row_elems; ///< distance of the rows of sums
} simd_matmul_tile_t;

/// Whether the attributes ask for nothing but steps that run on rows of f32: eltwise, and a sum in
/// front of them.
bool prim__simd_matmul_is_row_chain(const prim_attr_t *attr);

/// What creation has decided about it.
typedef struct {
    bool is_row_chain, skips_first, is_vector, is_sums, has_integers;
    bool has_epilogue; ///< prim__simd_matmul_has_epilogue()
    float *bias;       ///< room for that of a row, in f32; NULL: none
} simd_matmul_finish_plan_t;

/// Whether the bias and what follows it take one pass over the sums (init_pd, layouts fixed), and
/// how many floats that needs for the bias.
bool prim__simd_matmul_has_epilogue(
        const prim_desc_t *pd, const matmul_shape_t *shape, bool skips_first);
prim_dim_t prim__simd_matmul_bias_room(const prim_desc_t *pd, const matmul_shape_t *shape);

/// `factors`: of the columns, or NULL.
void prim__simd_matmul_finish_init(simd_matmul_finish_t *finish, const prim_desc_t *pd,
        const exec_ctx_t *ctx, const matmul_shape_t *shape, const simd_matmul_finish_plan_t *plan,
        const float *factors);

/// The scales of src and weights, for each column: src has one, weights one or one a column.
void prim__simd_matmul_fill_factors(
        float *factors, const prim_desc_t *pd, const exec_ctx_t *ctx, prim_dim_t n);

/// Finishes rows i0..i0+ni, columns j0..j0+nj of a product; sums[0] is the first of them.
void prim__simd_matmul_finish(const simd_matmul_finish_t *finish, const simd_matmul_tile_t *tile,
        float *sums, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj);

/// The same for s32 sums of bytes from which zero points are to be subtracted; column_sums: of
/// columns j0..j0+nj of B, NULL: zeros.
void prim__simd_matmul_finish_sums(const simd_matmul_finish_t *finish,
        const simd_matmul_tile_t *tile, float *sums, const int32_t *column_sums, prim_dim_t i0,
        prim_dim_t ni, prim_dim_t j0, prim_dim_t nj);

#endif
