// SPDX-License-Identifier: Apache-2.0
// Memories.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
        dnnl_engine_t engine, void *handle)
{
    if (memory_desc && memory_desc->md.ndims != 0)
        return prim_memory_create(memory, &memory_desc->md, engine, handle);
    // The absent tensor may have a memory in oneDNN, of no bytes.
    prim_memory_desc_t empty;
    const prim_dim_t zero = 0;
    const prim_status_t status = prim_memory_desc_init_by_strides(&empty, 1, &zero, PRIM_U8, NULL);
    if (status != PRIM_SUCCESS) return status;
    return prim_memory_create(memory, &empty, engine, handle);
}

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
        dnnl_engine_t engine, int nhandles, void **handles)
{
    if (nhandles > 1) return bridge_lacks(__func__, "tensors of several buffers");
    void *const handle = nhandles == 1 && handles ? handles[0] : DNNL_MEMORY_NONE;
    return dnnl_memory_create(memory, memory_desc, engine, handle);
}

dnnl_status_t dnnl_memory_get_memory_desc(
        const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc)
{
    if (!memory || !memory_desc)
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, "memory or memory_desc is NULL");
    *memory_desc = bridge_lent_md(prim_memory_get_desc(memory));
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine)
{
    return prim_memory_get_engine(memory, engine);
}

dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr)
{
    return prim_memory_map_data(memory, mapped_ptr);
}

dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void **mapped_ptr, int index)
{
    if (index != 0) return bridge_lacks(__func__, "tensors of several buffers");
    return prim_memory_map_data(memory, mapped_ptr);
}

dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped_ptr)
{
    return prim_memory_unmap_data(memory, mapped_ptr);
}

dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void *mapped_ptr, int index)
{
    if (index != 0) return bridge_lacks(__func__, "tensors of several buffers");
    return prim_memory_unmap_data(memory, mapped_ptr);
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle)
{
    return prim_memory_get_data_handle(memory, handle);
}

dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void **handle, int index)
{
    if (index != 0) return bridge_lacks(__func__, "tensors of several buffers");
    return prim_memory_get_data_handle(memory, handle);
}

dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle)
{
    return prim_memory_set_data_handle(memory, handle);
}

dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void *handle, int index)
{
    if (index != 0) return bridge_lacks(__func__, "tensors of several buffers");
    return prim_memory_set_data_handle(memory, handle);
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory)
{
    prim_memory_destroy(memory);
    return dnnl_success;
}

dnnl_status_t dnnl_memory_create_host_scalar(
        dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc, void *scalar_ptr)
{
    (void)memory, (void)memory_desc, (void)scalar_ptr;
    return bridge_lacks(__func__, "scalars on the host");
}

dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value)
{
    (void)memory, (void)value;
    return bridge_lacks(__func__, "scalars on the host");
}

dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value)
{
    (void)memory, (void)value;
    return bridge_lacks(__func__, "scalars on the host");
}
