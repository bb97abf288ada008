// SPDX-License-Identifier: Apache-2.0
// Primitives over any number of tensors (concat, sum): one launch for every few tensors, each with
// its own constant data.
#ifndef PRIM_OCL_MULTI_LAUNCH_H
#define PRIM_OCL_MULTI_LAUNCH_H

#include "ocl_primitive.h"

typedef struct {
    ocl_primitive_t base;
    int nlaunches;
    cl_mem *launches; ///< owned array of owned buffers, one for each launch
} ocl_multi_launch_t;

_Static_assert(offsetof(ocl_multi_launch_t, base) == 0, "the base comes first");

/// Makes room for the constant data of `n` launches (init).
prim_status_t prim__ocl_multi_launch_reserve(ocl_multi_launch_t *many, int n);
/// Uploads the next launch's constant data.
prim_status_t prim__ocl_multi_launch_add(ocl_multi_launch_t *many, const void *data, size_t bytes);
/// impl_t.fini; takes half-made ones.
void prim__ocl_multi_launch_fini(prim_t *primitive);

#endif
