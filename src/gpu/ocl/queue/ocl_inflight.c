// SPDX-License-Identifier: Apache-2.0
// A list of events that is swept whenever it is full.
#include "ocl_inflight.h"

#include <string.h>

#include "common/alloc.h"
#include "gpu/ocl/device/ocl_status.h"

prim_status_t prim__ocl_inflight_init(ocl_inflight_t *inflight)
{
    if (pthread_mutex_init(&inflight->lock, NULL) != 0) {
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    return PRIM_SUCCESS;
}

// Releases the events of what is done and notes the first failure. The lock is held.
static void sweep(ocl_inflight_t *inflight)
{
    size_t nleft = 0;
    for (size_t i = 0; i < inflight->nevents; ++i) {
        const cl_event event = inflight->events[i];
        cl_int state = CL_COMPLETE;
        const cl_int code = clGetEventInfo(
                event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        if (code == CL_SUCCESS && state > CL_COMPLETE) {
            inflight->events[nleft++] = event;
            continue;
        }
        if (code != CL_SUCCESS) inflight->query_failure = code;
        if (state < 0 && inflight->failure == CL_SUCCESS) inflight->failure = state;
        clReleaseEvent(event);
    }
    inflight->nevents = nleft;
}

// Each for itself: clWaitForEvents() may return at the first that fails.
static void wait_for_all(ocl_inflight_t *inflight)
{
    for (size_t i = 0; i < inflight->nevents; ++i) clWaitForEvents(1, &inflight->events[i]);
    sweep(inflight);
}

static void make_room(ocl_inflight_t *inflight)
{
    if (inflight->nevents < inflight->room) return;
    sweep(inflight);
    if (inflight->nevents < inflight->room / 2) return;
    const size_t room = inflight->room ? 2 * inflight->room : 64;
    cl_event *const larger = prim__calloc(room * sizeof *larger);
    if (!larger) return;
    if (inflight->nevents) {
        memcpy(larger, inflight->events, inflight->nevents * sizeof *larger);
    }
    prim__free(inflight->events);
    inflight->events = larger;
    inflight->room = room;
}

void prim__ocl_inflight_add(ocl_inflight_t *inflight, cl_event event)
{
    pthread_mutex_lock(&inflight->lock);
    make_room(inflight);
    if (inflight->nevents == inflight->room) wait_for_all(inflight);
    if (inflight->nevents < inflight->room && clRetainEvent(event) == CL_SUCCESS) {
        inflight->events[inflight->nevents++] = event;
    } else if (clWaitForEvents(1, &event) != CL_SUCCESS && inflight->failure == CL_SUCCESS) {
        inflight->failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    pthread_mutex_unlock(&inflight->lock);
}

prim_status_t prim__ocl_inflight_finish(ocl_inflight_t *inflight)
{
    pthread_mutex_lock(&inflight->lock);
    wait_for_all(inflight);
    const cl_int failure = inflight->failure, query_failure = inflight->query_failure;
    inflight->failure = inflight->query_failure = CL_SUCCESS;
    pthread_mutex_unlock(&inflight->lock);
    if (failure != CL_SUCCESS) {
        return prim__fail(PRIM_RUNTIME_ERROR,
                "a command of the stream failed: its event has status %d", (int)failure);
    }
    if (query_failure != CL_SUCCESS) return prim__ocl_fail(query_failure, "clGetEventInfo");
    return PRIM_SUCCESS;
}

void prim__ocl_inflight_fini(ocl_inflight_t *inflight)
{
    for (size_t i = 0; i < inflight->nevents; ++i) clReleaseEvent(inflight->events[i]);
    prim__free(inflight->events);
    pthread_mutex_destroy(&inflight->lock);
}
