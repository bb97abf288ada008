// SPDX-License-Identifier: Apache-2.0
// Programs for instructions that exist on one generation of a device only, for which its OpenCL
// compiler does not compile. The source has them in comments of its inline PTX that begin with
// "//@@ ". Such a program is built twice: from source, and from its own PTX without these marks and
// with the target of that generation (sm_90a instead of sm_90).
#ifndef PRIM_OCL_RETARGET_H
#define PRIM_OCL_RETARGET_H

#include <CL/cl.h>
#include <stdbool.h>

/// Whether the options contain -DRETARGET=1.
bool prim__ocl_retarget_is_wanted(const char *options);

/// Replaces a built program by the retargeted one, built; *program stays as it is on failure.
/// Returns CL_INVALID_BINARY where the device's binaries are no PTX with such marks, else what
/// failed.
cl_int prim__ocl_retarget(cl_program *program, cl_context context, cl_device_id device);

#endif
