// SPDX-License-Identifier: Apache-2.0
// prim_execute(): arguments checked, then run, or captured if the stream is being recorded.
#include "execute.h"

#include "exec_args.h"
#include "recording.h"

prim_status_t prim__primitive_begin(exec_ctx_t *ctx, exec_memory_t *memory, const prim_t *primitive,
        prim_stream_t *stream, int nargs, const prim_arg_t *args)
{
    CHECK_NOT_NULL(primitive);
    CHECK_NOT_NULL(stream);
    CHECK(nargs >= 0, "nargs %d is negative", nargs);
    CHECK(args || nargs == 0, "args is NULL");
    TRY(prim__exec_args_resolve(memory->memory, primitive->pd, nargs, args));
    char text[640];
    CHECK(stream->engine == primitive->pd->engine,
            "the stream belongs to another engine than the primitive: %s",
            prim__engine_difference(text, sizeof text, stream->engine, primitive->pd->engine));
    *ctx = (exec_ctx_t){
            .stream = stream, .places = &primitive->pd->places, .memory = memory->memory};
    return PRIM_SUCCESS;
}

prim_status_t prim__primitive_submit(const prim_t *primitive, exec_ctx_t *ctx)
{
    prim_recording_t *const recording = prim__recording_of(ctx->stream);
    if (recording) return prim__recording_add(recording, primitive, ctx->memory);
    return prim__primitive_execute(primitive, ctx);
}

prim_status_t prim_execute(
        const prim_t *primitive, prim_stream_t *stream, int nargs, const prim_arg_t *args)
{
    exec_ctx_t ctx;
    exec_memory_t memory;
    TRY(prim__primitive_begin(&ctx, &memory, primitive, stream, nargs, args));
    return prim__primitive_submit(primitive, &ctx);
}
