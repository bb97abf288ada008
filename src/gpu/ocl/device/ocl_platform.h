// SPDX-License-Identifier: Apache-2.0
// The OpenCL devices of all platforms in the order in which engines are numbered.
#ifndef PRIM_OCL_PLATFORM_H
#define PRIM_OCL_PLATFORM_H

#include <CL/cl.h>

#include "common/status.h"

typedef struct {
    cl_platform_id platform;
    cl_device_id device;
} ocl_listed_device_t;

/// Writes up to `room` devices to `list` (NULL when room is 0) and returns how many there are: GPUs
/// of all platforms, then accelerators, then CPU-type devices. PRIM_OCL_DEVICE narrows the list: an
/// index leaves that one, any other text leaves the devices whose own or whose platform's name
/// contains it, whatever the case. What fails a query is skipped, with a
/// line in the log.
size_t prim__ocl_list_devices(ocl_listed_device_t *list, size_t room);

/// Writes why the list is as long as it is, as " (why)": no platform, no usable device, or what
/// PRIM_OCL_DEVICE leaves of which devices. "" where nothing narrows it.
void prim__ocl_explain_devices(char *text, size_t bytes);

#endif
