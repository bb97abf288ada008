// SPDX-License-Identifier: Apache-2.0
// Takes the PTX of a program, activates the marked instructions and builds it for the exact target.
#include "ocl_retarget.h"

#include <string.h>

#include "common/alloc.h"
#include "common/log.h"

// Of clh/nv/nv_retarget.h.
static const char *const marks[] = {"//@@ ", "/*@@", "@@*/"};

enum { NMARKS = sizeof marks / sizeof marks[0] };

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

// Whether there were any.
static bool blank_marks(char *text)
{
    bool has_marks = false;
    for (int i = 0; i < NMARKS; ++i) {
        for (char *at = text; (at = strstr(at, marks[i])) != NULL; has_marks = true)
            memset(at, ' ', strlen(marks[i]));
    }
    return has_marks;
}

// False where it is not such PTX.
static bool rewrite(char *text, size_t *bytes)
{
    char *const target = strstr(text, TARGET);
    if (!blank_marks(text) || !target) return false;
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

// Replaces a built program by the retargeted one; *program stays as it is on failure.
static cl_int retarget(cl_program *program, cl_context context, cl_device_id device)
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

static cl_int build_twice(cl_program *program, cl_context context, cl_device_id device,
        const ocl_source_t *source, const char *options)
{
    cl_int code = CL_SUCCESS;
    *program = clCreateProgramWithSource(
            context, 1, (const char *[]){source->text}, &source->bytes, &code);
    if (code == CL_SUCCESS) code = clBuildProgram(*program, 1, &device, options, NULL, NULL);
    return code == CL_SUCCESS ? retarget(program, context, device) : code;
}

cl_int prim__ocl_retarget_build(cl_program *program, cl_context context, cl_device_id device,
        const ocl_source_t *source, const char *options)
{
    static const char hides[] = " -DRETARGET_HIDES=1";
    const size_t length = strlen(options);
    char *const all = prim__calloc(length + sizeof hides);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    *program = NULL;
    if (all) {
        memcpy(all, options, length);
        memcpy(all + length, hides, sizeof hides);
        code = build_twice(program, context, device, source, all);
        prim__free(all);
    }
    if (code == CL_SUCCESS || code == CL_OUT_OF_HOST_MEMORY) return code;
    prim__log(LOG_PROFILE_CREATE, NULL, "ocl,retarget,%s,not hidden: error %d", source->name, code);
    if (*program) clReleaseProgram(*program);
    return build_twice(program, context, device, source, options);
}
