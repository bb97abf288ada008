// SPDX-License-Identifier: Apache-2.0
// The queues of an engine's live streams: whoever frees or maps memory waits for all of them.
#ifndef PRIM_OCL_LIVE_QUEUES_H
#define PRIM_OCL_LIVE_QUEUES_H

#include "gpu/ocl/device/ocl_engine.h"
#include "ocl_queue_watch.h"

/// For a new stream: the engine's pool watches the queue from now on.
void prim__ocl_live_queues_add(
        ocl_engine_t *engine, ocl_watched_queue_t *watched, cl_command_queue queue);
/// Before the stream goes, after a clFinish(); `is_finished`: it succeeded.
void prim__ocl_live_queues_remove(
        ocl_engine_t *engine, ocl_watched_queue_t *watched, bool is_finished);
/// Waits for everything on every live queue of the engine.
prim_status_t prim__ocl_live_queues_finish(ocl_engine_t *engine);

#endif
