// SPDX-License-Identifier: Apache-2.0
// Takes the PTX of a program, activates the marked instructions and builds it for the exact target.
#include "ocl_retarget.h"

#include <string.h>

#include "common/alloc.h"

#define MARK "//@@ "
#define TARGET ".target sm_90"

bool prim__ocl_retarget_is_wanted(const char *options)
{
    return strstr(options, "-DRETARGET=1") != NULL;
}

// Zero-terminated, with room for one more character; the caller frees it.
static cl_int get_ptx(char **text, size_t *bytes, cl_program program)
{
    size_t size = 0;
    cl_int code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    if (code != CL_SUCCESS) return code;
    char *const ptx = prim__calloc(size + 2);
    char *slots[1] = {ptx};
    if (!ptx) return CL_OUT_OF_HOST_MEMORY;
    code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof slots, (void *)slots, NULL);
    if (code != CL_SUCCESS) {
        prim__free(ptx);
        return code;
    }
    *text = ptx;
    *bytes = strlen(ptx);
    return CL_SUCCESS;
}

// False where it is not such PTX.
static bool rewrite(char *text, size_t *bytes)
{
    int nmarks = 0;
    for (char *at = text; (at = strstr(at, MARK)) != NULL; ++nmarks)
        memset(at, ' ', sizeof MARK - 1);
    char *const target = strstr(text, TARGET);
    if (nmarks == 0 || !target) return false;
    char *const end = target + sizeof TARGET - 1;
    if (*end == 'a') return true;
    if (*end >= '0' && *end <= '9') return false;
    memmove(end + 1, end, *bytes - (size_t)(end - text) + 1);
    *end = 'a';
    ++*bytes;
    return true;
}

static cl_int build(
        cl_program *made, cl_context context, cl_device_id device, const char *text, size_t bytes)
{
    const unsigned char *binary = (const unsigned char *)text;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    const cl_program program =
            clCreateProgramWithBinary(context, 1, &device, &bytes, &binary, &status, &code);
    if (code != CL_SUCCESS) return code;
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        clReleaseProgram(program);
        return code;
    }
    *made = program;
    return CL_SUCCESS;
}

cl_int prim__ocl_retarget(cl_program *program, cl_context context, cl_device_id device)
{
    char *text = NULL;
    size_t bytes = 0;
    cl_int code = get_ptx(&text, &bytes, *program);
    if (code != CL_SUCCESS) return code;
    cl_program made = NULL;
    code = rewrite(text, &bytes) ? build(&made, context, device, text, bytes) : CL_INVALID_BINARY;
    prim__free(text);
    if (code != CL_SUCCESS) return code;
    clReleaseProgram(*program);
    *program = made;
    return CL_SUCCESS;
}
