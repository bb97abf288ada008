// SPDX-License-Identifier: Apache-2.0
// Memories by pointer: creation, mapping, release.
#include "ocl_memory_pointer.h"

#include "common/alloc.h"
#include "common/memory_desc.h"
#include "ocl_svm.h"
#include "ocl_usm.h"

static prim_status_t check_alignment(const void *pointer, size_t alignment, const char *what)
{
    CHECK((uintptr_t)pointer % alignment == 0, "the pointer %p is not a multiple of %zu bytes, %s",
            pointer, alignment, what);
    return PRIM_SUCCESS;
}

// SVM and USM.
static prim_status_t attach_pointer(ocl_memory_t *m, ocl_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle)
{
    const bool is_svm = m->kind == PRIM_OCL_SVM, wants_zeros = prim__md_is_padded(md);
    if (handle == PRIM_MEMORY_ALLOCATE) {
        const size_t room_bytes = bytes ? bytes : 1;
        TRY(is_svm ? prim__ocl_svm_alloc(&m->pointer, engine, room_bytes, wants_zeros)
                   : prim__ocl_usm_alloc(&m->pointer, engine, room_bytes, wants_zeros));
        m->is_pooled = true;
        return PRIM_SUCCESS;
    }
    TRY(check_alignment(handle, prim_data_type_size(md->data_type), "the size of an element"));
    if (!is_svm) TRY(prim__ocl_usm_check(engine, handle, bytes));
    m->pointer = handle;
    return PRIM_SUCCESS;
}

// In bytes; OpenCL reports bits.
static prim_status_t query_alignment(size_t *alignment, const ocl_engine_t *engine)
{
    cl_uint bits = 0;
    OCL_TRY(clGetDeviceInfo(
            engine->device.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    *alignment = bits >= 8 ? bits / 8 : 1;
    return PRIM_SUCCESS;
}

static prim_status_t attach_host(
        ocl_memory_t *m, const ocl_engine_t *engine, size_t bytes, void *pointer)
{
    size_t alignment = 0;
    TRY(query_alignment(&alignment, engine));
    TRY(check_alignment(pointer, alignment, "the alignment of the device"));
    cl_int code = CL_SUCCESS;
    const cl_mem made = clCreateBuffer(engine->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
            bytes ? bytes : 1, pointer, &code);
    if (code != CL_SUCCESS) return prim__ocl_fail_allocation(code, "clCreateBuffer", bytes);
    m->buffer = made;
    m->pointer = pointer;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_pointer_attach(ocl_memory_t *m, ocl_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle)
{
    if (handle == PRIM_MEMORY_NONE) return PRIM_SUCCESS;
    if (m->kind == PRIM_OCL_HOST) return attach_host(m, engine, bytes, handle);
    return attach_pointer(m, engine, md, bytes, handle);
}

void prim__ocl_memory_pointer_detach(ocl_memory_t *m, ocl_engine_t *engine)
{
    if (m->buffer) clReleaseMemObject(m->buffer);
    const size_t room_bytes = m->base.bytes ? m->base.bytes : 1;
    if (m->is_pooled && m->kind == PRIM_OCL_SVM) prim__ocl_svm_free(engine, m->pointer, room_bytes);
    if (m->is_pooled && m->kind == PRIM_OCL_USM) prim__ocl_usm_free(engine, m->pointer, room_bytes);
    m->buffer = NULL;
    m->pointer = NULL;
    m->is_pooled = false;
}

// A copy is one mapping's: there is room for one.
static prim_status_t keep_copy(ocl_memory_t *m, void *copy)
{
    void *unmapped = NULL;
    if (atomic_compare_exchange_strong(&m->mapped_copy, &unmapped, copy)) return PRIM_SUCCESS;
    prim__free(copy);
    return prim__fail(PRIM_INVALID_ARGUMENTS, "the device's own memory is mapped already");
}

prim_status_t prim__ocl_memory_pointer_map(ocl_memory_t *m, void **pointer)
{
    const ocl_engine_t *const engine = prim__ocl_engine(m->base.engine);
    void *mapped = m->pointer;
    if (m->kind == PRIM_OCL_SVM) {
        TRY(prim__ocl_svm_map(engine, m->pointer, m->base.bytes));
    } else {
        TRY(prim__ocl_usm_map(&mapped, engine, m->pointer, m->base.bytes));
        if (mapped != m->pointer) TRY(keep_copy(m, mapped));
    }
    *pointer = mapped;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_memory_pointer_unmap(ocl_memory_t *m, void *pointer)
{
    const ocl_engine_t *const engine = prim__ocl_engine(m->base.engine);
    void *copy = pointer;
    const bool is_copy =
            pointer && atomic_compare_exchange_strong(&m->mapped_copy, &copy, (void *)NULL);
    CHECK(is_copy || pointer == m->pointer, "the pointer was not given by prim_memory_map_data()");
    if (m->kind == PRIM_OCL_SVM) return prim__ocl_svm_unmap(engine, pointer);
    return prim__ocl_usm_unmap(engine, m->pointer, pointer, m->base.bytes);
}

// Whether the engine has memories of the kind.
static prim_status_t require_kind(const ocl_engine_t *engine, prim_ocl_memory_kind_t kind)
{
    if (kind == PRIM_OCL_SVM) return prim__ocl_svm_require(engine);
    if (kind == PRIM_OCL_USM) return prim__ocl_usm_require(engine);
    CHECK(kind == PRIM_OCL_HOST, "memory kind %d is not a kind of pointer", (int)kind);
    if (!engine->device.has_unified_memory) {
        return prim__fail(PRIM_UNIMPLEMENTED,
                "%s does not share its memory with the host: reorder from a CPU engine's memory",
                engine->device.name);
    }
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_memory_create_shared(prim_memory_t **memory, const prim_memory_desc_t *md,
        prim_engine_t *engine, prim_ocl_memory_kind_t kind, void *pointer)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(engine);
    CHECK(prim__ocl_is_engine(engine), "engine is not an OpenCL engine");
    ocl_engine_t *const e = prim__ocl_engine(engine);
    TRY(require_kind(e, kind));
    CHECK(!prim__md_is_image(md), "the descriptor is that of an image, which has no pointer");
    CHECK(kind != PRIM_OCL_HOST || pointer != PRIM_MEMORY_ALLOCATE,
            "host memory is the application's own: the library does not allocate it");
    prim_memory_t *made = NULL;
    TRY(prim_memory_create(&made, md, engine, PRIM_MEMORY_NONE)); // checks md
    ocl_memory_t *const m = (ocl_memory_t *)made;
    m->kind = kind;
    const prim_status_t st = prim__ocl_memory_pointer_attach(m, e, &made->md, made->bytes, pointer);
    if (st != PRIM_SUCCESS) {
        prim_memory_destroy(made);
        return st;
    }
    *memory = made;
    return PRIM_SUCCESS;
}
