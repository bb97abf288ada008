// SPDX-License-Identifier: Apache-2.0
// Programs for instructions that exist on one generation of a device only, for which its OpenCL
// compiler does not compile. The source has marks in its inline PTX (clh/nv/nv_retarget.h), which
// make comments of these instructions, or of all code. Such a program is built twice: from source,
// and from its own PTX without the marks and with the target of that generation (sm_90a instead of
// sm_90).
#ifndef PRIM_OCL_RETARGET_H
#define PRIM_OCL_RETARGET_H

#include <CL/cl.h>
#include <stdbool.h>

#include "ocl_source.h"

/// Whether the options contain -DRETARGET=1.
bool prim__ocl_retarget_is_wanted(const char *options);

/// Builds the retargeted program. What failed, if anything did: CL_INVALID_BINARY where the
/// device's binaries are no PTX with such marks; then *program is the first one if that was made,
/// for its log, else NULL.
cl_int prim__ocl_retarget_build(cl_program *program, cl_context context, cl_device_id device,
        const ocl_source_t *source, const char *options);

#endif
