// SPDX-License-Identifier: Apache-2.0
// The parameters of a built kernel, against which arguments are checked in every build: a list that
// is too short, or has two arguments swapped, is a failure with a sentence instead of wrong
// results.
#ifndef PRIM_OCL_PARAMS_H
#define PRIM_OCL_PARAMS_H

#include "ocl_args.h"

typedef struct {
    int nparams;
    uint16_t accepted[OCL_MAX_ARGS]; ///< bit OCL_ARG_…: parameter i takes such arguments
} ocl_params_t;

/// Queries the driver. Kinds come from clGetKernelArgInfo(); where the driver does not report them,
/// every kind is accepted here, and clSetKernelArg() judges alone.
prim_status_t prim__ocl_params_init(ocl_params_t *params, cl_kernel kernel, const char *name);

/// Fails unless there are as many arguments as the kernel `name` has parameters.
prim_status_t prim__ocl_params_check_count(
        const ocl_params_t *params, const char *name, const ocl_args_t *args);
/// Fails with a sentence on parameter `i`; `code` is the driver's, or CL_SUCCESS where the kinds
/// differ.
prim_status_t prim__ocl_params_fail(
        const ocl_params_t *params, const char *name, int i, const ocl_arg_t *arg, cl_int code);

#endif
