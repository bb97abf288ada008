// SPDX-License-Identifier: Apache-2.0
// What the model expects of a device by its traits, where nobody has measured it. Right in the
// order of magnitude, and in the order of what is compared with each other.
#ifndef PRIM_OCL_ESTIMATE_H
#define PRIM_OCL_ESTIMATE_H

#include "gpu/ocl/device/ocl_device.h"

/// Multiplications and additions of f32 that a compute unit does in a cycle.
int prim__ocl_estimate_lanes(const ocl_device_t *device);
/// Compute units, at least 1.
int prim__ocl_estimate_units(const ocl_device_t *device);
/// Work-items for all cores of a CPU-type device, so that none waits long for the last one.
int64_t prim__ocl_estimate_core_items(const ocl_device_t *device);
/// Cycles in so many microseconds.
double prim__ocl_estimate_cycles(const ocl_device_t *device, double us);
/// Products in a cycle of a compute unit that has `peak` of them, of a group with a tile of bm ×
/// bn. It loads bm + bn elements for bm·bn products; an element that takes as long as 24 products
/// is within a quarter of what the tiles of nvidia_sm90.tune do.
double prim__ocl_estimate_tile_rate(double peak, int bm, int bn);

/// Cycles of a product, 1 at least, of a register tile of so many vectors of weights by as many
/// rows as 24 sums leave: a load for each vector and each row, which is half as slow as a product
/// again.
double prim__ocl_register_tile_cost(const ocl_device_t *device, int vectors);

#endif
