// SPDX-License-Identifier: Apache-2.0
// What a device can do, queried once for each engine. Vendors appear nowhere else, and only to rank
// candidates; variants look at traits.
#ifndef PRIM_OCL_DEVICE_H
#define PRIM_OCL_DEVICE_H

#include <CL/cl.h>

#include "common/status.h"

typedef void (*ocl_function_t)(void);
typedef void *(CL_API_CALL *ocl_usm_alloc_host_t)(
        cl_context, const cl_ulong *properties, size_t bytes, cl_uint alignment, cl_int *code);
typedef void *(CL_API_CALL *ocl_usm_alloc_t)(cl_context, cl_device_id, const cl_ulong *properties,
        size_t bytes, cl_uint alignment, cl_int *code);
typedef cl_int(CL_API_CALL *ocl_usm_free_t)(cl_context, void *);
typedef cl_int(CL_API_CALL *ocl_usm_get_info_t)(
        cl_context, const void *, cl_uint what, size_t room, void *value, size_t *bytes);
typedef cl_int(CL_API_CALL *ocl_usm_set_arg_t)(cl_kernel, cl_uint index, const void *);
typedef cl_int(CL_API_CALL *ocl_usm_fill_t)(cl_command_queue, void *, const void *pattern,
        size_t pattern_bytes, size_t bytes, cl_uint nwaits, const cl_event *waits, cl_event *);
typedef cl_int(CL_API_CALL *ocl_usm_copy_t)(cl_command_queue, cl_bool is_blocking, void *dst,
        const void *src, size_t bytes, cl_uint nwaits, const cl_event *waits, cl_event *);

/// The functions of cl_intel_unified_shared_memory that the platform gives; NULL without.
typedef struct {
    ocl_usm_alloc_host_t alloc_host;
    ocl_usm_alloc_t alloc_device, alloc_shared;
    ocl_usm_free_t free;
    ocl_usm_get_info_t get_info;
    ocl_usm_set_arg_t set_arg;
    ocl_usm_fill_t fill;
    ocl_usm_copy_t copy;
} ocl_usm_functions_t;

struct ocl_measured;

/// Constant after prim__ocl_device_init(). Everything downstream obeys these numbers rather than
/// the device: a test that needs a smaller one lowers them in the engine's copy
/// (`prim__ocl_engine(e)-> device`) before anything is made on the engine. The has_… of features
/// that ocl_feature.h tests are the device's claims; variants query prim__ocl_device_trusts().
typedef struct {
    cl_platform_id platform;
    cl_device_id id;
    char *name, *platform_name, *vendor, *driver_version, *device_version; ///< owned, as the next
    char *platform_version;
    char *language_version, *extensions, *language_features; ///< the last two: words

    cl_device_type type;
    /// Work-items of a group run one after the other on one core, with its vector registers and
    /// cache: few work-items, wide vectors, no barriers. What follows from something else has a
    /// trait below.
    bool is_cpu;
    bool waits_hold_cores;    ///< a work-group that waits for another keeps others from running
    bool splits_unaligned;    ///< an access that may be unaligned becomes one for each element
    bool keeps_structs;       ///< a struct passed by value is read where the arguments are: no load
    bool compiles_each_group; ///< a kernel is compiled again for each work-group size it is run
                              ///< with
    bool has_dedicated_local; ///< local memory is faster than global memory
    bool has_unified_memory;  ///< host and device share their memory
    bool has_images, has_fp64, has_fp16, has_subgroups, has_int_dot, has_command_buffer;
    bool has_out_of_order_queues;

    int opencl_major, opencl_minor;     ///< what the host calls may be
    int opencl_c_major, opencl_c_minor; ///< of kernels without -cl-std
    int address_bits;
    int compute_units, clock_mhz;
    size_t max_group_items;         ///< work-items in a group; a kernel's own limit may be lower
    size_t max_group_item_sizes[3]; ///< in each dimension of a group
    size_t group_items_multiple;    ///< of most kernels; 0: unknown
    size_t max_parameter_bytes;     ///< of all arguments of a kernel
    uint64_t local_bytes, global_bytes, max_allocation_bytes, max_constant_bytes;
    uint64_t cache_bytes; ///< of global memory
    int cache_line_bytes;
    int base_alignment_bits; ///< of the start of a sub-buffer
    size_t timer_resolution_ns;

    size_t max_image2d_width, max_image2d_height; ///< pixels
    size_t max_image_buffer_pixels;
    int max_read_images, max_write_images, max_samplers;      ///< arguments of a kernel
    int image_pitch_alignment, image_base_alignment;          ///< of images of buffers, pixels
    int vector_width_i8, vector_width_i16, vector_width_i32;  ///< preferred
    int vector_width_i64, vector_width_f16, vector_width_f32; ///< preferred
    int vector_width_f64;                                     ///< preferred
    int native_width_i8, native_width_i16, native_width_i32, native_width_i64;
    int native_width_f16, native_width_f32, native_width_f64;

    int max_subgroups;             ///< in a group
    uint64_t int_dot_capabilities; ///< bit 0: four packed 8-bit integers; bit 1: vectors of them
    bool has_fast_int_dot;         ///< in hardware, of packed signed integers
    uint64_t command_buffer_capabilities, svm_capabilities;
    uint64_t usm_host, usm_device, usm_shared; ///< cl_intel_unified_shared_memory: access bits
    ocl_usm_functions_t usm;

    // 0 without the vendor's extension.
    int nv_capability_major, nv_capability_minor, nv_warp_items, nv_group_registers;
    int amd_gfxip_major, amd_gfxip_minor, amd_wavefront_items, amd_unit_simds;
    int intel_ip_version, intel_slices, intel_slice_subslices, intel_subslice_eus, intel_eu_threads;
    uint64_t intel_features; ///< bit 0: dp4a, bit 1: dpas

    cl_int query_code; ///< of the first query that failed

    struct ocl_measured *measured; ///< owned by the engine: numbers of the family (ocl_measured.h)
} ocl_device_t;

/// Asks everything. A device that fails a mandatory query is PRIM_RUNTIME_ERROR; what an older
/// device does not know is "no" or 0.
prim_status_t prim__ocl_device_init(ocl_device_t *device, cl_platform_id platform, cl_device_id id);
void prim__ocl_device_fini(ocl_device_t *device);

/// The family of devices whose measured numbers are this one's, by the name of its table
/// (tune/tables); NULL: nobody has measured one. Ranks, as the next two.
const char *prim__ocl_device_family(const ocl_device_t *device);
/// Whether the compiler has an option that limits the registers of a work-item.
bool prim__ocl_device_limits_registers(const ocl_device_t *device);
/// The limit, a multiple of 8, that keeps so many work-groups of so many work-items resident on a
/// compute unit at once; 0 where the compiler has no such option or registers are not reported.
int prim__ocl_device_registers_for(const ocl_device_t *device, int ngroups, int group_items);

/// Whether activations should lie in images where the user leaves the layout open: GPUs that share
/// the host's memory and whose local memory is plain global memory, so that the texture cache is
/// the one next to their cores (phones). The only place that prefers images; implementations on
/// them look nowhere else.
bool prim__ocl_device_prefers_images(const ocl_device_t *device);

/// Whether sub-groups exchange values and read blocks as cheaply as work-items read local memory:
/// GPUs whose vendor has made such reads an extension. Ranks, as the one above.
bool prim__ocl_device_prefers_subgroups(const ocl_device_t *device);

/// Whether kernels may multiply packed 8-bit integers by cl_khr_integer_dot_product: the device
/// claims it, and OpenCL C 3.0, of which it is a feature.
bool prim__ocl_device_has_packed_dot(const ocl_device_t *device);

#endif
