// SPDX-License-Identifier: Apache-2.0
// Tells whether every queue of an engine has completed the commands that were enqueued before a
// point in time. Costs nothing while commands are enqueued: a marker is enqueued only when
// the question is asked, and never waited for. Not thread-safe: its owner has a lock.
#ifndef PRIM_OCL_QUEUE_WATCH_H
#define PRIM_OCL_QUEUE_WATCH_H

#include <CL/cl.h>
#include <stdint.h>

/// One queue under watch; lives in its stream. All zero before it is added.
typedef struct ocl_watched_queue {
    struct ocl_watched_queue *next;
    struct ocl_watched_queue *next_live; ///< in the engine's list, behind the engine's lock
    cl_command_queue queue;              ///< the stream's reference keeps it alive
    uint64_t passed;                     ///< everything enqueued before this moment is done
    cl_event marker;                     ///< owned; NULL: none under way
    uint64_t marked;                     ///< the moment at which the marker was enqueued
} ocl_watched_queue_t;

/// All zero is a watch without queues.
typedef struct {
    uint64_t now;
    ocl_watched_queue_t *queues;
} ocl_queue_watch_t;

void prim__ocl_queue_watch_add(
        ocl_queue_watch_t *watch, ocl_watched_queue_t *watched, cl_command_queue queue);
/// After the queue was finished. One that was never added is left alone.
void prim__ocl_queue_watch_remove(ocl_queue_watch_t *watch, ocl_watched_queue_t *watched);

/// A new moment: later than everything enqueued so far by threads that synchronised with this one.
uint64_t prim__ocl_queue_watch_tick(ocl_queue_watch_t *watch);
/// The queue was finished; `moment` is what `now` was before that began.
void prim__ocl_queue_watch_note(ocl_watched_queue_t *watched, uint64_t moment);
/// The latest moment that all queues are known to have passed.
uint64_t prim__ocl_queue_watch_passed(const ocl_queue_watch_t *watch);
/// Looks at the markers under way, and enqueues one where the queue is not known to have passed
/// `moment`, without waiting.
void prim__ocl_queue_watch_poll(ocl_queue_watch_t *watch, uint64_t moment);

#endif
