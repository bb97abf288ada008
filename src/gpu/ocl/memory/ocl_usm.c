// SPDX-License-Identifier: Apache-2.0
// Unified shared memory through the functions that the device's platform gives. Its names are
// spelled out here, for the headers may be older than the extension (specification 1.0.0).
#include "ocl_usm.h"

#include "common/alloc.h"
#include "gpu/ocl/device/ocl_traits.h"
#include "ocl_buffer_pool.h"
#include "ocl_live_queues.h"

static const char extension[] = "cl_intel_unified_shared_memory";

// clGetMemAllocInfoINTEL()'s questions and types.
enum {
    INFO_TYPE = 0x419A,
    INFO_BASE = 0x419B,
    INFO_BYTES = 0x419C,
    INFO_DEVICE = 0x419D,
    TYPE_UNKNOWN = 0x4196,
    TYPE_DEVICE = 0x4198
};

static ocl_function_t find(const ocl_device_t *device, const char *name)
{
    union {
        void *address;
        ocl_function_t function;
    } both = {clGetExtensionFunctionAddressForPlatform(device->platform, name)};
    return both.function;
}

void prim__ocl_usm_init(ocl_device_t *device)
{
    ocl_usm_functions_t *const f = &device->usm;
    if (!prim__ocl_device_has_extension(device, extension)) return;
    f->alloc_host = (ocl_usm_alloc_host_t)find(device, "clHostMemAllocINTEL");
    f->alloc_device = (ocl_usm_alloc_t)find(device, "clDeviceMemAllocINTEL");
    f->alloc_shared = (ocl_usm_alloc_t)find(device, "clSharedMemAllocINTEL");
    f->free = (ocl_usm_free_t)find(device, "clMemFreeINTEL");
    f->get_info = (ocl_usm_get_info_t)find(device, "clGetMemAllocInfoINTEL");
    f->set_arg = (ocl_usm_set_arg_t)find(device, "clSetKernelArgMemPointerINTEL");
    f->fill = (ocl_usm_fill_t)find(device, "clEnqueueMemFillINTEL");
    f->copy = (ocl_usm_copy_t)find(device, "clEnqueueMemcpyINTEL");
}

prim_status_t prim__ocl_usm_require(const ocl_engine_t *engine)
{
    const ocl_device_t *const device = &engine->device;
    const ocl_usm_functions_t *const f = &device->usm;
    if (!prim__ocl_device_has_extension(device, extension) ||
            (device->usm_host | device->usm_device | device->usm_shared) == 0) {
        return prim__fail(PRIM_UNIMPLEMENTED,
                "%s has no unified shared memory (USM): %s is missing", device->name, extension);
    }
    if (!f->alloc_host || !f->alloc_device || !f->alloc_shared || !f->free || !f->get_info ||
            !f->set_arg || !f->fill || !f->copy) {
        return prim__fail(PRIM_UNIMPLEMENTED,
                "the driver of %s lacks functions of unified shared memory (USM)", device->name);
    }
    return PRIM_SUCCESS;
}

static prim_status_t fill_with_zeros(const ocl_engine_t *engine, void *pointer, size_t bytes)
{
    const cl_uchar zero = 0;
    const char *call = "clEnqueueMemFillINTEL";
    cl_int code = engine->device.usm.fill(
            engine->service, pointer, &zero, sizeof zero, bytes, 0, NULL, NULL);
    if (code == CL_SUCCESS) {
        call = "clFinish";
        code = clFinish(engine->service);
    }
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail_allocation(code, call, bytes);
}

static prim_status_t alloc_best(void **pointer, const ocl_engine_t *engine, size_t bytes)
{
    const ocl_device_t *const device = &engine->device;
    const ocl_usm_functions_t *const f = &device->usm;
    cl_int code = CL_SUCCESS;
    const char *call = NULL;
    void *made = NULL;
    if (device->usm_shared) {
        call = "clSharedMemAllocINTEL";
        made = f->alloc_shared(engine->context, device->id, NULL, bytes, 0, &code);
    } else if (device->usm_device) {
        call = "clDeviceMemAllocINTEL";
        made = f->alloc_device(engine->context, device->id, NULL, bytes, 0, &code);
    } else {
        call = "clHostMemAllocINTEL";
        made = f->alloc_host(engine->context, NULL, bytes, 0, &code);
    }
    if (!made) {
        if (code == CL_SUCCESS) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return prim__ocl_fail_allocation(code, call, bytes);
    }
    *pointer = made;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_usm_alloc(
        void **pointer, ocl_engine_t *engine, size_t bytes, bool wants_zeros)
{
    prim_status_t st = PRIM_SUCCESS;
    void *made = NULL;
    TRY(prim__ocl_buffer_pool_book(engine->pool, bytes));
    TRY_OR(unbook, alloc_best(&made, engine, bytes));
    if (wants_zeros) TRY_OR(free, fill_with_zeros(engine, made, bytes));
    *pointer = made;
    return PRIM_SUCCESS;

free:
    (void)clFinish(engine->service); // the fill may be under way, and nothing else keeps the memory
    (void)engine->device.usm.free(engine->context, made);
unbook:
    prim__ocl_buffer_pool_unbook(engine->pool, bytes);
    return st;
}

void prim__ocl_usm_free(ocl_engine_t *engine, void *pointer, size_t bytes)
{
    // As for SVM: a failure is the streams' to report, and one for want of memory may pass.
    if (prim__ocl_live_queues_finish(engine) != PRIM_SUCCESS) {
        (void)prim__ocl_live_queues_finish(engine);
    }
    (void)engine->device.usm.free(engine->context, pointer);
    prim__ocl_buffer_pool_unbook(engine->pool, bytes);
}

static prim_status_t query(
        const ocl_engine_t *engine, const void *pointer, cl_uint what, void *value, size_t bytes)
{
    const cl_int code =
            engine->device.usm.get_info(engine->context, pointer, what, bytes, value, NULL);
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail(code, "clGetMemAllocInfoINTEL");
}

prim_status_t prim__ocl_usm_check(const ocl_engine_t *engine, const void *pointer, size_t bytes)
{
    cl_uint type = TYPE_UNKNOWN;
    const char *base = NULL;
    size_t room_bytes = 0;
    cl_device_id device = NULL;
    TRY(query(engine, pointer, INFO_TYPE, &type, sizeof type));
    CHECK(type != TYPE_UNKNOWN,
            "the pointer %p does not belong to unified shared memory of the context", pointer);
    if (type == TYPE_DEVICE) {
        TRY(query(engine, pointer, INFO_DEVICE, &device, sizeof device));
        CHECK(device == engine->device.id, "the pointer %p belongs to another device's memory",
                pointer);
    }
    TRY(query(engine, pointer, INFO_BASE, &base, sizeof base));
    TRY(query(engine, pointer, INFO_BYTES, &room_bytes, sizeof room_bytes));
    const size_t offset_bytes = (size_t)((const char *)pointer - base);
    CHECK(offset_bytes <= room_bytes && bytes <= room_bytes - offset_bytes,
            "a tensor of %zu bytes at byte %zu does not fit an allocation of %zu", bytes,
            offset_bytes, room_bytes);
    return PRIM_SUCCESS;
}

// Returns when it is done.
static prim_status_t copy_now(const ocl_engine_t *engine, void *dst, const void *src, size_t bytes)
{
    const cl_int code =
            engine->device.usm.copy(engine->service, CL_TRUE, dst, src, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail(code, "clEnqueueMemcpyINTEL");
}

prim_status_t prim__ocl_usm_map(
        void **mapped, const ocl_engine_t *engine, void *pointer, size_t bytes)
{
    cl_uint type = TYPE_UNKNOWN;
    TRY(query(engine, pointer, INFO_TYPE, &type, sizeof type));
    if (type != TYPE_DEVICE) {
        *mapped = pointer;
        return PRIM_SUCCESS;
    }
    void *const copy = prim__calloc(bytes);
    if (!copy) return prim__fail_memory(bytes);
    const prim_status_t st = copy_now(engine, copy, pointer, bytes);
    if (st != PRIM_SUCCESS) {
        prim__free(copy);
        return st;
    }
    *mapped = copy;
    return PRIM_SUCCESS;
}

static prim_status_t check_is_visible(const ocl_engine_t *engine, const void *pointer)
{
    cl_uint type = TYPE_UNKNOWN;
    TRY(query(engine, pointer, INFO_TYPE, &type, sizeof type));
    CHECK(type != TYPE_DEVICE, "the pointer was not given by prim_memory_map_data()");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_usm_unmap(
        const ocl_engine_t *engine, void *pointer, void *mapped, size_t bytes)
{
    if (mapped == pointer) return check_is_visible(engine, pointer);
    const prim_status_t st = copy_now(engine, pointer, mapped, bytes);
    prim__free(mapped);
    return st;
}

prim_status_t prim__ocl_usm_set_arg(
        const ocl_device_t *device, cl_kernel kernel, cl_uint index, const void *pointer)
{
    const cl_int code = device->usm.set_arg(kernel, index, pointer);
    return code == CL_SUCCESS ? PRIM_SUCCESS
                              : prim__ocl_fail(code, "clSetKernelArgMemPointerINTEL");
}
