// SPDX-License-Identifier: Apache-2.0
// Tensors of the runtime's on devices: allocators, and copies to and from the host.
#include "ep_factory.h"

#include <stdlib.h>

/// An allocator of the runtime's.
typedef struct {
    ort_allocator_t base;
    ep_space_t *space;
    const ort_memory_info_t *info;
} allocator_t;

static void *allocate(ort_allocator_t *self, size_t bytes)
{
    return ep_space_allocate(((allocator_t *)self)->space, bytes);
}

static void free_tensor(ort_allocator_t *self, void *address)
{
    ep_space_free(((allocator_t *)self)->space, address);
}

static const ort_memory_info_t *get_info(const ort_allocator_t *self)
{
    return ((const allocator_t *)self)->info;
}

/// What is not the memory of a device is the host's, for which the runtime has an allocator.
static ort_status_t *create_allocator(ort_factory_t *self, const ort_memory_info_t *info,
        const ort_pairs_t *options, ort_allocator_t **allocator)
{
    (void)options;
    factory_t *const factory = (factory_t *)self;
    *allocator = NULL;
    if (!info || factory->nspaces == 0) return NULL;
    int id = 0;
    ort_status_t *const status =
            ORT_TRY_CALL(ORT_MEMORY_INFO_ID, const ort_memory_info_t *, int *)(info, &id);
    if (status) return status;
    allocator_t *const made = calloc(1, sizeof *made);
    if (!made) return ort_fail(ORT_FAIL, "Prim: no memory for an allocator");
    made->base = (ort_allocator_t){
            .version = ORT_VERSION, .alloc = allocate, .free = free_tensor, .get_info = get_info};
    made->space = factory->spaces[id];
    made->info = factory->infos[id];
    *allocator = &made->base;
    return NULL;
}

static void release_allocator(ort_factory_t *self, ort_allocator_t *allocator)
{
    (void)self;
    free(allocator);
}

static uint32_t ask(int slot, const ort_memory_device_t *device)
{
    return ORT_CALL(ort_ep_api, slot, uint32_t, const ort_memory_device_t *)(device);
}

static bool is_host(const ort_memory_device_t *device)
{
    return ask(ORT_EP_DEVICE_TYPE, device) == ORT_MEMORY_OF_CPU;
}

/// The space whose memory the device is; NULL: none.
static ep_space_t *space_of(const factory_t *factory, const ort_memory_device_t *device)
{
    const uint32_t id = ask(ORT_EP_DEVICE_ID, device);
    const bool is_ours = ask(ORT_EP_DEVICE_TYPE, device) == ORT_MEMORY_OF_GPU &&
                         ask(ORT_EP_DEVICE_MEMORY_TYPE, device) == ORT_MEMORY_DEFAULT &&
                         ask(ORT_EP_DEVICE_VENDOR, device) == 0 && id < factory->nspaces;
    return is_ours ? factory->spaces[id] : NULL;
}

static bool can_copy(const ort_data_transfer_t *self, const ort_memory_device_t *src,
        const ort_memory_device_t *dst)
{
    const factory_t *const factory =
            (const factory_t *)((const char *)self - offsetof(factory_t, transfer));
    const bool from_space = space_of(factory, src), to_space = space_of(factory, dst);
    return (from_space || to_space) && (from_space || is_host(src)) && (to_space || is_host(dst));
}

static ort_status_t *find_tensor(
        const factory_t *factory, const ort_value_t *value, ep_space_t **space, void **data)
{
    const ort_memory_device_t *const device = ORT_CALL(ort_ep_api, ORT_EP_VALUE_DEVICE,
            const ort_memory_device_t *, const ort_value_t *)(value);
    *space = device ? space_of(factory, device) : NULL;
    return ORT_TRY_CALL(ORT_GET_TENSOR_DATA, const ort_value_t *, void **)(value, data);
}

ort_status_t *ep_copy_tensor(factory_t *factory, const ort_value_t *src, ort_value_t *dst)
{
    size_t bytes = 0;
    void *from = NULL, *to = NULL;
    ep_space_t *from_space = NULL, *to_space = NULL;
    ort_status_t *status =
            ORT_TRY_CALL(ORT_TENSOR_BYTES, const ort_value_t *, size_t *)(src, &bytes);
    if (!status) status = find_tensor(factory, src, &from_space, &from);
    if (!status) status = find_tensor(factory, dst, &to_space, &to);
    if (status || ep_space_copy(to_space, to, from_space, from, bytes) == PRIM_SUCCESS)
        return status;
    return ort_fail(ORT_FAIL, "Prim: %s", prim_last_error());
}

static ort_status_t *copy_tensors(ort_data_transfer_t *self, const ort_value_t **src,
        ort_value_t **dst, ort_stream_t **streams, size_t n)
{
    (void)streams; // none: providers of this factory wait for their work
    factory_t *const factory = (factory_t *)((char *)self - offsetof(factory_t, transfer));
    for (size_t i = 0; i < n; ++i) {
        ort_status_t *const status = ep_copy_tensor(factory, src[i], dst[i]);
        if (status) return status;
    }
    return NULL;
}

static void release_transfer(ort_data_transfer_t *self)
{
    (void)self; // a part of the factory
}

static ort_status_t *create_transfer(ort_factory_t *self, ort_data_transfer_t **transfer)
{
    factory_t *const factory = (factory_t *)self;
    *transfer = factory->nspaces ? &factory->transfer : NULL;
    return NULL;
}

ort_status_t *ep_memory_init(factory_t *factory, bool has_kernels)
{
    const size_t n = has_kernels ? prim_engine_get_count(PRIM_GPU) : 0;
    factory->base.create_allocator = create_allocator;
    factory->base.release_allocator = release_allocator;
    factory->base.create_data_transfer = create_transfer;
    factory->transfer =
            (ort_data_transfer_t){ORT_VERSION, release_transfer, can_copy, copy_tensors};
    for (size_t i = 0; i < n && i < MAX_SPACES; ++i) {
        ort_status_t *const status =
                ORT_TRY_CALL(ORT_CREATE_MEMORY_INFO, const char *, int, uint32_t, int32_t, int,
                        size_t, int, ort_memory_info_t **)("Prim", ORT_MEMORY_OF_GPU, 0, (int32_t)i,
                        ORT_MEMORY_DEFAULT, 0, ORT_DEVICE_ALLOCATOR, &factory->infos[i]);
        if (status) return status;
        factory->spaces[i] = ep_space_create(i);
        factory->nspaces++;
        if (!factory->spaces[i]) return ort_fail(ORT_FAIL, "Prim: no memory for a factory");
    }
    return NULL;
}

void ep_memory_destroy(factory_t *factory)
{
    for (size_t i = 0; i < factory->nspaces; ++i) {
        ORT_CALL(ort_api, ORT_RELEASE_MEMORY_INFO, void, ort_memory_info_t *)(factory->infos[i]);
        ep_space_destroy(factory->spaces[i]);
    }
}
