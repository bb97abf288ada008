// SPDX-License-Identifier: Apache-2.0
// Memories: descriptor checks in front of the backend's functions.
#include "memory.h"

#include <string.h>

#include "engine.h"
#include "memory_desc.h"

static prim_status_t check_md(const prim_memory_desc_t *md)
{
    CHECK(md->ndims != 0, "the absent tensor (ndims 0) has no memory");
    TRY(prim__md_check(md, "memory"));
    CHECK(!prim__md_is_any(md), "a memory needs a known layout, not `any`");
    CHECK(!prim__md_has_runtime(md), "a memory needs its run-time dimensions filled in");
    return PRIM_SUCCESS;
}

static prim_status_t create_on(
        prim_memory_t **out, prim_engine_t *engine, const prim_memory_desc_t *md, void *handle)
{
    const size_t bytes = prim__md_bytes(md);
    prim_memory_t *memory = NULL;
    TRY(engine->ops->memory_create(&memory, engine, md, bytes, handle));
    atomic_init(&memory->nrefs, 1);
    prim__engine_retain(engine);
    memory->engine = engine;
    memory->md = *md;
    memory->bytes = bytes;
    *out = memory;
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_create(
        prim_memory_t **memory, const prim_memory_desc_t *md, prim_engine_t *engine, void *handle)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(engine);
    TRY(check_md(md));
    if (prim__md_is_image(md) && engine->ops->kind == PRIM_CPU)
        return prim__fail(PRIM_UNIMPLEMENTED, "images live on GPU engines, not on the CPU");
    prim_memory_desc_t normal = *md;
    prim__md_normalize(&normal);
    return create_on(memory, engine, &normal, handle);
}

prim_status_t prim__memory_create_raw(prim_memory_t **memory, prim_engine_t *engine, size_t bytes)
{
    prim_memory_desc_t md;
    TRY(prim_memory_desc_init_by_strides(
            &md, 1, (const prim_dim_t[]){(prim_dim_t)bytes}, PRIM_U8, NULL));
    return create_on(memory, engine, &md, PRIM_MEMORY_ALLOCATE);
}

const prim_memory_desc_t *prim_memory_get_desc(const prim_memory_t *memory)
{
    return memory ? &memory->md : NULL;
}

prim_status_t prim_memory_get_engine(const prim_memory_t *memory, prim_engine_t **engine)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(engine);
    *engine = memory->engine;
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_map_data(const prim_memory_t *memory, void **pointer)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(pointer);
    return memory->engine->ops->memory_map(memory, pointer);
}

prim_status_t prim_memory_unmap_data(const prim_memory_t *memory, void *pointer)
{
    CHECK_NOT_NULL(memory);
    CHECK(pointer || memory->bytes == 0, "pointer is NULL");
    return memory->engine->ops->memory_unmap(memory, pointer);
}

prim_status_t prim__memory_write_mapped(
        const prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes)
{
    void *pointer = NULL;
    TRY(memory->engine->ops->memory_map(memory, &pointer));
    memcpy((char *)pointer + offset_bytes, data, bytes);
    return memory->engine->ops->memory_unmap(memory, pointer);
}

prim_status_t prim__memory_read_mapped(
        const prim_memory_t *memory, void *data, size_t bytes, size_t offset_bytes)
{
    void *pointer = NULL;
    TRY(memory->engine->ops->memory_map(memory, &pointer));
    memcpy(data, (const char *)pointer + offset_bytes, bytes);
    return memory->engine->ops->memory_unmap(memory, pointer);
}

static prim_status_t check_transfer(
        const prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes)
{
    CHECK(data || bytes == 0, "data is NULL");
    CHECK(memory->bytes == 0 || memory->engine->ops->memory_has_buffer(memory),
            "the memory has no buffer");
    CHECK(offset_bytes <= memory->bytes && bytes <= memory->bytes - offset_bytes,
            "%zu bytes at byte %zu are not inside the memory's %zu", bytes, offset_bytes,
            memory->bytes);
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_write(
        prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes)
{
    CHECK_NOT_NULL(memory);
    TRY(check_transfer(memory, data, bytes, offset_bytes));
    if (bytes == 0) return PRIM_SUCCESS;
    return memory->engine->ops->memory_write(memory, data, bytes, offset_bytes);
}

prim_status_t prim_memory_read(
        const prim_memory_t *memory, void *data, size_t bytes, size_t offset_bytes)
{
    CHECK_NOT_NULL(memory);
    TRY(check_transfer(memory, data, bytes, offset_bytes));
    if (bytes == 0) return PRIM_SUCCESS;
    return memory->engine->ops->memory_read(memory, data, bytes, offset_bytes);
}

prim_status_t prim_memory_get_data_handle(const prim_memory_t *memory, void **handle)
{
    CHECK_NOT_NULL(memory);
    CHECK_NOT_NULL(handle);
    return memory->engine->ops->memory_get_handle(memory, handle);
}

prim_status_t prim__memory_check_offset(const prim_memory_desc_t *md, size_t offset_bytes)
{
    const size_t element_bytes = prim_data_type_size(md->data_type);
    CHECK(element_bytes == 0 || offset_bytes % element_bytes == 0,
            "byte offset %zu is not a multiple of the element's %zu bytes", offset_bytes,
            element_bytes);
    CHECK(offset_bytes == 0 || !prim__md_is_image(md),
            "an image starts at its first texel, not at byte %zu", offset_bytes);
    return PRIM_SUCCESS;
}

/// A place behind the last address would start again at 0.
static prim_status_t check_end(const prim_memory_t *memory, const void *handle, size_t offset_bytes)
{
    const size_t room = UINTPTR_MAX - (uintptr_t)handle;
    CHECK(offset_bytes <= room && memory->bytes <= room - offset_bytes,
            "%zu bytes at byte %zu after %p lie beyond the last address", memory->bytes,
            offset_bytes, handle);
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_set_data_handle_at(
        prim_memory_t *memory, void *handle, size_t offset_bytes)
{
    CHECK_NOT_NULL(memory);
    CHECK(handle != PRIM_MEMORY_ALLOCATE, "PRIM_MEMORY_ALLOCATE is for prim_memory_create() only");
    CHECK(handle || offset_bytes == 0, "there is no byte %zu without a buffer", offset_bytes);
    TRY(prim__memory_check_offset(&memory->md, offset_bytes));
    TRY(check_end(memory, handle, offset_bytes));
    TRY(memory->engine->ops->memory_set_handle(memory, handle, offset_bytes));
    ++memory->generation;
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_set_data_handle(prim_memory_t *memory, void *handle)
{
    return prim_memory_set_data_handle_at(memory, handle, 0);
}

void prim__memory_retain(prim_memory_t *memory)
{
    atomic_fetch_add_explicit(&memory->nrefs, 1, memory_order_relaxed);
}

void prim_memory_destroy(prim_memory_t *memory)
{
    if (!memory) return;
    if (atomic_fetch_sub_explicit(&memory->nrefs, 1, memory_order_acq_rel) != 1) return;
    prim_engine_t *const engine = memory->engine;
    engine->ops->memory_destroy(memory);
    prim__engine_release(engine);
}
