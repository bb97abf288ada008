// SPDX-License-Identifier: Apache-2.0
// Markers in queues, and the points in time that they stand for.
#include "ocl_queue_watch.h"

#include <stddef.h>

void prim__ocl_queue_watch_add(
        ocl_queue_watch_t *watch, ocl_watched_queue_t *watched, cl_command_queue queue)
{
    *watched = (ocl_watched_queue_t){.next = watch->queues, .queue = queue, .passed = watch->now};
    watch->queues = watched;
}

static void drop_marker(ocl_watched_queue_t *watched)
{
    if (watched->marker) clReleaseEvent(watched->marker);
    watched->marker = NULL;
}

void prim__ocl_queue_watch_remove(ocl_queue_watch_t *watch, ocl_watched_queue_t *watched)
{
    drop_marker(watched);
    ocl_watched_queue_t **at = &watch->queues;
    while (*at && *at != watched) at = &(*at)->next;
    if (*at) *at = watched->next;
}

uint64_t prim__ocl_queue_watch_tick(ocl_queue_watch_t *watch)
{
    return ++watch->now;
}

void prim__ocl_queue_watch_note(ocl_watched_queue_t *watched, uint64_t moment)
{
    if (watched->passed < moment) watched->passed = moment;
}

uint64_t prim__ocl_queue_watch_passed(const ocl_queue_watch_t *watch)
{
    uint64_t passed = watch->now;
    for (const ocl_watched_queue_t *w = watch->queues; w; w = w->next) {
        if (w->passed < passed) passed = w->passed;
    }
    return passed;
}

// A marker that failed has ended too, and so has everything before it.
static void look_at_marker(ocl_watched_queue_t *watched)
{
    cl_int state = CL_QUEUED;
    const cl_int code = clGetEventInfo(
            watched->marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (code != CL_SUCCESS || state > CL_COMPLETE) return;
    prim__ocl_queue_watch_note(watched, watched->marked);
    drop_marker(watched);
}

// Without a wait list a marker waits for all that was enqueued before it, out of order as well. A
// queue that takes none is not known to have passed: its buffers are not used again.
static void enqueue_marker(ocl_watched_queue_t *watched, uint64_t now)
{
    cl_event marker = NULL;
    if (clEnqueueMarkerWithWaitList(watched->queue, 0, NULL, &marker) != CL_SUCCESS) return;
    (void)clFlush(watched->queue);
    watched->marker = marker;
    watched->marked = now;
}

void prim__ocl_queue_watch_poll(ocl_queue_watch_t *watch, uint64_t moment)
{
    for (ocl_watched_queue_t *w = watch->queues; w; w = w->next) {
        if (w->marker) look_at_marker(w);
        if (w->passed >= moment || w->marker) continue;
        enqueue_marker(w, watch->now);
        if (w->marker) look_at_marker(w);
    }
}
