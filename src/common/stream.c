// SPDX-License-Identifier: Apache-2.0
// Streams: argument checks in front of the backend's functions.
#include "stream.h"

#include "engine.h"

void prim__stream_init(prim_stream_t *stream, prim_engine_t *engine, unsigned flags)
{
    prim__engine_retain(engine);
    stream->engine = engine;
    stream->flags = flags;
}

void prim__stream_fini(prim_stream_t *stream)
{
    prim__engine_release(stream->engine);
    stream->engine = NULL;
}

prim_status_t prim_stream_create(prim_stream_t **stream, prim_engine_t *engine, unsigned flags)
{
    const unsigned order = PRIM_STREAM_IN_ORDER | PRIM_STREAM_OUT_OF_ORDER;
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(engine);
    CHECK((flags & ~(order | PRIM_STREAM_PROFILING)) == 0, "stream flags 0x%x are unknown", flags);
    CHECK((flags & order) != order, "a stream is either in order or out of order, not both");
    if ((flags & order) == 0) flags |= PRIM_STREAM_DEFAULT;
    return engine->ops->stream_create(stream, engine, flags);
}

prim_status_t prim_stream_get_engine(const prim_stream_t *stream, prim_engine_t **engine)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(engine);
    *engine = stream->engine;
    return PRIM_SUCCESS;
}

prim_status_t prim_stream_wait(prim_stream_t *stream)
{
    CHECK_NOT_NULL(stream);
    return stream->engine->ops->stream_wait(stream);
}

static prim_status_t check_profiling(const prim_stream_t *stream)
{
    CHECK((stream->flags & PRIM_STREAM_PROFILING) != 0,
            "the stream was created without PRIM_STREAM_PROFILING");
    return PRIM_SUCCESS;
}

prim_status_t prim_stream_get_profile(prim_stream_t *stream, int *count, uint64_t *ns)
{
    CHECK_NOT_NULL(stream);
    CHECK_NOT_NULL(count);
    TRY(check_profiling(stream));
    CHECK(!ns || *count >= 0, "the capacity of %d times is negative", *count);
    return stream->engine->ops->stream_get_profile(stream, count, ns);
}

prim_status_t prim_stream_reset_profile(prim_stream_t *stream)
{
    CHECK_NOT_NULL(stream);
    TRY(check_profiling(stream));
    return stream->engine->ops->stream_reset_profile(stream);
}

void prim_stream_destroy(prim_stream_t *stream)
{
    if (!stream) return;
    prim_recording_destroy(atomic_exchange(&stream->capture, NULL));
    stream->engine->ops->stream_destroy(stream);
}
