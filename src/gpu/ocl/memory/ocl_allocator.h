// SPDX-License-Identifier: Apache-2.0
// Where the pool's buffers come from: the driver, or the application's functions.
#ifndef PRIM_OCL_ALLOCATOR_H
#define PRIM_OCL_ALLOCATOR_H

#include <pthread.h>

#include "prim/prim_ocl.h"

/// The hook changes only while the pool owns no buffer.
typedef struct {
    prim_ocl_allocator_t hook; ///< its functions are NULL where the driver allocates
    pthread_mutex_t lock;      ///< held during calls of the hook, so that they never overlap
} ocl_allocator_t;

prim_status_t prim__ocl_allocator_init(ocl_allocator_t *allocator);
void prim__ocl_allocator_fini(ocl_allocator_t *allocator);

/// A buffer of at least `bytes` > 0 of the context, or NULL; `*code` says why, as clCreateBuffer()
/// does. A buffer of the application's that is not as asked for is CL_INVALID_MEM_OBJECT.
cl_mem prim__ocl_allocator_allocate(ocl_allocator_t *allocator, cl_context context,
        cl_device_id device, size_t bytes, cl_int *code);
/// What failed in a call that gave `code`, as a status with a sentence.
prim_status_t prim__ocl_allocator_fail(const ocl_allocator_t *allocator, cl_int code, size_t bytes);
void prim__ocl_allocator_release(ocl_allocator_t *allocator, cl_mem buffer);

#endif
