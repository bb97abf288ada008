// SPDX-License-Identifier: Apache-2.0
// Recordings: the calls of a thread are captured, and replayed with other tensors in the places of
// some. A call's memories are those of the recording then, so that a replay can bind them anew.
#include <pthread.h>
#include <stdlib.h>

#include "ffi.h"

/// A memory of a captured call, and the tensor it had then.
typedef struct {
    prim_memory_t *memory;
    const void *place; ///< the host's address, or the cl_mem
    size_t offset;
    bool is_written;
} captured_t;

typedef struct {
    prim_stream_t *stream; ///< while calls are captured; the caller's
    prim_recording_t *recording;
    int n, capacity;
    captured_t *memories;
    pthread_mutex_t lock; ///< of replays
} recording_t;

static _Thread_local recording_t *current;

static captured_t describe(const DLTensor *tensor)
{
    if (tensor->device.device_type == kDLCPU)
        return (captured_t){.place = (char *)tensor->data + tensor->byte_offset};
    return (captured_t){.place = *(void *const *)tensor->data, .offset = tensor->byte_offset};
}

static bool is_at(const captured_t *memory, const captured_t *tensor)
{
    return memory->place == tensor->place && memory->offset == tensor->offset;
}

bool ffi_is_captured(const ffi_call_t *call)
{
    return current && call->stream == current->stream;
}

prim_status_t ffi_capture(
        ffi_call_t *call, prim_memory_t *memory, const DLTensor *tensor, bool is_written)
{
    if (current->n == current->capacity) {
        const int capacity = 2 * current->capacity + 16;
        captured_t *grown = realloc(current->memories, (size_t)capacity * sizeof *grown);
        if (!grown) return ffi_fail(call, PRIM_OUT_OF_MEMORY, NULL, "no memory for a recording");
        current->memories = grown;
        current->capacity = capacity;
    }
    captured_t made = describe(tensor);
    made.memory = memory;
    made.is_written = is_written;
    current->memories[current->n++] = made;
    return PRIM_SUCCESS;
}

static void destroy(recording_t *recording)
{
    prim_recording_destroy(recording->recording);
    for (int i = 0; i < recording->n; ++i) prim_memory_destroy(recording->memories[i].memory);
    pthread_mutex_destroy(&recording->lock);
    free(recording->memories);
    free(recording);
}

static bool as_recording(recording_t **recording, const TVMFFIAny *args, int nargs)
{
    if (nargs < 1 || args[0].type_index != kTVMFFIOpaquePtr) return false;
    *recording = args[0].v_ptr;
    return true;
}

/// recording_begin(stream): captures the thread's calls on the stream; a pointer for the next
/// functions.
static prim_status_t recording_begin(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    if (nargs != 1 || args[0].type_index != kTVMFFIOpaquePtr || current)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "recording_begin takes a stream, of a thread that does not record");
    recording_t *made = calloc(1, sizeof *made);
    if (!made) return ffi_fail(call, PRIM_OUT_OF_MEMORY, NULL, "no memory for a recording");
    made->stream = args[0].v_ptr;
    pthread_mutex_init(&made->lock, NULL);
    const prim_status_t status = prim_recording_begin(made->stream);
    if (status) {
        destroy(made);
        return status;
    }
    current = made;
    *result = (TVMFFIAny){.type_index = kTVMFFIOpaquePtr, .v_ptr = made};
    return PRIM_SUCCESS;
}

/// recording_end(recording): the number of calls that were captured.
static prim_status_t recording_end(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    recording_t *recording;
    int count = 0;
    if (!as_recording(&recording, args, nargs) || recording != current)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "recording_end takes the recording that the thread makes");
    current = NULL;
    prim_status_t status = prim_recording_end(&recording->recording, recording->stream);
    if (!status) status = prim_recording_get_count(recording->recording, &count);
    *result = (TVMFFIAny){.type_index = kTVMFFIInt, .v_int64 = count};
    return status;
}

static prim_status_t recording_destroy(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    recording_t *recording;
    if (!as_recording(&recording, args, nargs) || recording == current)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "recording_destroy takes a recording that has ended");
    destroy(recording);
    return PRIM_SUCCESS;
}

/// recording_writes(recording, tensor): whether a captured call writes it.
static prim_status_t recording_writes(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    recording_t *recording;
    const DLTensor *tensor = nargs == 2 ? ffi_as_tensor(&args[1]) : NULL;
    if (!tensor || !as_recording(&recording, args, nargs))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "recording_writes takes a recording and a tensor");
    const captured_t at = describe(tensor);
    bool is_written = false;
    for (int i = 0; i < recording->n; ++i)
        is_written = is_written ||
                     (recording->memories[i].is_written && is_at(&recording->memories[i], &at));
    *result = (TVMFFIAny){.type_index = kTVMFFIBool, .v_int64 = is_written};
    return PRIM_SUCCESS;
}

/// Puts `to` in the place of `from`, whichever tensor it has since been replaced by.
static prim_status_t replace(const recording_t *recording, const DLTensor *from, const DLTensor *to)
{
    const captured_t before = describe(from), after = describe(to);
    for (int i = 0; i < recording->n; ++i) {
        if (!is_at(&recording->memories[i], &before)) continue;
        const prim_status_t status = prim_memory_set_data_handle_at(
                recording->memories[i].memory, (void *)(uintptr_t)after.place, after.offset);
        if (status) return status;
    }
    return PRIM_SUCCESS;
}

/// The stream of a replay: the one given, or the own one of the engine of that name.
static prim_status_t find_stream(ffi_call_t *call, prim_stream_t **stream, const TVMFFIAny *place)
{
    TVMFFIByteArray name;
    prim_engine_t *engine;
    if (place->type_index == kTVMFFIOpaquePtr) *stream = place->v_ptr;
    if (place->type_index == kTVMFFIOpaquePtr) return PRIM_SUCCESS;
    if (ffi_as_string(&name, place)) return ffi_engine_find(&engine, stream, &name);
    return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
            "recording_replay takes a stream or an engine");
}

/// recording_replay(recording, stream or engine, from, to, …)
static prim_status_t recording_replay(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    recording_t *recording;
    prim_stream_t *stream = NULL;
    if (nargs % 2 || nargs < 2 || !as_recording(&recording, args, nargs))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "recording_replay takes a recording, a place and pairs of tensors");
    prim_status_t status = find_stream(call, &stream, &args[1]);
    if (status) return status;
    pthread_mutex_lock(&recording->lock);
    for (int i = 2; !status && i < nargs; i += 2) {
        const DLTensor *from = ffi_as_tensor(&args[i]), *to = ffi_as_tensor(&args[i + 1]);
        status = from && to ? replace(recording, from, to)
                            : ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                                      "recording_replay: a pair is not one of tensors");
    }
    if (!status) status = prim_recording_replay(recording->recording, stream, 0, NULL);
    pthread_mutex_unlock(&recording->lock);
    return status;
}

const ffi_service_t ffi_recording_services[] = {{"recording_begin", recording_begin},
        {"recording_end", recording_end}, {"recording_destroy", recording_destroy},
        {"recording_writes", recording_writes}, {"recording_replay", recording_replay},
        {NULL, NULL}};
