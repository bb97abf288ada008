// SPDX-License-Identifier: Apache-2.0
// OpenCL codes as statuses and sentences.
#include "ocl_status.h"

#include <string.h>

static const struct {
    cl_int code;
    const char *name;
} names[] = {
        {CL_SUCCESS, "CL_SUCCESS"}, {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
        {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
        {CL_IMAGE_FORMAT_MISMATCH, "CL_IMAGE_FORMAT_MISMATCH"},
        {CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"}, {CL_MAP_FAILURE, "CL_MAP_FAILURE"},
        {CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
        {CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE"},
        {CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
        {CL_DEVICE_PARTITION_FAILED, "CL_DEVICE_PARTITION_FAILED"},
        {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"}, {CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE"},
        {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"}, {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
        {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
        {CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
        {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
        {CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR"},
        {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
        {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
        {CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE"},
        {CL_INVALID_SAMPLER, "CL_INVALID_SAMPLER"}, {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
        {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
        {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
        {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
        {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"}, {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
        {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
        {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
        {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
        {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
        {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET"},
        {CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST"},
        {CL_INVALID_EVENT, "CL_INVALID_EVENT"}, {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY"},
        {CL_INVALID_COMPILER_OPTIONS, "CL_INVALID_COMPILER_OPTIONS"},
        {CL_INVALID_LINKER_OPTIONS, "CL_INVALID_LINKER_OPTIONS"},
        {CL_INVALID_DEVICE_PARTITION_COUNT, "CL_INVALID_DEVICE_PARTITION_COUNT"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
        {-9999, "a kernel's illegal access to memory"}, // no name in any header, seen on GPUs
};

const char *prim__ocl_code_name(cl_int code)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (names[i].code == code) return names[i].name;
    }
    return "an unknown code";
}

// The length of the function's name in the text of a call.
static int name_length(const char *call)
{
    return (int)strcspn(call, "( ");
}

prim_status_t prim__ocl_fail(cl_int code, const char *call)
{
    const bool is_memory =
            code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return prim__fail(is_memory ? PRIM_OUT_OF_MEMORY : PRIM_RUNTIME_ERROR, "%.*s failed: %s (%d)",
            name_length(call), call, prim__ocl_code_name(code), (int)code);
}

prim_status_t prim__ocl_fail_allocation(cl_int code, const char *call, size_t bytes)
{
    if (code != CL_OUT_OF_RESOURCES && code != CL_INVALID_BUFFER_SIZE &&
            code != CL_OUT_OF_HOST_MEMORY && code != CL_MEM_OBJECT_ALLOCATION_FAILURE) {
        return prim__ocl_fail(code, call);
    }
    return prim__fail(PRIM_OUT_OF_MEMORY, "%.*s of %zu bytes failed: %s (%d)", name_length(call),
            call, bytes, prim__ocl_code_name(code), (int)code);
}
