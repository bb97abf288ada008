// SPDX-License-Identifier: Apache-2.0
// The entry points of the library, and making a provider for a session.
#include "ep_factory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The word of an entry's metadata that says where a session's tensors are.
#define TENSORS "tensors"

ort_table_t ort_api, ort_ep_api;
ort_function_t ort_has_shape;

ort_status_t *ort_fail(int code, const char *format, ...)
{
    char sentence[512];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return ORT_CALL(ort_api, ORT_CREATE_STATUS, ort_status_t *, int, const char *)(code, sentence);
}

void ort_log(const ort_logger_t *logger, int severity, const char *format, ...)
{
    char line[512];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    ort_status_t *const status = ORT_TRY_CALL(ORT_LOG, const ort_logger_t *, int, const char *,
            const char *, int, const char *)(logger, severity, line, "", 0, EP_NAME);
    if (status) ORT_CALL(ort_api, ORT_RELEASE_STATUS, void, ort_status_t *)(status);
}

static const char *factory_name(const ort_factory_t *self)
{
    (void)self;
    return EP_NAME;
}

static const char *factory_vendor(const ort_factory_t *self)
{
    (void)self;
    return "Prim";
}

static uint32_t factory_vendor_id(const ort_factory_t *self)
{
    (void)self;
    return 0; // Prim has no PCI vendor id
}

static const char *factory_version(const ort_factory_t *self)
{
    (void)self;
    static char text[32];
    const prim_version_t *const v = prim_version();
    snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
    return text;
}

/// An entry of the list: the processor, with the OpenCL device `index` where `info` is its memory.
static ort_status_t *add_device(ort_factory_t *self, const ort_device_t *processor, size_t index,
        const ort_memory_info_t *info, ort_ep_device_t **entry)
{
    char name[32] = "host";
    ort_pairs_t *metadata = NULL, *options = NULL;
    if (info) snprintf(name, sizeof name, "gpu:%zu", index);
    ORT_CALL(ort_api, ORT_CREATE_PAIRS, void, ort_pairs_t **)(&metadata);
    ORT_CALL(ort_api, ORT_CREATE_PAIRS, void, ort_pairs_t **)(&options);
    ORT_CALL(ort_api, ORT_ADD_PAIR, void, ort_pairs_t *, const char *, const char *)
    (metadata, TENSORS, name);
    if (info) ORT_CALL(ort_api, ORT_ADD_PAIR, void, ort_pairs_t *, const char *, const char *)
    (options, "device", name);
    ort_status_t *status = ORT_CALL(ort_ep_api, ORT_EP_CREATE_DEVICE, ort_status_t *,
            ort_factory_t *, const ort_device_t *, const ort_pairs_t *, const ort_pairs_t *,
            ort_ep_device_t **)(self, processor, metadata, options, entry);
    if (!status && info)
        status = ORT_CALL(ort_ep_api, ORT_EP_ADD_ALLOCATOR, ort_status_t *, ort_ep_device_t *,
                const ort_memory_info_t *)(*entry, info);
    ORT_CALL(ort_api, ORT_RELEASE_PAIRS, void, ort_pairs_t *)(metadata);
    ORT_CALL(ort_api, ORT_RELEASE_PAIRS, void, ort_pairs_t *)(options);
    return status;
}

/// The processor stands for every engine: the runtime lists no OpenCL devices. Its first entry has
/// tensors of the host, and the option `device` chooses; the others have tensors of a device.
static ort_status_t *factory_devices(ort_factory_t *self, const ort_device_t *const *devices,
        size_t ndevices, ort_ep_device_t **ep_devices, size_t room, size_t *count)
{
    const factory_t *const factory = (factory_t *)self;
    *count = 0;
    for (size_t i = 0; i < ndevices; ++i) {
        if (ORT_CALL(ort_api, ORT_DEVICE_TYPE, int, const ort_device_t *)(devices[i]) !=
                ORT_DEVICE_CPU)
            continue;
        for (size_t k = 0; k <= factory->nspaces && *count < room; ++k) {
            const ort_memory_info_t *const info = k ? factory->infos[k - 1] : NULL;
            ort_status_t *const status =
                    add_device(self, devices[i], k - 1, info, &ep_devices[*count]);
            if (status) return status;
            ++*count;
        }
    }
    return NULL;
}

static const char *ep_name(const ort_ep_t *self)
{
    (void)self;
    return EP_NAME;
}

static ort_status_t *ep_begin_run(ort_ep_t *self, const ort_run_options_t *options)
{
    (void)options;
    ep_residents_begin_run(((ep_t *)self)->residents);
    return NULL;
}

static ort_status_t *ep_end_run(ort_ep_t *self, const ort_run_options_t *options, bool syncs)
{
    (void)options;
    (void)syncs; // every group has waited for its own
    ep_residents_end_run(((ep_t *)self)->residents);
    return NULL;
}

static ort_status_t *ep_registry(ort_ep_t *self, const ort_kernel_registry_t **registry)
{
    return ep_copies_get(((ep_t *)self)->factory, registry);
}

/// The space of the entry that the session was given, if its tensors are on a device.
static ort_status_t *find_space(ep_t *ep, const ort_pairs_t *const *metadata, size_t ndevices)
{
    for (size_t i = 0; i < ndevices; ++i) {
        const char *const tensors = ORT_CALL(ort_api, ORT_GET_PAIR, const char *,
                const ort_pairs_t *, const char *)(metadata[i], TENSORS);
        for (size_t k = 0; tensors && k < ep->factory->nspaces; ++k) {
            char name[32];
            snprintf(name, sizeof name, "gpu:%zu", k);
            if (strcmp(tensors, name) != 0) continue;
            if (ep->options.kind != PRIM_GPU || ep->options.index != k)
                return ort_fail(ORT_INVALID_ARGUMENT,
                        "Prim: the session's tensors are on %s, which the option device is not",
                        name);
            ep->space = ep->factory->spaces[k];
        }
    }
    return NULL;
}

/// A provider on tensors of the device: the engine is that of its buffers.
static prim_status_t open_space(ep_t *ep)
{
    const prim_status_t status = ep_space_get_engine(ep->space, &ep->engine);
    ep->base.version = ORT_VERSION_OF_KERNELS;
    ep->base.get_registry = ep_registry;
    ep->machine.has_ends = true;
    return status;
}

static ort_status_t *open_engine(ep_t *ep)
{
    ep->is_device = ep->options.kind == PRIM_GPU;
    prim_status_t status =
            ep->space ? open_space(ep)
                      : prim_engine_create(&ep->engine, ep->options.kind, ep->options.index);
    if (status == PRIM_SUCCESS) status = ep_measure(&ep->machine, ep->engine);
    if (status != PRIM_SUCCESS) return ort_fail(ORT_FAIL, "Prim: %s", prim_last_error());
    if (!ep->is_device || ep->space) return NULL;
    ep->residents = ep_residents_create(ep->engine);
    if (!ep->residents) return ort_fail(ORT_FAIL, "Prim: no memory for a provider");
    ep->base.on_run_start = ep_begin_run;
    ep->base.on_run_end = ep_end_run;
    return NULL;
}

static void factory_release_ep(ort_factory_t *self, ort_ep_t *released)
{
    (void)self;
    ep_t *const ep = (ep_t *)released;
    if (!ep) return;
    ep_residents_destroy(ep->residents);
    if (!ep->space) prim_engine_destroy(ep->engine);
    free(ep);
}

static ort_status_t *factory_create_ep(ort_factory_t *self, const ort_device_t *const *devices,
        const ort_pairs_t *const *metadata, size_t ndevices, const ort_session_options_t *options,
        const ort_logger_t *logger, ort_ep_t **ep)
{
    (void)devices;
    ep_options_t read;
    ort_status_t *status = ep_read_options(&read, options, EP_NAME);
    if (status) return status;
    ep_t *const made = calloc(1, sizeof *made);
    if (!made) return ort_fail(ORT_FAIL, "Prim: no memory for a provider");
    made->base = (ort_ep_t){.version = ORT_VERSION,
            .get_name = ep_name,
            .get_capability = ep_claim,
            .compile = ep_compile,
            .release_computes = ep_release_computes};
    made->factory = (factory_t *)self;
    made->options = read;
    made->logger = logger;
    status = find_space(made, metadata, ndevices);
    if (!status) status = open_engine(made);
    if (status) {
        factory_release_ep(self, &made->base);
        return status;
    }
    *ep = &made->base;
    return NULL;
}

static bool factory_is_stream_aware(const ort_factory_t *self)
{
    (void)self;
    return false;
}

/// Whether the runtime is 1.24 or newer. One that is older writes to its log when it is asked for
/// the table.
static bool is_1_24(const char *version)
{
    int major = 0, minor = 0;
    return sscanf(version, "%d.%d", &major, &minor) == 2 && (major > 1 || minor >= 24);
}

static ort_status_t *make_factory(bool has_kernels, ort_factory_t **made)
{
    factory_t *const factory = calloc(1, sizeof *factory);
    if (!factory) return ort_fail(ORT_FAIL, "Prim: no memory for a factory");
    pthread_mutex_init(&factory->lock, NULL);
    factory->base = (ort_factory_t){.version = ORT_VERSION,
            .get_name = factory_name,
            .get_vendor = factory_vendor,
            .get_devices = factory_devices,
            .create_ep = factory_create_ep,
            .release_ep = factory_release_ep,
            .get_vendor_id = factory_vendor_id,
            .get_version = factory_version,
            .is_stream_aware = factory_is_stream_aware};
    ort_status_t *const status = ep_memory_init(factory, has_kernels);
    if (status)
        ReleaseEpFactory(&factory->base);
    else
        *made = &factory->base;
    return status;
}

ort_status_t *CreateEpFactories(const char *name, const ort_base_t *base,
        const ort_logger_t *logger, ort_factory_t **factories, size_t room, size_t *count)
{
    (void)name;
    (void)logger;
    *count = 0;
    ort_api = base->get_api(ORT_VERSION);
    if (!ort_api) {
        // Without that table, no status can be made but by the oldest one.
        ort_api = base->get_api(1);
        return ort_fail(ORT_FAIL,
                "Prim needs version %d of ONNX Runtime's interface, which came with 1.23; %s does "
                "not have it",
                ORT_VERSION, base->get_version());
    }
    const bool has_kernels = is_1_24(base->get_version());
    ort_has_shape = has_kernels ? base->get_api(ORT_VERSION_OF_KERNELS)[ORT_HAS_SHAPE] : NULL;
    ort_ep_api = ORT_CALL(ort_api, ORT_GET_EP_API, ort_table_t, void)();
    if (room < 1) return ort_fail(ORT_INVALID_ARGUMENT, "Prim: no room for a factory");
    ort_status_t *const status = make_factory(has_kernels, factories);
    *count = status ? 0 : 1;
    return status;
}

ort_status_t *ReleaseEpFactory(ort_factory_t *released)
{
    factory_t *const factory = (factory_t *)released;
    if (factory->registry)
        ORT_CALL(ort_ep_api, ORT_EP_RELEASE_REGISTRY, void, ort_kernel_registry_t *)
    (factory->registry);
    ep_memory_destroy(factory);
    pthread_mutex_destroy(&factory->lock);
    free(factory);
    return NULL;
}
