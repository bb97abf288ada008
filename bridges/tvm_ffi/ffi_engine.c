// SPDX-License-Identifier: Apache-2.0
// The engines and default streams that calls run on. Each is made at its first use and kept.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ffi.h"

/// Enough for the devices of a machine and the contexts of its other libraries.
enum { MAX_GPUS = 32, MAX_FOREIGN = 64 };

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
} place_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static place_t cpu, gpus[MAX_GPUS], foreign[MAX_FOREIGN];

/// Opens a place, unless it is open.
static prim_status_t open_place(place_t *place, prim_engine_kind_t kind, size_t index)
{
    if (place->stream) return PRIM_SUCCESS;
    prim_status_t status =
            place->engine ? PRIM_SUCCESS : prim_engine_create(&place->engine, kind, index);
    if (!status) status = prim_stream_create(&place->stream, place->engine, PRIM_STREAM_IN_ORDER);
    return status;
}

/// "gpu" or "gpu:INDEX".
static bool parse_gpu(size_t *index, const TVMFFIByteArray *name)
{
    if (ffi_string_is(name, "gpu")) {
        *index = 0;
        return true;
    }
    char digits[8] = "";
    if (name->size <= 4 || name->size >= 4 + sizeof digits || memcmp(name->data, "gpu:", 4) != 0)
        return false;
    memcpy(digits, name->data + 4, name->size - 4);
    char *end;
    *index = strtoul(digits, &end, 10);
    return *end == '\0' && digits[0] >= '0' && digits[0] <= '9';
}

prim_status_t ffi_engine_find(
        prim_engine_t **engine, prim_stream_t **stream, const TVMFFIByteArray *name)
{
    size_t index = 0;
    const bool is_cpu = ffi_string_is(name, "cpu");
    if (!is_cpu && (!parse_gpu(&index, name) || index >= MAX_GPUS)) {
        char sentence[120];
        snprintf(sentence, sizeof sentence, "there is no engine '%.*s': cpu, gpu or gpu:INDEX",
                (int)name->size, name->data);
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, sentence);
    }
    place_t *place = is_cpu ? &cpu : &gpus[index];
    pthread_mutex_lock(&lock);
    const prim_status_t status = open_place(place, is_cpu ? PRIM_CPU : PRIM_GPU, index);
    pthread_mutex_unlock(&lock);
    if (status) return status;
    *engine = place->engine;
    *stream = place->stream;
    return PRIM_SUCCESS;
}

/// With the lock held: the place on a context of another library.
static prim_status_t open_foreign(place_t **found, void *context, void *device)
{
    int i = 0;
    while (i < MAX_FOREIGN && foreign[i].engine &&
            !ffi_ocl_is_at(foreign[i].engine, context, device))
        i++;
    if (i == MAX_FOREIGN)
        return prim_report_failure(PRIM_UNIMPLEMENTED, "tensors of more than 64 OpenCL contexts");
    prim_status_t status = foreign[i].engine
                                   ? PRIM_SUCCESS
                                   : ffi_ocl_engine_create(&foreign[i].engine, context, device);
    if (!status) status = open_place(&foreign[i], PRIM_GPU, 0);
    if (!status) *found = &foreign[i];
    return status;
}

prim_status_t ffi_engine_of_buffer(prim_engine_t **engine, prim_stream_t **stream, bool *is_own,
        void *buffer, int device_index)
{
    void *context, *device;
    prim_status_t status = ffi_ocl_place(&context, &device, buffer, device_index);
    if (status) return status;
    place_t *place = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_GPUS && !place; ++i) {
        if (gpus[i].stream && ffi_ocl_is_at(gpus[i].engine, context, device)) place = &gpus[i];
    }
    *is_own = place;
    if (!place) status = open_foreign(&place, context, device);
    pthread_mutex_unlock(&lock);
    if (status) return status;
    *engine = place->engine;
    *stream = place->stream;
    return PRIM_SUCCESS;
}

/// The engine of a tensor's buffer has to be that of the call, which the first one decides.
static prim_status_t take_device(ffi_call_t *call, const DLTensor *tensor)
{
    prim_engine_t *engine;
    prim_stream_t *stream;
    bool is_own;
    if (tensor->device.device_type != kDLOpenCL)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "%s: a tensor is neither in host memory nor in an OpenCL buffer (DLPack device "
                "type %d)",
                call->op->name, tensor->device.device_type);
    if (!tensor->data)
        return ffi_fail(
                call, PRIM_INVALID_ARGUMENTS, NULL, "%s: a tensor has no buffer", call->op->name);
    void *buffer = *(void *const *)tensor->data;
    const prim_status_t status =
            ffi_engine_of_buffer(&engine, &stream, &is_own, buffer, tensor->device.device_id);
    if (status) return status;
    if (call->engine && call->engine != engine)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "%s: tensors are on different engines",
                call->op->name);
    call->engine = engine;
    call->stream = stream;
    call->waits = call->waits || !is_own;
    return PRIM_SUCCESS;
}

prim_status_t ffi_engine_of_call(ffi_call_t *call)
{
    static const TVMFFIByteArray host = {"cpu", 3};
    prim_status_t status = PRIM_SUCCESS;
    prim_engine_t *of_stream = NULL;
    if (call->given_stream) status = prim_stream_get_engine(call->given_stream, &of_stream);
    if (!status && call->engine_name.size)
        status = ffi_engine_find(&call->engine, &call->stream, &call->engine_name);
    for (int i = 0; !status && i < call->ntensors; ++i) {
        const DLTensor *tensor = call->tensors[i].tensor;
        if (tensor->device.device_type != kDLCPU) status = take_device(call, tensor);
    }
    if (!status && !call->engine && of_stream) call->engine = of_stream;
    if (!status && !call->engine) status = ffi_engine_find(&call->engine, &call->stream, &host);
    if (status || !of_stream) return status;
    call->stream = call->given_stream; // of another engine: prim_execute() refuses it
    return PRIM_SUCCESS;
}

static bool kind_of(prim_engine_kind_t *kind, const TVMFFIAny *value)
{
    TVMFFIByteArray name;
    if (!ffi_as_string(&name, value)) return false;
    *kind = ffi_string_is(&name, "cpu") ? PRIM_CPU : PRIM_GPU;
    return *kind == PRIM_CPU || ffi_string_is(&name, "gpu");
}

static prim_status_t engine_count(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    prim_engine_kind_t kind;
    if (nargs != 1 || !kind_of(&kind, &args[0]))
        return ffi_fail(
                call, PRIM_INVALID_ARGUMENTS, "TypeError", "engine_count takes 'cpu' or 'gpu'");
    *result =
            (TVMFFIAny){.type_index = kTVMFFIInt, .v_int64 = (int64_t)prim_engine_get_count(kind)};
    return PRIM_SUCCESS;
}

static prim_status_t engine_name(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    TVMFFIByteArray name;
    prim_engine_t *engine;
    prim_stream_t *stream;
    if (nargs != 1 || !ffi_as_string(&name, &args[0]))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "engine_name takes an engine");
    const prim_status_t status = ffi_engine_find(&engine, &stream, &name);
    return status ? status : ffi_return_string(result, prim_engine_name(engine));
}

/// stream_create(engine, out_of_order, profiling): a pointer, for `stream` of calls and the next
/// functions.
static prim_status_t stream_create(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    TVMFFIByteArray name;
    int64_t out_of_order, profiling;
    prim_engine_t *engine;
    prim_stream_t *stream;
    if (nargs != 3 || !ffi_as_string(&name, &args[0]) || !ffi_as_int(&out_of_order, &args[1]) ||
            !ffi_as_int(&profiling, &args[2]))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "stream_create takes an engine and two flags");
    prim_status_t status = ffi_engine_find(&engine, &stream, &name);
    const unsigned order = out_of_order ? PRIM_STREAM_OUT_OF_ORDER : PRIM_STREAM_IN_ORDER;
    if (!status)
        status = prim_stream_create(
                &stream, engine, profiling ? order | PRIM_STREAM_PROFILING : order);
    if (!status) *result = (TVMFFIAny){.type_index = kTVMFFIOpaquePtr, .v_ptr = stream};
    return status;
}

static bool as_stream(prim_stream_t **stream, const TVMFFIAny *args, int nargs)
{
    if (nargs != 1 || args[0].type_index != kTVMFFIOpaquePtr) return false;
    *stream = args[0].v_ptr;
    return true;
}

static prim_status_t stream_destroy(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    prim_stream_t *stream;
    if (!as_stream(&stream, args, nargs))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "stream_destroy takes a stream");
    prim_stream_destroy(stream);
    return PRIM_SUCCESS;
}

/// stream_wait(stream or engine)
static prim_status_t stream_wait(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    TVMFFIByteArray name;
    prim_engine_t *engine;
    prim_stream_t *stream;
    if (as_stream(&stream, args, nargs)) return prim_stream_wait(stream);
    if (nargs != 1 || !ffi_as_string(&name, &args[0]))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "stream_wait takes a stream or an engine");
    const prim_status_t status = ffi_engine_find(&engine, &stream, &name);
    return status ? status : prim_stream_wait(stream);
}

/// The times of the executions since the last call, in nanoseconds: numbers separated by blanks.
static prim_status_t stream_profile(
        ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    prim_stream_t *stream;
    int n = 0;
    if (!as_stream(&stream, args, nargs))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "stream_profile takes a stream");
    prim_status_t status = prim_stream_get_profile(stream, &n, NULL);
    if (status) return status;
    uint64_t *ns = calloc((size_t)n + 1, sizeof *ns);
    char *text = calloc((size_t)n + 1, 24), *end = text;
    status = ns && text ? prim_stream_get_profile(stream, &n, ns)
                        : ffi_fail(call, PRIM_OUT_OF_MEMORY, NULL, "no memory for a profile");
    for (int i = 0; !status && i < n; ++i)
        end += snprintf(end, 24, "%llu ", (unsigned long long)ns[i]);
    if (!status) status = ffi_return_string(result, text);
    if (!status) status = prim_stream_reset_profile(stream);
    free(ns);
    free(text);
    return status;
}

const ffi_service_t ffi_engine_services[] = {{"engine_count", engine_count},
        {"engine_name", engine_name}, {"stream_create", stream_create},
        {"stream_destroy", stream_destroy}, {"stream_wait", stream_wait},
        {"stream_profile", stream_profile}, {NULL, NULL}};
