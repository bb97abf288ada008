// SPDX-License-Identifier: Apache-2.0
// Tensors in host memory: the library's own or the user's.
#include "cpu/cpu_memory.h"

#include <string.h>

#include "common/alloc.h"

void *prim__cpu_ptr(const exec_ctx_t *ctx, int arg)
{
    const prim_memory_t *const memory = prim__ctx_memory(ctx, arg);
    return memory ? ((const cpu_memory_t *)memory)->data : NULL;
}

prim_status_t prim__cpu_memory_create(prim_memory_t **out, prim_engine_t *engine,
        const prim_memory_desc_t *md, size_t bytes, void *handle)
{
    (void)engine;
    cpu_memory_t *const memory = prim__calloc(sizeof *memory);
    if (!memory) return prim__fail_memory(sizeof *memory);
    if (handle != PRIM_MEMORY_ALLOCATE) {
        memory->data = handle;
    } else if (bytes > 0) {
        memory->data = prim__malloc_aligned(bytes);
        memory->owns_data = true;
        if (!memory->data) {
            prim__free(memory);
            return prim__fail_memory(bytes);
        }
        // The rest is undefined anyway: one sweep is simpler than visiting the padding.
        if (prim__md_is_padded(md)) memset(memory->data, 0, bytes);
    }
    *out = &memory->base;
    return PRIM_SUCCESS;
}

prim_status_t prim__cpu_memory_create_scratch(
        prim_memory_t **out, prim_engine_t *engine, size_t bytes)
{
    prim_memory_desc_t md;
    TRY(prim_memory_desc_init_by_strides(
            &md, 1, (const prim_dim_t[]){(prim_dim_t)bytes}, PRIM_U8, NULL));
    prim_memory_t *memory = NULL;
    TRY(prim__cpu_memory_create(&memory, engine, &md, bytes, PRIM_MEMORY_ALLOCATE));
    memory->engine = engine;
    memory->md = md;
    memory->bytes = bytes;
    *out = memory;
    return PRIM_SUCCESS;
}

static void free_data(cpu_memory_t *memory)
{
    if (memory->owns_data) prim__free(memory->data);
    memory->data = NULL;
    memory->owns_data = false;
}

void prim__cpu_memory_destroy(prim_memory_t *base)
{
    if (!base) return;
    cpu_memory_t *const memory = (cpu_memory_t *)base;
    free_data(memory);
    prim__free(memory);
}

prim_status_t prim__cpu_memory_map(const prim_memory_t *base, void **pointer)
{
    const cpu_memory_t *const memory = (const cpu_memory_t *)base;
    CHECK(memory->data || base->bytes == 0, "the memory has no buffer to map");
    *pointer = memory->data;
    return PRIM_SUCCESS;
}

prim_status_t prim__cpu_memory_unmap(const prim_memory_t *base, void *pointer)
{
    CHECK(pointer == ((const cpu_memory_t *)base)->data, "the pointer is not this memory's");
    return PRIM_SUCCESS;
}

bool prim__cpu_memory_has_buffer(const prim_memory_t *base)
{
    return ((const cpu_memory_t *)base)->data != NULL;
}

prim_status_t prim__cpu_memory_get_handle(const prim_memory_t *base, void **handle)
{
    *handle = ((const cpu_memory_t *)base)->data;
    return PRIM_SUCCESS;
}

prim_status_t prim__cpu_memory_set_handle(prim_memory_t *base, void *handle, size_t offset_bytes)
{
    cpu_memory_t *const memory = (cpu_memory_t *)base;
    char *const start = handle;
    void *const data = start ? start + offset_bytes : NULL;
    if (data == memory->data) return PRIM_SUCCESS;
    CHECK(!memory->owns_data || handle != memory->data, OWNED_BUFFER_SENTENCE, offset_bytes);
    free_data(memory);
    memory->data = data;
    return PRIM_SUCCESS;
}

void prim__cpu_memory_view(
        void *storage, const prim_memory_t *memory, size_t offset_bytes, size_t bytes)
{
    cpu_memory_t *const view = storage;
    char *const data = ((const cpu_memory_t *)memory)->data;
    memset(view, 0, sizeof *view);
    view->base.engine = memory->engine;
    view->base.bytes = bytes;
    view->data = data ? data + offset_bytes : NULL;
}
