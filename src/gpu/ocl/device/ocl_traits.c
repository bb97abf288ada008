// SPDX-License-Identifier: Apache-2.0
// Traits that are one number, or one string, each.
#include "ocl_traits.h"

#include <string.h>

#include "ocl_status.h"

// Queries of later versions and of extensions, by number: the headers are those of OpenCL 1.2.
enum {
    QUERY_HALF_FP_CONFIG = 0x1033,
    QUERY_IMAGE_PITCH_ALIGNMENT = 0x104A,
    QUERY_IMAGE_BASE_ADDRESS_ALIGNMENT = 0x104B,
    QUERY_SVM_CAPABILITIES = 0x1053,
    QUERY_MAX_NUM_SUB_GROUPS = 0x105C,
    QUERY_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x1067,
    QUERY_INT_DOT_CAPABILITIES = 0x1073,
    QUERY_COMMAND_BUFFER_CAPABILITIES = 0x12A9,
    QUERY_NV_COMPUTE_CAPABILITY_MAJOR = 0x4000,
    QUERY_NV_COMPUTE_CAPABILITY_MINOR = 0x4001,
    QUERY_NV_REGISTERS_PER_BLOCK = 0x4002,
    QUERY_NV_WARP_SIZE = 0x4003,
    QUERY_AMD_SIMD_PER_COMPUTE_UNIT = 0x4040,
    QUERY_AMD_WAVEFRONT_WIDTH = 0x4043,
    QUERY_AMD_GFXIP_MAJOR = 0x404A,
    QUERY_AMD_GFXIP_MINOR = 0x404B,
    QUERY_USM_HOST_CAPABILITIES = 0x4190,
    QUERY_USM_DEVICE_CAPABILITIES = 0x4191,
    QUERY_USM_SHARED_CAPABILITIES = 0x4192,
    QUERY_INTEL_IP_VERSION = 0x4250,
    QUERY_INTEL_NUM_SLICES = 0x4252,
    QUERY_INTEL_NUM_SUB_SLICES_PER_SLICE = 0x4253,
    QUERY_INTEL_NUM_EUS_PER_SUB_SLICE = 0x4254,
    QUERY_INTEL_NUM_THREADS_PER_EU = 0x4255,
    QUERY_INTEL_FEATURE_CAPABILITIES = 0x4256,
};

// The type of a field: char *, int, size_t, uint64_t, bool.
typedef enum { TEXT, INT, SIZE, U64, BOOL } field_t;

typedef struct {
    field_t field;
    prim_engine_query_t query;
    cl_device_info asked;  ///< 0: ocl_device.c fills it
    size_t offset;         ///< in ocl_device_t
    const char *extension; ///< without it the device is not queried; NULL: core
} row_t;

#define OF(field) offsetof(ocl_device_t, field)

static const row_t rows[] = {
        {TEXT, PRIM_ENGINE_QUERY_VENDOR_STR, 0, OF(vendor), NULL},
        {TEXT, PRIM_ENGINE_QUERY_PLATFORM_STR, 0, OF(platform_name), NULL},
        {TEXT, PRIM_ENGINE_QUERY_DRIVER_VERSION_STR, 0, OF(driver_version), NULL},
        {TEXT, PRIM_ENGINE_QUERY_DEVICE_VERSION_STR, 0, OF(device_version), NULL},
        {TEXT, PRIM_ENGINE_QUERY_LANGUAGE_VERSION_STR, 0, OF(language_version), NULL},
        {TEXT, PRIM_ENGINE_QUERY_EXTENSIONS_STR, 0, OF(extensions), NULL},
        {TEXT, PRIM_ENGINE_QUERY_LANGUAGE_FEATURES_STR, 0, OF(language_features), NULL},

        {INT, PRIM_ENGINE_QUERY_COMPUTE_UNITS_S32, CL_DEVICE_MAX_COMPUTE_UNITS, OF(compute_units),
                NULL},
        {INT, PRIM_ENGINE_QUERY_CLOCK_MHZ_S32, CL_DEVICE_MAX_CLOCK_FREQUENCY, OF(clock_mhz), NULL},
        {INT, PRIM_ENGINE_QUERY_ADDRESS_BITS_S32, CL_DEVICE_ADDRESS_BITS, OF(address_bits), NULL},
        {SIZE, PRIM_ENGINE_QUERY_TIMER_NS_S64, CL_DEVICE_PROFILING_TIMER_RESOLUTION,
                OF(timer_resolution_ns), NULL},
        {U64, PRIM_ENGINE_QUERY_GLOBAL_BYTES_S64, CL_DEVICE_GLOBAL_MEM_SIZE, OF(global_bytes),
                NULL},
        {U64, PRIM_ENGINE_QUERY_MAX_ALLOCATION_BYTES_S64, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                OF(max_allocation_bytes), NULL},
        {U64, PRIM_ENGINE_QUERY_MAX_CONSTANT_BYTES_S64, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
                OF(max_constant_bytes), NULL},
        {U64, PRIM_ENGINE_QUERY_LOCAL_BYTES_S64, CL_DEVICE_LOCAL_MEM_SIZE, OF(local_bytes), NULL},
        {U64, PRIM_ENGINE_QUERY_CACHE_BYTES_S64, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, OF(cache_bytes),
                NULL},
        {INT, PRIM_ENGINE_QUERY_CACHE_LINE_BYTES_S32, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
                OF(cache_line_bytes), NULL},
        {INT, PRIM_ENGINE_QUERY_BASE_ALIGNMENT_BITS_S32, CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                OF(base_alignment_bits), NULL},
        {BOOL, PRIM_ENGINE_QUERY_HAS_DEDICATED_LOCAL_BOOL, 0, OF(has_dedicated_local), NULL},
        {BOOL, PRIM_ENGINE_QUERY_HAS_UNIFIED_MEMORY_BOOL, CL_DEVICE_HOST_UNIFIED_MEMORY,
                OF(has_unified_memory), NULL},
        {BOOL, PRIM_ENGINE_QUERY_HAS_OUT_OF_ORDER_QUEUES_BOOL, 0, OF(has_out_of_order_queues),
                NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_GROUP_ITEMS_S64, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                OF(max_group_items), NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_GROUP_X_S64, 0, OF(max_group_item_sizes[0]), NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_GROUP_Y_S64, 0, OF(max_group_item_sizes[1]), NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_GROUP_Z_S64, 0, OF(max_group_item_sizes[2]), NULL},
        {SIZE, PRIM_ENGINE_QUERY_GROUP_MULTIPLE_S64, QUERY_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                OF(group_items_multiple), NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_PARAMETER_BYTES_S64, CL_DEVICE_MAX_PARAMETER_SIZE,
                OF(max_parameter_bytes), NULL},

        {INT, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I8_S32, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
                OF(vector_width_i8), NULL},
        {INT, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I16_S32, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
                OF(vector_width_i16), NULL},
        {INT, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I32_S32, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
                OF(vector_width_i32), NULL},
        {INT, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I64_S32, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
                OF(vector_width_i64), NULL},
        {INT, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F16_S32, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
                OF(vector_width_f16), NULL},
        {INT, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F32_S32, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
                OF(vector_width_f32), NULL},
        {INT, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F64_S32, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
                OF(vector_width_f64), NULL},
        {INT, PRIM_ENGINE_QUERY_NATIVE_WIDTH_I8_S32, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
                OF(native_width_i8), NULL},
        {INT, PRIM_ENGINE_QUERY_NATIVE_WIDTH_I16_S32, CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
                OF(native_width_i16), NULL},
        {INT, PRIM_ENGINE_QUERY_NATIVE_WIDTH_I32_S32, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
                OF(native_width_i32), NULL},
        {INT, PRIM_ENGINE_QUERY_NATIVE_WIDTH_I64_S32, CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
                OF(native_width_i64), NULL},
        {INT, PRIM_ENGINE_QUERY_NATIVE_WIDTH_F16_S32, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
                OF(native_width_f16), NULL},
        {INT, PRIM_ENGINE_QUERY_NATIVE_WIDTH_F32_S32, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                OF(native_width_f32), NULL},
        {INT, PRIM_ENGINE_QUERY_NATIVE_WIDTH_F64_S32, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                OF(native_width_f64), NULL},

        {BOOL, PRIM_ENGINE_QUERY_HAS_F64_BOOL, CL_DEVICE_DOUBLE_FP_CONFIG, OF(has_fp64), NULL},
        {BOOL, PRIM_ENGINE_QUERY_HAS_F16_BOOL, QUERY_HALF_FP_CONFIG, OF(has_fp16), "cl_khr_fp16"},
        {BOOL, PRIM_ENGINE_QUERY_HAS_IMAGES_BOOL, CL_DEVICE_IMAGE_SUPPORT, OF(has_images), NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_IMAGE_WIDTH_S64, CL_DEVICE_IMAGE2D_MAX_WIDTH,
                OF(max_image2d_width), NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_IMAGE_HEIGHT_S64, CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                OF(max_image2d_height), NULL},
        {SIZE, PRIM_ENGINE_QUERY_MAX_IMAGE_BUFFER_S64, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                OF(max_image_buffer_pixels), NULL},
        {INT, PRIM_ENGINE_QUERY_MAX_READ_IMAGES_S32, CL_DEVICE_MAX_READ_IMAGE_ARGS,
                OF(max_read_images), NULL},
        {INT, PRIM_ENGINE_QUERY_MAX_WRITE_IMAGES_S32, CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                OF(max_write_images), NULL},
        {INT, PRIM_ENGINE_QUERY_MAX_SAMPLERS_S32, CL_DEVICE_MAX_SAMPLERS, OF(max_samplers), NULL},
        {INT, PRIM_ENGINE_QUERY_IMAGE_PITCH_ALIGNMENT_S32, QUERY_IMAGE_PITCH_ALIGNMENT,
                OF(image_pitch_alignment), NULL},
        {INT, PRIM_ENGINE_QUERY_IMAGE_BASE_ALIGNMENT_S32, QUERY_IMAGE_BASE_ADDRESS_ALIGNMENT,
                OF(image_base_alignment), NULL},
        {BOOL, PRIM_ENGINE_QUERY_HAS_SUBGROUPS_BOOL, 0, OF(has_subgroups), NULL},
        {INT, PRIM_ENGINE_QUERY_MAX_SUBGROUPS_S32, QUERY_MAX_NUM_SUB_GROUPS, OF(max_subgroups),
                NULL},
        {BOOL, PRIM_ENGINE_QUERY_HAS_INT_DOT_BOOL, 0, OF(has_int_dot), NULL},
        {U64, PRIM_ENGINE_QUERY_INT_DOT_S64, QUERY_INT_DOT_CAPABILITIES, OF(int_dot_capabilities),
                "cl_khr_integer_dot_product"},
        {BOOL, PRIM_ENGINE_QUERY_HAS_FAST_INT_DOT_BOOL, 0, OF(has_fast_int_dot), NULL},
        {BOOL, PRIM_ENGINE_QUERY_HAS_COMMAND_BUFFER_BOOL, 0, OF(has_command_buffer), NULL},
        {U64, PRIM_ENGINE_QUERY_COMMAND_BUFFER_S64, QUERY_COMMAND_BUFFER_CAPABILITIES,
                OF(command_buffer_capabilities), "cl_khr_command_buffer"},
        {U64, PRIM_ENGINE_QUERY_SVM_S64, QUERY_SVM_CAPABILITIES, OF(svm_capabilities), NULL},
        {U64, PRIM_ENGINE_QUERY_USM_HOST_S64, QUERY_USM_HOST_CAPABILITIES, OF(usm_host),
                "cl_intel_unified_shared_memory"},
        {U64, PRIM_ENGINE_QUERY_USM_DEVICE_S64, QUERY_USM_DEVICE_CAPABILITIES, OF(usm_device),
                "cl_intel_unified_shared_memory"},
        {U64, PRIM_ENGINE_QUERY_USM_SHARED_S64, QUERY_USM_SHARED_CAPABILITIES, OF(usm_shared),
                "cl_intel_unified_shared_memory"},

        {INT, PRIM_ENGINE_QUERY_NV_CAPABILITY_MAJOR_S32, QUERY_NV_COMPUTE_CAPABILITY_MAJOR,
                OF(nv_capability_major), "cl_nv_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_NV_CAPABILITY_MINOR_S32, QUERY_NV_COMPUTE_CAPABILITY_MINOR,
                OF(nv_capability_minor), "cl_nv_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_NV_WARP_ITEMS_S32, QUERY_NV_WARP_SIZE, OF(nv_warp_items),
                "cl_nv_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_NV_GROUP_REGISTERS_S32, QUERY_NV_REGISTERS_PER_BLOCK,
                OF(nv_group_registers), "cl_nv_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_AMD_GFXIP_MAJOR_S32, QUERY_AMD_GFXIP_MAJOR, OF(amd_gfxip_major),
                "cl_amd_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_AMD_GFXIP_MINOR_S32, QUERY_AMD_GFXIP_MINOR, OF(amd_gfxip_minor),
                "cl_amd_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_AMD_WAVEFRONT_ITEMS_S32, QUERY_AMD_WAVEFRONT_WIDTH,
                OF(amd_wavefront_items), "cl_amd_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_AMD_UNIT_SIMDS_S32, QUERY_AMD_SIMD_PER_COMPUTE_UNIT,
                OF(amd_unit_simds), "cl_amd_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_INTEL_IP_VERSION_S32, QUERY_INTEL_IP_VERSION, OF(intel_ip_version),
                "cl_intel_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_INTEL_SLICES_S32, QUERY_INTEL_NUM_SLICES, OF(intel_slices),
                "cl_intel_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_INTEL_SLICE_SUBSLICES_S32, QUERY_INTEL_NUM_SUB_SLICES_PER_SLICE,
                OF(intel_slice_subslices), "cl_intel_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_INTEL_SUBSLICE_EUS_S32, QUERY_INTEL_NUM_EUS_PER_SUB_SLICE,
                OF(intel_subslice_eus), "cl_intel_device_attribute_query"},
        {INT, PRIM_ENGINE_QUERY_INTEL_EU_THREADS_S32, QUERY_INTEL_NUM_THREADS_PER_EU,
                OF(intel_eu_threads), "cl_intel_device_attribute_query"},
        {U64, PRIM_ENGINE_QUERY_INTEL_FEATURES_S64, QUERY_INTEL_FEATURE_CAPABILITIES,
                OF(intel_features), "cl_intel_device_attribute_query"},
};
enum { NROWS = sizeof rows / sizeof rows[0] };

bool prim__ocl_device_is_told(ocl_device_t *device, cl_int code)
{
    const bool is_failure = code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
    if (is_failure && device->query_code == CL_SUCCESS) device->query_code = code;
    return code == CL_SUCCESS;
}

uint64_t prim__ocl_device_number(ocl_device_t *device, cl_device_info what)
{
    union {
        uint64_t u64;
        uint32_t u32;
    } value = {0};
    size_t bytes = 0;
    const cl_int code = clGetDeviceInfo(device->id, what, sizeof value, &value, &bytes);
    if (!prim__ocl_device_is_told(device, code)) return 0;
    return bytes == sizeof value.u32 ? value.u32 : value.u64;
}

static bool has_word(const char *words, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = words; (at = strstr(at, name)) != NULL; at += length) {
        const bool starts = at == words || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
}

bool prim__ocl_device_has_extension(const ocl_device_t *device, const char *name)
{
    return has_word(device->extensions, name) || has_word(device->language_features, name);
}

static bool is_there(const ocl_device_t *device, const row_t *row)
{
    return !row->extension || prim__ocl_device_has_extension(device, row->extension);
}

void prim__ocl_traits_init(ocl_device_t *device)
{
    for (size_t i = 0; i < NROWS; ++i) {
        const row_t *const row = &rows[i];
        if (row->asked == 0 || !is_there(device, row)) continue;
        const uint64_t value = prim__ocl_device_number(device, row->asked);
        char *const place = (char *)device + row->offset;
        switch (row->field) {
        case TEXT: break;
        case INT: *(int *)(void *)place = (int)value; break;
        case SIZE: *(size_t *)(void *)place = (size_t)value; break;
        case U64: *(uint64_t *)(void *)place = value; break;
        case BOOL: *(bool *)place = value != 0; break;
        }
    }
}

prim_status_t prim__ocl_traits_query(
        const ocl_device_t *device, prim_engine_query_t what, void *result)
{
    const row_t *row = rows;
    while (row < rows + NROWS && row->query != what) ++row;
    if (row == rows + NROWS || (row->field != BOOL && !is_there(device, row))) {
        return prim__fail(
                PRIM_UNIMPLEMENTED, "device %s has no property %d", device->name, (int)what);
    }
    const char *const place = (const char *)device + row->offset;
    switch (row->field) {
    case TEXT: *(const char **)result = *(char *const *)(const void *)place; break;
    case INT: *(int *)result = *(const int *)(const void *)place; break;
    case SIZE: *(int64_t *)result = (int64_t) * (const size_t *)(const void *)place; break;
    case U64: *(int64_t *)result = (int64_t) * (const uint64_t *)(const void *)place; break;
    case BOOL: *(bool *)result = *(const bool *)place; break;
    }
    return PRIM_SUCCESS;
}
