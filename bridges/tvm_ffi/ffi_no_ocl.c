// SPDX-License-Identifier: Apache-2.0
// In the place of ffi_ocl.c where Prim is built without OpenCL: no buffer has an engine.
#include "ffi.h"

prim_status_t ffi_ocl_place(void **context, void **device, void *buffer, int device_index)
{
    (void)context, (void)device, (void)buffer, (void)device_index;
    return prim_report_failure(
            PRIM_UNIMPLEMENTED, "Prim was built without OpenCL and takes no OpenCL tensors");
}

prim_status_t ffi_ocl_engine_create(prim_engine_t **engine, void *context, void *device)
{
    (void)engine, (void)context, (void)device;
    return prim_report_failure(PRIM_UNIMPLEMENTED, "Prim was built without OpenCL");
}

bool ffi_ocl_is_at(const prim_engine_t *engine, const void *context, const void *device)
{
    (void)engine, (void)context, (void)device;
    return false;
}
