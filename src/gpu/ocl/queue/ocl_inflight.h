// SPDX-License-Identifier: Apache-2.0
// Executions whose failure only their event reports: those on out-of-order queues, and those that
// wait for events. Their events are kept until the stream is waited for, or until a sweep finds
// them complete.
#ifndef PRIM_OCL_INFLIGHT_H
#define PRIM_OCL_INFLIGHT_H

#include <CL/cl.h>
#include <pthread.h>

#include "common/status.h"

/// Zeroed at first. Any thread may call any function but init and fini.
typedef struct {
    pthread_mutex_t lock;
    cl_event *events; ///< owned; of executions not known to be done
    size_t nevents, room;
    cl_int failure;       ///< status of the first that failed since the last finish, or CL_SUCCESS
    cl_int query_failure; ///< the same of clGetEventInfo itself
} ocl_inflight_t;

prim_status_t prim__ocl_inflight_init(ocl_inflight_t *inflight);
/// Retains the event. Never fails: without memory it waits for what is in flight.
void prim__ocl_inflight_add(ocl_inflight_t *inflight, cl_event event);
/// Waits for every event. PRIM_RUNTIME_ERROR with a sentence if an execution failed since the last
/// call.
prim_status_t prim__ocl_inflight_finish(ocl_inflight_t *inflight);
void prim__ocl_inflight_fini(ocl_inflight_t *inflight);

#endif
