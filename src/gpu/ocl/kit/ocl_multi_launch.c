// SPDX-License-Identifier: Apache-2.0
// Constant data of primitives over any number of tensors.
#include "ocl_multi_launch.h"

#include "common/alloc.h"
#include "gpu/ocl/memory/ocl_upload.h"

prim_status_t prim__ocl_multi_launch_reserve(ocl_multi_launch_t *many, int n)
{
    const size_t bytes = (size_t)n * sizeof(cl_mem);
    many->launches = prim__calloc(bytes);
    return many->launches ? PRIM_SUCCESS : prim__fail_memory(bytes);
}

prim_status_t prim__ocl_multi_launch_add(ocl_multi_launch_t *many, const void *data, size_t bytes)
{
    TRY(prim__ocl_upload(
            &many->launches[many->nlaunches], many->base.base.pd->engine, data, bytes));
    ++many->nlaunches;
    return PRIM_SUCCESS;
}

void prim__ocl_multi_launch_fini(prim_t *primitive)
{
    ocl_multi_launch_t *const many = (ocl_multi_launch_t *)primitive;
    for (int i = 0; i < many->nlaunches; ++i) {
        prim__ocl_upload_release(primitive->pd->engine, many->launches[i]);
    }
    prim__free(many->launches);
    many->nlaunches = 0;
    many->launches = NULL;
    prim__ocl_primitive_fini(primitive);
}
