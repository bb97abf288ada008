// SPDX-License-Identifier: Apache-2.0
// Where an OpenCL buffer is.
#include "ffi.h"
#include "prim/prim_ocl.h"

prim_status_t ffi_ocl_place(void **context, void **device, void *buffer, int device_index)
{
    cl_context buffers_context;
    cl_device_id devices[16];
    size_t bytes = 0;
    cl_int err =
            clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof(cl_context), &buffers_context, NULL);
    if (err == CL_SUCCESS)
        err = clGetContextInfo(
                buffers_context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes);
    if (err != CL_SUCCESS)
        return prim_report_failure(PRIM_INVALID_ARGUMENTS,
                "a tensor's data is no descriptor that begins with a cl_mem");
    const size_t n = bytes / sizeof devices[0];
    // The index counts the devices of the tensor's library; with one device there is no choice.
    *context = buffers_context;
    *device = devices[device_index >= 0 && (size_t)device_index < n ? device_index : 0];
    return PRIM_SUCCESS;
}

prim_status_t ffi_ocl_engine_create(prim_engine_t **engine, void *context, void *device)
{
    return prim_ocl_engine_create(engine, device, context);
}

bool ffi_ocl_is_at(const prim_engine_t *engine, const void *context, const void *device)
{
    cl_context engines_context;
    cl_device_id engines_device;
    return !prim_ocl_engine_get_context(engine, &engines_context) &&
           !prim_ocl_engine_get_device(engine, &engines_device) && engines_context == context &&
           engines_device == device;
}
