// SPDX-License-Identifier: Apache-2.0
// Device queries as traits; ocl_traits.c has those that are plain numbers.
#include "ocl_device.h"

#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "ocl_status.h"
#include "ocl_traits.h"

// Queries of later versions and of extensions, by number: the headers are those of OpenCL 1.2.
enum { QUERY_OPENCL_C_FEATURES = 0x106F, QUERY_INT_DOT_PACKED_PROPERTIES = 0x1075 };

static prim_status_t query_string(char **text, cl_device_id id, cl_device_info what)
{
    size_t bytes = 0;
    OCL_TRY(clGetDeviceInfo(id, what, 0, NULL, &bytes));
    char *const buffer = prim__calloc(bytes + 1);
    if (!buffer) return prim__fail_memory(bytes + 1);
    *text = buffer; // the device owns it from here on, also on failure
    OCL_TRY(clGetDeviceInfo(id, what, bytes, buffer, NULL));
    return PRIM_SUCCESS;
}

static prim_status_t query_platform(char **text, cl_platform_id platform, cl_platform_info what)
{
    size_t bytes = 0;
    OCL_TRY(clGetPlatformInfo(platform, what, 0, NULL, &bytes));
    char *const buffer = prim__calloc(bytes + 1);
    if (!buffer) return prim__fail_memory(bytes + 1);
    *text = buffer;
    OCL_TRY(clGetPlatformInfo(platform, what, bytes, buffer, NULL));
    return PRIM_SUCCESS;
}

// The names that an OpenCL 3.0 device lists one by one, as one list of words.
static prim_status_t query_language_features(ocl_device_t *device)
{
    typedef struct {
        cl_uint version;
        char name[64];
    } feature_t; // cl_name_version
    size_t bytes = 0;
    if (!prim__ocl_device_is_told(
                device, clGetDeviceInfo(device->id, QUERY_OPENCL_C_FEATURES, 0, NULL, &bytes)))
        bytes = 0; // an older device
    char *words = prim__calloc(bytes + 1);
    if (!words) return prim__fail_memory(bytes + 1);
    device->language_features = words;
    feature_t *const features = bytes ? prim__calloc(bytes) : NULL;
    if (bytes && !features) return prim__fail_memory(bytes);
    const cl_int code =
            bytes ? clGetDeviceInfo(device->id, QUERY_OPENCL_C_FEATURES, bytes, features, NULL)
                  : CL_SUCCESS;
    for (size_t i = 0; code == CL_SUCCESS && i < bytes / sizeof *features; ++i)
        words += sprintf(words, "%s%.63s", i > 0 ? " " : "", features[i].name);
    prim__free(features);
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail(code, "clGetDeviceInfo");
}

static prim_status_t query_strings(ocl_device_t *device)
{
    TRY(query_platform(&device->platform_name, device->platform, CL_PLATFORM_NAME));
    TRY(query_platform(&device->platform_version, device->platform, CL_PLATFORM_VERSION));
    TRY(query_string(&device->name, device->id, CL_DEVICE_NAME));
    TRY(query_string(&device->vendor, device->id, CL_DEVICE_VENDOR));
    TRY(query_string(&device->driver_version, device->id, CL_DRIVER_VERSION));
    TRY(query_string(&device->device_version, device->id, CL_DEVICE_VERSION));
    TRY(query_string(&device->language_version, device->id, CL_DEVICE_OPENCL_C_VERSION));
    TRY(query_string(&device->extensions, device->id, CL_DEVICE_EXTENSIONS));
    return query_language_features(device);
}

// "OpenCL 3.0 …" and "OpenCL C 1.2 …"
static void read_versions(ocl_device_t *device)
{
    int major = 0, minor = 0;
    const bool is_told = sscanf(device->device_version, "OpenCL %d.%d", &major, &minor) == 2;
    device->opencl_major = is_told ? major : 1;
    device->opencl_minor = is_told ? minor : 0;
    const bool has_c = sscanf(device->language_version, "OpenCL C %d.%d", &major, &minor) == 2;
    device->opencl_c_major = has_c ? major : 1;
    device->opencl_c_minor = has_c ? minor : 0;
}

static prim_status_t query_groups(ocl_device_t *device)
{
    size_t sizes[16] = {0};
    OCL_TRY(clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
    memcpy(device->max_group_item_sizes, sizes, sizeof device->max_group_item_sizes);
    return PRIM_SUCCESS;
}

// Claims that are no number of their own.
static void derive(ocl_device_t *device)
{
    device->type = prim__ocl_device_number(device, CL_DEVICE_TYPE);
    device->is_cpu = (device->type & CL_DEVICE_TYPE_CPU) != 0;
    // A core of a processor runs one work-group at a time, a GPU's several by turns.
    device->waits_hold_cores = device->is_cpu;
    // Processors load vectors from any address; no GPU's compiler is known that does.
    device->splits_unaligned = !device->is_cpu;
    // Known of the compiler behind inline PTX. Mesa's fails on structs by value that are read in
    // branches; others copy them first.
    device->keeps_structs = device->nv_capability_major >= 7;
    // PoCL does (3.1: seconds for a generic kernel); other runtimes on processors lose nothing.
    device->compiles_each_group = device->is_cpu;
    device->has_dedicated_local =
            prim__ocl_device_number(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    device->has_out_of_order_queues = (prim__ocl_device_number(device, CL_DEVICE_QUEUE_PROPERTIES) &
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    device->has_subgroups = prim__ocl_device_has_extension(device, "cl_khr_subgroups") ||
                            prim__ocl_device_has_extension(device, "__opencl_c_subgroups");
    device->has_command_buffer = prim__ocl_device_has_extension(device, "cl_khr_command_buffer");
    device->has_int_dot = prim__ocl_device_has_extension(device, "cl_khr_integer_dot_product");
    cl_bool accelerated[6] = {CL_FALSE}; // the first: signed times signed
    device->has_fast_int_dot = device->has_int_dot &&
                               prim__ocl_device_is_told(device,
                                       clGetDeviceInfo(device->id, QUERY_INT_DOT_PACKED_PROPERTIES,
                                               sizeof accelerated, accelerated, NULL)) &&
                               accelerated[0];
    if (!device->has_images) device->max_image2d_width = device->max_image2d_height = 0;
}

static prim_status_t check(const ocl_device_t *device)
{
    if (device->query_code != CL_SUCCESS)
        return prim__ocl_fail(device->query_code, "clGetDeviceInfo");
    if (device->max_group_items > 0) return PRIM_SUCCESS;
    return prim__fail(
            PRIM_RUNTIME_ERROR, "device %s does not tell its work-group limit", device->name);
}

bool prim__ocl_device_has_packed_dot(const ocl_device_t *device)
{
    return device->has_int_dot && (device->int_dot_capabilities & 1) && device->opencl_major >= 3;
}

const char *prim__ocl_device_family(const ocl_device_t *device)
{
    if (device->is_cpu) return "cpu";
    if (device->nv_capability_major == 9 && device->nv_capability_minor == 0) return "nvidia_sm90";
    return NULL;
}

bool prim__ocl_device_prefers_subgroups(const ocl_device_t *device)
{
    return !device->is_cpu && prim__ocl_device_has_extension(device, "cl_intel_subgroups");
}

bool prim__ocl_device_limits_registers(const ocl_device_t *device)
{
    return prim__ocl_device_has_extension(device, "cl_nv_compiler_options");
}

int prim__ocl_device_registers_for(const ocl_device_t *device, int ngroups, int group_items)
{
    if (!prim__ocl_device_limits_registers(device)) return 0;
    return device->nv_group_registers / (ngroups * group_items) / 8 * 8;
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
    TRY_OR(fail, query_groups(device));
    read_versions(device);
    prim__ocl_traits_init(device);
    derive(device);
    TRY_OR(fail, check(device));
    return PRIM_SUCCESS;

fail:
    prim__ocl_device_fini(device);
    return st;
}

void prim__ocl_device_fini(ocl_device_t *device)
{
    prim__free(device->name);
    prim__free(device->platform_name);
    prim__free(device->platform_version);
    prim__free(device->vendor);
    prim__free(device->driver_version);
    prim__free(device->device_version);
    prim__free(device->language_version);
    prim__free(device->extensions);
    prim__free(device->language_features);
    *device = (ocl_device_t){0};
}
