// SPDX-License-Identifier: Apache-2.0
// Device times of single executions, for the log, on streams of any queue. A queue measures times
// only if it was created so, and the application's may not be: a timed execution runs on a queue of
// the library's beside it, the stream's timer, while the stream is idle.
#include "ocl_timer.h"

#include "common/log.h"
#include "ocl_stream.h"
#include "ocl_submission.h"

// NULL where the driver gives no more queues: the log has that failure, and the host's clock has to
// do. The lock is held.
static ocl_stream_t *timer_of(ocl_stream_t *s)
{
    prim_stream_t *made = NULL;
    if (!s->timer && prim__ocl_stream_create(&made, s->base.engine,
                             PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING) == PRIM_SUCCESS) {
        s->timer = prim__ocl_stream(made);
    }
    return s->timer;
}

// Waits for the execution on the timer; `*is_known` is whether the device reports its time.
static prim_status_t read_timer(ocl_stream_t *timer, uint64_t *ns, bool *is_known)
{
    ocl_profile_t *const profile = &timer->profile;
    pthread_mutex_lock(&profile->lock);
    const prim_status_t st = prim__ocl_stream_finish(timer);
    *is_known = st == PRIM_SUCCESS && prim__ocl_profile_read(profile) == PRIM_SUCCESS;
    if (*is_known) *ns = profile->times_ns[0];
    prim__ocl_profile_clear(profile);
    pthread_mutex_unlock(&profile->lock);
    return st;
}

static prim_status_t run_on_timer(
        ocl_stream_t *timer, const prim_t *primitive, exec_ctx_t *ctx, uint64_t *ns, bool *is_known)
{
    ctx->stream = &timer->base;
    const prim_status_t st = prim__primitive_run(primitive, ctx);
    if (st == PRIM_SUCCESS) return read_timer(timer, ns, is_known);
    (void)clFinish(timer->queue); // commands of a half-submitted execution; the sentence stays
    return st;
}

static prim_status_t add_entry(ocl_stream_t *s, uint64_t ns)
{
    pthread_mutex_lock(&s->profile.lock);
    const prim_status_t st = prim__ocl_profile_append(&s->profile, ns);
    pthread_mutex_unlock(&s->profile.lock);
    return st;
}

// The lock is held.
static prim_status_t run_timed(
        ocl_stream_t *s, const prim_t *primitive, exec_ctx_t *ctx, double *ms, bool *is_host_time)
{
    uint64_t ns = 0;
    bool is_known = false;
    TRY(prim__ocl_stream_wait(&s->base));
    ocl_stream_t *const timer = timer_of(s);
    const double start_ms = prim__now_ms();
    if (timer) {
        TRY(run_on_timer(timer, primitive, ctx, &ns, &is_known));
    } else {
        TRY(prim__primitive_run(primitive, ctx));
        TRY(prim__ocl_stream_wait(&s->base));
    }
    if (!is_known) ns = (uint64_t)((prim__now_ms() - start_ms) * 1e6);
    if (timer && s->is_profiling) TRY(add_entry(s, ns));
    *ms = (double)ns * 1e-6;
    *is_host_time = !is_known;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_stream_run_timed(
        const prim_t *primitive, exec_ctx_t *ctx, double *ms, bool *is_host_time)
{
    ocl_stream_t *const s = prim__ocl_stream(ctx->stream);
    pthread_mutex_lock(&s->timer_lock);
    const prim_status_t st = run_timed(s, primitive, ctx, ms, is_host_time);
    ctx->stream = &s->base;
    pthread_mutex_unlock(&s->timer_lock);
    return st;
}
