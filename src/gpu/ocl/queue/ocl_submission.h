// SPDX-License-Identifier: Apache-2.0
// The commands of one execution: the events they wait for and the events they create. Every
// command that an implementation enqueues goes through here:
//
//     ocl_command_t command;
//     TRY(prim__ocl_command_begin(&command, ctx));
//     OCL_TRY(clEnqueue…(command.queue, …, command.nwaits, command.waits, command.event_out));
//     return prim__ocl_command_end(&command, ctx);
//
// On an in-order queue, if the caller wants no event, this costs nothing and creates no event. On
// an out-of-order queue each command waits for the execution's previous one.
#ifndef PRIM_OCL_SUBMISSION_H
#define PRIM_OCL_SUBMISSION_H

#include <CL/cl.h>

#include "common/impl.h"

struct ocl_nodes; // what a recording writes down: ocl_nodes.h

/// exec_ctx_t.submission, on the submitting thread's stack; zeroed at first.
typedef struct {
    cl_uint nwaits;
    const cl_event *waits;   ///< what the next command waits for; borrowed, NULL without any
    bool leaves_events;      ///< commands have events, the latest is kept
    bool is_unordered;       ///< each command waits for the one before
    cl_event last;           ///< owned; of the latest command
    cl_event joined[2];      ///< owned; what `waits` points to where more was added
    struct ocl_nodes *nodes; ///< commands go here instead of to the queue; NULL: to the queue
} ocl_submission_t;

typedef struct {
    cl_command_queue queue;
    cl_uint nwaits;
    const cl_event *waits;
    cl_event event, *event_out; ///< event_out points to `event`, or is NULL if no event is needed
} ocl_command_t;

/// @retval PRIM_UNIMPLEMENTED the execution is being recorded, which kernels and transfers can be
prim_status_t prim__ocl_command_begin(ocl_command_t *command, const exec_ctx_t *ctx);
/// After an enqueue that succeeded; what failed needs nothing.
prim_status_t prim__ocl_command_end(ocl_command_t *command, const exec_ctx_t *ctx);

/// Makes the execution's first command wait for one more event (of its engine's context). Before
/// the first command, on out-of-order streams.
prim_status_t prim__ocl_submission_wait_for(const exec_ctx_t *ctx, cl_event event);
/// The event of the latest command, borrowed; NULL where no events are left.
cl_event prim__ocl_submission_last(const exec_ctx_t *ctx);

/// Where the execution's commands are written down instead of enqueued, or NULL.
struct ocl_nodes *prim__ocl_submission_nodes(const exec_ctx_t *ctx);

/// See engine_ops_t.
prim_status_t prim__ocl_exec_begin(exec_ctx_t *ctx, exec_state_t *state);
prim_status_t prim__ocl_exec_end(exec_ctx_t *ctx, exec_state_t *state, prim_status_t st);

#endif
