// SPDX-License-Identifier: Apache-2.0
// The backend: its table of functions, and engines on a device of the list with an own context, or
// on the application's.
#include <assert.h>

#include "common/alloc.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "gpu/ocl/device/ocl_platform.h"
#include "gpu/ocl/device/ocl_traits.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/launch/ocl_launch_check.h"
#include "gpu/ocl/launch/ocl_recording.h"
#include "gpu/ocl/memory/ocl_buffer_pool.h"
#include "gpu/ocl/memory/ocl_memory.h"
#include "gpu/ocl/memory/ocl_usm.h"
#include "gpu/ocl/program/ocl_program.h"
#include "gpu/ocl/queue/ocl_scratchpad.h"
#include "gpu/ocl/queue/ocl_stream.h"
#include "gpu/ocl/queue/ocl_submission.h"
#include "gpu/ocl/queue/ocl_timer.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune_run.h"
#include "gpu/ocl/tune/ocl_tune_store.h"
#include "ocl_engine_table.h"
#include "ocl_program_blob.h"
#include "prim/prim_ocl.h"

enum { MAX_LISTED = 256 };

extern const engine_ops_t prim__ocl_engine_ops; // impl_lists/engine_list.c lists it

static size_t count(void)
{
    return prim__ocl_list_devices(NULL, 0);
}

static void engine_destroy(prim_engine_t *engine)
{
    ocl_engine_t *const e = prim__ocl_engine(engine);
    assert(!e->queues);
    prim__ocl_engine_table_remove(e);
    prim__ocl_measured_destroy(e->device.measured);
    prim__ocl_tune_store_destroy(e->tuning);
    prim__ocl_features_destroy(e->features);
    prim__ocl_program_cache_destroy(e->programs);
    prim__ocl_buffer_pool_destroy(e->pool);
    if (e->service) clReleaseCommandQueue(e->service);
    if (e->context) clReleaseContext(e->context);
    prim__ocl_device_fini(&e->device);
    pthread_mutex_destroy(&e->lock);
    prim__free(e);
}

// Which types of texels images may have.
static prim_status_t query_image_formats(ocl_engine_t *e)
{
    enum { MAX_FORMATS = 512 };
    cl_image_format formats[MAX_FORMATS];
    cl_uint n = 0;
    if (!e->device.has_images) return PRIM_SUCCESS;
    OCL_TRY(clGetSupportedImageFormats(
            e->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, MAX_FORMATS, formats, &n));
    for (cl_uint i = 0; i < n && i < MAX_FORMATS; ++i) {
        if (formats[i].image_channel_order != CL_RGBA) continue;
        if (formats[i].image_channel_data_type == CL_FLOAT) e->has_f32_images = true;
        if (formats[i].image_channel_data_type == CL_HALF_FLOAT) e->has_f16_images = true;
    }
    return PRIM_SUCCESS;
}

// `context` is the application's, or NULL for an own one.
static prim_status_t open_device(
        ocl_engine_t *e, cl_platform_id platform, cl_device_id device, cl_context context)
{
    TRY(prim__ocl_device_init(&e->device, platform, device));
    prim__ocl_usm_init(&e->device);
    TRY(prim__ocl_program_cache_create(&e->programs, &e->device));
    TRY(prim__ocl_features_create(&e->features));
    TRY(prim__ocl_tune_store_create(&e->tuning, &e->device));
    TRY(prim__ocl_tune_store_measured(&e->device.measured, e->tuning, &e->device));
    cl_int code = CL_SUCCESS;
    if (context) {
        OCL_TRY(clRetainContext(context));
        e->context = context;
    } else {
        const cl_context_properties properties[] = {
                CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
        e->context = clCreateContext(properties, 1, &device, NULL, NULL, &code);
        if (code != CL_SUCCESS) return prim__ocl_fail(code, "clCreateContext");
    }
    TRY(prim__ocl_buffer_pool_create(&e->pool, e->context, &e->device));
    TRY(query_image_formats(e));
    e->service = clCreateCommandQueue(e->context, device, 0, &code);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clCreateCommandQueue");
    return PRIM_SUCCESS;
}

static prim_status_t create_on(prim_engine_t **engine, size_t index, cl_platform_id platform,
        cl_device_id device, cl_context context)
{
    ocl_engine_t *const e = prim__calloc(sizeof *e);
    if (!e) return prim__fail_memory(sizeof *e);
    if (pthread_mutex_init(&e->lock, NULL) != 0) {
        prim__free(e);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    e->base.ops = &prim__ocl_engine_ops;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(fail, open_device(e, platform, device, context));
    prim__engine_init(&e->base, &prim__ocl_engine_ops, index, e->device.name);
    ocl_engine_t *const first = prim__ocl_engine_table_add(e);
    if (first != e) engine_destroy(&e->base); // another thread was faster
    *engine = &first->base;
    return PRIM_SUCCESS;

fail:
    engine_destroy(&e->base);
    return st;
}

static prim_status_t engine_create(prim_engine_t **engine, size_t index)
{
    ocl_listed_device_t list[MAX_LISTED];
    const size_t n = prim__ocl_list_devices(list, MAX_LISTED);
    CHECK(index < n && index < MAX_LISTED, "OpenCL device %zu does not exist: there are %zu", index,
            n);
    return create_on(engine, index, list[index].platform, list[index].device, NULL);
}

static prim_status_t engine_get_memory_limits(
        const prim_engine_t *engine, size_t *total_bytes, size_t *max_allocation_bytes)
{
    const ocl_device_t *const device = prim__ocl_device(engine);
    *total_bytes = (size_t)device->global_bytes;
    *max_allocation_bytes = (size_t)device->max_allocation_bytes;
    return PRIM_SUCCESS;
}

static prim_status_t engine_query(
        const prim_engine_t *engine, prim_engine_query_t what, void *result)
{
    const ocl_device_t *const device = prim__ocl_device(engine);
    switch (what) {
    case PRIM_ENGINE_QUERY_KIND_STR:
        *(const char **)result = device->type & CL_DEVICE_TYPE_GPU           ? "gpu"
                                 : device->type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                                 : device->type & CL_DEVICE_TYPE_CPU         ? "cpu"
                                                                             : "custom";
        return PRIM_SUCCESS;
    case PRIM_ENGINE_QUERY_TRUSTED_STR: return prim__ocl_features_text(result, engine, true);
    case PRIM_ENGINE_QUERY_DISTRUSTED_STR: return prim__ocl_features_text(result, engine, false);
    case PRIM_ENGINE_QUERY_SUBGROUP_ITEMS_S32:
        *(int *)result = prim__ocl_feature_verdict(engine, OCL_FEATURE_SUBGROUPS).value;
        return PRIM_SUCCESS;
    default: return prim__ocl_traits_query(device, what, result);
    }
}

static prim_status_t get_memory_stats(const prim_engine_t *engine, prim_memory_stats_t *stats)
{
    prim__ocl_buffer_pool_get_stats(prim__ocl_engine(engine)->pool, stats);
    return PRIM_SUCCESS;
}

static prim_status_t set_memory_limit(prim_engine_t *engine, uint64_t max_bytes)
{
    prim__ocl_buffer_pool_set_limit(prim__ocl_engine(engine)->pool, max_bytes);
    return PRIM_SUCCESS;
}

static prim_status_t trim_memory(prim_engine_t *engine)
{
    prim__ocl_buffer_pool_trim(prim__ocl_engine(engine)->pool);
    return PRIM_SUCCESS;
}

const engine_ops_t prim__ocl_engine_ops = {
        .kind = PRIM_GPU,
        .runtime = PRIM_RUNTIME_OCL,
        .count = count,
        .count_explain = prim__ocl_explain_devices,
        .engine_create = engine_create,
        .engine_destroy = engine_destroy,
        .engine_get_memory_limits = engine_get_memory_limits,
        .engine_get_memory_stats = get_memory_stats,
        .engine_set_memory_limit = set_memory_limit,
        .engine_trim_memory = trim_memory,
        .engine_query = engine_query,
        .engine_identity = prim__ocl_program_device_text,
        .programs_export = prim__ocl_programs_export,
        .programs_import = prim__ocl_programs_import,
        .desc_tune = prim__ocl_desc_tune,
        .tune_export = prim__ocl_tune_export,
        .tune_import = prim__ocl_tune_import,
        .tune_clear = prim__ocl_tune_clear,
        .stream_create = prim__ocl_stream_create,
        .stream_wait = prim__ocl_stream_wait,
        .stream_destroy = prim__ocl_stream_destroy,
        .stream_get_profile = prim__ocl_stream_get_profile,
        .stream_reset_profile = prim__ocl_stream_reset_profile,
        .exec_begin = prim__ocl_exec_begin,
        .exec_end = prim__ocl_exec_end,
        .stream_run_timed = prim__ocl_stream_run_timed,
        .memory_create = prim__ocl_memory_create,
        .memory_destroy = prim__ocl_memory_destroy,
        .memory_map = prim__ocl_memory_map,
        .memory_unmap = prim__ocl_memory_unmap,
        .memory_write = prim__ocl_memory_write,
        .memory_read = prim__ocl_memory_read,
        .memory_has_buffer = prim__ocl_memory_has_buffer,
        .memory_get_handle = prim__ocl_memory_get_handle,
        .memory_set_handle = prim__ocl_memory_set_handle,
        .memory_view = prim__ocl_memory_view,
        .primitive_check = prim__ocl_launch_check,
        .recording_prepare = prim__ocl_recording_prepare,
        .recording_replay = prim__ocl_recording_replay,
        .recording_destroy = prim__ocl_recording_destroy,
        .scratchpad_acquire = prim__ocl_scratchpad_acquire,
        .scratchpad_release = prim__ocl_scratchpad_release,
};

static prim_status_t check_context_has(cl_context context, cl_device_id device)
{
    cl_device_id devices[MAX_LISTED];
    size_t bytes = 0;
    OCL_TRY(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes));
    size_t i = 0;
    while (i < bytes / sizeof devices[0] && devices[i] != device) ++i;
    CHECK(i < bytes / sizeof devices[0], "the device does not belong to the context");
    return PRIM_SUCCESS;
}

static size_t listed_index(cl_device_id device)
{
    ocl_listed_device_t list[MAX_LISTED];
    const size_t n = prim__ocl_list_devices(list, MAX_LISTED);
    for (size_t i = 0; i < n && i < MAX_LISTED; ++i) {
        if (list[i].device == device) return i;
    }
    return n; // outside the list: PRIM_OCL_DEVICE hides it
}

prim_status_t prim_ocl_engine_create(
        prim_engine_t **engine, cl_device_id device, cl_context context)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(device);
    CHECK_NOT_NULL(context);
    TRY(check_context_has(context, device));
    ocl_engine_t *const found = prim__ocl_engine_table_find(device, context);
    if (found) {
        *engine = &found->base;
        return PRIM_SUCCESS;
    }
    cl_platform_id platform = NULL;
    OCL_TRY(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    return create_on(engine, listed_index(device), platform, device, context);
}

prim_status_t prim_ocl_engine_get_device(const prim_engine_t *engine, cl_device_id *device)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(device);
    CHECK(prim__ocl_is_engine(engine), "engine is not an OpenCL engine");
    *device = prim__ocl_engine(engine)->device.id;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_engine_get_context(const prim_engine_t *engine, cl_context *context)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(context);
    CHECK(prim__ocl_is_engine(engine), "engine is not an OpenCL engine");
    *context = prim__ocl_engine(engine)->context;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_engine_set_allocator(
        prim_engine_t *engine, const prim_ocl_allocator_t *allocator)
{
    CHECK_NOT_NULL(engine);
    CHECK(prim__ocl_is_engine(engine), "engine is not an OpenCL engine");
    CHECK(!allocator || (allocator->allocate && allocator->release),
            "a function of the device allocator is NULL");
    return prim__ocl_buffer_pool_set_allocator(prim__ocl_engine(engine)->pool, allocator);
}
