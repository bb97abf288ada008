// SPDX-License-Identifier: Apache-2.0
// Kinds of kernel parameters, as clGetKernelArgInfo() reports them, and the error sentence where an
// argument differs.
#include "ocl_params.h"

#include <stdio.h>
#include <string.h>

#include "gpu/ocl/device/ocl_status.h"

enum {
    TAKES_I32 = 1 << OCL_ARG_I32,
    TAKES_I64 = 1 << OCL_ARG_I64,
    TAKES_F32 = 1 << OCL_ARG_F32,
    TAKES_STRUCT = 1 << OCL_ARG_STRUCT,
    TAKES_POINTER = 1 << OCL_ARG_BUFFER | 1 << OCL_ARG_SVM | 1 << OCL_ARG_USM,
    TAKES_IMAGE = 1 << OCL_ARG_IMAGE,
    TAKES_LOCAL = 1 << OCL_ARG_LOCAL,
    TAKES_ALL = UINT16_MAX
};

static cl_int query(cl_kernel kernel, int i, cl_kernel_arg_info what, void *value, size_t bytes)
{
    return clGetKernelArgInfo(kernel, (cl_uint)i, what, bytes, value, NULL);
}

// A parameter by value. The type may be reported as the name of a typedef, which says nothing of
// what is behind it; the driver checks the size.
static uint16_t kind_of_value(cl_kernel kernel, int i)
{
    static const struct {
        const char *type;
        uint16_t accepted;
    } rows[] = {{"int", TAKES_I32}, {"uint", TAKES_I32}, {"long", TAKES_I64}, {"ulong", TAKES_I64},
            {"float", TAKES_F32}};
    char type[128] = "";
    if (query(kernel, i, CL_KERNEL_ARG_TYPE_NAME, type, sizeof type) != CL_SUCCESS)
        return TAKES_ALL;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        if (strcmp(type, rows[r].type) == 0) return rows[r].accepted;
    }
    return TAKES_I32 | TAKES_I64 | TAKES_F32 | TAKES_STRUCT;
}

static uint16_t kind_of(cl_kernel kernel, int i)
{
    cl_kernel_arg_address_qualifier space = 0;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    if (query(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &space, sizeof space) != CL_SUCCESS) {
        return TAKES_ALL;
    }
    switch (space) {
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return TAKES_LOCAL;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return TAKES_POINTER;
    case CL_KERNEL_ARG_ADDRESS_PRIVATE: return kind_of_value(kernel, i);
    default: break;
    }
    if (query(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, &access, sizeof access) != CL_SUCCESS) {
        return TAKES_ALL;
    }
    return access == CL_KERNEL_ARG_ACCESS_NONE ? TAKES_POINTER : TAKES_IMAGE;
}

prim_status_t prim__ocl_params_init(ocl_params_t *params, cl_kernel kernel, const char *name)
{
    cl_uint nparams = 0;
    OCL_TRY(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof nparams, &nparams, NULL));
    if (nparams > OCL_MAX_ARGS) {
        return prim__fail(PRIM_RUNTIME_ERROR, "the kernel %s has %u parameters, more than %d", name,
                (unsigned)nparams, (int)OCL_MAX_ARGS);
    }
    params->nparams = (int)nparams;
    bool is_told = true;
    for (int i = 0; i < params->nparams; ++i) {
        // A driver that does not report the first is not queried for the others.
        params->accepted[i] = is_told ? kind_of(kernel, i) : TAKES_ALL;
        is_told = params->accepted[i] != TAKES_ALL;
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_params_check_count(
        const ocl_params_t *params, const char *name, const ocl_args_t *args)
{
    if (args->nargs == params->nparams) return PRIM_SUCCESS;
    return prim__fail(PRIM_RUNTIME_ERROR, "the kernel %s has %d parameters, the host passes %d",
            name, params->nparams, args->nargs);
}

static const char *name_of_kind(uint16_t accepted)
{
    switch (accepted) {
    case TAKES_I32: return "an int";
    case TAKES_I64: return "a long";
    case TAKES_F32: return "a float";
    case TAKES_POINTER: return "a buffer";
    case TAKES_IMAGE: return "an image";
    case TAKES_LOCAL: return "local memory";
    case TAKES_ALL: return "of a kind that the driver does not tell";
    default: return "a struct";
    }
}

static const char *name_of_arg(const ocl_arg_t *arg)
{
    static const char *const names[] = {[OCL_ARG_NONE] = "nothing",
            [OCL_ARG_I32] = "an int",
            [OCL_ARG_I64] = "a long",
            [OCL_ARG_F32] = "a float",
            [OCL_ARG_BUFFER] = "a buffer",
            [OCL_ARG_IMAGE] = "an image",
            [OCL_ARG_LOCAL] = "local memory",
            [OCL_ARG_STRUCT] = "a struct",
            [OCL_ARG_SVM] = "a pointer to shared virtual memory",
            [OCL_ARG_USM] = "a pointer to unified shared memory"};
    return names[arg->kind];
}

prim_status_t prim__ocl_params_fail(
        const ocl_params_t *params, const char *name, int i, const ocl_arg_t *arg, cl_int code)
{
    char verdict[96] = "";
    if (code != CL_SUCCESS) {
        (void)snprintf(verdict, sizeof verdict, " (clSetKernelArg failed: %s, %d)",
                prim__ocl_code_name(code), (int)code);
    }
    return prim__fail(PRIM_RUNTIME_ERROR,
            "parameter %d of the kernel %s is %s, the host passes %s of %u bytes%s", i, name,
            name_of_kind(params->accepted[i]), name_of_arg(arg), arg->bytes, verdict);
}
