// SPDX-License-Identifier: Apache-2.0
// Binaries out of programs, and programs out of binaries.
#include "ocl_program_binary.h"

#include "common/alloc.h"

enum { MAX_DEVICES = 64, MAX_KERNELS = 32 };

// Makes and drops every kernel of a program. Before a binary is taken: drivers that compile only at
// this point would leave kernels out of it. After one is loaded: whether it can be used at all.
static cl_int try_kernels(cl_program program)
{
    cl_kernel kernels[MAX_KERNELS];
    cl_uint nkernels = 0;
    const cl_int code = clCreateKernelsInProgram(program, MAX_KERNELS, kernels, &nkernels);
    if (code != CL_SUCCESS) return code;
    for (cl_uint i = 0; i < nkernels; ++i) clReleaseKernel(kernels[i]);
    return nkernels > 0 ? CL_SUCCESS : CL_INVALID_BINARY;
}

cl_int prim__ocl_program_binary_load(cl_program *program, const char **call,
        const ocl_engine_t *engine, const char *options, const unsigned char *binary, size_t nbytes)
{
    const cl_device_id device = engine->device.id;
    cl_int code = CL_SUCCESS, binary_code = CL_SUCCESS;
    *call = "clCreateProgramWithBinary";
    const cl_program made = clCreateProgramWithBinary(engine->context, 1, &device, &nbytes,
            (const unsigned char *[]){binary}, &binary_code, &code);
    if (code == CL_SUCCESS) code = binary_code;
    if (code == CL_SUCCESS) {
        *call = "clBuildProgram";
        code = clBuildProgram(made, 1, &device, options, NULL, NULL);
    }
    if (code == CL_SUCCESS) {
        *call = "clCreateKernelsInProgram";
        code = try_kernels(made);
    }
    if (code == CL_SUCCESS)
        *program = made;
    else if (made)
        clReleaseProgram(made);
    return code;
}

// The position of the engine's device among those of the program, which has all of the context.
static cl_int find_device(
        size_t *index, size_t *ndevices, const ocl_engine_t *engine, cl_program program)
{
    cl_device_id devices[MAX_DEVICES];
    size_t bytes = 0;
    const cl_int code =
            clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes);
    if (code != CL_SUCCESS) return code;
    *ndevices = bytes / sizeof devices[0];
    for (*index = 0; *index < *ndevices; ++*index) {
        if (devices[*index] == engine->device.id) return CL_SUCCESS;
    }
    return CL_INVALID_DEVICE;
}

cl_int prim__ocl_program_binary_take(unsigned char **binary, size_t *nbytes, const char **call,
        const ocl_engine_t *engine, cl_program program)
{
    size_t sizes[MAX_DEVICES] = {0}, index = 0, ndevices = 0;
    unsigned char *binaries[MAX_DEVICES] = {NULL};
    *call = "clGetProgramInfo";
    cl_int code = find_device(&index, &ndevices, engine, program);
    if (code != CL_SUCCESS) return code;
    *call = "clCreateKernelsInProgram";
    code = try_kernels(program);
    if (code != CL_SUCCESS) return code;
    *call = "clGetProgramInfo";
    code = clGetProgramInfo(
            program, CL_PROGRAM_BINARY_SIZES, ndevices * sizeof sizes[0], sizes, NULL);
    if (code != CL_SUCCESS) return code;
    *binary = NULL;
    if (sizes[index] == 0) return CL_SUCCESS;
    binaries[index] = prim__malloc_aligned(sizes[index]);
    if (!binaries[index]) return CL_OUT_OF_HOST_MEMORY;
    code = clGetProgramInfo(
            program, CL_PROGRAM_BINARIES, ndevices * sizeof binaries[0], binaries, NULL);
    if (code != CL_SUCCESS) {
        prim__free(binaries[index]);
        return code;
    }
    *binary = binaries[index];
    *nbytes = sizes[index];
    return CL_SUCCESS;
}
