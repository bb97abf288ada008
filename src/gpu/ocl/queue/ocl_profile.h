// SPDX-License-Identifier: Apache-2.0
// Device times of a profiling stream's executions, read from the events of their kernels.
#ifndef PRIM_OCL_PROFILE_H
#define PRIM_OCL_PROFILE_H

#include <CL/cl.h>
#include <pthread.h>

#include "common/status.h"

/// Zeroed at first. All but `lock` is guarded by it; the functions expect it held.
typedef struct {
    pthread_mutex_t lock; ///< held from begin to end of an execution
    cl_event *events;     ///< owned; of the kernels whose times were not read yet, oldest first
    size_t nevents, events_room;
    size_t *firsts; ///< owned; of each execution not read yet: the index of its first event
    size_t nfirsts, firsts_room;
    uint64_t *times_ns; ///< owned; of the executions read
    size_t ntimes, times_room;
} ocl_profile_t;

prim_status_t prim__ocl_profile_init(ocl_profile_t *profile);
/// Starts the entry of an execution.
prim_status_t prim__ocl_profile_begin(ocl_profile_t *profile);
/// Adds a kernel to the execution that began last; takes the event's reference, also on failure.
prim_status_t prim__ocl_profile_add(ocl_profile_t *profile, cl_event event);
/// Forgets the execution that began last: it failed, and has no time.
void prim__ocl_profile_cancel(ocl_profile_t *profile);
/// Turns the events of finished executions into times and releases them. The queue must be idle.
prim_status_t prim__ocl_profile_read(ocl_profile_t *profile);
/// Forgets everything, read or not.
void prim__ocl_profile_clear(ocl_profile_t *profile);
/// The entry of an execution that was timed elsewhere, after all that were read.
prim_status_t prim__ocl_profile_append(ocl_profile_t *profile, uint64_t ns);
/// As prim_stream_get_profile(), for what was read.
void prim__ocl_profile_copy(const ocl_profile_t *profile, int *count, uint64_t *ns);
void prim__ocl_profile_fini(ocl_profile_t *profile);

#endif
