// SPDX-License-Identifier: Apache-2.0
// Local response normalisation: dst = src·w^(−β), w = k + α/n·Σ src² over the window of an element,
// across channels or within one. Both directions add up the rows of a window.
#ifndef PRIM_CPU_SIMD_LRN_H
#define PRIM_CPU_SIMD_LRN_H

#include "common/lrn_shape.h"
#include "simd_binary.h"
#include "simd_columns.h"
#include "simd_convert.h"
#include "simd_nest.h"

/// w^(−β) by square roots, all of which are rounded correctly.
typedef enum { SIMD_LRN_HALF, SIMD_LRN_THREE_QUARTERS, SIMD_LRN_ONE } simd_lrn_power_t;

typedef struct {
    /// w = k + factor·sums; out = x·w^(−β). out or w may be sums.
    void (*scale)(float *out, float *w, const float *x, const float *sums, float k, float factor,
            simd_lrn_power_t power, prim_dim_t n);
    /// out = y·x·w^(−β − 1); out may be an input.
    void (*term)(float *out, const float *y, const float *x, const float *w, simd_lrn_power_t power,
            prim_dim_t n);
    /// out = y·w^(−β) − factor·x·sums; out may be an input.
    void (*differentiate)(float *out, const float *y, const float *x, const float *w,
            const float *sums, float factor, simd_lrn_power_t power, prim_dim_t n);
} simd_lrn_code_t;

SIMD_DECLARE(simd_lrn_code_t, prim__simd_lrn_code);

enum {
    SIMD_LRN_TENSORS = 4, ///< at most; the output comes first
    SIMD_LRN_ROW = 256,   ///< elements of a row
    SIMD_LRN_WINDOW = 15, ///< the longest window
};

/// Windows within a channel. Indices: n, c, d, h, w.
typedef struct {
    prim_dim_t sizes[SIMD_NCDHW], strides[SIMD_LRN_TENSORS][SIMD_NCDHW];
    prim_dim_t block, npixels; ///< of a row, at most: channels, pixels
    bool is_run;               ///< a row's pixels follow one another in all tensors
} simd_lrn_within_t;

typedef struct {
    prim_desc_t base;
    int args[SIMD_LRN_TENSORS], ntensors;
    prim_dim_t row_strides[SIMD_NEST_TENSORS]; ///< between neighbours of a row
    simd_lrn_within_t within;
    bool is_last; ///< across channels: rows go along channels; else along their neighbours
    simd_lrn_power_t power;
    prim_dim_t nchannels, half;            ///< of the window
    prim_dim_t strides[SIMD_NEST_TENSORS]; ///< of the channels
    simd_nest_t nest;                      ///< of the other dimensions
} simd_lrn_pd_t;

/// After layouts and the workspace are known. Arguments: the output first, ended by 0.
prim_status_t prim__simd_lrn_init_pd(simd_lrn_pd_t *pd, const int *args);

typedef struct simd_lrn_run_t simd_lrn_run_t;
/// Of n ≤ SIMD_LRN_ROW elements at these offsets of the tensors.
typedef void simd_lrn_term_t(
        const simd_lrn_run_t *run, float *row, const prim_dim_t *offsets, prim_dim_t n);
/// The same with the sums of the windows' terms.
typedef void simd_lrn_finish_t(
        const simd_lrn_run_t *run, float *sums, const prim_dim_t *offsets, prim_dim_t n);

/// One execution.
struct simd_lrn_run_t {
    const simd_lrn_pd_t *pd;
    const simd_convert_code_t *convert;
    const simd_binary_code_t *binary;
    const simd_columns_code_t *columns;
    const simd_lrn_code_t *code;
    simd_lrn_term_t *term;     ///< what an element adds to the windows that it is in
    simd_lrn_finish_t *finish; ///< writes the outputs
    float k, factor;
    simd_array_t arrays[SIMD_LRN_TENSORS];
};

void prim__simd_lrn_run(simd_lrn_run_t *run, const simd_lrn_pd_t *pd, const exec_ctx_t *ctx);

/// n elements of a tensor in the direction of rows.
const float *prim__simd_lrn_read(const simd_lrn_run_t *run, float *room, int tensor,
        const prim_dim_t *offsets, prim_dim_t n);
void prim__simd_lrn_write(const simd_lrn_run_t *run, const float *row, int tensor,
        const prim_dim_t *offsets, prim_dim_t n);

#endif
