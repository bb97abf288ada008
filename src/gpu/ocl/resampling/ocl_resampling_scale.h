// SPDX-License-Identifier: Apache-2.0
// Resampling by integer factors: what its implementations share on the host.
#ifndef PRIM_OCL_RESAMPLING_SCALE_H
#define PRIM_OCL_RESAMPLING_SCALE_H

#include "gpu/ocl/clh/shared/resampling_scale_data.h"
#include "ocl_resampling.h"

typedef struct {
    prim_desc_t base;
    int vec, rows, cols;  ///< channels or outputs of a vector; blocks of a work-item along h and w
    int scale_h, scale_w; ///< out over in
    ocl_scale_data_t data;
} ocl_scale_pd_t;

/// The requirements of all; resolves layouts and fills the tensors, sizes and scales.
prim_status_t prim__ocl_scale_require(ocl_scale_pd_t *pd);

/// Number of blocks along an axis of `in` elements.
int32_t prim__ocl_scale_blocks(const ocl_scale_pd_t *pd, int32_t in, int scale);

/// Fills what divides the index of a work-item, which makes a vector of `nvecs`, one of `npieces`
/// of a row and pd->rows blocks of rows, and the number of work-items.
void prim__ocl_scale_split(ocl_scale_pd_t *pd, int32_t nvecs, int32_t npieces);

/// Adds SRC, DST, LINEAR, VEC, SCALE_H and SCALE_W.
void prim__ocl_scale_options(ocl_options_t *options, const ocl_scale_pd_t *pd);

/// The primitive's init, where work-items have ROWS blocks of rows.
prim_status_t prim__ocl_scale_init(
        prim_t *primitive, const ocl_source_t *source, const char *kernel);

/// The primitive's execute.
prim_status_t prim__ocl_scale_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
