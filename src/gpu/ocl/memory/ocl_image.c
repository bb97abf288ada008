// SPDX-License-Identifier: Apache-2.0
// Images as memories.
#include "ocl_image.h"

#include "common/alloc.h"
#include "common/memory_desc.h"

prim_status_t prim__ocl_image_check(const ocl_engine_t *engine, const prim_memory_desc_t *md)
{
    const ocl_device_t *const device = &engine->device;
    size_t width = 0, height = 0;
    if (!device->has_images)
        return prim__fail(PRIM_UNIMPLEMENTED, "the device %s has no images", device->name);
    const bool has_type =
            md->data_type == PRIM_F32 ? engine->has_f32_images : engine->has_f16_images;
    if (!has_type)
        return prim__fail(PRIM_UNIMPLEMENTED, "the device %s has no images of %s", device->name,
                prim_data_type_name(md->data_type));
    TRY(prim_memory_desc_get_image2d(md, &width, &height));
    if (width > device->max_image2d_width || height > device->max_image2d_height)
        return prim__fail(PRIM_UNIMPLEMENTED,
                "an image of %zu x %zu texels exceeds the device's %zu x %zu", width, height,
                device->max_image2d_width, device->max_image2d_height);
    return PRIM_SUCCESS;
}

static cl_image_format format_of(const prim_memory_desc_t *md)
{
    return (cl_image_format){
            CL_RGBA, (cl_channel_type)(md->data_type == PRIM_F32 ? CL_FLOAT : CL_HALF_FLOAT)};
}

typedef struct {
    size_t origin[3], size[3];
} region_t;

/// All texels of the tensor. The application's image may be larger.
static prim_status_t full_region(region_t *region, const prim_memory_desc_t *md)
{
    *region = (region_t){.size = {0, 0, 1}};
    return prim_memory_desc_get_image2d(md, &region->size[0], &region->size[1]);
}

static prim_status_t fill_zeros(
        const ocl_engine_t *engine, cl_mem image, const prim_memory_desc_t *md)
{
    const cl_float zero[4] = {0};
    region_t region;
    TRY(full_region(&region, md));
    OCL_TRY(clEnqueueFillImage(
            engine->service, image, zero, region.origin, region.size, 0, NULL, NULL));
    OCL_TRY(clFinish(engine->service));
    return PRIM_SUCCESS;
}

static prim_status_t allocate(
        cl_mem *image, const ocl_engine_t *engine, const prim_memory_desc_t *md)
{
    const cl_image_format format = format_of(md);
    region_t region;
    TRY(full_region(&region, md));
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
            .image_width = region.size[0],
            .image_height = region.size[1]};
    cl_int code = CL_SUCCESS;
    const cl_mem made =
            clCreateImage(engine->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    if (code != CL_SUCCESS)
        return prim__ocl_fail_allocation(code, "clCreateImage", prim__md_bytes(md));
    const prim_status_t st = prim__md_is_padded(md) ? fill_zeros(engine, made, md) : PRIM_SUCCESS;
    if (st != PRIM_SUCCESS) {
        clReleaseMemObject(made);
        return st;
    }
    *image = made;
    return PRIM_SUCCESS;
}

/// Retains the application's image if the tensor fits it.
static prim_status_t adopt(const ocl_engine_t *engine, cl_mem image, const prim_memory_desc_t *md)
{
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    cl_image_format format = {0};
    size_t width = 0, height = 0;
    region_t region;
    TRY(full_region(&region, md));
    const cl_int code = clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL);
    CHECK(code != CL_INVALID_MEM_OBJECT, "the handle is not an OpenCL memory object");
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clGetMemObjectInfo");
    CHECK(type == CL_MEM_OBJECT_IMAGE2D,
            "the OpenCL memory object is not an image2d, as the descriptor requires");
    OCL_TRY(clGetMemObjectInfo(image, CL_MEM_CONTEXT, sizeof context, &context, NULL));
    CHECK(context == engine->context, "the image belongs to another context than the engine");
    OCL_TRY(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    OCL_TRY(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
    OCL_TRY(clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof height, &height, NULL));
    const cl_image_format wanted = format_of(md);
    CHECK(format.image_channel_order == wanted.image_channel_order &&
                    format.image_channel_data_type == wanted.image_channel_data_type,
            "the image is not one of CL_RGBA and %s",
            md->data_type == PRIM_F32 ? "CL_FLOAT" : "CL_HALF_FLOAT");
    CHECK(width >= region.size[0] && height >= region.size[1],
            "a tensor of %zu x %zu texels does not fit an image of %zu x %zu", region.size[0],
            region.size[1], width, height);
    OCL_TRY(clRetainMemObject(image));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_image_resolve(
        cl_mem *image, const ocl_engine_t *engine, const prim_memory_desc_t *md, void *handle)
{
    TRY(prim__ocl_image_check(engine, md));
    if (handle == PRIM_MEMORY_ALLOCATE) return allocate(image, engine, md);
    if (handle != PRIM_MEMORY_NONE) TRY(adopt(engine, handle, md));
    *image = handle;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_image_map(ocl_memory_t *memory, void **pointer)
{
    const ocl_engine_t *const engine = prim__ocl_engine(memory->base.engine);
    region_t region;
    CHECK(memory->buffer, "the memory has no image to map");
    TRY(full_region(&region, &memory->base.md));
    void *const rows = prim__calloc(memory->base.bytes);
    if (!rows) return prim__fail_memory(memory->base.bytes);
    const cl_int code = clEnqueueReadImage(engine->service, memory->buffer, CL_TRUE, region.origin,
            region.size, 0, 0, rows, 0, NULL, NULL);
    void *unmapped = NULL;
    if (code == CL_SUCCESS &&
            atomic_compare_exchange_strong(&memory->mapped_copy, &unmapped, rows)) {
        *pointer = rows;
        return PRIM_SUCCESS;
    }
    prim__free(rows);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clEnqueueReadImage");
    return prim__fail(PRIM_INVALID_ARGUMENTS, "the image is mapped already");
}

prim_status_t prim__ocl_image_unmap(ocl_memory_t *memory, void *pointer)
{
    const ocl_engine_t *const engine = prim__ocl_engine(memory->base.engine);
    region_t region;
    TRY(full_region(&region, &memory->base.md));
    void *rows = pointer;
    CHECK(pointer && atomic_compare_exchange_strong(&memory->mapped_copy, &rows, NULL),
            "the pointer was not given by prim_memory_map_data()");
    const cl_int code = clEnqueueWriteImage(engine->service, memory->buffer, CL_TRUE, region.origin,
            region.size, 0, 0, pointer, 0, NULL, NULL);
    prim__free(pointer);
    return code == CL_SUCCESS ? PRIM_SUCCESS : prim__ocl_fail(code, "clEnqueueWriteImage");
}
