// SPDX-License-Identifier: Apache-2.0
// What a device can do, asked once for each engine. Vendors appear nowhere else, and only to rank
// candidates; variants look at traits.
#ifndef PRIM_OCL_DEVICE_H
#define PRIM_OCL_DEVICE_H

#include <CL/cl.h>

#include "common/status.h"

/// Constant after prim__ocl_device_init(). Everything downstream obeys these numbers rather than
/// the device: a test that wants a smaller one lowers them in the engine's copy
/// (`prim__ocl_engine(e)-> device`) before anything is made on the engine. The has_… of features
/// that ocl_feature.h tests are the device's claims; variants ask prim__ocl_device_trusts().
typedef struct {
    cl_platform_id platform;
    cl_device_id id;
    char *name, *platform_name, *vendor, *driver_version, *device_version, *extensions; ///< owned

    cl_device_type type;
    bool is_cpu; ///< work-items of a group run one after the other on one core: few, fat groups
    bool has_dedicated_local; ///< local memory is faster than global memory
    bool has_unified_memory;  ///< host and device share their memory
    bool has_images, has_fp64, has_fp16, has_subgroups, has_int_dot;
    bool has_out_of_order_queues;

    int opencl_major, opencl_minor;     ///< what the host calls may be
    int opencl_c_major, opencl_c_minor; ///< of kernels without -cl-std
    int address_bits;
    int compute_units;
    int max_work_item_dims;
    size_t max_group_items;         ///< work-items in a group; a kernel's own limit may be lower
    size_t max_group_item_sizes[3]; ///< in each dimension of a group
    size_t max_parameter_bytes;     ///< of all arguments of a kernel
    uint64_t local_bytes, global_bytes, max_allocation_bytes, max_constant_bytes;
    size_t max_image2d_width, max_image2d_height;
    int vector_width_i8, vector_width_i16, vector_width_i32, vector_width_f32; ///< preferred
    size_t timer_resolution_ns;
    cl_int query_code; ///< of the first query that failed while these were asked
} ocl_device_t;

/// Asks everything. A device that fails a mandatory query is PRIM_RUNTIME_ERROR; what an older
/// device does not know is "no" or 0.
prim_status_t prim__ocl_device_init(ocl_device_t *device, cl_platform_id platform, cl_device_id id);
void prim__ocl_device_fini(ocl_device_t *device);

/// Whether activations should lie in images where the user leaves the layout open: GPUs that share
/// the host's memory and whose local memory is plain global memory, so that the texture cache is
/// the one next to their cores (phones). The only place that prefers images; implementations on
/// them look nowhere else.
bool prim__ocl_device_prefers_images(const ocl_device_t *device);

/// Whether the extension string holds the whole word `name`.
bool prim__ocl_device_has_extension(const ocl_device_t *device, const char *name);

#endif
