// SPDX-License-Identifier: Apache-2.0
// Views: another descriptor over the bytes of a memory.
#include "dnnl_bridge.h"

#if DNNL_GPU_RUNTIME == DNNL_RUNTIME_OCL
#include "prim/prim_ocl.h"

static prim_status_t view_gpu(prim_memory_t **view, const prim_memory_t *memory,
        const prim_memory_desc_t *md, prim_engine_t *engine)
{
    prim_ocl_memory_kind_t kind;
    prim_status_t status = prim_ocl_memory_get_kind(memory, &kind);
    if (status != PRIM_SUCCESS) return status;
    if (kind != PRIM_OCL_BUFFER) {
        void *pointer = NULL;
        status = prim_memory_get_data_handle(memory, &pointer);
        if (status != PRIM_SUCCESS) return status;
        return prim_ocl_memory_create_shared(view, md, engine, kind, pointer);
    }
    cl_mem buffer = NULL;
    size_t offset_bytes = 0;
    status = prim_ocl_memory_get_buffer(memory, &buffer, &offset_bytes);
    if (status != PRIM_SUCCESS) return status;
    return prim_ocl_memory_create(view, md, engine, buffer, offset_bytes);
}
#endif

prim_status_t bridge_view(
        prim_memory_t **view, const prim_memory_t *memory, const prim_memory_desc_t *md)
{
    prim_engine_t *engine = NULL;
    prim_engine_kind_t kind = PRIM_CPU;
    prim_status_t status = prim_memory_get_engine(memory, &engine);
    if (status == PRIM_SUCCESS) status = prim_engine_get_kind(engine, &kind);
    if (status != PRIM_SUCCESS) return status;
#if DNNL_GPU_RUNTIME == DNNL_RUNTIME_OCL
    if (kind == PRIM_GPU) return view_gpu(view, memory, md, engine);
#endif
    void *pointer = NULL;
    status = prim_memory_get_data_handle(memory, &pointer);
    if (status != PRIM_SUCCESS) return status;
    return prim_memory_create(view, md, engine, pointer);
}
