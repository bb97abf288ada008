// SPDX-License-Identifier: Apache-2.0
// Kernels that many threads may launch at once, and launch ranges. Implementations launch kernels
// by ocl_launch.h.
#ifndef PRIM_OCL_KERNEL_H
#define PRIM_OCL_KERNEL_H

#include "gpu/ocl/program/ocl_options.h"
#include "gpu/ocl/program/ocl_program.h"
#include "ocl_args.h"

/// What the compiled kernel can do on its device. Constant after creation.
typedef struct {
    const char *name; ///< the function's, as given
    const ocl_device_t *device;
    size_t max_group_items;      ///< largest group it can be launched with
    size_t group_items_multiple; ///< groups should be multiples of it (the width of a warp)
    uint64_t local_bytes;        ///< static local memory it uses
    uint64_t private_bytes; ///< spilled or private memory of a work-item, if the driver reports it
    struct ocl_kernel_state *state; ///< the cl_kernel, its lock, what was set last
} ocl_kernel_t;

prim_status_t prim__ocl_kernel_create(ocl_kernel_t **kernel, const prim_engine_t *engine,
        const ocl_source_t *source, const ocl_options_t *options, const char *name);
/// Adds what every program of a device is built with; prim__ocl_kernel_create() does.
void prim__ocl_kernel_add_options(ocl_options_t *options, const ocl_device_t *device);
/// The same function with arguments of its own.
prim_status_t prim__ocl_kernel_clone(ocl_kernel_t **clone, const ocl_kernel_t *kernel);
void prim__ocl_kernel_destroy(ocl_kernel_t *kernel);
/// The program it is of, borrowed.
prim_status_t prim__ocl_kernel_get_program(cl_program *program, const ocl_kernel_t *kernel);

/// Work-items. `global` is rounded up to multiples of `local` by who fills it; kernels guard their
/// tails. local[0] == 0 leaves the group to the driver.
typedef struct {
    int ndims;
    size_t global[3], local[3];
} ocl_range_t;

/// A one-dimensional range for `nitems` independent work-items (get_global_id(0) ≥ nitems: return):
/// on GPUs groups of up to 256, on CPU-type devices of 64 or, with many work-items, of 1024.
ocl_range_t prim__ocl_range_1d(const ocl_kernel_t *kernel, int64_t nitems);
/// The same for work-items of a few loads and stores and little else: GPUs begin and end smaller
/// groups.
ocl_range_t prim__ocl_range_short(const ocl_kernel_t *kernel, int64_t nitems);
/// As many groups as given, each of `local` work-items (≤ kernel->max_group_items).
ocl_range_t prim__ocl_range_groups(int64_t ngroups, size_t local);
/// Group of lx×ly×lz work-items; global sizes rounded up. Put the largest extent in x: y and z may
/// be limited to 65535 groups.
ocl_range_t prim__ocl_range_3d(int64_t nx, int64_t ny, int64_t nz, size_t lx, size_t ly, size_t lz);
/// A power of two ≤ `wanted` that is legal as a one-dimensional group of the kernel.
size_t prim__ocl_group_items(const ocl_kernel_t *kernel, size_t wanted);

/// Sets the arguments and enqueues on ctx->stream, under the kernel's lock. The range has
/// work-items.
prim_status_t prim__ocl_kernel_enqueue(const exec_ctx_t *ctx, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args);

/// The halves of it, for a kernel that one thread uses at a time.
prim_status_t prim__ocl_kernel_set_args(const ocl_kernel_t *kernel, const ocl_args_t *args);
/// Sets another value of a parameter that was set as a `long` before.
prim_status_t prim__ocl_kernel_set_i64(const ocl_kernel_t *kernel, int i, int64_t value);
/// Enqueues with the arguments set before.
prim_status_t prim__ocl_kernel_enqueue_prepared(
        const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const ocl_range_t *range);

/// Fails as the launch would where the number of arguments, a kind or the size of a value is not
/// the kernel's; enqueues nothing, and buffers may be missing.
prim_status_t prim__ocl_kernel_check_args(const ocl_kernel_t *kernel, const ocl_args_t *args);

#endif
