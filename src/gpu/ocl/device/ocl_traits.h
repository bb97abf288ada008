// SPDX-License-Identifier: Apache-2.0
// The traits of a device as a table: which query of OpenCL fills the field, and which query of Prim
// returns it.
#ifndef PRIM_OCL_TRAITS_H
#define PRIM_OCL_TRAITS_H

#include "ocl_device.h"
#include "prim/prim.h"

/// Asks the numbers of all fields that have a query of their own. Strings are there before.
void prim__ocl_traits_init(ocl_device_t *device);

/// prim_engine_query() for the fields of the table.
/// @retval PRIM_UNIMPLEMENTED no such query, or an extension of the device that is not there
prim_status_t prim__ocl_traits_query(
        const ocl_device_t *device, prim_engine_query_t what, void *result);

/// Notes a query's code; true when it succeeded. What a device does not know is no, or 0; what it
/// failed to return is a failure of prim__ocl_device_init(), for the traits of an engine
/// must not depend on its luck. The first is kept in device->query_code.
bool prim__ocl_device_is_told(ocl_device_t *device, cl_int code);

/// A value of at most 8 bytes; 0 when the device does not know the query.
uint64_t prim__ocl_device_number(ocl_device_t *device, cl_device_info what);

/// Whether the list of extensions, or of OpenCL C's features, has the whole word `name`.
bool prim__ocl_device_has_extension(const ocl_device_t *device, const char *name);

#endif
