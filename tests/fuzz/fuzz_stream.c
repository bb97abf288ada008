// SPDX-License-Identifier: Apache-2.0
// Calls of the functions of streams, executions and recordings. One execution is under way at a
// time unless its stream keeps the order.
#include <string.h>

#include <prim/prim_threadpool.h>

#include "fuzz_world.h"

static int pool_threads(void *user)
{
    return *(const int *)user;
}

static bool pool_is_busy(void *user)
{
    (void)user;
    return false;
}

static void pool_run(void *user, int n, void (*work)(int i, int n, void *arg), void *arg)
{
    (void)user;
    for (int i = n - 1; i >= 0; --i) work(i, n, arg);
}

static void make_on_pool(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in)
{
    const prim_threadpool_t *got = NULL;
    prim_stream_t *none = NULL;
    prim_threadpool_t pool = {pool_threads, pool_is_busy, pool_run, &stream->pool_threads};
    stream->pool_threads = 1 + fuzz_below(in, 5);
    fuzz_expect(__func__, prim_threadpool_stream_create(&stream->stream, side->engine, &pool),
            PRIM_SUCCESS);
    stream->runtime = PRIM_RUNTIME_THREADPOOL;
    fuzz_expect(__func__, prim_threadpool_stream_get_pool(stream->stream, &got), PRIM_SUCCESS);
    FUZZ_PROMISE(
            got->parallel_for == pool_run && got->user == pool.user, "a stream tells its pool");
    pool.parallel_for = NULL;
    fuzz_expect(__func__, prim_threadpool_stream_create(&none, side->engine, &pool),
            PRIM_INVALID_ARGUMENTS);
}

static bool make_on_cpu(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in)
{
    const bool has_omp = prim_version()->cpu_runtime == PRIM_RUNTIME_OMP;
    const int any = (int)fuzz_number(in), kind = fuzz_below(in, 4);
    prim_stream_t *none = NULL;
    if (kind == 0) return false;
    if (kind == 1) {
        make_on_pool(side, stream, in);
        return true;
    }
    stream->runtime = kind == 2 && has_omp ? PRIM_RUNTIME_OMP : PRIM_RUNTIME_SEQ;
    if (any != PRIM_RUNTIME_OMP && any != PRIM_RUNTIME_SEQ)
        fuzz_expect(__func__,
                prim_cpu_stream_create(
                        &none, side->engine, (prim_runtime_t)any, PRIM_STREAM_IN_ORDER),
                PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__,
            prim_cpu_stream_create(
                    &stream->stream, side->engine, stream->runtime, PRIM_STREAM_IN_ORDER),
            PRIM_SUCCESS);
    return true;
}

/// In order, and where the device can out of order; timed or not.
static void make_plain(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in)
{
    stream->has_profile = fuzz_seldom(in, 3);
    stream->is_out_of_order = fuzz_seldom(in, 3);
    const unsigned timed = stream->has_profile ? PRIM_STREAM_PROFILING : 0;
    const unsigned order =
            stream->is_out_of_order ? PRIM_STREAM_OUT_OF_ORDER : PRIM_STREAM_IN_ORDER;
    const prim_status_t status = prim_stream_create(&stream->stream, side->engine, order | timed);
    if (status == PRIM_SUCCESS) return;
    FUZZ_PROMISE(stream->is_out_of_order, "every engine has streams in order");
    fuzz_expect(__func__, status, PRIM_UNIMPLEMENTED);
    stream->is_out_of_order = false;
    fuzz_expect(__func__,
            prim_stream_create(&stream->stream, side->engine, PRIM_STREAM_IN_ORDER | timed),
            PRIM_SUCCESS);
}

static void renew(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in)
{
    prim_stream_destroy(stream->stream);
    memset(stream, 0, sizeof *stream);
    const bool is_made = side->kind == PRIM_CPU ? make_on_cpu(side, stream, in)
                                                : fuzz_ocl_stream(side, stream, in);
    if (!is_made) make_plain(side, stream, in);
}

static fuzz_stream_t *draw_stream(fuzz_side_t *side, fuzz_input_t *in)
{
    fuzz_stream_t *const stream = &side->streams[fuzz_below(in, FUZZ_STREAMS)];
    if (!stream->stream) renew(side, stream, in);
    return stream;
}

static void wait(const fuzz_stream_t *stream)
{
    fuzz_expect(__func__, prim_stream_wait(stream->stream), PRIM_SUCCESS);
}

static void read_profile(fuzz_stream_t *stream)
{
    enum { ROOM = 4 };
    uint64_t ns[ROOM] = {0};
    int count = -1, room = ROOM;
    const prim_status_t expected = stream->has_profile ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS;
    fuzz_expect(__func__, prim_stream_get_profile(stream->stream, &count, NULL), expected);
    FUZZ_PROMISE(
            count == (stream->has_profile ? stream->nruns : -1), "a profile counts executions");
    if (count > ROOM) return;
    fuzz_expect(__func__, prim_stream_get_profile(stream->stream, &room, ns), expected);
    fuzz_expect(__func__, prim_stream_reset_profile(stream->stream), expected);
    stream->nruns = 0;
}

static void ask(const fuzz_side_t *side, const fuzz_stream_t *stream)
{
    prim_engine_t *engine = NULL;
    prim_runtime_t runtime = PRIM_RUNTIME_NONE;
    const prim_threadpool_t *pool = NULL;
    const bool is_cpu = side->kind == PRIM_CPU;
    fuzz_expect(__func__, prim_stream_get_engine(stream->stream, &engine), PRIM_SUCCESS);
    FUZZ_PROMISE(engine == side->engine, "a stream tells its engine");
    fuzz_expect(__func__, prim_cpu_stream_get_runtime(stream->stream, &runtime),
            is_cpu ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    FUZZ_PROMISE(stream->runtime == PRIM_RUNTIME_NONE || runtime == stream->runtime,
            "a stream tells its runtime");
    FUZZ_PROMISE(is_cpu == (runtime != PRIM_RUNTIME_NONE), "failures leave outputs as they are");
    if (runtime != PRIM_RUNTIME_THREADPOOL)
        fuzz_expect(__func__, prim_threadpool_stream_get_pool(stream->stream, &pool),
                PRIM_INVALID_ARGUMENTS);
}

void fuzz_call_stream(fuzz_input_t *in)
{
    fuzz_side_t *const side = fuzz_side(in);
    fuzz_stream_t *const stream = draw_stream(side, in);
    switch (fuzz_below(in, 4)) {
    case 0: renew(side, stream, in); break;
    case 1: read_profile(stream); break;
    case 2: ask(side, stream); break;
    default: wait(stream);
    }
}

/// Work on other streams first; the caller's own in order.
static void wait_for_others(const fuzz_side_t *side, const fuzz_stream_t *stream)
{
    for (int i = 0; i < FUZZ_STREAMS; ++i) {
        const fuzz_stream_t *const other = &side->streams[i];
        if (other->stream && (other != stream || other->is_out_of_order)) wait(other);
    }
}

/// A call that lacks an argument or has one twice, and is refused.
static void execute_wrongly(
        const fuzz_side_t *side, fuzz_stream_t *stream, const prim_arg_t args[2], fuzz_input_t *in)
{
    const prim_arg_t twice[] = {args[0], args[1], args[0]},
                     none[] = {args[0], {PRIM_ARG_DST, NULL}};
    const int kind = fuzz_below(in, 5);
    const prim_arg_t *const given = kind == 0 ? twice : kind == 1 ? none : kind == 2 ? NULL : args;
    const int nargs = kind == 0 ? 3 : kind == 3 ? 1 : kind == 4 ? -(int)fuzz_byte(in) : 2;
    fuzz_expect(__func__, prim_execute(side->step, stream->stream, nargs, given),
            PRIM_INVALID_ARGUMENTS);
}

/// The memory of another engine, if the side drawn is another one.
static void execute_across(
        const fuzz_side_t *side, fuzz_stream_t *stream, const prim_arg_t args[2], fuzz_input_t *in)
{
    fuzz_side_t *const other = fuzz_side(in);
    const prim_arg_t mixed[] = {args[0], {PRIM_ARG_DST, fuzz_tensor(other, in)->memory}};
    const fuzz_stream_t *const foreign = draw_stream(other, in);
    if (other == side) return;
    fuzz_expect(
            __func__, prim_execute(side->step, stream->stream, 2, mixed), PRIM_INVALID_ARGUMENTS);
    fuzz_expect(
            __func__, prim_execute(side->step, foreign->stream, 2, args), PRIM_INVALID_ARGUMENTS);
}

void fuzz_call_execute(fuzz_input_t *in)
{
    fuzz_side_t *const side = fuzz_side(in);
    fuzz_stream_t *const stream = draw_stream(side, in);
    fuzz_tensor_t *const src = fuzz_tensor(side, in), *const dst = fuzz_tensor(side, in);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src->memory}, {PRIM_ARG_DST, dst->memory}};
    if (fuzz_seldom(in, 6)) {
        execute_wrongly(side, stream, args, in);
        execute_across(side, stream, args, in);
        return;
    }
    wait_for_others(side, stream);
    const prim_status_t status = side->kind == PRIM_GPU && fuzz_seldom(in, 3)
                                         ? fuzz_ocl_execute(side, stream->stream, args, in)
                                         : prim_execute(side->step, stream->stream, 2, args);
    fuzz_expect(__func__, status, PRIM_SUCCESS);
    ++stream->nruns;
    fuzz_tensor_step(dst, src);
}

/// While it is captured an execution changes nothing.
static void capture(
        fuzz_side_t *side, fuzz_recording_t *kept, fuzz_stream_t *stream, int n, fuzz_input_t *in)
{
    prim_recording_t *again = NULL;
    int count = -1;
    fuzz_expect(__func__, prim_recording_end(&again, stream->stream), PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_recording_begin(stream->stream), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_recording_begin(stream->stream), PRIM_INVALID_ARGUMENTS);
    for (int i = 0; i < n; ++i) {
        fuzz_tensor_t *const src = fuzz_tensor(side, in), *const dst = fuzz_tensor(side, in);
        const prim_arg_t args[] = {{PRIM_ARG_SRC, src->memory}, {PRIM_ARG_DST, dst->memory}};
        fuzz_expect(__func__, prim_execute(side->step, stream->stream, 2, args), PRIM_SUCCESS);
        kept->from[i] = (int)(src - side->tensors);
        kept->to[i] = (int)(dst - side->tensors);
    }
    fuzz_expect(__func__, prim_recording_end(&kept->recording, stream->stream), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_recording_get_count(kept->recording, &count), PRIM_SUCCESS);
    FUZZ_PROMISE(count == n, "a recording counts what was captured");
    kept->n = n;
}

/// The stream goes while it is being recorded, and what was captured with it.
static void abandon(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in)
{
    fuzz_expect(__func__, prim_recording_begin(stream->stream), PRIM_SUCCESS);
    for (int n = fuzz_below(in, 3); n > 0; --n) {
        const fuzz_tensor_t *const src = fuzz_tensor(side, in), *const dst = fuzz_tensor(side, in);
        const prim_arg_t args[] = {{PRIM_ARG_SRC, src->memory}, {PRIM_ARG_DST, dst->memory}};
        fuzz_expect(__func__, prim_execute(side->step, stream->stream, 2, args), PRIM_SUCCESS);
        execute_wrongly(side, stream, args, in);
    }
    renew(side, stream, in);
}

static bool is_captured(const fuzz_recording_t *kept, int tensor)
{
    for (int i = 0; i < kept->n; ++i)
        if (kept->from[i] == tensor || kept->to[i] == tensor) return true;
    return false;
}

/// Replays with tensor `from` replaced by tensor `to`; the same means no replacement.
static void replay(
        fuzz_side_t *side, const fuzz_recording_t *kept, fuzz_stream_t *stream, int from, int to)
{
    const prim_memory_swap_t swap = {side->tensors[from].memory, side->tensors[to].memory};
    const bool swaps = from != to;
    const bool is_right = !swaps || is_captured(kept, from);
    fuzz_expect(__func__,
            prim_recording_replay(kept->recording, stream->stream, swaps, swaps ? &swap : NULL),
            is_right ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    if (!is_right) return;
    for (int i = 0; i < kept->n; ++i) {
        const int src = kept->from[i] == from ? to : kept->from[i];
        const int dst = kept->to[i] == from ? to : kept->to[i];
        fuzz_tensor_step(&side->tensors[dst], &side->tensors[src]);
    }
    stream->nruns += kept->n;
}

void fuzz_call_recording(fuzz_input_t *in)
{
    fuzz_side_t *const side = fuzz_side(in);
    fuzz_stream_t *const stream = draw_stream(side, in);
    fuzz_recording_t *const kept = &side->recordings[fuzz_below(in, FUZZ_RECORDINGS)];
    const int from = (int)(fuzz_tensor(side, in) - side->tensors);
    const int to = fuzz_seldom(in, 2) ? from : (int)(fuzz_tensor(side, in) - side->tensors);
    const bool is_new = !kept->recording || fuzz_seldom(in, 3);
    wait_for_others(side, stream);
    if (is_new && stream->is_out_of_order) {
        fuzz_expect(__func__, prim_recording_begin(stream->stream), PRIM_UNIMPLEMENTED);
    } else if (is_new && fuzz_seldom(in, 4)) {
        abandon(side, stream, in);
    } else if (is_new) {
        prim_recording_destroy(kept->recording);
        memset(kept, 0, sizeof *kept);
        capture(side, kept, stream, fuzz_below(in, FUZZ_RECORDED + 1), in);
    } else if (stream->is_out_of_order) {
        fuzz_expect(__func__, prim_recording_replay(kept->recording, stream->stream, 0, NULL),
                PRIM_UNIMPLEMENTED);
    } else {
        replay(side, kept, stream, from, to);
    }
}
