// SPDX-License-Identifier: Apache-2.0
// Events of an execution's commands, in and out; prim_ocl_execute().
#include "ocl_submission.h"

#include <assert.h>

#include "common/execute.h"
#include "common/recording.h"
#include "ocl_stream.h"
#include "prim/prim_ocl.h"

prim_status_t prim__ocl_command_begin(ocl_command_t *command, const exec_ctx_t *ctx)
{
    const ocl_stream_t *const stream = prim__ocl_stream(ctx->stream);
    const ocl_submission_t *const submission = ctx->submission;
    if (submission && submission->nodes) {
        return prim__fail(PRIM_UNIMPLEMENTED, "a command of the implementation cannot be recorded");
    }
    const bool leaves_event = stream->is_profiling || (submission && submission->leaves_events);
    command->queue = stream->queue;
    command->nwaits = submission ? submission->nwaits : 0;
    command->waits = submission ? submission->waits : NULL;
    command->event = NULL;
    command->event_out = leaves_event ? &command->event : NULL;
    return PRIM_SUCCESS;
}

// The next command waits for this one on an unordered queue, for nothing on an ordered one.
static void advance(ocl_submission_t *submission, cl_event event)
{
    if (submission->last) clReleaseEvent(submission->last);
    submission->last = event;
    submission->nwaits = submission->is_unordered ? 1 : 0;
    submission->waits = submission->is_unordered ? &submission->last : NULL;
}

prim_status_t prim__ocl_command_end(ocl_command_t *command, const exec_ctx_t *ctx)
{
    if (!command->event) return PRIM_SUCCESS;
    ocl_stream_t *const stream = prim__ocl_stream(ctx->stream);
    ocl_submission_t *const submission = ctx->submission;
    const bool is_kept = submission && submission->leaves_events;
    if (is_kept) advance(submission, command->event);
    if (!stream->is_profiling) return PRIM_SUCCESS;
    if (is_kept) OCL_TRY(clRetainEvent(command->event)); // one reference for each of both
    return prim__ocl_profile_add(&stream->profile, command->event);
}

prim_status_t prim__ocl_submission_wait_for(const exec_ctx_t *ctx, cl_event event)
{
    ocl_submission_t *const submission = ctx->submission;
    assert(submission && submission->is_unordered && !submission->last && !submission->joined[0]);
    OCL_TRY(clRetainEvent(event));
    submission->joined[0] = event;
    if (submission->nwaits > 0) {
        OCL_TRY(clEnqueueMarkerWithWaitList(prim__ocl_stream(ctx->stream)->queue,
                submission->nwaits, submission->waits, &submission->joined[1]));
    }
    submission->nwaits = submission->joined[1] ? 2 : 1;
    submission->waits = submission->joined;
    return PRIM_SUCCESS;
}

struct ocl_nodes *prim__ocl_submission_nodes(const exec_ctx_t *ctx)
{
    const ocl_submission_t *const submission = ctx->submission;
    return submission ? submission->nodes : NULL;
}

cl_event prim__ocl_submission_last(const exec_ctx_t *ctx)
{
    const ocl_submission_t *const submission = ctx->submission;
    return submission ? submission->last : NULL;
}

static void release_events(ocl_submission_t *submission)
{
    if (submission->last) clReleaseEvent(submission->last);
    for (int i = 0; i < 2; ++i) {
        if (submission->joined[i]) clReleaseEvent(submission->joined[i]);
    }
}

/// exec_state_t: the submission of an execution that did not bring its own.
typedef struct {
    ocl_submission_t submission; ///< zeroed if `is_own`
    bool is_own;
} own_submission_t;

_Static_assert(sizeof(own_submission_t) <= sizeof(exec_state_t), "a backend's state has room");

// The lock is held until exec_end().
static prim_status_t begin_profile(ocl_profile_t *profile)
{
    pthread_mutex_lock(&profile->lock);
    const prim_status_t st = prim__ocl_profile_begin(profile);
    if (st != PRIM_SUCCESS) pthread_mutex_unlock(&profile->lock);
    return st;
}

// Whether commands leave events: on an in-order queue they are needed only if the caller requests
// them.
static bool is_tracked(const ocl_stream_t *stream, const exec_ctx_t *ctx)
{
    return ctx->submission || stream->is_out_of_order || stream->is_profiling;
}

prim_status_t prim__ocl_exec_begin(exec_ctx_t *ctx, exec_state_t *state)
{
    ocl_stream_t *const stream = prim__ocl_stream(ctx->stream);
    if (!is_tracked(stream, ctx)) return PRIM_SUCCESS;
    if (stream->is_profiling) TRY(begin_profile(&stream->profile));
    own_submission_t *const own = (own_submission_t *)state;
    own->is_own = !ctx->submission;
    if (own->is_own) {
        own->submission = (ocl_submission_t){0};
        ctx->submission = &own->submission;
    }
    ocl_submission_t *const submission = ctx->submission;
    submission->is_unordered = stream->is_out_of_order;
    if (stream->is_out_of_order) submission->leaves_events = true;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_exec_end(exec_ctx_t *ctx, exec_state_t *state, prim_status_t st)
{
    ocl_stream_t *const stream = prim__ocl_stream(ctx->stream);
    if (!is_tracked(stream, ctx)) return st;
    if (stream->is_profiling) {
        if (st != PRIM_SUCCESS) prim__ocl_profile_cancel(&stream->profile);
        pthread_mutex_unlock(&stream->profile.lock);
    }
    ocl_submission_t *const submission = ctx->submission;
    if (submission->last) prim__ocl_inflight_add(&stream->inflight, submission->last);
    if (!((const own_submission_t *)state)->is_own) return st;
    ctx->submission = NULL;
    release_events(submission);
    return st;
}

static prim_status_t check_events(const ocl_engine_t *engine, int ndeps, const cl_event *deps)
{
    CHECK(ndeps >= 0, "ndeps %d is negative", ndeps);
    CHECK(deps || ndeps == 0, "deps is NULL");
    for (int i = 0; i < ndeps; ++i) {
        cl_context context = NULL;
        CHECK(deps[i], "event %d is NULL", i);
        const cl_int code =
                clGetEventInfo(deps[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        CHECK(code != CL_INVALID_EVENT, "handle %d is not an OpenCL event", i);
        if (code != CL_SUCCESS) return prim__ocl_fail(code, "clGetEventInfo");
        CHECK(context == engine->context, "event %d belongs to another context than the engine", i);
    }
    return PRIM_SUCCESS;
}

// The submission's reference of the last command's event becomes the caller's: nothing can fail
// after the commands are enqueued. An execution without commands leaves a marker's.
static prim_status_t pass_event(cl_event *event, const exec_ctx_t *ctx)
{
    ocl_submission_t *const submission = ctx->submission;
    if (submission->last) {
        *event = submission->last;
        submission->last = NULL;
        return PRIM_SUCCESS;
    }
    cl_event marker = NULL;
    OCL_TRY(clEnqueueMarkerWithWaitList(
            prim__ocl_stream(ctx->stream)->queue, submission->nwaits, submission->waits, &marker));
    *event = marker;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_execute(const prim_t *primitive, prim_stream_t *stream, int nargs,
        const prim_arg_t *args, int ndeps, const cl_event *deps, cl_event *return_event)
{
    exec_ctx_t ctx;
    exec_memory_t memory;
    TRY(prim__primitive_begin(&ctx, &memory, primitive, stream, nargs, args));
    CHECK(prim__ocl_is_engine(stream->engine), "stream is not an OpenCL stream");
    TRY(check_events(prim__ocl_engine(stream->engine), ndeps, deps));
    if (prim__recording_of(stream) && (ndeps > 0 || return_event)) {
        return prim__fail(PRIM_UNIMPLEMENTED, "events cannot be recorded");
    }
    ocl_submission_t submission = {.nwaits = (cl_uint)ndeps,
            .waits = ndeps ? deps : NULL,
            // A command that waits for events may fail with them, which only its event shows.
            .leaves_events = return_event || ndeps > 0};
    ctx.submission = &submission;
    prim_status_t st = prim__primitive_submit(primitive, &ctx);
    if (st == PRIM_SUCCESS && return_event) st = pass_event(return_event, &ctx);
    release_events(&submission);
    return st;
}
