// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of contiguous tensors, NHWC or NCHW, as rows of elements and the values of
// their channels: the statistics, the factors. A row is a piece of a plane of NCHW, of one channel;
// or, where channels are innermost or planes are short, a piece of whole images, whose elements
// meet tables of the values.
#ifndef PRIM_CPU_SIMD_BNORM_H
#define PRIM_CPU_SIMD_BNORM_H

#include "common/impl.h"

enum { SIMD_BNORM_TABLES = 4, SIMD_BNORM_SUMS = 2, SIMD_BNORM_ROW = 512 };

/// Fixed at creation.
typedef struct {
    prim_dim_t nchannels, nelems;
    prim_dim_t run;                          ///< neighbours of one channel: 1, or a plane
    bool is_plane;                           ///< rows are of one channel
    prim_dim_t period, width;                ///< elements after which channels repeat; of a row
    prim_dim_t nsegments, segment_elems;     ///< summed one by one: planes, or several periods
    size_t values_at, partial_at, totals_at; ///< in the scratchpad
} simd_bnorm_t;

/// Up to SIMD_BNORM_ROW elements at..at+n−1 of all tensors.
typedef struct {
    bool is_plane; ///< of one channel: [1] in place of [n]
    prim_dim_t at, n;
    const float *tables[SIMD_BNORM_TABLES]; ///< [n]: the values of their channels
    float *sums[SIMD_BNORM_SUMS];           ///< [n], to be added to
} simd_bnorm_row_t;

/// What is done with every row. It reads the first tables, and adds to the first sums.
typedef struct {
    void (*body)(const simd_bnorm_row_t *row, const void *arg);
    int ntables, nsums;
} simd_bnorm_pass_t;

/// For init_pd: requires that all tensors of src's shape are contiguous, of one layout, and f32,
/// f16 or bf16 (the workspace u8), and books the scratchpad.
prim_status_t prim__simd_bnorm_init_pd(simd_bnorm_t *bnorm, prim_desc_t *pd);

/// The values of table `table`, [nchannels], for the caller to fill before a walk.
float *prim__simd_bnorm_values(const simd_bnorm_t *bnorm, const exec_ctx_t *ctx, int table);

/// Does all rows, and returns the sums of each channel, [SIMD_BNORM_SUMS][nchannels]: in f32 over a
/// piece of a plane, or over 64 rows; beyond in double and in a fixed order. Valid until the next
/// call.
const double *prim__simd_bnorm_reduce(const simd_bnorm_t *bnorm, const exec_ctx_t *ctx,
        const simd_bnorm_pass_t *pass, const void *arg);
/// Does all rows.
void prim__simd_bnorm_apply(const simd_bnorm_t *bnorm, const exec_ctx_t *ctx,
        const simd_bnorm_pass_t *pass, const void *arg);

#endif
