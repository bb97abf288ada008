// SPDX-License-Identifier: Apache-2.0
// The device memory of an engine: every buffer that the library owns is allocated here and returned
// here, and is reused when the device is done with it. All functions are thread-safe, and none
// of them waits for the device.
//
// A returned buffer may still be in use by enqueued commands. It is idle from then on, and is
// reused only when every queue of the engine has completed what was enqueued before the return
// (ocl_queue_watch.h). One that the application has seen (prim__ocl_buffer_pool_share) is never
// reused: it is released to OpenCL's reference count.
//
// Bounds. Buffers are created with exactly the requested size; a reused one is at most an eighth
// (or 4 KiB) larger than requested. The memory held, in use and idle, never exceeds the peak of
// memory in use, or 32 MiB where that is more: before a new buffer exceeds this, the buffers that
// have been idle longest are freed.
#ifndef PRIM_OCL_BUFFER_POOL_H
#define PRIM_OCL_BUFFER_POOL_H

#include "gpu/ocl/device/ocl_device.h"
#include "ocl_queue_watch.h"
#include "prim/prim_ocl.h"

typedef struct ocl_buffer_pool ocl_buffer_pool_t;

/// Holds no reference of the context; `device` must outlive the pool. The limit starts as
/// PRIM_MEMORY_MAX_BYTES, if it is a number.
prim_status_t prim__ocl_buffer_pool_create(
        ocl_buffer_pool_t **pool, cl_context context, const ocl_device_t *device);
/// Everything must have been released. Takes NULL.
void prim__ocl_buffer_pool_destroy(ocl_buffer_pool_t *pool);

/// A buffer of at least `bytes` > 0, contents undefined. PRIM_OUT_OF_MEMORY names the bytes and the
/// limit, the device's or the pool's.
prim_status_t prim__ocl_buffer_pool_acquire(cl_mem *buffer, ocl_buffer_pool_t *pool, size_t bytes);
/// Takes the buffer back, after the last command that uses it was enqueued. Takes NULL.
void prim__ocl_buffer_pool_release(ocl_buffer_pool_t *pool, cl_mem buffer);
/// The application has seen the buffer and may keep it. One that is not the pool's is ignored.
void prim__ocl_buffer_pool_share(ocl_buffer_pool_t *pool, cl_mem buffer);

/// Counts device memory that is not a buffer (images, SVM) as in use, within the same limits; it
/// never lies idle. unbook() takes the same number.
prim_status_t prim__ocl_buffer_pool_book(ocl_buffer_pool_t *pool, size_t bytes);
void prim__ocl_buffer_pool_unbook(ocl_buffer_pool_t *pool, size_t bytes);

/// Releases every idle buffer; peaks start anew.
void prim__ocl_buffer_pool_trim(ocl_buffer_pool_t *pool);
/// 0: none but the device's own.
void prim__ocl_buffer_pool_set_limit(ocl_buffer_pool_t *pool, uint64_t max_bytes);
/// As prim_ocl_engine_set_allocator(), whose functions are there or whose `hook` is NULL.
prim_status_t prim__ocl_buffer_pool_set_allocator(
        ocl_buffer_pool_t *pool, const prim_ocl_allocator_t *hook);
void prim__ocl_buffer_pool_get_stats(ocl_buffer_pool_t *pool, prim_memory_stats_t *stats);

/// @name Queues on which the buffers are used
/// @{
void prim__ocl_buffer_pool_add_queue(
        ocl_buffer_pool_t *pool, ocl_watched_queue_t *watched, cl_command_queue queue);
/// After the queue was finished; if that failed, no buffer that its commands may use is given out
/// again.
void prim__ocl_buffer_pool_remove_queue(
        ocl_buffer_pool_t *pool, ocl_watched_queue_t *watched, bool is_finished);
/// Before a clFinish(): the moment to hand to queue_passed() when it succeeded.
uint64_t prim__ocl_buffer_pool_now(ocl_buffer_pool_t *pool);
void prim__ocl_buffer_pool_queue_passed(
        ocl_buffer_pool_t *pool, ocl_watched_queue_t *watched, uint64_t moment);
/// @}

#endif
