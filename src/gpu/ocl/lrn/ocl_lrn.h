// SPDX-License-Identifier: Apache-2.0
// What the generic kernels of local response normalisation share.
#ifndef PRIM_OCL_LRN_H
#define PRIM_OCL_LRN_H

#include "gpu/ocl/launch/ocl_kernel.h"

/// Builds the kernel with the data of lrn_any_data.h; `to`: the argument that it writes.
prim_status_t prim__ocl_lrn_init(
        prim_t *primitive, const ocl_source_t *source, const char *name, int to);

#endif
