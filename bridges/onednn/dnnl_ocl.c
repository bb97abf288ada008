// SPDX-License-Identifier: Apache-2.0
// Sharing OpenCL objects with the application.
#include "dnnl_bridge.h"

#include "oneapi/dnnl/dnnl_ocl.h"
#include "prim/prim_ocl.h"

dnnl_status_t dnnl_ocl_interop_engine_create(
        dnnl_engine_t *engine, cl_device_id device, cl_context context)
{
    return prim_ocl_engine_create(engine, device, context);
}

dnnl_status_t dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context *context)
{
    return prim_ocl_engine_get_context(engine, context);
}

dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id *device)
{
    return prim_ocl_engine_get_device(engine, device);
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(
        cl_device_id device, size_t *size, uint8_t *cache_blob_id)
{
    return prim_ocl_engine_get_cache_blob_id(device, size, cache_blob_id);
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob)
{
    return prim_ocl_engine_get_cache_blob(engine, size, cache_blob);
}

dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
        cl_device_id device, cl_context context, size_t size, const uint8_t *cache_blob)
{
    return prim_ocl_engine_create_from_cache_blob(engine, device, context, size, cache_blob);
}

dnnl_status_t dnnl_ocl_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue)
{
    return prim_ocl_stream_create(stream, engine, queue);
}

dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(
        dnnl_stream_t stream, cl_command_queue *queue)
{
    return prim_ocl_stream_get_queue(stream, queue);
}

dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, void *handle)
{
    if (memory_kind == dnnl_ocl_interop_buffer)
        return dnnl_memory_create(memory, memory_desc, engine, handle);
    return prim_ocl_memory_create_shared(
            memory, bridge_md(memory_desc), engine, PRIM_OCL_USM, handle);
}

dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles, void **handles)
{
    if (nhandles > 1) return bridge_lacks(__func__, "tensors of several buffers");
    void *const handle = nhandles == 1 && handles ? handles[0] : DNNL_MEMORY_NONE;
    return dnnl_ocl_interop_memory_create(memory, memory_desc, engine, memory_kind, handle);
}

dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(
        const_dnnl_memory_t memory, dnnl_ocl_interop_memory_kind_t *memory_kind)
{
    if (!memory_kind) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "memory_kind is NULL");
    prim_ocl_memory_kind_t kind = PRIM_OCL_BUFFER;
    const prim_status_t status = prim_ocl_memory_get_kind(memory, &kind);
    if (status != PRIM_SUCCESS) return status;
    *memory_kind = kind == PRIM_OCL_BUFFER ? dnnl_ocl_interop_buffer : dnnl_ocl_interop_usm;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem *mem_object)
{
    size_t offset_bytes;
    return prim_ocl_memory_get_buffer(memory, mem_object, &offset_bytes);
}

dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object)
{
    return prim_memory_set_data_handle(memory, mem_object);
}

dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args, const cl_event *deps,
        int ndeps, cl_event *return_event)
{
    bridge_args_t taken;
    prim_status_t status = bridge_args_init(&taken, primitive, nargs, args);
    if (status != PRIM_SUCCESS) return status;
    status =
            prim_ocl_execute(primitive, stream, taken.nargs, taken.args, ndeps, deps, return_event);
    bridge_args_fini(&taken);
    return status;
}
