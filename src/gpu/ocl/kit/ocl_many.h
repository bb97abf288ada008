// SPDX-License-Identifier: Apache-2.0
// OpenCL primitives over any number of tensors: they launch once for each few of them, each launch
// with its own constant data.
#ifndef PRIM_OCL_MANY_H
#define PRIM_OCL_MANY_H

#include "ocl_primitive.h"

typedef struct {
    ocl_primitive_t base;
    int nlaunches;
    cl_mem *launches; ///< owned array of owned buffers, one for each launch
} ocl_many_t;

_Static_assert(offsetof(ocl_many_t, base) == 0, "the base comes first");

/// Makes room for the constant data of `n` launches (init).
prim_status_t prim__ocl_many_reserve(ocl_many_t *many, int n);
/// Uploads the next launch's constant data.
prim_status_t prim__ocl_many_add(ocl_many_t *many, const void *data, size_t bytes);
/// impl_t.fini; takes half-made ones.
void prim__ocl_many_fini(prim_t *primitive);

#endif
