// SPDX-License-Identifier: Apache-2.0
// Kernels of the copies that the runtime puts between groups on a device and nodes of the host.
#include "ep_factory.h"

#include <stdlib.h>

typedef struct {
    ort_kernel_t base;
    factory_t *factory;
} copy_t;

/// The shape of a tensor in `*dims`, which the caller frees.
static ort_status_t *read_shape(const ort_value_t *value, int64_t **dims, size_t *ndims)
{
    ort_tensor_info_t *info = NULL;
    ort_status_t *status = ORT_TRY_CALL(
            ORT_VALUE_TENSOR_INFO, const ort_value_t *, ort_tensor_info_t **)(value, &info);
    if (status) return status;
    status = ORT_TRY_CALL(ORT_TENSOR_NDIMS, const ort_tensor_info_t *, size_t *)(info, ndims);
    *dims = status ? NULL : calloc(*ndims + 1, sizeof **dims);
    if (!status && !*dims) status = ort_fail(ORT_FAIL, "Prim: no memory for a shape");
    if (!status)
        status = ORT_TRY_CALL(ORT_TENSOR_DIMS, const ort_tensor_info_t *, int64_t *, size_t)(
                info, *dims, *ndims);
    ORT_CALL(ort_api, ORT_RELEASE_TENSOR_INFO, void, ort_tensor_info_t *)(info);
    return status;
}

static ort_status_t *copy_compute(ort_kernel_t *self, ort_kernel_context_t *context)
{
    const ort_value_t *src = NULL;
    ort_value_t *dst = NULL;
    int64_t *dims = NULL;
    size_t ndims = 0;
    ort_status_t *status = ORT_TRY_CALL(ORT_CONTEXT_INPUT, const ort_kernel_context_t *, size_t,
            const ort_value_t **)(context, 0, &src);
    if (!status) status = read_shape(src, &dims, &ndims);
    if (!status)
        status = ORT_TRY_CALL(ORT_CONTEXT_OUTPUT, ort_kernel_context_t *, size_t, const int64_t *,
                size_t, ort_value_t **)(context, 0, dims, ndims, &dst);
    if (!status) status = ep_copy_tensor(((copy_t *)self)->factory, src, dst);
    free(dims);
    return status;
}

static void copy_release(ort_kernel_t *self)
{
    free(self);
}

static ort_status_t *create_copy(
        void *factory, const ort_kernel_info_t *info, ort_kernel_t **kernel)
{
    (void)info;
    copy_t *const copy = calloc(1, sizeof *copy);
    if (!copy) return ort_fail(ORT_FAIL, "Prim: no memory for a kernel");
    copy->base = (ort_kernel_t){
            .version = ORT_VERSION_OF_KERNELS, .compute = copy_compute, .release = copy_release};
    copy->factory = factory;
    *kernel = &copy->base;
    return NULL;
}

#define TRY_EP_CALL(slot, ...) ORT_CALL(ort_ep_api, slot, ort_status_t *, __VA_ARGS__)

static ort_status_t *describe_copy(ort_kernel_builder_t *builder, bool to_host)
{
    ort_status_t *status = TRY_EP_CALL(ORT_EP_SET_OPERATOR, ort_kernel_builder_t *, const char *)(
            builder, to_host ? "MemcpyToHost" : "MemcpyFromHost");
    if (!status)
        status = TRY_EP_CALL(ORT_EP_SET_DOMAIN, ort_kernel_builder_t *, const char *)(builder, "");
    if (!status)
        status = TRY_EP_CALL(ORT_EP_SET_VERSIONS, ort_kernel_builder_t *, int, int)(builder, 1, 1);
    if (!status)
        status = TRY_EP_CALL(ORT_EP_SET_PROVIDER, ort_kernel_builder_t *, const char *)(
                builder, EP_NAME);
    if (!status)
        status = TRY_EP_CALL(to_host ? ORT_EP_SET_OUTPUT_MEMORY : ORT_EP_SET_INPUT_MEMORY,
                ort_kernel_builder_t *, size_t,
                int)(builder, 0, to_host ? ORT_OUTPUT_ON_CPU : ORT_INPUT_ON_CPU);
    return status;
}

static ort_status_t *add_copy(factory_t *factory, ort_kernel_registry_t *registry, bool to_host)
{
    ort_kernel_builder_t *builder = NULL;
    ort_kernel_def_t *def = NULL;
    ort_status_t *status = TRY_EP_CALL(ORT_EP_CREATE_BUILDER, ort_kernel_builder_t **)(&builder);
    if (status) return status;
    status = describe_copy(builder, to_host);
    if (!status)
        status = TRY_EP_CALL(ORT_EP_BUILD_KERNEL, ort_kernel_builder_t *, ort_kernel_def_t **)(
                builder, &def);
    ORT_CALL(ort_ep_api, ORT_EP_RELEASE_BUILDER, void, ort_kernel_builder_t *)(builder);
    if (status) return status;
    status = TRY_EP_CALL(ORT_EP_ADD_KERNEL, ort_kernel_registry_t *, const ort_kernel_def_t *,
            ort_status_t *(*)(void *, const ort_kernel_info_t *, ort_kernel_t **),
            void *)(registry, def, create_copy, factory);
    ORT_CALL(ort_ep_api, ORT_EP_RELEASE_KERNEL, void, ort_kernel_def_t *)(def);
    return status;
}

static ort_status_t *make_registry(factory_t *factory)
{
    ort_kernel_registry_t *registry = NULL;
    ort_status_t *status = TRY_EP_CALL(ORT_EP_CREATE_REGISTRY, ort_kernel_registry_t **)(&registry);
    if (status) return status;
    status = add_copy(factory, registry, false);
    if (!status) status = add_copy(factory, registry, true);
    if (status)
        ORT_CALL(ort_ep_api, ORT_EP_RELEASE_REGISTRY, void, ort_kernel_registry_t *)(registry);
    else
        factory->registry = registry;
    return status;
}

ort_status_t *ep_copies_get(factory_t *factory, const ort_kernel_registry_t **registry)
{
    pthread_mutex_lock(&factory->lock);
    ort_status_t *const status = factory->registry ? NULL : make_registry(factory);
    *registry = factory->registry;
    pthread_mutex_unlock(&factory->lock);
    return status;
}
