// SPDX-License-Identifier: Apache-2.0
// Allocation, mapping and guard bands of argument memories.
#include "bench_memory.h"

#include <stdlib.h>
#include <string.h>

#include "bench_text.h"

#define HOST_ALIGNMENT 64

/// The CPU engine works on memory of the user's.
static prim_status_t create_on_host(
        arg_memory_t *m, const prim_memory_desc_t *md, prim_engine_t *engine, int preset)
{
    const size_t bytes =
            (m->bytes + GUARD_BYTES + HOST_ALIGNMENT - 1) / HOST_ALIGNMENT * HOST_ALIGNMENT;
    m->host = aligned_alloc(HOST_ALIGNMENT, bytes);
    if (!m->host) return PRIM_OUT_OF_MEMORY;
    memset(m->host, preset, bytes);
    return prim_memory_create(&m->memory, md, engine, m->host);
}

/// On a device the bytes with their guard are one memory and the tensor, on the same buffer,
/// another.
static prim_status_t create_on_device(
        arg_memory_t *m, const prim_memory_desc_t *md, prim_engine_t *engine, int preset)
{
    prim_memory_desc_t bytes_md;
    void *handle = NULL;
    const prim_dim_t count = (prim_dim_t)(m->bytes + GUARD_BYTES);
    prim_status_t status = prim_memory_desc_init_by_tag(&bytes_md, 1, &count, PRIM_U8, PRIM_a);
    if (status != PRIM_SUCCESS) return status;
    status = prim_memory_create(&m->store, &bytes_md, engine, PRIM_MEMORY_ALLOCATE);
    if (status != PRIM_SUCCESS) return status;
    void *const mapped = arg_memory_map(m);
    if (!mapped) return PRIM_RUNTIME_ERROR;
    memset(mapped, preset, (size_t)count);
    status = arg_memory_unmap(m, mapped);
    if (status != PRIM_SUCCESS) return status;
    status = prim_memory_get_data_handle(m->store, &handle);
    if (status != PRIM_SUCCESS) return status;
    return prim_memory_create(&m->memory, md, engine, handle);
}

/// An image cannot be larger than its tensor: writes outside it are dropped by the device.
static prim_status_t create_image(
        arg_memory_t *m, const prim_memory_desc_t *md, prim_engine_t *engine, int preset)
{
    const prim_status_t status = prim_memory_create(&m->memory, md, engine, PRIM_MEMORY_ALLOCATE);
    if (status != PRIM_SUCCESS) return status;
    void *const mapped = arg_memory_map(m);
    if (!mapped) return PRIM_RUNTIME_ERROR;
    memset(mapped, preset, m->bytes);
    return arg_memory_unmap(m, mapped);
}

prim_status_t arg_memory_create(
        arg_memory_t **memory, const prim_memory_desc_t *md, prim_engine_t *engine, int preset)
{
    prim_engine_kind_t kind = PRIM_CPU;
    const prim_status_t queried = prim_engine_get_kind(engine, &kind);
    if (queried != PRIM_SUCCESS) return queried;
    arg_memory_t *const m = bench_calloc(1, sizeof *m);
    m->bytes = prim_memory_desc_get_size(md);
    const bool is_image = md->format_kind == PRIM_FORMAT_KIND_IMAGE2D;
    const prim_status_t status = kind == PRIM_CPU ? create_on_host(m, md, engine, preset)
                                 : is_image       ? create_image(m, md, engine, preset)
                                                  : create_on_device(m, md, engine, preset);
    if (status == PRIM_SUCCESS)
        *memory = m;
    else
        arg_memory_destroy(m);
    return status;
}

void arg_memory_destroy(arg_memory_t *memory)
{
    if (!memory) return;
    prim_memory_destroy(memory->memory);
    prim_memory_destroy(memory->store);
    free(memory->host);
    free(memory);
}

static const prim_memory_t *mapped_memory(const arg_memory_t *memory)
{
    return memory->store ? memory->store : memory->memory;
}

void *arg_memory_map(const arg_memory_t *memory)
{
    void *pointer = NULL;
    if (memory->host) return memory->host;
    return prim_memory_map_data(mapped_memory(memory), &pointer) == PRIM_SUCCESS ? pointer : NULL;
}

prim_status_t arg_memory_unmap(const arg_memory_t *memory, void *pointer)
{
    return memory->host ? PRIM_SUCCESS : prim_memory_unmap_data(mapped_memory(memory), pointer);
}

bool arg_memory_guard_holds(const arg_memory_t *memory, const void *mapped, int preset)
{
    if (!memory->host && !memory->store) return true;
    const unsigned char *const guard = (const unsigned char *)mapped + memory->bytes;
    for (size_t i = 0; i < GUARD_BYTES; ++i)
        if (guard[i] != preset) return false;
    return true;
}
