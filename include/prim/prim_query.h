// SPDX-License-Identifier: Apache-2.0
/// @file prim_query.h
/// The queries of primitive descriptors (prim_query_t) and of engines about their device
/// (prim_engine_query_t). Part of prim.h, which includes it.
#ifndef PRIM_QUERY_H
#define PRIM_QUERY_H

#ifdef __cplusplus
extern "C" {
#endif

/// The queries of prim_desc_query() and prim_desc_query_md(); the suffix or the comment is the type
/// behind the result pointer.
typedef enum {
    PRIM_QUERY_UNDEF = 0,
    PRIM_QUERY_ENGINE = 1,         ///< prim_engine_t *
    PRIM_QUERY_PRIMITIVE_KIND = 2, ///< prim_primitive_kind_t
    /// int: tensors, operands of post-ops, scales and zero points
    PRIM_QUERY_NUM_OF_INPUTS_S32 = 3,
    PRIM_QUERY_NUM_OF_OUTPUTS_S32 = 4,      ///< int
    PRIM_QUERY_TIME_ESTIMATE_F64 = 5,       ///< double, seconds; 0 when unknown
    PRIM_QUERY_MEMORY_CONSUMPTION_S64 = 6,  ///< int64_t, bytes of scratchpad in either mode
    PRIM_QUERY_SCRATCHPAD_ENGINE = 7,       ///< prim_engine_t *
    PRIM_QUERY_IMPL_INFO_STR = 8,           ///< const char *, "ocl:conv:tiled"; what runs inside
                                            ///< comes behind a +: "ocl:ip:matmul+tiled"
    PRIM_QUERY_REORDER_SRC_ENGINE = 9,      ///< prim_engine_t *
    PRIM_QUERY_REORDER_DST_ENGINE = 10,     ///< prim_engine_t *
    PRIM_QUERY_PROP_KIND = 11,              ///< prim_prop_kind_t
    PRIM_QUERY_CACHE_BLOB_ID_SIZE_S64 = 12, ///< int64_t, bytes of the next one
    PRIM_QUERY_CACHE_BLOB_ID = 13,          ///< const uint8_t *, see prim_get_cache_blob()
    PRIM_QUERY_STRIDES = 14,                ///< const prim_dims_t *
    PRIM_QUERY_DILATIONS = 15,              ///< const prim_dims_t *
    PRIM_QUERY_PADDING_L = 16,              ///< const prim_dims_t *
    PRIM_QUERY_PADDING_R = 17,              ///< const prim_dims_t *
    PRIM_QUERY_EPSILON_F32 = 18,            ///< float
    PRIM_QUERY_FLAGS = 19,                  ///< unsigned
    PRIM_QUERY_ALG_KIND = 20,               ///< prim_alg_kind_t
    PRIM_QUERY_ALPHA_F32 = 21,              ///< float
    PRIM_QUERY_BETA_F32 = 22,               ///< float
    PRIM_QUERY_AXIS_S32 = 23,               ///< int
    PRIM_QUERY_LOCAL_SIZE_S64 = 24,         ///< int64_t
    PRIM_QUERY_K_F32 = 25,                  ///< float
    PRIM_QUERY_P_F32 = 26,                  ///< float
    PRIM_QUERY_FACTORS = 27,                ///< const float *, one for each spatial dimension
    PRIM_QUERY_CELL_KIND = 28,              ///< prim_alg_kind_t
    PRIM_QUERY_DIRECTION = 29,              ///< int
    PRIM_QUERY_ACTIVATION_KIND = 30,        ///< prim_alg_kind_t
    PRIM_QUERY_KERNEL = 31,                 ///< const prim_dims_t *
    PRIM_QUERY_GROUP_SIZE_S64 = 32,         ///< int64_t
    PRIM_QUERY_DECLINED_STR = 64, ///< const char *, "name: sentence\n" for each that declined
    // From here on: const prim_memory_desc_t *, through prim_desc_query_md().
    PRIM_QUERY_SRC_MD = 129,
    PRIM_QUERY_DIFF_SRC_MD = 130,
    PRIM_QUERY_WEIGHTS_MD = 131,
    PRIM_QUERY_DIFF_WEIGHTS_MD = 132,
    PRIM_QUERY_DST_MD = 133,
    PRIM_QUERY_DIFF_DST_MD = 134,
    PRIM_QUERY_WORKSPACE_MD = 135,
    PRIM_QUERY_SCRATCHPAD_MD = 136,
    /// index = PRIM_ARG_…, those of post-ops, scales and zero points included (a dense tensor: [1],
    /// or the rank of the argument's with 1 where the mask bit is clear)
    PRIM_QUERY_EXEC_ARG_MD = 255,
} prim_query_t;

/// The queries of prim_engine_query(); the suffix is the type behind the result pointer: _STR const
/// char * (lives as long as the engine), _S32 int, _S64 int64_t, _BOOL bool. Numbers that a device
/// of an older version does not report are 0.
typedef enum {
    PRIM_ENGINE_QUERY_UNDEF = 0,

    /// @name Who it is
    /// @{
    PRIM_ENGINE_QUERY_NAME_STR = 1,           ///< prim_engine_name()
    PRIM_ENGINE_QUERY_VENDOR_STR = 2,         ///< "NVIDIA Corporation"; the processor's maker
    PRIM_ENGINE_QUERY_PLATFORM_STR = 3,       ///< of OpenCL; "openmp", "threadpool", "sequential"
    PRIM_ENGINE_QUERY_KIND_STR = 4,           ///< "gpu", "accelerator", "cpu", "custom"
    PRIM_ENGINE_QUERY_DEVICE_VERSION_STR = 5, ///< "OpenCL 3.0 CUDA"; the processor's model
    PRIM_ENGINE_QUERY_DRIVER_VERSION_STR = 6,
    PRIM_ENGINE_QUERY_LANGUAGE_VERSION_STR = 7,  ///< "OpenCL C 1.2"
    PRIM_ENGINE_QUERY_EXTENSIONS_STR = 8,        ///< words separated by blanks
    PRIM_ENGINE_QUERY_LANGUAGE_FEATURES_STR = 9, ///< of OpenCL C 3.0, likewise
    PRIM_ENGINE_QUERY_ISA_STR = 10,              ///< CPU: a word of PRIM_MAX_CPU_ISA, e.g. "avx2"
    /// Optional features that the device has and that passed their self-test, separated by blanks:
    /// "image_f32 image_f16". Asking runs the tests that were not run yet (doc/devices.md).
    PRIM_ENGINE_QUERY_TRUSTED_STR = 11,
    /// Features that the device claims but that failed their self-test: "half: why\n" for each.
    PRIM_ENGINE_QUERY_DISTRUSTED_STR = 12,
    /// @}

    /// @name How large it is
    /// @{
    PRIM_ENGINE_QUERY_COMPUTE_UNITS_S32 = 32, ///< CPU: threads of a parallel region
    PRIM_ENGINE_QUERY_CLOCK_MHZ_S32 = 33,
    PRIM_ENGINE_QUERY_ADDRESS_BITS_S32 = 34,
    PRIM_ENGINE_QUERY_TIMER_NS_S64 = 35, ///< resolution of profiles
    PRIM_ENGINE_QUERY_GLOBAL_BYTES_S64 = 36,
    PRIM_ENGINE_QUERY_MAX_ALLOCATION_BYTES_S64 = 37,
    PRIM_ENGINE_QUERY_MAX_CONSTANT_BYTES_S64 = 38,
    PRIM_ENGINE_QUERY_LOCAL_BYTES_S64 = 39,
    PRIM_ENGINE_QUERY_CACHE_BYTES_S64 = 40, ///< of global memory; CPU: the last level
    PRIM_ENGINE_QUERY_CACHE_LINE_BYTES_S32 = 41,
    PRIM_ENGINE_QUERY_BASE_ALIGNMENT_BITS_S32 = 42,  ///< of sub-buffers
    PRIM_ENGINE_QUERY_HAS_DEDICATED_LOCAL_BOOL = 43, ///< local memory is not global memory
    PRIM_ENGINE_QUERY_HAS_UNIFIED_MEMORY_BOOL = 44,  ///< host and device share their memory
    PRIM_ENGINE_QUERY_HAS_OUT_OF_ORDER_QUEUES_BOOL = 45,
    PRIM_ENGINE_QUERY_MAX_GROUP_ITEMS_S64 = 46,
    PRIM_ENGINE_QUERY_MAX_GROUP_X_S64 = 47,
    PRIM_ENGINE_QUERY_MAX_GROUP_Y_S64 = 48,
    PRIM_ENGINE_QUERY_MAX_GROUP_Z_S64 = 49,
    PRIM_ENGINE_QUERY_GROUP_MULTIPLE_S64 = 50, ///< groups should be multiples of it
    PRIM_ENGINE_QUERY_MAX_PARAMETER_BYTES_S64 = 51,
    /// @}

    /// @name Vectors: elements that are preferred, and that the registers hold
    /// @{
    PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I8_S32 = 64,
    PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I16_S32 = 65,
    PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I32_S32 = 66,
    PRIM_ENGINE_QUERY_PREFERRED_WIDTH_I64_S32 = 67,
    PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F16_S32 = 68,
    PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F32_S32 = 69,
    PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F64_S32 = 70,
    PRIM_ENGINE_QUERY_NATIVE_WIDTH_I8_S32 = 71,
    PRIM_ENGINE_QUERY_NATIVE_WIDTH_I16_S32 = 72,
    PRIM_ENGINE_QUERY_NATIVE_WIDTH_I32_S32 = 73,
    PRIM_ENGINE_QUERY_NATIVE_WIDTH_I64_S32 = 74,
    PRIM_ENGINE_QUERY_NATIVE_WIDTH_F16_S32 = 75,
    PRIM_ENGINE_QUERY_NATIVE_WIDTH_F32_S32 = 76,
    PRIM_ENGINE_QUERY_NATIVE_WIDTH_F64_S32 = 77,
    /// @}

    /// @name What the device says it has (what of it is used: PRIM_ENGINE_QUERY_TRUSTED_STR)
    /// @{
    PRIM_ENGINE_QUERY_HAS_F64_BOOL = 96,
    PRIM_ENGINE_QUERY_HAS_F16_BOOL = 97,
    PRIM_ENGINE_QUERY_HAS_IMAGES_BOOL = 98,
    PRIM_ENGINE_QUERY_MAX_IMAGE_WIDTH_S64 = 99, ///< of 2-D images, in pixels
    PRIM_ENGINE_QUERY_MAX_IMAGE_HEIGHT_S64 = 100,
    PRIM_ENGINE_QUERY_MAX_IMAGE_BUFFER_S64 = 101, ///< pixels of a 1-D image of a buffer
    PRIM_ENGINE_QUERY_MAX_READ_IMAGES_S32 = 102,  ///< arguments of a kernel
    PRIM_ENGINE_QUERY_MAX_WRITE_IMAGES_S32 = 103,
    PRIM_ENGINE_QUERY_MAX_SAMPLERS_S32 = 104,
    PRIM_ENGINE_QUERY_IMAGE_PITCH_ALIGNMENT_S32 = 105, ///< of a 2-D image of a buffer, in pixels
    PRIM_ENGINE_QUERY_IMAGE_BASE_ALIGNMENT_S32 = 106,
    PRIM_ENGINE_QUERY_HAS_SUBGROUPS_BOOL = 107,
    PRIM_ENGINE_QUERY_MAX_SUBGROUPS_S32 = 108,     ///< in a group
    PRIM_ENGINE_QUERY_SUBGROUP_ITEMS_S32 = 109,    ///< as a built kernel saw it
    PRIM_ENGINE_QUERY_HAS_INT_DOT_BOOL = 110,      ///< cl_khr_integer_dot_product
    PRIM_ENGINE_QUERY_INT_DOT_S64 = 111,           ///< its capabilities, bits as OpenCL has them
    PRIM_ENGINE_QUERY_HAS_FAST_INT_DOT_BOOL = 112, ///< of packed signed 8-bit integers
    PRIM_ENGINE_QUERY_HAS_COMMAND_BUFFER_BOOL = 113,
    PRIM_ENGINE_QUERY_COMMAND_BUFFER_S64 = 114, ///< its capabilities, likewise
    PRIM_ENGINE_QUERY_SVM_S64 = 115,            ///< likewise: 1 coarse-grained buffers, 2 fine, …
    PRIM_ENGINE_QUERY_USM_HOST_S64 = 116, ///< cl_intel_unified_shared_memory: access, likewise
    PRIM_ENGINE_QUERY_USM_DEVICE_S64 = 117,
    PRIM_ENGINE_QUERY_USM_SHARED_S64 = 118,
    /// @}

    /// @name Reported by vendor extensions
    /// @{
    PRIM_ENGINE_QUERY_NV_CAPABILITY_MAJOR_S32 = 128, ///< cl_nv_device_attribute_query
    PRIM_ENGINE_QUERY_NV_CAPABILITY_MINOR_S32 = 129,
    PRIM_ENGINE_QUERY_NV_WARP_ITEMS_S32 = 130,
    PRIM_ENGINE_QUERY_NV_GROUP_REGISTERS_S32 = 131,
    PRIM_ENGINE_QUERY_AMD_GFXIP_MAJOR_S32 = 132, ///< cl_amd_device_attribute_query
    PRIM_ENGINE_QUERY_AMD_GFXIP_MINOR_S32 = 133,
    PRIM_ENGINE_QUERY_AMD_WAVEFRONT_ITEMS_S32 = 134,
    PRIM_ENGINE_QUERY_AMD_UNIT_SIMDS_S32 = 135,
    PRIM_ENGINE_QUERY_INTEL_IP_VERSION_S32 = 136, ///< cl_intel_device_attribute_query
    PRIM_ENGINE_QUERY_INTEL_SLICES_S32 = 137,
    PRIM_ENGINE_QUERY_INTEL_SLICE_SUBSLICES_S32 = 138,
    PRIM_ENGINE_QUERY_INTEL_SUBSLICE_EUS_S32 = 139,
    PRIM_ENGINE_QUERY_INTEL_EU_THREADS_S32 = 140,
    PRIM_ENGINE_QUERY_INTEL_FEATURES_S64 = 141, ///< bits: 1 DP4A, 2 DPAS
    /// @}
} prim_engine_query_t;

#ifdef __cplusplus
}
#endif

#endif
