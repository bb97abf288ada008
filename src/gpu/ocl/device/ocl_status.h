// SPDX-License-Identifier: Apache-2.0
// OpenCL codes as statuses: each failure becomes one sentence that names the call and the code.
#ifndef PRIM_OCL_STATUS_H
#define PRIM_OCL_STATUS_H

#include <CL/cl.h>

#include "common/status.h"

/// "CL_OUT_OF_RESOURCES"; "an unknown code" for codes OpenCL 1.2 does not have.
const char *prim__ocl_code_name(cl_int code);

/// Fails with "clFinish failed: CL_OUT_OF_RESOURCES (-5)". `call` may be the text of a whole call
/// expression; what follows the name is cut. CL_OUT_OF_HOST_MEMORY and
/// CL_MEM_OBJECT_ALLOCATION_FAILURE are PRIM_OUT_OF_MEMORY, the rest is PRIM_RUNTIME_ERROR.
prim_status_t prim__ocl_fail(cl_int code, const char *call);

/// The same for a call that allocates `bytes` on the device, where CL_OUT_OF_RESOURCES and
/// CL_INVALID_BUFFER_SIZE mean PRIM_OUT_OF_MEMORY as well.
prim_status_t prim__ocl_fail_allocation(cl_int code, const char *call, size_t bytes);

/// Return early with a failure, while this function owns nothing: OCL_TRY(clFlush(queue)).
#define OCL_TRY(call)                                                               \
    do {                                                                            \
        const cl_int ocl_try_code = (call);                                         \
        if (ocl_try_code != CL_SUCCESS) return prim__ocl_fail(ocl_try_code, #call); \
    } while (0)

/// Leave through `label` with a failure in the local `st`, once this function owns something.
#define OCL_TRY_OR(label, call)                       \
    do {                                              \
        const cl_int ocl_try_code = (call);           \
        if (ocl_try_code != CL_SUCCESS) {             \
            st = prim__ocl_fail(ocl_try_code, #call); \
            goto label;                               \
        }                                             \
    } while (0)

#endif
