// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of contiguous tensors, NHWC or NCHW, as rows whose elements meet tables of
// values, one for each channel: the statistics, the factors. NHWC is one array in which channels
// repeat; a plane of NCHW is an array of one channel.
#ifndef PRIM_CPU_SIMD_BNORM_H
#define PRIM_CPU_SIMD_BNORM_H

#include "common/impl.h"

enum { SIMD_BNORM_TABLES = 4, SIMD_BNORM_SUMS = 2, SIMD_BNORM_ROW = 512 };

/// Fixed at creation.
typedef struct {
    bool is_last; ///< channels are innermost
    prim_dim_t nchannels, nelems;
    prim_dim_t period;                                  ///< elements after which the tables repeat
    prim_dim_t nsegments, segment_elems;                ///< summed one by one; NCHW: planes
    size_t values_at, tables_at, partial_at, totals_at; ///< in the scratchpad
} simd_bnorm_t;

/// Up to SIMD_BNORM_ROW elements at..at+n−1 of all tensors.
typedef struct {
    prim_dim_t at, n;
    const float *tables[SIMD_BNORM_TABLES]; ///< [n]: the values of their channels
    float *sums[SIMD_BNORM_SUMS];           ///< [n], to be added to; apply: NULL
} simd_bnorm_row_t;
typedef void simd_bnorm_body_t(const simd_bnorm_row_t *row, const void *arg);

/// For init_pd: requires that all tensors of src's shape are contiguous, of one layout, and f32,
/// f16 or bf16 (the workspace u8), and books the scratchpad.
prim_status_t prim__simd_bnorm_init_pd(simd_bnorm_t *bnorm, prim_desc_t *pd);

/// The values of table `table`, [nchannels], for the caller to fill before a walk.
float *prim__simd_bnorm_values(const simd_bnorm_t *bnorm, const exec_ctx_t *ctx, int table);

/// Calls the body for all rows, and returns the sums of each channel, [SIMD_BNORM_SUMS][nchannels]:
/// in f32 over 64 rows (NCHW: and their columns), beyond in double and in a fixed order. Valid
/// until the next call.
const double *prim__simd_bnorm_reduce(
        const simd_bnorm_t *bnorm, const exec_ctx_t *ctx, simd_bnorm_body_t *body, const void *arg);
/// Calls the body for all rows.
void prim__simd_bnorm_apply(
        const simd_bnorm_t *bnorm, const exec_ctx_t *ctx, simd_bnorm_body_t *body, const void *arg);

#endif
