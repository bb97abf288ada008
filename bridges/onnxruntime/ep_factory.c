// SPDX-License-Identifier: Apache-2.0
// The entry points of the library, and making a provider for a session.
#include "ep.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

/// The processor stands for every engine: the runtime lists no OpenCL devices. The option `device`
/// chooses.
static ort_status_t *factory_devices(ort_factory_t *self, const ort_device_t *const *devices,
        size_t ndevices, ort_ep_device_t **ep_devices, size_t room, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < ndevices && *count < room; ++i) {
        if (ORT_CALL(ort_api, ORT_DEVICE_TYPE, int, const ort_device_t *)(devices[i]) !=
                ORT_DEVICE_CPU)
            continue;
        ort_status_t *const status = ORT_CALL(ort_ep_api, ORT_EP_CREATE_DEVICE, ort_status_t *,
                ort_factory_t *, const ort_device_t *, const ort_pairs_t *, const ort_pairs_t *,
                ort_ep_device_t **)(self, devices[i], NULL, NULL, &ep_devices[*count]);
        if (status) return status;
        ++*count;
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

static ort_status_t *open_engine(ep_t *ep)
{
    ep->is_device = ep->options.kind == PRIM_GPU;
    prim_status_t status = prim_engine_create(&ep->engine, ep->options.kind, ep->options.index);
    if (status == PRIM_SUCCESS) status = ep_measure(&ep->machine, ep->engine);
    if (status != PRIM_SUCCESS) return ort_fail(ORT_FAIL, "Prim: %s", prim_last_error());
    if (!ep->is_device) return NULL;
    ep->residents = ep_residents_create(ep->engine);
    if (!ep->residents) return ort_fail(ORT_FAIL, "Prim: no memory for a provider");
    ep->base.on_run_start = ep_begin_run;
    ep->base.on_run_end = ep_end_run;
    return NULL;
}

static ort_status_t *factory_create_ep(ort_factory_t *self, const ort_device_t *const *devices,
        const ort_pairs_t *const *metadata, size_t ndevices, const ort_session_options_t *options,
        const ort_logger_t *logger, ort_ep_t **ep)
{
    (void)self;
    (void)devices;
    (void)metadata;
    (void)ndevices;
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
    made->options = read;
    made->logger = logger;
    status = open_engine(made);
    if (status) {
        prim_engine_destroy(made->engine);
        free(made);
        return status;
    }
    *ep = &made->base;
    return NULL;
}

static void factory_release_ep(ort_factory_t *self, ort_ep_t *ep)
{
    (void)self;
    if (!ep) return;
    ep_residents_destroy(((ep_t *)ep)->residents);
    prim_engine_destroy(((ep_t *)ep)->engine);
    free(ep);
}

static ort_status_t *factory_create_allocator(ort_factory_t *self, const ort_memory_info_t *info,
        const ort_pairs_t *options, ort_allocator_t **allocator)
{
    (void)self;
    (void)info;
    (void)options;
    *allocator = NULL; // tensors are the host's
    return NULL;
}

static void factory_release_allocator(ort_factory_t *self, ort_allocator_t *allocator)
{
    (void)self;
    (void)allocator;
}

static ort_status_t *factory_create_transfer(ort_factory_t *self, ort_data_transfer_t **transfer)
{
    (void)self;
    *transfer = NULL;
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
        return ort_fail(
                ORT_FAIL, "Prim needs ONNX Runtime 1.23 or newer, this is %s", base->get_version());
    }
    ort_has_shape = is_1_24(base->get_version()) ? base->get_api(24)[ORT_HAS_SHAPE] : NULL;
    ort_ep_api = ORT_CALL(ort_api, ORT_GET_EP_API, ort_table_t, void)();
    if (room < 1) return ort_fail(ORT_INVALID_ARGUMENT, "Prim: no room for a factory");
    ort_factory_t *const factory = calloc(1, sizeof *factory);
    if (!factory) return ort_fail(ORT_FAIL, "Prim: no memory for a factory");
    *factory = (ort_factory_t){.version = ORT_VERSION,
            .get_name = factory_name,
            .get_vendor = factory_vendor,
            .get_devices = factory_devices,
            .create_ep = factory_create_ep,
            .release_ep = factory_release_ep,
            .get_vendor_id = factory_vendor_id,
            .get_version = factory_version,
            .create_allocator = factory_create_allocator,
            .release_allocator = factory_release_allocator,
            .create_data_transfer = factory_create_transfer,
            .is_stream_aware = factory_is_stream_aware};
    factories[0] = factory;
    *count = 1;
    return NULL;
}

ort_status_t *ReleaseEpFactory(ort_factory_t *factory)
{
    free(factory);
    return NULL;
}
