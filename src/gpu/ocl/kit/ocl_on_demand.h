// SPDX-License-Identifier: Apache-2.0
// Kernels that few executions need, such as the one for tensors of any start beside the one for
// aligned tensors: built by the first execution that asks, instead of doubling the time of every
// prim_create(). prim__ocl_primitive_add_on_demand() gives one to a primitive.
#ifndef PRIM_OCL_ON_DEMAND_H
#define PRIM_OCL_ON_DEMAND_H

#include "gpu/ocl/launch/ocl_kernel.h"

typedef struct ocl_on_demand ocl_on_demand_t;

/// Keeps what prim__ocl_kernel_create() needs; `options` is copied, the others live as long as the
/// engine.
prim_status_t prim__ocl_on_demand_create(ocl_on_demand_t **on_demand, const prim_engine_t *engine,
        const ocl_source_t *source, const ocl_options_t *options, const char *name);
/// The kernel, built now if it was not yet. Any thread; those that come meanwhile wait. A build
/// that failed is tried again by the next call. The kernel lives as long as `on_demand`.
prim_status_t prim__ocl_on_demand_get(const ocl_kernel_t **kernel, ocl_on_demand_t *on_demand);
/// The kernel if it was built, else NULL.
const ocl_kernel_t *prim__ocl_on_demand_peek(ocl_on_demand_t *on_demand);
void prim__ocl_on_demand_destroy(ocl_on_demand_t *on_demand);

#endif
