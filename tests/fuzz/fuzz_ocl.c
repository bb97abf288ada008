// SPDX-License-Identifier: Apache-2.0
// Calls of the functions that share OpenCL's objects with the application.
#include <stdlib.h>
#include <string.h>

#include <prim/prim_ocl.h>

#include "fuzz_world.h"

enum { BUFFER_BYTES = (FUZZ_GAP + FUZZ_ELEMS) * (int)sizeof(float), ALIGNED = 4096 };

static cl_context context_of(const fuzz_side_t *side)
{
    cl_context context = NULL;
    fuzz_expect(__func__, prim_ocl_engine_get_context(side->engine, &context), PRIM_SUCCESS);
    return context;
}

static cl_device_id device_of(const fuzz_side_t *side)
{
    cl_device_id device = NULL;
    fuzz_expect(__func__, prim_ocl_engine_get_device(side->engine, &device), PRIM_SUCCESS);
    return device;
}

static void check_code(cl_int code)
{
    FUZZ_PROMISE(code == CL_SUCCESS, "OpenCL makes what the test needs");
}

/// Right, or at a place where the tensor does not fit or an element would be cut.
static bool make_in_buffer(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    const prim_memory_desc_t md = fuzz_tensor_md();
    const int gap = fuzz_below(in, 2 * FUZZ_GAP);
    const size_t offset = (size_t)gap * sizeof(float) + fuzz_seldom(in, 8);
    cl_int code;
    const cl_mem buffer =
            clCreateBuffer(context_of(side), CL_MEM_READ_WRITE, BUFFER_BYTES, NULL, &code);
    check_code(code);
    const bool is_right = gap <= FUZZ_GAP && offset % sizeof(float) == 0;
    fuzz_expect(__func__,
            prim_ocl_memory_create(&tensor->memory, &md, side->engine, buffer, offset),
            is_right ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    // The memory retains it, and must tell it again.
    tensor->buffer = is_right ? buffer : NULL;
    if (!is_right) clReleaseMemObject(buffer);
    return is_right;
}

/// A pointer of some kind, where the device has the kind.
static bool make_shared(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    static const prim_ocl_memory_kind_t kinds[] = {PRIM_OCL_SVM, PRIM_OCL_USM, PRIM_OCL_HOST};
    const prim_memory_desc_t md = fuzz_tensor_md();
    const int any = (int)fuzz_number(in);
    const prim_ocl_memory_kind_t kind = kinds[fuzz_below(in, 3)];
    prim_memory_t *none = NULL;
    fuzz_expect(__func__,
            prim_ocl_memory_create_shared(
                    &none, &md, side->engine, PRIM_OCL_BUFFER, PRIM_MEMORY_ALLOCATE),
            PRIM_INVALID_ARGUMENTS);
    if (any < 0 || any > 3)
        fuzz_expect(__func__,
                prim_ocl_memory_create_shared(&none, &md, side->engine, (prim_ocl_memory_kind_t)any,
                        PRIM_MEMORY_ALLOCATE),
                PRIM_INVALID_ARGUMENTS);
    void *pointer = PRIM_MEMORY_ALLOCATE;
    if (kind == PRIM_OCL_HOST) pointer = tensor->own = aligned_alloc(ALIGNED, ALIGNED);
    const prim_status_t status =
            prim_ocl_memory_create_shared(&tensor->memory, &md, side->engine, kind, pointer);
    if (status == PRIM_SUCCESS) return true;
    fuzz_expect(__func__, status, PRIM_UNIMPLEMENTED);
    free(tensor->own);
    tensor->own = NULL;
    return false;
}

bool fuzz_ocl_tensor(fuzz_side_t *side, fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    switch (fuzz_below(in, 4)) {
    case 0: return make_shared(side, tensor, in);
    case 1: return make_in_buffer(side, tensor, in);
    default: return false;
    }
}

void fuzz_ocl_tensor_free(fuzz_tensor_t *tensor)
{
    if (tensor->buffer) clReleaseMemObject(tensor->buffer);
}

void fuzz_ocl_tensor_move(fuzz_tensor_t *tensor, fuzz_input_t *in)
{
    const int gap = fuzz_below(in, 2 * FUZZ_GAP);
    const size_t offset = (size_t)gap * sizeof(float) + fuzz_seldom(in, 8);
    size_t got = 0;
    cl_mem buffer = NULL;
    const bool is_right = gap <= FUZZ_GAP && offset % sizeof(float) == 0;
    fuzz_expect(__func__, prim_memory_set_data_handle_at(tensor->memory, tensor->buffer, offset),
            is_right ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    if (!is_right) return;
    fuzz_tensor_fill(tensor, in);
    fuzz_expect(__func__, prim_ocl_memory_get_buffer(tensor->memory, &buffer, &got), PRIM_SUCCESS);
    FUZZ_PROMISE(buffer == tensor->buffer && got == offset, "a memory tells where it lies");
}

void fuzz_ocl_tensor_ask(const fuzz_tensor_t *tensor)
{
    static int untouched;
    const cl_mem before = (cl_mem)(void *)&untouched;
    prim_engine_t *engine = NULL;
    prim_engine_kind_t engine_kind;
    prim_ocl_memory_kind_t kind;
    cl_mem buffer = before;
    size_t offset = 77;
    fuzz_expect(__func__, prim_memory_get_engine(tensor->memory, &engine), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_engine_get_kind(engine, &engine_kind), PRIM_SUCCESS);
    if (engine_kind == PRIM_CPU) {
        fuzz_expect(__func__, prim_ocl_memory_get_buffer(tensor->memory, &buffer, &offset),
                PRIM_INVALID_ARGUMENTS);
        FUZZ_PROMISE(buffer == before && offset == 77, "failures leave outputs as they are");
        return;
    }
    fuzz_expect(__func__, prim_ocl_memory_get_kind(tensor->memory, &kind), PRIM_SUCCESS);
    const prim_status_t status = prim_ocl_memory_get_buffer(tensor->memory, &buffer, &offset);
    if (kind == PRIM_OCL_BUFFER) {
        fuzz_expect(__func__, status, PRIM_SUCCESS);
        FUZZ_PROMISE(buffer && (!tensor->buffer || buffer == tensor->buffer) &&
                             offset % sizeof(float) == 0,
                "a memory tells its buffer");
    }
}

/// On a queue of the application's.
bool fuzz_ocl_stream(fuzz_side_t *side, fuzz_stream_t *stream, fuzz_input_t *in)
{
    cl_command_queue got = NULL;
    cl_int code;
    if (!fuzz_seldom(in, 2)) return false;
    stream->has_profile = fuzz_seldom(in, 2);
    const cl_command_queue queue = clCreateCommandQueue(context_of(side), device_of(side),
            stream->has_profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    check_code(code);
    fuzz_expect(
            __func__, prim_ocl_stream_create(&stream->stream, side->engine, queue), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_ocl_stream_get_queue(stream->stream, &got), PRIM_SUCCESS);
    FUZZ_PROMISE(got == queue, "a stream tells its queue");
    clReleaseCommandQueue(queue);
    return true;
}

static bool is_complete(cl_event event)
{
    cl_int status = CL_QUEUED;
    check_code(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status == CL_COMPLETE;
}

static void refuse_events(
        const fuzz_side_t *side, prim_stream_t *stream, const prim_arg_t *args, cl_event event)
{
    const cl_event none = NULL;
    fuzz_expect(__func__, prim_ocl_execute(side->step, stream, 2, args, 1, &none, NULL),
            PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_ocl_execute(side->step, stream, 2, args, -1, &event, NULL),
            PRIM_INVALID_ARGUMENTS);
}

prim_status_t fuzz_ocl_execute(
        const fuzz_side_t *side, prim_stream_t *stream, const prim_arg_t *args, fuzz_input_t *in)
{
    cl_int code;
    cl_event done = NULL;
    const cl_event before = clCreateUserEvent(context_of(side), &code);
    const bool wants_event = fuzz_seldom(in, 2), is_early = fuzz_seldom(in, 2);
    check_code(code);
    if (is_early) check_code(clSetUserEventStatus(before, CL_COMPLETE));
    refuse_events(side, stream, args, before);
    // The log of executions waits for each: the event must be on its way then.
    if (!is_early) fuzz_expect(__func__, prim_set_verbose("none"), PRIM_SUCCESS);
    const prim_status_t status =
            prim_ocl_execute(side->step, stream, 2, args, 1, &before, wants_event ? &done : NULL);
    if (!is_early) {
        FUZZ_PROMISE(!done || !is_complete(done), "an execution waits for its events");
        check_code(clSetUserEventStatus(before, CL_COMPLETE));
    }
    clReleaseEvent(before);
    if (done) {
        check_code(clWaitForEvents(1, &done));
        clReleaseEvent(done);
    }
    FUZZ_PROMISE(!wants_event || status != PRIM_SUCCESS || done, "an execution gives its event");
    return status;
}

typedef struct {
    long nmade, nreleased;
} account_t;

static cl_mem allocate(void *user, cl_context context, cl_device_id device, size_t bytes)
{
    cl_int code;
    account_t *const account = user;
    if (account->nmade - account->nreleased > 4) return NULL;
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    account->nmade += device && buffer;
    return buffer;
}

static void release(void *user, cl_mem buffer)
{
    ++((account_t *)user)->nreleased;
    clReleaseMemObject(buffer);
}

/// Memories until the allocator has no more; then it must have all back.
static void fill_engine(prim_engine_t *engine, const account_t *account)
{
    enum { MANY = 8 };
    const prim_memory_desc_t md = fuzz_tensor_md();
    prim_memory_t *memories[MANY] = {NULL};
    int n = 0;
    while (n < MANY &&
            prim_memory_create(&memories[n], &md, engine, PRIM_MEMORY_ALLOCATE) == PRIM_SUCCESS)
        ++n;
    FUZZ_PROMISE(n > 0 && account->nmade >= n && n < MANY, "memory is the application's");
    fuzz_expect(__func__, prim_memory_create(&memories[n], &md, engine, PRIM_MEMORY_ALLOCATE),
            PRIM_OUT_OF_MEMORY);
    fuzz_expect(__func__, prim_ocl_engine_set_allocator(engine, NULL), PRIM_INVALID_ARGUMENTS);
    for (; n > 0; --n) prim_memory_destroy(memories[n - 1]);
    fuzz_expect(__func__, prim_engine_trim_memory(engine), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_ocl_engine_set_allocator(engine, NULL), PRIM_SUCCESS);
    FUZZ_PROMISE(account->nmade == account->nreleased, "the application has its memory back");
}

/// A context of the application's, and one engine on it however often it is asked for.
static void open_engine(const fuzz_side_t *side)
{
    account_t account = {0};
    const cl_device_id device = device_of(side);
    const prim_ocl_allocator_t allocator = {allocate, release, &account},
                               half = {allocate, NULL, NULL};
    prim_engine_t *engine = NULL, *again = NULL;
    cl_int code;
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check_code(code);
    fuzz_expect(__func__, prim_ocl_engine_create(&engine, device, context), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_ocl_engine_create(&again, device, context), PRIM_SUCCESS);
    FUZZ_PROMISE(engine == again, "a context has one engine");
    prim_engine_destroy(again);
    clReleaseContext(context);
    fuzz_expect(__func__, prim_ocl_engine_set_allocator(engine, &half), PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_ocl_engine_set_allocator(engine, &allocator), PRIM_SUCCESS);
    fill_engine(engine, &account);
    prim_engine_destroy(engine);
}

typedef struct {
    size_t id_bytes, bytes;
    uint8_t *blob; ///< owned
} verdicts_t;

static verdicts_t verdicts;

/// The engine's self-test verdicts, once.
static void get_verdicts(const fuzz_side_t *side)
{
    uint8_t id[256];
    if (verdicts.blob) return;
    fuzz_expect(__func__,
            prim_ocl_engine_get_cache_blob_id(device_of(side), &verdicts.id_bytes, NULL),
            PRIM_SUCCESS);
    FUZZ_PROMISE(verdicts.id_bytes > 0 && verdicts.id_bytes <= sizeof id, "a key has a few bytes");
    size_t bytes = verdicts.id_bytes - 1;
    fuzz_expect(__func__, prim_ocl_engine_get_cache_blob_id(device_of(side), &bytes, id),
            PRIM_INVALID_ARGUMENTS);
    bytes = sizeof id;
    fuzz_expect(
            __func__, prim_ocl_engine_get_cache_blob_id(device_of(side), &bytes, id), PRIM_SUCCESS);
    FUZZ_PROMISE(bytes == verdicts.id_bytes, "a key has one size");
    fuzz_expect(__func__, prim_ocl_engine_get_cache_blob(side->engine, &verdicts.bytes, NULL),
            PRIM_SUCCESS);
    verdicts.blob = malloc(verdicts.bytes);
    if (!verdicts.blob) exit(2);
    fuzz_expect(__func__,
            prim_ocl_engine_get_cache_blob(side->engine, &verdicts.bytes, verdicts.blob),
            PRIM_SUCCESS);
}

/// From the blob as it is, cut, or with a flipped bit. Both share the context of the engine.
static void open_from_blob(const fuzz_side_t *side, fuzz_input_t *in)
{
    static char untouched;
    prim_engine_t *engine = (prim_engine_t *)&untouched;
    get_verdicts(side);
    const int kind = fuzz_below(in, 3), bit = 1 << fuzz_below(in, 8);
    size_t bytes = verdicts.bytes;
    const size_t place = (size_t)fuzz_below(in, 65536) * bytes / 65536;
    if (kind == 1) bytes = place;
    uint8_t *const blob = malloc(bytes > 0 ? bytes : 1);
    if (!blob) exit(2);
    memcpy(blob, verdicts.blob, bytes);
    if (kind == 2) blob[place] ^= (uint8_t)bit;
    fuzz_expect(__func__,
            prim_ocl_engine_create_from_cache_blob(
                    &engine, device_of(side), context_of(side), bytes, blob),
            kind == 0 ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    FUZZ_PROMISE((kind == 0) == (engine != (prim_engine_t *)&untouched),
            "failures leave outputs as they are");
    if (kind == 0) prim_engine_destroy(engine);
    free(blob);
}

void fuzz_ocl_close(void)
{
    free(verdicts.blob);
    verdicts.blob = NULL;
}

void fuzz_call_ocl(fuzz_input_t *in)
{
    const fuzz_side_t *const side = fuzz_side(in);
    cl_device_id device = NULL;
    cl_context context = NULL;
    if (side->kind == PRIM_CPU) {
        fuzz_expect(__func__, prim_ocl_engine_get_device(side->engine, &device),
                PRIM_INVALID_ARGUMENTS);
        fuzz_expect(__func__, prim_ocl_engine_get_context(side->engine, &context),
                PRIM_INVALID_ARGUMENTS);
    } else if (fuzz_seldom(in, 3)) {
        open_engine(side);
    } else {
        open_from_blob(side, in);
    }
}
