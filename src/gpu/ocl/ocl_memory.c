// SPDX-License-Identifier: Apache-2.0
// Memories of OpenCL engines: library-owned buffers, the application's, and mapping.
#include "ocl_memory.h"

#include <assert.h>

#include "common/alloc.h"
#include "common/memory_desc.h"
#include "prim/prim_ocl.h"

const ocl_memory_t *prim__ocl_memory(const prim_memory_t *memory)
{
    assert(!memory || memory->engine->ops == &prim__ocl_engine_ops);
    return (const ocl_memory_t *)memory;
}

static ocl_memory_t *mutable_memory(prim_memory_t *memory)
{
    assert(memory->engine->ops == &prim__ocl_engine_ops);
    return (ocl_memory_t *)memory;
}

// Buffers of 0 bytes do not exist: an empty tensor gets one byte, so that kernels get a pointer.
static prim_status_t allocate(
        cl_mem *buffer, ocl_engine_t *engine, const prim_memory_desc_t *md, size_t bytes)
{
    const size_t buffer_bytes = bytes ? bytes : 1;
    // Some drivers allocate at first use and accept any size here.
    if (buffer_bytes > engine->device.global_bytes)
        return prim__fail(PRIM_OUT_OF_MEMORY, "%zu bytes are more than the device has: %llu",
                buffer_bytes, (unsigned long long)engine->device.global_bytes);
    cl_int code = CL_SUCCESS;
    const cl_mem made =
            clCreateBuffer(engine->context, CL_MEM_READ_WRITE, buffer_bytes, NULL, &code);
    if (code != CL_SUCCESS) return prim__ocl_fail_allocation(code, "clCreateBuffer", buffer_bytes);
    if (bytes && prim__md_is_padded(md)) {
        const cl_uchar zero = 0;
        const char *call = "clEnqueueFillBuffer";
        code = clEnqueueFillBuffer(
                engine->service, made, &zero, sizeof zero, 0, buffer_bytes, 0, NULL, NULL);
        if (code == CL_SUCCESS) {
            call = "clFinish";
            code = clFinish(engine->service);
        }
        if (code != CL_SUCCESS) {
            clReleaseMemObject(made);
            return prim__ocl_fail_allocation(code, call, buffer_bytes);
        }
    }
    *buffer = made;
    return PRIM_SUCCESS;
}

// Retains the application's buffer if a tensor of `bytes` fits at `offset_bytes`.
static prim_status_t adopt(
        const ocl_engine_t *engine, cl_mem buffer, size_t offset_bytes, size_t bytes)
{
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    size_t buffer_bytes = 0;
    const cl_int code = clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL);
    CHECK(code != CL_INVALID_MEM_OBJECT, "the handle is no OpenCL memory object");
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clGetMemObjectInfo");
    CHECK(type == CL_MEM_OBJECT_BUFFER, "the OpenCL memory object is no buffer");
    OCL_TRY(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL));
    OCL_TRY(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof buffer_bytes, &buffer_bytes, NULL));
    CHECK(context == engine->context, "the buffer belongs to another context than the engine");
    CHECK(bytes <= buffer_bytes && offset_bytes <= buffer_bytes - bytes,
            "a tensor of %zu bytes at byte %zu does not fit a buffer of %zu", bytes, offset_bytes,
            buffer_bytes);
    OCL_TRY(clRetainMemObject(buffer));
    return PRIM_SUCCESS;
}

// From a handle as in prim_memory_create() to a buffer with a reference, or NULL.
static prim_status_t resolve(cl_mem *buffer, ocl_engine_t *engine, const prim_memory_desc_t *md,
        size_t bytes, void *handle)
{
    if (handle == PRIM_MEMORY_ALLOCATE) return allocate(buffer, engine, md, bytes);
    if (handle != PRIM_MEMORY_NONE) TRY(adopt(engine, handle, 0, bytes));
    *buffer = handle;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_create(prim_memory_t **memory, prim_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle)
{
    cl_mem buffer = NULL;
    TRY(resolve(&buffer, prim__ocl_engine(engine), md, bytes, handle));
    ocl_memory_t *m = prim__calloc(sizeof *m);
    if (!m) {
        if (buffer) clReleaseMemObject(buffer);
        return prim__fail_memory(sizeof *m);
    }
    m->buffer = buffer;
    *memory = &m->base;
    return PRIM_SUCCESS;
}

void prim__ocl_memory_destroy(prim_memory_t *memory)
{
    ocl_memory_t *m = mutable_memory(memory);
    if (m->buffer) clReleaseMemObject(m->buffer);
    prim__free(m);
}

// What an empty tensor is mapped to.
static char nothing;

prim_status_t prim__ocl_memory_map(const prim_memory_t *memory, void **pointer)
{
    const ocl_memory_t *m = prim__ocl_memory(memory);
    ocl_engine_t *engine = prim__ocl_engine(memory->engine);
    CHECK(m->buffer || memory->bytes == 0, "the memory has no buffer to map");
    TRY(prim__ocl_engine_finish_streams(engine));
    if (memory->bytes == 0) {
        *pointer = &nothing;
        return PRIM_SUCCESS;
    }
    cl_int code = CL_SUCCESS;
    // CL_MAP_WRITE hands out the latest bits as CL_MAP_READ does (OpenCL 1.2, table 5.5), and alone
    // it tells checkers such as Oclgrind that the host initialises the memory.
    void *mapped = clEnqueueMapBuffer(engine->service, m->buffer, CL_TRUE, CL_MAP_WRITE,
            m->offset_bytes, memory->bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        return prim__ocl_fail_allocation(code, "clEnqueueMapBuffer", memory->bytes);
    }
    *pointer = mapped;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_unmap(const prim_memory_t *memory, void *pointer)
{
    const ocl_memory_t *m = prim__ocl_memory(memory);
    const ocl_engine_t *engine = prim__ocl_engine(memory->engine);
    if (memory->bytes == 0) return PRIM_SUCCESS;
    CHECK(m->buffer, "the memory has no buffer to unmap");
    const cl_int code = clEnqueueUnmapMemObject(engine->service, m->buffer, pointer, 0, NULL, NULL);
    CHECK(code != CL_INVALID_VALUE, "the pointer was not given by prim_memory_map_data()");
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clEnqueueUnmapMemObject");
    OCL_TRY(clFinish(engine->service));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_get_handle(const prim_memory_t *memory, void **handle)
{
    *handle = prim__ocl_memory(memory)->buffer;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_set_handle(prim_memory_t *memory, void *handle)
{
    ocl_memory_t *m = mutable_memory(memory);
    cl_mem buffer = NULL;
    TRY(resolve(&buffer, prim__ocl_engine(memory->engine), &memory->md, memory->bytes, handle));
    if (m->buffer) clReleaseMemObject(m->buffer);
    m->buffer = buffer;
    m->offset_bytes = 0;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_memory_create(prim_memory_t **memory, const prim_memory_desc_t *md,
        prim_engine_t *engine, cl_mem buffer, size_t offset_bytes)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(buffer);
    CHECK(engine->ops == &prim__ocl_engine_ops, "engine is not an OpenCL engine");
    const size_t element_bytes = prim_data_type_size(md->data_type);
    CHECK(element_bytes == 0 || offset_bytes % element_bytes == 0,
            "byte offset %zu is not a multiple of the element's %zu bytes", offset_bytes,
            element_bytes);
    prim_memory_t *made = NULL;
    TRY(prim_memory_create(&made, md, engine, PRIM_MEMORY_NONE)); // checks md
    const prim_status_t st = adopt(prim__ocl_engine(engine), buffer, offset_bytes, made->bytes);
    if (st != PRIM_SUCCESS) {
        prim_memory_destroy(made);
        return st;
    }
    ocl_memory_t *m = mutable_memory(made);
    m->buffer = buffer;
    m->offset_bytes = offset_bytes;
    *memory = made;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_memory_get_buffer(
        const prim_memory_t *memory, cl_mem *buffer, size_t *offset_bytes)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(buffer);
    CHECK_NOT_NULL(offset_bytes);
    CHECK(memory->engine->ops == &prim__ocl_engine_ops, "memory is not on an OpenCL engine");
    const ocl_memory_t *m = prim__ocl_memory(memory);
    *buffer = m->buffer;
    *offset_bytes = m->offset_bytes;
    return PRIM_SUCCESS;
}
