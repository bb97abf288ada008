// SPDX-License-Identifier: Apache-2.0
// Memories of OpenCL engines: library-owned buffers, the application's, and mapping.
#include "ocl_memory.h"

#include <assert.h>
#include <string.h>

#include "common/alloc.h"
#include "common/memory_desc.h"
#include "ocl_buffer_pool.h"
#include "ocl_image.h"
#include "ocl_live_queues.h"
#include "ocl_memory_pointer.h"

const ocl_memory_t *prim__ocl_memory(const prim_memory_t *memory)
{
    assert(!memory || prim__ocl_is_engine(memory->engine));
    return (const ocl_memory_t *)memory;
}

static ocl_memory_t *mutable_memory(const prim_memory_t *memory)
{
    assert(prim__ocl_is_engine(memory->engine));
    return (ocl_memory_t *)(uintptr_t)memory;
}

bool prim__ocl_memory_has_storage(const ocl_memory_t *memory)
{
    return memory->buffer || memory->pointer;
}

// Padding starts as zeros. The service queue is in order, and everything on it is waited for.
static prim_status_t fill_with_zeros(ocl_engine_t *engine, cl_mem buffer, size_t bytes)
{
    const cl_uchar zero = 0;
    const char *call = "clEnqueueFillBuffer";
    cl_int code = clEnqueueFillBuffer(
            engine->service, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    if (code == CL_SUCCESS) {
        call = "clFinish";
        code = clFinish(engine->service);
    }
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail_allocation(code, call, bytes);
}

// Buffers of 0 bytes do not exist: an empty tensor gets one byte, so that kernels get a pointer.
static prim_status_t allocate(
        cl_mem *buffer, ocl_engine_t *engine, const prim_memory_desc_t *md, size_t bytes)
{
    cl_mem made = NULL;
    TRY(prim__ocl_buffer_pool_acquire(&made, engine->pool, bytes ? bytes : 1));
    const prim_status_t st =
            bytes && prim__md_is_padded(md) ? fill_with_zeros(engine, made, bytes) : PRIM_SUCCESS;
    if (st != PRIM_SUCCESS) {
        prim__ocl_buffer_pool_share(engine->pool, made); // the fill may be under way
        prim__ocl_buffer_pool_release(engine->pool, made);
        return st;
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
    CHECK(code != CL_INVALID_MEM_OBJECT, "the handle is not an OpenCL memory object");
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clGetMemObjectInfo");
    CHECK(type == CL_MEM_OBJECT_BUFFER,
            "the OpenCL memory object is not a buffer, as the descriptor requires");
    OCL_TRY(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL));
    OCL_TRY(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof buffer_bytes, &buffer_bytes, NULL));
    CHECK(context == engine->context, "the buffer belongs to another context than the engine");
    CHECK(bytes <= buffer_bytes && offset_bytes <= buffer_bytes - bytes,
            "a tensor of %zu bytes at byte %zu does not fit a buffer of %zu", bytes, offset_bytes,
            buffer_bytes);
    OCL_TRY(clRetainMemObject(buffer));
    return PRIM_SUCCESS;
}

// The library's own images count as its memory; they never lie idle.
static prim_status_t attach_image(ocl_memory_t *m, ocl_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle)
{
    const bool is_own = handle == PRIM_MEMORY_ALLOCATE;
    if (is_own) TRY(prim__ocl_buffer_pool_book(engine->pool, bytes));
    const prim_status_t st = prim__ocl_image_resolve(&m->buffer, engine, md, handle);
    if (st != PRIM_SUCCESS && is_own) prim__ocl_buffer_pool_unbook(engine->pool, bytes);
    m->is_pooled = st == PRIM_SUCCESS && is_own;
    return st;
}

// From a handle as in prim_memory_create() to the buffer of `m`, which has none. The offset is one
// into a buffer of the application's.
static prim_status_t attach(ocl_memory_t *m, ocl_engine_t *engine, const prim_memory_desc_t *md,
        size_t bytes, void *handle, size_t offset_bytes)
{
    if (prim__md_is_image(md)) return attach_image(m, engine, md, bytes, handle);
    if (m->kind != PRIM_OCL_BUFFER)
        return prim__ocl_memory_pointer_attach(m, engine, md, bytes, handle);
    if (handle == PRIM_MEMORY_ALLOCATE) {
        TRY(allocate(&m->buffer, engine, md, bytes));
        m->is_pooled = true;
    } else if (handle != PRIM_MEMORY_NONE) {
        TRY(adopt(engine, handle, offset_bytes, bytes));
        m->buffer = handle;
        m->offset_bytes = offset_bytes;
    }
    return PRIM_SUCCESS;
}

// Commands that were enqueued before still find the buffer.
static void detach(ocl_memory_t *m, ocl_engine_t *engine)
{
    if (m->kind != PRIM_OCL_BUFFER) {
        prim__ocl_memory_pointer_detach(m, engine);
        return;
    }
    const bool is_image = prim__md_is_image(&m->base.md);
    if (m->is_pooled && is_image) prim__ocl_buffer_pool_unbook(engine->pool, m->base.bytes);
    if (m->is_pooled && !is_image) {
        if (atomic_load(&m->nmaps) > 0) prim__ocl_buffer_pool_share(engine->pool, m->buffer);
        prim__ocl_buffer_pool_release(engine->pool, m->buffer);
    } else if (m->buffer) {
        clReleaseMemObject(m->buffer);
    }
    m->buffer = NULL;
    atomic_store(&m->nmaps, 0);
    m->is_pooled = false;
    m->offset_bytes = 0;
}

prim_status_t prim__ocl_memory_create(prim_memory_t **memory, prim_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle)
{
    ocl_memory_t *const m = prim__calloc(sizeof *m);
    if (!m) return prim__fail_memory(sizeof *m);
    m->kind = PRIM_OCL_BUFFER;
    const prim_status_t st = attach(m, prim__ocl_engine(engine), md, bytes, handle, 0);
    if (st != PRIM_SUCCESS) {
        prim__free(m);
        return st;
    }
    *memory = &m->base;
    return PRIM_SUCCESS;
}

void prim__ocl_memory_destroy(prim_memory_t *memory)
{
    ocl_memory_t *const m = mutable_memory(memory);
    detach(m, prim__ocl_engine(memory->engine));
    prim__free(m->mapped_copy);
    prim__free(m);
}

// What an empty tensor is mapped to.
static char nothing;

prim_status_t prim__ocl_memory_map(const prim_memory_t *memory, void **pointer)
{
    const ocl_memory_t *const m = prim__ocl_memory(memory);
    ocl_engine_t *const engine = prim__ocl_engine(memory->engine);
    CHECK(prim__ocl_memory_has_storage(m) || memory->bytes == 0, "the memory has no buffer to map");
    TRY(prim__ocl_live_queues_finish(engine));
    if (prim__md_is_image(&memory->md)) return prim__ocl_image_map(mutable_memory(memory), pointer);
    if (memory->bytes == 0) {
        *pointer = &nothing;
        return PRIM_SUCCESS;
    }
    if (!m->buffer) return prim__ocl_memory_pointer_map(mutable_memory(memory), pointer);
    cl_int code = CL_SUCCESS;
    // CL_MAP_WRITE returns the latest bits as CL_MAP_READ does (OpenCL 1.2, table 5.5), and alone
    // it informs checkers such as Oclgrind that the host initialises the memory.
    void *const mapped = clEnqueueMapBuffer(engine->service, m->buffer, CL_TRUE, CL_MAP_WRITE,
            m->offset_bytes, memory->bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        return prim__ocl_fail_allocation(code, "clEnqueueMapBuffer", memory->bytes);
    }
    (void)atomic_fetch_add(&mutable_memory(memory)->nmaps, 1);
    *pointer = mapped;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_unmap(const prim_memory_t *memory, void *pointer)
{
    const ocl_memory_t *const m = prim__ocl_memory(memory);
    const ocl_engine_t *const engine = prim__ocl_engine(memory->engine);
    if (prim__md_is_image(&memory->md))
        return prim__ocl_image_unmap(mutable_memory(memory), pointer);
    if (memory->bytes == 0) return PRIM_SUCCESS;
    CHECK(prim__ocl_memory_has_storage(m), "the memory has no buffer to unmap");
    if (!m->buffer) return prim__ocl_memory_pointer_unmap(mutable_memory(memory), pointer);
    const cl_int code = clEnqueueUnmapMemObject(engine->service, m->buffer, pointer, 0, NULL, NULL);
    CHECK(code != CL_INVALID_VALUE, "the pointer was not given by prim_memory_map_data()");
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clEnqueueUnmapMemObject");
    OCL_TRY(clFinish(engine->service));
    (void)atomic_fetch_sub(&mutable_memory(memory)->nmaps, 1);
    return PRIM_SUCCESS;
}

// A transfer moves only its own bytes, where a mapping may move all of them in both directions.
// Host memory that the device works on has to be mapped: the application's pointer is its storage.
static bool has_transfers(const ocl_memory_t *m)
{
    return m->kind == PRIM_OCL_BUFFER && !prim__md_is_image(&m->base.md);
}

prim_status_t prim__ocl_memory_write(
        const prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes)
{
    const ocl_memory_t *const m = prim__ocl_memory(memory);
    ocl_engine_t *const engine = prim__ocl_engine(memory->engine);
    if (!has_transfers(m)) return prim__memory_write_mapped(memory, data, bytes, offset_bytes);
    TRY(prim__ocl_live_queues_finish(engine));
    const cl_int code = clEnqueueWriteBuffer(engine->service, m->buffer, CL_TRUE,
            m->offset_bytes + offset_bytes, bytes, data, 0, NULL, NULL);
    return code == CL_SUCCESS ? PRIM_SUCCESS
                              : prim__ocl_fail_allocation(code, "clEnqueueWriteBuffer", bytes);
}

prim_status_t prim__ocl_memory_read(
        const prim_memory_t *memory, void *data, size_t bytes, size_t offset_bytes)
{
    const ocl_memory_t *const m = prim__ocl_memory(memory);
    ocl_engine_t *const engine = prim__ocl_engine(memory->engine);
    if (!has_transfers(m)) return prim__memory_read_mapped(memory, data, bytes, offset_bytes);
    TRY(prim__ocl_live_queues_finish(engine));
    const cl_int code = clEnqueueReadBuffer(engine->service, m->buffer, CL_TRUE,
            m->offset_bytes + offset_bytes, bytes, data, 0, NULL, NULL);
    return code == CL_SUCCESS ? PRIM_SUCCESS
                              : prim__ocl_fail_allocation(code, "clEnqueueReadBuffer", bytes);
}

// The application may keep what it is given, so the pool will not use it again.
static cl_mem share_buffer(const ocl_memory_t *m)
{
    if (m->is_pooled) {
        prim__ocl_buffer_pool_share(prim__ocl_engine(m->base.engine)->pool, m->buffer);
    }
    return m->buffer;
}

bool prim__ocl_memory_has_buffer(const prim_memory_t *memory)
{
    const ocl_memory_t *const m = prim__ocl_memory(memory);
    return m->buffer || m->pointer;
}

prim_status_t prim__ocl_memory_get_handle(const prim_memory_t *memory, void **handle)
{
    const ocl_memory_t *const m = prim__ocl_memory(memory);
    *handle = m->kind == PRIM_OCL_BUFFER ? (void *)share_buffer(m) : m->pointer;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_set_handle(prim_memory_t *memory, void *handle, size_t offset_bytes)
{
    ocl_memory_t *const m = mutable_memory(memory);
    ocl_engine_t *const engine = prim__ocl_engine(memory->engine);
    ocl_memory_t next = {.kind = m->kind};
    const bool is_buffer = m->kind == PRIM_OCL_BUFFER;
    const void *const now = is_buffer ? (const void *)m->buffer : m->pointer;
    CHECK(!m->is_pooled || handle != now || offset_bytes == 0, OWNED_BUFFER_SENTENCE, offset_bytes);
    if (!is_buffer && handle) {
        handle = (char *)handle + offset_bytes;
        offset_bytes = 0;
    }
    if (handle && handle == now && offset_bytes == m->offset_bytes) return PRIM_SUCCESS;
    TRY(attach(&next, engine, &memory->md, memory->bytes, handle, offset_bytes));
    detach(m, engine);
    m->buffer = next.buffer;
    m->pointer = next.pointer;
    m->is_pooled = next.is_pooled;
    m->offset_bytes = next.offset_bytes;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_memory_create(prim_memory_t **memory, const prim_memory_desc_t *md,
        prim_engine_t *engine, cl_mem buffer, size_t offset_bytes)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(buffer);
    CHECK(prim__ocl_is_engine(engine), "engine is not an OpenCL engine");
    TRY(prim__memory_check_offset(md, offset_bytes));
    prim_memory_t *made = NULL;
    TRY(prim_memory_create(&made, md, engine, PRIM_MEMORY_NONE)); // checks md
    const prim_status_t st = prim_memory_set_data_handle_at(made, buffer, offset_bytes);
    if (st != PRIM_SUCCESS) {
        prim_memory_destroy(made);
        return st;
    }
    *memory = made;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_memory_get_buffer(
        const prim_memory_t *memory, cl_mem *buffer, size_t *offset_bytes)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(buffer);
    CHECK_NOT_NULL(offset_bytes);
    CHECK(prim__ocl_is_engine(memory->engine), "memory is not on an OpenCL engine");
    const ocl_memory_t *const m = prim__ocl_memory(memory);
    CHECK(m->kind == PRIM_OCL_BUFFER || m->kind == PRIM_OCL_HOST,
            "the memory is a pointer, not a buffer");
    *buffer = share_buffer(m);
    *offset_bytes = m->offset_bytes;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_memory_get_kind(const prim_memory_t *memory, prim_ocl_memory_kind_t *kind)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(kind);
    CHECK(prim__ocl_is_engine(memory->engine), "memory is not on an OpenCL engine");
    *kind = prim__ocl_memory(memory)->kind;
    return PRIM_SUCCESS;
}

void prim__ocl_memory_view(
        void *storage, const prim_memory_t *base, size_t offset_bytes, size_t bytes)
{
    ocl_memory_t *const view = storage;
    const ocl_memory_t *const memory = prim__ocl_memory(base);
    memset(view, 0, sizeof *view);
    view->base.engine = base->engine;
    view->base.bytes = bytes;
    view->kind = memory->kind;
    view->buffer = memory->buffer;
    view->pointer = memory->pointer;
    view->offset_bytes = memory->offset_bytes + offset_bytes;
}
