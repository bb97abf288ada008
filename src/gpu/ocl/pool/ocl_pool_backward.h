// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling: what the typed implementations share on the host.
#ifndef PRIM_OCL_POOL_BACKWARD_H
#define PRIM_OCL_POOL_BACKWARD_H

#include "gpu/ocl/clh/shared/pool_backward_data.h"
#include "ocl_pool.h"

typedef struct {
    prim_desc_t base;
    int vec;       ///< channels of a vector; 1 of NCHW
    bool by_value; ///< so do the sizes go
    ocl_pool_backward_data_t data;
} pool_backward_pd_t;

_Static_assert(offsetof(pool_backward_pd_t, base) == 0, "the base comes first");

/// The requirements of all typed variants; resolves layouts, fills tensors and axes.
prim_status_t prim__ocl_pool_backward_require(pool_backward_pd_t *pd);
/// That windows are few enough, small and undilated, for kernels that unroll them.
prim_status_t prim__ocl_pool_backward_require_small(pool_backward_pd_t *pd, int most_stride);
/// Those of kernels that keep elements of 16 bits in pairs (clh/pool_pairs.h), the first included.
prim_status_t prim__ocl_pool_backward_require_pairs(pool_backward_pd_t *pd);
/// Whether the window is the whole plane, tap by tap.
bool prim__ocl_pool_backward_is_global(const ocl_pool_axis_t axes[3]);

/// The widest vector of channels, `most` at most, of which all tensors consist.
int prim__ocl_pool_backward_vec(const pool_backward_pd_t *pd, int most);
/// Cuts diff_src into tiles of vec channels, `rows` and `cols`, one for each work-item.
prim_status_t prim__ocl_pool_backward_split(pool_backward_pd_t *pd, int rows, int cols);

/// Adds DIFF_DST, DIFF_SRC, WS, ALG and VEC.
void prim__ocl_pool_backward_options(ocl_options_t *options, const prim_desc_t *pd, int vec);
/// Adds also those of clh/pool_backward_tile.h, HAS_DEPTH and SIZES_BY_VALUE.
void prim__ocl_pool_backward_tile_options(
        ocl_options_t *options, const pool_backward_pd_t *pd, int vec);
/// The same with VEC = 1, and those of clh/pool_pairs.h.
void prim__ocl_pool_backward_pairs_options(ocl_options_t *options, const pool_backward_pd_t *pd);
/// Uploads the sizes unless they go by value; once the kernel was added.
prim_status_t prim__ocl_pool_backward_add_sizes(ocl_primitive_t *primitive);
/// Adds the tensors to the arguments of a kernel.
void prim__ocl_pool_backward_args(ocl_args_t *args, const exec_ctx_t *ctx);
/// Launches kernels[0] with a work-item for each tile.
prim_status_t prim__ocl_pool_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
