// SPDX-License-Identifier: Apache-2.0
// Uploads through the service queue, which is in order, and waits for them.
#include "ocl_upload.h"

#include "ocl_buffer_pool.h"

prim_status_t prim__ocl_upload(
        cl_mem *buffer, const prim_engine_t *engine, const void *data, size_t bytes)
{
    const ocl_engine_t *const e = prim__ocl_engine(engine);
    cl_mem made = NULL;
    TRY(prim__ocl_buffer_pool_acquire(&made, e->pool, bytes));
    const cl_int code =
            clEnqueueWriteBuffer(e->service, made, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        prim__ocl_buffer_pool_release(e->pool, made);
        return prim__ocl_fail_allocation(code, "clEnqueueWriteBuffer", bytes);
    }
    *buffer = made;
    return PRIM_SUCCESS;
}

void prim__ocl_upload_release(const prim_engine_t *engine, cl_mem buffer)
{
    prim__ocl_buffer_pool_release(prim__ocl_engine(engine)->pool, buffer);
}
