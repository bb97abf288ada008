// SPDX-License-Identifier: Apache-2.0
// Rows of a reorder that converts or quantises.
#ifndef PRIM_CPU_SIMD_REORDER_ROW_H
#define PRIM_CPU_SIMD_REORDER_ROW_H

#include "simd_binary.h"
#include "simd_convert.h"
#include "simd_rows.h"

/// What a reorder walks: its tensors, and the scales of both.
enum {
    SIMD_REORDER_SRC,
    SIMD_REORDER_DST,
    SIMD_REORDER_SRC_SCALE,
    SIMD_REORDER_DST_SCALE,
    SIMD_REORDER_SIDES
};

/// For init_pd: requires types and attributes that prim__simd_reorder_row() computes.
prim_status_t prim__simd_reorder_require(prim_desc_t *pd);

/// One execution.
typedef struct {
    bool is_plain; ///< only the type changes
    const simd_convert_code_t *convert;
    const simd_binary_code_t *binary;
    const simd_rows_code_t *rows;
    const post_op_t *sum;                    ///< or NULL
    simd_array_t arrays[SIMD_REORDER_SIDES]; ///< scales: base NULL where there are none
    /// Of the values of both scales, for each dimension of the tensors.
    prim_dims_t scale_strides[2];
    float src_zero, dst_zero;
} simd_reorder_t;

void prim__simd_reorder_init(simd_reorder_t *reorder, const prim_desc_t *pd, const exec_ctx_t *ctx);

/// n elements from these offsets on by these strides, in elements of each side.
void prim__simd_reorder_row(const simd_reorder_t *reorder, const prim_dim_t *offsets,
        const prim_dim_t *strides, prim_dim_t n);

#endif
