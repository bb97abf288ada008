// SPDX-License-Identifier: Apache-2.0
// Host side of clh/conv_window.h: windows of pixels for convolutions by `mma.sync`.
#ifndef PRIM_OCL_CONV_WINDOW_H
#define PRIM_OCL_CONV_WINDOW_H

#include "gpu/ocl/clh/shared/conv_window_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_conv.h"

/// Of a problem whose layouts are settled and plain.
ocl_conv_window_t prim__ocl_conv_window(const prim_desc_t *pd);
/// Declines src and weights that cannot be read by whole `chunk` elements along input channels,
/// wherever the tensors start, and windows of more than `max_taps` taps.
prim_status_t prim__ocl_conv_require_chunks(prim_desc_t *pd, prim_dim_t chunk, prim_dim_t max_taps);
/// Whether each filter lies in one piece, input channels innermost.
bool prim__ocl_conv_filters_are_dense(const prim_desc_t *pd);

/// Starts the options: those of clh/mma.h, clh/conv_window.h, clh/conv_epilogue.h and the post-ops.
void prim__ocl_conv_window_options(
        ocl_options_t *options, const prim_desc_t *pd, bool has_unit, int max_taps);
/// A kernel's sizes: by value where the device keeps structs (WINDOW_PARAMS), else uploaded.
typedef struct {
    ocl_conv_window_t *window; ///< their first member
    size_t bytes;              ///< of the sizes
    bool by_value;             ///< the device's keeps_structs
} ocl_conv_window_sizes_t;

/// Uploads what kernels need besides tensors, once the kernel was added.
prim_status_t prim__ocl_conv_window_add_data(ocl_primitive_t *p, ocl_conv_window_sizes_t sizes);
/// All arguments of a kernel, from WINDOW_PARAMS to CONV_EPILOGUE_PARAMS. The sizes are a copy of
/// the caller's, alive until the launch; they get the starts.
void prim__ocl_conv_window_args(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *p,
        ocl_conv_window_sizes_t sizes);

#endif
