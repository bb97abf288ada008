// SPDX-License-Identifier: Apache-2.0
// Turns device queries into traits.
#include "ocl_device.h"

#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "ocl_status.h"

// Queries of later versions and of extensions, by number: the headers are those of OpenCL 1.2.
enum { QUERY_HALF_FP_CONFIG = 0x1033 };

// What a device does not know is 0; what it could not tell just now is a failure, for the traits of
// an engine must not depend on its luck. The first is kept for prim__ocl_device_init().
static bool is_told(ocl_device_t *device, cl_int code)
{
    const bool is_failure = code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
    if (is_failure && device->query_code == CL_SUCCESS) device->query_code = code;
    return code == CL_SUCCESS;
}

// A value of at most 8 bytes; 0 when the device does not know the query.
static uint64_t query_number(ocl_device_t *device, cl_device_info what)
{
    union {
        uint64_t u64;
        uint32_t u32;
    } value = {0};
    size_t bytes = 0;
    if (!is_told(device, clGetDeviceInfo(device->id, what, sizeof value, &value, &bytes))) return 0;
    return bytes == sizeof value.u32 ? value.u32 : value.u64;
}

static prim_status_t query_string(char **text, cl_device_id id, cl_device_info what)
{
    size_t bytes = 0;
    OCL_TRY(clGetDeviceInfo(id, what, 0, NULL, &bytes));
    char *buffer = prim__calloc(bytes + 1);
    if (!buffer) return prim__fail_memory(bytes + 1);
    *text = buffer; // the device owns it from here on, also on failure
    OCL_TRY(clGetDeviceInfo(id, what, bytes, buffer, NULL));
    return PRIM_SUCCESS;
}

static prim_status_t query_platform_name(char **text, cl_platform_id platform)
{
    size_t bytes = 0;
    OCL_TRY(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &bytes));
    char *buffer = prim__calloc(bytes + 1);
    if (!buffer) return prim__fail_memory(bytes + 1);
    *text = buffer;
    OCL_TRY(clGetPlatformInfo(platform, CL_PLATFORM_NAME, bytes, buffer, NULL));
    return PRIM_SUCCESS;
}

static prim_status_t query_strings(ocl_device_t *device)
{
    TRY(query_platform_name(&device->platform_name, device->platform));
    TRY(query_string(&device->name, device->id, CL_DEVICE_NAME));
    TRY(query_string(&device->vendor, device->id, CL_DEVICE_VENDOR));
    TRY(query_string(&device->driver_version, device->id, CL_DRIVER_VERSION));
    TRY(query_string(&device->device_version, device->id, CL_DEVICE_VERSION));
    TRY(query_string(&device->extensions, device->id, CL_DEVICE_EXTENSIONS));
    return PRIM_SUCCESS;
}

// "OpenCL 3.0 …" and "OpenCL C 1.2 …"
static void query_language(ocl_device_t *device)
{
    char text[128] = "";
    device->opencl_major = device->opencl_c_major = 1;
    device->opencl_minor = device->opencl_c_minor = 0;
    int major = 0, minor = 0;
    if (sscanf(device->device_version, "OpenCL %d.%d", &major, &minor) == 2) {
        device->opencl_major = major;
        device->opencl_minor = minor;
    }
    const cl_int code =
            clGetDeviceInfo(device->id, CL_DEVICE_OPENCL_C_VERSION, sizeof text - 1, text, NULL);
    if (!is_told(device, code)) return;
    if (sscanf(text, "OpenCL C %d.%d", &major, &minor) == 2) {
        device->opencl_c_major = major;
        device->opencl_c_minor = minor;
    }
}

static prim_status_t query_groups(ocl_device_t *device)
{
    size_t sizes[16] = {0};
    OCL_TRY(clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
    memcpy(device->max_group_item_sizes, sizes, sizeof device->max_group_item_sizes);
    device->max_group_items = (size_t)query_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (device->max_group_items == 0 && device->query_code == CL_SUCCESS) {
        return prim__fail(
                PRIM_RUNTIME_ERROR, "device %s does not tell its work-group limit", device->name);
    }
    return PRIM_SUCCESS;
}

static void query_memory(ocl_device_t *device)
{
    device->max_parameter_bytes = (size_t)query_number(device, CL_DEVICE_MAX_PARAMETER_SIZE);
    device->local_bytes = query_number(device, CL_DEVICE_LOCAL_MEM_SIZE);
    device->has_dedicated_local = query_number(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    device->global_bytes = query_number(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    device->max_allocation_bytes = query_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    device->max_constant_bytes = query_number(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    device->has_unified_memory = query_number(device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
}

static void query_features(ocl_device_t *device)
{
    device->compute_units = (int)query_number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    device->address_bits = (int)query_number(device, CL_DEVICE_ADDRESS_BITS);
    device->vector_width_i8 = (int)query_number(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR);
    device->vector_width_i16 = (int)query_number(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT);
    device->vector_width_i32 = (int)query_number(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT);
    device->vector_width_f32 = (int)query_number(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT);
    device->timer_resolution_ns =
            (size_t)query_number(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
    device->has_images = query_number(device, CL_DEVICE_IMAGE_SUPPORT) != 0;
    if (device->has_images) {
        device->max_image2d_width = (size_t)query_number(device, CL_DEVICE_IMAGE2D_MAX_WIDTH);
        device->max_image2d_height = (size_t)query_number(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
    }
    device->has_fp64 = query_number(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    device->has_fp16 = prim__ocl_device_has_extension(device, "cl_khr_fp16") &&
                       query_number(device, QUERY_HALF_FP_CONFIG) != 0;
    device->has_subgroups = prim__ocl_device_has_extension(device, "cl_khr_subgroups");
    device->has_int_dot = prim__ocl_device_has_extension(device, "cl_khr_integer_dot_product");
    device->has_out_of_order_queues = (query_number(device, CL_DEVICE_QUEUE_PROPERTIES) &
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

bool prim__ocl_device_prefers_images(const ocl_device_t *device)
{
    return device->has_images && !device->is_cpu && !device->has_dedicated_local &&
           device->has_unified_memory;
}

prim_status_t prim__ocl_device_init(ocl_device_t *device, cl_platform_id platform, cl_device_id id)
{
    *device = (ocl_device_t){.platform = platform, .id = id};
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(fail, query_strings(device));
    device->type = query_number(device, CL_DEVICE_TYPE);
    device->is_cpu = (device->type & CL_DEVICE_TYPE_CPU) != 0;
    TRY_OR(fail, query_groups(device));
    query_language(device);
    query_memory(device);
    query_features(device);
    if (device->query_code != CL_SUCCESS)
        TRY_OR(fail, prim__ocl_fail(device->query_code, "clGetDeviceInfo"));
    return PRIM_SUCCESS;

fail:
    prim__ocl_device_fini(device);
    return st;
}

void prim__ocl_device_fini(ocl_device_t *device)
{
    prim__free(device->name);
    prim__free(device->platform_name);
    prim__free(device->vendor);
    prim__free(device->driver_version);
    prim__free(device->device_version);
    prim__free(device->extensions);
    *device = (ocl_device_t){0};
}

bool prim__ocl_device_has_extension(const ocl_device_t *device, const char *name)
{
    const size_t length = strlen(name);
    const char *at = device->extensions;
    while ((at = strstr(at, name)) != NULL) {
        const bool starts = at == device->extensions || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0')) return true;
        at += length;
    }
    return false;
}
