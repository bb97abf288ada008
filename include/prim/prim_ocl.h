// SPDX-License-Identifier: Apache-2.0
/// @file prim_ocl.h
/// Sharing OpenCL objects with the application: its device, context, queue and buffers, on any
/// platform. Everything passed in is retained; everything passed out is borrowed, except events.
#ifndef PRIM_OCL_H
#define PRIM_OCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "prim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An engine on the application's device and context. While an engine on both is alive, that engine
/// is returned with one more reference for the caller. So memories and primitives of different
/// parts of an application work together, and kernels are built once. prim_engine_create() makes a
/// context of its own each time; use prim_ocl_engine_get_context() to share it.
/// @retval PRIM_INVALID_ARGUMENTS the device does not belong to the context
PRIM_API prim_status_t prim_ocl_engine_create(
        prim_engine_t **engine, cl_device_id device, cl_context context);
/// Borrowed: retain it to keep it longer than the engine.
PRIM_API prim_status_t prim_ocl_engine_get_device(
        const prim_engine_t *engine, cl_device_id *device);
/// Borrowed likewise.
PRIM_API prim_status_t prim_ocl_engine_get_context(
        const prim_engine_t *engine, cl_context *context);

/// The key under which to keep the blob of an engine on this device; another device, driver or
/// library version has another key. `id` NULL returns the size in `*bytes`; else `*bytes` is the
/// capacity of `id`, and becomes the size.
/// @retval PRIM_INVALID_ARGUMENTS also: there is too little room
PRIM_API prim_status_t prim_ocl_engine_get_cache_blob_id(
        cl_device_id device, size_t *bytes, uint8_t *id);
/// The engine's self-test verdicts (doc/devices.md) as bytes for the application to keep; runs the
/// tests that were not run yet. Sizes as above.
PRIM_API prim_status_t prim_ocl_engine_get_cache_blob(
        const prim_engine_t *engine, size_t *bytes, uint8_t *blob);
/// prim_ocl_engine_create() with the verdicts of the blob; those features are not tested again.
/// @retval PRIM_INVALID_ARGUMENTS also: the blob is damaged, or of another device, driver or
/// library
PRIM_API prim_status_t prim_ocl_engine_create_from_cache_blob(prim_engine_t **engine,
        cl_device_id device, cl_context context, size_t bytes, const uint8_t *blob);

/// The application's device memory, for an engine. Calls for one engine never overlap; they come
/// from any thread that uses the engine, and must not call Prim.
typedef struct {
    /// A buffer of `context` with at least `bytes` > 0 that kernels on `device` read and write,
    /// contents undefined; also a sub-buffer. It is the library's until release(). NULL: there is
    /// no memory. The library then releases its idle buffers, asks once more, and reports
    /// PRIM_OUT_OF_MEMORY.
    cl_mem (*allocate)(void *user, cl_context context, cl_device_id device, size_t bytes);
    /// Takes back a buffer that allocate() gave; never NULL. Commands that use it may be under way:
    /// clReleaseMemObject() is always right, and memory behind a sub-buffer is free for others when
    /// clSetMemObjectDestructorCallback() says so, or after all streams were waited for.
    void (*release)(void *user, cl_mem buffer);
    void *user;
} prim_ocl_allocator_t;

/// Every buffer that the library makes for itself on the engine comes from the allocator from now
/// on: memories, scratchpads, constant data of primitives, tuning runs. NULL goes back to the
/// driver. The pool stays in front of it, with its statistics and limit (doc/memory.md): idle
/// buffers are used again, and prim_engine_trim_memory() gives them back. The struct is copied;
/// `user` must live until the engine is gone, which primitives in the cache may keep, or until the
/// allocator is replaced. Images, SVM and USM memories, and the few bytes of self-tests, come from
/// the driver. Call it before anything else uses the engine.
/// @retval PRIM_INVALID_ARGUMENTS a function is missing; the engine is not an OpenCL engine; the
/// library has memory of the engine in use
PRIM_API prim_status_t prim_ocl_engine_set_allocator(
        prim_engine_t *engine, const prim_ocl_allocator_t *allocator);

/// A stream on the application's queue, whose device and context must be the engine's. The queue's
/// own properties decide on profiling and on the order (see PRIM_STREAM_OUT_OF_ORDER). Other
/// commands may be enqueued on it between primitives.
PRIM_API prim_status_t prim_ocl_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, cl_command_queue queue);
/// Borrowed: retain it to keep it longer than the stream.
PRIM_API prim_status_t prim_ocl_stream_get_queue(
        const prim_stream_t *stream, cl_command_queue *queue);

/// prim_execute() between events, on streams in order and out of order. The execution starts when
/// the `ndeps` events of `deps` are complete, which may come from any queue of the engine's context
/// or be user events; they stay the caller's. `*return_event`, unless NULL, becomes the event of
/// the execution's last command, which the caller releases. An execution of several commands is one
/// unit: none starts before `deps` are complete, and all are done when the returned event is. An
/// execution whose dependency fails does not run; prim_stream_wait() reports it. Flush the queue
/// (clFlush) before a command of another queue waits for the event. With PRIM_VERBOSE=profile_exec
/// this function waits for the execution, so every event of `deps` must already be submitted; the
/// returned event then belongs to a queue of the library.
/// @retval PRIM_INVALID_ARGUMENTS as prim_execute(); the stream is not of an OpenCL engine; ndeps
/// is negative; an event is NULL or belongs to another context
PRIM_API prim_status_t prim_ocl_execute(const prim_t *primitive, prim_stream_t *stream, int nargs,
        const prim_arg_t *args, int ndeps, const cl_event *deps, cl_event *return_event);

/// What the handle of an OpenCL memory is; for usm and buffer the numbers are oneDNN's.
typedef enum {
    PRIM_OCL_USM = 0,    ///< a pointer of cl_intel_unified_shared_memory
    PRIM_OCL_BUFFER = 1, ///< a cl_mem, a buffer or an image
    PRIM_OCL_SVM = 2,    ///< a pointer of OpenCL's coarse-grained shared virtual memory
    PRIM_OCL_HOST = 3,   ///< a pointer to host memory that the device works on
} prim_ocl_memory_kind_t;

/// A tensor in the application's buffer, `offset_bytes` (a multiple of the element size) after its
/// start. The buffer must belong to the engine's context and be large enough. For a descriptor of
/// an image it is an image as prim_memory_create() takes it, and `offset_bytes` is 0.
PRIM_API prim_status_t prim_ocl_memory_create(prim_memory_t **memory, const prim_memory_desc_t *md,
        prim_engine_t *engine, cl_mem buffer, size_t offset_bytes);
/// The buffer or image; borrowed: retain it to keep it longer than the memory. NULL for
/// PRIM_MEMORY_NONE.
/// @retval PRIM_INVALID_ARGUMENTS the memory is an SVM or USM pointer
PRIM_API prim_status_t prim_ocl_memory_get_buffer(
        const prim_memory_t *memory, cl_mem *buffer, size_t *offset_bytes);

/// A tensor behind a pointer, on devices that share memory with the host (doc/memory.md says which
/// kind needs what). Every operation takes it, also together with memories of other kinds.
/// PRIM_OCL_SVM: a pointer from clSVMAlloc() of the engine's context, or into such an allocation,
/// aligned to the element; PRIM_MEMORY_ALLOCATE for one that the library owns (destroying it waits
/// for the engine's streams).
/// PRIM_OCL_USM: a pointer of cl_intel_unified_shared_memory, of the host's, the device's or shared
/// memory of the engine's context, or into such an allocation, which must hold the tensor; aligned
/// to the element. PRIM_MEMORY_ALLOCATE as for SVM.
/// PRIM_OCL_HOST: any host memory aligned to the device's CL_DEVICE_MEM_BASE_ADDR_ALIGN, which the
/// device works on without a copy. The host may touch it only between prim_memory_map_data() (which
/// gives this pointer) and unmap.
/// Memory of the application must outlive the work that uses it: wait for the stream before freeing
/// it. PRIM_MEMORY_NONE: none yet; prim_memory_set_data_handle() takes pointers of the kind.
/// @retval PRIM_UNIMPLEMENTED the device, its driver or the OpenCL loader does not have the kind
/// @retval PRIM_INVALID_ARGUMENTS PRIM_OCL_BUFFER or no kind; a pointer that is not aligned, or
/// (USM) not of such memory
PRIM_API prim_status_t prim_ocl_memory_create_shared(prim_memory_t **memory,
        const prim_memory_desc_t *md, prim_engine_t *engine, prim_ocl_memory_kind_t kind,
        void *pointer);
/// PRIM_OCL_BUFFER for memories that no prim_ocl_memory_create_shared() made.
PRIM_API prim_status_t prim_ocl_memory_get_kind(
        const prim_memory_t *memory, prim_ocl_memory_kind_t *kind);

#ifdef __cplusplus
}
#endif

#endif
